//! Blocks, statements and patterns.

use trueline_base::Span;

use super::{BinaryOp, Expr, Name, Type};

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
