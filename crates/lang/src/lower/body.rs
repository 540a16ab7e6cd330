//! One routine being lowered: its scopes, its slots, what jumps may leave.

use std::collections::HashMap;

use trueline_base::{Span, Value};

use super::code::{Code, Label};
use super::env::Env;
use crate::ir::{Expr, InstrKind, Slot, Ty};
use crate::syntax;

/// What a local name stands for.
#[derive(Clone, Debug)]
pub(crate) enum Binding {
    Slot(Slot, Ty),
    Const(Value, Ty),
    /// Its declaration was wrong, which is reported already.
    Poison,
}

/// Where `break` and `continue` go.
pub(crate) struct LoopContext<'a> {
    pub label: Option<&'a str>,
    pub out: Label,
    pub again: Label,
    /// Whether the loop stands inside an atomic block of this routine.
    pub atomic: bool,
}

/// Where `return` goes.
pub(crate) struct ReturnContext {
    /// The helper being inlined and its constant arguments; `None` for the routine itself.
    pub helper: Option<(String, Vec<Option<i64>>)>,
    pub result: Option<Slot>,
    pub ty: Ty,
    pub out: Label,
    pub atomic: bool,
    /// Scopes below this one are those of the caller.
    pub scopes: usize,
    /// Loops below this one are those of the caller.
    pub loops: usize,
}

/// A routine being lowered.
pub(crate) struct Body<'e, 'a> {
    pub env: &'e mut Env<'a>,
    pub code: Code,
    pub scopes: Vec<HashMap<String, Binding>>,
    pub loops: Vec<LoopContext<'a>>,
    pub returns: Vec<ReturnContext>,
    /// Inside an atomic block, in a specification, in `init`.
    pub atomic: bool,
    /// Whether `self` means something here.
    pub has_self: bool,
    /// Whether a number may stand for a `val` (initialisers and clients) …
    pub val_literals: bool,
    /// A client's call: a number may also stand for a thread, and the object's variables are not known.
    pub client: bool,
    /// In the condition of a role: the call whose result is in the slot already.
    pub stand_in: Option<(Span, Slot, Ty)>,
    /// The last access emitted, with the slot that says whether it succeeded.
    pub last_access: Option<(usize, Option<Slot>)>,
    /// Accesses emitted so far.
    pub accesses: usize,
    /// In a helper: a constant decided that control does not come past the last statement.
    pub dead: bool,
    /// Helpers inlined so far.
    pub inlined: usize,
}

/// A routine with more variables than this is refused.
const MOST_SLOTS: usize = 32_767;

impl<'e, 'a> Body<'e, 'a> {
    pub fn new(env: &'e mut Env<'a>) -> Body<'e, 'a> {
        let mut code = Code::default();
        if !env.is_spec {
            code.slots = env.module.persistent.clone();
        }
        Body {
            env,
            code,
            scopes: vec![HashMap::new()],
            loops: Vec::new(),
            returns: Vec::new(),
            atomic: false,
            has_self: true,
            val_literals: false,
            client: false,
            stand_in: None,
            last_access: None,
            accesses: 0,
            dead: false,
            inlined: 0,
        }
    }

    /// The routine, which `name` names in messages.
    pub fn finish(mut self, name: Span) -> crate::ir::Routine {
        if self.code.slots.len() > MOST_SLOTS {
            self.error("E0227", name, "this has too many variables once its helpers are inlined");
        }
        self.code.finish()
    }

    pub fn error(
        &mut self,
        code: &'static str,
        span: Span,
        text: impl Into<String>,
    ) -> &mut trueline_base::Diagnostic {
        self.env.error(code, span, text)
    }

    /// Emits an access; `success` is the slot that says whether a conditional one took effect.
    pub fn access(&mut self, kind: InstrKind, success: Option<Slot>) {
        let at = self.code.emit(kind);
        self.last_access = Some((at, success));
        self.accesses += 1;
    }

    /// A slot without a name.
    pub fn temp(&mut self, ty: Ty) -> Slot {
        self.code.slot("", ty)
    }

    /// The value in a slot of its own, so that what is evaluated next cannot change it.
    pub fn spill(&mut self, expr: Expr, ty: &Ty) -> Expr {
        match expr {
            Expr::Const(_) | Expr::SelfTid => expr,
            other => {
                let slot = self.temp(ty.clone());
                self.code.set(slot, other);
                Expr::Slot(slot)
            }
        }
    }

    /// A local name, from the innermost scope of the helper that is being lowered.
    pub fn lookup(&self, name: &str) -> Option<Binding> {
        let floor = self.returns.last().map_or(0, |r| r.scopes);
        if let Some(found) = self.scopes[floor..].iter().rev().find_map(|s| s.get(name)) {
            return Some(found.clone());
        }
        // A `local` variable is some thread's.
        if self.client || !self.has_self {
            return None;
        }
        let at = self.env.module.persistent.iter().position(|p| p.name == name)?;
        Some(Binding::Slot(Slot(at as u16), self.env.module.persistent[at].ty.clone()))
    }

