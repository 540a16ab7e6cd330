//! Types of the typed tree. Sizes (bounds of ranges, lengths of arrays) stay open: they depend on parameters, and on
//! how many threads there are.

use super::{EnumId, Module};
use crate::ir::{StructId, Ty};

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Type {
    Unit,
    Bool,
    Int,
    /// Inclusive on both ends.
    Range(TypeSize, TypeSize),
    Tid,
    Val,
    Lock,
    Ref(StructId),
    Enum(EnumId),
    Optional(Box<Type>),
    Tuple(Vec<Type>),
    Array {
        element: Box<Type>,
        len: Length,
    },
    Seq(Box<Type>),
    Set(Box<Type>),
    Multiset(Box<Type>),
    Heap(Box<Type>),
    Map(Box<Type>, Box<Type>),
}

/// A number that a type depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeSize {
    /// Written as a number.
    Known(i64),
    /// Index into [`Module::sizes`].
    Of(u32),
}

/// How many elements an array has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Length {
    /// One per thread, which is also its index.
    Threads,
    /// So many.
    Size(TypeSize),
}

impl Type {
    /// A type whose sizes are known.
    pub(crate) fn of(ty: &Ty) -> Type {
        let inner = |t: &Ty| Box::new(Type::of(t));
        match ty {
            Ty::Unit => Type::Unit,
            Ty::Bool => Type::Bool,
            Ty::Int => Type::Int,
            Ty::Range(low, high) => {
                Type::Range(TypeSize::Known(i64::from(*low)), TypeSize::Known(i64::from(*high)))
            }
            Ty::Tid => Type::Tid,
            Ty::Val => Type::Val,
            Ty::Lock => Type::Lock,
            Ty::Ref(id) => Type::Ref(*id),
            Ty::Enum(id) => Type::Enum(*id),
            Ty::Optional(t) => Type::Optional(inner(t)),
            Ty::Tuple(parts) => Type::Tuple(parts.iter().map(Type::of).collect()),
            Ty::Array { element, by_tid: true, .. } => {
                Type::Array { element: inner(element), len: Length::Threads }
            }
            Ty::Array { element, len, .. } => {
                Type::Array { element: inner(element), len: Length::Size(TypeSize::Known(i64::from(*len))) }
            }
            Ty::Seq(t) => Type::Seq(inner(t)),
            Ty::Set(t) => Type::Set(inner(t)),
            Ty::Multiset(t) => Type::Multiset(inner(t)),
            Ty::Heap(t) => Type::Heap(inner(t)),
            Ty::Map(k, v) => Type::Map(inner(k), inner(v)),
        }
    }

    /// `T` of `T?`, or the type itself.
    pub fn present(&self) -> &Type {
        match self {
            Type::Optional(inner) => inner,
            other => other,
        }
    }

    /// `T?` of `T`.
    pub fn optional(&self) -> Type {
        match self {
            ty @ Type::Optional(_) => ty.clone(),
            ty => Type::Optional(Box::new(ty.clone())),
        }
    }

    /// Whether it is `int` or a range.
    pub fn is_number(&self) -> bool {
        matches!(self, Type::Int | Type::Range(..))
    }

    /// Whether it is a sequence, a set, a multiset, a heap or a map.
    pub fn is_collection(&self) -> bool {
        matches!(self, Type::Seq(_) | Type::Set(_) | Type::Multiset(_) | Type::Heap(_) | Type::Map(..))
    }

    /// The type of a variable that takes a value of this type: a range is forgotten, for locals are free to leave it.
    pub fn widened(self) -> Type {
        match self {
            Type::Range(..) => Type::Int,
            Type::Optional(inner) => Type::Optional(Box::new(inner.widened())),
            Type::Tuple(parts) => Type::Tuple(parts.into_iter().map(Type::widened).collect()),
            other => other,
        }
    }

    /// What is expected of a value that is only compared with one of this type: it may be absent or out of range.
    pub(crate) fn comparand(&self) -> Type {
        let inner = match self.present() {
            Type::Range(..) => Type::Int,
            Type::Tuple(parts) => Type::Tuple(parts.iter().map(Type::comparand).collect()),
            other => other.clone(),
        };
        inner.optional()
    }

    /// The type of one cell of a variable of this type: of an element, when it is an array.
    pub fn cell(&self) -> &Type {
        match self {
            Type::Array { element, .. } => element.cell(),
            other => other,
        }
    }

