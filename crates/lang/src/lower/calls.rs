//! Helpers, which are inlined.

use trueline_base::{Span, Value};

use super::body::{Binding, Body, Frame};
use crate::ir::{Expr, Ty};
use crate::typed::{self, HelperId};

/// How deep helpers may be inlined.
const DEEPEST: usize = 64;
/// How many calls of one routine may be inlined: helpers that call helpers twice grow without end.
const MOST_INLINED: usize = 10_000;

impl<'m> Body<'m, '_> {
    /// A helper's body in place of its call.
    pub(super) fn inline(&mut self, id: HelperId, args: &'m [typed::Expr], span: Span) -> Option<Expr> {
        let module = self.module;
        let helper = &module.helpers[id.0 as usize];
        let values = self.values(args)?;
        let numbers: Vec<Option<i64>> = values
            .iter()
            .map(|value| match value {
                Expr::Const(Value::Int(i)) => Some(i64::from(*i)),
                _ => None,
            })
            .collect();
        self.recursion(&helper.name, &numbers, span)?;
        self.inlined += 1;
        if self.inlined > MOST_INLINED {
            if self.inlined == MOST_INLINED + 1 {
                self.error("E0227", span, "this becomes too long once its helpers are inlined").help =
                    Some("each call of a helper stands for its whole body; use a loop".into());
            }
            return None;
        }
        let ty = self.ty(&helper.result);
        let result = (ty != Ty::Unit).then(|| self.temp(ty.clone()));
        let out = self.code.label();
        let frame = Frame {
            helper: Some((&helper.name, numbers)),
            locals: &helper.locals,
            bindings: vec![None; helper.locals.len()],
            result,
            ty,
            out,
            atomic: self.atomic,
        };
        self.frames.push(frame);
        for (param, value) in helper.params.iter().zip(values) {
            match value {
                // A constant that nobody assigns decides branches inside the helper.
                Expr::Const(value) if !helper.locals[param.0 as usize].assigned => {
                    self.bind(*param, Binding::Const(value));
                }
                value => self.declare(*param, value),
            }
        }
        let before = self.code.span;
        let lin = self.last_access;
        self.block(&helper.body);
        if self.last_access.is_none() {
            self.last_access = lin;
        }
        self.code.span = before;
        self.code.bind(out);
        self.frames.pop();
        Some(result.map_or(Expr::Const(Value::Unit), Expr::Slot))
    }

    /// A helper inside itself needs a constant argument that decreases.
    fn recursion(&mut self, name: &str, numbers: &[Option<i64>], span: Span) -> Option<()> {
        let active = self.frames.iter().rev().filter_map(|frame| frame.helper.as_ref());
        let Some((_, previous)) = active.into_iter().find(|(active, _)| *active == name) else {
            if self.frames.len() > DEEPEST {
                self.error("E0227", span, "helpers are nested too deeply");
                return None;
            }
            return Some(());
        };
        let decreases = previous
            .iter()
            .zip(numbers)
            .any(|(a, b)| matches!((a, b), (Some(a), Some(b)) if b < a && *b >= 0));
        if decreases && self.frames.len() <= DEEPEST {
            return Some(());
        }
        let text = format!("`{name}` calls itself, and no constant argument becomes smaller");
        self.error("E0227", span, text).help = Some(
            "helpers are inlined: a recursive one needs an argument that is a constant at every call and decreases down to 0, and a test of it that ends the recursion; otherwise write a loop".into(),
        );
        None
    }
}
