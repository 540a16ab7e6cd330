//! `let` patterns and `match`.

use trueline_base::Value;
use trueline_base::verdict::Finding;

use super::body::Body;
use super::fit::{fit, strip_optional};
use super::fold::fold;
use crate::ir::{BinaryOp, Expr, InstrKind, Ty};
use crate::typed::{self, LocalId, Pattern, PatternKind, Stmt, Type};

/// What a pattern asks of a value, and the variables that it binds.
#[derive(Default)]
struct Test {
    conditions: Vec<Expr>,
    bindings: Vec<(LocalId, Expr)>,
}

impl<'m> Body<'m, '_> {
    /// Declares the variables of a `let`, of a value of this type.
    pub(super) fn bind_pattern(&mut self, pattern: &'m Pattern, value: Expr, ty: &Type) -> Option<()> {
        match &pattern.kind {
            PatternKind::Bind(local) => self.declare(*local, value),
            PatternKind::Tuple(parts) => {
                let tuple = ty.present();
                let Type::Tuple(types) = tuple else { return None };
                let (from, to) = (self.ty(ty), self.ty(tuple));
                let value = fit(value, &from, &to)?;
                let value = self.spill(value, &to);
                for (i, (part, ty)) in parts.iter().zip(types).enumerate() {
                    let component = fold(Expr::Component(Box::new(value.clone()), i as u16));
                    self.bind_pattern(part, component, &ty.clone().widened())?;
                }
            }
            _ => {}
        }
        Some(())
    }

    pub(super) fn matching(
        &mut self,
        stmt: &'m Stmt,
        value: &'m typed::Expr,
        arms: &'m [typed::Arm],
    ) -> Option<()> {
        let expr = self.value(value)?;
        let ty = self.ty(&value.ty);
        let subject = match expr {
            // A variable that an arm's body may assign must not change what later arms look at.
            Expr::Slot(slot) if self.code.slots[slot.0 as usize].name.is_empty() => Expr::Slot(slot),
            other => self.spill(other, &ty),
        };
        self.mark(stmt)?;
        let out = self.code.label();
        let mut without_none = false;
        for arm in arms {
            let mut test = Test::default();
            let ty = if without_none { strip_optional(&ty) } else { &ty };
            self.test(&arm.pattern, subject.clone(), ty, &mut test);
            let (yes, no) = (self.code.label(), self.code.label());
            let condition = test
                .conditions
                .into_iter()
                .reduce(|a, b| fold(Expr::Binary(BinaryOp::And, Box::new(a), Box::new(b))))
                .unwrap_or(Expr::Const(Value::Bool(true)));
            self.code.span = arm.pattern.span;
            self.code.branch(condition, yes, no);
            self.code.bind(yes);
            for (local, value) in test.bindings {
                self.declare(local, value);
            }
            self.block(&arm.body);
            self.code.jump(out);
            self.code.bind(no);
            without_none |= matches!(arm.pattern.kind, PatternKind::None | PatternKind::Null);
        }
        self.code.span = value.span;
        self.code.emit(InstrKind::Fail(Finding::NoMatch));
        self.code.bind(out);
        Some(())
    }

    fn test(&mut self, pattern: &'m Pattern, value: Expr, ty: &Ty, test: &mut Test) {
        let equals = |value: &Expr, constant: Value| {
            fold(Expr::Binary(BinaryOp::Eq, Box::new(value.clone()), Box::new(Expr::Const(constant))))
        };
        match &pattern.kind {
            PatternKind::Wildcard => {}
            PatternKind::Bind(local) => test.bindings.push((*local, value)),
            PatternKind::Tuple(parts) => {
                let Ty::Tuple(types) = strip_optional(ty).clone() else { return };
                if matches!(ty, Ty::Optional(_)) {
                    let absent = equals(&value, Value::None);
                    test.conditions.push(Expr::Not(Box::new(absent)));
                }
                for (i, (part, ty)) in parts.iter().zip(&types).enumerate() {
                    self.test(part, Expr::Component(Box::new(value.clone()), i as u16), ty, test);
                }
            }
            PatternKind::Variant(variant, payload) => {
                test.conditions.push(is_variant(&value, ty, *variant));
                let Ty::Enum(e) = *strip_optional(ty) else { return };
                let types = self.layout.enums[e.0 as usize].variants[*variant as usize].1.clone();
                for (i, (part, ty)) in payload.iter().zip(&types).enumerate() {
                    self.test(part, Expr::Payload(Box::new(value.clone()), i as u16), ty, test);
                }
            }
            PatternKind::None => test.conditions.push(equals(&value, Value::None)),
            PatternKind::Null => test.conditions.push(equals(&value, Value::Null)),
            PatternKind::Bool(b) => test.conditions.push(equals(&value, Value::Bool(*b))),
            PatternKind::Int(i) => test.conditions.push(equals(&value, Value::Int(*i))),
        }
    }
}

fn is_variant(value: &Expr, ty: &Ty, variant: u16) -> Expr {
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
