//! Statements.

use trueline_base::verdict::Finding;
use trueline_base::{Span, Value};

use super::body::{Binding, Body};
use super::fold::fold;
use super::types::widened;
use crate::ir::{BinaryOp, Expr, InstrKind, Ty};
use crate::syntax::{self, Else, Stmt, StmtKind};

impl<'a> Body<'_, 'a> {
    /// Lowers one statement; what is wrong in it is reported and the rest goes on.
    pub fn statement(&mut self, stmt: &'a Stmt) {
        self.code.span = own_span(stmt);
        if let Some(lin) = &stmt.lin {
            self.last_access = None;
            if self.env.is_spec {
                self.error("E0301", lin.span, "a specification has no linearization points");
            }
        }
        if self.plain(stmt).is_none()
            && let StmtKind::Let { pattern, .. } = &stmt.kind
        {
            self.poison(pattern);
        }
    }

    /// Puts the mark of the statement on its last access so far.
    pub fn mark(&mut self, stmt: &'a Stmt) -> Option<()> {
        let Some(lin) = &stmt.lin else { return Some(()) };
        let Some((at, success)) = self.last_access else {
            self.error(
                "E0302",
                lin.span,
                "this statement makes no access that could be a linearization point",
            )
            .help = Some("mark the statement whose step takes effect".into());
            return None;
        };
        let mut condition = success.map_or(Expr::Const(Value::Bool(true)), Expr::Slot);
        if let Some(e) = &lin.condition {
            if !self.simple(e) {
                self.error("E0303", e.span, "the condition of a point is over local variables").help =
                    Some("read shared memory into a local first".into());
                return None;
            }
            let e = self.value_as(e, &Ty::Bool)?;
            condition = fold(match condition {
                Expr::Const(_) => e,
                c => Expr::Binary(BinaryOp::And, Box::new(c), Box::new(e)),
            });
        }
        self.code.instrs[at].mark = Some(condition);
        Some(())
    }

    fn plain(&mut self, stmt: &'a Stmt) -> Option<()> {
        match &stmt.kind {
            StmtKind::Let { pattern, ty, value } => {
                let (value, ty) = match ty {
                    Some(ty) => {
                        let ty = self.env.resolve(ty)?;
                        (self.value_as(value, &ty)?, ty)
                    }
                    None => {
                        let (expr, ty) = self.value(value, None)?;
                        if ty == Ty::Unit {
                            self.error("E0230", value.span, "this gives no value");
                            return None;
                        }
                        (expr, widened(ty))
                    }
                };
                self.bind_pattern(pattern, value, ty)?;
                self.mark(stmt)
            }
            StmtKind::Assign { target, op, value } => {
                let mut place = self.lvalue(target)?;
                if place.ty == Ty::Lock {
                    self.error("E0231", target.span, "a lock is not assigned").help =
                        Some("use `lock` and `unlock`".into());
                    return None;
                }
                if op.is_some() || !self.simple(value) {
                    self.freeze(&mut place);
                }
                let value = match op {
                    None => self.value_as(value, &place.ty.clone())?,
                    Some(op) => self.updated(&place, target.span, *op, value)?,
                };
                self.store(place, value, stmt.span)?;
                self.mark(stmt)
            }
            StmtKind::Expr(e) => {
                let before = self.code.instrs.len();
                self.value(e, None)?;
                if self.code.instrs.len() == before
                    && !matches!(e.kind, syntax::ExprKind::Call { .. } | syntax::ExprKind::Method { .. })
                {
                    self.error("E0232", e.span, "this statement does nothing").help =
                        Some("assign the value, or remove it".into());
                    return None;
                }
                self.mark(stmt)
            }
            StmtKind::If { condition, then, otherwise } => {
                self.conditional(stmt, condition, then, otherwise.as_ref())
            }
            StmtKind::Match { value, arms } => self.matching(stmt, value, arms),
            StmtKind::While { condition, body } => {
                let (again, inside, out) = (self.code.label(), self.code.label(), self.code.label());
                self.code.bind(again);
                self.condition(condition, inside, out);
                self.mark(stmt);
                self.code.bind(inside);
                self.loop_body(stmt, body, again, out);
                self.code.jump(again);
                self.code.bind(out);
                Some(())
            }
            StmtKind::Loop(body) => {
                let (again, out) = (self.code.label(), self.code.label());
                self.code.bind(again);
                self.loop_body(stmt, body, again, out);
                self.code.jump(again);
                self.code.bind(out);
                self.no_mark(stmt)
            }
            StmtKind::For { variable, over, body } => {
                self.counting(variable, over, false, |inner, again, out| {
                    inner.loop_body(stmt, body, again, out);
                    Some(())
                })?;
                self.no_mark(stmt)
            }
            StmtKind::Break(label) => self.jump_out(stmt, "break", label.as_ref()),
            StmtKind::Continue(label) => self.jump_out(stmt, "continue", label.as_ref()),
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
                if stmt.lin.is_some() {
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
                let low = self.value_as(low, &Ty::Int)?;
                let low = if self.simple(high) { low } else { self.spill(low, &Ty::Int) };
                let high = self.value_as(high, &Ty::Int)?;
                let high = if *inclusive { high } else { minus_one(high) };
                if let (Expr::Const(Value::Int(from)), Expr::Const(Value::Int(to))) = (&low, &high) {
                    if from > to {
                        self.error("E0204", stmt.span, "there is nothing to choose from").help =
                            Some("`a..b` ends before `b`; `a..=b` includes it".into());
                    }
                } else if !self.env.is_spec {
                    self.some_choice(&low, &high);
                }
                let shown = self.shown(&variable.text);
                let slot = self.code.slot(&shown, Ty::Int);
                self.code.emit(InstrKind::Choose { slot, low, high });
                self.bind(&variable.text, Binding::Slot(slot, Ty::Int));
                self.no_mark(stmt)
            }
            StmtKind::Await(e) => {
                if self.atomic {
                    let e = self.value_as(e, &Ty::Bool)?;
                    self.code.emit(InstrKind::Await(e));
                    return self.mark(stmt);
                }
                let before = self.accesses;
                let enter = self.code.emit(InstrKind::Enter);
                self.atomic = true;
                let condition = self.value_as(e, &Ty::Bool);
                self.atomic = false;
                if self.accesses > before + 1 {
                    self.error(
                        "E0234",
                        e.span,
                        "`await` looks at one cell, and this makes several accesses",
                    )
                    .help = Some("write `atomic { await …; … }`".into());
                    return None;
                }
                self.code.emit(InstrKind::Await(condition?));
                self.code.emit(InstrKind::Leave);
                self.accesses = before + 1;
                self.last_access = Some((enter, None));
                self.mark(stmt)
            }
            StmtKind::Assume(e) => {
                let e = self.value_as(e, &Ty::Bool)?;
                self.code.emit(InstrKind::Assume(e));
                self.mark(stmt)
            }
            StmtKind::Assert(e) => {
                let e = self.value_as(e, &Ty::Bool)?;
                self.code.emit(InstrKind::Assert(e));
                self.mark(stmt)
            }
            StmtKind::Lock(e) | StmtKind::Unlock(e) => {
                let takes = matches!(stmt.kind, StmtKind::Lock(_));
                let (place, ty) = self.cell(e, if takes { "`lock`" } else { "`unlock`" })?;
                if ty != Ty::Lock {
                    let text = format!("this is {}, not a `lock`", self.env.a(&ty));
                    self.error("E0202", e.span, text);
                    return None;
                }
                self.access(if takes { InstrKind::Lock(place) } else { InstrKind::Unlock(place) }, None);
                self.mark(stmt)
            }
            StmtKind::Free(e) => {
                let (value, ty) = self.value(e, None)?;
                if !matches!(super::env::strip_optional(&ty), Ty::Ref(_)) {
                    let text = format!("only structs are freed, and this is {}", self.env.a(&ty));
                    self.error("E0202", e.span, text);
                    return None;
                }
                if self.env.module.memory == syntax::Memory::Gc {
                    self.error("E0235", stmt.span, "with garbage collection nothing is freed").help =
                        Some("declare `memory manual;` or `memory pool;` in the object".into());
                    return None;
                }
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

    /// A statement that can carry no mark.
    pub(super) fn no_mark(&mut self, stmt: &'a Stmt) -> Option<()> {
        if let Some(lin) = &stmt.lin {
            self.error(
                "E0302",
                lin.span,
                "this statement makes no access that could be a linearization point",
            )
            .help = Some("mark the statement whose step takes effect".into());
        }
        Some(())
    }

    fn conditional(
        &mut self,
        stmt: &'a Stmt,
        condition: &'a syntax::Expr,
        then: &'a syntax::Block,
        otherwise: Option<&'a Else>,
    ) -> Option<()> {
        let (yes, no, out) = (self.code.label(), self.code.label(), self.code.label());
        let before = self.code.instrs.len();
        self.condition(condition, yes, no);
        self.mark(stmt);
        // Inside a helper that calls itself a branch that a constant decides is what ends the recursion.
        let in_helper = self.returns.iter().any(|r| r.helper.is_some());
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
            (Some(true), _) => !super::flow::falls_through(then),
            (Some(false), Some(Else::Block(block))) => !super::flow::falls_through(block),
            _ => false,
        };
        Some(())
    }

    fn returning(&mut self, stmt: &'a Stmt, value: Option<&'a syntax::Expr>) -> Option<()> {
        let context = self.returns.last().expect("statements stand in routines");
        let (ty, result, out, atomic) = (context.ty.clone(), context.result, context.out, context.atomic);
        let is_helper = context.helper.is_some();
        let value = match (value, &ty) {
            (None, Ty::Unit) => Expr::Const(Value::Unit),
            (None, ty) => {
                let text = format!("{} must be returned", self.env.a(ty));
                self.error("E0237", stmt.span, text);
                return None;
            }
            (Some(e), Ty::Unit) => {
                let in_init = !self.has_self && !is_helper;
                self.error("E0237", e.span, "this routine has no result").help = Some(match in_init {
                    true => "`init` only sets up: leave the value out".into(),
                    false => "declare it: `op name() -> type`".into(),
                });
                return None;
            }
            (Some(e), ty) => self.value_as(e, ty)?,
        };
        if stmt.lin.is_some() {
            self.mark(stmt)?;
        }
        if is_helper {
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
        StmtKind::For { variable, .. } => variable.span,
        _ => stmt.span,
    }
}

pub(super) fn minus_one(e: Expr) -> Expr {
    fold(Expr::Binary(BinaryOp::Sub, Box::new(e), Box::new(Expr::Const(Value::Int(1)))))
}
