//! The client of a check: how many threads, what each of them calls.

use trueline_base::Span;
use trueline_base::words::plural;

use super::build::{Bound, Builder};
use super::target::{Target, number};
use super::{Misuse, Ops, Refusal, Values};
use crate::ir::{Machine, Module, NodeId, Script, Thread, Ty};
use crate::lower::Instance;
use crate::lower::client::{Clients, DataValues, General};
use crate::resolve::client::Client;
use crate::resolve::close;
use crate::resolve::scope::NameScope;
use crate::syntax::{self, ClauseKind, ClientBlock, ClientStmtKind, Expr, Item};

/// The most threads of one check.
const MOST_THREADS: i64 = 64;

/// What everybody calls.
pub(super) struct Scripts {
    threads: Vec<Thread>,
    /// The main thread, and where the second part of its script begins.
    main: Option<(Thread, NodeId)>,
}

impl Scripts {
    /// An object under this client.
    pub fn machine(&self, object: Module) -> Machine {
        match &self.main {
            None => Machine::new(object, self.threads.clone()),
            Some((main, after)) => Machine::with_main(object, self.threads.clone(), main.clone(), *after),
        }
    }
}

/// Where a block goes on for ever.
fn forever(block: &ClientBlock) -> Option<Span> {
    block.stmts.iter().find_map(|stmt| match &stmt.kind {
        ClientStmtKind::Forever(_) => Some(stmt.span),
        ClientStmtKind::Repeat { body, .. } => forever(body),
        ClientStmtKind::If { then, otherwise, .. } => {
            forever(then).or_else(|| otherwise.as_ref().and_then(forever))
        }
        ClientStmtKind::Calls(_) | ClientStmtKind::Let { .. } => None,
    })
}

impl<'a> Builder<'a> {
    pub(super) fn usage(&self) -> Result<(), Refusal> {
        let o = self.overrides;
        let roles = !self.clauses.roles.is_empty() && o.client.is_none();
        if roles && (o.threads.is_some() || o.ops.is_some() || o.values.is_some()) {
            return Err(Refusal::Roles);
        }
        if o.client.is_some() && (o.threads.is_some() || o.ops.is_some() || !o.roles.is_empty()) {
            return Err(Refusal::Usage(Misuse::ClientAndNumbers));
        }
        if let Some(threads) = o.threads.filter(|n| !(1..=MOST_THREADS).contains(&i64::from(*n))) {
            return Err(Refusal::Usage(Misuse::Threads { threads, most: MOST_THREADS as u32 }));
        }
        for (name, _) in &o.roles {
            if !self.clauses.roles.iter().any(|(n, ..)| n.text == *name) {
                let (object, role) = (self.check.object.text.clone(), name.clone());
                return Err(Refusal::Usage(Misuse::NoRole { object, role }));
            }
        }
        let mut known: Vec<&str> = Vec::new();
        for item in &self.file.items {
            match item {
                Item::Param(p) => known.push(&p.name.text),
                Item::Object(o) => known.extend(o.params.iter().map(|param| param.name.text.as_str())),
                _ => {}
            }
        }
        known.dedup();
        if let Some((name, _)) = o.set.iter().find(|(name, _)| !known.contains(&name.as_str())) {
            let known = known.into_iter().map(String::from).collect();
            return Err(Refusal::Usage(Misuse::NoParameter { name: name.clone(), known }));
        }
        Ok(())
    }

    pub(super) fn parameters_exist(&self, scope: &mut NameScope<'a>) {
        for (name, _) in &self.check.with {
            let params = || {
                self.file.items.iter().filter_map(|i| match i {
                    Item::Param(p) => Some(p.name.text.as_str()),
                    _ => None,
                })
            };
            if !params().any(|p| p == name.text) {
                let close = close(&name.text, params());
                scope.error("E0110", name.span, format!("there is no parameter `{}`", name.text)).help =
                    Some(match close {
                        Some(close) => format!("did you mean `{close}`?"),
                        None => format!("declare it: `param {} = …;`", name.text),
                    });
            }
        }
    }

    /// Clauses, roles and values of parameters that would replace earlier ones.
    pub(super) fn each_once(&self, scope: &mut NameScope<'a>) {
        let mut seen: Vec<(&str, Span)> = Vec::new();
        for clause in &self.check.clauses {
            let word = match &clause.kind {
                ClauseKind::Threads(_) => "threads",
                ClauseKind::Ops(_) => "ops",
                ClauseKind::Values(_) => "values",
                ClauseKind::Before(_) => "before",
                ClauseKind::After(_) => "after",
                _ => continue,
            };
            match seen.iter().find(|(w, _)| *w == word) {
                Some((_, first)) => {
                    let d = scope.error("E0102", clause.span, format!("`{word}` is given twice"));
                    d.labels
                        .push(trueline_base::RelatedSpan { span: *first, text: "first given here".into() });
                }
                None => seen.push((word, clause.span)),
            }
        }
        for (i, (name, ..)) in self.clauses.roles.iter().enumerate() {
            if let Some((first, ..)) = self.clauses.roles[..i].iter().find(|(n, ..)| n.text == name.text) {
                scope.duplicate(first.span, name);
            }
        }
        for (i, (name, _)) in self.check.with.iter().enumerate() {
            if let Some((first, _)) = self.check.with[..i].iter().find(|(n, _)| n.text == name.text) {
                let d = scope.error("E0102", name.span, format!("`{}` is given twice", name.text));
                d.labels
                    .push(trueline_base::RelatedSpan { span: first.span, text: "first given here".into() });
            }
        }
    }

