//! What can be assigned: slots and cells, and the parts inside them.

use trueline_base::{Span, Value};

use super::body::{Binding, Body};
use super::fold::fold;
use super::layout::cells;
use crate::ir::{Expr, InstrKind, Place, Slot, Stride, Ty};
use crate::typed::{self, ExprKind};

/// Something that holds a value.
#[derive(Clone, Debug)]
pub(super) struct Lvalue {
    pub base: Base,
    /// Indices and components inside the value of the slot or cell.
    pub path: Vec<Projection>,
    pub ty: Ty,
}

/// A step from a value into a part of it.
#[derive(Clone, Debug)]
pub(super) enum Projection {
    Index(Expr),
    Component(u16),
}

/// Where it lives.
#[derive(Clone, Debug)]
pub(super) enum Base {
    Slot(Slot),
    /// With the type of the whole cell.
    Cell(Place, Ty),
}

impl<'m> Body<'m, '_> {
    /// Whether the expression is a variable in a slot or in memory, a field or a part of one. A parameter of a helper
    /// may be a constant.
    pub(super) fn is_place(&self, e: &typed::Expr) -> bool {
        match &e.kind {
            ExprKind::Local(local) => matches!(self.lookup(*local), Binding::Slot(_)),
            ExprKind::Persistent(_) | ExprKind::Shared(_) | ExprKind::Field { .. } => true,
            ExprKind::Index(object, _) | ExprKind::Component(object, _) => self.is_place(object),
            _ => false,
        }
    }

    /// The place that an expression names. Objects and indices inside it are evaluated now.
    pub(super) fn place(&mut self, e: &'m typed::Expr) -> Option<Lvalue> {
        let ty = self.ty(&e.ty);
        let base = match &e.kind {
            ExprKind::Local(local) => match self.lookup(*local) {
                Binding::Slot(slot) => Base::Slot(*slot),
                Binding::Const(_) => unreachable!("what is assigned has a slot"),
            },
            ExprKind::Persistent(at) => Base::Slot(Slot(*at as u16)),
            ExprKind::Shared(id) => {
                let first = self.layout.variables[id.0 as usize].first;
                Base::Cell(Place::Shared { first, index: Vec::new() }, ty.clone())
            }
            ExprKind::Field { object, kind, field } => {
                let object = self.value(object)?;
                let first = self.layout.structs[kind.0 as usize].fields[*field as usize].first;
                Base::Cell(Place::Field { object, kind: *kind, first, index: Vec::new() }, ty.clone())
            }
            ExprKind::Index(object, index) => return self.element(object, index, ty),
            ExprKind::Component(object, index) => {
                let mut place = self.place(object)?;
                place.path.push(Projection::Component(*index));
                return Some(Lvalue { ty, ..place });
            }
            _ => unreachable!("only places are assigned"),
        };
        Some(Lvalue { base, path: Vec::new(), ty })
    }

    fn element(&mut self, object: &'m typed::Expr, index: &'m typed::Expr, ty: Ty) -> Option<Lvalue> {
        let mut place = self.place(object)?;
        if !index.simple() {
            self.freeze(&mut place);
        }
        let i = self.value(index)?;
        match (&mut place.base, &place.ty) {
            (
                Base::Cell(Place::Shared { index, .. } | Place::Field { index, .. }, whole),
                Ty::Array { len, .. },
            ) if place.path.is_empty() && !self.module.is_spec => {
                index.push(Stride { index: i, len: *len, stride: cells(&ty) });
                *whole = ty.clone();
            }
            _ => place.path.push(Projection::Index(i)),
        }
        Some(Lvalue { ty, ..place })
    }

    /// Evaluates everything inside the place, so that what is evaluated next cannot move it.
    pub(super) fn freeze(&mut self, place: &mut Lvalue) {
        if let Base::Cell(cell, _) = &mut place.base {
            self.freeze_cell(cell);
        }
        for part in &mut place.path {
            if let Projection::Index(index) = part {
                *index = self.spill(index.clone(), &Ty::Int);
            }
        }
    }

    /// The same for a cell.
    pub(super) fn freeze_cell(&mut self, cell: &mut Place) {
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

    /// The value at the place that an expression names.
    pub(super) fn value_at(&mut self, e: &'m typed::Expr) -> Option<Expr> {
        let place = self.place(e)?;
        self.read(place, e.span)
    }

    /// The value at a place.
    pub(super) fn read(&mut self, place: Lvalue, span: Span) -> Option<Expr> {
        let value = match place.base {
            Base::Slot(slot) => Expr::Slot(slot),
            Base::Cell(cell, ty) => match &ty {
                Ty::Array { .. } if !self.module.is_spec => return self.read_array(cell, &ty, span),
                _ => {
                    let slot = self.temp(ty);
                    self.access(InstrKind::Read { slot, place: cell }, None);
                    Expr::Slot(slot)
                }
            },
        };
        Some(inside(value, &place.path))
    }

    /// A whole array of cells: many accesses, so only where they are one step.
    fn read_array(&mut self, cell: Place, ty: &Ty, span: Span) -> Option<Expr> {
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
            let stride = cells(element);
            index.push(Stride { index: Expr::Const(Value::Int(i as i32)), len: *len, stride });
            let base = Base::Cell(cell, (**element).clone());
            parts.push(self.read(Lvalue { base, path: Vec::new(), ty: (**element).clone() }, span)?);
        }
        Some(Expr::Array(parts))
    }

    /// Stores a value of the place's type.
    pub(super) fn store(&mut self, place: Lvalue, value: Expr, span: Span) -> Option<()> {
        match place.base {
            Base::Slot(slot) if place.path.is_empty() => {
                self.code.emit(InstrKind::Set { slot, value });
            }
            Base::Slot(slot) => {
                self.code.emit(InstrKind::SetElement { slot, path: indices(&place.path), value });
            }
            Base::Cell(cell, ty) => {
                if let Ty::Array { element, len, .. } = &ty
                    && !self.module.is_spec
                {
                    if !self.atomic {
                        self.error("E0221", span, "a whole array takes more than one step to write").help =
                            Some("assign its elements, or put this into `atomic { … }`".into());
                        return None;
                    }
                    let values = self.flatten(value, &ty);
                    let per = cells(element) as usize;
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

    /// A place that is one shared cell.
    pub(super) fn cell(&mut self, e: &'m typed::Expr) -> Option<(Place, Ty)> {
        match self.place(e)?.base {
            Base::Cell(cell, ty) => Some((cell, ty)),
            Base::Slot(_) => unreachable!("it lies in shared memory"),
        }
    }
}

/// The part of a value along a path.
pub(super) fn inside(value: Expr, path: &[Projection]) -> Expr {
    path.iter().fold(value, |value, part| {
        let value = Box::new(value);
        fold(match part {
            Projection::Index(index) => Expr::Element(value, Box::new(index.clone())),
            Projection::Component(i) => Expr::Component(value, *i),
        })
    })
}

/// The path as an instruction writes it.
pub(super) fn indices(path: &[Projection]) -> Vec<Expr> {
    let index = |part: &Projection| match part {
        Projection::Index(index) => index.clone(),
        Projection::Component(i) => Expr::Const(Value::Int(i32::from(*i))),
    };
    path.iter().map(index).collect()
}
