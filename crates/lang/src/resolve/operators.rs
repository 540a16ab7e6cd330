//! Operators and conditional expressions.

use trueline_base::Span;

use super::routine::Body;
use crate::syntax::{self, BinaryOp, ExprKind as Written};
use crate::typed::{Expr, ExprKind, Primitive, Type};

impl<'a> Body<'_, 'a> {
    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        left: &'a syntax::Expr,
        right: &'a syntax::Expr,
        span: Span,
    ) -> Option<Expr> {
        let (kind, ty) = match arithmetic(op) {
            None => {
                let left = Box::new(self.value_as(left, &Type::Bool)?);
                let right = Box::new(self.value_as(right, &Type::Bool)?);
                let kind = match op {
                    BinaryOp::Or => ExprKind::Or(left, right),
                    _ => ExprKind::And(left, right),
                };
                (kind, Type::Bool)
            }
            Some(op @ (BinaryOp::Eq | BinaryOp::Ne)) => return self.equality(op, left, right, span),
            Some(op) => {
                let left = self.operand(op, left)?;
                let right = self.operand(op, right)?;
                let compares = matches!(op, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge);
                let ty = if compares { Type::Bool } else { Type::Int };
                (ExprKind::Binary(op, Box::new(left), Box::new(right)), ty)
            }
        };
        Some(Expr { kind, ty, span })
    }

    /// An operand of arithmetic.
    pub(super) fn operand(&mut self, op: BinaryOp, e: &'a syntax::Expr) -> Option<Expr> {
        let value = self.value(e, Some(&Type::Int))?;
        self.number_of(op, value, e.span)
    }

    /// A value that an operator takes as a number.
    pub(super) fn number_of(&mut self, op: BinaryOp, e: Expr, span: Span) -> Option<Expr> {
        let help = match (op, e.ty.present()) {
            (BinaryOp::BitAnd, Type::Bool) => "`&` works on the bits of numbers; write `&&`",
            (BinaryOp::BitOr, Type::Bool) => "`|` works on the bits of numbers; write `||`",
            (BinaryOp::BitXor, Type::Bool) => "`^` works on the bits of numbers; write `!=`",
            (BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge, Type::Tuple(_)) => {
                "tuples have no order; compare their components: `a.0 < b.0`"
            }
            _ => return self.scope.coerce(e, &Type::Int, span),
        };
        let text = format!("expected `int`, found `{}`", self.scope.module.show(&e.ty));
        self.error("E0202", span, text).help = Some(help.into());
        None
    }

    fn equality(
        &mut self,
        op: BinaryOp,
        left: &'a syntax::Expr,
        right: &'a syntax::Expr,
        span: Span,
    ) -> Option<Expr> {
        // A literal takes its type from the other side.
        let (a, b) = if self.is_literal(left) && !self.is_literal(right) {
            let b = self.value(right, None)?;
            (self.value(left, Some(&b.ty.comparand()))?, b)
        } else {
            let a = self.value(left, None)?;
            let b = self.value(right, Some(&a.ty.comparand()))?;
            (a, b)
        };
        let types = (a.ty.present(), b.ty.present());
        let client = self.client && matches!(types, (Type::Val, Type::Tid) | (Type::Tid, Type::Val));
        if !a.ty.comparable(&b.ty) && !client {
            let module = &self.scope.module;
            let text = format!("`{}` and `{}` cannot be compared", module.show(&a.ty), module.show(&b.ty));
            let help = match types {
                (Type::Tid, t) | (t, Type::Tid) if t.is_number() => {
                    Some("a thread number is no number: `self as int` makes one of it".into())
                }
                (Type::Val, t) | (t, Type::Val) if t.is_number() => Some(
                    "a `val` is opaque; declare it as `int` or a range to compare it with numbers".into(),
                ),
                (Type::Val, Type::Tid) | (Type::Tid, Type::Val) => {
                    Some("`self as val` makes a value of a thread number".into())
                }
                (Type::Lock, Type::Lock) => {
                    Some("who holds a lock is not visible; keep a flag beside it".into())
                }
                _ => None,
            };
            self.error("E0215", span, text).help = help;
            return None;
        }
        Some(Expr { kind: ExprKind::Binary(op, Box::new(a), Box::new(b)), ty: Type::Bool, span })
    }

    /// The two branches of a conditional, as values of one type.
    pub(super) fn branches(
        &mut self,
        then: &'a syntax::Expr,
        otherwise: &'a syntax::Expr,
        expected: Option<&Type>,
    ) -> Option<(Expr, Expr)> {
        if let Some(ty) = expected {
            let a = self.value_as(then, ty)?;
            return Some((a, self.value_as(otherwise, ty)?));
        }
        let (a, b) = if self.is_literal(then) && !self.is_literal(otherwise) {
            let b = self.value(otherwise, None)?;
            (self.second_value(then, &b.ty)?, b)
        } else {
            let a = self.value(then, None)?;
            let b = self.second_value(otherwise, &a.ty)?;
            (a, b)
        };
        let ty = self.scope.join(&a.ty, &b.ty).unwrap_or_else(|| a.ty.clone());
        let b = self.scope.coerce(b, &ty, otherwise.span)?;
        let a = self.scope.coerce(a, &ty, then.span)?;
        Some((a, b))
    }

    /// The branch of a conditional whose other branch has this type. A literal takes it from there.
    fn second_value(&mut self, e: &'a syntax::Expr, other: &Type) -> Option<Expr> {
        let mut inner = e;
        while let Written::Paren(within) = &inner.kind {
            inner = within;
        }
        let hint = other.clone().widened();
        match (&inner.kind, hint.present()) {
            (Written::If { .. }, _) => self.value(e, None),
            (Written::Tuple(parts), Type::Tuple(types)) if parts.len() == types.len() => {
                self.tuple(parts, inner.span, |body, i, part| body.second_value(part, &types[i]))
            }
            _ if self.is_literal(e) => self.value(e, Some(&hint.optional())),
            _ => self.value(e, Some(&hint)),
        }
    }

    /// Whether the expression takes its type from what it is compared with.
    fn is_literal(&self, e: &syntax::Expr) -> bool {
        match &e.kind {
            Written::Int(_) | Written::Bool(_) | Written::None | Written::Null => true,
            Written::Paren(inner) => self.is_literal(inner),
            Written::Tuple(parts) => parts.iter().any(|p| self.is_literal(p)) && self.is_quiet(e),
            Written::Name(name) => !self.is_variable(name),
            Written::List(_) => self.is_quiet(e),
            _ => false,
        }
    }

    /// Whether nothing can happen while the expression is evaluated, as far as its form tells.
    fn is_quiet(&self, e: &syntax::Expr) -> bool {
        match &e.kind {
            Written::Int(_) | Written::Bool(_) | Written::None | Written::Null | Written::SelfTid => true,
            Written::Name(name) => {
                self.lookup(name).is_some()
                    || self.persistent(name).is_some()
                    || self.scope.shared(name).is_none()
            }
            Written::Unary { operand, .. } | Written::Cast { operand, .. } | Written::Paren(operand) => {
                self.is_quiet(operand)
            }
            Written::Binary { left, right, .. } => self.is_quiet(left) && self.is_quiet(right),
            Written::Component { object, .. } => self.is_quiet(object),
            Written::Index { object, index } => self.is_quiet(object) && self.is_quiet(index),
            Written::If { condition, then, otherwise } => {
                [condition, then, otherwise].into_iter().all(|e| self.is_quiet(e))
            }
            Written::Tuple(parts) | Written::List(parts) => parts.iter().all(|p| self.is_quiet(p)),
            Written::Repeat { element, .. } => self.is_quiet(element),
            Written::Call { name, args, .. } => {
                !self.scope.helpers.contains_key(&name.text)
                    && !Primitive::NAMES.contains(&name.text.as_str())
                    && args.iter().all(|a| self.is_quiet(&a.value))
            }
            Written::Method { object, name, args } => {
                matches!(name.text.as_str(), "len" | "contains" | "count" | "get" | "min")
                    && self.is_quiet(object)
                    && args.iter().all(|a| self.is_quiet(a))
            }
            Written::Field { object, name } => name.text == "len" && self.is_quiet(object),
            _ => false,
        }
    }
}

/// The operator on values; none for those that may leave out their right operand.
pub(super) fn arithmetic(op: BinaryOp) -> Option<BinaryOp> {
    (!matches!(op, BinaryOp::Or | BinaryOp::And)).then_some(op)
}
