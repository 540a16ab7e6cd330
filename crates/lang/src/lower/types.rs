//! Types as written into types resolved, and which value may stand where.

use trueline_base::{Span, Value};

use super::env::{Env, strip_optional};
use crate::ir::{BinaryOp, Expr, Ty};
use crate::syntax::{self, TypeKind};

/// Arrays longer than this are refused: a state would not fit.
const LONGEST_ARRAY: i64 = 4096;
/// More cells than this make no state that could be explored.
pub(crate) const MOST_CELLS: u32 = 65_536;

impl<'a> Env<'a> {
    /// A type as written; `None` when it is wrong, which is then reported.
    pub fn resolve(&mut self, ty: &'a syntax::Type) -> Option<Ty> {
        Some(match &ty.kind {
            TypeKind::Bool => Ty::Bool,
            TypeKind::Int => Ty::Int,
            TypeKind::Tid => Ty::Tid,
            TypeKind::Val => Ty::Val,
            TypeKind::Lock => Ty::Lock,
            TypeKind::Named(name) => return self.named(name),
            TypeKind::Range { low, high, inclusive } => {
                let low = self.constant_int(low)?;
                let high = self.constant_int(high)? - i64::from(!*inclusive);
                if low > high {
                    let text = "this range has no number in it";
                    self.error("E0204", ty.span, text).help =
                        Some("`a..b` ends before `b`; `a..=b` includes it".into());
                    return None;
                }
                Ty::Range(i32::try_from(low).ok()?, i32::try_from(high).ok()?)
            }
            TypeKind::Tuple(parts) => {
                Ty::Tuple(parts.iter().map(|t| self.resolve(t)).collect::<Option<_>>()?)
            }
            TypeKind::Array { element, length } => {
                let element = Box::new(self.resolve(element)?);
                let array = match length {
                    None => Ty::Array { element, len: self.threads, by_tid: true },
                    Some(length) => {
                        let len = self.constant_int(length)?;
                        if !(0..=LONGEST_ARRAY).contains(&len) {
                            let text =
                                format!("an array has between 0 and {LONGEST_ARRAY} elements, not {len}");
                            self.error("E0205", length.span, text);
                            return None;
                        }
                        Ty::Array { element, len: len as u32, by_tid: false }
                    }
                };
                self.small(&array, ty.span)?;
                array
            }
            TypeKind::Seq(t) => Ty::Seq(Box::new(self.resolve(t)?)),
            TypeKind::Set(t) => Ty::Set(Box::new(self.resolve(t)?)),
            TypeKind::Multiset(t) => Ty::Multiset(Box::new(self.resolve(t)?)),
            TypeKind::Heap(t) => {
                let inner = self.resolve(t)?;
                if !is_number(&inner) {
                    let text =
                        format!("a heap is ordered by its elements; `{}` has no order", self.show(&inner));
                    self.error("E0206", t.span, text).help = Some("use `int` or a range".into());
                    return None;
                }
                Ty::Heap(Box::new(inner))
            }
            TypeKind::Map(k, v) => Ty::Map(Box::new(self.resolve(k)?), Box::new(self.resolve(v)?)),
            TypeKind::Optional(t) => match self.resolve(t)? {
                Ty::Optional(_) => {
                    self.error("E0207", ty.span, "a type can be optional only once");
                    return None;
                }
                inner => Ty::Optional(Box::new(inner)),
            },
        })
    }

    /// Reports a type whose values are too large for a state.
    pub fn small(&mut self, ty: &Ty, span: Span) -> Option<()> {
        if self.size(ty) <= u64::from(MOST_CELLS) {
            return Some(());
        }
        self.error("E0205", span, format!("this takes more than {MOST_CELLS} cells"));
        None
    }

    /// How many simple values a value of this type holds.
    fn size(&self, ty: &Ty) -> u64 {
        match ty {
            Ty::Array { element, len, .. } => self.size(element).saturating_mul(u64::from(*len)),
            Ty::Tuple(parts) => parts.iter().map(|t| self.size(t)).fold(0, u64::saturating_add),
            Ty::Optional(inner) => self.size(inner),
            Ty::Enum(e) => {
                let payloads = self.module.enums[*e as usize].variants.iter().map(|v| &v.1);
                let sizes = payloads.map(|p| p.iter().map(|t| self.size(t)).fold(1, u64::saturating_add));
                sizes.max().unwrap_or(1)
            }
            _ => 1,
        }
    }

