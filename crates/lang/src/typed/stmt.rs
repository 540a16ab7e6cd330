//! Statements of the typed tree, and the programs of clients.

use super::{Expr, LocalId, Type};
use crate::ir::{BinaryOp, OpId};
use trueline_base::Span;

/// Statements one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// The statements.
    pub stmts: Vec<Stmt>,
    /// Whether control can reach its end.
    pub falls_through: bool,
    /// From `{` to `}`.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// The linearization mark before it.
    pub mark: Option<Mark>,
    /// Which.
    pub kind: StmtKind,
    /// Where, without the mark.
    pub span: Span,
}

/// `@lin` or `@lin(if e)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// The condition, over local variables.
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
        value: Expr,
        /// The type that is taken apart.
        ty: Type,
    },
    /// `target = value`, or `target += value` and its kin; `value` is then a number.
    Assign {
        target: Expr,
        op: Option<BinaryOp>,
        value: Expr,
    },
    Expr(Expr),
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
        variable: LocalId,
        over: Over,
        body: Block,
        /// Where the variable is declared.
        span: Span,
    },
    /// Out of that many loops around the innermost one, and of that one.
    Break(usize),
    /// On with the loop that has that many loops inside it, around this statement.
    Continue(usize),
    Return(Option<Expr>),
    Atomic(Block),
    Either(Vec<Block>),
    Choose {
        variable: LocalId,
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

/// What a `for` or a quantifier runs over.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Over {
    Range { reverse: bool, low: Expr, high: Expr, inclusive: bool },
    Threads,
    Collection(Expr),
}

impl Over {
    /// The expressions in it.
    pub fn expressions(&self) -> Vec<&Expr> {
        match self {
            Over::Range { low, high, .. } => vec![low, high],
            Over::Threads => Vec::new(),
            Over::Collection(e) => vec![e],
        }
    }
}

/// One arm of a `match`.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// When.
    pub pattern: Pattern,
    /// What.
    pub body: Block,
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
    Bind(LocalId),
    Wildcard,
    Tuple(Vec<Pattern>),
    /// With the number of the variant.
    Variant(u16, Vec<Pattern>),
    None,
    Null,
    Bool(bool),
    Int(i32),
}

/// The program of a client's thread.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClientBlock {
    /// Its statements.
    pub stmts: Vec<ClientStmt>,
}

/// A statement of a client.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientStmt {
    /// Which.
    pub kind: ClientStmtKind,
    /// Where.
    pub span: Span,
}

/// The forms of a client's statements.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum ClientStmtKind {
    /// Any of these.
    Calls(Vec<Call>),
    Let {
        variable: LocalId,
        call: Call,
    },
    /// The call, if there is one, comes first; its result is in the variable.
    If {
        call: Option<(LocalId, Call)>,
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

/// A client's call.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// What is called.
    pub op: OpId,
    /// Its arguments.
    pub args: Vec<Argument>,
    /// Where.
    pub span: Span,
}

/// What an argument of a client's call stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// One value.
    Value(Expr),
    /// Every number of a range, as a value of the parameter's type.
    Range {
        /// The first one.
        low: Expr,
        /// The last one, or the one before which it ends.
        high: Expr,
        /// Whether `high` belongs to it.
        inclusive: bool,
        /// Where.
        span: Span,
    },
}
