//! One routine being resolved: its scopes, its variables, what may stand in it.

use std::collections::HashMap;

use trueline_base::Span;

use super::scope::NameScope;
use super::words::{close, foreign};
use crate::syntax;
use crate::typed::{Block, DefinitionKind, Local, LocalId, Type};

/// What a local name stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Binding {
    Local(LocalId),
    /// Its declaration was wrong, which is reported already.
    Poison,
}

/// A routine being resolved.
pub(crate) struct Body<'s, 'a> {
    pub scope: &'s mut NameScope<'a>,
    pub locals: Vec<Local>,
    /// How many of them are parameters.
    pub params: usize,
    pub scopes: Vec<HashMap<String, Binding>>,
    /// The loops around, with their labels.
    pub loops: Vec<Option<&'a str>>,
    /// What `return` gives.
    pub result: Type,
    /// Whether `self` means something here.
    pub has_self: bool,
    /// Whether a number may stand for a `val` (initialisers and clients) …
    pub val_literals: bool,
    /// A client's call: a number may also stand for a thread, and the variables of threads are not known.
    pub client: bool,
    /// A value that must be known before anything runs.
    pub constant: bool,
    /// A helper is called in a constant.
    pub not_constant: bool,
    /// Whether this is a helper.
    pub helper: bool,
    /// In the condition of a role: the call whose result is in the variable already.
    pub stand_in: Option<(Span, LocalId)>,
}

impl<'s, 'a> Body<'s, 'a> {
    pub fn new(scope: &'s mut NameScope<'a>) -> Body<'s, 'a> {
        Body {
            scope,
            locals: Vec::new(),
            params: 0,
            scopes: vec![HashMap::new()],
            loops: Vec::new(),
            result: Type::Unit,
            has_self: true,
            val_literals: false,
            client: false,
            constant: false,
            not_constant: false,
            helper: false,
            stand_in: None,
        }
    }

    pub fn error(
        &mut self,
        code: &'static str,
        span: Span,
        text: impl Into<String>,
    ) -> &mut trueline_base::Diagnostic {
        self.scope.error(code, span, text)
    }

    /// Declares the parameters, whose types are known.
    pub fn parameters(&mut self, routine: &syntax::Routine, locals: &[Local]) {
        for (i, (param, local)) in routine.params.iter().zip(locals).enumerate() {
            if let Some(first) = routine.params[..i].iter().find(|p| p.name.text == param.name.text) {
                self.scope.duplicate(first.name.span, &param.name);
            }
            let id = self.add(local.clone(), DefinitionKind::Parameter);
            self.bind(&param.name.text, Binding::Local(id));
        }
        self.params = self.locals.len();
    }

    fn add(&mut self, local: Local, kind: DefinitionKind) -> LocalId {
        self.scope.note(local.span, kind, local.name.clone(), local.span, Some(&local.ty));
        self.locals.push(local);
        LocalId(self.locals.len() as u32 - 1)
    }

    /// A new variable.
    pub fn declare(&mut self, name: &str, ty: Type, span: Span) -> LocalId {
        let local = Local { name: name.to_string(), ty, assigned: false, span };
        let id = self.add(local, DefinitionKind::Local);
        self.bind(name, Binding::Local(id));
        id
    }

    pub fn bind(&mut self, name: &str, binding: Binding) {
        self.scopes.last_mut().expect("a scope is open").insert(name.to_string(), binding);
    }

    /// A local name, from the innermost scope.
    pub fn lookup(&self, name: &str) -> Option<Binding> {
        self.scopes.iter().rev().find_map(|s| s.get(name)).copied()
    }

    /// A variable that the thread keeps between operations, where some thread runs this.
    pub fn persistent(&self, name: &str) -> Option<u32> {
        self.scope.persistent(name).filter(|_| !self.client && self.has_self)
    }

    /// Whether the name is that of a variable of any kind.
    pub fn is_variable(&self, name: &str) -> bool {
        self.lookup(name).is_some() || self.persistent(name).is_some() || self.scope.shared(name).is_some()
    }

    /// Something changes the variable, or a part of it.
    pub fn assigned(&mut self, e: &crate::typed::Expr) {
        if let Some(local) = e.root() {
            self.locals[local.0 as usize].assigned = true;
        }
    }

    /// Every name that could have been meant.
    fn names_in_scope(&self) -> Vec<String> {
        let module = &self.scope.module;
        let mut names: Vec<String> = self.scopes.iter().flat_map(|s| s.keys().cloned()).collect();
        names.extend(module.persistent.iter().map(|p| p.name.clone()));
        names.extend(module.shared.iter().map(|v| v.name.clone()));
        names.extend(self.scope.constants.keys().cloned());
        names.extend(module.enums.iter().flat_map(|e| e.variants.iter().map(|v| v.name.clone())));
        names.sort();
        names
    }

    /// Reports a name that means nothing.
    pub fn unknown_name(&mut self, name: &str, span: Span) {
        if self.scope.poisoned.contains(name) {
            return;
        }
        if !self.client && !self.has_self && self.scope.persistent(name).is_some() {
            let text = format!("`{name}` is a variable of each thread, and no thread runs this");
            self.error("E0209", span, text).help =
                Some("use a `shared` variable, or an array of them".into());
            return;
        }
        let names = self.names_in_scope();
        let close = close(name, names.iter().map(String::as_str));
        let helper = self.scope.helpers.contains_key(name);
        let d = self.error("E0101", span, format!("there is no variable `{name}` here"));
        d.help = match close {
            _ if foreign(name).is_some() => foreign(name).map(String::from),
            Some(close) => Some(format!("did you mean `{close}`?")),
            None if helper => Some(format!("`{name}` is a helper: call it with `{name}(…)`")),
            None => None,
        };
    }

    /// A block in a scope of its own.
    pub fn block(&mut self, block: &'a syntax::Block) -> Block {
        self.scopes.push(HashMap::new());
        let stmts = block.stmts.iter().filter_map(|stmt| self.statement(stmt)).collect();
        self.scopes.pop();
        Block { stmts, falls_through: super::flow::falls_through(block), span: block.span }
    }
}
