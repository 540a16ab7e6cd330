//! Expressions: accesses become instructions, what is left is an expression over slots.

use trueline_base::{Span, Value};

use super::body::{Binding, Body};
use super::fit::{comparable, fit, strip_optional};
use super::fold::fold;
use crate::ir::{BinaryOp, Expr, Slot, Ty};
use crate::typed::{self, ConstantId, ExprKind, Type};

impl<'m> Body<'m, '_> {
    /// The value of an expression. `None` when a size in it is wrong, which is then reported.
    pub fn value(&mut self, e: &'m typed::Expr) -> Option<Expr> {
        self.raw_value(e).map(fold)
    }

    fn raw_value(&mut self, e: &'m typed::Expr) -> Option<Expr> {
        let constant = |value| Some(Expr::Const(value));
        match &e.kind {
            ExprKind::Int(i) => constant(Value::Int(*i)),
            ExprKind::Bool(b) => constant(Value::Bool(*b)),
            ExprKind::Val(v) => constant(Value::Val(*v)),
            ExprKind::Thread(i) => self.thread(*i, e.span),
            ExprKind::Standing(id) => self.standing(*id, &e.ty, e.span),
            ExprKind::None => constant(Value::None),
            ExprKind::Null => constant(Value::Null),
            ExprKind::SelfTid => Some(Expr::SelfTid),
            ExprKind::Local(local) => Some(match self.lookup(*local) {
                Binding::Slot(slot) => Expr::Slot(*slot),
                Binding::Const(value) => Expr::Const(value.clone()),
            }),
            ExprKind::Persistent(at) => Some(Expr::Slot(Slot(*at as u16))),
            ExprKind::Constant(id) => self.instance.value(*id).cloned().map(Expr::Const),
            ExprKind::Shared(_) | ExprKind::Field { .. } => self.value_at(e),
            ExprKind::Not(operand) => Some(Expr::Not(Box::new(self.value(operand)?))),
            ExprKind::Neg(operand) => Some(Expr::Neg(Box::new(self.value(operand)?))),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, e.span),
            ExprKind::And(left, right) => self.short_circuit(false, left, right),
            ExprKind::Or(left, right) => self.short_circuit(true, left, right),
            ExprKind::TidToInt(operand) => Some(Expr::TidToInt(Box::new(self.value(operand)?))),
            ExprKind::TidToVal(operand) => Some(Expr::TidToVal(Box::new(self.value(operand)?))),
            ExprKind::BoolToInt(operand) => {
                let number = |i| Box::new(Expr::Const(Value::Int(i)));
                Some(Expr::If(Box::new(self.value(operand)?), number(1), number(0)))
            }
            ExprKind::Convert(inner) => {
                let value = self.value(inner)?;
                self.convert(value, &inner.ty, &e.ty, e.span)
            }
            ExprKind::If(condition, then, otherwise) => self.choice(condition, then, otherwise, &e.ty),
            ExprKind::Tuple(parts) => self.values(parts).map(Expr::Tuple),
            ExprKind::List(parts) => self.list(parts, &e.ty, e.span),
            ExprKind::Repeat(element) => {
                let value = self.value(element)?;
                match self.ty(&e.ty) {
                    Ty::Array { len, .. } => Some(Expr::Repeat(Box::new(value), len)),
                    _ => None,
                }
            }
            ExprKind::Variant(variant, parts) => {
                self.values(parts).map(|parts| Expr::Variant(*variant, parts))
            }
            ExprKind::Quantified { all, variable, over, body } => {
                self.quantified(*all, *variable, over, body)
            }
            ExprKind::New { kind, fields } => self.new_struct(*kind, fields),
            ExprKind::Component(object, index) => {
                let tuple = self.value(object)?;
                let tuple = self.convert(tuple, &object.ty, object.ty.present(), e.span)?;
                Some(Expr::Component(Box::new(tuple), *index))
            }
            ExprKind::Index(object, index) => {
                if self.is_place(e) {
                    return self.value_at(e);
                }
                let value = self.value(object)?;
                let value = self.spill_unless(index.simple(), value, &object.ty);
                let index = self.value(index)?;
                Some(Expr::Element(Box::new(value), Box::new(index)))
            }
            ExprKind::Call(helper, args) => self.inline(*helper, args, e.span),
            ExprKind::Primitive(primitive, args) => self.primitive(*primitive, args),
            ExprKind::Method { object, method, changes, args } => {
                self.method(object, *method, *changes, args, &e.ty, e.span)
            }
        }
    }

    /// Values one after the other: what is evaluated later does not change the earlier ones.
    pub(super) fn values(&mut self, parts: &'m [typed::Expr]) -> Option<Vec<Expr>> {
        let mut all = Vec::new();
        for (i, part) in parts.iter().enumerate() {
            let value = self.value(part)?;
            let later = parts[i + 1..].iter().all(|p| p.simple());
            all.push(self.spill_unless(later, value, &part.ty));
        }
        Some(all)
    }

    /// A value of one type as a value of another; reports sizes that do not agree.
    pub(super) fn convert(&mut self, value: Expr, from: &Type, to: &Type, span: Span) -> Option<Expr> {
        let (a, b) = (self.ty(from), self.ty(to));
        if let Some(fitted) = fit(value, &a, &b) {
            return Some(fold(fitted));
        }
        let text = format!("expected `{}`, found `{}`", self.module.show(to), self.module.show(from));
        self.error("E0202", span, text).help = Some("their sizes differ here".into());
        None
    }

    fn thread(&mut self, i: i64, span: Span) -> Option<Expr> {
        let threads = self.instance.threads;
        if i < 1 || i > i64::from(threads) {
            let text = format!("there is no thread {i}: threads are 1 to {threads}");
            self.error("E0212", span, text);
            return None;
        }
        Some(Expr::Const(Value::Tid(i as u8 - 1)))
    }

    /// A number that stands for a value or a thread.
    fn standing(&mut self, id: ConstantId, ty: &Type, span: Span) -> Option<Expr> {
        let Some(Value::Int(i)) = self.instance.value(id) else { return None };
        let i = *i;
        if *ty == Type::Tid {
            return self.thread(i64::from(i), span);
        }
        match u32::try_from(i) {
            Ok(value) => Some(Expr::Const(Value::Val(value))),
            Err(_) => {
                self.error("E0212", span, "values are counted from 1");
                None
            }
        }
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        left: &'m typed::Expr,
        right: &'m typed::Expr,
        span: Span,
    ) -> Option<Expr> {
        let (a, b) = if left.is_literal() && !right.is_literal() {
            let b = self.value(right)?;
            (self.value(left)?, b)
        } else {
            let a = self.value(left)?;
            let a = self.spill_unless(right.simple(), a, &left.ty);
            (a, self.value(right)?)
        };
        if matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
            let (x, y) = (self.ty(&left.ty), self.ty(&right.ty));
            let standing =
                matches!((strip_optional(&x), strip_optional(&y)), (Ty::Val, Ty::Tid) | (Ty::Tid, Ty::Val));
            if !comparable(&x, &y) && !standing {
                let (x, y) = (self.module.show(&left.ty), self.module.show(&right.ty));
                self.error("E0215", span, format!("`{x}` and `{y}` cannot be compared")).help =
                    Some("their sizes differ here".into());
                return None;
            }
        }
        Some(Expr::Binary(op, Box::new(a), Box::new(b)))
    }
}
