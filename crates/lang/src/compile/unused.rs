//! What a file declares and nothing uses: helpers, variables, parameters.
//!
//! By the words of the text: a name that stands nowhere but in its declaration is not used. A name that stands
//! elsewhere may mean something else there; then nothing is said.

use std::collections::HashMap;

use trueline_base::{Diagnostic, Span};

use crate::lexer::{self, Kind};
use crate::lower::flow;
use crate::syntax::{File, Item, Member, Name, Pattern, PatternKind, Routine, StmtKind};

/// A warning per declaration that nothing uses. `source` is the text of the file itself.
pub(super) fn warnings(source: &str, file: &File) -> Vec<Diagnostic> {
    let mut places: HashMap<&str, Vec<u32>> = HashMap::new();
    for token in lexer::lex(source).tokens.iter().filter(|t| t.kind == Kind::Word) {
        places.entry(token.span.text(source)).or_default().push(token.span.start);
    }
    let whole = Span::new(0, source.len());
    let mut unused = Unused { places, found: Vec::new() };
    for item in &file.items {
        let (members, is_spec) = match item {
            Item::Param(p) => {
                unused.look(&p.name, whole, "parameter", "remove it, or use it where it was meant");
                continue;
            }
            Item::Object(object) => (&object.members, false),
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
    found: Vec<Diagnostic>,
}

impl Unused<'_> {
    fn look(&mut self, name: &Name, within: Span, what: &str, help: &str) {
        let inside = |at: &&u32| within.start <= **at && **at < within.end;
        let uses = self.places.get(name.text.as_str()).map_or(0, |all| all.iter().filter(inside).count());
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
