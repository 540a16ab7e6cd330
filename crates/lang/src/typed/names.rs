//! Where names stand and what they mean: what an editor asks for, and what nobody uses.

use super::Type;
use trueline_base::Span;

/// A name where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Occurrence {
    /// Where.
    pub span: Span,
    /// What it means.
    pub definition: Definition,
    /// The type of what it names; none for a type or a specification, the result's for a routine.
    pub ty: Option<Type>,
}

/// What a name means.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Definition {
    /// What sort of thing it is.
    pub kind: DefinitionKind,
    /// Its name, with those of the parts around it: `lock.owner`.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
}

/// What sort of thing a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum DefinitionKind {
    Constant,
    Struct,
    Field,
    Enum,
    Variant,
    /// A shared variable, or a variable of a specification's state.
    Shared,
    /// A variable that each thread keeps between operations.
    Persistent,
    Helper,
    Operation,
    /// A parameter of a routine.
    Parameter,
    /// A variable of a routine or of a client.
    Local,
    Object,
    Spec,
}

impl DefinitionKind {
    /// In words.
    pub fn word(self) -> &'static str {
        match self {
            DefinitionKind::Constant => "constant",
            DefinitionKind::Struct => "struct",
            DefinitionKind::Field => "field",
            DefinitionKind::Enum => "enum",
            DefinitionKind::Variant => "variant",
            DefinitionKind::Shared => "shared variable",
            DefinitionKind::Persistent => "variable of each thread",
            DefinitionKind::Helper => "helper",
            DefinitionKind::Operation => "operation",
            DefinitionKind::Parameter => "parameter",
            DefinitionKind::Local => "variable",
            DefinitionKind::Object => "object",
            DefinitionKind::Spec => "specification",
        }
    }
}
