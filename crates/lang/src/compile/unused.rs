//! What a file declares and nothing uses: helpers, variables, parameters, operations.
//!
//! By the words of the text: a name that stands nowhere but in its declaration is not used. A name that stands
//! elsewhere may mean something else there; then nothing is said. An operation is used where a check of its object
//! calls it, or calls everything, and where it is called by another object.

use std::collections::{HashMap, HashSet};

use trueline_base::{Diagnostic, Span};

use crate::lexer::{self, Kind};
use crate::resolve::flow;
use crate::syntax::{
    Check, ClauseKind, File, Item, Member, Name, Object, Pattern, PatternKind, Routine, StmtKind,
};

/// A warning per declaration that nothing uses. `source` is the text of the file itself.
pub(super) fn warnings(source: &str, file: &File) -> Vec<Diagnostic> {
    let mut places: HashMap<&str, Vec<u32>> = HashMap::new();
    let mut methods = HashSet::new();
    let lexed = lexer::lex(source);
    for (at, token) in lexed.tokens.iter().enumerate().filter(|(_, t)| t.kind == Kind::Word) {
        places.entry(token.span.text(source)).or_default().push(token.span.start);
        if at > 0 && lexed.tokens[at - 1].kind == Kind::Dot {
            methods.insert(token.span.text(source));
        }
    }
    let whole = Span::new(0, source.len());
    let mut unused = Unused { places, methods, found: Vec::new() };
    for item in &file.items {
        let (members, is_spec) = match item {
            Item::Param(p) => {
                unused.look(&p.name, whole, "parameter", "remove it, or use it where it was meant");
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
                Member::Shared(v) | Member::Local(v) | Member::State(v) => {
                    unused.look(&v.name, whole, "variable", "remove it, or use it where it was meant");
                }
                Member::Fn(routine) => {
                    unused.look(&routine.name, whole, "helper", "call it, or remove it");
                    unused.routine(routine, false);
                }
                Member::Op(routine) => unused.routine(routine, is_spec),
                _ => {}
            }
        }
    }
    unused.found
}

struct Unused<'s> {
    /// Where each word stands.
    places: HashMap<&'s str, Vec<u32>>,
    /// The words behind a dot: operations of parts are called so.
    methods: HashSet<&'s str>,
    found: Vec<Diagnostic>,
}

impl Unused<'_> {
    /// How often a word stands there.
    fn uses(&self, word: &str, within: Span) -> usize {
        let inside = |at: &&u32| within.start <= **at && **at < within.end;
        self.places.get(word).map_or(0, |all| all.iter().filter(inside).count())
    }

    /// The operations of an object whose checks all say what they call.
    fn operations(&mut self, object: &Object, file: &File) {
        let checks: Vec<&Check> = file
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Check(check) if check.object.text == object.name.text => Some(check),
                _ => None,
            })
            .collect();
        let says = |check: &&Check| {
            let kinds = &mut check.clauses.iter().map(|clause| &clause.kind);
            kinds.any(|kind| matches!(kind, ClauseKind::Calls(_) | ClauseKind::Role { .. }))
        };
        if checks.is_empty() || !checks.iter().all(says) {
            return;
        }
        for member in &object.members {
            let Member::Op(op) = member else { continue };
            let name = op.name.text.as_str();
            let called = checks.iter().any(|check| self.uses(name, check.span) > 0);
            if !called && !self.methods.contains(name) {
                let text = format!("no check calls the operation `{name}`");
                let help = "call it in a check, or remove it";
                self.found.push(Diagnostic::warning("W0001", op.name.span, text).help(help));
            }
        }
    }

    fn look(&mut self, name: &Name, within: Span, what: &str, help: &str) {
        let uses = self.uses(&name.text, within);
        if uses == 1 && !name.text.starts_with('_') {
            let text = format!("the {what} `{}` is never used", name.text);
            self.found.push(Diagnostic::warning("W0001", name.span, text).help(help));
        }
    }

    /// A specification's operation may leave an argument alone: it says what is allowed, not how it is done.
    fn routine(&mut self, routine: &Routine, free: bool) {
        let help = "if that is meant, begin its name with `_`";
        for param in routine.params.iter().filter(|_| !free) {
            self.look(&param.name, routine.span, "parameter", help);
        }
        let mut names = Vec::new();
        flow::walk(&routine.body, &mut |stmt| {
            if let StmtKind::Let { pattern, .. } = &stmt.kind {
                variables(pattern, &mut names);
            }
        });
        for name in names {
            self.look(&name, routine.span, "variable", help);
        }
    }
}

/// The variables that a pattern of `let` declares.
fn variables(pattern: &Pattern, names: &mut Vec<Name>) {
    match &pattern.kind {
        PatternKind::Name(text) => names.push(Name { text: text.clone(), span: pattern.span }),
        PatternKind::Tuple(parts) => parts.iter().for_each(|part| variables(part, names)),
        _ => {}
    }
}
