//! Calls: the atomic instructions, variants with payload, and helpers, which are inlined.

use std::collections::HashMap;

use trueline_base::{Span, Value};

use super::body::{Binding, Body, ReturnContext};
use super::env::Env;
use super::expr::Typed;
use super::types::is_number;
use crate::ir::{Expr, InstrKind, Place, Ty};
use crate::syntax::{self, Arg, Name};

const PRIMITIVES: [(&str, usize); 9] = [
    ("cas", 3),
    ("cmpxchg", 3),
    ("swap", 2),
    ("faa", 2),
    ("tas", 1),
    ("dcas", 6),
    ("ll", 1),
    ("sc", 2),
    ("vl", 1),
];

/// How deep helpers may be inlined.
const DEEPEST: usize = 64;
/// How many calls of one routine may be inlined: helpers that call helpers twice grow without end.
const MOST_INLINED: usize = 10_000;

/// Whether the name is one of the atomic instructions.
pub(crate) fn is_primitive(name: &str) -> bool {
    PRIMITIVES.iter().any(|(p, _)| *p == name)
}

impl<'a> Body<'_, 'a> {
    pub fn call(
        &mut self,
        name: &'a Name,
        args: &'a [Arg],
        weak: bool,
        span: Span,
        expected: Option<&Ty>,
    ) -> Option<Typed> {
        if let Some((at, slot, ty)) = &self.stand_in
            && *at == span
        {
            return Some((Expr::Slot(*slot), ty.clone()));
        }
        if let Some(arg) = args.iter().find_map(|a| a.name.as_ref()) {
            self.error("E0223", arg.span, "arguments are named only where objects and specifications are");
            return None;
        }
        if let Some(helper) = self.env.fns.get(&name.text).copied() {
            return self.inline(helper, args, span);
        }
        if let Some((_, arity)) = PRIMITIVES.iter().find(|(p, _)| *p == name.text) {
            if args.len() != *arity {
                self.arity(name, *arity, args.len(), span);
                return None;
            }
            return self.primitive(name, args, weak, span);
        }
        if let Some((id, variant)) = self.env.variant(&name.text, expected) {
            let types = self.env.module.enums[id as usize].variants[variant as usize].1.clone();
            if types.len() != args.len() {
                self.arity(name, types.len(), args.len(), span);
                return None;
            }
            let mut parts = Vec::new();
            for (i, (arg, ty)) in args.iter().zip(&types).enumerate() {
                let value = self.value_as(&arg.value, ty)?;
                let later = args[i + 1..].iter().all(|a| self.simple(&a.value));
                parts.push(if later { value } else { self.spill(value, ty) });
            }
            return Some((Expr::Variant(variant, parts), Ty::Enum(id)));
        }
        let close = {
            let fns = self.env.fns.keys().map(String::as_str);
            Env::close(&name.text, fns.chain(PRIMITIVES.iter().map(|p| p.0)))
        };
        let is_op = self.env.module.ops.iter().any(|o| o.name == name.text);
        if self.client {
            match is_op {
                true => {
                    self.error("E0505", span, "a condition of a client makes one call").help =
                        Some("keep the first result: `let x = deq();`".into());
                }
                false => self.env.no_operation(name),
            }
            return None;
        }
        let d = self.error("E0104", name.span, format!("there is no helper `{}`", name.text));
        d.help = match close {
            _ if super::body::foreign(&name.text).is_some() => {
                super::body::foreign(&name.text).map(String::from)
            }
            Some(close) => Some(format!("did you mean `{close}`?")),
            None if is_op => Some("an operation is called by clients only; share code in a `fn`".into()),
            None => Some("declare it with `fn` in this object".into()),
        };
        None
    }

    fn arity(&mut self, name: &Name, expected: usize, found: usize, span: Span) {
        let s = if expected == 1 { "" } else { "s" };
        self.error("E0224", span, format!("`{}` takes {expected} argument{s}, not {found}", name.text));
    }

    fn primitive(&mut self, name: &'a Name, args: &'a [Arg], weak: bool, span: Span) -> Option<Typed> {
        if self.env.is_spec {
            self.error(
                "E0225",
                span,
                "a specification is one atomic step and needs no atomic instructions",
            )
            .help = Some("read and assign its state".into());
            return None;
        }
        let what = format!("`{}`", name.text);
        let (mut place, ty) = self.cell(&args[0].value, &what)?;
        if ty == Ty::Lock {
            self.error(
                "E0222",
                args[0].value.span,
                "a `lock` is taken with `lock` and given back with `unlock`",
            );
            return None;
        }
        if args[1..].iter().any(|a| !self.simple(&a.value)) {
            self.freeze_cell(&mut place);
        }
        match name.text.as_str() {
            "cas" | "cmpxchg" => {
                let (old, new) = self.old_and_new(&args[1].value, &args[2].value, &ty)?;
                if name.text == "cas" {
                    let slot = self.temp(Ty::Bool);
                    self.access(InstrKind::Cas { slot, place, old, new }, Some(slot));
                    Some((Expr::Slot(slot), Ty::Bool))
                } else {
                    let slot = self.temp(ty.clone());
                    self.access(InstrKind::Cmpxchg { slot, place, old, new }, None);
                    Some((Expr::Slot(slot), ty))
                }
            }
            "swap" => {
                let value = self.value_as(&args[1].value, &ty)?;
                let slot = self.temp(ty.clone());
                self.access(InstrKind::Swap { slot, place, value }, None);
                Some((Expr::Slot(slot), ty))
            }
            "faa" => {
                if !is_number(&ty) {
                    let text = format!("`faa` adds to a number, and this is {}", self.env.a(&ty));
                    self.error("E0202", args[0].value.span, text);
                    return None;
                }
                let amount = self.value_as(&args[1].value, &Ty::Int)?;
                let (low, high) = match ty {
                    Ty::Range(low, high) => (low, high),
                    _ => (i32::MIN, i32::MAX),
                };
                let slot = self.temp(Ty::Int);
                self.access(InstrKind::Faa { slot, place, amount, low, high }, None);
                Some((Expr::Slot(slot), Ty::Int))
            }
            "tas" => {
                if ty != Ty::Bool {
                    let text = format!("`tas` sets a `bool`, and this is {}", self.env.a(&ty));
                    self.error("E0202", args[0].value.span, text);
                    return None;
                }
                let slot = self.temp(Ty::Bool);
                self.access(InstrKind::Tas { slot, place }, None);
                Some((Expr::Slot(slot), Ty::Bool))
            }
            "dcas" => {
                let (old, new) = self.old_and_new(&args[1].value, &args[2].value, &ty)?;
                let (old, new) = if args[3..].iter().all(|a| self.simple(&a.value)) {
                    (old, new)
                } else {
                    (self.spill(old, &ty), self.spill(new, &ty))
                };
                let (mut other, other_ty) = self.cell(&args[3].value, "`dcas`")?;
                if args[4..].iter().any(|a| !self.simple(&a.value)) {
                    self.freeze_cell(&mut other);
                }
                let (old2, new2) = self.old_and_new(&args[4].value, &args[5].value, &other_ty)?;
                let slot = self.temp(Ty::Bool);
                let kind = InstrKind::Dcas { slot, first: (place, old, new), second: (other, old2, new2) };
                self.access(kind, Some(slot));
                Some((Expr::Slot(slot), Ty::Bool))
            }
            "ll" => {
                let slot = self.temp(ty.clone());
                self.access(InstrKind::LoadLinked { slot, place }, None);
                Some((Expr::Slot(slot), ty))
            }
            "sc" => {
                let value = self.value_as(&args[1].value, &ty)?;
                let slot = self.temp(Ty::Bool);
                self.access(InstrKind::StoreConditional { slot, place, value, weak }, Some(slot));
                Some((Expr::Slot(slot), Ty::Bool))
            }
            _ => {
                let slot = self.temp(Ty::Bool);
                self.access(InstrKind::Validate { slot, place }, None);
                Some((Expr::Slot(slot), Ty::Bool))
            }
        }
    }

    fn freeze_cell(&mut self, place: &mut Place) {
        let mut lvalue = super::place::Lvalue {
            base: super::place::Base::Cell(place.clone(), Ty::Unit),
            path: Vec::new(),
            ty: Ty::Unit,
        };
        self.freeze(&mut lvalue);
        if let super::place::Base::Cell(frozen, _) = lvalue.base {
            *place = frozen;
        }
    }

    /// What a compare-and-set compares with and stores. The former is only compared: it may be absent or out of range.
    fn old_and_new(&mut self, old: &'a syntax::Expr, new: &'a syntax::Expr, ty: &Ty) -> Option<(Expr, Expr)> {
        let (expr, found) = self.value(old, Some(&super::types::comparand(ty)))?;
        if !Env::comparable(&found, ty) {
            let text = format!("this cell holds {}, never {}", self.env.a(ty), self.env.a(&found));
            self.error("E0202", old.span, text);
            return None;
        }
        let expr = if self.simple(new) { expr } else { self.spill(expr, &found) };
        let new = self.value_as(new, ty)?;
        Some((expr, new))
    }

    /// A helper's body in place of its call.
    fn inline(&mut self, helper: &'a syntax::Routine, args: &'a [Arg], span: Span) -> Option<Typed> {
        self.env.called.insert(helper.name.text.clone());
        if helper.params.len() != args.len() {
            self.arity(&helper.name, helper.params.len(), args.len(), span);
            return None;
        }
        let mut values = Vec::new();
        for (i, (param, arg)) in helper.params.iter().zip(args).enumerate() {
            let ty = self.env.resolve(&param.ty)?;
            let value = self.value_as(&arg.value, &ty)?;
            let later = args[i + 1..].iter().all(|a| self.simple(&a.value));
            values.push((if later { value } else { self.spill(value, &ty) }, ty));
        }
        let numbers: Vec<Option<i64>> = values
            .iter()
            .map(|(value, _)| match value {
                Expr::Const(Value::Int(i)) => Some(i64::from(*i)),
                _ => None,
            })
            .collect();
        self.recursion(helper, &numbers, span)?;
        self.inlined += 1;
        if self.inlined > MOST_INLINED {
            if self.inlined == MOST_INLINED + 1 {
                self.error("E0227", span, "this becomes too long once its helpers are inlined").help =
                    Some("each call of a helper stands for its whole body; use a loop".into());
            }
            return None;
        }
        let ty = match &helper.result {
            Some(ty) => self.env.resolve(ty)?,
            None => Ty::Unit,
        };
        let result = (ty != Ty::Unit).then(|| self.temp(ty.clone()));
        let out = self.code.label();
        self.scopes.push(HashMap::new());
        self.returns.push(ReturnContext {
            helper: Some((helper.name.text.clone(), numbers)),
            result,
            ty: ty.clone(),
            out,
            atomic: self.atomic,
            scopes: self.scopes.len() - 1,
            loops: self.loops.len(),
        });
        for (param, (value, ty)) in helper.params.iter().zip(values) {
            match value {
                // A constant that nobody assigns decides branches inside the helper.
                Expr::Const(value) if !assigns(&helper.body, &param.name.text) => {
                    self.bind(&param.name.text, Binding::Const(value, ty));
                }
                value => {
                    self.declare(&param.name.text, ty, value);
                }
            }
        }
        let before = self.code.span;
        let lin = self.last_access;
        self.block(&helper.body);
        if result.is_some() && super::flow::falls_through(&helper.body) {
            self.error(
                "E0226",
                helper.name.span,
                format!("`{}` may end without a result", helper.name.text),
            )
            .help = Some("end every path with `return`".into());
        }
        if self.last_access.is_none() {
            self.last_access = lin;
        }
        self.code.span = before;
        self.code.bind(out);
        self.returns.pop();
        self.scopes.pop();
        Some((result.map_or(Expr::Const(Value::Unit), Expr::Slot), ty))
    }

    /// A helper inside itself needs a constant argument that decreases.
    fn recursion(&mut self, helper: &syntax::Routine, numbers: &[Option<i64>], span: Span) -> Option<()> {
        let name = &helper.name.text;
        let active: Vec<&Vec<Option<i64>>> = self
            .returns
            .iter()
            .filter_map(|r| r.helper.as_ref())
            .filter(|(active, _)| active == name)
            .map(|(_, numbers)| numbers)
            .collect();
        let Some(previous) = active.last() else {
            if self.returns.len() > DEEPEST {
                self.error("E0227", span, "helpers are nested too deeply");
                return None;
            }
            return Some(());
        };
        let decreases = previous
            .iter()
            .zip(numbers)
            .any(|(a, b)| matches!((a, b), (Some(a), Some(b)) if b < a && *b >= 0));
        if decreases && self.returns.len() <= DEEPEST {
            return Some(());
        }
        let text = format!("`{name}` calls itself, and no constant argument becomes smaller");
        self.error("E0227", span, text).help = Some(
            "helpers are inlined: a recursive one needs an argument that is a constant at every call and decreases down to 0, and a test of it that ends the recursion; otherwise write a loop".into(),
        );
        None
    }
}

/// Whether a statement of the block assigns the variable or declares another of that name.
fn assigns(block: &syntax::Block, name: &str) -> bool {
    let mut found = false;
    super::flow::walk(block, &mut |stmt| {
        let target = match &stmt.kind {
            syntax::StmtKind::Assign { target, .. } => Some(target),
            syntax::StmtKind::Expr(syntax::Expr {
                kind: syntax::ExprKind::Method { object, .. }, ..
            }) => Some(&**object),
            _ => None,
        };
        let mut target = target;
        while let Some(e) = target {
            target = match &e.kind {
                syntax::ExprKind::Name(n) => {
                    found |= n == name;
                    None
                }
                syntax::ExprKind::Index { object, .. }
                | syntax::ExprKind::Component { object, .. }
                | syntax::ExprKind::Paren(object) => Some(object),
                _ => None,
            };
        }
    });
    found
}
