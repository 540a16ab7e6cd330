//! Values that are known before anything runs.

use super::routine::Body;
use super::scope::NameScope;
use crate::syntax;
use crate::typed::{Expr, ExprKind, Type};

impl<'a> NameScope<'a> {
    /// A constant expression of this type.
    pub fn constant(&mut self, e: &'a syntax::Expr, ty: &Type) -> Option<Expr> {
        let value = self.constant_any(e, Some(ty))?;
        self.coerce(value, ty, e.span)
    }

    /// A constant expression, with the type that it has.
    pub fn constant_any(&mut self, e: &'a syntax::Expr, expected: Option<&Type>) -> Option<Expr> {
        let mut body = Body::new(self);
        body.has_self = false;
        body.val_literals = true;
        body.constant = true;
        let value = body.value(e, expected);
        if body.not_constant || value.as_ref().is_some_and(|value| !constant(value)) {
            self.error("E0240", e.span, "this must be a constant").help =
                Some("use numbers, `param`s and `const`s".into());
            return None;
        }
        value
    }
}

/// Whether nothing in it depends on the state.
fn constant(e: &Expr) -> bool {
    let depends = matches!(
        e.kind,
        ExprKind::Local(_) | ExprKind::Persistent(_) | ExprKind::SelfTid | ExprKind::Method { .. }
    );
    !depends && e.simple() && e.children().iter().all(|e| constant(e))
}
