//! The tree of a `.tl` file, as written: nothing resolved, nothing checked.
//!
//! Every node has the span of its text. Comments are kept beside the tree, in order; the
//! formatter puts them back by position. The parser always returns a tree: what it cannot
//! read is left out and reported.

mod check;
mod expr;
mod items;
mod stmt;
mod types;

pub use check::{
    Check, Clause, ClauseKind, Client, ClientBlock, ClientStmt, ClientStmtKind, Expect, Property,
};
pub use expr::{BinaryOp, Expr, ExprKind, UnaryOp};
pub use items::{
    Arg, Const, Enum, Field, Item, Member, Memory, Object, Param, Routine, Spec, SpecRef, Struct, Use,
    Variable, Variant,
};
pub use stmt::{Arm, Block, Else, ForOver, Lin, Pattern, PatternKind, Stmt, StmtKind};
pub use types::{Type, TypeKind};

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
