//! What can be assigned: variables, fields, and the parts inside them.

use trueline_base::Span;

use super::routine::{Binding, Body};
use crate::syntax::{self, ExprKind as Written};
use crate::typed::{DefinitionKind, Expr, ExprKind, Length, Type};

impl<'a> Body<'_, 'a> {
    /// Whether the expression names a variable, a field or a part of one.
    pub(super) fn is_place(&self, e: &syntax::Expr) -> bool {
        match &e.kind {
            Written::Name(name) => match self.lookup(name) {
                Some(binding) => matches!(binding, Binding::Local(_)),
                None => self.is_variable(name),
            },
            Written::Field { .. } => true,
            Written::Index { object, .. } | Written::Component { object, .. } => self.is_place(object),
            Written::Paren(inner) => self.is_place(inner),
            _ => false,
        }
    }

    /// Whether the expression is a variable that holds a collection.
    pub(super) fn is_collection(&self, e: &syntax::Expr) -> bool {
        match &e.kind {
            Written::Name(name) => match self.lookup(name) {
                Some(Binding::Local(id)) => self.locals[id.0 as usize].ty.is_collection(),
                Some(Binding::Poison) => false,
                None => {
                    let module = &self.scope.module;
                    let persistent = self.persistent(name).map(|id| &module.persistent[id as usize]);
                    let shared = || self.scope.shared(name).map(|id| &module.shared[id.0 as usize]);
                    persistent.or_else(shared).is_some_and(|v| v.ty.is_collection())
                }
            },
            Written::Paren(inner) => self.is_collection(inner),
            _ => false,
        }
    }

    /// The place that an expression names.
    pub(super) fn place(&mut self, e: &'a syntax::Expr) -> Option<Expr> {
        match &e.kind {
            Written::Paren(inner) => self.place(inner),
            Written::Name(name) => {
                if let Some(Binding::Poison) = self.lookup(name) {
                    return None;
                }
                if let Some(variable) = self.variable(name, e.span) {
                    return Some(variable);
                }
                if self.scope.constants.contains_key(name) {
                    return self.not_assignable(e, "a constant");
                }
                self.unknown_name(name, e.span);
                None
            }
            Written::Field { object, name } => {
                let on_self = object.kind == Written::SelfTid;
                let object = self.value(object, None)?;
                let Type::Ref(kind) = *object.ty.present() else {
                    let text = format!(
                        "`.{}` needs a struct, and this is {}",
                        name.text,
                        self.scope.module.a(&object.ty)
                    );
                    self.error("E0103", name.span, text).help =
                        on_self.then(|| format!("variables of the object are named alone: `{}`", name.text));
                    return None;
                };
                let decl = &self.scope.module.structs[kind.0 as usize];
                let Some(at) = decl.fields.iter().position(|f| f.name == name.text) else {
                    if !self.scope.poisoned.contains(&format!("{}.{}", decl.name, name.text)) {
                        self.no_field(kind, name);
                    }
                    return None;
                };
                let (ty, declared) = (decl.fields[at].ty.clone(), decl.fields[at].span);
                self.scope.note(name.span, DefinitionKind::Field, &name.text, declared, Some(&ty));
                let kind = ExprKind::Field { object: Box::new(object), kind, field: at as u32 };
                Some(Expr { kind, ty, span: e.span })
            }
            Written::Index { object, index } => {
                let object = self.place(object)?;
                self.index(object, index, e.span)
            }
            Written::Component { object, index } => {
                let object = self.place(object)?;
                let component = self.component(object, *index, e.span)?;
                if is_cell(&component) && !self.scope.module.is_spec {
                    self.error("E0218", e.span, "one component of a shared cell cannot be assigned alone")
                        .help = Some("assign the whole tuple: a cell is written in one step".into());
                    return None;
                }
                Some(component)
            }
            _ => self.not_assignable(e, "a value"),
        }
    }

    fn not_assignable<T>(&mut self, e: &syntax::Expr, what: &str) -> Option<T> {
        self.error("E0219", e.span, format!("this is {what}, not something that can be assigned"));
        None
    }

    /// A component of a tuple.
    pub(super) fn component(&mut self, object: Expr, index: u32, span: Span) -> Option<Expr> {
        let Type::Tuple(types) = object.ty.present() else {
            let text =
                format!("`.{index}` takes a tuple apart, and this is {}", self.scope.module.a(&object.ty));
            self.error("E0210", span, text);
            return None;
        };
        let Some(ty) = types.get(index as usize).cloned() else {
            let text = format!("this tuple has {} components, counted from 0", types.len());
            self.error("E0210", span, text);
            return None;
        };
        Some(Expr { kind: ExprKind::Component(Box::new(object), index as u16), ty, span })
    }

    /// An element of an array or a sequence.
    pub(super) fn index(&mut self, object: Expr, e: &'a syntax::Expr, span: Span) -> Option<Expr> {
        let (index, ty) = match object.ty.present().clone() {
            Type::Array { element, len } => {
                let by_tid = len == Length::Threads;
                let index = self.value(e, Some(if by_tid { &Type::Tid } else { &Type::Int }))?;
                let found = index.ty.present().clone();
                let fits = if by_tid { found == Type::Tid } else { found.is_number() };
                if !fits {
                    let wanted = if by_tid { "a thread" } else { "a number" };
                    let text = format!(
                        "this array is indexed by {wanted}, not by `{}`",
                        self.scope.module.show(&found)
                    );
                    let d = self.error("E0220", e.span, text);
                    d.help = match (by_tid, &found) {
                        (false, Type::Tid) => Some("declare it as `[T; tid]` to index it by threads".into()),
                        (true, found) if found.is_number() => {
                            Some("`for t in tid` goes through all threads; `self` is the caller".into())
                        }
                        _ => None,
                    };
                    return None;
                }
                (index.converted(&found), *element)
            }
            Type::Seq(element) => (self.value_as(e, &Type::Int)?, *element),
            other => {
                let text = format!("{} cannot be indexed", self.scope.module.a(&other));
                self.error("E0220", e.span, text);
                return None;
            }
        };
        Some(Expr { kind: ExprKind::Index(Box::new(object), Box::new(index)), ty, span })
    }

    /// A place that must be one shared cell.
    pub(super) fn cell(&mut self, e: &'a syntax::Expr, what: &str) -> Option<Expr> {
        let place = self.place(e)?;
        if !is_cell(&place) {
            let text = format!("{what} works on shared memory, and this is a local variable");
            self.error("E0222", e.span, text);
            return None;
        }
        if is_part(&place, self.scope.module.is_spec) || matches!(place.ty, Type::Array { .. }) {
            let text = format!("{what} works on one cell, not on a part or an array of cells");
            self.error("E0222", e.span, text);
            return None;
        }
        Some(place)
    }
}

/// Whether the place lies in shared memory.
fn is_cell(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Shared(_) | ExprKind::Field { .. } => true,
        ExprKind::Index(object, _) | ExprKind::Component(object, _) => is_cell(object),
        _ => false,
    }
}

/// Whether the place is a part of what a cell holds: an array of an object is many cells, all else is one.
fn is_part(e: &Expr, is_spec: bool) -> bool {
    match &e.kind {
        ExprKind::Component(..) => true,
        ExprKind::Index(object, _) => {
            is_spec || !matches!(object.ty, Type::Array { .. }) || is_part(object, is_spec)
        }
        _ => false,
    }
}
