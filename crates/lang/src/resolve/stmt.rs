//! Statements.

use std::collections::HashMap;

use super::operators::arithmetic;
use super::routine::Body;
use crate::syntax::{self, Else as WrittenElse, Memory, StmtKind as Written};
use crate::typed::{Else, Mark, Stmt, StmtKind, Type};

impl<'a> Body<'_, 'a> {
    /// One statement; what is wrong in it is reported and the rest goes on.
    pub(super) fn statement(&mut self, stmt: &'a syntax::Stmt) -> Option<Stmt> {
        if let Some(lin) = stmt.lin.as_ref().filter(|_| self.scope.module.is_spec) {
            self.error("E0301", lin.span, "a specification has no linearization points");
        }
        let kind = self.plain(stmt);
        if kind.is_none()
            && let Written::Let { pattern, .. } = &stmt.kind
        {
            self.poison(pattern);
        }
        let kind = kind?;
        Some(Stmt { mark: self.mark(stmt), kind, span: stmt.span })
    }

    /// The linearization mark of a statement. The variables that a `let` declares are known in it.
    fn mark(&mut self, stmt: &'a syntax::Stmt) -> Option<Mark> {
        let lin = stmt.lin.as_ref()?;
        let condition = match &lin.condition {
            None => None,
            Some(e) => {
                let value = self.value_as(e, &Type::Bool)?;
                if !value.simple() {
                    self.error("E0303", e.span, "the condition of a point is over local variables").help =
                        Some("read shared memory into a local first".into());
                    return None;
                }
                Some(value)
            }
        };
        Some(Mark { condition, span: lin.span })
    }

    fn plain(&mut self, stmt: &'a syntax::Stmt) -> Option<StmtKind> {
        Some(match &stmt.kind {
            Written::Let { pattern, ty, value } => {
                let (value, ty) = match ty {
                    Some(ty) => {
                        let ty = self.scope.resolve(ty)?;
                        (self.value_as(value, &ty)?, ty)
                    }
                    None => {
                        let found = self.value(value, None)?;
                        if found.ty == Type::Unit {
                            self.error("E0230", value.span, "this gives no value");
                            return None;
                        }
                        let ty = found.ty.clone().widened();
                        (found, ty)
                    }
                };
                StmtKind::Let { pattern: self.bind_pattern(pattern, &ty)?, value, ty }
            }
            Written::Assign { target, op, value } => {
                let place = self.place(target)?;
                if place.ty == Type::Lock {
                    self.error("E0231", target.span, "a lock is not assigned").help =
                        Some("use `lock` and `unlock`".into());
                    return None;
                }
                self.assigned(&place);
                let (op, value) = match op {
                    None => (None, self.value_as(value, &place.ty)?),
                    Some(op) => {
                        let op = arithmetic(*op)?;
                        let now = self.number_of(op, place.clone(), target.span)?;
                        let value = self.operand(op, value)?;
                        let sum = crate::typed::Expr { ty: Type::Int, ..now };
                        self.scope.coerce(sum, &place.ty, target.span)?;
                        (Some(op), value)
                    }
                };
                StmtKind::Assign { target: place, op, value }
            }
            Written::Expr(e) => {
                let value = self.value(e, None)?;
                let acts = matches!(e.kind, syntax::ExprKind::Call { .. } | syntax::ExprKind::Method { .. });
                if value.simple() && !acts {
                    self.error("E0232", e.span, "this statement does nothing").help =
                        Some("assign the value, or remove it".into());
                    return None;
                }
                StmtKind::Expr(value)
            }
            Written::If { condition, then, otherwise } => {
                let condition = self.value_as(condition, &Type::Bool);
                let then = self.block(then);
                let otherwise = match otherwise {
                    Some(WrittenElse::Block(block)) => Some(Some(Else::Block(self.block(block)))),
                    Some(WrittenElse::If(stmt)) => {
                        Some(self.statement(stmt).map(|stmt| Else::If(Box::new(stmt))))
                    }
                    None => None,
                };
                let otherwise = match otherwise {
                    None => None,
                    Some(found) => Some(found?),
                };
                StmtKind::If { condition: condition?, then, otherwise }
            }
            Written::Match { value, arms } => self.matching(stmt, value, arms)?,
            Written::While { condition, body } => {
                let condition = self.value_as(condition, &Type::Bool);
                let body = self.loop_body(stmt, body);
                StmtKind::While { condition: condition?, body }
            }
            Written::Loop(body) => StmtKind::Loop(self.loop_body(stmt, body)),
            Written::For { variable, over, body } => {
                let (over, ty) = self.over(over, false)?;
                self.scopes.push(HashMap::new());
                let id = self.declare(&variable.text, ty, variable.span);
                let body = self.loop_body(stmt, body);
                self.scopes.pop();
                StmtKind::For { variable: id, over, body, span: variable.span }
            }
            Written::Break(label) => StmtKind::Break(self.jump_out(stmt, "break", label.as_ref())?),
            Written::Continue(label) => {
                StmtKind::Continue(self.jump_out(stmt, "continue", label.as_ref())?)
            }
            Written::Return(value) => self.returning(stmt, value.as_ref())?,
            Written::Atomic(body) => StmtKind::Atomic(self.block(body)),
            Written::Either(blocks) => {
                StmtKind::Either(blocks.iter().map(|block| self.block(block)).collect())
            }
            Written::Choose { variable, low, high, inclusive } => {
                let low = self.value_as(low, &Type::Int)?;
                let high = self.value_as(high, &Type::Int)?;
                let variable = self.declare(&variable.text, Type::Int, variable.span);
                StmtKind::Choose { variable, low, high, inclusive: *inclusive }
            }
            Written::Await(e) => StmtKind::Await(self.value_as(e, &Type::Bool)?),
            Written::Assume(e) => StmtKind::Assume(self.value_as(e, &Type::Bool)?),
            Written::Assert(e) => StmtKind::Assert(self.value_as(e, &Type::Bool)?),
            Written::Lock(e) | Written::Unlock(e) => {
                let takes = matches!(stmt.kind, Written::Lock(_));
                let place = self.cell(e, if takes { "`lock`" } else { "`unlock`" })?;
                if place.ty != Type::Lock {
                    let text = format!("this is {}, not a `lock`", self.scope.module.a(&place.ty));
                    self.error("E0202", e.span, text);
                    return None;
                }
                if takes { StmtKind::Lock(place) } else { StmtKind::Unlock(place) }
            }
            Written::Free(e) => {
                let value = self.value(e, None)?;
                if !matches!(value.ty.present(), Type::Ref(_)) {
                    let text =
                        format!("only structs are freed, and this is {}", self.scope.module.a(&value.ty));
                    self.error("E0202", e.span, text);
                    return None;
                }
                if self.scope.module.memory == Memory::Gc {
                    self.error("E0235", stmt.span, "with garbage collection nothing is freed").help =
                        Some("declare `memory manual;` or `memory pool;` in the object".into());
                    return None;
                }
                StmtKind::Free(value)
            }
            Written::Skip => StmtKind::Skip,
        })
    }

    fn returning(&mut self, stmt: &'a syntax::Stmt, value: Option<&'a syntax::Expr>) -> Option<StmtKind> {
        let ty = self.result.clone();
        let value = match (value, &ty) {
            (None, Type::Unit) => None,
            (None, ty) => {
                let text = format!("{} must be returned", self.scope.module.a(ty));
                self.error("E0237", stmt.span, text);
                return None;
            }
            (Some(e), Type::Unit) => {
                let in_init = !self.has_self && !self.helper;
                self.error("E0237", e.span, "this routine has no result").help = Some(match in_init {
                    true => "`init` only sets up: leave the value out".into(),
                    false => "declare it: `op name() -> type`".into(),
                });
                return None;
            }
            (Some(e), ty) => Some(self.value_as(e, ty)?),
        };
        Some(StmtKind::Return(value))
    }
}
