//! Types as written into types resolved, and which value may stand where.

use trueline_base::Span;

use super::scope::NameScope;
use super::words::close;
use crate::syntax::{self, TypeKind};
use crate::typed::{Bound, DefinitionKind, Expr, ExprKind, Length, SizeOf, Type, TypeSize};

/// Arrays longer than this are refused: a state would not fit.
pub(crate) const LONGEST_ARRAY: i64 = 4096;

impl<'a> NameScope<'a> {
    /// A type as written; `None` when it is wrong, which is then reported.
    pub fn resolve(&mut self, ty: &'a syntax::Type) -> Option<Type> {
        Some(match &ty.kind {
            TypeKind::Bool => Type::Bool,
            TypeKind::Int => Type::Int,
            TypeKind::Tid => Type::Tid,
            TypeKind::Val => Type::Val,
            TypeKind::Lock => Type::Lock,
            TypeKind::Named(name) => return self.named(name),
            TypeKind::Range { low, high, inclusive } => {
                let low = self.size(low, false)?;
                let high = self.size(high, !*inclusive)?;
                if let (TypeSize::Known(low), TypeSize::Known(high)) = (low, high)
                    && low > high
                {
                    let text = "this range has no number in it";
                    self.error("E0204", ty.span, text).help =
                        Some("`a..b` ends before `b`; `a..=b` includes it".into());
                    return None;
                }
                self.module.bounds.push(Bound::Range { low, high, span: ty.span });
                Type::Range(low, high)
            }
            TypeKind::Tuple(parts) => {
                Type::Tuple(parts.iter().map(|t| self.resolve(t)).collect::<Option<_>>()?)
            }
            TypeKind::Array { element, length } => {
                let element = Box::new(self.resolve(element)?);
                let len = match length {
                    None => Length::Threads,
                    Some(length) => {
                        let len = self.length(length)?;
                        self.module.bounds.push(Bound::Length { len, span: length.span });
                        Length::Size(len)
                    }
                };
                let array = Type::Array { element, len };
                self.module.bounds.push(Bound::Small { ty: array.clone(), span: ty.span });
                array
            }
            TypeKind::Seq(t) => Type::Seq(Box::new(self.resolve(t)?)),
            TypeKind::Set(t) => Type::Set(Box::new(self.resolve(t)?)),
            TypeKind::Multiset(t) => Type::Multiset(Box::new(self.resolve(t)?)),
            TypeKind::Heap(t) => {
                let inner = self.resolve(t)?;
                if !inner.is_number() {
                    let text = format!(
                        "a heap is ordered by its elements; `{}` has no order",
                        self.module.show(&inner)
                    );
                    self.error("E0206", t.span, text).help = Some("use `int` or a range".into());
                    return None;
                }
                Type::Heap(Box::new(inner))
            }
            TypeKind::Map(k, v) => Type::Map(Box::new(self.resolve(k)?), Box::new(self.resolve(v)?)),
            TypeKind::Optional(t) => match self.resolve(t)? {
                Type::Optional(_) => {
                    self.error("E0207", ty.span, "a type can be optional only once");
                    return None;
                }
                inner => Type::Optional(Box::new(inner)),
            },
        })
    }

    /// A number that a type depends on; the one before it, where a range ends before it.
    pub fn size(&mut self, e: &'a syntax::Expr, before: bool) -> Option<TypeSize> {
        let value = self.constant(e, &Type::Int)?;
        Some(match value.known() {
            Some(n) => TypeSize::Known(n - i64::from(before)),
            None => self.new_size(SizeOf::Constant { value, before }),
        })
    }

    /// How long an array is.
    pub fn length(&mut self, e: &'a syntax::Expr) -> Option<TypeSize> {
        let len = self.size(e, false)?;
        if let TypeSize::Known(len) = len
            && !(0..=LONGEST_ARRAY).contains(&len)
        {
            let text = format!("an array has between 0 and {LONGEST_ARRAY} elements, not {len}");
            self.error("E0205", e.span, text);
            return None;
        }
        Some(len)
    }

    fn new_size(&mut self, size: SizeOf) -> TypeSize {
        self.module.sizes.push(size);
        TypeSize::Of(self.module.sizes.len() as u32 - 1)
    }

