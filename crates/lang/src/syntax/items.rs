//! Items of a file, and the members of objects and specifications.

use trueline_base::Span;

use super::{Block, Check, Expr, Name, Type};

/// A top-level item.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Item {
    Use(Use),
    Param(Param),
    Const(Const),
    Struct(Struct),
    Enum(Enum),
    Spec(Spec),
    Object(Object),
    Check(Check),
}

/// `use "file.tl";`
#[derive(Clone, Debug, PartialEq)]
pub struct Use {
    /// The path between the quotes.
    pub path: String,
    /// The whole item.
    pub span: Span,
}

/// `param K = 4;`
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Its name.
    pub name: Name,
    /// Its default.
    pub value: Expr,
    /// The whole item.
    pub span: Span,
}

/// `const GT: [int; 3] = [1, 2, 3];`
#[derive(Clone, Debug, PartialEq)]
pub struct Const {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: Type,
    /// Its value.
    pub value: Expr,
    /// The whole item.
    pub span: Span,
}

/// `struct Node { val: val?, next: Node? }`
#[derive(Clone, Debug, PartialEq)]
pub struct Struct {
    /// Its name.
    pub name: Name,
    /// Its fields, in order.
    pub fields: Vec<Field>,
    /// The whole item.
    pub span: Span,
}

/// A field or a parameter: `name: type`.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: Type,
}

/// `enum Word { Value(val), Desc(Descriptor) }`
#[derive(Clone, Debug, PartialEq)]
pub struct Enum {
    /// Its name.
    pub name: Name,
    /// Its variants, in order.
    pub variants: Vec<Variant>,
    /// The whole item.
    pub span: Span,
}

/// A variant of an enum.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Its name.
    pub name: Name,
    /// The types of its payload.
    pub payload: Vec<Type>,
}

/// A specification.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub params: Vec<Field>,
    /// State, helpers and operations, in order.
    pub members: Vec<Member>,
    /// The whole item.
    pub span: Span,
}

/// An object.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub params: Vec<Field>,
    /// The specification that it implements.
    pub implements: Option<SpecRef>,
    /// Its members, in order.
    pub members: Vec<Member>,
    /// The whole item.
    pub span: Span,
}

/// A specification by name: `Queue`, `BoundedQueue(n)`, `Quasi(Queue, deq: 2)`.
#[derive(Clone, Debug, PartialEq)]
pub struct SpecRef {
    /// Its name.
    pub name: Name,
    /// Its arguments.
    pub args: Vec<Arg>,
    /// The whole reference.
    pub span: Span,
}

/// An argument, perhaps named. A bare or applied name may turn out to be a specification:
/// it is then an `ExprKind::Name` or `ExprKind::Call`.
#[derive(Clone, Debug, PartialEq)]
pub struct Arg {
    /// `deq:` in `deq: 2`.
    pub name: Option<Name>,
    /// The argument.
    pub value: Expr,
}

/// A member of an object or of a specification.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Member {
    /// `memory gc;`
    Memory {
        mode: Memory,
        span: Span,
    },
    Struct(Struct),
    Enum(Enum),
    Const(Const),
    /// `shared x: T = e;`
    Shared(Variable),
    /// `local x: T = e;`
    Local(Variable),
    /// `state x: T = e;` (in a specification)
    State(Variable),
    /// `init { … }`
    Init(Block),
    Fn(Routine),
    Op(Routine),
}

/// How memory is managed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Memory {
    #[default]
    Gc,
    Manual,
    Pool,
}

/// A declared variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: Type,
    /// The arguments of an object that is a part: `shared q: Ring(2);`.
    pub args: Vec<Arg>,
    /// Its initial value.
    pub init: Option<Expr>,
    /// The whole declaration.
    pub span: Span,
}

/// A `fn` or an `op`.
#[derive(Clone, Debug, PartialEq)]
pub struct Routine {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub params: Vec<Field>,
    /// The type of its result.
    pub result: Option<Type>,
    /// `requires e` (operations only).
    pub requires: Option<Expr>,
    /// Its body.
    pub body: Block,
    /// The whole item.
    pub span: Span,
}
