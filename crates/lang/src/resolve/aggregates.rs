//! Values made of several: lists, arrays, new structs.

use trueline_base::Span;

use super::routine::Body;
use super::words::close;
use crate::syntax::{self, Memory, Name};
use crate::typed::{Bound, DefinitionKind, Expr, ExprKind, Length, StructId, Type, TypeSize};

/// Longer lists and tuples are refused.
pub(super) const MOST_ELEMENTS: usize = 4096;

impl<'a> Body<'_, 'a> {
    pub(super) fn list(
        &mut self,
        parts: &'a [syntax::Expr],
        span: Span,
        expected: Option<&Type>,
    ) -> Option<Expr> {
        if parts.len() > MOST_ELEMENTS {
            let text = format!("a list has at most {MOST_ELEMENTS} elements, not {}", parts.len());
            self.error("E0205", span, text);
            return None;
        }
        let expected = expected.map(Type::present);
        let element = match expected {
            Some(Type::Seq(t) | Type::Set(t) | Type::Multiset(t) | Type::Heap(t)) => Some((**t).clone()),
            Some(Type::Array { element, len }) => {
                if let Length::Size(TypeSize::Known(len)) = len
                    && *len != parts.len() as i64
                {
                    let text = format!("this array has {len} elements, and {} are given", parts.len());
                    self.error("E0216", span, text);
                    return None;
                }
                Some((**element).clone())
            }
            Some(ty @ Type::Map(..)) if parts.is_empty() => {
                return Some(Expr { kind: ExprKind::List(Vec::new()), ty: ty.clone(), span });
            }
            _ => None,
        };
        let mut all = Vec::new();
        let mut found = element;
        for part in parts {
            all.push(match &found {
                Some(ty) => self.value_as(part, &ty.clone())?,
                None => {
                    let value = self.value(part, None)?;
                    found = Some(value.ty.clone());
                    value
                }
            });
        }
        let Some(element) = found else {
            return self.needs_type(span, "[]");
        };
        let ty = match expected {
            Some(ty) if ty.is_collection() && !matches!(ty, Type::Map(..)) => ty.clone(),
            Some(ty @ Type::Array { .. }) => ty.clone(),
            _ => {
                let len = Length::Size(TypeSize::Known(all.len() as i64));
                Type::Array { element: Box::new(element), len }
            }
        };
        Some(Expr { kind: ExprKind::List(all), ty, span })
    }

    pub(super) fn repeat(
        &mut self,
        element: &'a syntax::Expr,
        length: Option<&'a syntax::Expr>,
        expected: Option<&Type>,
        span: Span,
    ) -> Option<Expr> {
        let len = match length {
            None => Length::Threads,
            Some(length) => Length::Size(self.scope.length(length)?),
        };
        let wanted = match expected.map(Type::present) {
            Some(Type::Array { element: ty, .. }) => Some(ty),
            _ => None,
        };
        let value = match wanted {
            Some(ty) => self.value_as(element, ty)?,
            None => self.value(element, None)?,
        };
        let ty = Type::Array { element: Box::new(value.ty.clone()), len };
        // What is expected has bounds of its own, and the sizes of both must agree.
        if wanted.is_none() {
            if let (Length::Size(len), Some(length)) = (len, length) {
                self.scope.module.bounds.push(Bound::Length { len, span: length.span });
            }
            self.scope.module.bounds.push(Bound::Small { ty: ty.clone(), span: element.span });
        }
        Some(Expr { kind: ExprKind::Repeat(Box::new(value)), ty, span })
    }

    /// A new struct on the heap.
    pub(super) fn new_struct(
        &mut self,
        name: &'a Name,
        fields: &'a [(Name, syntax::Expr)],
        span: Span,
    ) -> Option<Expr> {
        let Some(kind) = self.scope.struct_id(&name.text) else {
            let close = close(&name.text, self.scope.module.structs.iter().map(|s| s.name.as_str()));
            self.error("E0201", name.span, format!("there is no struct `{}`", name.text)).help =
                close.map(|c| format!("did you mean `{c}`?"));
            return None;
        };
        let decl = self.scope.module.structs[kind.0 as usize].clone();
        self.scope.note(name.span, DefinitionKind::Struct, &name.text, decl.span, None);
        if fields.len() > 2 * decl.fields.len() + 10 {
            let text = format!("`{}` has only {} fields", name.text, decl.fields.len());
            self.error("E0103", span, text);
            return None;
        }
        self.known_fields(kind, fields)?;
        let given = |field: &str| fields.iter().any(|(n, _)| n.text == field);
        let mut missing: Vec<_> = decl
            .fields
            .iter()
            .filter(|f| *f.ty.cell() != Type::Lock && !given(&f.name))
            .map(|f| format!("`{}`", f.name))
            .collect();
        if !missing.is_empty() && self.scope.module.memory != Memory::Pool {
            missing.sort();
            let text = format!("`new {}` does not say what {} holds", name.text, missing.join(", "));
            self.error("E0217", span, text).help = Some("name every field except locks".into());
            return None;
        }
        let mut values = Vec::new();
        for (field_name, value) in fields {
            let at = decl.fields.iter().position(|f| f.name == field_name.text)?;
            let field = &decl.fields[at];
            self.scope.note(field_name.span, DefinitionKind::Field, &field.name, field.span, Some(&field.ty));
            values.push((at as u32, self.value_as(value, &field.ty)?));
        }
        Some(Expr { kind: ExprKind::New { kind, fields: values }, ty: Type::Ref(kind), span })
    }

    /// Reports fields that the struct does not have, or that are given twice.
    fn known_fields(&mut self, kind: StructId, fields: &[(Name, syntax::Expr)]) -> Option<()> {
        let before = self.scope.diagnostics.len();
        for (i, (name, _)) in fields.iter().enumerate() {
            let decl = &self.scope.module.structs[kind.0 as usize];
            if self.scope.poisoned.contains(&format!("{}.{}", decl.name, name.text)) {
                return None;
            }
            if !decl.fields.iter().any(|f| f.name == name.text) {
                self.no_field(kind, name);
            } else if fields[..i].iter().any(|(n, _)| n.text == name.text) {
                self.error("E0102", name.span, format!("`{}` is given twice", name.text));
            }
        }
        (self.scope.diagnostics.len() == before).then_some(())
    }

    /// Reports a field that a struct does not have.
    pub(super) fn no_field(&mut self, kind: StructId, name: &Name) {
        let decl = &self.scope.module.structs[kind.0 as usize];
        let close = close(&name.text, decl.fields.iter().map(|f| f.name.as_str()));
        let text = format!("`{}` has no field `{}`", decl.name, name.text);
        self.error("E0103", name.span, text).help = close.map(|c| format!("did you mean `{c}`?"));
    }
}
