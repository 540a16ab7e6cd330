//! What can be assigned: slots and cells, and the parts inside them.

use trueline_base::{Span, Value};

use super::body::{Binding, Body};
use super::env::{Env, strip_optional};
use super::expr::Typed;
use super::fold::fold;
use super::types::is_number;
use crate::ir::{Expr, InstrKind, Place, Slot, Stride, Ty};
use crate::syntax::{self, ExprKind};

/// Something that holds a value.
#[derive(Clone, Debug)]
pub(crate) struct Lvalue {
    pub base: Base,
    /// Indices and components inside the value of the slot or cell.
    pub path: Vec<Part>,
    pub ty: Ty,
}

/// A step from a value into a part of it.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Index(Expr),
    Component(u16),
}

/// Where it lives.
#[derive(Clone, Debug)]
pub(crate) enum Base {
    Slot(Slot),
    /// With the type of the whole cell.
    Cell(Place, Ty),
}

impl<'a> Body<'_, 'a> {
    /// Whether the expression names a variable, a field or a part of one.
    pub fn is_lvalue(&self, e: &syntax::Expr) -> bool {
        match &e.kind {
            ExprKind::Name(name) => match self.lookup(name) {
                Some(binding) => matches!(binding, Binding::Slot(..)),
                None => self.env.variable(name).is_some(),
            },
            ExprKind::Field { .. } => true,
            ExprKind::Index { object, .. } | ExprKind::Component { object, .. } => self.is_lvalue(object),
            ExprKind::Paren(inner) => self.is_lvalue(inner),
            _ => false,
        }
    }

    /// Whether the expression is a local or state variable that holds a collection.
    pub fn is_collection(&self, e: &syntax::Expr) -> bool {
        let collection =
            |ty: &Ty| matches!(ty, Ty::Seq(_) | Ty::Set(_) | Ty::Multiset(_) | Ty::Heap(_) | Ty::Map(..));
        match &e.kind {
            ExprKind::Name(name) => match self.lookup(name) {
                Some(Binding::Slot(_, ty) | Binding::Const(_, ty)) => collection(&ty),
                Some(Binding::Poison) => false,
                None => self.env.variable(name).is_some_and(|v| collection(&v.ty)),
            },
            ExprKind::Paren(inner) => self.is_collection(inner),
            _ => false,
        }
    }

    /// The place that an expression names. Objects and indices inside it are evaluated now.
    pub fn lvalue(&mut self, e: &'a syntax::Expr) -> Option<Lvalue> {
        match &e.kind {
            ExprKind::Paren(inner) => self.lvalue(inner),
            ExprKind::Name(name) => {
                match self.lookup(name) {
                    Some(Binding::Slot(slot, ty)) => {
                        return Some(Lvalue { base: Base::Slot(slot), path: Vec::new(), ty });
                    }
                    Some(Binding::Poison) => return None,
                    Some(Binding::Const(..)) => return self.not_assignable(e, "a constant"),
                    None => {}
                }
                if let Some(variable) = self.env.variable(name) {
                    let (first, ty) = (variable.first, variable.ty.clone());
                    let place = Place::Shared { first, index: Vec::new() };
                    return Some(Lvalue { base: Base::Cell(place, ty.clone()), path: Vec::new(), ty });
                }
                if self.env.consts.contains_key(name) {
                    return self.not_assignable(e, "a constant");
                }
                self.unknown_name(name, e.span);
                None
            }
            ExprKind::Field { object, name } => {
                let (reference, ty) = self.value(object, None)?;
                let Ty::Ref(kind) = *strip_optional(&ty) else {
                    let text = format!("`.{}` needs a struct, and this is {}", name.text, self.env.a(&ty));
                    let on_self = object.kind == ExprKind::SelfTid;
                    self.error("E0103", name.span, text).help =
                        on_self.then(|| format!("variables of the object are named alone: `{}`", name.text));
                    return None;
                };
                let decl = &self.env.module.structs[kind.0 as usize];
                let Some(field) = decl.fields.iter().find(|f| f.name == name.text) else {
                    if self.env.poisoned.contains(&format!("{}.{}", decl.name, name.text)) {
                        return None;
                    }
                    let close = Env::close(&name.text, decl.fields.iter().map(|f| f.name.as_str()));
                    let text = format!("`{}` has no field `{}`", decl.name, name.text);
                    self.error("E0103", name.span, text).help = close.map(|c| format!("did you mean `{c}`?"));
                    return None;
                };
                let (first, ty) = (field.first, field.ty.clone());
                let place = Place::Field { object: reference, kind, first, index: Vec::new() };
                Some(Lvalue { base: Base::Cell(place, ty.clone()), path: Vec::new(), ty })
            }
            ExprKind::Index { object, index } => {
                let mut place = self.lvalue(object)?;
                if !self.simple(index) {
                    self.freeze(&mut place);
                }
                let (i, element) = self.index(&place.ty, index)?;
                match (&mut place.base, &place.ty) {
                    (
                        Base::Cell(Place::Shared { index, .. } | Place::Field { index, .. }, whole),
                        Ty::Array { len, .. },
                    ) if place.path.is_empty() && !self.env.is_spec => {
                        let stride = super::env::cells(&element);
                        index.push(Stride { index: i, len: *len, stride });
                        *whole = element.clone();
                    }
                    _ => place.path.push(Part::Index(i)),
                }
                place.ty = element;
                Some(place)
            }
            ExprKind::Component { object, index } => {
                let mut place = self.lvalue(object)?;
                let Ty::Tuple(parts) = strip_optional(&place.ty) else {
                    let text =
                        format!("`.{index}` takes a tuple apart, and this is {}", self.env.a(&place.ty));
                    self.error("E0210", e.span, text);
                    return None;
                };
                let Some(part) = parts.get(*index as usize).cloned() else {
                    let text = format!("this tuple has {} components, counted from 0", parts.len());
                    self.error("E0210", e.span, text);
                    return None;
                };
                if matches!(place.base, Base::Cell(..)) && !self.env.is_spec {
                    self.error("E0218", e.span, "one component of a shared cell cannot be assigned alone")
                        .help = Some("assign the whole tuple: a cell is written in one step".into());
                    return None;
                }
                place.path.push(Part::Component(*index as u16));
                place.ty = part;
                Some(place)
            }
            _ => self.not_assignable(e, "a value"),
        }
    }

    fn not_assignable<T>(&mut self, e: &syntax::Expr, what: &str) -> Option<T> {
        self.error("E0219", e.span, format!("this is {what}, not something that can be assigned"));
        None
    }

    /// An index into a value of this type: the index and the type of the element.
    pub fn index(&mut self, ty: &Ty, e: &'a syntax::Expr) -> Option<Typed> {
        match strip_optional(ty).clone() {
            Ty::Array { element, by_tid, .. } => {
                let (index, found) = self.value(e, Some(if by_tid { &Ty::Tid } else { &Ty::Int }))?;
                let (index, found) = match &found {
                    Ty::Optional(inner) => (Expr::Present(Box::new(index)), (**inner).clone()),
                    _ => (index, found),
                };
                let fits = if by_tid { found == Ty::Tid } else { is_number(&found) };
                if !fits {
                    let wanted = if by_tid { "a thread" } else { "a number" };
                    let text =
                        format!("this array is indexed by {wanted}, not by `{}`", self.env.show(&found));
                    let d = self.error("E0220", e.span, text);
                    d.help = match (by_tid, &found) {
                        (false, Ty::Tid) => Some("declare it as `[T; tid]` to index it by threads".into()),
                        (true, found) if is_number(found) => {
                            Some("`for t in tid` goes through all threads; `self` is the caller".into())
                        }
                        _ => None,
                    };
                    return None;
                }
                Some((index, *element))
            }
            Ty::Seq(element) => {
                let index = self.value_as(e, &Ty::Int)?;
                Some((index, *element))
            }
            other => {
                let text = format!("{} cannot be indexed", self.env.a(&other));
                self.error("E0220", e.span, text);
                None
            }
        }
    }

    /// Evaluates everything inside the place, so that what is evaluated next cannot move it.
    pub fn freeze(&mut self, place: &mut Lvalue) {
        if let Base::Cell(cell, _) = &mut place.base {
            let index = match cell {
                Place::Shared { index, .. } => index,
                Place::Field { object, kind, index, .. } => {
                    *object = self.spill(object.clone(), &Ty::Optional(Box::new(Ty::Ref(*kind))));
                    index
                }
            };
            for stride in index {
                stride.index = self.spill(stride.index.clone(), &Ty::Int);
            }
        }
        for part in &mut place.path {
            if let Part::Index(index) = part {
                *index = self.spill(index.clone(), &Ty::Int);
            }
        }
    }

    /// The value at a place.
    pub fn read(&mut self, place: Lvalue, span: Span) -> Option<Typed> {
        let value = match place.base {
            Base::Slot(slot) => Expr::Slot(slot),
            Base::Cell(cell, ty) => match &ty {
                Ty::Array { .. } if !self.env.is_spec => return self.read_array(cell, &ty, span),
                _ => {
                    let slot = self.temp(ty);
                    self.access(InstrKind::Read { slot, place: cell }, None);
                    Expr::Slot(slot)
                }
            },
        };
        Some((inside(value, &place.path), place.ty))
    }

    /// A whole array of cells: many accesses, so only where they are one step.
    fn read_array(&mut self, cell: Place, ty: &Ty, span: Span) -> Option<Typed> {
        let Ty::Array { element, len, .. } = ty else { unreachable!("called for arrays") };
        if !self.atomic {
            self.error("E0221", span, "a whole array takes more than one step to read").help =
                Some("read its elements, or put this into `atomic { … }`".into());
            return None;
        }
        let mut parts = Vec::new();
        for i in 0..*len {
            let mut cell = cell.clone();
            let (Place::Shared { index, .. } | Place::Field { index, .. }) = &mut cell;
            let stride = super::env::cells(element);
            index.push(Stride { index: Expr::Const(Value::Int(i as i32)), len: *len, stride });
            let base = Base::Cell(cell, (**element).clone());
            parts.push(self.read(Lvalue { base, path: Vec::new(), ty: (**element).clone() }, span)?.0);
        }
        Some((Expr::Array(parts), ty.clone()))
    }

    /// Stores a value of the place's type.
    pub fn store(&mut self, place: Lvalue, value: Expr, span: Span) -> Option<()> {
        match place.base {
            Base::Slot(slot) if place.path.is_empty() => {
                self.code.emit(InstrKind::Set { slot, value });
            }
            Base::Slot(slot) => {
                self.code.emit(InstrKind::SetElement { slot, path: indices(&place.path), value });
            }
            Base::Cell(cell, ty) => {
                if let Ty::Array { element, len, .. } = &ty
                    && !self.env.is_spec
                {
                    if !self.atomic {
                        self.error("E0221", span, "a whole array takes more than one step to write").help =
                            Some("assign its elements, or put this into `atomic { … }`".into());
                        return None;
                    }
                    let values = self.flatten(value, &ty);
                    let per = super::env::cells(element) as usize;
                    for (i, chunk) in values.chunks(per.max(1)).enumerate().take(*len as usize) {
                        for (j, value) in chunk.iter().enumerate() {
                            let mut cell = cell.clone();
                            let (Place::Shared { first, .. } | Place::Field { first, .. }) = &mut cell;
                            *first += (i * per + j) as u32;
                            self.access(InstrKind::Write { place: cell, value: value.clone() }, None);
                        }
                    }
                    return Some(());
                }
                if place.path.is_empty() {
                    self.access(InstrKind::Write { place: cell, value }, None);
                } else {
                    let slot = self.temp(ty);
                    self.access(InstrKind::Read { slot, place: cell.clone() }, None);
                    self.code.emit(InstrKind::SetElement { slot, path: indices(&place.path), value });
                    self.access(InstrKind::Write { place: cell, value: Expr::Slot(slot) }, None);
                }
            }
        }
        Some(())
    }

    /// A place that must be a shared cell.
    pub fn cell(&mut self, e: &'a syntax::Expr, what: &str) -> Option<(Place, Ty)> {
        let place = self.lvalue(e)?;
        match place.base {
            Base::Cell(cell, ty) if place.path.is_empty() && !matches!(ty, Ty::Array { .. }) => {
                Some((cell, ty))
            }
            Base::Cell(..) => {
                self.error(
                    "E0222",
                    e.span,
                    format!("{what} works on one cell, not on a part or an array of cells"),
                );
                None
            }
            Base::Slot(_) => {
                self.error(
                    "E0222",
                    e.span,
                    format!("{what} works on shared memory, and this is a local variable"),
                );
                None
            }
        }
    }
}

/// The part of a value along a path.
pub(crate) fn inside(value: Expr, path: &[Part]) -> Expr {
    path.iter().fold(value, |value, part| {
        let value = Box::new(value);
        fold(match part {
            Part::Index(index) => Expr::Element(value, Box::new(index.clone())),
            Part::Component(i) => Expr::Component(value, *i),
        })
    })
}

/// The path as an instruction writes it.
pub(crate) fn indices(path: &[Part]) -> Vec<Expr> {
    let index = |part: &Part| match part {
        Part::Index(index) => index.clone(),
        Part::Component(i) => Expr::Const(Value::Int(i32::from(*i))),
    };
    path.iter().map(index).collect()
}
