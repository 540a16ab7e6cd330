//! A whole file: its parameters, constants and types, then each object and each specification, once.

use std::collections::HashSet;

use trueline_base::Diagnostic;

use super::scope::NameScope;
use super::specs::prelude;
use crate::syntax::{self, Item};
use crate::typed::{Constant, ConstantId, HelperId, Module, Type};

/// A module with what is known of it besides.
#[derive(Clone, Debug, Default)]
pub(crate) struct Resolved {
    pub module: Module,
    /// Whether every operation has right types: without, clients and properties would be blamed for what is wrong with
    /// the object.
    pub complete: bool,
    /// What is wrong with it, and with what the file declares before it.
    pub problems: Vec<Diagnostic>,
    poisoned: HashSet<String>,
    sound: HashSet<HelperId>,
}

impl Resolved {
    fn of(mut scope: NameScope<'_>, complete: bool) -> Resolved {
        let problems = std::mem::take(&mut scope.diagnostics);
        Resolved { module: scope.module, complete, problems, poisoned: scope.poisoned, sound: scope.sound }
    }
}

/// The typed trees of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Typed {
    /// Its parameters, constants and types, which every module begins with.
    pub globals: Resolved,
    /// Its objects, in order.
    pub objects: Vec<Resolved>,
    /// Its specifications, in order.
    pub specs: Vec<Resolved>,
}

impl Typed {
    /// All modules of the file.
    pub fn modules(&self) -> impl Iterator<Item = &Resolved> {
        [&self.globals].into_iter().chain(&self.objects).chain(&self.specs)
    }
}

/// The typed trees of a file, with everything that is wrong with its names and types, checks apart.
pub(crate) fn file(file: &syntax::File) -> Typed {
    let globals = globals(file);
    let mut typed = Typed::default();
    for item in &file.items {
        match item {
            Item::Object(object) => {
                let mut scope = globals.clone();
                scope.module.name = object.name.text.clone();
                scope.parameters(&object.params);
                scope.declare_members(&object.members);
                let complete = scope.resolve_members(&object.members);
                typed.objects.push(Resolved::of(scope, complete));
            }
            Item::Spec(spec) => {
                let mut scope = globals.clone();
                scope.module.name = spec.name.text.clone();
                scope.module.is_spec = true;
                scope.parameters(&spec.params);
                scope.declare_members(&spec.members);
                let complete = scope.resolve_members(&spec.members);
                typed.specs.push(Resolved::of(scope, complete));
            }
            _ => {}
        }
    }
    typed.globals = Resolved::of(globals, true);
    typed
}

/// Parameters, constants and types of the file, and the enums of the ready-made specifications.
pub(crate) fn globals(file: &syntax::File) -> NameScope<'_> {
    let mut scope = NameScope::default();
    scope.surroundings(file);
    for item in &file.items {
        match item {
            Item::Param(p) => match scope.constant_any(&p.value, None) {
                Some(value) => {
                    let (name, span, ty) = (p.name.text.clone(), p.name.span, value.ty.clone());
                    scope.add_constant(Constant { name, ty, value: Some(value), open: true, span });
                }
                None => {
                    scope.poisoned.insert(p.name.text.clone());
                }
            },
            Item::Struct(s) => scope.declare_struct(s),
            Item::Enum(e) => scope.declare_enum(e),
            _ => {}
        }
    }
    for item in &file.items {
        if let Item::Enum(e) = item {
            scope.fill_enum(e);
        }
    }
    scope.fill_structs();
    for item in &file.items {
        if let Item::Const(c) = item {
            scope.declare_const(c);
        }
    }
    scope
}

impl<'a> NameScope<'a> {
    /// What stands around every module of the file.
    fn surroundings(&mut self, file: &'a syntax::File) {
        self.library = prelude()
            .items
            .iter()
            .filter_map(|i| match i {
                Item::Enum(e) => Some(e),
                _ => None,
            })
            .collect();
        self.objects = file
            .items
            .iter()
            .filter_map(|i| match i {
                Item::Object(o) => Some(o.name.text.clone()),
                _ => None,
            })
            .collect();
        let own = |name: &str| {
            file.items.iter().any(|i| match i {
                Item::Struct(s) => s.name.text == name,
                Item::Enum(e) => e.name.text == name,
                _ => false,
            })
        };
        if !own("data") && !own("key") {
            self.data = ["data", "key"].into_iter().map(|name| (name.to_string(), Type::Val)).collect();
        }
    }

    /// The names of a module that is resolved, for what a check says of it.
    pub fn of(file: &'a syntax::File, resolved: &Resolved) -> NameScope<'a> {
        let module = resolved.module.clone();
        let constants = module
            .constants
            .iter()
            .enumerate()
            .map(|(i, c)| (c.name.clone(), ConstantId(i as u32)))
            .collect();
        let helpers =
            module.helpers.iter().enumerate().map(|(i, r)| (r.name.clone(), HelperId(i as u32))).collect();
        let (poisoned, sound) = (resolved.poisoned.clone(), resolved.sound.clone());
        let mut scope = NameScope { module, constants, helpers, poisoned, sound, ..NameScope::default() };
        scope.surroundings(file);
        scope
    }

    /// The names that arguments of an object may use: those of the file.
    pub fn outside(file: &'a syntax::File, globals: &Resolved, module: &Resolved) -> NameScope<'a> {
        let mut scope = NameScope::of(file, globals);
        scope.module = module.module.clone();
        scope.module.shared.clear();
        scope.module.persistent.clear();
        scope
    }

    /// The parameters of an object or a specification.
    pub fn parameters(&mut self, params: &'a [syntax::Field]) {
        for param in params {
            match self.resolve(&param.ty) {
                Some(ty) => {
                    let (name, span) = (param.name.text.clone(), param.name.span);
                    self.add_constant(Constant { name, ty, value: None, open: true, span });
                }
                None => {
                    self.poisoned.insert(param.name.text.clone());
                }
            }
        }
    }
}
