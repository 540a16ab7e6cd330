//! Types.

use trueline_base::Span;

use super::{Expr, Name};

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
