//! `let` patterns and `match`.

use std::collections::HashMap;

use super::routine::{Binding, Body};
use super::words::close;
use crate::syntax::{self, PatternKind as Written, Stmt};
use crate::typed::{Arm, EnumId, Pattern, PatternKind, StmtKind, Type};

impl<'a> Body<'_, 'a> {
    /// Declares the variables of a `let`.
    pub(super) fn bind_pattern(&mut self, pattern: &'a syntax::Pattern, ty: &Type) -> Option<Pattern> {
        let kind = match &pattern.kind {
            Written::Name(name) => PatternKind::Bind(self.declare(name, ty.clone(), pattern.span)),
            Written::Wildcard => PatternKind::Wildcard,
            Written::Tuple(parts) => {
                let Type::Tuple(types) = ty.present() else {
                    let text =
                        format!("this takes a tuple apart, and the value is {}", self.scope.module.a(ty));
                    self.error("E0210", pattern.span, text);
                    return None;
                };
                if types.len() != parts.len() {
                    let text = format!("the tuple has {} components, not {}", types.len(), parts.len());
                    self.error("E0210", pattern.span, text);
                    return None;
                }
                let mut all = Vec::new();
                for (part, ty) in parts.iter().zip(types) {
                    all.push(self.bind_pattern(part, &ty.clone().widened())?);
                }
                PatternKind::Tuple(all)
            }
            _ => {
                self.error("E0238", pattern.span, "this pattern may not fit").help =
                    Some("use `match` to tell the cases apart".into());
                return None;
            }
        };
        Some(Pattern { kind, span: pattern.span })
    }

    /// The variables of a `let` that is wrong: later uses are not reported again.
    pub(super) fn poison(&mut self, pattern: &syntax::Pattern) {
        match &pattern.kind {
            Written::Name(name) => self.bind(name, Binding::Poison),
            Written::Tuple(parts) | Written::Variant { payload: parts, .. } => {
                parts.iter().for_each(|p| self.poison(p));
            }
            _ => {}
        }
    }

    pub(super) fn matching(
        &mut self,
        stmt: &'a Stmt,
        value: &'a syntax::Expr,
        arms: &'a [syntax::Arm],
    ) -> Option<StmtKind> {
        let value = self.value(value, None)?;
        self.exhaustive(&value.ty, arms, stmt);
        let mut without_none = false;
        let mut all = Vec::new();
        for arm in arms {
            let ty = if without_none { value.ty.present() } else { &value.ty };
            self.scopes.push(HashMap::new());
            let pattern = self.test(&arm.pattern, ty);
            let body = pattern.is_some().then(|| self.block(&arm.body));
            self.scopes.pop();
            if let (Some(pattern), Some(body)) = (pattern, body) {
                all.push(Arm { pattern, body });
                without_none |= matches!(arm.pattern.kind, Written::None | Written::Null);
            }
        }
        Some(StmtKind::Match { value, arms: all })
    }

    fn test(&mut self, pattern: &'a syntax::Pattern, ty: &Type) -> Option<Pattern> {
        let inner = ty.present();
        let kind = match &pattern.kind {
            Written::Wildcard => PatternKind::Wildcard,
            Written::Name(name) => match self.variant_of(name, inner) {
                Some((id, variant)) => {
                    self.scope.note_variant(pattern.span, id, variant);
                    PatternKind::Variant(variant, Vec::new())
                }
                None => PatternKind::Bind(self.declare(name, ty.clone().widened(), pattern.span)),
            },
            Written::Tuple(parts) => {
                let Type::Tuple(types) = inner else { return self.misfit(pattern, ty) };
                if types.len() != parts.len() {
                    return self.misfit(pattern, ty);
                }
                PatternKind::Tuple(self.tests(parts, types)?)
            }
            Written::Variant { name, payload } => {
                let Type::Enum(e) = *inner else { return self.misfit(pattern, ty) };
                let Some((id, variant)) = self.variant_of(&name.text, inner) else {
                    let names: Vec<String> = self.scope.module.enums[e.0 as usize]
                        .variants
                        .iter()
                        .map(|v| v.name.clone())
                        .collect();
                    let close = close(&name.text, names.iter().map(String::as_str));
                    let text = format!("`{}` has no variant `{}`", self.scope.module.show(inner), name.text);
                    self.error("E0106", name.span, text).help = close.map(|c| format!("did you mean `{c}`?"));
                    return None;
                };
                let types = self.scope.module.enums[e.0 as usize].variants[variant as usize].payload.clone();
                if types.len() != payload.len() {
                    let s = if types.len() == 1 { "" } else { "s" };
                    let text =
                        format!("`{}` carries {} value{s}, not {}", name.text, types.len(), payload.len());
                    self.error("E0214", pattern.span, text);
                    return None;
                }
                self.scope.note_variant(name.span, id, variant);
                PatternKind::Variant(variant, self.tests(payload, &types)?)
            }
            Written::None => match ty {
                Type::Optional(t) if !matches!(**t, Type::Ref(_)) => PatternKind::None,
                _ => return self.misfit(pattern, ty),
            },
            Written::Null if matches!(inner, Type::Ref(_)) => PatternKind::Null,
            Written::Bool(b) if *inner == Type::Bool => PatternKind::Bool(*b),
            Written::Int(i) if inner.is_number() => match i32::try_from(*i) {
                Ok(i) => PatternKind::Int(i),
                Err(_) => return self.misfit(pattern, ty),
            },
            Written::Null | Written::Bool(_) | Written::Int(_) => return self.misfit(pattern, ty),
        };
        Some(Pattern { kind, span: pattern.span })
    }

    fn tests(&mut self, patterns: &'a [syntax::Pattern], types: &[Type]) -> Option<Vec<Pattern>> {
        patterns.iter().zip(types).map(|(pattern, ty)| self.test(pattern, ty)).collect()
    }

    /// A variant of the enum that the type is.
    fn variant_of(&mut self, name: &str, ty: &Type) -> Option<(EnumId, u16)> {
        let Type::Enum(e) = *ty else { return None };
        self.scope.variant(name, Some(ty)).filter(|(id, _)| *id == e)
    }

    fn misfit<T>(&mut self, pattern: &syntax::Pattern, ty: &Type) -> Option<T> {
        let text = format!("this pattern never fits {}", self.scope.module.a(ty));
        self.error("E0202", pattern.span, text);
        None
    }

    /// Reports variants of an enum for which no arm stands.
    fn exhaustive(&mut self, ty: &Type, arms: &'a [syntax::Arm], stmt: &Stmt) {
        let Type::Enum(e) = *ty else { return };
        let variants: Vec<String> =
            self.scope.module.enums[e.0 as usize].variants.iter().map(|v| v.name.clone()).collect();
        let mut missing = variants.clone();
        for arm in arms {
            match &arm.pattern.kind {
                Written::Wildcard => return,
                Written::Name(name) if variants.contains(name) => missing.retain(|m| m != name),
                Written::Name(_) => return,
                Written::Variant { name, .. } => missing.retain(|m| *m != name.text),
                _ => {}
            }
        }
        if !missing.is_empty() {
            let text = format!("`match` has no arm for {}", missing.join(", "));
            self.error("E0239", stmt.span, text).help = Some("add the arm, or `_ => …`".into());
        }
    }
}
