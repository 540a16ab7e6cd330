//! Methods of collections.

use trueline_base::Span;

use super::body::Body;
use super::env::{Env, strip_optional};
use super::expr::Typed;
use super::place::{Base, indices, inside};
use crate::ir::{Expr, InstrKind, Method, Ty};
use crate::syntax::{self, Name};

/// What a method of a collection takes and gives.
struct Signature {
    method: Method,
    params: Vec<Ty>,
    result: Ty,
    changes: bool,
}

fn signature(collection: &Ty, name: &str) -> Option<Signature> {
    let optional = |ty: &Ty| match ty {
        Ty::Optional(_) => ty.clone(),
        ty => Ty::Optional(Box::new(ty.clone())),
    };
    let of = |method, params: &[&Ty], result: Ty, changes| {
        Some(Signature { method, params: params.iter().map(|t| (*t).clone()).collect(), result, changes })
    };
    match (collection, name) {
        (_, "len") => of(Method::Len, &[], Ty::Int, false),
        (Ty::Seq(t), "contains") => of(Method::Contains, &[t], Ty::Bool, false),
        (Ty::Seq(t), "push_front") => of(Method::PushFront, &[t], Ty::Unit, true),
        (Ty::Seq(t), "push_back") => of(Method::PushBack, &[t], Ty::Unit, true),
        (Ty::Seq(t), "pop_front") => of(Method::PopFront, &[], optional(t), true),
        (Ty::Seq(t), "pop_back") => of(Method::PopBack, &[], optional(t), true),
        (Ty::Seq(t), "insert") => of(Method::Insert, &[&Ty::Int, t], Ty::Unit, true),
        (Ty::Seq(t), "remove") => of(Method::Remove, &[&Ty::Int], (**t).clone(), true),
        (Ty::Set(t) | Ty::Multiset(t), "insert") => of(Method::Insert, &[t], Ty::Bool, true),
        (Ty::Set(t) | Ty::Multiset(t), "remove") => of(Method::Remove, &[t], Ty::Bool, true),
        (Ty::Set(t) | Ty::Multiset(t), "contains") => of(Method::Contains, &[t], Ty::Bool, false),
        (Ty::Multiset(t), "count") => of(Method::Count, &[t], Ty::Int, false),
        (Ty::Map(k, v), "get") => of(Method::Get, &[k], optional(v), false),
        (Ty::Map(k, _), "contains") => of(Method::Contains, &[k], Ty::Bool, false),
        (Ty::Map(k, v), "insert") => of(Method::Insert, &[k, v], optional(v), true),
        (Ty::Map(k, v), "remove") => of(Method::Remove, &[k], optional(v), true),
        (Ty::Heap(t), "push") => of(Method::Push, &[t], Ty::Unit, true),
        (Ty::Heap(t), "min") => of(Method::Min, &[], optional(t), false),
        (Ty::Heap(t), "pop_min") => of(Method::PopMin, &[], optional(t), true),
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
    pub fn method(
        &mut self,
        object: &'a syntax::Expr,
        name: &'a Name,
        args: &'a [syntax::Expr],
        span: Span,
    ) -> Option<Typed> {
        if !self.is_lvalue(object) {
            let (value, ty) = self.value(object, None)?;
            let value = if args.iter().all(|a| self.simple(a)) { value } else { self.spill(value, &ty) };
            let sig = self.find(object, &ty, name)?;
            if sig.changes {
                self.error(
                    "E0228",
                    span,
                    format!("`{}` changes a collection, and this is only a value", name.text),
                )
                .help = Some("put it into a variable first".into());
                return None;
            }
            let args = self.arguments(&sig, name, args, span)?;
            return Some((Expr::Query(sig.method, Box::new(value), args), sig.result));
        }
        let mut place = self.lvalue(object)?;
        let sig = self.find(object, &place.ty.clone(), name)?;
        if !sig.changes {
            let (value, ty) = self.read(place, span)?;
            let value = if args.iter().all(|a| self.simple(a)) { value } else { self.spill(value, &ty) };
            let args = self.arguments(&sig, name, args, span)?;
            return Some((Expr::Query(sig.method, Box::new(value), args), sig.result));
        }
        if !args.iter().all(|a| self.simple(a)) {
            self.freeze(&mut place);
        }
        let args = self.arguments(&sig, name, args, span)?;
        let result = (sig.result != Ty::Unit).then(|| self.temp(sig.result.clone()));
        let collect = |slot| InstrKind::Collect { slot, method: sig.method, args: args.clone(), result };
        match &place.base {
            Base::Slot(slot) if place.path.is_empty() => {
                let slot = *slot;
                self.code.emit(collect(slot));
            }
            Base::Slot(slot) => {
                let slot = *slot;
                let part = self.temp(place.ty.clone());
                self.code.emit(InstrKind::Set { slot: part, value: inside(Expr::Slot(slot), &place.path) });
                self.code.emit(collect(part));
                let (path, value) = (indices(&place.path), Expr::Slot(part));
                self.code.emit(InstrKind::SetElement { slot, path, value });
            }
            Base::Cell(cell, ty) => {
                if !self.atomic {
                    self.error("E0229", span, "changing a shared collection takes more than one step").help =
                        Some("put this into `atomic { … }`".into());
                    return None;
                }
                let (cell, whole) = (cell.clone(), self.temp(ty.clone()));
                self.access(InstrKind::Read { slot: whole, place: cell.clone() }, None);
                if place.path.is_empty() {
                    self.code.emit(collect(whole));
                } else {
                    let part = self.temp(place.ty.clone());
                    self.code
                        .emit(InstrKind::Set { slot: part, value: inside(Expr::Slot(whole), &place.path) });
                    self.code.emit(collect(part));
                    let (path, value) = (indices(&place.path), Expr::Slot(part));
                    self.code.emit(InstrKind::SetElement { slot: whole, path, value });
                }
                self.access(InstrKind::Write { place: cell, value: Expr::Slot(whole) }, None);
            }
        }
        Some((result.map_or(Expr::Const(trueline_base::Value::Unit), Expr::Slot), sig.result))
    }

    fn find(&mut self, object: &syntax::Expr, ty: &Ty, name: &Name) -> Option<Signature> {
        let is_collection =
            matches!(ty, Ty::Seq(_) | Ty::Set(_) | Ty::Multiset(_) | Ty::Heap(_) | Ty::Map(..));
        if is_collection && let Some(sig) = signature(ty, &name.text) {
            return Some(sig);
        }
        let text = format!("{} has no method `{}`", self.env.a(strip_optional(ty)), name.text);
        let close = Env::close(&name.text, ALL.into_iter().filter(|m| signature(ty, m).is_some()));
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
            d.help = foreign(shown, &name.text);
        }
        None
    }

    fn arguments(
        &mut self,
        sig: &Signature,
        name: &Name,
        args: &'a [syntax::Expr],
        span: Span,
    ) -> Option<Vec<Expr>> {
        if sig.params.len() != args.len() {
            let s = if sig.params.len() == 1 { "" } else { "s" };
            let text = format!("`{}` takes {} argument{s}, not {}", name.text, sig.params.len(), args.len());
            self.error("E0224", span, text);
            return None;
        }
        let mut values = Vec::new();
        for (i, (arg, ty)) in args.iter().zip(&sig.params).enumerate() {
            let value = self.value_as(arg, ty)?;
            let later = args[i + 1..].iter().all(|a| self.simple(a));
            values.push(if later { value } else { self.spill(value, ty) });
        }
        Some(values)
    }
}

