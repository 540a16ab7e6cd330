//! The properties of a check as questions.

use std::sync::Arc;

use trueline_base::Span;
use trueline_base::verdict::Finding;

use super::build::Builder;
use super::client::Scripts;
use super::target::Target;
use super::{Asked, Expectation, Misuse, Refusal};
use crate::ir::Machine;
use crate::lower::invariant;
use crate::question::{Progress, Question, Relation};
use crate::resolve::{close, invariant as resolve_invariant};
use crate::syntax::{self, Property};

/// The properties that can be asked by their name alone.
const PROPERTIES: [&str; 8] = [
    "safe",
    "linearizable",
    "leak_free",
    "lock_free",
    "wait_free",
    "obstruction_free",
    "deadlock_free",
    "starvation_free",
];

impl<'a> Builder<'a> {
    pub(super) fn asked(&self, target: &mut Target<'a>, threads: &Scripts) -> Result<Vec<Asked>, Refusal> {
        let mut all = Vec::new();
        for (property, expect, span) in &self.clauses.properties {
            let expect = self.expectation(target, *expect, property);
            if let Some((question, name)) = self.question(target, property, threads) {
                all.push(Asked { question, name, span: *span, expect, implied: false });
            }
        }
        if let Some(wanted) = &self.overrides.properties {
            return self.only(target, all, wanted);
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

    /// The named ones, with their expectations where the check has them.
    fn only(
        &self,
        target: &mut Target<'a>,
        all: Vec<Asked>,
        wanted: &[String],
    ) -> Result<Vec<Asked>, Refusal> {
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
                "linearizable" => self.linearizable(target, None, span),
                "lock_free" => Some(self.progress(target, Progress::LockFree)),
                "wait_free" => Some(self.progress(target, Progress::WaitFree(None))),
                "obstruction_free" => Some(self.progress(target, Progress::ObstructionFree)),
                "deadlock_free" => Some(self.progress(target, Progress::DeadlockFree)),
                "starvation_free" => Some(self.progress(target, Progress::StarvationFree)),
                _ => {
                    let mut known = PROPERTIES.map(String::from).to_vec();
                    let own = all.iter().filter_map(|a| a.name.split(' ').next());
                    for own in own.filter(|own| !PROPERTIES.contains(own)) {
                        if !known.iter().any(|known| known == own) {
                            known.push(own.to_string());
                        }
                    }
                    return Err(Refusal::Usage(Misuse::NoProperty { name: name.to_string(), known }));
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
        target: &mut Target<'a>,
        expect: Option<&syntax::Expect>,
        property: &Property,
    ) -> Expectation {
        let Some(expect) = expect else { return Expectation::Holds };
        let Some(kind) = &expect.kind else { return Expectation::Fails };
        if !matches!(property, Property::Safe) {
            target.scope.error("E0508", kind.span, "only `safe` fails with a kind of finding").help =
                Some("write `expect fails;`".into());
            return Expectation::Fails;
        }
        match Finding::ALL.into_iter().find(|f| f.word() == kind.text) {
            Some(finding) => Expectation::FailsWith(finding),
            None => {
                let close = close(&kind.text, Finding::ALL.iter().map(|f| f.word()));
                let words: Vec<&str> = Finding::ALL.iter().map(|f| f.word()).collect();
                target.scope.error("E0508", kind.span, format!("there is no finding `{}`", kind.text)).help =
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
        target: &mut Target<'a>,
        property: &'a Property,
        threads: &Scripts,
    ) -> Option<(Question, String)> {
        let later = |name: &str| Some((Question::Unavailable, name.to_string()));
        match property {
            Property::Safe => Some((Question::Safe, "safe".into())),
            Property::Linearizable { to } => {
                let name = match to {
                    Some(to) => format!("linearizable to {}", to.span.text(self.source)),
                    None => "linearizable".into(),
                };
                let span = to.as_ref().map_or(self.check.object.span, |t| t.span);
                Some((self.linearizable(target, to.as_ref(), span)?, name))
            }
            Property::Refines(other) => {
                let machine = self.other(target, other, threads)?;
                let name = format!("refines {}", other.span.text(self.source));
                Some((Question::Refines { other: Arc::new(machine) }, name))
            }
            Property::Equivalent { other, by } => {
                let machine = self.other(target, other, threads)?;
                let named = match by {
                    None => Some(Relation::DpBranching),
                    Some(by) => Relation::ALL.into_iter().find(|relation| relation.name() == by.text),
                };
                let (Some(relation), text) = (named, other.span.text(self.source)) else {
                    let span = by.as_ref().expect("it was named").span;
                    let names: Vec<&str> = Relation::ALL.iter().map(|r| r.name()).collect();
                    target.scope.error("E0407", span, "there is no such equivalence").help =
                        Some(format!("it is one of {}", names.join(", ")));
                    return None;
                };
                let name = match by {
                    Some(_) => format!("equivalent {text} by {}", relation.name()),
                    None => format!("equivalent {text}"),
                };
                Some((Question::Equivalent { other: Arc::new(machine), by: relation }, name))
            }
            Property::Invariant(e) => {
                let (value, locals) = resolve_invariant(&mut target.scope, e)?;
                if !target.is_right() {
                    return None;
                }
                let routine = invariant(&target.scope.module, &mut target.instance, &value, &locals)?;
                let text = e.span.text(self.source).to_string();
                let name = format!("invariant {text}");
                Some((Question::Invariant { routine: Arc::new(routine), text }, name))
            }
            Property::LeakFree => Some((Question::LeakFree, "leak_free".into())),
            Property::LockFree => Some((self.progress(target, Progress::LockFree), "lock_free".into())),
            Property::WaitFree { op: None } => {
                Some((self.progress(target, Progress::WaitFree(None)), "wait_free".into()))
            }
            Property::WaitFree { op: Some(name) } => {
                let op = target.scope.operation_named(name)?;
                Some((
                    self.progress(target, Progress::WaitFree(Some(op))),
                    format!("wait_free {}", name.text),
                ))
            }
            Property::ObstructionFree => {
                Some((self.progress(target, Progress::ObstructionFree), "obstruction_free".into()))
            }
            Property::DeadlockFree => {
                Some((self.progress(target, Progress::DeadlockFree), "deadlock_free".into()))
            }
            Property::StarvationFree => {
                Some((self.progress(target, Progress::StarvationFree), "starvation_free".into()))
            }
            Property::Ltl { .. } => later("ltl"),
            Property::Unknown(_) => None,
        }
    }

    /// Another object under the same client.
    fn other(
        &self,
        target: &mut Target<'a>,
        other: &'a syntax::SpecRef,
        threads: &Scripts,
    ) -> Option<Machine> {
        let mut problems = Vec::new();
        let found = self.object(&other.name, &other.args, target.instance.threads, &mut problems);
        target.scope.diagnostics.append(&mut problems);
        let mut found = found?;
        let module = found.steps.take();
        target.scope.diagnostics.extend(found.problems());
        let (object, module) = (target.steps.as_ref()?, module?);
        let same = object.ops.len() == module.ops.len()
            && object.ops.iter().zip(&module.ops).all(|(a, b)| {
                a.name == b.name
                    && a.params.iter().map(|p| &p.1).eq(b.params.iter().map(|p| &p.1))
                    && a.result == b.result
            });
        if !same {
            let text = format!(
                "`{}` and `{}` must have the same operations, in the same order",
                object.name, module.name
            );
            target.scope.error("E0405", other.span, text);
            return None;
        }
        Some(threads.machine(module))
    }

    /// Fair schedulers need to know when an operation may wait: its specification says so.
    fn progress(&self, target: &mut Target<'a>, progress: Progress) -> Question {
        let asked = progress.fair() && (self.implements().is_some() || self.parsed.spec.is_some());
        let spec = match asked.then(|| self.linearizable(target, None, self.check.object.span)).flatten() {
            Some(Question::Linearizable { spec, .. }) if spec.can_wait() => Some(spec),
            _ => None,
        };
        Question::Progress { progress, spec }
    }

    fn linearizable(
        &self,
        target: &mut Target<'a>,
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
            target.scope.error("E0406", span, text).help =
                Some("write `object X implements Queue`, or `linearizable to Queue;`".into());
            return None;
        };
        let module = target.specification((self.file, self.typed), wanted, self.changes())?;
        let points = target.steps.as_ref()?.ops.iter().any(|op| op.marked());
        Some(Question::Linearizable { spec: Arc::new(module), points })
    }
}
