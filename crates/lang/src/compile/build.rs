//! Builds a task: parameters, the object, its client, its properties.

use trueline_base::{Diagnostic, Span};

use super::arguments::{Parsed, given, parse_overrides};
use super::target::{Changes, Target};
use super::{Misuse, NameAt, Overrides, Refusal, Task};
use crate::ir::{InstrKind, Module, Routine, Ty};
use crate::lower::Instance;
use crate::resolve::scope::NameScope;
use crate::resolve::{Typed, close, specs};
use crate::syntax::{self, ClauseKind, Expr, File, Item, Property};
use crate::typed::{ConstantId, Type};

/// What a check says, before anything is computed.
#[derive(Default)]
pub(super) struct Clauses<'a> {
    pub threads: Option<&'a Expr>,
    pub ops: Option<Bound<'a>>,
    pub values: Option<Bound<'a>>,
    pub calls: Vec<&'a Expr>,
    pub roles: Vec<(&'a syntax::Name, Option<&'a Expr>, &'a syntax::ClientBlock)>,
    /// What the main thread does before the others begin.
    pub before: Option<&'a syntax::ClientBlock>,
    /// What it does after they are done.
    pub after: Option<&'a syntax::ClientBlock>,
    pub properties: Vec<(&'a Property, Option<&'a syntax::Expect>, Span)>,
}

/// How many operations or values a check says there are.
#[derive(Clone, Copy)]
pub(super) enum Bound<'a> {
    Number(&'a Expr),
    /// `ops forever;`, `values tid;`
    Word,
}

impl<'a> Bound<'a> {
    fn of(number: &'a Option<Expr>) -> Bound<'a> {
        number.as_ref().map_or(Bound::Word, Bound::Number)
    }
}

fn clauses(check: &syntax::Check) -> Clauses<'_> {
    let mut all = Clauses::default();
    for clause in &check.clauses {
        match &clause.kind {
            ClauseKind::Threads(e) => all.threads = Some(e),
            ClauseKind::Ops(e) => all.ops = Some(Bound::of(e)),
            ClauseKind::Values(e) => all.values = Some(Bound::of(e)),
            ClauseKind::Calls(calls) => all.calls.extend(calls),
            ClauseKind::Role { name, count, body } => all.roles.push((name, count.as_ref(), body)),
            ClauseKind::Before(body) => all.before = Some(body),
            ClauseKind::After(body) => all.after = Some(body),
            ClauseKind::Property { property, expect } => {
                all.properties.push((property, expect.as_ref(), clause.span));
            }
        }
    }
    all
}

pub(super) fn task(
    source: &str,
    file: &File,
    typed: &Typed,
    check: &syntax::Check,
    overrides: &Overrides,
) -> Result<Task, Refusal> {
    let parsed = parse_overrides(overrides)?;
    let clauses = clauses(check);
    let builder = Builder { source, file, typed, check, overrides, parsed: &parsed, clauses };
    builder.task()
}

/// A specification without an object: `data` and `key` are of the type `data`.
pub(super) fn specification(
    file: &File,
    typed: &Typed,
    wanted: &str,
    threads: u32,
    data: &Ty,
) -> Result<Module, Refusal> {
    let overrides = Overrides { spec: Some(wanted.to_string()), ..Overrides::default() };
    let parsed = parse_overrides(&overrides)?;
    let Some(named) = &parsed.spec else {
        return Err(Refusal::Usage(Misuse::NoSpecification(wanted.to_string())));
    };
    let changes: Changes<'_> = (&[], &parsed);
    if !typed.globals.problems.is_empty() {
        return Err(Refusal::Model(in_order(typed.globals.problems.clone())));
    }
    let globals = &typed.globals;
    let mut target = Target::new((file, typed), globals, changes, (&globals.module, &[]), threads);
    target.scope.data.values_mut().for_each(|ty| *ty = Type::of(data));
    let module = target.specification((file, typed), named, changes);
    module.ok_or_else(|| Refusal::of(in_order(target.problems()), &overrides))
}

pub(super) struct Builder<'a> {
    pub source: &'a str,
    pub file: &'a File,
    pub typed: &'a Typed,
    pub check: &'a syntax::Check,
    pub overrides: &'a Overrides,
    pub parsed: &'a Parsed,
    pub clauses: Clauses<'a>,
}

