//! An object that is built for a check: its names, the values of its parameters, and its steps.

use trueline_base::Diagnostic;

use super::arguments::{Parsed, given};
use crate::ir::{self, Ty};
use crate::lower::{Instance, comparable, module};
use crate::resolve::scope::NameScope;
use crate::resolve::{Resolved, Typed, specs};
use crate::syntax::{self, File, SpecRef};
use crate::typed::{self, ConstantId};

/// The values that a check, and the command line, give to parameters of the file.
pub(super) type Changes<'a> = (&'a [(syntax::Name, syntax::Expr)], &'a Parsed);

/// An object in the making.
pub(super) struct Target<'a> {
    /// Its names, which clients and properties use, and what is wrong with those.
    pub scope: NameScope<'a>,
    /// The values of its parameters, and what is wrong with sizes and steps.
    pub instance: Instance,
    /// The object as steps; none when something is wrong with it.
    pub steps: Option<ir::Module>,
    /// The bounds that are known to hold.
    bounds: usize,
}

impl<'a> Target<'a> {
    /// A module with values for its parameters; `arguments` are those of its own parameters, resolved in `outside`.
    pub fn new(
        (file, typed): (&'a File, &Typed),
        resolved: &Resolved,
        changes: Changes<'a>,
        arguments: (&typed::Module, &[(ConstantId, typed::Expr)]),
        threads: u32,
    ) -> Target<'a> {
        let (mut instance, problems) = globals((file, typed), changes, threads);
        let (outside, values) = arguments;
        let params = resolved.module.constants[instance.known()..].iter().take_while(|c| c.open).count();
        instance.evaluate(outside, instance.known() + params, values);
        instance.evaluate(&resolved.module, resolved.module.constants.len(), &[]);
        let mut scope = NameScope::of(file, resolved);
        scope.diagnostics = problems;
        // A value that is wrong is reported with what is wrong elsewhere, unless a size depends on it.
        let right = instance.check_bounds(&scope.module, 0)
            && scope.diagnostics.is_empty()
            && typed.globals.problems.is_empty()
            && resolved.problems.is_empty();
        let steps = right.then(|| module(&scope.module, &mut instance)).flatten();
        let bounds = scope.module.bounds.len();
        Target { scope, instance, steps, bounds }
    }

    /// A module without parameters, for two threads.
    pub fn alone(files: (&'a File, &Typed), resolved: &Resolved, parsed: &'a Parsed) -> Target<'a> {
        Target::new(files, resolved, (&[], parsed), (&resolved.module, &[]), 2)
    }

    /// What is wrong.
    pub fn problems(mut self) -> Vec<Diagnostic> {
        self.scope.diagnostics.append(&mut self.instance.problems);
        self.scope.diagnostics
    }

    /// Whether nothing is wrong so far, so that steps can be made of what was resolved.
    pub fn is_right(&mut self) -> bool {
        self.instance.check_bounds(&self.scope.module, self.bounds);
        self.bounds = self.scope.module.bounds.len();
        self.steps.is_some() && self.scope.diagnostics.is_empty() && self.instance.problems.is_empty()
    }

    /// A constant of the check, as a number.
    pub fn number(&mut self, e: &'a syntax::Expr) -> Option<i64> {
        number(&mut self.scope, &mut self.instance, e)
    }

    /// The specification that is named, for this object.
    pub fn specification(
        &mut self,
        (file, typed): (&'a File, &Typed),
        wanted: &'a SpecRef,
        changes: Changes<'a>,
    ) -> Option<ir::Module> {
        let found = specs::specification(file, wanted, &mut self.scope)?;
        if !self.is_right() {
            return None;
        }
        let threads = self.instance.threads;
        let mut instance = match found.of_object {
            true => self.instance.afresh(),
            false => globals((file, typed), changes, threads).0,
        };
        let spec = &found.scope.module;
        for id in instance.known()..instance.known() + found.params {
            let value = found.given.iter().find(|(other, _)| other.0 as usize == id);
            let value = value.and_then(|(_, e)| self.instance.constant(&self.scope.module, e));
            instance.give(spec, value);
        }
        instance.evaluate(spec, spec.constants.len(), &[]);
        let made = instance.check_bounds(spec, 0).then(|| module(spec, &mut instance)).flatten();
        let made = made.filter(|_| instance.problems.is_empty());
        match (&found.ready_made, instance.problems.first()) {
            (Some(name), Some(first)) => {
                self.scope.diagnostics.push(specs::misfit(name, wanted.span, first));
            }
            _ => self.scope.diagnostics.append(&mut instance.problems),
        }
        let made = made.filter(|_| self.scope.diagnostics.is_empty())?;
        self.same_sizes(&made);
        Some(made)
    }

    /// Reports operations whose arguments or results have other sizes than in the specification.
    fn same_sizes(&mut self, spec: &ir::Module) {
        let Some(object) = &self.steps else { return };
        for op in &object.ops {
            let Some(other) = spec.ops.iter().find(|o| o.name == op.name) else { continue };
            let takes = op.params.iter().zip(&other.params).all(|(a, b)| fits(&a.1, &b.1));
            if !takes {
                let text = format!("`{}` takes other arguments than in `{}`", op.name, spec.name);
                self.scope.error("E0404", op.span, text);
            } else if !fits(&op.result, &other.result) {
                let text = format!("`{}` gives another value than in `{}`", op.name, spec.name);
                self.scope.error("E0404", op.span, text);
            }
        }
    }
}

/// The values of what the file declares, and what is wrong with the changes.
fn globals<'a>(
    (file, typed): (&'a File, &Typed),
    (with, parsed): Changes<'a>,
    threads: u32,
) -> (Instance, Vec<Diagnostic>) {
    let mut scope = NameScope::of(file, &typed.globals);
    let given = given(&mut scope, with, parsed);
    let mut instance = Instance::new(threads);
    instance.evaluate(&scope.module, typed.globals.module.constants.len(), &given);
    (instance, scope.diagnostics)
}

/// A constant as a number.
pub(super) fn number<'a>(
    scope: &mut NameScope<'a>,
    instance: &mut Instance,
    e: &'a syntax::Expr,
) -> Option<i64> {
    let value = scope.constant(e, &typed::Type::Int)?;
    instance.number(&scope.module, &value)
}

fn fits(a: &Ty, b: &Ty) -> bool {
    match (a, b) {
        (a, b) if comparable(a, b) => true,
        (Ty::Array { element: a, len: n, .. }, Ty::Array { element: b, len: m, .. }) => n == m && fits(a, b),
        (Ty::Seq(a), Ty::Seq(b)) | (Ty::Set(a), Ty::Set(b)) => comparable(a, b),
        _ => false,
    }
}
