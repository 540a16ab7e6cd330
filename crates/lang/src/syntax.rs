//! The tree of a `.tl` file, as written: nothing resolved, nothing checked.
//!
//! Every node has the span of its text. Comments are kept beside the tree, in order; the
//! formatter puts them back by position. The parser always returns a tree: what it cannot
//! read is left out and reported.

use trueline_base::Span;

/// A whole file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct File {
    /// The items, in order.
    pub items: Vec<Item>,
    /// All comments, in order.
    pub comments: Vec<Comment>,
}

/// A comment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comment {
    /// From `//` to the end of its line, or from `/*` to `*/`.
    pub span: Span,
}

/// A name where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    /// The text.
    pub text: String,
    /// Where.
    pub span: Span,
}

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

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    /// Which.
    pub kind: TypeKind,
    /// Where.
    pub span: Span,
}

/// The forms of types.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum TypeKind {
    Bool,
    Int,
    Tid,
    Val,
    Lock,
    /// A struct, an enum.
    Named(Name),
    /// `a..b`, or `a..=b` when `inclusive`.
    Range {
        low: Box<Expr>,
        high: Box<Expr>,
        inclusive: bool,
    },
    Tuple(Vec<Type>),
    /// `[T; n]`; `None` for `[T; tid]`.
    Array {
        element: Box<Type>,
        length: Option<Box<Expr>>,
    },
    Seq(Box<Type>),
    Set(Box<Type>),
    Multiset(Box<Type>),
    Heap(Box<Type>),
    Map(Box<Type>, Box<Type>),
    /// `T?`
    Optional(Box<Type>),
}

/// A block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// Its statements.
    pub stmts: Vec<Stmt>,
    /// From `{` to `}`.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// The mark before it.
    pub lin: Option<Lin>,
    /// The label of a loop, without its quote.
    pub label: Option<Name>,
    /// Which.
    pub kind: StmtKind,
    /// Where, without the mark.
    pub span: Span,
}

/// `@lin` or `@lin(if e)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Lin {
    /// The condition.
    pub condition: Option<Expr>,
    /// Where.
    pub span: Span,
}

/// The forms of statements.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum StmtKind {
    Let {
        pattern: Pattern,
        ty: Option<Type>,
        value: Expr,
    },
    /// `target = value`, or `target += value` and its kin with an operator.
    Assign {
        target: Expr,
        op: Option<BinaryOp>,
        value: Expr,
    },
    Expr(Expr),
    /// The `else` part is a block, or a block that holds one `if` statement (`else_if`).
    If {
        condition: Expr,
        then: Block,
        otherwise: Option<Else>,
    },
    Match {
        value: Expr,
        arms: Vec<Arm>,
    },
    While {
        condition: Expr,
        body: Block,
    },
    Loop(Block),
    For {
        variable: Name,
        over: ForOver,
        body: Block,
    },
    /// With the label of the loop that it leaves.
    Break(Option<Name>),
    /// With the label of the loop that it goes on with.
    Continue(Option<Name>),
    Return(Option<Expr>),
    Atomic(Block),
    Either(Vec<Block>),
    Choose {
        variable: Name,
        low: Expr,
        high: Expr,
        inclusive: bool,
    },
    Await(Expr),
    Assume(Expr),
    Assert(Expr),
    Lock(Expr),
    Unlock(Expr),
    Free(Expr),
    Skip,
}

/// What follows `else`.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Else {
    Block(Block),
    If(Box<Stmt>),
}

/// What a `for` runs over.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum ForOver {
    Range {
        reverse: bool,
        low: Expr,
        high: Expr,
        inclusive: bool,
    },
    /// `for t in tid`
    Threads,
    /// `for x in items`
    Collection(Expr),
}

/// One arm of a `match`.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// When.
    pub pattern: Pattern,
    /// What; a single statement is a block of one whose span is that of the statement.
    pub body: Block,
    /// Whether the body was written with braces.
    pub braces: bool,
}

/// A pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// Which.
    pub kind: PatternKind,
    /// Where.
    pub span: Span,
}

/// The forms of patterns.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum PatternKind {
    /// A variable, or a variant without payload.
    Name(String),
    Wildcard,
    Tuple(Vec<Pattern>),
    Variant {
        name: Name,
        payload: Vec<Pattern>,
    },
    None,
    Null,
    Bool(bool),
    Int(i64),
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// Which.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
}

