//! Calls: the atomic instructions, variants with payload, and helpers.

use trueline_base::Span;

use super::routine::Body;
use super::words::{close, foreign};
use crate::syntax::{self, Arg, Name};
use crate::typed::{DefinitionKind, Expr, ExprKind, HelperId, Primitive, Type};

impl<'a> Body<'_, 'a> {
    pub(super) fn call(
        &mut self,
        name: &'a Name,
        args: &'a [Arg],
        weak: bool,
        span: Span,
        expected: Option<&Type>,
    ) -> Option<Expr> {
        if let Some((at, local)) = self.stand_in
            && at == span
        {
            let ty = self.locals[local.0 as usize].ty.clone();
            return Some(Expr { kind: ExprKind::Local(local), ty, span });
        }
        if let Some(arg) = args.iter().find_map(|a| a.name.as_ref()) {
            self.error("E0223", arg.span, "arguments are named only where objects and specifications are");
            return None;
        }
        if let Some(helper) = self.scope.helpers.get(&name.text).copied() {
            return self.helper_call(helper, name, args, span);
        }
        if let Some(primitive) = Primitive::named(&name.text, weak) {
            if args.len() != primitive.arity() {
                self.arity(&name.text, primitive.arity(), args.len(), span);
                return None;
            }
            return self.primitive(primitive, name, args, span);
        }
        if let Some((id, variant)) = self.scope.variant(&name.text, expected) {
            let types = self.scope.module.enums[id.0 as usize].variants[variant as usize].payload.clone();
            if types.len() != args.len() {
                self.arity(&name.text, types.len(), args.len(), span);
                return None;
            }
            self.scope.note_variant(name.span, id, variant);
            let mut parts = Vec::new();
            for (arg, ty) in args.iter().zip(&types) {
                parts.push(self.value_as(&arg.value, ty)?);
            }
            return Some(Expr { kind: ExprKind::Variant(variant, parts), ty: Type::Enum(id), span });
        }
        self.no_helper(name, span);
        None
    }

    fn no_helper(&mut self, name: &'a Name, span: Span) {
        let close = {
            let helpers = self.scope.helpers.keys().map(String::as_str);
            close(&name.text, helpers.chain(Primitive::NAMES))
        };
        let is_op = self.scope.module.ops.iter().any(|o| o.name == name.text);
        if self.client {
            match is_op {
                true => {
                    self.error("E0505", span, "a condition of a client makes one call").help =
                        Some("keep the first result: `let x = deq();`".into());
                }
                false => self.scope.no_operation(name),
            }
            return;
        }
        let d = self.error("E0104", name.span, format!("there is no helper `{}`", name.text));
        d.help = match close {
            _ if foreign(&name.text).is_some() => foreign(&name.text).map(String::from),
            Some(close) => Some(format!("did you mean `{close}`?")),
            None if is_op => Some("an operation is called by clients only; share code in a `fn`".into()),
            None => Some("declare it with `fn` in this object".into()),
        };
    }

    pub(super) fn arity(&mut self, name: &str, expected: usize, found: usize, span: Span) {
        let s = if expected == 1 { "" } else { "s" };
        self.error("E0224", span, format!("`{name}` takes {expected} argument{s}, not {found}"));
    }

    fn helper_call(&mut self, id: HelperId, name: &Name, args: &'a [Arg], span: Span) -> Option<Expr> {
        if self.constant {
            self.not_constant = true;
            return None;
        }
        let helper = &self.scope.module.helpers[id.0 as usize];
        let (result, declared) = (helper.result.clone(), helper.span);
        let types: Vec<Type> = helper.params.iter().map(|p| helper.locals[p.0 as usize].ty.clone()).collect();
        self.scope.note(name.span, DefinitionKind::Helper, &name.text, declared, Some(&result));
        if types.len() != args.len() {
            self.arity(&name.text, types.len(), args.len(), span);
            return None;
        }
        // What is wrong with its types is reported where they stand.
        let sound = self.scope.sound.contains(&id);
        let mut values = Vec::new();
        for (arg, ty) in args.iter().zip(&types).filter(|_| sound) {
            values.push(self.value_as(&arg.value, ty)?);
        }
        sound.then_some(Expr { kind: ExprKind::Call(id, values), ty: result, span })
    }

    fn primitive(
        &mut self,
        primitive: Primitive,
        name: &'a Name,
        args: &'a [Arg],
        span: Span,
    ) -> Option<Expr> {
        if self.scope.module.is_spec {
            let text = "a specification is one atomic step and needs no atomic instructions";
            self.error("E0225", span, text).help = Some("read and assign its state".into());
            return None;
        }
        let what = format!("`{}`", name.text);
        let arg = |i: usize| &args[i].value;
        let place = self.cell(arg(0), &what)?;
        let ty = place.ty.clone();
        if ty == Type::Lock {
            let text = "a `lock` is taken with `lock` and given back with `unlock`";
            self.error("E0222", arg(0).span, text);
            return None;
        }
        let mut parts = vec![place];
        let result = match primitive {
            Primitive::Cas | Primitive::Cmpxchg => {
                parts.extend(self.old_and_new(arg(1), arg(2), &ty)?);
                if primitive == Primitive::Cas { Type::Bool } else { ty }
            }
            Primitive::Swap => {
                parts.push(self.value_as(arg(1), &ty)?);
                ty
            }
            Primitive::Faa => {
                if !ty.is_number() {
                    let text = format!("`faa` adds to a number, and this is {}", self.scope.module.a(&ty));
                    self.error("E0202", arg(0).span, text);
                    return None;
                }
                parts.push(self.value_as(arg(1), &Type::Int)?);
                Type::Int
            }
            Primitive::Tas => {
                if ty != Type::Bool {
                    let text = format!("`tas` sets a `bool`, and this is {}", self.scope.module.a(&ty));
                    self.error("E0202", arg(0).span, text);
                    return None;
                }
                Type::Bool
            }
            Primitive::Dcas => {
                parts.extend(self.old_and_new(arg(1), arg(2), &ty)?);
                let other = self.cell(arg(3), &what)?;
                let other_ty = other.ty.clone();
                parts.push(other);
                parts.extend(self.old_and_new(arg(4), arg(5), &other_ty)?);
                Type::Bool
            }
            Primitive::LoadLinked => ty,
            Primitive::StoreConditional { .. } => {
                parts.push(self.value_as(arg(1), &ty)?);
                Type::Bool
            }
            Primitive::Validate => Type::Bool,
        };
        Some(Expr { kind: ExprKind::Primitive(primitive, parts), ty: result, span })
    }

    /// What a compare-and-set compares with and stores. The former is only compared: it may be absent or out of range.
    fn old_and_new(&mut self, old: &'a syntax::Expr, new: &'a syntax::Expr, ty: &Type) -> Option<[Expr; 2]> {
        let compared = self.value(old, Some(&ty.comparand()))?;
        if !compared.ty.comparable(ty) {
            let module = &self.scope.module;
            let text = format!("this cell holds {}, never {}", module.a(ty), module.a(&compared.ty));
            self.error("E0202", old.span, text);
            return None;
        }
        Some([compared, self.value_as(new, ty)?])
    }
}
