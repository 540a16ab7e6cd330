//! Methods of collections.

use trueline_base::Span;

use super::routine::Body;
use super::words::{close, foreign_method};
use crate::ir::Method;
use crate::syntax::{self, Name};
use crate::typed::{Expr, ExprKind, Type};

/// What a method of a collection takes and gives.
struct Signature {
    method: Method,
    params: Vec<Type>,
    result: Type,
    changes: bool,
}

fn signature(collection: &Type, name: &str) -> Option<Signature> {
    use Type::{Bool, Heap, Int, Map, Multiset, Seq, Set, Unit};
    let of = |method, params: &[&Type], result: Type, changes| {
        Some(Signature { method, params: params.iter().map(|t| (*t).clone()).collect(), result, changes })
    };
    match (collection, name) {
        (_, "len") => of(Method::Len, &[], Int, false),
        (Seq(t), "contains") => of(Method::Contains, &[t], Bool, false),
        (Seq(t), "push_front") => of(Method::PushFront, &[t], Unit, true),
        (Seq(t), "push_back") => of(Method::PushBack, &[t], Unit, true),
        (Seq(t), "pop_front") => of(Method::PopFront, &[], t.optional(), true),
        (Seq(t), "pop_back") => of(Method::PopBack, &[], t.optional(), true),
        (Seq(t), "insert") => of(Method::Insert, &[&Int, t], Unit, true),
        (Seq(t), "remove") => of(Method::Remove, &[&Int], (**t).clone(), true),
        (Set(t) | Multiset(t), "insert") => of(Method::Insert, &[t], Bool, true),
        (Set(t) | Multiset(t), "remove") => of(Method::Remove, &[t], Bool, true),
        (Set(t) | Multiset(t), "contains") => of(Method::Contains, &[t], Bool, false),
        (Multiset(t), "count") => of(Method::Count, &[t], Int, false),
        (Map(k, v), "get") => of(Method::Get, &[k], v.optional(), false),
        (Map(k, _), "contains") => of(Method::Contains, &[k], Bool, false),
        (Map(k, v), "insert") => of(Method::Insert, &[k, v], v.optional(), true),
        (Map(k, v), "remove") => of(Method::Remove, &[k], v.optional(), true),
        (Heap(t), "push") => of(Method::Push, &[t], Unit, true),
        (Heap(t), "min") => of(Method::Min, &[], t.optional(), false),
        (Heap(t), "pop_min") => of(Method::PopMin, &[], t.optional(), true),
        _ => None,
    }
}

const ALL: [&str; 13] = [
    "len",
    "contains",
    "push_front",
    "push_back",
    "pop_front",
    "pop_back",
    "insert",
    "remove",
    "count",
    "get",
    "push",
    "min",
    "pop_min",
];

impl<'a> Body<'_, 'a> {
    pub(super) fn method(
        &mut self,
        object: &'a syntax::Expr,
        name: &'a Name,
        args: &'a [syntax::Expr],
        span: Span,
    ) -> Option<Expr> {
        let is_place = self.is_place(object);
        let target = if is_place { self.place(object)? } else { self.value(object, None)? };
        let sig = self.find(object, &target.ty, name)?;
        if sig.changes && !is_place {
            let text = format!("`{}` changes a collection, and this is only a value", name.text);
            self.error("E0228", span, text).help = Some("put it into a variable first".into());
            return None;
        }
        if sig.changes {
            self.assigned(&target);
        }
        let args = self.method_arguments(&sig, name, args, span)?;
        let (method, changes) = (sig.method, sig.changes);
        Some(Expr {
            kind: ExprKind::Method { object: Box::new(target), method, changes, args },
            ty: sig.result,
            span,
        })
    }

    fn find(&mut self, object: &syntax::Expr, ty: &Type, name: &Name) -> Option<Signature> {
        let is_collection = ty.is_collection();
        if is_collection && let Some(sig) = signature(ty, &name.text) {
            return Some(sig);
        }
        let text = format!("{} has no method `{}`", self.scope.module.a(ty.present()), name.text);
        let close = close(&name.text, ALL.into_iter().filter(|m| signature(ty, m).is_some()));
        let d = self.error("E0105", name.span, text);
        if is_collection {
            let methods = ALL.into_iter().filter(|m| signature(ty, m).is_some());
            d.help = Some(match close {
                Some(close) => format!("did you mean `{close}`?"),
                None => format!("it has {}", methods.collect::<Vec<_>>().join(", ")),
            });
        } else {
            let shown = match &object.kind {
                syntax::ExprKind::Name(name) => name,
                _ => "x",
            };
            d.help = foreign_method(shown, &name.text);
        }
        None
    }

    fn method_arguments(
        &mut self,
        sig: &Signature,
        name: &Name,
        args: &'a [syntax::Expr],
        span: Span,
    ) -> Option<Vec<Expr>> {
        if sig.params.len() != args.len() {
            self.arity(&name.text, sig.params.len(), args.len(), span);
            return None;
        }
        args.iter().zip(&sig.params).map(|(arg, ty)| self.value_as(arg, ty)).collect()
    }
}