/// The forms of expressions.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum ExprKind {
    Int(i64),
    Bool(bool),
    None,
    Null,
    SelfTid,
    Name(String),
    Unary {
        op: UnaryOp,
        operand: Box<Expr>,
    },
    Binary {
        op: BinaryOp,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// `e as int`
    Cast {
        operand: Box<Expr>,
        ty: Type,
    },
    /// `e.name`
    Field {
        object: Box<Expr>,
        name: Name,
    },
    /// `e.0`
    Component {
        object: Box<Expr>,
        index: u32,
    },
    /// `e[i]`
    Index {
        object: Box<Expr>,
        index: Box<Expr>,
    },
    /// `f(a, b)`: a helper, a variant with payload, `cas` and its kin, a specification. The `sc` of `sc weak(…)` is `weak`.
    Call {
        name: Name,
        args: Vec<Arg>,
        weak: bool,
    },
    /// `e.name(a, b)`
    Method {
        object: Box<Expr>,
        name: Name,
        args: Vec<Expr>,
    },
    If {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    New {
        name: Name,
        fields: Vec<(Name, Expr)>,
    },
    /// `forall x in r { e }`, or `exists` unless `all`.
    Quantified {
        all: bool,
        variable: Name,
        over: Box<ForOver>,
        body: Box<Expr>,
    },
    Tuple(Vec<Expr>),
    /// `[e; n]`; `None` for `[e; tid]`.
    Repeat {
        element: Box<Expr>,
        length: Option<Box<Expr>>,
    },
    List(Vec<Expr>),
    /// `(e)`, kept so that printing and reading again is the identity.
    Paren(Box<Expr>),
    /// `a..b` as an argument of a client's call.
    Range {
        low: Box<Expr>,
        high: Box<Expr>,
        inclusive: bool,
    },
    /// What could not be read; reported already.
    Error,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Not,
    Minus,
}

/// Operators with two operands, by rising precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Or,
    And,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    BitOr,
    BitXor,
    BitAnd,
    Shl,
    Shr,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

impl BinaryOp {
    /// How strongly it binds, from 0.
    pub fn level(self) -> u8 {
        match self {
            BinaryOp::Or => 0,
            BinaryOp::And => 1,
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => 2,
            BinaryOp::BitOr => 3,
            BinaryOp::BitXor => 4,
            BinaryOp::BitAnd => 5,
            BinaryOp::Shl | BinaryOp::Shr => 6,
            BinaryOp::Add | BinaryOp::Sub => 7,
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 8,
        }
    }
}

/// A `check` block.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// The object.
    pub object: Name,
    /// Its arguments.
    pub args: Vec<Arg>,
    /// `with NAME = value`.
    pub with: Vec<(Name, Expr)>,
    /// Its clauses, in order.
    pub clauses: Vec<Clause>,
    /// The whole item.
    pub span: Span,
}

/// A clause of a check.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// Which.
    pub kind: ClauseKind,
    /// Where.
    pub span: Span,
}

/// The forms of clauses.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum ClauseKind {
    Threads(Expr),
    /// `None` for `ops forever;`
    Ops(Option<Expr>),
    /// `None` for `values tid;`
    Values(Option<Expr>),
    Calls(Vec<Expr>),
    Role {
        name: Name,
        count: Option<Expr>,
        body: ClientBlock,
    },
    /// What the main thread does before the others begin.
    Before(ClientBlock),
    /// What it does after they are done.
    After(ClientBlock),
    Property {
        property: Property,
        expect: Option<Expect>,
    },
}

/// `expect fails` or `expect fails(KIND)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Expect {
    /// The kind in parentheses.
    pub kind: Option<Name>,
    /// Where.
    pub span: Span,
}

/// A property that is asked.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Property {
    Safe,
    Linearizable {
        to: Option<SpecRef>,
    },
    Refines(SpecRef),
    Equivalent {
        other: SpecRef,
        by: Option<Name>,
    },
    LockFree,
    /// `wait_free`, `wait_free op`
    WaitFree {
        op: Option<Name>,
    },
    ObstructionFree,
    DeadlockFree,
    StarvationFree,
    LeakFree,
    Invariant(Expr),
    Ltl {
        formula: String,
        fair: Option<Name>,
    },
    /// What is no property; reported already.
    Unknown(Name),
}

/// The client of a command line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Client {
    /// What the main thread does before the others begin.
    pub before: Option<ClientBlock>,
    /// One per thread.
    pub threads: Vec<ClientBlock>,
    /// What the main thread does after the others are done.
    pub after: Option<ClientBlock>,
}

/// The program of a role.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClientBlock {
    /// Its statements.
    pub stmts: Vec<ClientStmt>,
    /// From `{` to `}`.
    pub span: Span,
}

/// A statement of a role.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientStmt {
    /// Which.
    pub kind: ClientStmtKind,
    /// Where.
    pub span: Span,
}

/// The forms of a role's statements.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum ClientStmtKind {
    /// `a() or b();`, each an `ExprKind::Call`.
    Calls(Vec<Expr>),
    Let {
        name: Name,
        call: Expr,
    },
    /// The condition may contain one call.
    If {
        condition: Expr,
        then: ClientBlock,
        otherwise: Option<ClientBlock>,
    },
    Repeat {
        count: Expr,
        body: ClientBlock,
    },
    Forever(ClientBlock),
}
