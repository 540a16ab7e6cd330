//! Builds a task: parameters, the object, its client, its properties.

use trueline_base::verdict::Finding;
use trueline_base::{Diagnostic, Span};

use super::{Asked, Expectation, Ops, Overrides, Question, Refusal, Task};
use crate::ir::{InstrKind, Machine, Module, Routine, Thread, Ty};
use crate::lower::client::{General, Values};
use crate::lower::env::Env;
use crate::lower::specs;
use crate::syntax::{self, ClauseKind, Expr, File, Item, Property};

/// The most threads of one check.
const MOST_THREADS: i64 = 64;

/// What a check says, before anything is computed.
#[derive(Default)]
struct Clauses<'a> {
    threads: Option<&'a Expr>,
    ops: Option<Option<&'a Expr>>,
    values: Option<Option<&'a Expr>>,
    calls: Vec<&'a Expr>,
    roles: Vec<(&'a syntax::Name, Option<&'a Expr>, &'a syntax::ClientBlock)>,
    properties: Vec<(&'a Property, Option<&'a syntax::Expect>, Span)>,
}

fn clauses(check: &syntax::Check) -> Clauses<'_> {
    let mut all = Clauses::default();
    for clause in &check.clauses {
        match &clause.kind {
            ClauseKind::Threads(e) => all.threads = Some(e),
            ClauseKind::Ops(e) => all.ops = Some(e.as_ref()),
            ClauseKind::Values(e) => all.values = Some(e.as_ref()),
            ClauseKind::Calls(calls) => all.calls.extend(calls),
            ClauseKind::Role { name, count, body } => all.roles.push((name, count.as_ref(), body)),
            ClauseKind::Property { property, expect } => {
                all.properties.push((property, expect.as_ref(), clause.span));
            }
        }
    }
    all
}

/// Texts of the command line, parsed; they live as long as the build.
pub(super) struct Parsed {
    pub set: Vec<(String, Expr)>,
    pub client: Option<Vec<syntax::ClientBlock>>,
    pub spec: Option<syntax::SpecRef>,
}

fn parse_overrides(overrides: &Overrides) -> Result<Parsed, Refusal> {
    let refuse = |flag, text: &str, problems: Vec<Diagnostic>| match problems.is_empty() {
        true => Ok(()),
        false => Err(Refusal::Argument { flag, text: text.to_string(), problems }),
    };
    let mut set = Vec::new();
    for (name, text) in &overrides.set {
        let (e, problems) = crate::parser::parse_expr(text);
        refuse("--set", text, problems)?;
        set.push((name.clone(), e));
    }
    let client = match &overrides.client {
        None => None,
        Some(text) => {
            let (blocks, problems) = crate::parser::parse_client(text);
            refuse("--client", text, problems)?;
            Some(blocks)
        }
    };
    let spec = match &overrides.spec {
        None => None,
        Some(text) => {
            let (e, problems) = crate::parser::parse_expr(text);
            refuse("--spec", text, problems)?;
            match e.kind {
                syntax::ExprKind::Name(name) => Some(syntax::SpecRef {
                    name: syntax::Name { text: name, span: e.span },
                    args: Vec::new(),
                    span: e.span,
                }),
                syntax::ExprKind::Call { name, args, .. } => {
                    Some(syntax::SpecRef { name, args, span: e.span })
                }
                _ => {
                    return Err(Refusal::Usage(format!(
                        "--spec takes the name of a specification, not `{text}`"
                    )));
                }
            }
        }
    };
    Ok(Parsed { set, client, spec })
}

