//! Expressions: accesses become instructions, what is left is an expression over slots.

use trueline_base::{Span, Value};

use super::aggregates::MOST_ELEMENTS;
use super::body::{Binding, Body};
use super::env::strip_optional;
use super::fold::fold;
use crate::ir::{Expr, Ty};
use crate::syntax::{self, ExprKind, UnaryOp};

/// A value with its type.
pub(crate) type Typed = (Expr, Ty);

impl<'a> Body<'_, 'a> {
    /// The value of an expression. `None` when it is wrong, which is then reported.
    pub fn value(&mut self, e: &'a syntax::Expr, expected: Option<&Ty>) -> Option<Typed> {
        let (expr, ty) = self.raw_value(e, expected)?;
        Some((fold(expr), ty))
    }

    /// The value of an expression where a `to` is expected.
    pub fn value_as(&mut self, e: &'a syntax::Expr, to: &Ty) -> Option<Expr> {
        let (expr, from) = self.value(e, Some(to))?;
        self.env.coerce(expr, &from, to, e.span).map(fold)
    }

    fn raw_value(&mut self, e: &'a syntax::Expr, expected: Option<&Ty>) -> Option<Typed> {
        match &e.kind {
            ExprKind::Int(i) => self.number(*i, e.span, expected),
            ExprKind::Bool(b) => Some((Expr::Const(Value::Bool(*b)), Ty::Bool)),
            ExprKind::None => match expected {
                Some(Ty::Optional(inner)) if matches!(**inner, Ty::Ref(_)) => {
                    self.error("E0208", e.span, "the absent reference is called `null`").help =
                        Some("write `null`".into());
                    None
                }
                Some(ty @ Ty::Optional(_)) => Some((Expr::Const(Value::None), ty.clone())),
                Some(ty) => {
                    let text = format!("`none` cannot be {}", self.env.a(ty));
                    self.error("E0202", e.span, text).help =
                        Some(format!("make the type optional: `{}?`", self.env.show(ty)));
                    None
                }
                None => self.needs_type(e.span, "none"),
            },
            ExprKind::Null => match expected.map(|ty| (ty, strip_optional(ty))) {
                Some((_, inner @ Ty::Ref(_))) => {
                    Some((Expr::Const(Value::Null), Ty::Optional(Box::new(inner.clone()))))
                }
                Some((ty, _)) => {
                    let text = format!("`null` cannot be {}", self.env.a(ty));
                    self.error("E0202", e.span, text).help =
                        Some("`null` is the absent reference; the absent value is `none`".into());
                    None
                }
                None => self.needs_type(e.span, "null"),
            },
            ExprKind::SelfTid => {
                if !self.has_self {
                    self.error("E0209", e.span, "`self` has no meaning here: no thread runs this").help =
                        Some("use it in operations, `local` initialisers and clients".into());
                    return None;
                }
                Some((Expr::SelfTid, Ty::Tid))
            }
            ExprKind::Paren(inner) => self.value(inner, expected),
            ExprKind::Name(name) => self.name(name, e, expected),
            ExprKind::Unary { op: UnaryOp::Not, operand } => {
                let operand = self.value_as(operand, &Ty::Bool)?;
                Some((Expr::Not(Box::new(operand)), Ty::Bool))
            }
            ExprKind::Unary { op: UnaryOp::Minus, operand } => {
                if let ExprKind::Int(i) = operand.kind {
                    return self.number(-i, e.span, expected);
                }
                let operand = self.value_as(operand, &Ty::Int)?;
                Some((Expr::Neg(Box::new(operand)), Ty::Int))
            }
            ExprKind::Binary { op, left, right } => self.binary(*op, left, right, e.span),
            ExprKind::Cast { operand, ty } => self.cast(operand, ty),
            ExprKind::If { condition, then, otherwise } => self.choice(condition, then, otherwise, expected),
            ExprKind::Tuple(parts) if parts.len() > MOST_ELEMENTS => {
                let text = format!("a tuple has at most {MOST_ELEMENTS} components, not {}", parts.len());
                self.error("E0205", e.span, text);
                None
            }
            ExprKind::Tuple(parts) => {
                let wanted = match expected.map(strip_optional) {
                    Some(Ty::Tuple(types)) if types.len() == parts.len() => Some(types.clone()),
                    _ => None,
                };
                self.tuple(parts, |body, i, part| match &wanted {
                    Some(types) => Some((body.value_as(part, &types[i])?, types[i].clone())),
                    None => body.value(part, None),
                })
            }
            ExprKind::List(parts) => self.list(parts, e.span, expected),
            ExprKind::Repeat { element, length } => self.repeat(element, length.as_deref(), expected),
            ExprKind::Quantified { all, variable, over, body } => self.quantified(*all, variable, over, body),
            ExprKind::New { name, fields } => self.new_struct(name, fields, e.span),
            ExprKind::Call { name, args, weak } => self.call(name, args, *weak, e.span, expected),
            ExprKind::Method { object, name, args } => self.method(object, name, args, e.span),
            ExprKind::Field { object, name } if name.text == "len" && self.is_collection(object) => {
                self.method(object, name, &[], e.span)
            }
            ExprKind::Field { .. } => {
                let place = self.lvalue(e)?;
                self.read(place, e.span)
            }
            ExprKind::Component { object, index } => {
                let (tuple, ty) = self.value(object, None)?;
                let Ty::Tuple(types) = strip_optional(&ty).clone() else {
                    let text = format!("`.{index}` takes a tuple apart, and this is {}", self.env.a(&ty));
                    self.error("E0210", e.span, text);
                    return None;
                };
                let Some(part) = types.get(*index as usize) else {
                    let text = format!("this tuple has {} components, counted from 0", types.len());
                    self.error("E0210", e.span, text);
                    return None;
                };
                let tuple = self.env.fit(tuple, &ty, strip_optional(&ty))?;
                Some((Expr::Component(Box::new(tuple), *index as u16), part.clone()))
            }
            ExprKind::Index { object, index } => {
                if self.is_lvalue(e) {
                    let place = self.lvalue(e)?;
                    return self.read(place, e.span);
                }
                let (object, ty) = self.value(object, None)?;
                let object = if self.simple(index) { object } else { self.spill(object, &ty) };
                let (index, element) = self.index(&ty, index)?;
                Some((Expr::Element(Box::new(object), Box::new(index)), element))
            }
            ExprKind::Range { .. } => {
                self.error("E0211", e.span, "a range stands here where one value is expected").help =
                    Some("ranges are arguments of `call` clauses, `for` and `choose`".into());
                None
            }
            ExprKind::Error => None,
        }
    }

    /// A tuple whose components are lowered by `each`.
    pub(super) fn tuple(
        &mut self,
        parts: &'a [syntax::Expr],
        each: impl Fn(&mut Self, usize, &'a syntax::Expr) -> Option<Typed>,
    ) -> Option<Typed> {
        let mut exprs = Vec::new();
        let mut types = Vec::new();
        for (i, part) in parts.iter().enumerate() {
            let (expr, ty) = each(self, i, part)?;
            let later = parts[i + 1..].iter().all(|p| self.simple(p));
            exprs.push(if later { expr } else { self.spill(expr, &ty) });
            types.push(ty);
        }
        Some((Expr::Tuple(exprs), Ty::Tuple(types)))
    }

    pub(super) fn needs_type<T>(&mut self, span: Span, what: &str) -> Option<T> {
        let example = match what {
            "null" => "let x: Node? = null;",
            "none" => "let x: val? = none;",
            _ => "let x: seq val = [];",
        };
        self.error("E0203", span, format!("the type of `{what}` is not known here")).help =
            Some(format!("give the variable a type: `{example}`"));
        None
    }

    fn number(&mut self, i: i64, span: Span, expected: Option<&Ty>) -> Option<Typed> {
        match expected.map(strip_optional) {
            Some(Ty::Val) if self.val_literals => {
                let Ok(value) = u32::try_from(i) else {
                    self.error("E0212", span, "values are counted from 1");
                    return None;
                };
                return Some((Expr::Const(Value::Val(value)), Ty::Val));
            }
            Some(Ty::Tid) if self.client => {
                if i < 1 || i > i64::from(self.env.threads) {
                    let text = format!("there is no thread {i}: threads are 1 to {}", self.env.threads);
                    self.error("E0212", span, text);
                    return None;
                }
                return Some((Expr::Const(Value::Tid(i as u8 - 1)), Ty::Tid));
            }
            _ => {}
        }
        match i32::try_from(i) {
            Ok(i) => Some((Expr::Const(Value::Int(i)), Ty::Int)),
            Err(_) => {
                self.error("E0213", span, "this number does not fit into 32 bits");
                None
            }
        }
    }

    fn name(&mut self, name: &str, e: &'a syntax::Expr, expected: Option<&Ty>) -> Option<Typed> {
        match self.lookup(name) {
            Some(Binding::Slot(slot, ty)) => return Some((Expr::Slot(slot), ty)),
            Some(Binding::Const(value, ty)) => return Some((Expr::Const(value), ty)),
            Some(Binding::Poison) => return None,
            None => {}
        }
        if self.env.variable(name).is_some() {
            let place = self.lvalue(e)?;
            return self.read(place, e.span);
        }
        if let Some((value, ty)) = self.env.consts.get(name).cloned() {
            if let (Value::Int(i), Some(Ty::Val | Ty::Tid)) = (&value, expected.map(strip_optional))
                && (self.val_literals || self.client)
            {
                return self.number(i64::from(*i), e.span, expected);
            }
            return Some((Expr::Const(value), ty));
        }
        if let Some((id, variant)) = self.env.variant(name, expected) {
            let arity = self.env.module.enums[id as usize].variants[variant as usize].1.len();
            if arity > 0 {
                let text = format!("`{name}` carries data: write `{name}(…)`");
                self.error("E0214", e.span, text);
                return None;
            }
            return Some((Expr::Variant(variant, Vec::new()), Ty::Enum(id)));
        }
        self.unknown_name(name, e.span);
        None
    }

    fn cast(&mut self, operand: &'a syntax::Expr, ty: &'a syntax::Type) -> Option<Typed> {
        let to = self.env.resolve(ty)?;
        let (expr, from) = self.value(operand, None)?;
        match (&from, &to) {
            (Ty::Tid, Ty::Int) => Some((Expr::TidToInt(Box::new(expr)), Ty::Int)),
            (Ty::Tid, Ty::Val) => Some((Expr::TidToVal(Box::new(expr)), Ty::Val)),
            (Ty::Bool, Ty::Int) => {
                let (one, zero) = (Expr::Const(Value::Int(1)), Expr::Const(Value::Int(0)));
                Some((Expr::If(Box::new(expr), Box::new(one), Box::new(zero)), Ty::Int))
            }
            _ => {
                let span = operand.span.to(ty.span);
                let expr = self.env.coerce(expr, &from, &to, span)?;
                Some((expr, to))
            }
        }
    }
}
