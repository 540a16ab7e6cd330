//! Loops: what they run over, where `break` and `continue` lead; quantifiers, which are loops that give a value.

use std::collections::HashMap;

use trueline_base::Value;

use super::body::{Body, LoopContext};
use super::code::Label;
use super::expr::Typed;
use super::stmt::minus_one;
use crate::ir::{BinaryOp, Expr, InstrKind, Ty};
use crate::syntax::{self, ForOver, Name, Stmt};

impl<'a> Body<'_, 'a> {
    /// The body of a loop, whose `continue` and `break` go to these labels.
    pub(super) fn loop_body(&mut self, stmt: &'a Stmt, body: &'a syntax::Block, again: Label, out: Label) {
        let floor = self.returns.last().map_or(0, |r| r.loops);
        if let Some(label) = &stmt.label
            && self.loops[floor..].iter().any(|l| l.label == Some(&label.text))
        {
            let text = format!("a loop around this one has the label `'{}` already", label.text);
            self.error("E0102", label.span, text).help = Some("give one of them another name".into());
        }
        let label = stmt.label.as_ref().map(|label| label.text.as_str());
        self.loops.push(LoopContext { label, out, again, atomic: self.atomic });
        self.block(body);
        self.loops.pop();
    }

    /// Leaves the atomic block when the jump's target stands outside of it.
    pub(super) fn leave(&mut self, target_is_atomic: bool) {
        if self.atomic && !target_is_atomic && !self.env.is_spec {
            self.code.emit(InstrKind::Leave);
        }
    }

    /// `break` or `continue`, out of or on with the loop that has the label, or else the innermost one.
    pub(super) fn jump_out(&mut self, stmt: &'a Stmt, word: &str, label: Option<&'a Name>) -> Option<()> {
        let floor = self.returns.last().map_or(0, |r| r.loops);
        let wanted = label.map(|label| label.text.as_str());
        let mut around = self.loops[floor..].iter().rev();
        let Some(target) = around.find(|l| wanted.is_none() || l.label == wanted) else {
            match label {
                None => self.error("E0233", stmt.span, format!("`{word}` stands outside of a loop")),
                Some(label) => {
                    let text = format!("no loop around this one has the label `'{}`", label.text);
                    self.error("E0233", label.span, text)
                }
            };
            return None;
        };
        let to = if word == "break" { target.out } else { target.again };
        let atomic = target.atomic;
        self.leave(atomic);
        self.code.jump(to);
        self.no_mark(stmt)
    }

    /// `forall x in r { e }`: true unless some `e` is false, which ends it; `exists` likewise.
    pub(super) fn quantified(
        &mut self,
        all: bool,
        variable: &'a Name,
        over: &'a ForOver,
        body: &'a syntax::Expr,
    ) -> Option<Typed> {
        let result = self.temp(Ty::Bool);
        let truth = |b| Expr::Const(Value::Bool(b));
        self.code.emit(InstrKind::Set { slot: result, value: truth(all) });
        let before = self.accesses;
        self.counting(variable, over, true, |inner, again, out| {
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
        Some((Expr::Slot(result), Ty::Bool))
    }

    /// Runs `body` with the variable at each value in turn. The labels lead to the next value and out of the loop.
    /// Sets and multisets have an order only where it cannot be seen (`unordered`).
    pub(super) fn counting(
        &mut self,
        variable: &'a syntax::Name,
        over: &'a ForOver,
        unordered: bool,
        body: impl FnOnce(&mut Self, Label, Label) -> Option<()>,
    ) -> Option<()> {
        let int = |i| Expr::Const(Value::Int(i));
        // `items` is what the counter indexes, `None` when the counter is the variable.
        let (items, element, low, high, reverse) = match over {
            ForOver::Range { reverse, low, high, inclusive } => {
                let low = self.value_as(low, &Ty::Int)?;
                let low = if self.simple(high) { low } else { self.spill(low, &Ty::Int) };
                let high = self.value_as(high, &Ty::Int)?;
                (None, Ty::Int, low, if *inclusive { high } else { minus_one(high) }, *reverse)
            }
            ForOver::Threads => {
                let n = self.env.threads;
                let threads = Value::Array((0..n).map(|t| Value::Tid(t as u8)).collect());
                (Some(Expr::Const(threads)), Ty::Tid, int(0), int(n as i32 - 1), false)
            }
            ForOver::Collection(e) => {
                let (value, ty) = self.value(e, None)?;
                let items = self.spill(value, &ty);
                let ordered = matches!(ty, Ty::Seq(_));
                match ty {
                    Ty::Seq(element) | Ty::Set(element) | Ty::Multiset(element) if unordered || ordered => {
                        let len = Expr::Query(crate::ir::Method::Len, Box::new(items.clone()), Vec::new());
                        (Some(items), *element, int(0), minus_one(len), false)
                    }
                    Ty::Array { element, len, .. } => {
                        (Some(items), *element, int(0), int(len as i32 - 1), false)
                    }
                    other => {
                        let set = matches!(other, Ty::Set(_) | Ty::Multiset(_));
                        let (word, all) = match unordered {
                            true => ("a quantifier", "threads, sequences and sets"),
                            false => ("`for`", "threads and sequences"),
                        };
                        let text = format!("{word} runs over ranges, {all}, not over {}", self.env.a(&other));
                        self.error("E0202", e.span, text).help =
                            (set && !unordered).then(|| "`forall` and `exists` look at every element".into());
                        return None;
                    }
                }
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
        self.scopes.push(HashMap::new());
        let current = match items {
            None => Expr::Slot(counter),
            Some(items) => Expr::Element(Box::new(items), Box::new(Expr::Slot(counter))),
        };
        self.declare(&variable.text, element, current);
        let done = body(self, again, out);
        self.scopes.pop();
        done?;
        self.code.bind(again);
        self.code.span = variable.span;
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