    /// The types directly inside this one.
    pub fn parts(&self) -> Vec<&Type> {
        match self {
            Type::Unit | Type::Bool | Type::Int | Type::Range(..) | Type::Tid | Type::Val => Vec::new(),
            Type::Lock | Type::Ref(_) | Type::Enum(_) => Vec::new(),
            Type::Optional(t) | Type::Seq(t) | Type::Set(t) | Type::Multiset(t) | Type::Heap(t) => vec![t],
            Type::Array { element, .. } => vec![element],
            Type::Tuple(parts) => parts.iter().collect(),
            Type::Map(k, v) => vec![k, v],
        }
    }

    /// Whether both are the same for some values of the parameters.
    pub(crate) fn same(&self, other: &Type) -> bool {
        let shape = match (self, other) {
            (Type::Range(..), Type::Range(..)) => return true,
            (Type::Ref(a), Type::Ref(b)) => return a == b,
            (Type::Enum(a), Type::Enum(b)) => return a == b,
            (Type::Array { len: a, .. }, Type::Array { len: b, .. }) => a.may_be(*b),
            (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
        };
        let (a, b) = (self.parts(), other.parts());
        shape && a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b))
    }

    /// Whether every value of `self` is a value of `to` as it stands, for some values of the parameters.
    pub(crate) fn is_within(&self, to: &Type) -> bool {
        match (self, to) {
            (a, b) if a.same(b) => true,
            (Type::Range(..), Type::Int) => true,
            (Type::Optional(a), Type::Optional(b)) => a.is_within(b),
            (a, Type::Optional(b)) => a.is_within(b),
            (Type::Array { element: a, len: n }, Type::Array { element: b, len: m }) => {
                n.may_be(*m) && *m != Length::Threads && a.is_within(b)
            }
            (Type::Seq(a), Type::Seq(b))
            | (Type::Set(a), Type::Set(b))
            | (Type::Multiset(a), Type::Multiset(b)) => a.is_within(b),
            _ => false,
        }
    }

    /// Whether values of the two types can be compared for equality.
    pub(crate) fn comparable(&self, other: &Type) -> bool {
        match (self.present(), other.present()) {
            (a, b) if a.is_number() && b.is_number() => true,
            (Type::Tuple(a), Type::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.comparable(b))
            }
            (Type::Lock, _) | (_, Type::Lock) => false,
            (a, b) => a.same(b),
        }
    }
}

impl Length {
    /// Whether both are the same for some values of the parameters and some number of threads.
    pub(crate) fn may_be(self, other: Length) -> bool {
        match (self, other) {
            (Length::Size(TypeSize::Known(a)), Length::Size(TypeSize::Known(b))) => a == b,
            _ => true,
        }
    }
}

impl Module {
    /// A type as it is written.
    pub fn show(&self, ty: &Type) -> String {
        let inner = |t: &Type| self.show(t);
        match ty {
            Type::Unit => "nothing".into(),
            Type::Bool => "bool".into(),
            Type::Int => "int".into(),
            Type::Range(low, high) => format!("{}..{}", self.show_size(*low), self.show_end(*high)),
            Type::Tid => "tid".into(),
            Type::Val => "val".into(),
            Type::Lock => "lock".into(),
            Type::Ref(s) => self.structs[s.0 as usize].name.clone(),
            Type::Enum(e) => self.enums[e.0 as usize].name.clone(),
            Type::Optional(t) => format!("{}?", inner(t)),
            Type::Tuple(parts) => format!("({})", parts.iter().map(inner).collect::<Vec<_>>().join(", ")),
            Type::Array { element, len: Length::Threads } => format!("[{}; tid]", inner(element)),
            Type::Array { element, len: Length::Size(n) } => {
                format!("[{}; {}]", inner(element), self.show_size(*n))
            }
            Type::Seq(t) => format!("seq {}", inner(t)),
            Type::Set(t) => format!("set {}", inner(t)),
            Type::Multiset(t) => format!("multiset {}", inner(t)),
            Type::Heap(t) => format!("heap {}", inner(t)),
            Type::Map(k, v) => format!("map {} {}", inner(k), inner(v)),
        }
    }

    /// A type with its article, as in "an `int`".
    pub fn a(&self, ty: &Type) -> String {
        let text = self.show(ty);
        let vowel = text.starts_with(['a', 'e', 'i', 'o', 'A', 'E', 'I', 'O']);
        format!("{} `{text}`", if vowel { "an" } else { "a" })
    }
}