impl<'a> Builder<'a> {
    fn task(&self) -> Result<Task, Refusal> {
        self.usage()?;
        let mut problems = self.typed.globals.problems.clone();
        let mut scope = NameScope::of(self.file, &self.typed.globals);
        let outside = scope.module.names.len();
        let changes = given(&mut scope, &self.check.with, self.parsed);
        let mut instance = Instance::new(1);
        instance.evaluate(&scope.module, scope.module.constants.len(), &changes);
        self.parameters_exist(&mut scope);
        self.each_once(&mut scope);
        let threads = self.threads(&mut scope, &mut instance);
        let main = u32::from(self.has_main());
        problems.append(&mut scope.diagnostics);
        problems.append(&mut instance.problems);
        let Some((threads, counts)) = threads else {
            // What is wrong with the object is worth knowing all the same.
            if let Some(target) = self.object(&self.check.object, &self.check.args, 2, &mut problems) {
                problems.extend(target.problems());
            }
            return Err(self.refuse(problems));
        };
        let object = self.object(&self.check.object, &self.check.args, threads + main, &mut problems);
        let Some(mut target) = object else {
            return Err(self.refuse(problems));
        };
        let own = target.scope.module.names.len();
        let (scripts, ops, values) = self.client(&mut target, &counts);
        let asked = self.asked(&mut target, &scripts)?;
        let warnings = Vec::new();
        let names = [names(&scope, outside), names(&target.scope, own)].concat();
        let module = target.steps.take();
        problems.append(&mut target.problems());
        let Some(module) = module.filter(|_| problems.is_empty()) else {
            return Err(self.refuse(problems));
        };
        let roles = self.show_roles(&counts, ops);
        let machine = scripts.machine(module);
        let assumes = machine.object.ops.iter().any(|o| has_assume(&o.routine));
        let object = self.check.object.text.clone();
        let show = |(name, e): &(syntax::Name, Expr)| format!("{} = {}", name.text, e.span.text(self.source));
        let with = self.check.with.iter().map(show).collect::<Vec<_>>().join(", ");
        Ok(Task {
            object,
            span: self.check.span,
            machine,
            asked,
            ops,
            values,
            roles,
            assumes,
            with,
            warnings,
            names,
        })
    }

    fn refuse(&self, problems: Vec<Diagnostic>) -> Refusal {
        Refusal::of(in_order(problems), self.overrides)
    }

    /// What the check and the command line change.
    pub(super) fn changes(&self) -> Changes<'a> {
        (&self.check.with, self.parsed)
    }

    /// An object, built for so many threads. None when not even its operations are known, or its arguments are wrong.
    pub(super) fn object(
        &self,
        name: &'a syntax::Name,
        args: &'a [syntax::Arg],
        threads: u32,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<Target<'a>> {
        let objects = || {
            self.file.items.iter().filter_map(|i| match i {
                Item::Object(o) => Some(o),
                _ => None,
            })
        };
        let found = objects().zip(&self.typed.objects).find(|(o, _)| o.name.text == name.text);
        let Some((object, resolved)) = found else {
            let close = close(&name.text, objects().map(|o| o.name.text.as_str()));
            let mut d = Diagnostic::error("E0111", name.span, format!("there is no object `{}`", name.text));
            d.help = close.map(|c| format!("did you mean `{c}`?"));
            problems.push(d);
            return None;
        };
        let mut args: Vec<_> = args.iter().collect();
        for other in &self.parsed.args {
            let is =
                |name: &Option<syntax::Name>, param: &str| name.as_ref().is_some_and(|n| n.text == param);
            let Some(place) = object.params.iter().position(|param| is(&other.name, &param.name.text)) else {
                continue;
            };
            let by_name = args.iter().position(|arg| is(&arg.name, &object.params[place].name.text));
            if let Some(at) = by_name.or(Some(place).filter(|place| *place < args.len())) {
                args[at] = other;
            }
        }
        problems.extend(resolved.problems.iter().cloned());
        let mut outside = NameScope::outside(self.file, &self.typed.globals, resolved);
        let first = ConstantId(self.typed.globals.module.constants.len() as u32);
        let own = NameScope::of(self.file, resolved);
        let given = specs::named(&mut outside, &object.params, &args, &name.text).and_then(|()| {
            specs::arguments(&own, first, &mut outside, &object.params, &args, name.span, &name.text)
        });
        problems.append(&mut outside.diagnostics);
        let given = given?;
        let files = (self.file, self.typed);
        let arguments = (&outside.module, &given[..]);
        let target = Target::new(files, resolved, self.changes(), arguments, threads);
        if !resolved.complete {
            problems.extend(target.problems());
            return None;
        }
        Some(target)
    }

    pub(super) fn implements(&self) -> Option<&'a syntax::SpecRef> {
        self.file.items.iter().find_map(|i| match i {
            Item::Object(o) if o.name.text == self.check.object.text => o.implements.as_ref(),
            _ => None,
        })
    }
}

/// Diagnostics in the order of the text, each once.
pub(super) fn in_order(mut all: Vec<Diagnostic>) -> Vec<Diagnostic> {
    all.sort_by(|a, b| (a.span, a.code, &a.message).cmp(&(b.span, b.code, &b.message)));
    all.dedup_by(|a, b| a.span == b.span && a.code == b.code && a.message == b.message);
    all
}

/// The names that were resolved in a scope after the first ones.
fn names(scope: &NameScope<'_>, first: usize) -> Vec<NameAt> {
    scope.module.names[first..].iter().map(|name| NameAt::of(&scope.module, name)).collect()
}

fn has_assume(routine: &Routine) -> bool {
    routine.code.iter().any(|i| matches!(i.kind, InstrKind::Assume(_)))
}
