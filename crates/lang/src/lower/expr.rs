//! Expressions: accesses become instructions, what is left is an expression over slots.

use trueline_base::{Span, Value};

use super::body::{Binding, Body};
use super::env::{Env, strip_optional};
use super::fold::fold;
use super::types::is_number;
use crate::ir::{BinaryOp, Expr, InstrKind, Ty};
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
            ExprKind::Tuple(parts) => {
                let wanted = match expected.map(strip_optional) {
                    Some(Ty::Tuple(types)) if types.len() == parts.len() => Some(types.clone()),
                    _ => None,
                };
                let mut exprs = Vec::new();
                let mut types = Vec::new();
                for (i, part) in parts.iter().enumerate() {
                    let want = wanted.as_ref().map(|w| &w[i]);
                    let (expr, ty) = match want {
                        Some(want) => (self.value_as(part, want)?, want.clone()),
                        None => self.value(part, None)?,
                    };
                    let later = parts[i + 1..].iter().all(|p| self.simple(p));
                    exprs.push(if later { expr } else { self.spill(expr, &ty) });
                    types.push(ty);
                }
                Some((Expr::Tuple(exprs), Ty::Tuple(types)))
            }
            ExprKind::List(parts) => self.list(parts, e.span, expected),
            ExprKind::Repeat { element, length } => self.repeat(element, length.as_deref(), expected),
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

    fn needs_type<T>(&mut self, span: Span, what: &str) -> Option<T> {
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

    fn binary(
        &mut self,
        op: syntax::BinaryOp,
        left: &'a syntax::Expr,
        right: &'a syntax::Expr,
        span: Span,
    ) -> Option<Typed> {
        use syntax::BinaryOp as S;
        let op = match op {
            S::And | S::Or => return self.short_circuit(op, left, right),
            S::Eq => BinaryOp::Eq,
            S::Ne => BinaryOp::Ne,
            S::Lt => BinaryOp::Lt,
            S::Le => BinaryOp::Le,
            S::Gt => BinaryOp::Gt,
            S::Ge => BinaryOp::Ge,
            S::Add => BinaryOp::Add,
            S::Sub => BinaryOp::Sub,
            S::Mul => BinaryOp::Mul,
            S::Div => BinaryOp::Div,
            S::Rem => BinaryOp::Rem,
        };
        if matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
            return self.equality(op, left, right, span);
        }
        let a = self.operand(left)?;
        let a = if self.simple(right) { a } else { self.spill(a, &Ty::Int) };
        let b = self.operand(right)?;
        let compares = matches!(op, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge);
        let ty = if compares { Ty::Bool } else { Ty::Int };
        Some((Expr::Binary(op, Box::new(a), Box::new(b)), ty))
    }

    /// An operand of arithmetic.
    fn operand(&mut self, e: &'a syntax::Expr) -> Option<Expr> {
        let (expr, ty) = self.value(e, Some(&Ty::Int))?;
        self.env.coerce(expr, &ty, &Ty::Int, e.span)
    }

    fn equality(
        &mut self,
        op: BinaryOp,
        left: &'a syntax::Expr,
        right: &'a syntax::Expr,
        span: Span,
    ) -> Option<Typed> {
        // A literal takes its type from the other side; literals emit no code, so the order does not matter.
        let (a, b, left_ty, right_ty) = if self.is_literal(left) && !self.is_literal(right) {
            let (b, right_ty) = self.value(right, None)?;
            let (a, left_ty) = self.value(left, Some(&optional(&right_ty)))?;
            (a, b, left_ty, right_ty)
        } else {
            let (a, left_ty) = self.value(left, None)?;
            let a = if self.simple(right) { a } else { self.spill(a, &left_ty) };
            let wanted = if self.is_literal(right) { optional(&left_ty) } else { left_ty.clone() };
            let (b, right_ty) = self.value(right, Some(&wanted))?;
            (a, b, left_ty, right_ty)
        };
        let client = self.client
            && matches!(
                (strip_optional(&left_ty), strip_optional(&right_ty)),
                (Ty::Val, Ty::Tid) | (Ty::Tid, Ty::Val)
            );
        if !Env::comparable(&left_ty, &right_ty) && !client {
            let text = format!(
                "`{}` and `{}` cannot be compared",
                self.env.show(&left_ty),
                self.env.show(&right_ty)
            );
            let d = self.error("E0215", span, text);
            d.help = match (strip_optional(&left_ty), strip_optional(&right_ty)) {
                (Ty::Tid, t) | (t, Ty::Tid) if is_number(t) => {
                    Some("a thread number is no number: `self as int` makes one of it".into())
                }
                (Ty::Val, t) | (t, Ty::Val) if is_number(t) => Some(
                    "a `val` is opaque; declare it as `int` or a range to compare it with numbers".into(),
                ),
                (Ty::Val, Ty::Tid) | (Ty::Tid, Ty::Val) => {
                    Some("`self as val` makes a value of a thread number".into())
                }
                (Ty::Lock, Ty::Lock) => Some("who holds a lock is not visible; keep a flag beside it".into()),
                _ => None,
            };
            return None;
        }
        Some((Expr::Binary(op, Box::new(a), Box::new(b)), Ty::Bool))
    }

    fn short_circuit(
        &mut self,
        op: syntax::BinaryOp,
        left: &'a syntax::Expr,
        right: &'a syntax::Expr,
    ) -> Option<Typed> {
        let a = self.value_as(left, &Ty::Bool)?;
        let is_or = op == syntax::BinaryOp::Or;
        if self.simple(right) {
            let b = self.value_as(right, &Ty::Bool)?;
            let op = if is_or { BinaryOp::Or } else { BinaryOp::And };
            return Some((Expr::Binary(op, Box::new(a), Box::new(b)), Ty::Bool));
        }
        let result = self.temp(Ty::Bool);
        let (more, out) = (self.code.label(), self.code.label());
        self.code.set(result, a);
        let (yes, no) = if is_or { (out, more) } else { (more, out) };
        self.code.branch(Expr::Slot(result), yes, no);
        self.code.bind(more);
        let b = self.value_as(right, &Ty::Bool)?;
        self.code.set(result, b);
        self.code.bind(out);
        Some((Expr::Slot(result), Ty::Bool))
    }

    fn choice(
        &mut self,
        condition: &'a syntax::Expr,
        then: &'a syntax::Expr,
        otherwise: &'a syntax::Expr,
        expected: Option<&Ty>,
    ) -> Option<Typed> {
        if self.simple(condition) && self.simple(then) && self.simple(otherwise) {
            let c = self.value_as(condition, &Ty::Bool)?;
            let (a, ty) = self.first_typed(then, otherwise, expected)?;
            let b = self.value_as(otherwise, &ty)?;
            let a = match a {
                Some(a) => a,
                None => self.value_as(then, &ty)?,
            };
            return Some((Expr::If(Box::new(c), Box::new(a), Box::new(b)), ty));
        }
        let (yes, no, out) = (self.code.label(), self.code.label(), self.code.label());
        self.condition(condition, yes, no)?;
        self.code.bind(yes);
        let (a, ty) = match expected {
            Some(ty) => (self.value_as(then, ty)?, ty.clone()),
            None => self.value(then, None)?,
        };
        let result = self.temp(ty.clone());
        self.code.set(result, a);
        self.code.jump(out);
        self.code.bind(no);
        let b = self.value_as(otherwise, &ty)?;
        self.code.set(result, b);
        self.code.bind(out);
        Some((Expr::Slot(result), ty))
    }

    /// The type of the two branches of a simple conditional, taken from the one that is no literal.
    fn first_typed(
        &mut self,
        then: &'a syntax::Expr,
        otherwise: &'a syntax::Expr,
        expected: Option<&Ty>,
    ) -> Option<(Option<Expr>, Ty)> {
        if let Some(ty) = expected {
            return Some((None, ty.clone()));
        }
        if self.is_literal(then) && !self.is_literal(otherwise) {
            let (_, ty) = self.value(otherwise, None)?;
            let ty = if matches!(then.kind, ExprKind::None | ExprKind::Null) { optional(&ty) } else { ty };
            return Some((None, ty));
        }
        let (a, ty) = self.value(then, None)?;
        if matches!(otherwise.kind, ExprKind::None | ExprKind::Null) {
            return Some((Some(a), optional(&ty)));
        }
        Some((Some(a), ty))
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

    fn list(&mut self, parts: &'a [syntax::Expr], span: Span, expected: Option<&Ty>) -> Option<Typed> {
        let expected = expected.map(strip_optional).cloned();
        let element = match &expected {
            Some(Ty::Seq(t) | Ty::Set(t) | Ty::Multiset(t) | Ty::Heap(t)) => Some((**t).clone()),
            Some(Ty::Array { element, len, .. }) => {
                if *len as usize != parts.len() {
                    let text = format!("this array has {len} elements, and {} are given", parts.len());
                    self.error("E0216", span, text);
                    return None;
                }
                Some((**element).clone())
            }
            Some(Ty::Map(..)) if parts.is_empty() => {
                return Some((Expr::Const(Value::Map(Vec::new())), expected?));
            }
            _ => None,
        };
        let mut exprs = Vec::new();
        let mut found = element.clone();
        for (i, part) in parts.iter().enumerate() {
            let expr = match &found {
                Some(ty) => {
                    let ty = ty.clone();
                    self.value_as(part, &ty)?
                }
                None => {
                    let (expr, ty) = self.value(part, None)?;
                    found = Some(ty);
                    expr
                }
            };
            let later = parts[i + 1..].iter().all(|p| self.simple(p));
            let ty = found.clone()?;
            exprs.push(if later { expr } else { self.spill(expr, &ty) });
        }
        let Some(element) = found else {
            return self.needs_type(span, "[]");
        };
        Some(match expected {
            Some(ty @ Ty::Seq(_)) => (Expr::Seq(exprs), ty),
            Some(ty @ Ty::Set(_)) => (Expr::Set(exprs), ty),
            Some(ty @ (Ty::Multiset(_) | Ty::Heap(_))) => (Expr::Bag(exprs), ty),
            Some(ty @ Ty::Array { .. }) => (Expr::Array(exprs), ty),
            _ => {
                let len = exprs.len() as u32;
                (Expr::Array(exprs), Ty::Array { element: Box::new(element), len, by_tid: false })
            }
        })
    }

    fn repeat(
        &mut self,
        element: &'a syntax::Expr,
        length: Option<&'a syntax::Expr>,
        expected: Option<&Ty>,
    ) -> Option<Typed> {
        let (len, by_tid) = match length {
            None => (self.env.threads, true),
            Some(length) => {
                let n = self.env.constant_int(length)?;
                match u32::try_from(n) {
                    Ok(n) if n <= 4096 => (n, false),
                    _ => {
                        let text = format!("an array has between 0 and 4096 elements, not {n}");
                        self.error("E0205", length.span, text);
                        return None;
                    }
                }
            }
        };
        let wanted = match expected.map(strip_optional) {
            Some(Ty::Array { element, .. }) => Some((**element).clone()),
            _ => None,
        };
        let (expr, ty) = match wanted {
            Some(ty) => (self.value_as(element, &ty)?, ty),
            None => self.value(element, None)?,
        };
        let array = Ty::Array { element: Box::new(ty), len, by_tid };
        self.env.small(&array, element.span)?;
        Some((Expr::Repeat(Box::new(expr), len), array))
    }

    /// Whether the expression takes its type from what it is compared with. Evaluating it emits no code.
    fn is_literal(&self, e: &syntax::Expr) -> bool {
        match &e.kind {
            ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::None | ExprKind::Null => true,
            ExprKind::Paren(inner) => self.is_literal(inner),
            ExprKind::Tuple(parts) => parts.iter().any(|p| self.is_literal(p)) && self.simple(e),
            ExprKind::Name(name) => self.lookup(name).is_none() && self.env.variable(name).is_none(),
            ExprKind::List(_) => self.simple(e),
            _ => false,
        }
    }

    /// Evaluates a condition and goes on at one of two labels.
    pub fn condition(
        &mut self,
        e: &'a syntax::Expr,
        yes: super::code::Label,
        no: super::code::Label,
    ) -> Option<()> {
        match &e.kind {
            ExprKind::Paren(inner) => self.condition(inner, yes, no),
            ExprKind::Unary { op: UnaryOp::Not, operand } => self.condition(operand, no, yes),
            ExprKind::Binary { op: op @ (syntax::BinaryOp::And | syntax::BinaryOp::Or), left, right }
                if !self.simple(right) =>
            {
                let more = self.code.label();
                if *op == syntax::BinaryOp::And {
                    self.condition(left, more, no)?;
                } else {
                    self.condition(left, yes, more)?;
                }
                self.code.bind(more);
                self.condition(right, yes, no)
            }
            _ => {
                let condition = self.value_as(e, &Ty::Bool)?;
                self.code.branch(condition, yes, no);
                Some(())
            }
        }
    }

    /// A new struct on the heap.
    fn new_struct(
        &mut self,
        name: &'a syntax::Name,
        fields: &'a [(syntax::Name, syntax::Expr)],
        span: Span,
    ) -> Option<Typed> {
        let Some(kind) = self.env.struct_id(&name.text) else {
            let close = Env::close(&name.text, self.env.module.structs.iter().map(|s| s.name.as_str()));
            self.error("E0201", name.span, format!("there is no struct `{}`", name.text)).help =
                close.map(|c| format!("did you mean `{c}`?"));
            return None;
        };
        let decl = self.env.module.structs[kind.0 as usize].clone();
        self.known_fields(&decl, fields)?;
        let manual = self.env.module.memory != syntax::Memory::Gc;
        let pool = self.env.module.memory == syntax::Memory::Pool;
        let mut missing: Vec<_> = decl
            .fields
            .iter()
            .filter(|f| {
                *super::env::cell_type(&f.ty) != Ty::Lock && !fields.iter().any(|(n, _)| n.text == f.name)
            })
            .map(|f| format!("`{}`", f.name))
            .collect();
        if !missing.is_empty() && !pool {
            missing.sort();
            let text = format!("`new {}` does not say what {} holds", name.text, missing.join(", "));
            self.error("E0217", span, text).help = Some("name every field except locks".into());
            return None;
        }
        let slot = self.temp(Ty::Ref(kind));
        let mut values = Vec::new();
        if manual {
            self.access(InstrKind::New { slot, kind, cells: Vec::new() }, None);
        }
        for (i, (field_name, value)) in fields.iter().enumerate() {
            let field = decl.fields.iter().find(|f| f.name == field_name.text)?;
            let expr = self.value_as(value, &field.ty)?;
            let cells = self.flatten(expr, &field.ty);
            for (offset, value) in cells.into_iter().enumerate() {
                let first = field.first + offset as u32;
                if manual {
                    let place =
                        crate::ir::Place::Field { object: Expr::Slot(slot), kind, first, index: Vec::new() };
                    self.access(InstrKind::Write { place, value }, None);
                } else {
                    let later = fields[i + 1..].iter().all(|(_, e)| self.simple(e));
                    let ty = super::env::cell_type(&field.ty).clone();
                    values.push((first, if later { value } else { self.spill(value, &ty) }));
                }
            }
        }
        if !manual {
            self.code.emit(InstrKind::New { slot, kind, cells: values });
        }
        Some((Expr::Slot(slot), Ty::Ref(kind)))
    }

    /// Reports fields that the struct does not have, or that are given twice.
    fn known_fields(
        &mut self,
        decl: &crate::ir::Struct,
        fields: &[(syntax::Name, syntax::Expr)],
    ) -> Option<()> {
        let before = self.env.diagnostics.len();
        for (i, (name, _)) in fields.iter().enumerate() {
            if self.env.poisoned.contains(&format!("{}.{}", decl.name, name.text)) {
                return None;
            }
            if !decl.fields.iter().any(|f| f.name == name.text) {
                let close = Env::close(&name.text, decl.fields.iter().map(|f| f.name.as_str()));
                let text = format!("`{}` has no field `{}`", decl.name, name.text);
                self.error("E0103", name.span, text).help = close.map(|c| format!("did you mean `{c}`?"));
            } else if fields[..i].iter().any(|(n, _)| n.text == name.text) {
                self.error("E0102", name.span, format!("`{}` is given twice", name.text));
            }
        }
        (self.env.diagnostics.len() == before).then_some(())
    }

    /// The values of the cells that a value of an array type fills, in order.
    pub fn flatten(&mut self, value: Expr, ty: &Ty) -> Vec<Expr> {
        let Ty::Array { element, len, .. } = ty else {
            return vec![value];
        };
        let value = match value {
            v @ (Expr::Array(_) | Expr::Repeat(..) | Expr::Const(_) | Expr::Slot(_)) => v,
            other => self.spill(other, ty),
        };
        (0..*len)
            .flat_map(|i| {
                let part = match &value {
                    Expr::Array(parts) => parts[i as usize].clone(),
                    Expr::Repeat(part, _) => (**part).clone(),
                    other => {
                        let index = Expr::Const(Value::Int(i as i32));
                        fold(Expr::Element(Box::new(other.clone()), Box::new(index)))
                    }
                };
                self.flatten(part, element)
            })
            .collect()
    }
}

/// `T?` of `T`.
fn optional(ty: &Ty) -> Ty {
    match ty {
        ty @ Ty::Optional(_) => ty.clone(),
        ty => Ty::Optional(Box::new(ty.clone())),
    }
}