/// Parameters, constants and types of the file, and the enums of the ready-made specifications.
pub(super) fn globals<'a>(
    env: &mut Env<'a>,
    file: &'a File,
    with: &'a [(syntax::Name, Expr)],
    parsed: &'a Parsed,
) {
    env.library = specs::prelude()
        .items
        .iter()
        .filter_map(|i| match i {
            Item::Enum(e) => Some(e),
            _ => None,
        })
        .collect();
    for name in ["data", "key"] {
        env.data.insert(name.into(), Ty::Val);
    }
    let own = |name: &str| {
        file.items.iter().any(|i| match i {
            Item::Struct(s) => s.name.text == name,
            Item::Enum(e) => e.name.text == name,
            _ => false,
        })
    };
    if own("data") || own("key") {
        env.data.clear();
    }
    for item in &file.items {
        match item {
            Item::Param(p) => {
                let changed = parsed.set.iter().rev().find(|(n, _)| *n == p.name.text).map(|(_, e)| e);
                let changed =
                    changed.or_else(|| with.iter().find(|(n, _)| n.text == p.name.text).map(|(_, e)| e));
                let default = env.constant_any(&p.value, None);
                let value = match (changed, default) {
                    (None, default) => default,
                    (Some(e), None) => env.constant_any(e, None),
                    (Some(e), Some((_, ty))) => env.constant(e, &ty).map(|v| (v, ty)),
                };
                match value {
                    Some(value) => {
                        env.consts.insert(p.name.text.clone(), value);
                    }
                    None => {
                        env.poisoned.insert(p.name.text.clone());
                    }
                }
            }
            Item::Struct(s) => env.declare_struct(s),
            Item::Enum(e) => {
                env.module.enums.push(crate::ir::Enum { name: e.name.text.clone(), variants: Vec::new() });
            }
            _ => {}
        }
    }
    for item in &file.items {
        if let Item::Enum(e) = item {
            env.fill_enum(e);
        }
    }
    env.fill_structs();
    for item in &file.items {
        if let Item::Const(c) = item {
            env.declare_const(c);
        }
    }
}

pub(super) fn task(
    source: &str,
    file: &File,
    check: &syntax::Check,
    overrides: &Overrides,
) -> Result<Task, Refusal> {
    let parsed = parse_overrides(overrides)?;
    let builder = Builder { source, file, check, overrides, parsed: &parsed, clauses: clauses(check) };
    builder.task()
}

/// A specification without an object: `data` and `key` are of the type `data`.
pub(super) fn specification(file: &File, wanted: &str, threads: u32, data: &Ty) -> Result<Module, Refusal> {
    let parsed = parse_overrides(&Overrides { spec: Some(wanted.to_string()), ..Overrides::default() })?;
    let Some(named) = &parsed.spec else {
        return Err(Refusal::Usage("a specification must be named".into()));
    };
    let known = |env: &mut Env<'_>| env.data.values_mut().for_each(|ty| *ty = data.clone());
    let mut object = Env::new("", threads, false);
    globals(&mut object, file, &[], &parsed);
    if !object.diagnostics.is_empty() {
        return Err(Refusal::Model(in_order(object.diagnostics)));
    }
    known(&mut object);
    let module = specs::lower_spec(file, named, &mut object, &|env| {
        globals(env, file, &[], &parsed);
        known(env);
    });
    module.ok_or_else(|| {
        // What is wrong inside a specification stands in the file, what is wrong with its name in the text.
        let inside = |d: &Diagnostic| {
            specs::find(file, &named.name.text).is_some_and(|s| {
                s.span.start <= d.span.start
                    && d.span.end <= s.span.end
                    && !matches!(d.code, "E0109" | "E0224")
            })
        };
        let problems = in_order(object.diagnostics);
        match problems.iter().all(inside) {
            true => Refusal::Model(problems),
            false => Refusal::Argument { flag: "--spec", text: wanted.to_string(), problems },
        }
    })
}

struct Builder<'a> {
    source: &'a str,
    file: &'a File,
    check: &'a syntax::Check,
    overrides: &'a Overrides,
    parsed: &'a Parsed,
    clauses: Clauses<'a>,
}

