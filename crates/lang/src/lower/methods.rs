//! Methods of collections.

use trueline_base::{Span, Value};

use super::body::Body;
use super::place::{Base, indices, inside};
use crate::ir::{Expr, InstrKind, Method, Ty};
use crate::typed::{self, Type};

impl<'m> Body<'m, '_> {
    pub(super) fn method(
        &mut self,
        object: &'m typed::Expr,
        method: Method,
        changes: bool,
        args: &'m [typed::Expr],
        result: &Type,
        span: Span,
    ) -> Option<Expr> {
        let quiet = args.iter().all(|a| a.simple());
        if !changes {
            let value = match self.is_place(object) {
                true => {
                    let place = self.place(object)?;
                    self.read(place, span)?
                }
                false => self.value(object)?,
            };
            let value = self.spill_unless(quiet, value, &object.ty);
            let args = self.values(args)?;
            return Some(Expr::Query(method, Box::new(value), args));
        }
        let mut place = self.place(object)?;
        if !quiet {
            self.freeze(&mut place);
        }
        let args = self.values(args)?;
        let ty = self.ty(result);
        let result = (ty != Ty::Unit).then(|| self.temp(ty));
        let collect = |slot| InstrKind::Collect { slot, method, args: args.clone(), result };
        match &place.base {
            Base::Slot(slot) if place.path.is_empty() => {
                self.code.emit(collect(*slot));
            }
            Base::Slot(slot) => {
                let slot = *slot;
                let part = self.temp(place.ty.clone());
                self.code.emit(InstrKind::Set { slot: part, value: inside(Expr::Slot(slot), &place.path) });
                self.code.emit(collect(part));
                let (path, value) = (indices(&place.path), Expr::Slot(part));
                self.code.emit(InstrKind::SetElement { slot, path, value });
            }
            Base::Cell(cell, ty) => {
                if !self.atomic {
                    self.error("E0229", span, "changing a shared collection takes more than one step").help =
                        Some("put this into `atomic { … }`".into());
                    return None;
                }
                let (cell, whole) = (cell.clone(), self.temp(ty.clone()));
                self.access(InstrKind::Read { slot: whole, place: cell.clone() }, None);
                if place.path.is_empty() {
                    self.code.emit(collect(whole));
                } else {
                    let part = self.temp(place.ty.clone());
                    self.code
                        .emit(InstrKind::Set { slot: part, value: inside(Expr::Slot(whole), &place.path) });
                    self.code.emit(collect(part));
                    let (path, value) = (indices(&place.path), Expr::Slot(part));
                    self.code.emit(InstrKind::SetElement { slot: whole, path, value });
                }
                self.access(InstrKind::Write { place: cell, value: Expr::Slot(whole) }, None);
            }
        }
        Some(result.map_or(Expr::Const(Value::Unit), Expr::Slot))
    }
}
