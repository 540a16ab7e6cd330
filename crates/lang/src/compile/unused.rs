//! What a file declares and nothing uses: helpers, variables, parameters, operations.
//!
//! A declaration is used where a name that means it stands elsewhere. An operation is used where a check of its object
//! calls it, or calls everything, and where another object calls it.

use std::collections::{HashMap, HashSet};

use trueline_base::{Diagnostic, Span};

use super::NameAt;
use crate::resolve::{Typed, flow};
use crate::syntax::{
    Check, ClauseKind, File, Item, Member, Name, Object, Pattern, PatternKind, Routine, StmtKind, Variable,
};

/// A warning per declaration of the file that nothing uses. `checks` are the names that its checks use.
pub(super) fn warnings(file: &File, typed: &Typed, checks: &[NameAt]) -> Vec<Diagnostic> {
    let mut used: HashMap<Span, HashSet<Span>> = HashMap::new();
    let mut parts: Vec<(String, Span)> = Vec::new();
    let modules = typed.modules().flat_map(|resolved| &resolved.module.names);
    let modules = modules.map(|name| (name.span, name.definition.span, &name.definition.name));
    let checks = checks.iter().map(|name| (name.span, name.definition, &name.name));
    for (span, definition, name) in modules.chain(checks) {
        if span != definition {
            used.entry(definition).or_default().insert(span);
        }
        if let Some((part, _)) = name.split_once('.') {
            parts.push((part.to_string(), span));
        }
    }
    let mut unused = Unused { used, parts, found: Vec::new() };
    for item in &file.items {
        let (members, is_spec) = match item {
            Item::Param(p) => {
                unused.look(&p.name, "parameter", "remove it, or use it where it was meant");
                continue;
            }
            Item::Object(object) => {
                unused.operations(object, file);
                (&object.members, false)
            }
            Item::Spec(spec) => (&spec.members, true),
            _ => continue,
        };
        for member in members {
            match member {
                Member::Shared(v) | Member::Local(v) | Member::State(v) if !unused.is_part(v, item, file) => {
                    unused.look(&v.name, "variable", "remove it, or use it where it was meant");
                }
                Member::Fn(routine) => {
                    unused.look(&routine.name, "helper", "call it, or remove it");
                    unused.routine(routine, false);
                }
                Member::Op(routine) => unused.routine(routine, is_spec),
                _ => {}
            }
        }
    }
    unused.found
}

struct Unused {
    /// Where names that mean a declaration stand.
    used: HashMap<Span, HashSet<Span>>,
    /// The names of parts before a dot, with the places of what is used of them.
    parts: Vec<(String, Span)>,
    found: Vec<Diagnostic>,
}

impl Unused {
    /// The operations of an object whose checks all say what they call.
    fn operations(&mut self, object: &Object, file: &File) {
        let checks: Vec<&Check> = checks(object, file).collect();
        let says = |check: &&Check| {
            let kinds = &mut check.clauses.iter().map(|clause| &clause.kind);
            kinds.any(|kind| matches!(kind, ClauseKind::Calls(_) | ClauseKind::Role { .. }))
        };
        if checks.is_empty() || !checks.iter().all(says) {
            return;
        }
        for member in &object.members {
            let Member::Op(op) = member else { continue };
            if !self.used.contains_key(&op.name.span) {
                let text = format!("no check calls the operation `{}`", op.name.text);
                let help = "call it in a check, or remove it";
                self.found.push(Diagnostic::warning("W0001", op.name.span, text).help(help));
            }
        }
    }

    /// Whether the variable is an object of which something is used.
    fn is_part(&self, variable: &Variable, item: &Item, file: &File) -> bool {
        let Item::Object(object) = item else { return false };
        let here = |span: &Span| {
            object.span.covers(*span) || checks(object, file).any(|check| check.span.covers(*span))
        };
        self.parts.iter().any(|(part, span)| *part == variable.name.text && here(span))
    }

    fn look(&mut self, name: &Name, what: &str, help: &str) {
        if !self.used.contains_key(&name.span) && !name.text.starts_with('_') {
            let text = format!("the {what} `{}` is never used", name.text);
            self.found.push(Diagnostic::warning("W0001", name.span, text).help(help));
        }
    }

    /// A specification's operation may leave an argument alone: it says what is allowed, not how it is done.
    fn routine(&mut self, routine: &Routine, free: bool) {
        let help = "if that is meant, begin its name with `_`";
        for param in routine.params.iter().filter(|_| !free) {
            self.look(&param.name, "parameter", help);
        }
        let mut names = Vec::new();
        flow::walk(&routine.body, &mut |stmt| {
            if let StmtKind::Let { pattern, .. } = &stmt.kind {
                variables(pattern, &mut names);
            }
        });
        for name in names {
            self.look(&name, "variable", help);
        }
    }
}

/// The checks of an object.
fn checks<'f>(object: &'f Object, file: &'f File) -> impl Iterator<Item = &'f Check> {
    file.items.iter().filter_map(|item| match item {
        Item::Check(check) if check.object.text == object.name.text => Some(check),
        _ => None,
    })
}

/// The variables that a pattern of `let` declares.
fn variables(pattern: &Pattern, names: &mut Vec<Name>) {
    match &pattern.kind {
        PatternKind::Name(text) => names.push(Name { text: text.clone(), span: pattern.span }),
        PatternKind::Tuple(parts) => parts.iter().for_each(|part| variables(part, names)),
        _ => {}
    }
}
