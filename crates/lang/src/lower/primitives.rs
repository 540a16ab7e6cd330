//! The atomic instructions.

use super::body::Body;
use crate::ir::{Expr, InstrKind, Ty};
use crate::typed::{self, Primitive, Type};

impl<'m> Body<'m, '_> {
    pub(super) fn primitive(&mut self, primitive: Primitive, args: &'m [typed::Expr]) -> Option<Expr> {
        let (mut place, ty) = self.cell(&args[0])?;
        if args[1..].iter().any(|a| !a.simple()) {
            self.freeze_cell(&mut place);
        }
        let mut success = None;
        let slot;
        let kind = match primitive {
            Primitive::Cas => {
                let (old, new) = self.old_and_new(&args[1], &args[2])?;
                slot = self.temp(Ty::Bool);
                success = Some(slot);
                InstrKind::Cas { slot, place, old, new }
            }
            Primitive::Cmpxchg => {
                let (old, new) = self.old_and_new(&args[1], &args[2])?;
                slot = self.temp(ty);
                InstrKind::Cmpxchg { slot, place, old, new }
            }
            Primitive::Swap => {
                let value = self.value(&args[1])?;
                slot = self.temp(ty);
                InstrKind::Swap { slot, place, value }
            }
            Primitive::Faa => {
                let amount = self.value(&args[1])?;
                let (low, high) = match ty {
                    Ty::Range(low, high) => (low, high),
                    _ => (i32::MIN, i32::MAX),
                };
                slot = self.temp(Ty::Int);
                InstrKind::Faa { slot, place, amount, low, high }
            }
            Primitive::Tas => {
                slot = self.temp(Ty::Bool);
                InstrKind::Tas { slot, place }
            }
            Primitive::Dcas => {
                let (old, new) = self.old_and_new(&args[1], &args[2])?;
                let (old, new) = if args[3..].iter().all(|a| a.simple()) {
                    (old, new)
                } else {
                    (self.spill(old, &ty), self.spill(new, &ty))
                };
                let (mut other, _) = self.cell(&args[3])?;
                if args[4..].iter().any(|a| !a.simple()) {
                    self.freeze_cell(&mut other);
                }
                let (old2, new2) = self.old_and_new(&args[4], &args[5])?;
                slot = self.temp(Ty::Bool);
                success = Some(slot);
                InstrKind::Dcas { slot, first: (place, old, new), second: (other, old2, new2) }
            }
            Primitive::LoadLinked => {
                slot = self.temp(ty);
                InstrKind::LoadLinked { slot, place }
            }
            Primitive::StoreConditional { weak } => {
                let value = self.value(&args[1])?;
                slot = self.temp(Ty::Bool);
                success = Some(slot);
                InstrKind::StoreConditional { slot, place, value, weak }
            }
            Primitive::Validate => {
                slot = self.temp(Ty::Bool);
                InstrKind::Validate { slot, place }
            }
        };
        self.access(kind, success);
        Some(Expr::Slot(slot))
    }

    /// What a compare-and-set compares with and stores.
    fn old_and_new(&mut self, old: &'m typed::Expr, new: &'m typed::Expr) -> Option<(Expr, Expr)> {
        let expr = self.value(old)?;
        let ty: &Type = &old.ty;
        let expr = self.spill_unless(new.simple(), expr, ty);
        Some((expr, self.value(new)?))
    }
}