    fn named(&mut self, name: &syntax::Name) -> Option<Ty> {
        if let Some(ty) = self.data.get(&name.text) {
            return Some(ty.clone());
        }
        if let Some(id) = self.struct_id(&name.text) {
            return Some(Ty::Ref(id));
        }
        if let Some(id) = self.enum_id(&name.text) {
            return Some(Ty::Enum(id));
        }
        if self.objects.contains(&name.text) {
            let text = format!("`{}` is an object, and this is no `shared` variable of an object", name.text);
            self.error("E0245", name.span, text).help =
                Some(format!("declare one after the other: `shared a: {0}; shared b: {0};`", name.text));
            return None;
        }
        let known = ["bool", "int", "tid", "val", "lock", "seq", "set", "multiset", "map", "heap"];
        let close = {
            let structs = self.module.structs.iter().map(|s| s.name.as_str());
            let enums = self.module.enums.iter().map(|e| e.name.as_str());
            Env::close(&name.text, known.into_iter().chain(structs).chain(enums))
        };
        let is_spec = self.is_spec;
        let d = self.error("E0201", name.span, format!("there is no type `{}`", name.text));
        d.help = Some(match close {
            Some(close) => format!("did you mean `{close}`?"),
            None if is_spec => {
                "declare it with `enum` outside of objects, where specifications see it, or use `int`, `bool`, `tid`, `val`"
                    .into()
            }
            None => "declare it with `struct` or `enum`, or use `int`, `bool`, `tid`, `val`".into(),
        });
        None
    }

    /// `expr`, of type `from`, where a `to` is expected: with the checks that this needs at run time. `None` when it
    /// can never fit.
    pub fn fit(&self, expr: Expr, from: &Ty, to: &Ty) -> Option<Expr> {
        if from == to {
            return Some(expr);
        }
        Some(match (from, to) {
            (Ty::Range(a, b), Ty::Range(c, d)) if c <= a && b <= d => expr,
            (Ty::Range(..), Ty::Int) => expr,
            (Ty::Int | Ty::Range(..), Ty::Range(low, high)) => match &expr {
                Expr::Const(Value::Int(i)) if (low..=high).contains(&i) => expr,
                _ => Expr::InRange(Box::new(expr), *low, *high),
            },
            (Ty::Tid, Ty::Val) => Expr::TidToVal(Box::new(expr)),
            (Ty::Optional(a), Ty::Optional(b)) => {
                let probe = self.fit(expr.clone(), a, b)?;
                if probe == expr {
                    return Some(expr);
                }
                let none = Value::None;
                let absent = Expr::Binary(BinaryOp::Eq, Box::new(expr), Box::new(Expr::Const(none.clone())));
                Expr::If(Box::new(absent), Box::new(Expr::Const(none)), Box::new(probe))
            }
            (from, Ty::Optional(inner)) => self.fit(expr, from, inner)?,
            (Ty::Optional(inner), to) => {
                let present = match **inner {
                    Ty::Ref(_) => Expr::NonNull(Box::new(expr)),
                    _ => Expr::Present(Box::new(expr)),
                };
                self.fit(present, inner, to)?
            }
            (Ty::Tuple(a), Ty::Tuple(b)) if a.len() == b.len() => {
                let parts = a.iter().zip(b).enumerate().map(|(i, (a, b))| {
                    let part = match &expr {
                        Expr::Tuple(parts) => parts[i].clone(),
                        other => Expr::Component(Box::new(other.clone()), i as u16),
                    };
                    self.fit(part, a, b)
                });
                Expr::Tuple(parts.collect::<Option<_>>()?)
            }
            (Ty::Array { element: a, len: n, .. }, Ty::Array { element: b, len: m, by_tid }) if n == m => {
                match expr {
                    Expr::Array(parts) => {
                        Expr::Array(parts.into_iter().map(|p| self.fit(p, a, b)).collect::<Option<_>>()?)
                    }
                    Expr::Repeat(part, n) => Expr::Repeat(Box::new(self.fit(*part, a, b)?), n),
                    other if a == b || (!by_tid && self.fit(Expr::SelfTid, a, b) == Some(Expr::SelfTid)) => {
                        other
                    }
                    _ => return None,
                }
            }
            (Ty::Seq(a), Ty::Seq(b)) | (Ty::Set(a), Ty::Set(b)) | (Ty::Multiset(a), Ty::Multiset(b))
                if self.fit(Expr::SelfTid, a, b) == Some(Expr::SelfTid) =>
            {
                expr
            }
            _ => return None,
        })
    }

