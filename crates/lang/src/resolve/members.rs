//! The members of objects and specifications: types, constants, variables, then the routines.

use std::collections::HashSet;

use trueline_base::Span;

use super::reach::ReachedHelpers;
use super::routine::Body;
use super::scope::NameScope;
use crate::syntax::{self, Member};
use crate::typed::{
    Constant, ConstantId, DefinitionKind, Enum, EnumId, Field, HelperId, Local, LocalId, Primitive, Routine,
    Struct, Type, Variable, Variant,
};

impl<'a> NameScope<'a> {
    /// Types, constants, variables and helpers: everything that code refers to.
    pub fn declare_members(&mut self, members: &'a [Member]) {
        self.declare_types(members);
        let mut seen: Vec<(&str, Span)> = Vec::new();
        for member in members {
            let name = match member {
                Member::Const(c) => Some(&c.name),
                Member::Shared(v) | Member::Local(v) | Member::State(v) => Some(&v.name),
                Member::Fn(r) | Member::Op(r) => Some(&r.name),
                _ => None,
            };
            if let Some(name) = name {
                if let Some((_, first)) = seen.iter().find(|(text, _)| *text == name.text) {
                    self.duplicate(*first, name);
                    continue;
                }
                seen.push((&name.text, name.span));
            }
            if let Member::Shared(v) | Member::Local(v) | Member::State(v) = member
                && !v.args.is_empty()
            {
                self.error("E0245", v.ty.span, "only objects take arguments, and this type is none");
            }
            match member {
                Member::Memory { mode, .. } => self.module.memory = *mode,
                Member::Const(c) => self.declare_const(c),
                Member::Shared(v) | Member::State(v) => self.declare_variable(v, false),
                Member::Local(v) => self.declare_variable(v, true),
                Member::Fn(r) => {
                    if Primitive::NAMES.contains(&r.name.text.as_str()) {
                        let text =
                            format!("`{}` is an atomic instruction and cannot be declared", r.name.text);
                        self.error("E0107", r.name.span, text);
                    }
                    let id = HelperId(self.module.helpers.len() as u32);
                    let (name, span) = (r.name.text.clone(), r.name.span);
                    self.module.helpers.push(Routine { name, span, ..Routine::default() });
                    self.helpers.insert(r.name.text.clone(), id);
                }
                _ => {}
            }
        }
    }

    /// A constant.
    pub fn declare_const(&mut self, c: &'a syntax::Const) {
        let ty = self.resolve(&c.ty);
        if let Some(ty) = ty
            && let Some(value) = self.constant(&c.value, &ty)
        {
            let (name, span) = (c.name.text.clone(), c.name.span);
            self.add_constant(Constant { name, ty, value: Some(value), open: false, span });
        } else {
            self.poisoned.insert(c.name.text.clone());
        }
    }

    /// Makes a constant known.
    pub fn add_constant(&mut self, constant: Constant) {
        let id = ConstantId(self.module.constants.len() as u32);
        let (name, span) = (constant.name.clone(), constant.span);
        self.note(span, DefinitionKind::Constant, &name, span, Some(&constant.ty));
        self.constants.insert(name, id);
        self.module.constants.push(constant);
    }

    fn declare_variable(&mut self, v: &'a syntax::Variable, persistent: bool) {
        let Some(ty) = self.resolve(&v.ty) else {
            self.poisoned.insert(v.name.text.clone());
            return;
        };
        let kind = if persistent { DefinitionKind::Persistent } else { DefinitionKind::Shared };
        self.note(v.name.span, kind, &v.name.text, v.name.span, Some(&ty));
        let name = v.name.text.clone();
        let variable =
            Variable { name, ty, init: None, name_span: v.name.span, ty_span: v.ty.span, span: v.span };
        match persistent {
            true => self.module.persistent.push(variable),
            false => self.module.shared.push(variable),
        }
    }

    /// Structs and enums may refer to each other, so all names come first.
    fn declare_types(&mut self, members: &'a [Member]) {
        for member in members {
            match member {
                Member::Struct(s) => self.declare_struct(s),
                Member::Enum(e) => self.declare_enum(e),
                _ => {}
            }
        }
        for member in members {
            if let Member::Enum(e) = member {
                self.fill_enum(e);
            }
        }
        self.fill_structs();
    }

