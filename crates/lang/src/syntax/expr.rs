//! Expressions and operators.

use trueline_base::Span;

use super::{Arg, ForOver, Name, Type};

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