    /// The number of threads, and how many of each role.
    pub(super) fn threads(
        &self,
        scope: &mut NameScope<'a>,
        instance: &mut Instance,
    ) -> Option<(u32, Vec<u32>)> {
        if let Some(client) = &self.parsed.client {
            return Some((client.threads.len() as u32, vec![1; client.threads.len()]));
        }
        if self.clauses.roles.is_empty() {
            let (n, span) = match (self.overrides.threads, self.clauses.threads) {
                (Some(n), _) => (i64::from(n), self.check.span),
                (None, Some(e)) => (number(scope, instance, e)?, e.span),
                (None, None) => (2, self.check.span),
            };
            return self.in_range(scope, n, span).map(|n| (n, vec![n]));
        }
        let other = self.check.clauses.iter().find(|c| {
            let kind = &c.kind;
            use ClauseKind::{After, Before, Property, Role};
            !matches!(kind, Role { .. } | Before(_) | After(_) | Property { .. })
        });
        if let Some(clause) = other {
            scope
                .error("E0506", clause.span, "this check has roles, which say what every thread does")
                .help = Some("remove `threads`, `ops`, `values` and `call`, or the roles".into());
            return None;
        }
        let mut counts = Vec::new();
        for (name, count, _) in &self.clauses.roles {
            let overridden = self.overrides.roles.iter().rev().find(|(n, _)| *n == name.text);
            let n = match (overridden, count) {
                (Some((_, n)), _) => i64::from(*n),
                (None, Some(e)) => number(scope, instance, e)?,
                (None, None) => 1,
            };
            let n = if n == 0 { 0 } else { self.in_range(scope, n, name.span)? };
            counts.push(n);
        }
        let all: u32 = counts.iter().sum();
        self.in_range(scope, i64::from(all), self.check.span).map(|n| (n, counts))
    }

    fn in_range(&self, scope: &mut NameScope<'a>, n: i64, span: Span) -> Option<u32> {
        let most = MOST_THREADS - i64::from(self.has_main());
        if (1..=most).contains(&n) {
            return Some(n as u32);
        }
        scope.error("E0507", span, format!("a check has 1 to {most} threads, not {n}"));
        None
    }

    /// What the main thread does before and after the others.
    fn parts(&self) -> (Option<&'a syntax::ClientBlock>, Option<&'a syntax::ClientBlock>) {
        match &self.parsed.client {
            Some(client) => (client.before.as_ref(), client.after.as_ref()),
            None => (self.clauses.before, self.clauses.after),
        }
    }

    /// Whether there is a main thread.
    pub(super) fn has_main(&self) -> bool {
        let (before, after) = self.parts();
        before.is_some() || after.is_some()
    }

