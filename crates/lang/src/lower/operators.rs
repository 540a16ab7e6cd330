//! Operators, conditions and conditional expressions.

use trueline_base::Span;

use super::body::Body;
use super::env::{Env, strip_optional};
use super::expr::Typed;
use super::fold::fold;
use super::place::Lvalue;
use super::types::{comparand, is_number, optional, widened};
use crate::ir::{BinaryOp, Expr, InstrKind, Slot, Ty};
use crate::syntax::{self, ExprKind, UnaryOp};

impl<'a> Body<'_, 'a> {
    pub(super) fn binary(
        &mut self,
        op: syntax::BinaryOp,
        left: &'a syntax::Expr,
        right: &'a syntax::Expr,
        span: Span,
    ) -> Option<Typed> {
        let Some(op) = arithmetic(op) else {
            return self.short_circuit(op, left, right);
        };
        if matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
            return self.equality(op, left, right, span);
        }
        let a = self.operand(op, left)?;
        let a = if self.simple(right) { a } else { self.spill(a, &Ty::Int) };
        let b = self.operand(op, right)?;
        let compares = matches!(op, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge);
        let ty = if compares { Ty::Bool } else { Ty::Int };
        Some((Expr::Binary(op, Box::new(a), Box::new(b)), ty))
    }

    /// An operand of arithmetic.
    fn operand(&mut self, op: BinaryOp, e: &'a syntax::Expr) -> Option<Expr> {
        let (expr, ty) = self.value(e, Some(&Ty::Int))?;
        self.number_of(op, expr, &ty, e.span)
    }

    /// A value that an operator takes as a number.
    fn number_of(&mut self, op: BinaryOp, expr: Expr, ty: &Ty, span: Span) -> Option<Expr> {
        let help = match (op, strip_optional(ty)) {
            (BinaryOp::BitAnd, Ty::Bool) => "`&` works on the bits of numbers; write `&&`",
            (BinaryOp::BitOr, Ty::Bool) => "`|` works on the bits of numbers; write `||`",
            (BinaryOp::BitXor, Ty::Bool) => "`^` works on the bits of numbers; write `!=`",
            (BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge, Ty::Tuple(_)) => {
                "tuples have no order; compare their components: `a.0 < b.0`"
            }
            _ => return self.env.coerce(expr, ty, &Ty::Int, span),
        };
        let text = format!("expected `int`, found `{}`", self.env.show(ty));
        self.error("E0202", span, text).help = Some(help.into());
        None
    }

    /// What `place += value` stores, with the operator of that assignment.
    pub(super) fn updated(
        &mut self,
        place: &Lvalue,
        span: Span,
        op: syntax::BinaryOp,
        value: &'a syntax::Expr,
    ) -> Option<Expr> {
        let op = arithmetic(op)?;
        let (now, ty) = self.read(place.clone(), span)?;
        let now = self.number_of(op, now, &ty, span)?;
        let now = if self.simple(value) { now } else { self.spill(now, &Ty::Int) };
        let amount = self.operand(op, value)?;
        let sum = fold(Expr::Binary(op, Box::new(now), Box::new(amount)));
        self.env.coerce(sum, &Ty::Int, &place.ty, span)
    }

    fn equality(
        &mut self,
        op: BinaryOp,
        left: &'a syntax::Expr,
        right: &'a syntax::Expr,
        span: Span,
    ) -> Option<Typed> {
        // A literal takes its type from the other side; literals emit no code, so the order does not matter.
        let (a, b, left_ty, right_ty) = if self.is_literal(left) && !self.is_literal(right) {
            let (b, right_ty) = self.value(right, None)?;
            let (a, left_ty) = self.value(left, Some(&comparand(&right_ty)))?;
            (a, b, left_ty, right_ty)
        } else {
            let (a, left_ty) = self.value(left, None)?;
            let a = if self.simple(right) { a } else { self.spill(a, &left_ty) };
            let (b, right_ty) = self.value(right, Some(&comparand(&left_ty)))?;
            (a, b, left_ty, right_ty)
        };
        let client = self.client
            && matches!(
                (strip_optional(&left_ty), strip_optional(&right_ty)),
                (Ty::Val, Ty::Tid) | (Ty::Tid, Ty::Val)
            );
        if !Env::comparable(&left_ty, &right_ty) && !client {
            let text = format!(
                "`{}` and `{}` cannot be compared",
                self.env.show(&left_ty),
                self.env.show(&right_ty)
            );
            let d = self.error("E0215", span, text);
            d.help = match (strip_optional(&left_ty), strip_optional(&right_ty)) {
                (Ty::Tid, t) | (t, Ty::Tid) if is_number(t) => {
                    Some("a thread number is no number: `self as int` makes one of it".into())
                }
                (Ty::Val, t) | (t, Ty::Val) if is_number(t) => Some(
                    "a `val` is opaque; declare it as `int` or a range to compare it with numbers".into(),
                ),
                (Ty::Val, Ty::Tid) | (Ty::Tid, Ty::Val) => {
                    Some("`self as val` makes a value of a thread number".into())
                }
                (Ty::Lock, Ty::Lock) => Some("who holds a lock is not visible; keep a flag beside it".into()),
                _ => None,
            };
            return None;
        }
        Some((Expr::Binary(op, Box::new(a), Box::new(b)), Ty::Bool))
    }

    pub(super) fn short_circuit(
        &mut self,
        op: syntax::BinaryOp,
        left: &'a syntax::Expr,
        right: &'a syntax::Expr,
    ) -> Option<Typed> {
        let a = self.value_as(left, &Ty::Bool)?;
        let is_or = op == syntax::BinaryOp::Or;
        if self.simple(right) {
            let b = self.value_as(right, &Ty::Bool)?;
            let op = if is_or { BinaryOp::Or } else { BinaryOp::And };
            return Some((Expr::Binary(op, Box::new(a), Box::new(b)), Ty::Bool));
        }
        let result = self.temp(Ty::Bool);
        let (more, out) = (self.code.label(), self.code.label());
        self.code.set(result, a);
        let (yes, no) = if is_or { (out, more) } else { (more, out) };
        self.code.branch(Expr::Slot(result), yes, no);
        self.code.bind(more);
        let b = self.value_as(right, &Ty::Bool)?;
        self.code.set(result, b);
        self.code.bind(out);
        Some((Expr::Slot(result), Ty::Bool))
    }

    pub(super) fn choice(
        &mut self,
        condition: &'a syntax::Expr,
        then: &'a syntax::Expr,
        otherwise: &'a syntax::Expr,
        expected: Option<&Ty>,
    ) -> Option<Typed> {
        if self.simple(condition) && self.simple(then) && self.simple(otherwise) {
            let c = self.value_as(condition, &Ty::Bool)?;
            let (a, b, ty) = self.branches(then, otherwise, expected)?;
            return Some((Expr::If(Box::new(c), Box::new(a), Box::new(b)), ty));
        }
        let (yes, no, out) = (self.code.label(), self.code.label(), self.code.label());
        self.condition(condition, yes, no)?;
        self.code.bind(yes);
        if self.is_literal(then) && expected.is_none() {
            // It emits no code, and its type comes from the other branch.
            let result = self.temp(Ty::Unit);
            let unset = Expr::Const(trueline_base::Value::Unit);
            let first = self.code.emit(InstrKind::Set { slot: result, value: unset });
            self.code.jump(out);
            self.code.bind(no);
            let (a, b, ty) = self.branches(then, otherwise, expected)?;
            self.code.instrs[first].kind = InstrKind::Set { slot: result, value: a };
            return Some(self.second_branch(result, b, ty, out));
        }
        let (a, first_ty) = match expected {
            Some(ty) => (self.value_as(then, ty)?, ty.clone()),
            None => self.value(then, None)?,
        };
        let result = self.temp(first_ty.clone());
        let first = self.code.emit(InstrKind::Set { slot: result, value: a.clone() });
        self.code.jump(out);
        self.code.bind(no);
        let (b, ty) = match expected {
            Some(ty) => (self.value_as(otherwise, ty)?, ty.clone()),
            None => self.second_value(otherwise, &first_ty)?,
        };
        let joined = self.joined((a, first_ty), then.span, (b, ty), otherwise.span)?;
        let (a, b, ty) = joined;
        self.code.instrs[first].kind = InstrKind::Set { slot: result, value: a };
        Some(self.second_branch(result, b, ty, out))
    }

    /// The end of a conditional whose second branch gives `value`.
    fn second_branch(&mut self, result: Slot, value: Expr, ty: Ty, out: super::code::Label) -> Typed {
        self.code.slots[result.0 as usize].ty = ty.clone();
        self.code.set(result, value);
        self.code.bind(out);
        (Expr::Slot(result), ty)
    }

    /// The two branches of a conditional one of which emits no code, with the type that both have.
    fn branches(
        &mut self,
        then: &'a syntax::Expr,
        otherwise: &'a syntax::Expr,
        expected: Option<&Ty>,
    ) -> Option<(Expr, Expr, Ty)> {
        if let Some(ty) = expected {
            return Some((self.value_as(then, ty)?, self.value_as(otherwise, ty)?, ty.clone()));
        }
        let (a, b) = if self.is_literal(then) && !self.is_literal(otherwise) {
            let b = self.value(otherwise, None)?;
            (self.second_value(then, &b.1)?, b)
        } else {
            let a = self.value(then, None)?;
            let b = self.second_value(otherwise, &a.1)?;
            (a, b)
        };
        self.joined(a, then.span, b, otherwise.span)
    }

    /// The branch of a conditional whose other branch has this type. A literal takes it from there.
    fn second_value(&mut self, e: &'a syntax::Expr, other: &Ty) -> Option<Typed> {
        let mut inner = e;
        while let ExprKind::Paren(within) = &inner.kind {
            inner = within;
        }
        let hint = widened(other.clone());
        match (&inner.kind, strip_optional(&hint)) {
            (ExprKind::If { .. }, _) => self.value(e, None),
            (ExprKind::Tuple(parts), Ty::Tuple(types)) if parts.len() == types.len() => {
                self.tuple(parts, |body, i, part| body.second_value(part, &types[i]))
            }
            _ if self.is_literal(e) => self.value(e, Some(&optional(&hint))),
            _ => self.value(e, Some(&hint)),
        }
    }

    /// Two branches as values of the type that they have in common.
    fn joined(
        &mut self,
        (a, first): Typed,
        first_span: Span,
        (b, second): Typed,
        second_span: Span,
    ) -> Option<(Expr, Expr, Ty)> {
        let ty = self.env.join(&first, &second).unwrap_or_else(|| first.clone());
        let b = self.env.coerce(b, &second, &ty, second_span)?;
        let a = self.env.coerce(a, &first, &ty, first_span)?;
        Some((a, b, ty))
    }

    /// Whether the expression takes its type from what it is compared with. Evaluating it emits no code.
    pub(super) fn is_literal(&self, e: &syntax::Expr) -> bool {
        match &e.kind {
            ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::None | ExprKind::Null => true,
            ExprKind::Paren(inner) => self.is_literal(inner),
            ExprKind::Tuple(parts) => parts.iter().any(|p| self.is_literal(p)) && self.simple(e),
            ExprKind::Name(name) => self.lookup(name).is_none() && self.env.variable(name).is_none(),
            ExprKind::List(_) => self.simple(e),
            _ => false,
        }
    }

    /// Evaluates a condition and goes on at one of two labels.
    pub fn condition(
        &mut self,
        e: &'a syntax::Expr,
        yes: super::code::Label,
        no: super::code::Label,
    ) -> Option<()> {
        match &e.kind {
            ExprKind::Paren(inner) => self.condition(inner, yes, no),
            ExprKind::Unary { op: UnaryOp::Not, operand } => self.condition(operand, no, yes),
            ExprKind::Binary { op: op @ (syntax::BinaryOp::And | syntax::BinaryOp::Or), left, right }
                if !self.simple(right) =>
            {
                let more = self.code.label();
                if *op == syntax::BinaryOp::And {
                    self.condition(left, more, no)?;
                } else {
                    self.condition(left, yes, more)?;
                }
                self.code.bind(more);
                self.condition(right, yes, no)
            }
            _ => {
                let condition = self.value_as(e, &Ty::Bool)?;
                self.code.branch(condition, yes, no);
                Some(())
            }
        }
    }
}

/// The operator on values; none for those that may leave out their right operand.
fn arithmetic(op: syntax::BinaryOp) -> Option<BinaryOp> {
    use syntax::BinaryOp as S;
    Some(match op {
        S::And | S::Or => return None,
        S::Eq => BinaryOp::Eq,
        S::Ne => BinaryOp::Ne,
        S::Lt => BinaryOp::Lt,
        S::Le => BinaryOp::Le,
        S::Gt => BinaryOp::Gt,
        S::Ge => BinaryOp::Ge,
        S::BitOr => BinaryOp::BitOr,
        S::BitXor => BinaryOp::BitXor,
        S::BitAnd => BinaryOp::BitAnd,
        S::Shl => BinaryOp::Shl,
        S::Shr => BinaryOp::Shr,
        S::Add => BinaryOp::Add,
        S::Sub => BinaryOp::Sub,
        S::Mul => BinaryOp::Mul,
        S::Div => BinaryOp::Div,
        S::Rem => BinaryOp::Rem,
    })
}