    /// The name of a struct; its fields come later.
    pub fn declare_struct(&mut self, s: &'a syntax::Struct) {
        if let Some(first) = self.struct_decls.iter().find(|d| d.name.text == s.name.text) {
            let first = first.name.span;
            return self.duplicate(first, &s.name);
        }
        let (name, span) = (s.name.text.clone(), s.name.span);
        self.note(span, DefinitionKind::Struct, &name, span, None);
        self.module.structs.push(Struct { name, fields: Vec::new(), span });
        self.struct_decls.push(s);
    }

    /// The name of an enum; its variants come later.
    pub fn declare_enum(&mut self, e: &'a syntax::Enum) {
        let (name, span) = (e.name.text.clone(), e.name.span);
        self.note(span, DefinitionKind::Enum, &name, span, None);
        self.module.enums.push(Enum { name, variants: Vec::new(), span });
    }

    /// The variants of an enum whose name is known.
    pub fn fill_enum(&mut self, e: &'a syntax::Enum) {
        let Some(id) = self.module.enums.iter().position(|d| d.name == e.name.text) else { return };
        if !self.module.enums[id].variants.is_empty() {
            return self.duplicate(e.name.span, &e.name);
        }
        for (i, variant) in e.variants.iter().enumerate() {
            if let Some(first) = e.variants[..i].iter().find(|v| v.name.text == variant.name.text) {
                self.duplicate(first.name.span, &variant.name);
            }
            let mut payload = Vec::new();
            for ty in &variant.payload {
                let resolved = self.resolve(ty).unwrap_or(Type::Int);
                if self.contains(&resolved, id) {
                    let text = format!("`{}` would contain itself", e.name.text);
                    self.error("E0244", ty.span, text).help =
                        Some("put a struct between: a reference has a fixed size".into());
                    payload.push(Type::Int);
                } else {
                    payload.push(resolved);
                }
            }
            let (name, span) = (variant.name.text.clone(), variant.name.span);
            self.note(span, DefinitionKind::Variant, &name, span, Some(&Type::Enum(EnumId(id as u16))));
            self.module.enums[id].variants.push(Variant { name, payload, span });
        }
    }

    /// Whether a value of the type can hold one of the enum, as far as enums are known.
    fn contains(&self, ty: &Type, id: usize) -> bool {
        match ty {
            Type::Enum(e) => {
                let e = e.0 as usize;
                let payloads = self.module.enums[e].variants.iter().flat_map(|v| &v.payload);
                e == id || payloads.into_iter().any(|t| self.contains(t, id))
            }
            other => other.parts().into_iter().any(|t| self.contains(t, id)),
        }
    }

    /// The fields of all structs that have none yet.
    pub fn fill_structs(&mut self) {
        for id in self.filled..self.struct_decls.len() {
            let decl = self.struct_decls[id];
            for field in &decl.fields {
                if let Some(first) = decl.fields.iter().find(|f| f.name.text == field.name.text)
                    && first.name.span != field.name.span
                {
                    self.duplicate(first.name.span, &field.name);
                    continue;
                }
                let Some(ty) = self.resolve(&field.ty) else {
                    self.poisoned.insert(format!("{}.{}", decl.name.text, field.name.text));
                    continue;
                };
                let (name, span) = (field.name.text.clone(), field.name.span);
                self.note(span, DefinitionKind::Field, &name, span, Some(&ty));
                self.module.structs[id].fields.push(Field { name, ty, span, ty_span: field.ty.span });
            }
        }
        self.filled = self.struct_decls.len();
    }

