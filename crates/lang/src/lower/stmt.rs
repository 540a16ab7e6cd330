//! Statements.

use trueline_base::verdict::Finding;
use trueline_base::{Span, Value};

use super::body::Body;
use super::fold::fold;
use crate::ir::{BinaryOp, Expr, InstrKind};
use crate::typed::{self, Else, Stmt, StmtKind, Type};

impl<'m> Body<'m, '_> {
    /// Lowers one statement; what is wrong in it is reported and the rest goes on.
    pub(super) fn statement(&mut self, stmt: &'m Stmt) {
        self.code.span = own_span(stmt);
        if stmt.mark.is_some() {
            self.last_access = None;
        }
        if self.plain(stmt).is_none() {
            match &stmt.kind {
                StmtKind::Let { pattern, .. } => self.unset(pattern),
                StmtKind::Choose { variable, .. } => _ = self.named_slot(*variable),
                _ => {}
            }
        }
    }

    /// Gives the variables of a `let` that is wrong a place all the same: what follows is looked at, too.
    fn unset(&mut self, pattern: &'m typed::Pattern) {
        match &pattern.kind {
            typed::PatternKind::Bind(local) => _ = self.named_slot(*local),
            typed::PatternKind::Tuple(parts) => parts.iter().for_each(|part| self.unset(part)),
            _ => {}
        }
    }

    /// Puts the mark of the statement on its last access so far.
    pub(super) fn mark(&mut self, stmt: &'m Stmt) -> Option<()> {
        let Some(mark) = &stmt.mark else { return Some(()) };
        let Some((at, success)) = self.last_access else {
            self.no_mark(stmt);
            return None;
        };
        let mut condition = success.map_or(Expr::Const(Value::Bool(true)), Expr::Slot);
        if let Some(e) = &mark.condition {
            let e = self.value(e)?;
            condition = fold(match condition {
                Expr::Const(_) => e,
                c => Expr::Binary(BinaryOp::And, Box::new(c), Box::new(e)),
            });
        }
        self.code.instrs[at].mark = Some(condition);
        Some(())
    }

    /// Reports a mark on a statement that makes no access.
    fn no_mark(&mut self, stmt: &'m Stmt) -> Option<()> {
        if let Some(mark) = &stmt.mark {
            let text = "this statement makes no access that could be a linearization point";
            self.error("E0302", mark.span, text).help =
                Some("mark the statement whose step takes effect".into());
        }
        Some(())
    }

    fn plain(&mut self, stmt: &'m Stmt) -> Option<()> {
        match &stmt.kind {
            StmtKind::Let { pattern, value, ty } => {
                let value = self.value(value)?;
                self.bind_pattern(pattern, value, ty)?;
                self.mark(stmt)
            }
            StmtKind::Assign { target, op, value } => {
                let mut place = self.place(target)?;
                if op.is_some() || !value.simple() {
                    self.freeze(&mut place);
                }
                let value = match op {
                    None => self.value(value)?,
                    Some(op) => {
                        let now = self.read(place.clone(), target.span)?;
                        let now = self.convert(now, &target.ty, &Type::Int, target.span)?;
                        let now = self.spill_unless(value.simple(), now, &Type::Int);
                        let amount = self.value(value)?;
                        let sum = fold(Expr::Binary(*op, Box::new(now), Box::new(amount)));
                        self.convert(sum, &Type::Int, &target.ty, target.span)?
                    }
                };
                self.store(place, value, stmt.span)?;
                self.mark(stmt)
            }
            StmtKind::Expr(e) => {
                self.value(e)?;
                self.mark(stmt)
            }
            StmtKind::If { condition, then, otherwise } => {
                self.conditional(stmt, condition, then, otherwise.as_ref());
                Some(())
            }
            StmtKind::Match { value, arms } => self.matching(stmt, value, arms),
            StmtKind::While { condition, body } => {
                let (again, inside, out) = (self.code.label(), self.code.label(), self.code.label());
                self.code.bind(again);
                self.condition(condition, inside, out);
                self.mark(stmt);
                self.code.bind(inside);
                self.loop_body(body, again, out);
                self.code.jump(again);
                self.code.bind(out);
                Some(())
            }
            StmtKind::Loop(body) => {
                let (again, out) = (self.code.label(), self.code.label());
                self.code.bind(again);
                self.loop_body(body, again, out);
                self.code.jump(again);
                self.code.bind(out);
                self.no_mark(stmt)
            }
            StmtKind::For { variable, over, body, span } => {
                self.counting(*variable, *span, over, |inner, again, out| {
                    inner.loop_body(body, again, out);
                    Some(())
                })?;
                self.no_mark(stmt)
            }
            StmtKind::Break(depth) => {
                self.jump_out(*depth, true);
                self.no_mark(stmt)
            }
            StmtKind::Continue(depth) => {
                self.jump_out(*depth, false);
                self.no_mark(stmt)
            }
            StmtKind::Return(value) => self.returning(stmt, value.as_ref()),
            StmtKind::Atomic(body) => {
                if self.atomic {
                    self.block(body);
                    return self.mark(stmt);
                }
                let enter = self.code.emit(InstrKind::Enter);
                self.accesses += 1;
                self.atomic = true;
                self.block(body);
                self.atomic = false;
                self.code.emit(InstrKind::Leave);
                if stmt.mark.is_some() {
                    self.last_access = Some((enter, None));
                }
                self.mark(stmt)
            }
            StmtKind::Either(blocks) => {
                let labels: Vec<_> = blocks.iter().map(|_| self.code.label()).collect();
                let out = self.code.label();
                self.code.emit(InstrKind::Either(labels.iter().map(|l| l.0).collect()));
                for (block, label) in blocks.iter().zip(labels) {
                    self.code.bind(label);
                    self.block(block);
                    self.code.jump(out);
                }
                self.code.bind(out);
                self.no_mark(stmt)
            }
            StmtKind::Choose { variable, low, high, inclusive } => {
                let from = self.value(low)?;
                let from = self.spill_unless(high.simple(), from, &low.ty);
                let to = self.value(high)?;
                let to = if *inclusive { to } else { minus_one(to) };
                if let (Expr::Const(Value::Int(from)), Expr::Const(Value::Int(to))) = (&from, &to) {
                    if from > to {
                        self.error("E0204", stmt.span, "there is nothing to choose from").help =
                            Some("`a..b` ends before `b`; `a..=b` includes it".into());
                    }
                } else if !self.module.is_spec {
                    self.some_choice(&from, &to);
                }
                let slot = self.named_slot(*variable);
                self.code.emit(InstrKind::Choose { slot, low: from, high: to });
                self.no_mark(stmt)
            }
            StmtKind::Await(e) => {
                if self.atomic {
                    let e = self.value(e)?;
                    self.code.emit(InstrKind::Await(e));
                    return self.mark(stmt);
                }
                let before = self.accesses;
                let enter = self.code.emit(InstrKind::Enter);
                self.atomic = true;
                let condition = self.value(e);
                self.atomic = false;
                if self.accesses > before + 1 {
                    let text = "`await` looks at one cell, and this makes several accesses";
                    self.error("E0234", e.span, text).help = Some("write `atomic { await …; … }`".into());
                    return None;
                }
                self.code.emit(InstrKind::Await(condition?));
                self.code.emit(InstrKind::Leave);
                self.accesses = before + 1;
                self.last_access = Some((enter, None));
                self.mark(stmt)
            }
            StmtKind::Assume(e) => {
                let e = self.value(e)?;
                self.code.emit(InstrKind::Assume(e));
                self.mark(stmt)
            }
            StmtKind::Assert(e) => {
                let e = self.value(e)?;
                self.code.emit(InstrKind::Assert(e));
                self.mark(stmt)
            }
            StmtKind::Lock(e) => {
                let (place, _) = self.cell(e)?;
                self.access(InstrKind::Lock(place), None);
                self.mark(stmt)
            }
            StmtKind::Unlock(e) => {
                let (place, _) = self.cell(e)?;
                self.access(InstrKind::Unlock(place), None);
                self.mark(stmt)
            }
            StmtKind::Free(e) => {
                let value = self.value(e)?;
                self.access(InstrKind::Free(value), None);
                self.mark(stmt)
            }
            StmtKind::Skip => self.no_mark(stmt),
        }
    }

    /// An operation that has nothing to choose from would vanish without a word; in a specification it waits.
    fn some_choice(&mut self, low: &Expr, high: &Expr) {
        let (fine, empty) = (self.code.label(), self.code.label());
        let some = Expr::Binary(BinaryOp::Le, Box::new(low.clone()), Box::new(high.clone()));
        self.code.branch(some, fine, empty);
        self.code.bind(empty);
        self.code.emit(InstrKind::Fail(Finding::NoChoice));
        self.code.bind(fine);
    }

    fn conditional(
        &mut self,
        stmt: &'m Stmt,
        condition: &'m typed::Expr,
        then: &'m typed::Block,
        otherwise: Option<&'m Else>,
    ) {
        let (yes, no, out) = (self.code.label(), self.code.label(), self.code.label());
        let before = self.code.instrs.len();
        self.condition(condition, yes, no);
        self.mark(stmt);
        // Inside a helper that calls itself a branch that a constant decides is what ends the recursion.
        let in_helper = self.frames.iter().any(|frame| frame.helper.is_some());
        let decided = match self.code.instrs.get(before).map(|i| &i.kind) {
            Some(InstrKind::Jump(to)) if in_helper && self.code.instrs.len() == before + 1 => {
                Some(*to == yes.0)
            }
            _ => None,
        };
        self.code.bind(yes);
        if decided != Some(false) {
            self.block(then);
        }
        self.code.jump(out);
        self.code.bind(no);
        if decided != Some(true) {
            match otherwise {
                Some(Else::Block(block)) => self.block(block),
                Some(Else::If(stmt)) => self.statement(stmt),
                None => {}
            }
        }
        self.code.bind(out);
        self.dead = match (decided, otherwise) {
            (Some(true), _) => !then.falls_through,
            (Some(false), Some(Else::Block(block))) => !block.falls_through,
            _ => false,
        };
    }

    fn returning(&mut self, stmt: &'m Stmt, value: Option<&'m typed::Expr>) -> Option<()> {
        let value = match value {
            None => Expr::Const(Value::Unit),
            Some(e) => self.value(e)?,
        };
        self.mark(stmt)?;
        let frame = self.frame();
        let (result, out, atomic, ty) = (frame.result, frame.out, frame.atomic, frame.ty.clone());
        if frame.helper.is_some() {
            if let Some(result) = result {
                self.code.set(result, value);
            }
            self.leave(atomic);
            self.code.jump(out);
        } else {
            // The value is fixed in the step before the return event.
            let value = match value {
                v @ (Expr::Const(_) | Expr::Slot(_)) => v,
                other => self.spill(other, &ty),
            };
            self.leave(false);
            self.code.emit(InstrKind::Return(value));
        }
        Some(())
    }
}

/// The part of a statement that its own steps come from: the condition of a branch, the head of a loop.
fn own_span(stmt: &Stmt) -> Span {
    match &stmt.kind {
        StmtKind::If { condition, .. } | StmtKind::While { condition, .. } => condition.span,
        StmtKind::Match { value, .. } => value.span,
        StmtKind::For { span, .. } => *span,
        _ => stmt.span,
    }
}

pub(super) fn minus_one(e: Expr) -> Expr {
    fold(Expr::Binary(BinaryOp::Sub, Box::new(e), Box::new(Expr::Const(Value::Int(1)))))
}
