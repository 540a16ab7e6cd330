//! The typed tree: an object or a specification with its names resolved and its types known.
//!
//! It stands between the tree as written and the steps. Helpers are routines of their own, parameters have no values
//! yet, and nothing depends on how many threads there are or on what a client calls: what a reader of the text needs
//! to know, and what every check of the object shares. `resolve` makes it and reports what is wrong with names and
//! types; `lower` makes steps of it.

mod expr;
mod names;
mod size;
mod stmt;
mod ty;

pub use expr::{Expr, ExprKind, Primitive};
pub use names::{Definition, DefinitionKind, Occurrence};
pub use size::{Bound, SizeOf};
pub use stmt::{
    Argument, Arm, Block, Call, ClientBlock, ClientStmt, ClientStmtKind, Else, Mark, Over, Pattern,
    PatternKind, Stmt, StmtKind,
};
pub use ty::{Length, Type, TypeSize};

pub use crate::ir::{EnumId, StructId};
use crate::syntax::Memory;
use trueline_base::Span;

trueline_base::ids! {
    /// Index into [`Module::constants`].
    pub struct ConstantId;
    /// Index into [`Module::shared`].
    pub struct SharedId;
    /// Index into [`Module::helpers`].
    pub struct HelperId;
    /// Index into [`Routine::locals`].
    pub struct LocalId;
}

/// An object or a specification.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    /// Its name as the user wrote it.
    pub name: String,
    /// Whether it is a specification: its operations are atomic, its variables are its state.
    pub is_spec: bool,
    /// How memory is managed.
    pub memory: Memory,
    /// The structs of the file, then its own.
    pub structs: Vec<Struct>,
    /// The enums of the file, then its own, then those ready-made ones that it names.
    pub enums: Vec<Enum>,
    /// The parameters and constants of the file, then its own parameters, then its own constants.
    pub constants: Vec<Constant>,
    /// The numbers that types depend on.
    pub sizes: Vec<SizeOf>,
    /// What must hold of sizes once parameters have values.
    pub bounds: Vec<Bound>,
    /// The shared variables of an object, the state of a specification.
    pub shared: Vec<Variable>,
    /// The variables that each thread keeps between operations (`local`).
    pub persistent: Vec<Variable>,
    /// `init`, with the variables that initialisers of shared variables declare.
    pub init: Routine,
    /// The variables that initialisers of persistent variables declare; its body is empty.
    pub thread_init: Routine,
    /// The helpers.
    pub helpers: Vec<Routine>,
    /// The operations.
    pub ops: Vec<Routine>,
    /// Where each name stands, and what it means there.
    pub names: Vec<Occurrence>,
}

/// A struct of the heap.
#[derive(Clone, Debug, PartialEq)]
pub struct Struct {
    /// Its name.
    pub name: String,
    /// Its fields.
    pub fields: Vec<Field>,
    /// Where its name stands.
    pub span: Span,
}

/// A field of a struct.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Where its name stands.
    pub span: Span,
    /// Where its type stands.
    pub ty_span: Span,
}

/// An enum.
#[derive(Clone, Debug, PartialEq)]
pub struct Enum {
    /// Its name.
    pub name: String,
    /// Its variants.
    pub variants: Vec<Variant>,
    /// Where its name stands.
    pub span: Span,
}

/// A variant of an enum.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// The types of what it carries.
    pub payload: Vec<Type>,
    /// Where its name stands.
    pub span: Span,
}

/// A parameter or a constant: a value that is known before anything runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its value; that of a parameter of the file unless a check gives another one. A parameter of an object or of a
    /// specification has none.
    pub value: Option<Expr>,
    /// Whether checks and command lines may give it a value.
    pub open: bool,
    /// Where its name stands.
    pub span: Span,
}

/// A shared or persistent variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its initial value.
    pub init: Option<Expr>,
    /// Where its name stands.
    pub name_span: Span,
    /// Where its type stands.
    pub ty_span: Span,
    /// The whole declaration.
    pub span: Span,
}

/// An operation, a helper, `init`.
#[derive(Clone, Debug, PartialEq)]
pub struct Routine {
    /// Its name.
    pub name: String,
    /// Its parameters: the first of its local variables.
    pub params: Vec<LocalId>,
    /// The type of its result, `Unit` without one.
    pub result: Type,
    /// Over the persistent variables: when an operation may be called.
    pub requires: Option<Expr>,
    /// Its local variables.
    pub locals: Vec<Local>,
    /// Its body.
    pub body: Block,
    /// Where its name stands.
    pub span: Span,
}

impl Default for Routine {
    fn default() -> Routine {
        Routine {
            name: String::new(),
            params: Vec::new(),
            result: Type::Unit,
            requires: None,
            locals: Vec::new(),
            body: Block::default(),
            span: Span::default(),
        }
    }
}

/// A local variable of a routine.
#[derive(Clone, Debug, PartialEq)]
pub struct Local {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Whether something changes it after its declaration.
    pub assigned: bool,
    /// Where it is declared.
    pub span: Span,
}
