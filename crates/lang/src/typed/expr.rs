//! Expressions of the typed tree. Each has its type; where another type is expected, a conversion stands explicitly.

use super::{ConstantId, HelperId, LocalId, Over, SharedId, Type};
use crate::ir::{BinaryOp, Method, StructId};
use trueline_base::Span;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// Which.
    pub kind: ExprKind,
    /// The type of its value.
    pub ty: Type,
    /// Where.
    pub span: Span,
}

/// The forms of expressions.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum ExprKind {
    Int(i32),
    Bool(bool),
    /// A number that stands for a value.
    Val(u32),
    /// A number that stands for a thread, counted from 1.
    Thread(i64),
    /// A constant whose number stands for a value or, where that is the type, for a thread.
    Standing(ConstantId),
    None,
    Null,
    SelfTid,
    Local(LocalId),
    /// Index into `Module::persistent`.
    Persistent(u32),
    Shared(SharedId),
    Constant(ConstantId),
    Not(Box<Expr>),
    Neg(Box<Expr>),
    /// Not `And` and `Or`.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    /// `e as int` of a thread.
    TidToInt(Box<Expr>),
    /// `e as val` of a thread.
    TidToVal(Box<Expr>),
    /// `e as int` of a truth value.
    BoolToInt(Box<Expr>),
    /// The same value as one of this type, with the checks at run time that this needs.
    Convert(Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    Tuple(Vec<Expr>),
    /// A sequence, set, multiset, heap, map or array, by its type.
    List(Vec<Expr>),
    /// An array of equal elements.
    Repeat(Box<Expr>),
    /// With the number of the variant.
    Variant(u16, Vec<Expr>),
    /// `forall`, or `exists` unless `all`.
    Quantified {
        all: bool,
        variable: LocalId,
        over: Box<Over>,
        body: Box<Expr>,
    },
    /// The fields that are given, by number, in the order of the text.
    New {
        kind: StructId,
        fields: Vec<(u32, Expr)>,
    },
    /// A field, by number, of a struct.
    Field {
        object: Box<Expr>,
        kind: StructId,
        field: u32,
    },
    Component(Box<Expr>, u16),
    Index(Box<Expr>, Box<Expr>),
    Call(HelperId, Vec<Expr>),
    /// An atomic instruction on the place that stands first.
    Primitive(Primitive, Vec<Expr>),
    Method {
        object: Box<Expr>,
        method: Method,
        /// Whether it changes the collection.
        changes: bool,
        args: Vec<Expr>,
    },
}

/// The atomic instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Primitive {
    Cas,
    Cmpxchg,
    Swap,
    Faa,
    Tas,
    Dcas,
    LoadLinked,
    StoreConditional { weak: bool },
    Validate,
}

impl Expr {
    /// The expressions directly inside this one, in the order of the text.
    pub fn children(&self) -> Vec<&Expr> {
        use ExprKind::*;
        match &self.kind {
            Int(_) | Bool(_) | Val(_) | Thread(_) | Standing(_) | None | Null | SelfTid => Vec::new(),
            Local(_) | Persistent(_) | Shared(_) | Constant(_) => Vec::new(),
            Not(e) | Neg(e) | TidToInt(e) | TidToVal(e) | BoolToInt(e) | Convert(e) => vec![e],
            Repeat(e) | Component(e, _) | Field { object: e, .. } => vec![e],
            Binary(_, a, b) | And(a, b) | Or(a, b) | Index(a, b) => vec![a, b],
            If(a, b, c) => vec![a, b, c],
            Tuple(parts) | List(parts) | Variant(_, parts) => parts.iter().collect(),
            Call(_, parts) | Primitive(_, parts) => parts.iter().collect(),
            New { fields, .. } => fields.iter().map(|(_, e)| e).collect(),
            Method { object, args, .. } => std::iter::once(&**object).chain(args).collect(),
            Quantified { over, body, .. } => over.expressions().into_iter().chain([&**body]).collect(),
        }
    }

    /// Whether evaluating it makes no step and runs no code: then nothing can happen while it is evaluated.
    pub fn simple(&self) -> bool {
        use ExprKind::*;
        match &self.kind {
            Shared(_) | Field { .. } | Quantified { .. } | New { .. } | Call(..) | Primitive(..) => false,
            Method { changes: true, .. } => false,
            _ => self.children().iter().all(|e| e.simple()),
        }
    }

    /// Whether it takes its type from what it is compared with: nothing happens while it is evaluated.
    pub(crate) fn is_literal(&self) -> bool {
        use ExprKind::*;
        match &self.kind {
            Int(_) | Bool(_) | Val(_) | Thread(_) | None | Null | Constant(_) | Standing(_) => true,
            Variant(_, payload) => payload.is_empty(),
            Convert(e) => e.is_literal(),
            Tuple(parts) => parts.iter().any(|e| e.is_literal()) && self.simple(),
            List(_) => self.simple(),
            _ => false,
        }
    }

    /// The local variable that this is, or that it is a part of.
    pub(crate) fn root(&self) -> Option<LocalId> {
        match &self.kind {
            ExprKind::Local(local) => Some(*local),
            ExprKind::Index(object, _) | ExprKind::Component(object, _) => object.root(),
            _ => None,
        }
    }

    /// The same where a value of another type is expected.
    pub(crate) fn converted(self, to: &Type) -> Expr {
        if self.ty == *to {
            return self;
        }
        let span = self.span;
        Expr { kind: ExprKind::Convert(Box::new(self)), ty: to.clone(), span }
    }

    /// The number, where it is written as one.
    pub(crate) fn known(&self) -> Option<i64> {
        match &self.kind {
            ExprKind::Int(i) => Some(i64::from(*i)),
            ExprKind::Neg(e) => e.known().map(|i| -i),
            _ => None,
        }
    }
}

impl Primitive {
    /// The instruction with that name.
    pub(crate) fn named(name: &str, weak: bool) -> Option<Primitive> {
        Some(match name {
            "cas" => Primitive::Cas,
            "cmpxchg" => Primitive::Cmpxchg,
            "swap" => Primitive::Swap,
            "faa" => Primitive::Faa,
            "tas" => Primitive::Tas,
            "dcas" => Primitive::Dcas,
            "ll" => Primitive::LoadLinked,
            "sc" => Primitive::StoreConditional { weak },
            "vl" => Primitive::Validate,
            _ => return None,
        })
    }

    /// How many arguments it takes.
    pub(crate) fn arity(self) -> usize {
        match self {
            Primitive::Cas | Primitive::Cmpxchg => 3,
            Primitive::Swap | Primitive::Faa | Primitive::StoreConditional { .. } => 2,
            Primitive::Tas | Primitive::LoadLinked | Primitive::Validate => 1,
            Primitive::Dcas => 6,
        }
    }

    /// The names of all.
    pub(crate) const NAMES: [&'static str; 9] =
        ["cas", "cmpxchg", "swap", "faa", "tas", "dcas", "ll", "sc", "vl"];
}
