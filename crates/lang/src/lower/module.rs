//! Objects and specifications.

use trueline_base::{Span, Value};

use super::body::{Binding, Body, ReturnContext};
use super::env::{Env, cell_type, cells, default_value};
use super::place::{Base, Lvalue};
use super::types::MOST_CELLS;
use crate::ir::{self, Expr, InstrKind, Place, SlotInfo, Ty};
use crate::syntax::{self, ExprKind, Member};

impl<'a> Env<'a> {
    /// A number that is known before anything runs.
    pub fn constant_int(&mut self, e: &'a syntax::Expr) -> Option<i64> {
        match self.constant(e, &Ty::Int)? {
            Value::Int(i) => Some(i64::from(i)),
            _ => None,
        }
    }

    /// A value that is known before anything runs.
    pub fn constant(&mut self, e: &'a syntax::Expr, ty: &Ty) -> Option<Value> {
        let (value, from) = self.constant_any(e, Some(ty))?;
        match super::fold::fold(self.coerce(Expr::Const(value), &from, ty, e.span)?) {
            Expr::Const(value) => Some(value),
            _ => {
                let text = format!("this value does not fit into `{}`", self.show(ty));
                self.error("E0204", e.span, text);
                None
            }
        }
    }

    /// A value that is known before anything runs, with its type.
    pub fn constant_any(&mut self, e: &'a syntax::Expr, expected: Option<&Ty>) -> Option<(Value, Ty)> {
        let before = self.diagnostics.len();
        let mut body = Body::new(self);
        body.has_self = false;
        body.val_literals = true;
        body.atomic = true;
        match body.value(e, expected) {
            Some((Expr::Const(value), ty)) => Some((value, ty)),
            Some(_) => {
                self.error("E0240", e.span, "this must be a constant").help =
                    Some("use numbers, `param`s and `const`s".into());
                None
            }
            None => {
                debug_assert!(
                    self.diagnostics.len() > before || !self.poisoned.is_empty() || e.kind == ExprKind::Error
                );
                None
            }
        }
    }