    /// What everybody calls, how many operations each thread performs, and the values.
    pub(super) fn client(
        &self,
        target: &mut Target<'a>,
        counts: &[u32],
    ) -> (Scripts, Option<u32>, Option<String>) {
        let (threads, ops, values) = self.scripts(target, counts);
        let (before, after) = self.parts();
        let never = |scope: &mut NameScope<'a>, span: Span, text: &str, help: &str| {
            scope.error("E0510", span, text).help = Some(help.into());
        };
        if let Some(span) = before.and_then(forever) {
            let text = "`before` never ends, so that no thread ever begins";
            never(&mut target.scope, span, text, "use `repeat`, or let a role do it");
        }
        if let Some(after) = after.filter(|_| threads.iter().any(|thread| !thread.script.ends())) {
            let text = "`after` never begins: a thread calls for ever";
            let help = "bound the calls of the threads: `ops 2;`, `repeat`";
            never(&mut target.scope, after.span, text, help);
        }
        let main = self.has_main().then(|| main_script(target, before, after)).flatten();
        let main = main.map(|(script, after)| (Thread { role: Some("main".into()), script }, after));
        (Scripts { threads, main }, ops, values)
    }

    fn scripts(&self, target: &mut Target<'a>, counts: &[u32]) -> (Vec<Thread>, Option<u32>, Option<String>) {
        let mut threads = Vec::new();
        if let Some(client) = &self.parsed.client {
            for block in &client.threads {
                if let Some(script) = role_script(target, block) {
                    threads.push(Thread { role: None, script });
                }
            }
            return (threads, None, None);
        }
        if self.clauses.roles.is_empty() {
            return self.general(target, counts[0]);
        }
        for ((name, _, body), count) in self.clauses.roles.iter().zip(counts) {
            if let Some(script) = role_script(target, body) {
                for _ in 0..*count {
                    threads.push(Thread { role: Some(name.text.clone()), script: script.clone() });
                }
            }
        }
        (threads, None, None)
    }

    /// The most general client.
    fn general(&self, target: &mut Target<'a>, count: u32) -> (Vec<Thread>, Option<u32>, Option<String>) {
        let ops = match (self.overrides.ops, self.clauses.ops) {
            (Some(Ops::Forever), _) | (None, Some(Bound::Word)) => None,
            (Some(Ops::Count(n)), _) => Some(n),
            (None, Some(Bound::Number(e))) => match target.number(e) {
                Some(n) if (0..=1000).contains(&n) => Some(n as u32),
                Some(n) => {
                    let text = format!("a thread performs 0 to 1000 operations, not {n}");
                    target.scope.error("E0507", e.span, text);
                    None
                }
                None => None,
            },
            (None, None) => Some(2),
        };
        let values = match (self.overrides.values, self.clauses.values) {
            (Some(Values::Tid), _) | (None, Some(Bound::Word)) => DataValues::Tid(count),
            (Some(Values::Count(n)), _) => DataValues::Count(n),
            (None, Some(Bound::Number(e))) => match target.number(e) {
                Some(n) if (1..=1000).contains(&n) => DataValues::Count(n as u32),
                Some(n) => {
                    target.scope.error("E0507", e.span, format!("there are 1 to 1000 values, not {n}"));
                    DataValues::Count(2)
                }
                None => DataValues::Count(2),
            },
            (None, None) => DataValues::Count(2),
        };
        let mut client = Client::new(&mut target.scope);
        let calls: Option<Vec<_>> = self.clauses.calls.iter().map(|call| client.call(call)).collect();
        let script = match (calls, target.is_right(), &target.steps) {
            (Some(calls), true, Some(object)) => {
                let general = General { calls: &calls, ops, values };
                let mut clients =
                    Clients { module: &target.scope.module, instance: &mut target.instance, object };
                clients.general(&general, self.check.object.span)
            }
            _ => None,
        };
        let threads = match script {
            Some(script) => vec![Thread { role: None, script }; count as usize],
            None => Vec::new(),
        };
        let takes_values =
            |object: &Module| object.ops.iter().any(|o| o.params.iter().any(|(_, ty)| mentions_val(ty)));
        let uses_values = self.clauses.calls.is_empty() && target.steps.as_ref().is_some_and(takes_values);
        let values = match values {
            DataValues::Tid(_) => Some("tid".to_string()),
            DataValues::Count(n) if uses_values => Some(n.to_string()),
            DataValues::Count(_) => None,
        };
        (threads, ops, values)
    }

    pub(super) fn show_roles(&self, counts: &[u32], ops: Option<u32>) -> String {
        if let Some(text) = &self.overrides.client {
            return text.clone();
        }
        let mut threads = self.show_threads(counts);
        if !self.has_main() {
            return threads;
        }
        if threads.is_empty() {
            let calls = match ops {
                Some(ops) => format!("× {}", plural(ops.into(), "operation", "operations")),
                None => "that call for ever".into(),
            };
            threads = format!("{} {calls}", plural(counts[0].into(), "thread", "threads"));
        }
        let part = |word: &str, block: &syntax::ClientBlock| {
            let text = block.span.text(self.source).split_whitespace().collect::<Vec<_>>();
            format!("{word} {}", text.join(" "))
        };
        let (before, after) = self.parts();
        let parts = [before.map(|b| part("before", b)), Some(threads), after.map(|b| part("after", b))];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    fn show_threads(&self, counts: &[u32]) -> String {
        let show = |((name, ..), count): (&(&syntax::Name, Option<&Expr>, &syntax::ClientBlock), &u32)| {
            match count {
                1 => name.text.clone(),
                n => format!("{} x {n}", name.text),
            }
        };
        self.clauses.roles.iter().zip(counts).map(show).collect::<Vec<_>>().join(", ")
    }
}

/// The script of a role.
fn role_script<'a>(target: &mut Target<'a>, block: &'a ClientBlock) -> Option<Script> {
    let mut client = Client::new(&mut target.scope);
    let program = client.program(block)?;
    let locals = client.locals;
    if !target.is_right() {
        return None;
    }
    let object = target.steps.as_ref()?;
    let mut clients = Clients { module: &target.scope.module, instance: &mut target.instance, object };
    clients.role(&program, &locals)
}

/// The script of the main thread, and where its second part begins.
fn main_script<'a>(
    target: &mut Target<'a>,
    before: Option<&'a ClientBlock>,
    after: Option<&'a ClientBlock>,
) -> Option<(Script, NodeId)> {
    let mut client = Client::new(&mut target.scope);
    let (before, after) = client.main(before, after)?;
    let locals = client.locals;
    if !target.is_right() {
        return None;
    }
    let object = target.steps.as_ref()?;
    let mut clients = Clients { module: &target.scope.module, instance: &mut target.instance, object };
    clients.main(before.as_ref(), after.as_ref(), &locals)
}

fn mentions_val(ty: &Ty) -> bool {
    match ty {
        Ty::Val => true,
        Ty::Optional(inner) => mentions_val(inner),
        Ty::Tuple(parts) => parts.iter().any(mentions_val),
        _ => false,
    }
}