    pub fn bind(&mut self, name: &str, binding: Binding) {
        self.scopes.last_mut().expect("a scope is open").insert(name.to_string(), binding);
    }

    /// A new variable with its first value.
    pub fn declare(&mut self, name: &str, ty: Ty, value: Expr) -> Slot {
        let shown = self.shown(name);
        let slot = self.code.slot(&shown, ty.clone());
        self.code.emit(InstrKind::Set { slot, value });
        self.bind(name, Binding::Slot(slot, ty));
        slot
    }

    /// A variable as stories show it: that of an inlined helper with the helper's name, as callers have variables of
    /// the same name.
    pub fn shown(&self, name: &str) -> String {
        match self.returns.last().and_then(|context| context.helper.as_ref()) {
            Some((helper, _)) => format!("{helper}: {name}"),
            None => name.to_string(),
        }
    }

    /// Every name that could have been meant.
    pub fn names_in_scope(&self) -> Vec<String> {
        let floor = self.returns.last().map_or(0, |r| r.scopes);
        let mut names: Vec<String> = self.scopes[floor..].iter().flat_map(|s| s.keys().cloned()).collect();
        names.extend(self.env.module.persistent.iter().map(|p| p.name.clone()));
        names.extend(self.env.module.variables.iter().map(|v| v.name.clone()));
        names.extend(self.env.consts.keys().cloned());
        names.extend(self.env.module.enums.iter().flat_map(|e| e.variants.iter().map(|v| v.0.clone())));
        names.sort();
        names
    }

    /// Reports a name that means nothing.
    pub fn unknown_name(&mut self, name: &str, span: Span) {
        if self.env.poisoned.contains(name) {
            return;
        }
        if !self.client && !self.has_self && self.env.module.persistent.iter().any(|p| p.name == name) {
            let text = format!("`{name}` is a variable of each thread, and no thread runs this");
            self.error("E0209", span, text).help =
                Some("use a `shared` variable, or an array of them".into());
            return;
        }
        let names = self.names_in_scope();
        let close = Env::close(name, names.iter().map(String::as_str));
        let helper = self.env.fns.contains_key(name);
        let d = self.error("E0101", span, format!("there is no variable `{name}` here"));
        d.help = match close {
            _ if foreign(name).is_some() => foreign(name).map(String::from),
            Some(close) => Some(format!("did you mean `{close}`?")),
            None if helper => Some(format!("`{name}` is a helper: call it with `{name}(…)`")),
            None => None,
        };
    }

    /// Lowers a block in a scope of its own.
    pub fn block(&mut self, block: &'a syntax::Block) {
        self.scopes.push(HashMap::new());
        for stmt in &block.stmts {
            self.statement(stmt);
            // A recursion ends where a constant decides that the rest is never reached.
            if std::mem::take(&mut self.dead) {
                break;
            }
        }
        self.scopes.pop();
    }

    /// Whether evaluating the expression emits no code: then nothing can happen while it is evaluated.
    pub fn simple(&self, e: &syntax::Expr) -> bool {
        use syntax::ExprKind as K;
        match &e.kind {
            K::Int(_) | K::Bool(_) | K::None | K::Null | K::SelfTid => true,
            K::Name(name) => self.lookup(name).is_some() || self.env.variable(name).is_none(),
            K::Unary { operand, .. } | K::Cast { operand, .. } | K::Paren(operand) => self.simple(operand),
            K::Binary { left, right, .. } => self.simple(left) && self.simple(right),
            K::Component { object, .. } => self.simple(object),
            K::Index { object, index } => self.simple(object) && self.simple(index),
            K::If { condition, then, otherwise } => {
                self.simple(condition) && self.simple(then) && self.simple(otherwise)
            }
            K::Tuple(parts) | K::List(parts) => parts.iter().all(|p| self.simple(p)),
            K::Repeat { element, .. } => self.simple(element),
            K::Call { name, args, .. } => {
                !self.env.fns.contains_key(&name.text)
                    && !super::calls::is_primitive(&name.text)
                    && args.iter().all(|a| self.simple(&a.value))
            }
            K::Method { object, name, args } => {
                matches!(name.text.as_str(), "len" | "contains" | "count" | "get" | "min")
                    && self.simple(object)
                    && args.iter().all(|a| self.simple(a))
            }
            K::Field { object, name } => name.text == "len" && self.simple(object),
            K::New { .. } | K::Quantified { .. } | K::Range { .. } | K::Error => false,
        }
    }
}

/// What to write for a word of other languages.
pub(super) fn foreign(name: &str) -> Option<&'static str> {
    Some(match name {
        "None" | "nothing" | "Nothing" | "undefined" | "EMPTY" => "the absent value is `none`",
        "nil" | "NULL" | "Null" | "nullptr" => "the absent reference is `null`",
        "True" => "write `true`",
        "False" => "write `false`",
        "this" => "variables of the object are named alone; the thread is `self`",
        "Some" | "Just" => "a value is written as it is: `x`, not `Some(x)`",
        _ => return None,
    })
}