    fn named(&mut self, name: &syntax::Name) -> Option<Type> {
        if let Some(ty) = self.data.get(&name.text) {
            return Some(ty.clone());
        }
        if let Some(id) = self.struct_id(&name.text) {
            let span = self.module.structs[id.0 as usize].span;
            self.note(name.span, DefinitionKind::Struct, &name.text, span, None);
            return Some(Type::Ref(id));
        }
        if let Some(id) = self.enum_id(&name.text) {
            let span = self.module.enums[id.0 as usize].span;
            self.note(name.span, DefinitionKind::Enum, &name.text, span, None);
            return Some(Type::Enum(id));
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
            close(&name.text, known.into_iter().chain(structs).chain(enums))
        };
        let is_spec = self.module.is_spec;
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

    /// The expression where a `to` is expected; reports what never fits.
    pub fn coerce(&mut self, e: Expr, to: &Type, span: Span) -> Option<Expr> {
        if fits(&e, &e.ty, to) {
            return Some(e.converted(to));
        }
        let text = format!("expected `{}`, found `{}`", self.module.show(to), self.module.show(&e.ty));
        let help = match (&e.ty, to.present()) {
            (Type::Tid, Type::Int | Type::Range(..)) => Some(
                "a thread number can only be stored and compared; `self as int` makes a number of it (and turns thread symmetry off)",
            ),
            (Type::Int | Type::Range(..), Type::Val) => {
                Some("a `val` is opaque: numbers stand for values only in clients and initialisers")
            }
            (Type::Int | Type::Range(..), Type::Bool) => Some("compare it: `x != 0`"),
            (Type::Val, Type::Int | Type::Range(..)) => Some(
                "a `val` can only be stored and compared; declare it as `int` or a range to compute with it",
            ),
            (Type::Unit, _) => Some("this gives no value"),
            _ => None,
        };
        self.error("E0202", span, text).help = help.map(str::to_string);
        None
    }

    /// The type that values of both types have without any check at run time.
    pub fn join(&mut self, a: &Type, b: &Type) -> Option<Type> {
        Some(match (a, b) {
            (a, b) if a == b => a.clone(),
            (Type::Optional(a), b) | (b, Type::Optional(a)) => self.join(a, b.present())?.optional(),
            (Type::Range(a, b), Type::Range(c, d)) => {
                let low = self.end(*a, *c, i64::min, SizeOf::Least);
                let high = self.end(*b, *d, i64::max, SizeOf::Greatest);
                Type::Range(low, high)
            }
            (a, b) if a.is_number() && b.is_number() => Type::Int,
            (Type::Tid, Type::Val) | (Type::Val, Type::Tid) => Type::Val,
            (Type::Tuple(a), Type::Tuple(b)) if a.len() == b.len() => {
                Type::Tuple(a.iter().zip(b).map(|(a, b)| self.join(a, b)).collect::<Option<_>>()?)
            }
            (a, b) if a.is_within(b) => b.clone(),
            (a, b) if b.is_within(a) => a.clone(),
            _ => return None,
        })
    }

    fn end(
        &mut self,
        a: TypeSize,
        b: TypeSize,
        known: fn(i64, i64) -> i64,
        open: fn(TypeSize, TypeSize) -> SizeOf,
    ) -> TypeSize {
        match (a, b) {
            (a, b) if a == b => a,
            (TypeSize::Known(a), TypeSize::Known(b)) => TypeSize::Known(known(a, b)),
            (a, b) => self.new_size(open(a, b)),
        }
    }
}

/// Whether a value can stand where a `to` is expected, perhaps with checks at run time, for some values of the parameters.
pub(super) fn fits(e: &Expr, from: &Type, to: &Type) -> bool {
    match (from, to) {
        (a, b) if a == b => true,
        (a, b) if a.is_number() && b.is_number() => true,
        (Type::Tid, Type::Val) => true,
        (Type::Optional(a), Type::Optional(b)) => fits(e, a, b),
        (from, Type::Optional(to)) => fits(e, from, to),
        (Type::Optional(from), to) => fits(e, from, to),
        (Type::Tuple(a), Type::Tuple(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| fits(e, a, b)),
        (Type::Array { element: a, len: n }, Type::Array { element: b, len: m }) => {
            let made = matches!(e.kind, ExprKind::List(_) | ExprKind::Repeat(_));
            n.may_be(*m) && (a.same(b) || (made && fits(e, a, b)) || from.is_within(to))
        }
        (Type::Seq(a), Type::Seq(b))
        | (Type::Set(a), Type::Set(b))
        | (Type::Multiset(a), Type::Multiset(b)) => a.is_within(b),
        (a, b) => a.same(b),
    }
}