/// What to write for a method of other languages.
fn foreign(object: &str, method: &str) -> Option<String> {
    Some(match method {
        "fetch_add" | "getAndAdd" | "get_and_add" => format!("write `faa({object}, …)`"),
        "fetch_sub" => format!("write `faa({object}, -…)`"),
        "fetch_inc" | "getAndIncrement" | "incrementAndGet" | "inc" => format!("write `faa({object}, 1)`"),
        "compare_exchange"
        | "compare_exchange_weak"
        | "compare_exchange_strong"
        | "compareAndSet"
        | "compare_and_set"
        | "compare_and_swap"
        | "cas" => format!("write `cas({object}, old, new)`"),
        "compareAndExchange" | "cmpxchg" => format!("write `cmpxchg({object}, old, new)`"),
        "swap" | "exchange" | "getAndSet" => format!("write `swap({object}, …)`"),
        "test_and_set" => format!("write `tas({object})`"),
        "load" | "get" | "read" => format!("write `{object}`: naming it reads it"),
        "store" | "set" | "write" => format!("write `{object} = …;`"),
        "lock" | "acquire" => format!("write `lock {object};`"),
        "unlock" | "release" => format!("write `unlock {object};`"),
        "is_none" | "isEmpty" => format!("write `{object} == none`"),
        "is_some" | "isPresent" => format!("write `{object} != none`"),
        "is_null" => format!("write `{object} == null`"),
        "unwrap" => format!("write `{object}`: it must not be `none` where a value is needed"),
        _ => return None,
    })
}
