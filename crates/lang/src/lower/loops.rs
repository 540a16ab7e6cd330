//! Loops: what they run over, where `break` and `continue` lead; quantifiers, which are loops that give a value.

use trueline_base::{Span, Value};

use super::body::{Body, LoopContext};
use super::code::JumpLabel;
use super::stmt::minus_one;
use crate::ir::{BinaryOp, Expr, InstrKind, Method, Ty};
use crate::typed::{self, LocalId, Over};

impl<'m> Body<'m, '_> {
    /// The body of a loop, whose `continue` and `break` go to these labels.
    pub(super) fn loop_body(&mut self, body: &'m typed::Block, again: JumpLabel, out: JumpLabel) {
        self.loops.push(LoopContext { out, again, atomic: self.atomic });
        self.block(body);
        self.loops.pop();
    }

    /// Leaves the atomic block when the jump's target stands outside of it.
    pub(super) fn leave(&mut self, target_is_atomic: bool) {
        if self.atomic && !target_is_atomic && !self.module.is_spec {
            self.code.emit(InstrKind::Leave);
        }
    }

    /// `break` or `continue` of the loop that has `depth` loops inside it, around the statement.
    pub(super) fn jump_out(&mut self, depth: usize, breaks: bool) {
        let target = &self.loops[self.loops.len() - 1 - depth];
        let to = if breaks { target.out } else { target.again };
        let atomic = target.atomic;
        self.leave(atomic);
        self.code.jump(to);
    }

    /// `forall x in r { e }`: true unless some `e` is false, which ends it; `exists` likewise.
    pub(super) fn quantified(
        &mut self,
        all: bool,
        variable: LocalId,
        over: &'m Over,
        body: &'m typed::Expr,
    ) -> Option<Expr> {
        let result = self.temp(Ty::Bool);
        let truth = |b| Expr::Const(Value::Bool(b));
        self.code.emit(InstrKind::Set { slot: result, value: truth(all) });
        let before = self.accesses;
        let span = self.frame().locals[variable.0 as usize].span;
        self.counting(variable, span, over, |inner, again, out| {
            let decided = inner.code.label();
            let (yes, no) = if all { (again, decided) } else { (decided, again) };
            inner.condition(body, yes, no)?;
            inner.code.bind(decided);
            inner.code.emit(InstrKind::Set { slot: result, value: truth(!all) });
            inner.code.jump(out);
            Some(())
        })?;
        // Once around the loop is not all: `await` must not take it for one access.
        if self.accesses > before {
            self.accesses += 1;
        }
        Some(Expr::Slot(result))
    }

    /// Runs `body` with the variable at each value in turn. The labels lead to the next value and out of the loop.
    pub(super) fn counting(
        &mut self,
        variable: LocalId,
        span: Span,
        over: &'m Over,
        body: impl FnOnce(&mut Self, JumpLabel, JumpLabel) -> Option<()>,
    ) -> Option<()> {
        let int = |i| Expr::Const(Value::Int(i));
        // `items` is what the counter indexes, `None` when the counter is the variable.
        let (items, low, high, reverse) = match over {
            Over::Range { reverse, low, high, inclusive } => {
                let from = self.value(low)?;
                let from = self.spill_unless(high.simple(), from, &low.ty);
                let to = self.value(high)?;
                (None, from, if *inclusive { to } else { minus_one(to) }, *reverse)
            }
            Over::Threads => {
                let n = self.instance.threads;
                let threads = Value::Array((0..n).map(|t| Value::Tid(t as u8)).collect());
                (Some(Expr::Const(threads)), int(0), int(n as i32 - 1), false)
            }
            Over::Collection(e) => {
                let value = self.value(e)?;
                let ty = self.ty(&e.ty);
                let items = self.spill(value, &ty);
                let last = match ty {
                    Ty::Array { len, .. } => int(len as i32 - 1),
                    _ => minus_one(Expr::Query(Method::Len, Box::new(items.clone()), Vec::new())),
                };
                (Some(items), int(0), last, false)
            }
        };
        let (from, to) = if reverse { (high, low) } else { (low, high) };
        let counter = self.temp(Ty::Int);
        let last = self.temp(Ty::Int);
        self.code.set(counter, from);
        self.code.set(last, to);
        let (head, inside, again, out) =
            (self.code.label(), self.code.label(), self.code.label(), self.code.label());
        self.code.bind(head);
        let op = if reverse { BinaryOp::Ge } else { BinaryOp::Le };
        let more = Expr::Binary(op, Box::new(Expr::Slot(counter)), Box::new(Expr::Slot(last)));
        self.code.branch(more, inside, out);
        self.code.bind(inside);
        let current = match items {
            None => Expr::Slot(counter),
            Some(items) => Expr::Element(Box::new(items), Box::new(Expr::Slot(counter))),
        };
        self.declare(variable, current);
        body(self, again, out)?;
        self.code.bind(again);
        self.code.span = span;
        // Leaving by equality keeps the counter inside 32 bits.
        let done = Expr::Binary(BinaryOp::Eq, Box::new(Expr::Slot(counter)), Box::new(Expr::Slot(last)));
        let next = self.code.label();
        self.code.branch(done, out, next);
        self.code.bind(next);
        let step = Expr::Binary(
            BinaryOp::Add,
            Box::new(Expr::Slot(counter)),
            Box::new(int(if reverse { -1 } else { 1 })),
        );
        self.code.set(counter, step);
        self.code.jump(inside);
        self.code.bind(out);
        Some(())
    }
}