impl<'a> Builder<'a> {
    fn task(&self) -> Result<Task, Refusal> {
        self.usage()?;
        let mut env = Env::new(&self.check.object.text, 1, false);
        globals(&mut env, self.file, &self.check.with, self.parsed);
        self.parameters_exist(&mut env);
        self.each_once(&mut env);
        let threads = self.threads(&mut env);
        let mut problems = std::mem::take(&mut env.diagnostics);
        let Some((threads, counts)) = threads else {
            // What is wrong with the object is worth knowing all the same.
            if let Some(env) = self.object(&self.check.object, &self.check.args, 2, &mut problems) {
                problems.extend(env.diagnostics);
            }
            return Err(Refusal::Model(in_order(problems)));
        };
        let Some(mut env) = self.object(&self.check.object, &self.check.args, threads, &mut problems) else {
            return Err(Refusal::Model(in_order(problems)));
        };
        let (scripts, ops, values) = self.scripts(&mut env, &counts);
        let asked = self.asked(&mut env, &scripts)?;
        let warnings = Vec::new();
        problems.append(&mut env.diagnostics);
        if !problems.is_empty() {
            return Err(self.attribute(in_order(problems)));
        }
        let roles = self.show_roles(&counts);
        let machine = Machine { object: env.module, threads: scripts };
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
        })
    }

    /// Problems of an argument of the command line have spans in its text.
    fn attribute(&self, problems: Vec<Diagnostic>) -> Refusal {
        let ends = self.check.span.end.max(self.source.len() as u32);
        let in_file = problems.iter().all(|d| d.span.end <= ends);
        match (&self.overrides.client, &self.overrides.spec) {
            (Some(text), _)
                if problems
                    .iter()
                    .all(|d| d.code.starts_with("E05") || d.code == "E0108" || d.code == "E0224") =>
            {
                Refusal::Argument { flag: "--client", text: text.clone(), problems }
            }
            (_, Some(text)) if problems.iter().all(|d| d.code == "E0109" || d.code == "E0402") => {
                Refusal::Argument { flag: "--spec", text: text.clone(), problems }
            }
            _ => {
                debug_assert!(in_file);
                Refusal::Model(problems)
            }
        }
    }

    fn usage(&self) -> Result<(), Refusal> {
        let o = self.overrides;
        let roles = !self.clauses.roles.is_empty() && o.client.is_none();
        if roles && (o.threads.is_some() || o.ops.is_some() || o.values.is_some()) {
            let text = "this check has roles: --threads, --ops and --values do not apply; use --role NAME=N or --client";
            return Err(Refusal::Usage(text.into()));
        }
        if o.client.is_some() && (o.threads.is_some() || o.ops.is_some() || !o.roles.is_empty()) {
            return Err(Refusal::Usage(
                "--client says what each thread does; leave out --threads, --ops and --role".into(),
            ));
        }
        for (name, _) in &o.roles {
            if !self.clauses.roles.iter().any(|(n, ..)| n.text == *name) {
                return Err(Refusal::Usage(format!(
                    "the check of `{}` has no role `{name}`",
                    self.check.object.text
                )));
            }
        }
        for (name, _) in &o.set {
            if !self.file.items.iter().any(|i| matches!(i, Item::Param(p) if p.name.text == *name)) {
                let known: Vec<&str> = self
                    .file
                    .items
                    .iter()
                    .filter_map(|i| match i {
                        Item::Param(p) => Some(p.name.text.as_str()),
                        _ => None,
                    })
                    .collect();
                let list = if known.is_empty() { "none".to_string() } else { known.join(", ") };
                return Err(Refusal::Usage(format!("there is no parameter `{name}`; the file has {list}")));
            }
        }
        Ok(())
    }

    fn parameters_exist(&self, env: &mut Env<'a>) {
        for (name, _) in &self.check.with {
            let params = || {
                self.file.items.iter().filter_map(|i| match i {
                    Item::Param(p) => Some(p.name.text.as_str()),
                    _ => None,
                })
            };
            if !params().any(|p| p == name.text) {
                let close = Env::close(&name.text, params());
                env.error("E0110", name.span, format!("there is no parameter `{}`", name.text)).help =
                    Some(match close {
                        Some(close) => format!("did you mean `{close}`?"),
                        None => format!("declare it: `param {} = …;`", name.text),
                    });
            }
        }
    }

    /// Clauses, roles and values of parameters that would replace earlier ones.
    fn each_once(&self, env: &mut Env<'a>) {
        let mut seen: Vec<(&str, Span)> = Vec::new();
        for clause in &self.check.clauses {
            let word = match &clause.kind {
                ClauseKind::Threads(_) => "threads",
                ClauseKind::Ops(_) => "ops",
                ClauseKind::Values(_) => "values",
                _ => continue,
            };
            match seen.iter().find(|(w, _)| *w == word) {
                Some((_, first)) => {
                    let d = env.error("E0102", clause.span, format!("`{word}` is given twice"));
                    d.labels.push(trueline_base::Label { span: *first, text: "first given here".into() });
                }
                None => seen.push((word, clause.span)),
            }
        }
        for (i, (name, ..)) in self.clauses.roles.iter().enumerate() {
            if let Some((first, ..)) = self.clauses.roles[..i].iter().find(|(n, ..)| n.text == name.text) {
                env.duplicate(first.span, name);
            }
        }
        for (i, (name, _)) in self.check.with.iter().enumerate() {
            if let Some((first, _)) = self.check.with[..i].iter().find(|(n, _)| n.text == name.text) {
                let d = env.error("E0102", name.span, format!("`{}` is given twice", name.text));
                d.labels.push(trueline_base::Label { span: first.span, text: "first given here".into() });
            }
        }
    }

    /// The number of threads, and how many of each role.
    fn threads(&self, env: &mut Env<'a>) -> Option<(u32, Vec<u32>)> {
        if let Some(blocks) = &self.parsed.client {
            return Some((blocks.len() as u32, vec![1; blocks.len()]));
        }
        if self.clauses.roles.is_empty() {
            let (n, span) = match (self.overrides.threads, self.clauses.threads) {
                (Some(n), _) => (i64::from(n), self.check.span),
                (None, Some(e)) => (env.constant_int(e)?, e.span),
                (None, None) => (2, self.check.span),
            };
            return self.in_range(env, n, span).map(|n| (n, vec![n]));
        }
        let other = self.check.clauses.iter().find(|c| {
            let kind = &c.kind;
            !matches!(kind, ClauseKind::Role { .. } | ClauseKind::Property { .. })
        });
        if let Some(clause) = other {
            env.error("E0506", clause.span, "this check has roles, which say what every thread does").help =
                Some("remove `threads`, `ops`, `values` and `call`, or the roles".into());
            return None;
        }
        let mut counts = Vec::new();
        for (name, count, _) in &self.clauses.roles {
            let overridden = self.overrides.roles.iter().rev().find(|(n, _)| *n == name.text);
            let n = match (overridden, count) {
                (Some((_, n)), _) => i64::from(*n),
                (None, Some(e)) => env.constant_int(e)?,
                (None, None) => 1,
            };
            let n = if n == 0 { 0 } else { self.in_range(env, n, name.span)? };
            counts.push(n);
        }
        let all: u32 = counts.iter().sum();
        self.in_range(env, i64::from(all), self.check.span).map(|n| (n, counts))
    }

    fn in_range(&self, env: &mut Env<'a>, n: i64, span: Span) -> Option<u32> {
        if (1..=MOST_THREADS).contains(&n) {
            return Some(n as u32);
        }
        env.error("E0507", span, format!("a check has 1 to {MOST_THREADS} threads, not {n}"));
        None
    }

    /// An object, lowered for so many threads.
    fn object(
        &self,
        name: &'a syntax::Name,
        args: &'a [syntax::Arg],
        threads: u32,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<Env<'a>> {
        let objects = || {
            self.file.items.iter().filter_map(|i| match i {
                Item::Object(o) => Some(o),
                _ => None,
            })
        };
        let Some(object) = objects().find(|o| o.name.text == name.text) else {
            let close = Env::close(&name.text, objects().map(|o| o.name.text.as_str()));
            let mut d = Diagnostic::error("E0111", name.span, format!("there is no object `{}`", name.text));
            d.help = close.map(|c| format!("did you mean `{c}`?"));
            problems.push(d);
            return None;
        };
        let mut env = Env::new(&object.name.text, threads, false);
        globals(&mut env, self.file, &self.check.with, self.parsed);
        let mut values = Env::new("", threads, false);
        globals(&mut values, self.file, &self.check.with, self.parsed);
        values.diagnostics.clear();
        let args: Vec<_> = args.iter().collect();
        let given = specs::named(&mut values, &object.params, &args, &name.text).and_then(|()| {
            specs::arguments(&mut env, &mut values, &object.params, &args, name.span, &name.text)
        });
        env.diagnostics.append(&mut values.diagnostics);
        if given.is_none() {
            problems.append(&mut env.diagnostics);
            return None;
        }
        env.declare_members(object.members.iter());
        env.lower_members(object.members.iter());
        // Without all operations, clients and properties would be blamed for what is wrong with the object.
        let ops = object.members.iter().filter(|m| matches!(m, syntax::Member::Op(_))).count();
        if env.module.ops.len() < ops {
            problems.append(&mut env.diagnostics);
            return None;
        }
        Some(env)
    }

    fn implements(&self) -> Option<&'a syntax::SpecRef> {
        self.file.items.iter().find_map(|i| match i {
            Item::Object(o) if o.name.text == self.check.object.text => o.implements.as_ref(),
            _ => None,
        })
    }

    fn scripts(&self, env: &mut Env<'a>, counts: &[u32]) -> (Vec<Thread>, Option<u32>, Option<String>) {
        let mut threads = Vec::new();
        if let Some(blocks) = &self.parsed.client {
            for block in blocks {
                if let Some(script) = env.role_script(block) {
                    threads.push(Thread { role: None, script });
                }
            }
            return (threads, None, None);
        }
        if self.clauses.roles.is_empty() {
            let ops = match (self.overrides.ops, self.clauses.ops) {
                (Some(Ops::Forever), _) | (None, Some(None)) => None,
                (Some(Ops::Count(n)), _) => Some(n),
                (None, Some(Some(e))) => match env.constant_int(e) {
                    Some(n) if (0..=1000).contains(&n) => Some(n as u32),
                    Some(n) => {
                        env.error(
                            "E0507",
                            e.span,
                            format!("a thread performs 0 to 1000 operations, not {n}"),
                        );
                        None
                    }
                    None => None,
                },
                (None, None) => Some(2),
            };
            let values = match (self.overrides.values, self.clauses.values) {
                (Some(None), _) | (None, Some(None)) => Values::Tid,
                (Some(Some(n)), _) => Values::Count(n),
                (None, Some(Some(e))) => match env.constant_int(e) {
                    Some(n) if (1..=1000).contains(&n) => Values::Count(n as u32),
                    Some(n) => {
                        env.error("E0507", e.span, format!("there are 1 to 1000 values, not {n}"));
                        Values::Count(2)
                    }
                    None => Values::Count(2),
                },
                (None, None) => Values::Count(2),
            };
            let general = General { calls: self.clauses.calls.clone(), ops, values };
            if let Some(script) = env.general_script(&general, self.check.object.span) {
                for _ in 0..counts[0] {
                    threads.push(Thread { role: None, script: script.clone() });
                }
            }
            let uses_values = self.clauses.calls.is_empty()
                && env.module.ops.iter().any(|o| o.params.iter().any(|(_, ty)| mentions_val(ty)));
            let values = match values {
                Values::Tid => Some("tid".to_string()),
                Values::Count(n) if uses_values => Some(n.to_string()),
                Values::Count(_) => None,
            };
            return (threads, ops, values);
        }
        for ((name, _, body), count) in self.clauses.roles.iter().zip(counts) {
            if let Some(script) = env.role_script(body) {
                for _ in 0..*count {
                    threads.push(Thread { role: Some(name.text.clone()), script: script.clone() });
                }
            }
        }
        (threads, None, None)
    }

    fn show_roles(&self, counts: &[u32]) -> String {
        if let Some(text) = &self.overrides.client {
            return text.clone();
        }
        let show = |((name, ..), count): (&(&syntax::Name, Option<&Expr>, &syntax::ClientBlock), &u32)| {
            match count {
                1 => name.text.clone(),
                n => format!("{} x {n}", name.text),
            }
        };
        self.clauses.roles.iter().zip(counts).map(show).collect::<Vec<_>>().join(", ")
    }

    fn asked(&self, env: &mut Env<'a>, threads: &[Thread]) -> Result<Vec<Asked>, Refusal> {
        let mut all = Vec::new();
        for (property, expect, span) in &self.clauses.properties {
            let expect = self.expectation(env, *expect, property);
            if let Some((question, name)) = self.question(env, property, threads) {
                all.push(Asked { question, name, span: *span, expect, implied: false });
            }
        }
        if let Some(wanted) = &self.overrides.properties {
            return self.only(env, all, wanted);
        }
        if !all.iter().any(|a| matches!(a.question, Question::Safe)) {
            all.push(Asked {
                question: Question::Safe,
                name: "safe".into(),
                span: self.check.object.span,
                expect: Expectation::Holds,
                implied: true,
            });
        }
        Ok(all)
    }

    /// `--property`: the named ones, with their expectations where the check has them.
    fn only(&self, env: &mut Env<'a>, all: Vec<Asked>, wanted: &[String]) -> Result<Vec<Asked>, Refusal> {
        let mut chosen = Vec::new();
        for name in wanted {
            let name = name.trim();
            let before = chosen.len();
            chosen.extend(all.iter().filter(|a| a.name.split(' ').next() == Some(name)).cloned());
            if chosen.len() > before {
                continue;
            }
            let span = self.check.object.span;
            let question = match name {
                "safe" => Some(Question::Safe),
                "leak_free" => Some(Question::LeakFree),
                "linearizable" => self.linearizable(env, None, span),
                "lock_free" | "wait_free" | "obstruction_free" | "deadlock_free" | "starvation_free" => {
                    Some(Question::Unavailable { what: format!("`{name}`") })
                }
                _ => {
                    let text =
                        format!("there is no property `{name}` that could be asked on the command line");
                    return Err(Refusal::Usage(text));
                }
            };
            if let Some(question) = question {
                let expect = Expectation::Holds;
                chosen.push(Asked { question, name: name.to_string(), span, expect, implied: false });
            }
        }
        Ok(chosen)
    }

    fn expectation(
        &self,
        env: &mut Env<'a>,
        expect: Option<&syntax::Expect>,
        property: &Property,
    ) -> Expectation {
        let Some(expect) = expect else { return Expectation::Holds };
        let Some(kind) = &expect.kind else { return Expectation::Fails };
        if !matches!(property, Property::Safe) {
            env.error("E0508", kind.span, "only `safe` fails with a kind of finding").help =
                Some("write `expect fails;`".into());
            return Expectation::Fails;
        }
        match Finding::ALL.into_iter().find(|f| f.word() == kind.text) {
            Some(finding) => Expectation::FailsWith(finding),
            None => {
                let close = Env::close(&kind.text, Finding::ALL.iter().map(|f| f.word()));
                let words: Vec<&str> = Finding::ALL.iter().map(|f| f.word()).collect();
                env.error("E0508", kind.span, format!("there is no finding `{}`", kind.text)).help =
                    Some(match close {
                        Some(close) => format!("did you mean `{close}`?"),
                        None => format!("it is one of {}", words.join(", ")),
                    });
                Expectation::Fails
            }
        }
    }

    fn question(
        &self,
        env: &mut Env<'a>,
        property: &'a Property,
        threads: &[Thread],
    ) -> Option<(Question, String)> {
        let later =
            |what: &str| Some((Question::Unavailable { what: format!("`{what}`") }, what.to_string()));
        match property {
            Property::Safe => Some((Question::Safe, "safe".into())),
            Property::Linearizable { to } => {
                let name = match to {
                    Some(to) => format!("linearizable to {}", to.span.text(self.source)),
                    None => "linearizable".into(),
                };
                let span = to.as_ref().map_or(self.check.object.span, |t| t.span);
                Some((self.linearizable(env, to.as_ref(), span)?, name))
            }
            Property::Refines(other) => {
                let mut problems = Vec::new();
                let found = self.object(&other.name, &other.args, env.threads, &mut problems);
                env.diagnostics.append(&mut problems);
                let module = found?.module;
                let same = env.module.ops.len() == module.ops.len()
                    && env.module.ops.iter().zip(&module.ops).all(|(a, b)| {
                        a.name == b.name
                            && a.params.iter().map(|p| &p.1).eq(b.params.iter().map(|p| &p.1))
                            && a.result == b.result
                    });
                if !same {
                    let text = format!(
                        "`{}` and `{}` must have the same operations, in the same order",
                        env.module.name, module.name
                    );
                    env.error("E0405", other.span, text);
                    return None;
                }
                let machine = Machine { object: module, threads: threads.to_vec() };
                let name = format!("refines {}", other.span.text(self.source));
                Some((Question::Refines { other: Box::new(machine) }, name))
            }
            Property::Invariant(e) => {
                let routine = env.lower_invariant(e)?;
                let name = format!("invariant {}", e.span.text(self.source));
                Some((Question::Invariant { routine: Box::new(routine) }, name))
            }
            Property::LeakFree => Some((Question::LeakFree, "leak_free".into())),
            Property::LockFree => later("lock_free"),
            Property::WaitFree { .. } => later("wait_free"),
            Property::ObstructionFree => later("obstruction_free"),
            Property::DeadlockFree => later("deadlock_free"),
            Property::StarvationFree => later("starvation_free"),
            Property::Equivalent { .. } => later("equivalent"),
            Property::Ltl { .. } => later("ltl"),
            Property::Unknown(_) => None,
        }
    }

    fn linearizable(
        &self,
        env: &mut Env<'a>,
        to: Option<&'a syntax::SpecRef>,
        span: Span,
    ) -> Option<Question> {
        let wanted = match (&self.parsed.spec, to) {
            (Some(spec), _) => Some(spec),
            (None, Some(to)) => Some(to),
            (None, None) => self.implements(),
        };
        let Some(wanted) = wanted else {
            let text = format!("`{}` does not say what it implements", self.check.object.text);
            env.error("E0406", span, text).help =
                Some("write `object X implements Queue`, or `linearizable to Queue;`".into());
            return None;
        };
        let (file, with, parsed) = (self.file, &self.check.with, self.parsed);
        let before = env.diagnostics.len();
        let module = specs::lower_spec(file, wanted, env, &|e| globals(e, file, with, parsed));
        if parsed.spec.is_some() {
            // The specification is named on the command line, where no label of the file can point.
            env.diagnostics[before..].iter_mut().for_each(|d| d.labels.clear());
        }
        let module = module?;
        Some(Question::Linearizable { spec: Box::new(module) })
    }
}

/// Diagnostics in the order of the text, each once.
pub(super) fn in_order(mut all: Vec<Diagnostic>) -> Vec<Diagnostic> {
    all.sort_by(|a, b| (a.span, a.code, &a.message).cmp(&(b.span, b.code, &b.message)));
    all.dedup_by(|a, b| a.span == b.span && a.code == b.code && a.message == b.message);
    all
}

fn has_assume(routine: &Routine) -> bool {
    routine.code.iter().any(|i| matches!(i.kind, InstrKind::Assume(_)))
}

fn mentions_val(ty: &Ty) -> bool {
    match ty {
        Ty::Val => true,
        Ty::Optional(inner) => mentions_val(inner),
        Ty::Tuple(parts) => parts.iter().any(mentions_val),
        _ => false,
    }
}
