//! A module with values for its parameters and a number of threads: constants, sizes and types, instantiated.

use trueline_base::{Diagnostic, Span, Value};

use super::body::Body;
use super::fold::fold;
use super::layout::CellLayout;
use crate::ir::{Expr, Ty};
use crate::resolve::LONGEST_ARRAY;
use crate::typed::{self, Bound, ConstantId, Length, Module, SizeOf, Type, TypeSize};

/// More cells than this make no state that could be explored.
pub(super) const MOST_CELLS: u32 = 65_536;

/// A value that is known before anything runs, with its type and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub value: Value,
    pub ty: Ty,
    pub span: Span,
}

/// The values that a module is lowered with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Instance {
    /// How many threads there are.
    pub threads: u32,
    /// The values of the constants; none of those that are wrong, which is reported.
    values: Vec<Option<Value>>,
    /// The sizes that are known.
    sizes: Vec<Option<i64>>,
    /// What is wrong.
    pub problems: Vec<Diagnostic>,
}

impl Instance {
    /// An instance whose constants have no values yet.
    pub fn new(threads: u32) -> Instance {
        Instance { threads, ..Instance::default() }
    }

    /// The same values, with nothing wrong.
    pub fn afresh(&self) -> Instance {
        Instance { problems: Vec::new(), ..self.clone() }
    }

