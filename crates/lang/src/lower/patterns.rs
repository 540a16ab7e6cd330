//! `let` patterns and `match`.

use std::collections::HashMap;

use trueline_base::Value;
use trueline_base::verdict::Finding;

use super::body::{Binding, Body};
use super::env::strip_optional;
use super::fold::fold;
use super::types::is_number;
use crate::ir::{BinaryOp, Expr, InstrKind, Ty};
use crate::syntax::{self, Pattern, PatternKind, Stmt};

/// What a pattern asks of a value, and the variables that it binds.
struct Test {
    conditions: Vec<Expr>,
    bindings: Vec<(String, Ty, Expr)>,
}

impl<'a> Body<'_, 'a> {
    /// Declares the variables of a `let`.
    pub fn bind_pattern(&mut self, pattern: &'a Pattern, value: Expr, ty: Ty) -> Option<()> {
        match &pattern.kind {
            PatternKind::Name(name) => {
                self.declare(name, ty, value);
                Some(())
            }
            PatternKind::Wildcard => Some(()),
            PatternKind::Tuple(parts) => {
                let Ty::Tuple(types) = strip_optional(&ty).clone() else {
                    let text = format!("this takes a tuple apart, and the value is {}", self.env.a(&ty));
                    self.error("E0210", pattern.span, text);
                    return None;
                };
                if types.len() != parts.len() {
                    let text = format!("the tuple has {} components, not {}", types.len(), parts.len());
                    self.error("E0210", pattern.span, text);
                    return None;
                }
                let value = self.env.fit(value, &ty, &Ty::Tuple(types.clone()))?;
                let value = self.spill(value, &Ty::Tuple(types.clone()));
                for (i, (part, ty)) in parts.iter().zip(types).enumerate() {
                    let component = fold(Expr::Component(Box::new(value.clone()), i as u16));
                    self.bind_pattern(part, component, super::types::widened(ty))?;
                }
                Some(())
            }
            _ => {
                self.error("E0238", pattern.span, "this pattern may not fit").help =
                    Some("use `match` to tell the cases apart".into());
                None
            }
        }
    }

    /// The variables of a `let` that is wrong: later uses are not reported again.
    pub fn poison(&mut self, pattern: &Pattern) {
        match &pattern.kind {
            PatternKind::Name(name) => self.bind(name, Binding::Poison),
            PatternKind::Tuple(parts) | PatternKind::Variant { payload: parts, .. } => {
                parts.iter().for_each(|p| self.poison(p));
            }
            _ => {}
        }
    }

    pub fn matching(
        &mut self,
        stmt: &'a Stmt,
        value: &'a syntax::Expr,
        arms: &'a [syntax::Arm],
    ) -> Option<()> {
        let (expr, ty) = self.value(value, None)?;
        let subject = match expr {
            e @ (Expr::Slot(_) | Expr::Const(_)) => self.spill_slot(e, &ty),
            other => self.spill(other, &ty),
        };
        self.mark(stmt)?;
        self.exhaustive(&ty, arms, stmt);
        let out = self.code.label();
        let mut without_none = false;
        for arm in arms {
            let mut test = Test { conditions: Vec::new(), bindings: Vec::new() };
            let ty = if without_none { strip_optional(&ty).clone() } else { ty.clone() };
            if self.test(&arm.pattern, subject.clone(), &ty, &mut test).is_none() {
                continue;
            }
            let (yes, no) = (self.code.label(), self.code.label());
            let condition = test
                .conditions
                .into_iter()
                .reduce(|a, b| fold(Expr::Binary(BinaryOp::And, Box::new(a), Box::new(b))))
                .unwrap_or(Expr::Const(Value::Bool(true)));
            self.code.span = arm.pattern.span;
            self.code.branch(condition, yes, no);
            self.code.bind(yes);
            self.scopes.push(HashMap::new());
            for (name, ty, value) in test.bindings {
                self.declare(&name, ty, value);
            }
            self.block(&arm.body);
            self.scopes.pop();
            self.code.jump(out);
            self.code.bind(no);
            without_none |= matches!(arm.pattern.kind, PatternKind::None | PatternKind::Null);
        }
        self.code.span = value.span;
        self.code.emit(InstrKind::Fail(Finding::NoMatch));
        self.code.bind(out);
        Some(())
    }

    /// A variable that an arm's body may assign must not change what later arms look at.
    fn spill_slot(&mut self, expr: Expr, ty: &Ty) -> Expr {
        match expr {
            Expr::Slot(slot) if self.code.slots[slot.0 as usize].name.is_empty() => Expr::Slot(slot),
            other => self.spill(other, ty),
        }
    }

    fn test(&mut self, pattern: &'a Pattern, value: Expr, ty: &Ty, test: &mut Test) -> Option<()> {
        let equals = |value: &Expr, constant: Value| {
            fold(Expr::Binary(BinaryOp::Eq, Box::new(value.clone()), Box::new(Expr::Const(constant))))
        };
        let inner = strip_optional(ty).clone();
        match &pattern.kind {
            PatternKind::Wildcard => {}
            PatternKind::Name(name) => {
                if let Ty::Enum(e) = inner
                    && let Some((found, variant)) = self.env.variant(name, Some(&inner))
                    && found == e
                {
                    test.conditions.push(self.is_variant(&value, ty, variant));
                    return Some(());
                }
                test.bindings.push((name.clone(), super::types::widened(ty.clone()), value));
            }
            PatternKind::Tuple(parts) => {
                let Ty::Tuple(types) = &inner else { return self.misfit(pattern, ty) };
                if types.len() != parts.len() {
                    return self.misfit(pattern, ty);
                }
                if matches!(ty, Ty::Optional(_)) {
                    let present = equals(&value, Value::None);
                    test.conditions.push(Expr::Not(Box::new(present)));
                }
                for (i, (part, ty)) in parts.iter().zip(types).enumerate() {
                    self.test(part, Expr::Component(Box::new(value.clone()), i as u16), ty, test)?;
                }
            }
            PatternKind::Variant { name, payload } => {
                let Ty::Enum(e) = inner else { return self.misfit(pattern, ty) };
                let found = self.env.variant(&name.text, Some(&inner)).filter(|(id, _)| *id == e);
                let Some((_, variant)) = found else {
                    let names: Vec<String> =
                        self.env.module.enums[e as usize].variants.iter().map(|v| v.0.clone()).collect();
                    let close = super::env::Env::close(&name.text, names.iter().map(String::as_str));
                    let text = format!("`{}` has no variant `{}`", self.env.show(&inner), name.text);
                    self.error("E0106", name.span, text).help = close.map(|c| format!("did you mean `{c}`?"));
                    return None;
                };
                let types = self.env.module.enums[e as usize].variants[variant as usize].1.clone();
                if types.len() != payload.len() {
                    let s = if types.len() == 1 { "" } else { "s" };
                    let text =
                        format!("`{}` carries {} value{s}, not {}", name.text, types.len(), payload.len());
                    self.error("E0214", pattern.span, text);
                    return None;
                }
                test.conditions.push(self.is_variant(&value, ty, variant));
                for (i, (part, ty)) in payload.iter().zip(&types).enumerate() {
                    self.test(part, Expr::Payload(Box::new(value.clone()), i as u16), ty, test)?;
                }
            }
            PatternKind::None => {
                if !matches!(ty, Ty::Optional(t) if !matches!(**t, Ty::Ref(_))) {
                    return self.misfit(pattern, ty);
                }
                test.conditions.push(equals(&value, Value::None));
            }
            PatternKind::Null => {
                if !matches!(inner, Ty::Ref(_)) {
                    return self.misfit(pattern, ty);
                }
                test.conditions.push(equals(&value, Value::Null));
            }
            PatternKind::Bool(b) => {
                if inner != Ty::Bool {
                    return self.misfit(pattern, ty);
                }
                test.conditions.push(equals(&value, Value::Bool(*b)));
            }
            PatternKind::Int(i) => match (is_number(&inner), i32::try_from(*i)) {
                (true, Ok(i)) => test.conditions.push(equals(&value, Value::Int(i))),
                _ => return self.misfit(pattern, ty),
            },
        }
        Some(())
    }

    fn is_variant(&self, value: &Expr, ty: &Ty, variant: u16) -> Expr {
        let is = Expr::IsVariant(Box::new(value.clone()), variant);
        match ty {
            Ty::Optional(_) => {
                let none = Expr::Const(Value::None);
                let present = Expr::Binary(BinaryOp::Ne, Box::new(value.clone()), Box::new(none));
                Expr::Binary(BinaryOp::And, Box::new(present), Box::new(is))
            }
            _ => is,
        }
    }

    fn misfit<T>(&mut self, pattern: &Pattern, ty: &Ty) -> Option<T> {
        let text = format!("this pattern never fits {}", self.env.a(ty));
        self.error("E0202", pattern.span, text);
        None
    }

    /// Reports variants of an enum for which no arm stands.
    fn exhaustive(&mut self, ty: &Ty, arms: &'a [syntax::Arm], stmt: &Stmt) {
        let Ty::Enum(e) = *ty else { return };
        let mut missing: Vec<String> =
            self.env.module.enums[e as usize].variants.iter().map(|v| v.0.clone()).collect();
        for arm in arms {
            match &arm.pattern.kind {
                PatternKind::Wildcard => return,
                PatternKind::Name(name) => match missing.iter().position(|m| m == name) {
                    Some(i) => {
                        missing.remove(i);
                    }
                    None if self.env.module.enums[e as usize].variants.iter().any(|v| v.0 == *name) => {}
                    None => return,
                },
                PatternKind::Variant { name, .. } => missing.retain(|m| *m != name.text),
                _ => {}
            }
        }
        if !missing.is_empty() {
            let text = format!("`match` has no arm for {}", missing.join(", "));
            self.error("E0239", stmt.span, text).help = Some("add the arm, or `_ => …`".into());
        }
    }
}
