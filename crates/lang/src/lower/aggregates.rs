//! Values made of several: lists, new structs, arrays as cells.

use trueline_base::{Span, Value};

use super::body::Body;
use super::fold::fold;
use super::layout::cell_type;
use crate::ir::{Expr, InstrKind, Memory, Place, StructId, Ty};
use crate::typed::{self, Type};

impl<'m> Body<'m, '_> {
    pub(super) fn list(&mut self, parts: &'m [typed::Expr], ty: &Type, span: Span) -> Option<Expr> {
        let ty = self.ty(ty);
        if let Ty::Array { len, .. } = ty
            && len as usize != parts.len()
        {
            let text = format!("this array has {len} elements, and {} are given", parts.len());
            self.error("E0216", span, text);
            return None;
        }
        let values = self.values(parts)?;
        Some(match ty {
            Ty::Seq(_) => Expr::Seq(values),
            Ty::Set(_) => Expr::Set(values),
            Ty::Multiset(_) | Ty::Heap(_) => Expr::Bag(values),
            Ty::Map(..) => Expr::Const(Value::Map(Vec::new())),
            _ => Expr::Array(values),
        })
    }

    /// A new struct on the heap.
    pub(super) fn new_struct(&mut self, kind: StructId, fields: &'m [(u32, typed::Expr)]) -> Option<Expr> {
        let decl = self.layout.structs[kind.0 as usize].clone();
        let manual = self.module.memory != Memory::Gc;
        if self.module.memory == Memory::Pool {
            let given = |at: usize| fields.iter().any(|(field, _)| *field as usize == at);
            let unnamed = decl.fields.iter().enumerate().filter(|(at, _)| !given(*at));
            let kept = &mut self.layout.structs[kind.0 as usize].kept;
            kept.extend(unnamed.flat_map(|(_, f)| f.first..f.first + f.len));
            kept.sort_unstable();
            kept.dedup();
        }
        let slot = self.temp(Ty::Ref(kind));
        let mut values = Vec::new();
        if manual {
            self.access(InstrKind::New { slot, kind, cells: Vec::new() }, None);
        }
        for (i, (field, value)) in fields.iter().enumerate() {
            let field = &decl.fields[*field as usize];
            let expr = self.value(value)?;
            let cells = self.flatten(expr, &field.ty);
            for (offset, value) in cells.into_iter().enumerate() {
                let first = field.first + offset as u32;
                if manual {
                    let object = Expr::Slot(slot);
                    let place = Place::Field { object, kind, first, index: Vec::new() };
                    self.access(InstrKind::Write { place, value }, None);
                } else {
                    let later = fields[i + 1..].iter().all(|(_, e)| e.simple());
                    let ty = cell_type(&field.ty).clone();
                    values.push((first, if later { value } else { self.spill(value, &ty) }));
                }
            }
        }
        if !manual {
            self.code.emit(InstrKind::New { slot, kind, cells: values });
        }
        Some(Expr::Slot(slot))
    }

    /// The values of the cells that a value of an array type fills, in order.
    pub(super) fn flatten(&mut self, value: Expr, ty: &Ty) -> Vec<Expr> {
        let Ty::Array { element, len, .. } = ty else {
            return vec![value];
        };
        let value = match value {
            v @ (Expr::Array(_) | Expr::Repeat(..) | Expr::Const(_) | Expr::Slot(_)) => v,
            other => self.spill(other, ty),
        };
        (0..*len)
            .flat_map(|i| {
                let part = match &value {
                    Expr::Array(parts) => parts[i as usize].clone(),
                    Expr::Repeat(part, _) => (**part).clone(),
                    other => {
                        let index = Expr::Const(Value::Int(i as i32));
                        fold(Expr::Element(Box::new(other.clone()), Box::new(index)))
                    }
                };
                self.flatten(part, element)
            })
            .collect()
    }
}