    pub fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.problems.push(Diagnostic::error(code, span, message));
        self.problems.last_mut().expect("just pushed")
    }

    /// The value of a constant.
    pub fn value(&self, id: ConstantId) -> Option<&Value> {
        self.values.get(id.0 as usize)?.as_ref()
    }

    /// Gives the next constants of the module, up to `end`, their values: those that are `given`, otherwise their own.
    pub fn evaluate(&mut self, module: &Module, end: usize, given: &[(ConstantId, typed::Expr)]) {
        for id in self.values.len()..end {
            let constant = &module.constants[id];
            let other = given.iter().find(|(other, _)| other.0 as usize == id).map(|(_, e)| e);
            let found = other.or(constant.value.as_ref()).and_then(|e| self.constant(module, e));
            let value = found.and_then(|found| self.fitted(module, found, &constant.ty));
            self.values.push(value);
        }
        // The module may go on with other sizes.
        self.sizes.clear();
    }

    /// Gives the next constant of the module a value that was found elsewhere.
    pub fn give(&mut self, module: &Module, value: Option<Known>) {
        let ty = &module.constants[self.values.len()].ty;
        let value = value.and_then(|value| self.fitted(module, value, ty));
        self.values.push(value);
    }

    /// How many constants were given their values.
    pub fn known(&self) -> usize {
        self.values.len()
    }

    /// A number that is known before anything runs.
    pub fn number(&mut self, module: &Module, e: &typed::Expr) -> Option<i64> {
        match self.constant(module, e)?.value {
            Value::Int(i) => Some(i64::from(i)),
            _ => None,
        }
    }

    /// A value that is known before anything runs.
    pub fn constant(&mut self, module: &Module, e: &typed::Expr) -> Option<Known> {
        if let typed::ExprKind::Convert(inner) = &e.kind {
            let known = self.constant(module, inner)?;
            let value = self.fitted(module, known, &e.ty)?;
            return Some(Known { value, ty: self.ty(module, &e.ty), span: e.span });
        }
        let before = self.problems.len();
        let mut body = Body::new(module, self, CellLayout::default());
        body.atomic = true;
        let value = body.value(e);
        let quiet = body.code.instrs.is_empty();
        match value {
            Some(Expr::Const(value)) if quiet => {
                Some(Known { value, ty: self.ty(module, &e.ty), span: e.span })
            }
            _ => {
                if self.problems.len() == before && self.complete(e) {
                    self.error("E0240", e.span, "this must be a constant").help =
                        Some("use numbers, `param`s and `const`s".into());
                }
                None
            }
        }
    }

    /// Whether every constant in the expression has a value: otherwise something else is to blame.
    fn complete(&self, e: &typed::Expr) -> bool {
        let here = match &e.kind {
            typed::ExprKind::Constant(id) | typed::ExprKind::Standing(id) => self.value(*id).is_some(),
            _ => true,
        };
        here && e.children().into_iter().all(|e| self.complete(e))
    }

    /// A value as one of another type.
    fn fitted(&mut self, module: &Module, known: Known, to: &Type) -> Option<Value> {
        let ty = self.ty(module, to);
        match super::fit::fit(Expr::Const(known.value), &known.ty, &ty).map(fold) {
            Some(Expr::Const(value)) => Some(value),
            _ => {
                let text = format!("this value does not fit into `{}`", module.show(to));
                self.error("E0204", known.span, text);
                None
            }
        }
    }

    /// A size as a number; none when a constant in it is wrong, which is reported.
    fn size(&mut self, module: &Module, size: TypeSize) -> Option<i64> {
        let id = match size {
            TypeSize::Known(n) => return Some(n),
            TypeSize::Of(id) => id as usize,
        };
        if let Some(Some(n)) = self.sizes.get(id) {
            return Some(*n);
        }
        let n = match &module.sizes[id] {
            SizeOf::Constant { value, before } => self.number(module, value)? - i64::from(*before),
            SizeOf::Least(a, b) => self.size(module, *a)?.min(self.size(module, *b)?),
            SizeOf::Greatest(a, b) => self.size(module, *a)?.max(self.size(module, *b)?),
        };
        self.sizes.resize(self.sizes.len().max(id + 1), None);
        self.sizes[id] = Some(n);
        Some(n)
    }

    /// The same where nothing is made of a module whose sizes are wrong.
    fn size_or_one(&mut self, module: &Module, size: TypeSize) -> i64 {
        self.size(module, size).unwrap_or(1)
    }

    /// A type with its sizes.
    pub fn ty(&mut self, module: &Module, ty: &Type) -> Ty {
        let mut inner = |t: &Type| Box::new(self.ty(module, t));
        match ty {
            Type::Unit => Ty::Unit,
            Type::Bool => Ty::Bool,
            Type::Int => Ty::Int,
            Type::Range(low, high) => {
                let (low, high) = (self.size_or_one(module, *low), self.size_or_one(module, *high));
                let fitted = |n: i64| n.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32;
                Ty::Range(fitted(low), fitted(high))
            }
            Type::Tid => Ty::Tid,
            Type::Val => Ty::Val,
            Type::Lock => Ty::Lock,
            Type::Ref(id) => Ty::Ref(*id),
            Type::Enum(id) => Ty::Enum(*id),
            Type::Optional(t) => Ty::Optional(inner(t)),
            Type::Tuple(parts) => Ty::Tuple(parts.iter().map(|t| self.ty(module, t)).collect()),
            Type::Array { element, len } => {
                let element = inner(element);
                match len {
                    Length::Threads => Ty::Array { element, len: self.threads, by_tid: true },
                    Length::Size(n) => {
                        let len = self.size_or_one(module, *n).clamp(0, LONGEST_ARRAY) as u32;
                        Ty::Array { element, len, by_tid: false }
                    }
                }
            }
            Type::Seq(t) => Ty::Seq(inner(t)),
            Type::Set(t) => Ty::Set(inner(t)),
            Type::Multiset(t) => Ty::Multiset(inner(t)),
            Type::Heap(t) => Ty::Heap(inner(t)),
            Type::Map(k, v) => {
                let key = inner(k);
                Ty::Map(key, inner(v))
            }
        }
    }

    /// Reports sizes that no state can have, of the bounds from the given one on. Says whether all sizes are right.
    pub fn check_bounds(&mut self, module: &Module, from: usize) -> bool {
        let before = self.problems.len();
        let known = (0..module.sizes.len()).all(|id| self.size(module, TypeSize::Of(id as u32)).is_some());
        let mut large: Vec<Span> = Vec::new();
        for bound in &module.bounds[from..] {
            match bound {
                Bound::Range { low, high, span } => {
                    let ends = self.size(module, *low).zip(self.size(module, *high));
                    if ends.is_some_and(|(low, high)| low > high) {
                        self.error("E0204", *span, "this range has no number in it").help =
                            Some("`a..b` ends before `b`; `a..=b` includes it".into());
                    }
                }
                Bound::Length { len, span } => {
                    let Some(len) = self.size(module, *len) else { continue };
                    if !(0..=LONGEST_ARRAY).contains(&len) {
                        let text = format!("an array has between 0 and {LONGEST_ARRAY} elements, not {len}");
                        self.error("E0205", *span, text);
                    }
                }
                Bound::Small { ty, span } => {
                    let ty = self.ty(module, ty);
                    let inside = |part: &Span| span.covers(*part);
                    if self.values_in(module, &ty) > u64::from(MOST_CELLS) && !large.iter().any(inside) {
                        large.push(*span);
                        self.error("E0205", *span, format!("this takes more than {MOST_CELLS} cells"));
                    }
                }
            }
        }
        known && self.problems.len() == before
    }

    /// How many simple values a value of this type holds.
    fn values_in(&mut self, module: &Module, ty: &Ty) -> u64 {
        match ty {
            Ty::Array { element, len, .. } => self.values_in(module, element).saturating_mul(u64::from(*len)),
            Ty::Tuple(parts) => parts.iter().map(|t| self.values_in(module, t)).fold(0, u64::saturating_add),
            Ty::Optional(inner) => self.values_in(module, inner),
            Ty::Enum(e) => {
                let mut most = 1;
                for variant in &module.enums[e.0 as usize].variants {
                    let mut all: u64 = 1;
                    for t in &variant.payload {
                        let t = self.ty(module, t);
                        all = all.saturating_add(self.values_in(module, &t));
                    }
                    most = most.max(all);
                }
                most
            }
            _ => 1,
        }
    }
}
