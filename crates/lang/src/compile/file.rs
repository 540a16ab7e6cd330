//! What is wrong with a file whatever its checks ask.

use trueline_base::Diagnostic;

use super::arguments::{Parsed, globals};
use crate::lower::env::Env;
use crate::lower::specs;
use crate::syntax::{self, File, Item};

/// Problems of what stands in the file besides checks: objects and specifications that no check names.
pub(super) fn problems(file: &File) -> Vec<Diagnostic> {
    let mut problems = duplicates(file);
    let checked =
        |name: &str| file.items.iter().any(|i| matches!(i, Item::Check(c) if c.object.text == name));
    let parsed = Parsed { set: Vec::new(), args: Vec::new(), client: None, spec: None };
    for item in &file.items {
        let object = match item {
            Item::Object(object) => object,
            Item::Spec(spec) if spec.params.is_empty() => {
                let mut env = Env::new(&spec.name.text, 2, true);
                globals(&mut env, file, &[], &parsed);
                env.declare_members(spec.members.iter());
                env.lower_members(spec.members.iter());
                problems.append(&mut env.diagnostics);
                continue;
            }
            _ => continue,
        };
        if checked(&object.name.text) || !object.params.is_empty() {
            continue;
        }
        let mut env = Env::new(&object.name.text, 2, false);
        globals(&mut env, file, &[], &parsed);
        env.declare_members(object.members.iter());
        env.lower_members(object.members.iter());
        if let Some(wanted) = &object.implements {
            specs::lower_spec(file, wanted, &mut env, &|env| globals(env, file, &[], &parsed));
        }
        problems.append(&mut env.diagnostics);
    }
    problems
}

/// Names that are declared twice on the top level.
fn duplicates(file: &File) -> Vec<Diagnostic> {
    let mut seen: Vec<&syntax::Name> = Vec::new();
    let mut problems = Vec::new();
    for item in &file.items {
        let name = match item {
            Item::Param(p) => &p.name,
            Item::Const(c) => &c.name,
            Item::Struct(s) => &s.name,
            Item::Enum(e) => &e.name,
            Item::Spec(s) => &s.name,
            Item::Object(o) => &o.name,
            Item::Check(_) | Item::Use(_) => continue,
        };
        match seen.iter().find(|n| n.text == name.text) {
            Some(first) => problems.push(
                Diagnostic::error("E0102", name.span, format!("`{}` is declared twice", name.text))
                    .label(first.span, "first declared here")
                    .help("give one of them another name"),
            ),
            None => seen.push(name),
        }
    }
    problems
}