    /// Helpers, initialisers, `init`, operations. Says whether every operation has right types.
    pub fn resolve_members(&mut self, members: &'a [Member]) -> bool {
        let helpers: Vec<(HelperId, &'a syntax::Routine)> = members
            .iter()
            .filter_map(|member| match member {
                Member::Fn(r) => {
                    self.helpers.get(&r.name.text).filter(|id| self.is(**id, r)).map(|id| (*id, r))
                }
                _ => None,
            })
            .collect();
        for (id, helper) in &helpers {
            self.signature(*id, helper);
        }
        let mut complete = true;
        let mut ops = Vec::new();
        for member in members {
            let Member::Op(op) = member else { continue };
            let (name, span) = (op.name.text.clone(), op.name.span);
            self.note(span, DefinitionKind::Operation, name, span, None);
            match self.operation(op) {
                Some(routine) => {
                    ops.push((routine, op));
                }
                None => complete = false,
            }
        }
        // What an operation takes and gives is known before what it does: messages name all operations.
        self.module.ops = ops.iter().map(|(routine, _)| routine.clone()).collect();
        self.resolve_init(members);
        self.resolve_thread_init(members);
        for (index, (_, op)) in ops.into_iter().enumerate() {
            self.operation_body(index, op);
        }
        let reached = ReachedHelpers::of(members);
        for (id, helper) in helpers {
            self.helper_body(id, helper, &reached);
        }
        complete
    }

    /// Whether the helper of that number is this one, and not another of the same name.
    fn is(&self, id: HelperId, r: &syntax::Routine) -> bool {
        self.module.helpers[id.0 as usize].span == r.name.span
    }

    /// The types of a helper's parameters and of its result.
    fn signature(&mut self, id: HelperId, helper: &'a syntax::Routine) {
        let result = helper.result.as_ref().map_or(Some(Type::Unit), |ty| self.resolve(ty));
        let types: Vec<Option<Type>> = helper.params.iter().map(|p| self.resolve(&p.ty)).collect();
        if result.is_some() && types.iter().all(Option::is_some) {
            self.sound.insert(id);
        }
        let result = result.unwrap_or(Type::Unit);
        let span = helper.name.span;
        self.note(span, DefinitionKind::Helper, &helper.name.text, span, Some(&result));
        let routine = &mut self.module.helpers[id.0 as usize];
        routine.result = result;
        for (param, ty) in helper.params.iter().zip(types) {
            routine.params.push(LocalId(routine.locals.len() as u32));
            let (name, span) = (param.name.text.clone(), param.name.span);
            let ty = ty.unwrap_or(Type::Unit);
            routine.locals.push(Local { name, ty, assigned: false, span });
        }
    }

    /// The body of a helper, resolved once for all its calls.
    fn helper_body(&mut self, id: HelperId, helper: &'a syntax::Routine, reached: &ReachedHelpers) {
        if !self.sound.contains(&id) {
            return;
        }
        let routine = self.module.helpers[id.0 as usize].clone();
        let mut body = Body::new(self);
        // Where no thread runs `init`, none runs what it calls either; a number stands for a value only there.
        body.has_self = !reached.from_init.contains(&helper.name.text);
        body.val_literals = !body.has_self && !reached.from_elsewhere.contains(&helper.name.text);
        body.helper = true;
        body.result = routine.result.clone();
        body.parameters(helper, &routine.locals);
        let block = body.block(&helper.body);
        let locals = std::mem::take(&mut body.locals);
        if routine.result != Type::Unit && block.falls_through {
            let text = format!("`{}` may end without a result", helper.name.text);
            self.error("E0226", helper.name.span, text).help = Some("end every path with `return`".into());
        }
        let routine = &mut self.module.helpers[id.0 as usize];
        routine.locals = locals;
        routine.body = block;
    }

    fn resolve_init(&mut self, members: &'a [Member]) {
        let assigned: HashSet<String> = members
            .iter()
            .filter_map(|m| match m {
                Member::Init(block) => Some(super::flow::assigned(block)),
                _ => None,
            })
            .flatten()
            .collect();
        let is_spec = self.module.is_spec;
        let mut body = Body::new(self);
        body.has_self = false;
        body.val_literals = true;
        for member in members {
            let (Member::Shared(v) | Member::State(v)) = member else { continue };
            let Some(at) = body.scope.shared(&v.name.text) else { continue };
            let variable = &body.scope.module.shared[at.0 as usize];
            let (ty, own) = (variable.ty.clone(), variable.span == v.span);
            if !own {
                continue;
            }
            let Some(init) = &v.init else {
                let free = is_spec || *ty.cell() == Type::Lock;
                if !free && !assigned.contains(&v.name.text) {
                    let text = format!("`{}` has no initial value", v.name.text);
                    body.error("E0241", v.name.span, text).help =
                        Some("give it one here, or assign it on every path of `init`".into());
                }
                continue;
            };
            body.scope.module.shared[at.0 as usize].init = body.value_as(init, &ty);
        }
        let mut first: Option<Span> = None;
        let mut stmts = Vec::new();
        for member in members {
            let Member::Init(block) = member else { continue };
            if let Some(first) = first {
                body.error("E0102", block.span, "a second `init`").labels =
                    vec![trueline_base::RelatedSpan { span: first, text: "the first one".into() }];
            }
            first = Some(block.span);
            stmts.extend(body.block(block).stmts);
        }
        let locals = std::mem::take(&mut body.locals);
        let span = first.unwrap_or_default();
        let block = crate::typed::Block { stmts, falls_through: true, span };
        self.module.init = Routine { locals, body: block, span, ..Routine::default() };
    }

    fn resolve_thread_init(&mut self, members: &'a [Member]) {
        let mut body = Body::new(self);
        body.val_literals = true;
        for member in members {
            let Member::Local(v) = member else { continue };
            let Some(at) = body.scope.persistent(&v.name.text) else { continue };
            let variable = &body.scope.module.persistent[at as usize];
            let (ty, own) = (variable.ty.clone(), variable.span == v.span);
            if let Some(init) = v.init.as_ref().filter(|_| own) {
                body.scope.module.persistent[at as usize].init = body.value_as(init, &ty);
            }
        }
        let locals = std::mem::take(&mut body.locals);
        self.module.thread_init = Routine { locals, ..Routine::default() };
    }

    /// What an operation takes and gives.
    fn operation(&mut self, op: &'a syntax::Routine) -> Option<Routine> {
        let result = match &op.result {
            Some(ty) => self.resolve(ty)?,
            None => Type::Unit,
        };
        let mut types = Vec::new();
        for param in &op.params {
            types.push(self.resolve(&param.ty)?);
        }
        let written = op.params.iter().map(|p| p.ty.span).chain(op.result.iter().map(|t| t.span));
        for (ty, span) in types.iter().chain([&result]).zip(written) {
            if self.mentions_reference(ty, &mut Vec::new()) {
                self.error("E0242", span, "operations take and give values, not references").help =
                    Some("clients and specifications know nothing of the heap".into());
                return None;
            }
        }
        let local = |(param, ty): (&syntax::Field, Type)| Local {
            name: param.name.text.clone(),
            ty,
            assigned: false,
            span: param.name.span,
        };
        let locals: Vec<Local> = op.params.iter().zip(types).map(local).collect();
        let params = (0..locals.len() as u32).map(LocalId).collect();
        let (name, span) = (op.name.text.clone(), op.name.span);
        Some(Routine { name, params, result, locals, span, ..Routine::default() })
    }

    fn operation_body(&mut self, index: usize, op: &'a syntax::Routine) {
        let routine = self.module.ops[index].clone();
        let mut body = Body::new(self);
        let requires = match &op.requires {
            Some(e) => body.value_as(e, &Type::Bool).and_then(|value| match value.simple() {
                true => Some(value),
                false => {
                    body.error("E0243", e.span, "`requires` is over `local` variables").help =
                        Some("shared memory can change before the call".into());
                    None
                }
            }),
            None => None,
        };
        body.result = routine.result.clone();
        // The variables of `requires` are not those of the body.
        body.locals.clear();
        body.parameters(op, &routine.locals);
        let block = body.block(&op.body);
        let locals = std::mem::take(&mut body.locals);
        if routine.result != Type::Unit && block.falls_through {
            let text = format!("`{}` may end without a result", op.name.text);
            self.error("E0226", op.name.span, text).help = Some("end every path with `return`".into());
        }
        let routine = &mut self.module.ops[index];
        routine.requires = requires;
        routine.locals = locals;
        routine.body = block;
    }

    fn mentions_reference(&self, ty: &Type, seen: &mut Vec<EnumId>) -> bool {
        match ty {
            Type::Ref(_) | Type::Lock => true,
            Type::Enum(e) if seen.contains(e) => false,
            Type::Enum(e) => {
                seen.push(*e);
                let payloads = self.module.enums[e.0 as usize].variants.iter().flat_map(|v| &v.payload);
                payloads.into_iter().any(|t| self.mentions_reference(t, seen))
            }
            other => other.parts().into_iter().any(|t| self.mentions_reference(t, seen)),
        }
    }
}

/// An expression over shared memory that gives a `bool`, with its variables. No thread runs it.
pub(crate) fn invariant<'a>(
    scope: &mut NameScope<'a>,
    e: &'a syntax::Expr,
) -> Option<(crate::typed::Expr, Vec<Local>)> {
    let mut body = Body::new(scope);
    body.has_self = false;
    body.val_literals = true;
    let value = body.value_as(e, &Type::Bool)?;
    let locals = body.locals;
    if let Some((span, name)) = super::reach::looks_at_thread(&scope.module, &value) {
        match name {
            None => {
                scope.error("E0209", span, "`self` has no meaning here: no thread runs this").help =
                    Some("use it in operations, `local` initialisers and clients".into());
            }
            Some(name) => {
                let text = format!("`{name}` is a variable of each thread, and no thread runs this");
                scope.error("E0209", span, text).help =
                    Some("use a `shared` variable, or an array of them".into());
            }
        }
        return None;
    }
    Some((value, locals))
}