    /// `expr` where a `to` is expected; reports what does not fit.
    pub fn coerce(&mut self, expr: Expr, from: &Ty, to: &Ty, span: Span) -> Option<Expr> {
        if let Some(fitted) = self.fit(expr, from, to) {
            return Some(fitted);
        }
        let text = format!("expected `{}`, found `{}`", self.show(to), self.show(from));
        let help = match (from, strip_optional(to)) {
            (Ty::Tid, Ty::Int | Ty::Range(..)) => Some(
                "a thread number can only be stored and compared; `self as int` makes a number of it (and turns thread symmetry off)",
            ),
            (Ty::Int | Ty::Range(..), Ty::Val) => {
                Some("a `val` is opaque: numbers stand for values only in clients and initialisers")
            }
            (Ty::Int | Ty::Range(..), Ty::Bool) => Some("compare it: `x != 0`"),
            (Ty::Val, Ty::Int | Ty::Range(..)) => Some(
                "a `val` can only be stored and compared; declare it as `int` or a range to compute with it",
            ),
            (Ty::Unit, _) => Some("this gives no value"),
            _ => None,
        };
        self.error("E0202", span, text).help = help.map(str::to_string);
        None
    }

    /// The type that values of both types have without any check at run time.
    pub fn join(&self, a: &Ty, b: &Ty) -> Option<Ty> {
        Some(match (a, b) {
            (a, b) if a == b => a.clone(),
            (Ty::Optional(a), b) | (b, Ty::Optional(a)) => optional(&self.join(a, strip_optional(b))?),
            (Ty::Range(a, b), Ty::Range(c, d)) => Ty::Range(*a.min(c), *b.max(d)),
            (a, b) if is_number(a) && is_number(b) => Ty::Int,
            (Ty::Tid, Ty::Val) | (Ty::Val, Ty::Tid) => Ty::Val,
            (Ty::Tuple(a), Ty::Tuple(b)) if a.len() == b.len() => {
                Ty::Tuple(a.iter().zip(b).map(|(a, b)| self.join(a, b)).collect::<Option<_>>()?)
            }
            (a, b) if self.fit(Expr::SelfTid, a, b) == Some(Expr::SelfTid) => b.clone(),
            (a, b) if self.fit(Expr::SelfTid, b, a) == Some(Expr::SelfTid) => a.clone(),
            _ => return None,
        })
    }

    /// Whether values of the two types can be compared for equality.
    pub fn comparable(a: &Ty, b: &Ty) -> bool {
        match (strip_optional(a), strip_optional(b)) {
            (x, y) if is_number(x) && is_number(y) => true,
            (Ty::Tuple(x), Ty::Tuple(y)) => {
                x.len() == y.len() && x.iter().zip(y).all(|(x, y)| Env::comparable(x, y))
            }
            (Ty::Lock, _) | (_, Ty::Lock) => false,
            (x, y) => x == y,
        }
    }
}

/// Whether it is `int` or a range.
pub(crate) fn is_number(ty: &Ty) -> bool {
    matches!(ty, Ty::Int | Ty::Range(..))
}

/// The type of a variable that takes a value of this type: a range is forgotten, for locals are free to leave it.
pub(crate) fn widened(ty: Ty) -> Ty {
    match ty {
        Ty::Range(..) => Ty::Int,
        Ty::Optional(inner) => Ty::Optional(Box::new(widened(*inner))),
        Ty::Tuple(parts) => Ty::Tuple(parts.into_iter().map(widened).collect()),
        other => other,
    }
}

/// `T?` of `T`.
pub(crate) fn optional(ty: &Ty) -> Ty {
    match ty {
        ty @ Ty::Optional(_) => ty.clone(),
        ty => Ty::Optional(Box::new(ty.clone())),
    }
}

/// What is expected of a value that is only compared with one of this type: it may be absent or out of range.
pub(crate) fn comparand(ty: &Ty) -> Ty {
    optional(&match strip_optional(ty) {
        Ty::Range(..) => Ty::Int,
        Ty::Tuple(parts) => Ty::Tuple(parts.iter().map(comparand).collect()),
        other => other.clone(),
    })
}
