//! Conditions, and conditional expressions.

use super::body::Body;
use super::code::JumpLabel;
use crate::ir::{BinaryOp, Expr, InstrKind, Ty};
use crate::typed::{self, ExprKind, Type};

impl<'m> Body<'m, '_> {
    /// `&&`, or `||` where `is_or`.
    pub(super) fn short_circuit(
        &mut self,
        is_or: bool,
        left: &'m typed::Expr,
        right: &'m typed::Expr,
    ) -> Option<Expr> {
        let a = self.value(left)?;
        if right.simple() {
            let b = self.value(right)?;
            let op = if is_or { BinaryOp::Or } else { BinaryOp::And };
            return Some(Expr::Binary(op, Box::new(a), Box::new(b)));
        }
        let result = self.temp(Ty::Bool);
        let (more, out) = (self.code.label(), self.code.label());
        self.code.set(result, a);
        let (yes, no) = if is_or { (out, more) } else { (more, out) };
        self.code.branch(Expr::Slot(result), yes, no);
        self.code.bind(more);
        let b = self.value(right)?;
        self.code.set(result, b);
        self.code.bind(out);
        Some(Expr::Slot(result))
    }

    /// `if c { a } else { b }` as an expression.
    pub(super) fn choice(
        &mut self,
        condition: &'m typed::Expr,
        then: &'m typed::Expr,
        otherwise: &'m typed::Expr,
        ty: &Type,
    ) -> Option<Expr> {
        if condition.simple() && then.simple() && otherwise.simple() {
            let c = self.value(condition)?;
            let (a, b) = (self.value(then)?, self.value(otherwise)?);
            return Some(Expr::If(Box::new(c), Box::new(a), Box::new(b)));
        }
        let (yes, no, out) = (self.code.label(), self.code.label(), self.code.label());
        self.condition(condition, yes, no)?;
        self.code.bind(yes);
        let a = self.value(then)?;
        let ty = self.ty(ty);
        let result = self.temp(ty);
        self.code.emit(InstrKind::Set { slot: result, value: a });
        self.code.jump(out);
        self.code.bind(no);
        let b = self.value(otherwise)?;
        self.code.set(result, b);
        self.code.bind(out);
        Some(Expr::Slot(result))
    }

    /// Evaluates a condition and goes on at one of two labels.
    pub(super) fn condition(&mut self, e: &'m typed::Expr, yes: JumpLabel, no: JumpLabel) -> Option<()> {
        match &e.kind {
            ExprKind::Not(operand) => self.condition(operand, no, yes),
            ExprKind::And(left, right) | ExprKind::Or(left, right) if !right.simple() => {
                let more = self.code.label();
                if matches!(e.kind, ExprKind::And(..)) {
                    self.condition(left, more, no)?;
                } else {
                    self.condition(left, yes, more)?;
                }
                self.code.bind(more);
                self.condition(right, yes, no)
            }
            _ => {
                let condition = self.value(e)?;
                self.code.branch(condition, yes, no);
                Some(())
            }
        }
    }
}
