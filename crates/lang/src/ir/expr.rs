//! Expressions over slots, and places.
//!
//! Expressions touch no cell. They are evaluated from left to right; an evaluation may fail with a finding, and what
//! stands right of it is then not evaluated.

use super::{Slot, StructId};
use trueline_base::Value;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Expr {
    Const(Value),
    Slot(Slot),
    /// The thread itself.
    SelfTid,
    Not(Box<Expr>),
    /// Overflow: the finding `overflow`.
    Neg(Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    Tuple(Vec<Expr>),
    /// A component of a tuple.
    Component(Box<Expr>, u16),
    Variant(u16, Vec<Expr>),
    IsVariant(Box<Expr>, u16),
    /// Part of a payload; only evaluated where `IsVariant` was true.
    Payload(Box<Expr>, u16),
    /// The operand, which must not be `None` (finding `none`).
    Present(Box<Expr>),
    /// The operand, which must not be `Null` (finding `null`).
    NonNull(Box<Expr>),
    /// The operand, a number that must lie between the two, both inclusive (finding `range`).
    InRange(Box<Expr>, i32, i32),
    /// An array of these elements.
    Array(Vec<Expr>),
    /// An array of equal elements.
    Repeat(Box<Expr>, u32),
    Seq(Vec<Expr>),
    /// Repetitions are dropped.
    Set(Vec<Expr>),
    Bag(Vec<Expr>),
    /// An element of an array or sequence by number, of a set or multiset by its place in their order, or of an array
    /// by thread (finding `bounds`).
    Element(Box<Expr>, Box<Expr>),
    /// A method that changes nothing: `Len`, `Contains`, `Count`, `Get`, `Min`.
    Query(Method, Box<Expr>, Vec<Expr>),
    /// A thread as a number from 0.
    TidToInt(Box<Expr>),
    /// A thread as a value: thread t (from 0) is `Val(t + 1)`. A `None` stays.
    TidToVal(Box<Expr>),
}

/// Operators. `And` and `Or` evaluate the right operand only where it matters. Comparisons other than equality are
/// of numbers. Division rounds towards zero; by zero it is the finding `overflow`, as is every result beyond 32 bits.
/// The operators on bits see a number as 32 bits in two's complement. A shift multiplies by a power of two, or divides
/// and rounds down; by less than 0 or more than 31 places it is the finding `overflow`.
pub use crate::syntax::BinaryOp;

/// Methods of collections. `Seq`: `PushFront`, `PushBack`, `PopFront`, `PopBack` (`None` when empty), `Insert(i, x)`,
/// `Remove(i)` (the element; finding `bounds`). `Set`: `Insert(x)`, `Remove(x)` (whether they did). `Bag` (a multiset): `Insert(x)` (true), `Remove(x)` one
/// occurrence (whether it did), `Count(x)`. `Map`: `Get(k)` (`None` when absent), `Insert(k, v)` and `Remove(k)` (what was there, or `None`). `Bag` (a heap): `Push`,
/// `Min`, `PopMin` (`None` when empty). `Len` of all, `Contains` of all but heaps (`Map`: of a key).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Method {
    Len,
    Contains,
    Count,
    Get,
    Min,
    PushFront,
    PushBack,
    PopFront,
    PopBack,
    Insert,
    Remove,
    Push,
    PopMin,
}

/// A cell, once its expressions are evaluated: the object first, then the indices from left to right.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// A shared cell: `first + Σ index·stride`.
    Shared {
        /// The variable's first cell.
        first: u32,
        /// The indices.
        index: Vec<Stride>,
    },
    /// A cell of a struct on the heap (finding `null` when there is none).
    Field {
        /// The reference.
        object: Expr,
        /// Its type.
        kind: StructId,
        /// The field's first cell.
        first: u32,
        /// The indices.
        index: Vec<Stride>,
    },
}

/// One index of a place: a number or a thread, `0 <= index < len` (finding `bounds`).
#[derive(Clone, Debug, PartialEq)]
pub struct Stride {
    /// The index.
    pub index: Expr,
    /// Its bound.
    pub len: u32,
    /// Cells per element.
    pub stride: u32,
}
