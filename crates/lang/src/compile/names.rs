//! What the names of a model mean where they stand: what an editor shows, and what finds declarations without use.

use trueline_base::Span;

use super::{Model, Overrides};
use crate::syntax::Item;
use crate::typed::{DefinitionKind, Module, Occurrence};

/// A name where it stands, with what it means there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameAt {
    /// Where it stands.
    pub span: Span,
    /// What sort of thing it names.
    pub kind: DefinitionKind,
    /// The full name, with those of the parts around it: `lock.owner`.
    pub name: String,
    /// Where that is declared.
    pub definition: Span,
    /// The type of what it names, as it is written; none of a type, an object or a specification.
    pub ty: Option<String>,
}

impl NameAt {
    pub(super) fn of(module: &Module, name: &Occurrence) -> NameAt {
        NameAt {
            span: name.span,
            kind: name.definition.kind,
            name: name.definition.name.clone(),
            definition: name.definition.span,
            ty: name.ty.as_ref().map(|ty| module.show(ty)),
        }
    }
}

impl Model {
    /// What the name at an offset of the text means, wherever it stands: in objects, specifications and checks, whether
    /// or not the model has errors elsewhere.
    pub fn name_at(&self, offset: u32) -> Option<NameAt> {
        let here = |span: Span| span.source.is_file() && span.start <= offset && offset < span.end;
        for resolved in self.typed().modules() {
            if let Some(name) = resolved.module.names.iter().find(|name| here(name.span)) {
                return Some(NameAt::of(&resolved.module, name));
            }
        }
        self.names_of_checks().into_iter().chain(self.names_of_items()).find(|name| here(name.span))
    }

    /// The names that clauses of checks use: parameters, operations, variables.
    fn names_of_checks(&self) -> Vec<NameAt> {
        let tasks = (0..self.checks()).filter_map(|at| self.instantiate(at, &Overrides::default()).ok());
        tasks.flat_map(|task| task.names).collect()
    }

    /// Objects and specifications where they are declared, implemented and checked.
    fn names_of_items(&self) -> Vec<NameAt> {
        let mut declared = Vec::new();
        let mut uses = Vec::new();
        for item in &self.whole.items {
            match item {
                Item::Object(object) => {
                    declared.push((DefinitionKind::Object, &object.name));
                    uses.extend(object.implements.iter().map(|spec| &spec.name));
                }
                Item::Spec(spec) => declared.push((DefinitionKind::Spec, &spec.name)),
                Item::Check(check) => uses.push(&check.object),
                _ => {}
            }
        }
        let mut names = Vec::new();
        for (kind, name) in &declared {
            let used = uses.iter().filter(|used| used.text == name.text);
            names.extend(used.chain([name]).map(|at| NameAt {
                span: at.span,
                kind: *kind,
                name: name.text.clone(),
                definition: name.span,
                ty: None,
            }));
        }
        names
    }
}
