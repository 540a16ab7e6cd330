//! Values made of several: lists, tuples, new structs.

use trueline_base::{Span, Value};

use super::body::Body;
use super::env::{Env, strip_optional};
use super::expr::Typed;
use super::fold::fold;
use crate::ir::{Expr, InstrKind, Ty};
use crate::syntax::{self};

/// Longer lists and tuples are refused.
pub(super) const MOST_ELEMENTS: usize = 4096;

impl<'a> Body<'_, 'a> {
    pub(super) fn list(
        &mut self,
        parts: &'a [syntax::Expr],
        span: Span,
        expected: Option<&Ty>,
    ) -> Option<Typed> {
        if parts.len() > MOST_ELEMENTS {
            let text = format!("a list has at most {MOST_ELEMENTS} elements, not {}", parts.len());
            self.error("E0205", span, text);
            return None;
        }
        let expected = expected.map(strip_optional).cloned();
        let element = match &expected {
            Some(Ty::Seq(t) | Ty::Set(t) | Ty::Multiset(t) | Ty::Heap(t)) => Some((**t).clone()),
            Some(Ty::Array { element, len, .. }) => {
                if *len as usize != parts.len() {
                    let text = format!("this array has {len} elements, and {} are given", parts.len());
                    self.error("E0216", span, text);
                    return None;
                }
                Some((**element).clone())
            }
            Some(Ty::Map(..)) if parts.is_empty() => {
                return Some((Expr::Const(Value::Map(Vec::new())), expected?));
            }
            _ => None,
        };
        let mut exprs = Vec::new();
        let mut found = element.clone();
        for (i, part) in parts.iter().enumerate() {
            let expr = match &found {
                Some(ty) => {
                    let ty = ty.clone();
                    self.value_as(part, &ty)?
                }
                None => {
                    let (expr, ty) = self.value(part, None)?;
                    found = Some(ty);
                    expr
                }
            };
            let later = parts[i + 1..].iter().all(|p| self.simple(p));
            let ty = found.clone()?;
            exprs.push(if later { expr } else { self.spill(expr, &ty) });
        }
        let Some(element) = found else {
            return self.needs_type(span, "[]");
        };
        Some(match expected {
            Some(ty @ Ty::Seq(_)) => (Expr::Seq(exprs), ty),
            Some(ty @ Ty::Set(_)) => (Expr::Set(exprs), ty),
            Some(ty @ (Ty::Multiset(_) | Ty::Heap(_))) => (Expr::Bag(exprs), ty),
            Some(ty @ Ty::Array { .. }) => (Expr::Array(exprs), ty),
            _ => {
                let len = exprs.len() as u32;
                (Expr::Array(exprs), Ty::Array { element: Box::new(element), len, by_tid: false })
            }
        })
    }

    pub(super) fn repeat(
        &mut self,
        element: &'a syntax::Expr,
        length: Option<&'a syntax::Expr>,
        expected: Option<&Ty>,
    ) -> Option<Typed> {
        let (len, by_tid) = match length {
            None => (self.env.threads, true),
            Some(length) => {
                let n = self.env.constant_int(length)?;
                match u32::try_from(n) {
                    Ok(n) if n <= 4096 => (n, false),
                    _ => {
                        let text = format!("an array has between 0 and 4096 elements, not {n}");
                        self.error("E0205", length.span, text);
                        return None;
                    }
                }
            }
        };
        let wanted = match expected.map(strip_optional) {
            Some(Ty::Array { element, .. }) => Some((**element).clone()),
            _ => None,
        };
        let (expr, ty) = match wanted {
            Some(ty) => (self.value_as(element, &ty)?, ty),
            None => self.value(element, None)?,
        };
        let array = Ty::Array { element: Box::new(ty), len, by_tid };
        self.env.small(&array, element.span)?;
        Some((Expr::Repeat(Box::new(expr), len), array))
    }

    /// A new struct on the heap.
    pub(super) fn new_struct(
        &mut self,
        name: &'a syntax::Name,
        fields: &'a [(syntax::Name, syntax::Expr)],
        span: Span,
    ) -> Option<Typed> {
        let Some(kind) = self.env.struct_id(&name.text) else {
            let close = Env::close(&name.text, self.env.module.structs.iter().map(|s| s.name.as_str()));
            self.error("E0201", name.span, format!("there is no struct `{}`", name.text)).help =
                close.map(|c| format!("did you mean `{c}`?"));
            return None;
        };
        let decl = self.env.module.structs[kind.0 as usize].clone();
        if fields.len() > 2 * decl.fields.len() + 10 {
            let text = format!("`{}` has only {} fields", name.text, decl.fields.len());
            self.error("E0103", span, text);
            return None;
        }
        self.known_fields(&decl, fields)?;
        let manual = self.env.module.memory != syntax::Memory::Gc;
        let pool = self.env.module.memory == syntax::Memory::Pool;
        let mut missing: Vec<_> = decl
            .fields
            .iter()
            .filter(|f| {
                *super::env::cell_type(&f.ty) != Ty::Lock && !fields.iter().any(|(n, _)| n.text == f.name)
            })
            .map(|f| format!("`{}`", f.name))
            .collect();
        if !missing.is_empty() && !pool {
            missing.sort();
            let text = format!("`new {}` does not say what {} holds", name.text, missing.join(", "));
            self.error("E0217", span, text).help = Some("name every field except locks".into());
            return None;
        }
        if pool {
            let unnamed = decl.fields.iter().filter(|f| !fields.iter().any(|(n, _)| n.text == f.name));
            let kept = &mut self.env.module.structs[kind.0 as usize].kept;
            kept.extend(unnamed.flat_map(|f| f.first..f.first + f.len));
            kept.sort_unstable();
            kept.dedup();
        }
        let slot = self.temp(Ty::Ref(kind));
        let mut values = Vec::new();
        if manual {
            self.access(InstrKind::New { slot, kind, cells: Vec::new() }, None);
        }
        for (i, (field_name, value)) in fields.iter().enumerate() {
            let field = decl.fields.iter().find(|f| f.name == field_name.text)?;
            let expr = self.value_as(value, &field.ty)?;
            let cells = self.flatten(expr, &field.ty);
            for (offset, value) in cells.into_iter().enumerate() {
                let first = field.first + offset as u32;
                if manual {
                    let place =
                        crate::ir::Place::Field { object: Expr::Slot(slot), kind, first, index: Vec::new() };
                    self.access(InstrKind::Write { place, value }, None);
                } else {
                    let later = fields[i + 1..].iter().all(|(_, e)| self.simple(e));
                    let ty = super::env::cell_type(&field.ty).clone();
                    values.push((first, if later { value } else { self.spill(value, &ty) }));
                }
            }
        }
        if !manual {
            self.code.emit(InstrKind::New { slot, kind, cells: values });
        }
        Some((Expr::Slot(slot), Ty::Ref(kind)))
    }

    /// Reports fields that the struct does not have, or that are given twice.
    fn known_fields(
        &mut self,
        decl: &crate::ir::Struct,
        fields: &[(syntax::Name, syntax::Expr)],
    ) -> Option<()> {
        let before = self.env.diagnostics.len();
        for (i, (name, _)) in fields.iter().enumerate() {
            if self.env.poisoned.contains(&format!("{}.{}", decl.name, name.text)) {
                return None;
            }
            if !decl.fields.iter().any(|f| f.name == name.text) {
                let close = Env::close(&name.text, decl.fields.iter().map(|f| f.name.as_str()));
                let text = format!("`{}` has no field `{}`", decl.name, name.text);
                self.error("E0103", name.span, text).help = close.map(|c| format!("did you mean `{c}`?"));
            } else if fields[..i].iter().any(|(n, _)| n.text == name.text) {
                self.error("E0102", name.span, format!("`{}` is given twice", name.text));
            }
        }
        (self.env.diagnostics.len() == before).then_some(())
    }

    /// The values of the cells that a value of an array type fills, in order.
    pub fn flatten(&mut self, value: Expr, ty: &Ty) -> Vec<Expr> {
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
