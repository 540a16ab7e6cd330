//! Expressions: what each names and which type it has.

use trueline_base::Span;

use super::aggregates::MOST_ELEMENTS;
use super::routine::{Binding, Body};
use crate::syntax::{self, ExprKind as Written, UnaryOp};
use crate::typed::{DefinitionKind, Expr, ExprKind, Type};

impl<'a> Body<'_, 'a> {
    /// An expression where a `to` is expected.
    pub fn value_as(&mut self, e: &'a syntax::Expr, to: &Type) -> Option<Expr> {
        let value = self.value(e, Some(to))?;
        self.scope.coerce(value, to, e.span)
    }

    /// An expression. `None` when it is wrong, which is then reported.
    pub fn value(&mut self, e: &'a syntax::Expr, expected: Option<&Type>) -> Option<Expr> {
        let made = |kind: ExprKind, ty: Type| Some(Expr { kind, ty, span: e.span });
        match &e.kind {
            Written::Int(i) => self.number(*i, e.span, expected),
            Written::Bool(b) => made(ExprKind::Bool(*b), Type::Bool),
            Written::None => match expected {
                Some(Type::Optional(inner)) if matches!(**inner, Type::Ref(_)) => {
                    self.error("E0208", e.span, "the absent reference is called `null`").help =
                        Some("write `null`".into());
                    None
                }
                Some(ty @ Type::Optional(_)) => made(ExprKind::None, ty.clone()),
                Some(ty) => {
                    let text = format!("`none` cannot be {}", self.scope.module.a(ty));
                    let help = format!("make the type optional: `{}?`", self.scope.module.show(ty));
                    self.error("E0202", e.span, text).help = Some(help);
                    None
                }
                None => self.needs_type(e.span, "none"),
            },
            Written::Null => match expected.map(|ty| (ty, ty.present())) {
                Some((_, inner @ Type::Ref(_))) => {
                    made(ExprKind::Null, Type::Optional(Box::new(inner.clone())))
                }
                Some((ty, _)) => {
                    let text = format!("`null` cannot be {}", self.scope.module.a(ty));
                    self.error("E0202", e.span, text).help =
                        Some("`null` is the absent reference; the absent value is `none`".into());
                    None
                }
                None => self.needs_type(e.span, "null"),
            },
            Written::SelfTid => {
                if !self.has_self {
                    self.error("E0209", e.span, "`self` has no meaning here: no thread runs this").help =
                        Some("use it in operations, `local` initialisers and clients".into());
                    return None;
                }
                made(ExprKind::SelfTid, Type::Tid)
            }
            Written::Paren(inner) => self.value(inner, expected),
            Written::Name(name) => self.name(name, e.span, expected),
            Written::Unary { op: UnaryOp::Not, operand } => {
                let operand = self.value_as(operand, &Type::Bool)?;
                made(ExprKind::Not(Box::new(operand)), Type::Bool)
            }
            Written::Unary { op: UnaryOp::Minus, operand } => {
                if let Written::Int(i) = operand.kind {
                    return self.number(-i, e.span, expected);
                }
                let operand = self.value_as(operand, &Type::Int)?;
                made(ExprKind::Neg(Box::new(operand)), Type::Int)
            }
            Written::Binary { op, left, right } => self.binary(*op, left, right, e.span),
            Written::Cast { operand, ty } => self.cast(operand, ty, e.span),
            Written::If { condition, then, otherwise } => {
                let condition = self.value_as(condition, &Type::Bool)?;
                let (then, otherwise) = self.branches(then, otherwise, expected)?;
                let ty = then.ty.clone();
                made(ExprKind::If(Box::new(condition), Box::new(then), Box::new(otherwise)), ty)
            }
            Written::Tuple(parts) if parts.len() > MOST_ELEMENTS => {
                let text = format!("a tuple has at most {MOST_ELEMENTS} components, not {}", parts.len());
                self.error("E0205", e.span, text);
                None
            }
            Written::Tuple(parts) => {
                let wanted = match expected.map(Type::present) {
                    Some(Type::Tuple(types)) if types.len() == parts.len() => Some(types.clone()),
                    _ => None,
                };
                self.tuple(parts, e.span, |body, i, part| match &wanted {
                    Some(types) => body.value_as(part, &types[i]),
                    None => body.value(part, None),
                })
            }
            Written::List(parts) => self.list(parts, e.span, expected),
            Written::Repeat { element, length } => self.repeat(element, length.as_deref(), expected, e.span),
            Written::Quantified { all, variable, over, body } => {
                self.quantified(*all, variable, over, body, e.span)
            }
            Written::New { name, fields } => self.new_struct(name, fields, e.span),
            Written::Call { name, args, weak } => self.call(name, args, *weak, e.span, expected),
            Written::Method { object, name, args } => self.method(object, name, args, e.span),
            Written::Field { object, name } if name.text == "len" && self.is_collection(object) => {
                self.method(object, name, &[], e.span)
            }
            Written::Field { .. } => self.place(e),
            Written::Component { object, index } => {
                let object = self.value(object, None)?;
                self.component(object, *index, e.span)
            }
            Written::Index { object, index } => {
                if self.is_place(e) {
                    return self.place(e);
                }
                let object = self.value(object, None)?;
                self.index(object, index, e.span)
            }
            Written::Range { .. } => {
                self.error("E0211", e.span, "a range stands here where one value is expected").help =
                    Some("ranges are arguments of `call` clauses, `for` and `choose`".into());
                None
            }
            Written::Error => None,
        }
    }

    /// A tuple whose components are resolved by `each`.
    pub(super) fn tuple(
        &mut self,
        parts: &'a [syntax::Expr],
        span: Span,
        each: impl Fn(&mut Self, usize, &'a syntax::Expr) -> Option<Expr>,
    ) -> Option<Expr> {
        let mut all = Vec::new();
        for (i, part) in parts.iter().enumerate() {
            all.push(each(self, i, part)?);
        }
        let ty = Type::Tuple(all.iter().map(|part| part.ty.clone()).collect());
        Some(Expr { kind: ExprKind::Tuple(all), ty, span })
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

    fn number(&mut self, i: i64, span: Span, expected: Option<&Type>) -> Option<Expr> {
        match expected.map(Type::present) {
            Some(Type::Val) if self.val_literals => {
                let Ok(value) = u32::try_from(i) else {
                    self.error("E0212", span, "values are counted from 1");
                    return None;
                };
                return Some(Expr { kind: ExprKind::Val(value), ty: Type::Val, span });
            }
            Some(Type::Tid) if self.client => {
                return Some(Expr { kind: ExprKind::Thread(i), ty: Type::Tid, span });
            }
            _ => {}
        }
        match i32::try_from(i) {
            Ok(i) => Some(Expr { kind: ExprKind::Int(i), ty: Type::Int, span }),
            Err(_) => {
                self.error("E0213", span, "this number does not fit into 32 bits");
                None
            }
        }
    }

    /// A variable, wherever it lives. `None` when there is none of that name.
    pub(super) fn variable(&mut self, name: &str, span: Span) -> Option<Expr> {
        let (kind, definition, at, ty) = if let Some(Binding::Local(id)) = self.lookup(name) {
            let local = &self.locals[id.0 as usize];
            let param = (id.0 as usize) < self.params;
            let kind = if param { DefinitionKind::Parameter } else { DefinitionKind::Local };
            (ExprKind::Local(id), kind, local.span, local.ty.clone())
        } else if let Some(id) = self.persistent(name) {
            let variable = &self.scope.module.persistent[id as usize];
            let ty = variable.ty.clone();
            (ExprKind::Persistent(id), DefinitionKind::Persistent, variable.name_span, ty)
        } else {
            let id = self.scope.shared(name)?;
            let variable = &self.scope.module.shared[id.0 as usize];
            (ExprKind::Shared(id), DefinitionKind::Shared, variable.name_span, variable.ty.clone())
        };
        self.scope.note(span, definition, name, at, Some(&ty));
        Some(Expr { kind, ty, span })
    }

    fn name(&mut self, name: &str, span: Span, expected: Option<&Type>) -> Option<Expr> {
        if let Some(Binding::Poison) = self.lookup(name) {
            return None;
        }
        if let Some(variable) = self.variable(name, span) {
            return Some(variable);
        }
        if let Some(id) = self.scope.constants.get(name).copied() {
            let constant = &self.scope.module.constants[id.0 as usize];
            let (ty, at) = (constant.ty.clone(), constant.span);
            self.scope.note(span, DefinitionKind::Constant, name, at, Some(&ty));
            return Some(match expected.map(Type::present) {
                Some(Type::Val) if self.val_literals && ty.is_number() => {
                    Expr { kind: ExprKind::Standing(id), ty: Type::Val, span }
                }
                Some(Type::Tid) if self.client && ty.is_number() => {
                    Expr { kind: ExprKind::Standing(id), ty: Type::Tid, span }
                }
                _ => Expr { kind: ExprKind::Constant(id), ty, span },
            });
        }
        if let Some((id, variant)) = self.scope.variant(name, expected) {
            let arity = self.scope.module.enums[id.0 as usize].variants[variant as usize].payload.len();
            if arity > 0 {
                let text = format!("`{name}` carries data: write `{name}(…)`");
                self.error("E0214", span, text);
                return None;
            }
            self.scope.note_variant(span, id, variant);
            return Some(Expr { kind: ExprKind::Variant(variant, Vec::new()), ty: Type::Enum(id), span });
        }
        self.unknown_name(name, span);
        None
    }

    fn cast(&mut self, operand: &'a syntax::Expr, ty: &'a syntax::Type, span: Span) -> Option<Expr> {
        let to = self.scope.resolve(ty)?;
        let from = self.value(operand, None)?;
        let kind = match (&from.ty, &to) {
            (Type::Tid, Type::Int) => ExprKind::TidToInt(Box::new(from)),
            (Type::Tid, Type::Val) => ExprKind::TidToVal(Box::new(from)),
            (Type::Bool, Type::Int) => ExprKind::BoolToInt(Box::new(from)),
            _ => return self.scope.coerce(from, &to, operand.span.to(ty.span)),
        };
        Some(Expr { kind, ty: to, span })
    }
}