    /// Types, constants, variables and helpers: everything that code refers to.
    pub fn declare_members(&mut self, members: impl Iterator<Item = &'a Member> + Clone) {
        self.declare_types(members.clone());
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
                Member::Shared(v) | Member::State(v) => self.declare_variable(v),
                Member::Local(v) => match self.resolve(&v.ty) {
                    Some(ty) => self.module.persistent.push(SlotInfo { name: v.name.text.clone(), ty }),
                    None => {
                        self.poisoned.insert(v.name.text.clone());
                    }
                },
                Member::Fn(r) => {
                    if super::calls::is_primitive(&r.name.text) {
                        let text =
                            format!("`{}` is an atomic instruction and cannot be declared", r.name.text);
                        self.error("E0107", r.name.span, text);
                    }
                    self.fns.insert(r.name.text.clone(), r);
                }
                _ => {}
            }
        }
    }

    /// A constant.
    pub fn declare_const(&mut self, c: &'a syntax::Const) {
        if let Some(ty) = self.resolve(&c.ty)
            && let Some(value) = self.constant(&c.value, &ty)
        {
            self.consts.insert(c.name.text.clone(), (value, ty));
        } else {
            self.poisoned.insert(c.name.text.clone());
        }
    }

    /// Structs and enums may refer to each other, so all names come first.
    pub fn declare_types(&mut self, members: impl Iterator<Item = &'a Member> + Clone) {
        for member in members.clone() {
            match member {
                Member::Struct(s) => self.declare_struct(s),
                Member::Enum(e) => {
                    self.module.enums.push(ir::Enum { name: e.name.text.clone(), variants: Vec::new() });
                }
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
        let empty =
            ir::Struct { name: s.name.text.clone(), fields: Vec::new(), cells: Vec::new(), kept: Vec::new() };
        self.module.structs.push(empty);
        self.struct_decls.push(s);
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
                let resolved = self.resolve(ty).unwrap_or(Ty::Int);
                if self.contains(&resolved, id) {
                    let text = format!("`{}` would contain itself", e.name.text);
                    self.error("E0244", ty.span, text).help =
                        Some("put a struct between: a reference has a fixed size".into());
                    payload.push(Ty::Int);
                } else {
                    payload.push(resolved);
                }
            }
            self.module.enums[id].variants.push((variant.name.text.clone(), payload));
        }
    }

    /// Whether a value of the type can hold one of the enum, as far as enums are known.
    fn contains(&self, ty: &Ty, id: usize) -> bool {
        match ty {
            Ty::Enum(e) => {
                let e = *e as usize;
                e == id
                    || self.module.enums[e].variants.iter().flat_map(|v| &v.1).any(|t| self.contains(t, id))
            }
            Ty::Optional(t) | Ty::Seq(t) | Ty::Set(t) | Ty::Multiset(t) | Ty::Heap(t) => self.contains(t, id),
            Ty::Array { element, .. } => self.contains(element, id),
            Ty::Tuple(parts) => parts.iter().any(|t| self.contains(t, id)),
            Ty::Map(k, v) => self.contains(k, id) || self.contains(v, id),
            _ => false,
        }
    }

    /// The fields of all structs that have none yet.
    pub fn fill_structs(&mut self) {
        for (id, decl) in self.struct_decls.clone().into_iter().enumerate() {
            if !self.module.structs[id].cells.is_empty() {
                continue;
            }
            let mut fields: Vec<ir::Variable> = Vec::new();
            let mut all = Vec::new();
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
                let (first, len) = (all.len() as u32, cells(&ty));
                if first.saturating_add(len) > MOST_CELLS {
                    self.error("E0205", field.ty.span, format!("this takes more than {MOST_CELLS} cells"));
                    continue;
                }
                let value = default_value(cell_type(&ty), &self.module.enums);
                all.extend(std::iter::repeat_n(value, len as usize));
                fields.push(ir::Variable {
                    name: field.name.text.clone(),
                    ty,
                    first,
                    len,
                    span: field.name.span,
                });
            }
            self.module.structs[id].fields = fields;
            self.module.structs[id].cells = all;
        }
    }

    fn declare_variable(&mut self, v: &'a syntax::Variable) {
        let Some(ty) = self.resolve(&v.ty) else {
            self.poisoned.insert(v.name.text.clone());
            return;
        };
        let first = self.module.shared.len() as u32;
        // In a specification an array is one value: everything is one step there.
        let (len, value) = match self.is_spec {
            true => (1, default_value(&ty, &self.module.enums)),
            false => (cells(&ty), default_value(cell_type(&ty), &self.module.enums)),
        };
        if first.saturating_add(len) > MOST_CELLS {
            self.error("E0205", v.ty.span, format!("the variables take more than {MOST_CELLS} cells"));
            self.poisoned.insert(v.name.text.clone());
            return;
        }
        self.module.shared.extend(std::iter::repeat_n(value, len as usize));
        self.module.variables.push(ir::Variable {
            name: v.name.text.clone(),
            ty,
            first,
            len,
            span: v.name.span,
        });
    }

    /// Initialisers, `init`, operations.
    pub fn lower_members(&mut self, members: impl Iterator<Item = &'a Member> + Clone) {
        self.module.init = self.lower_init(members.clone());
        self.module.thread_init = self.lower_thread_init(members.clone());
        for member in members.clone() {
            let Member::Op(op) = member else { continue };
            if let Some(op) = self.lower_op(op) {
                self.module.ops.push(op);
            }
        }
        for member in members {
            let Member::Fn(helper) = member else { continue };
            if !self.called.contains(&helper.name.text) {
                self.look_at(helper);
            }
        }
    }

    /// Reports what is wrong with a helper that nobody calls. Recursion depends on the arguments of a call.
    fn look_at(&mut self, helper: &'a syntax::Routine) {
        let result = helper.result.as_ref().map_or(Some(Ty::Unit), |ty| self.resolve(ty));
        let types: Vec<Option<Ty>> = helper.params.iter().map(|p| self.resolve(&p.ty)).collect();
        let before = self.diagnostics.len();
        let atomic = self.is_spec;
        let mut body = Body::new(self);
        body.atomic = atomic;
        for (param, ty) in helper.params.iter().zip(types) {
            match ty {
                Some(ty) => {
                    let slot = body.code.slot(&param.name.text, ty.clone());
                    body.bind(&param.name.text, Binding::Slot(slot, ty));
                }
                None => body.bind(&param.name.text, Binding::Poison),
            }
        }
        let Some(ty) = result else { return };
        let out = body.code.label();
        let result = (ty != Ty::Unit).then(|| body.temp(ty.clone()));
        let context = ReturnContext { helper: None, result, ty, out, atomic, scopes: 0, loops: 0 };
        body.returns.push(context);
        body.block(&helper.body);
        let mut found = self.diagnostics.split_off(before);
        found.retain(|d| d.code != "E0227");
        self.diagnostics.append(&mut found);
    }

    fn lower_init(&mut self, members: impl Iterator<Item = &'a Member> + Clone) -> ir::Routine {
        let assigned: std::collections::HashSet<String> = members
            .clone()
            .filter_map(|m| match m {
                Member::Init(block) => Some(super::flow::assigned(block)),
                _ => None,
            })
            .flatten()
            .collect();
        let is_spec = self.is_spec;
        let mut body = Body::new(self);
        body.atomic = true;
        body.has_self = false;
        body.val_literals = true;
        body.code.slots.clear();
        let out = body.code.label();
        body.returns.push(ReturnContext {
            helper: None,
            result: None,
            ty: Ty::Unit,
            out,
            atomic: true,
            scopes: 0,
            loops: 0,
        });
        for member in members.clone() {
            let (Member::Shared(v) | Member::State(v)) = member else { continue };
            body.code.span = v.span;
            let Some(variable) = body.env.variable(&v.name.text).cloned() else { continue };
            let Some(init) = &v.init else {
                let free = is_spec || *cell_type(&variable.ty) == Ty::Lock;
                if !free && !assigned.contains(&v.name.text) {
                    let text = format!("`{}` has no initial value", v.name.text);
                    body.error("E0241", v.name.span, text).help =
                        Some("give it one here, or assign it on every path of `init`".into());
                }
                continue;
            };
            if let Some(value) = body.value_as(init, &variable.ty) {
                let place = Place::Shared { first: variable.first, index: Vec::new() };
                let base = Base::Cell(place, variable.ty.clone());
                body.store(Lvalue { base, path: Vec::new(), ty: variable.ty }, value, v.span);
            }
        }
        let mut first: Option<Span> = None;
        for member in members {
            let Member::Init(block) = member else { continue };
            if let Some(first) = first {
                body.error("E0102", block.span, "a second `init`").labels =
                    vec![trueline_base::Label { span: first, text: "the first one".into() }];
            }
            first = Some(block.span);
            body.block(block);
        }
        body.code.bind(out);
        body.finish(first.unwrap_or_default())
    }

    fn lower_thread_init(&mut self, members: impl Iterator<Item = &'a Member> + Clone) -> ir::Routine {
        let mut body = Body::new(self);
        body.atomic = true;
        body.val_literals = true;
        for member in members {
            let Member::Local(v) = member else { continue };
            body.code.span = v.span;
            let Some(Binding::Slot(slot, ty)) = body.lookup(&v.name.text) else { continue };
            let value = match &v.init {
                Some(init) => body.value_as(init, &ty),
                None => Some(Expr::Const(default_value(&ty, &body.env.module.enums))),
            };
            if let Some(value) = value {
                body.code.emit(InstrKind::Set { slot, value });
            }
        }
        body.finish(Span::default())
    }

    fn lower_op(&mut self, op: &'a syntax::Routine) -> Option<ir::Op> {
        let result = match &op.result {
            Some(ty) => self.resolve(ty)?,
            None => Ty::Unit,
        };
        let mut types = Vec::new();
        for param in &op.params {
            types.push(self.resolve(&param.ty)?);
        }
        for (ty, span) in types
            .iter()
            .zip(op.params.iter().map(|p| p.ty.span))
            .chain(op.result.iter().map(|t| (&result, t.span)))
        {
            if mentions_reference(ty, &self.module.enums, &mut Vec::new()) {
                self.error("E0242", span, "operations take and give values, not references").help =
                    Some("clients and specifications know nothing of the heap".into());
                return None;
            }
        }
        let is_spec = self.is_spec;
        let mut body = Body::new(self);
        body.atomic = is_spec;
        let requires = match &op.requires {
            Some(e) if !body.simple(e) => {
                body.error("E0243", e.span, "`requires` is over `local` variables").help =
                    Some("shared memory can change before the call".into());
                None
            }
            Some(e) => body.value_as(e, &Ty::Bool),
            None => None,
        };
        let mut params = Vec::new();
        for (i, (param, ty)) in op.params.iter().zip(&types).enumerate() {
            if let Some(first) = op.params[..i].iter().find(|p| p.name.text == param.name.text) {
                body.env.duplicate(first.name.span, &param.name);
            }
            let slot = body.code.slot(&param.name.text, ty.clone());
            body.bind(&param.name.text, Binding::Slot(slot, ty.clone()));
            params.push((slot, ty.clone()));
        }
        let out = body.code.label();
        body.returns.push(ReturnContext {
            helper: None,
            result: None,
            ty: result.clone(),
            out,
            atomic: is_spec,
            scopes: 0,
            loops: 0,
        });
        body.block(&op.body);
        body.code.bind(out);
        if result != Ty::Unit && super::flow::falls_through(&op.body) {
            body.error("E0226", op.name.span, format!("`{}` may end without a result", op.name.text)).help =
                Some("end every path with `return`".into());
        }
        body.code.span = Span::new(op.body.span.end.saturating_sub(1) as usize, op.body.span.end as usize);
        let routine = body.finish(op.name.span);
        Some(ir::Op { name: op.name.text.clone(), params, result, requires, routine, span: op.name.span })
    }

    /// An expression over shared memory as a routine that gives a `bool`.
    pub fn lower_invariant(&mut self, e: &'a syntax::Expr) -> Option<ir::Routine> {
        let mut body = Body::new(self);
        body.code.slots.clear();
        body.atomic = true;
        body.has_self = false;
        body.val_literals = true;
        body.code.span = e.span;
        let value = body.value_as(e, &Ty::Bool)?;
        body.code.emit(InstrKind::Return(value));
        Some(body.finish(e.span))
    }
}

fn mentions_reference(ty: &Ty, enums: &[ir::Enum], seen: &mut Vec<u16>) -> bool {
    let mut inner = |t: &Ty| mentions_reference(t, enums, seen);
    match ty {
        Ty::Ref(_) | Ty::Lock => true,
        Ty::Optional(t) | Ty::Seq(t) | Ty::Set(t) | Ty::Multiset(t) | Ty::Heap(t) => inner(t),
        Ty::Array { element, .. } => inner(element),
        Ty::Tuple(parts) => parts.iter().any(inner),
        Ty::Map(k, v) => inner(k) || inner(v),
        Ty::Enum(e) if seen.contains(e) => false,
        Ty::Enum(e) => {
            seen.push(*e);
            let mut payloads = enums[*e as usize].variants.iter().flat_map(|(_, payload)| payload);
            payloads.any(|t| mentions_reference(t, enums, seen))
        }
        _ => false,
    }
}
