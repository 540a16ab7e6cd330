//! What is wrong with a file whatever its checks ask.

use trueline_base::Diagnostic;

use super::arguments::Parsed;
use super::target::Target;
use crate::resolve::Typed;
use crate::resolve::scope::NameScope;
use crate::resolve::specs;
use crate::syntax::{self, File, Item};

/// Problems of what stands in the file besides checks: names and types everywhere, sizes and steps of objects and
/// specifications that no check gives values.
pub(super) fn problems(file: &File, typed: &Typed) -> Vec<Diagnostic> {
    let mut problems = duplicates(file);
    problems.extend(typed.modules().flat_map(|module| module.problems.iter().cloned()));
    let checked =
        |name: &str| file.items.iter().any(|i| matches!(i, Item::Check(c) if c.object.text == name));
    let parsed = Parsed::default();
    let files = (file, typed);
    let mut found = Vec::new();
    let specs = specs::all(file).zip(&typed.specs);
    for (_, resolved) in specs.filter(|(spec, _)| spec.params.is_empty()) {
        found.push(Target::alone(files, resolved, &parsed).problems());
    }
    let objects = file.items.iter().filter_map(|item| match item {
        Item::Object(object) => Some(object),
        _ => None,
    });
    for (object, resolved) in objects.zip(&typed.objects) {
        if checked(&object.name.text) {
            continue;
        }
        if !object.params.is_empty() {
            let mut scope = NameScope::of(file, resolved);
            if let Some(wanted) = object.implements.as_ref().filter(|_| resolved.complete) {
                specs::specification(file, wanted, &mut scope);
            }
            found.push(scope.diagnostics);
            continue;
        }
        let mut target = Target::alone(files, resolved, &parsed);
        if let Some(wanted) = object.implements.as_ref().filter(|_| resolved.complete) {
            target.specification(files, wanted, (&[], &parsed));
        }
        found.push(target.problems());
    }
    problems.extend(found.into_iter().flatten());
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
