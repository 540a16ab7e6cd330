//! The properties of a check as questions.

use std::sync::Arc;

use trueline_base::verdict::Finding;
use trueline_base::{Equivalence, Span};

use super::build::Builder;
use super::client::Scripts;
use super::target::Target;
use super::{Asked, Expectation, Misuse, Refusal};
use crate::ir::Machine;
use crate::lower::invariant;
use crate::question::{Progress, Question};
use crate::resolve::{close, invariant as resolve_invariant};
use crate::syntax::{self, Property};

impl<'a> Builder<'a> {
    pub(super) fn asked(&self, target: &mut Target<'a>, threads: &Scripts) -> Result<Vec<Asked>, Refusal> {
        let mut all: Vec<(&'a Property, Asked)> = Vec::new();
        for (property, expect, span) in &self.clauses.properties {
            let expect = self.expectation(target, *expect, property);
            if let Some((question, name)) = self.question(target, property, threads) {
                all.push((property, Asked { question, name, span: *span, expect, implied: false }));
            }
        }
        if let Some(wanted) = &self.overrides.properties {
            return self.only(target, all, threads, wanted);
        }
        let mut all: Vec<Asked> = all.into_iter().map(|(_, asked)| asked).collect();
        if !all.iter().any(|a| matches!(a.question, Question::Safe)) {
            all.push(Asked {
                question: Question::Safe,
                name: Property::Safe.word().into(),
                span: self.check.object.span,
                expect: Expectation::Holds,
                implied: true,
            });
        }
        Ok(all)
    }

    /// Those that begin with these words, with their expectations where the check has them.
    fn only(
        &self,
        target: &mut Target<'a>,
        all: Vec<(&'a Property, Asked)>,
        threads: &Scripts,
        wanted: &[String],
    ) -> Result<Vec<Asked>, Refusal> {
        let mut chosen = Vec::new();
        for word in wanted.iter().map(|word| word.trim()) {
            let before = chosen.len();
            let asked = all.iter().filter(|(property, _)| property.word() == word);
            chosen.extend(asked.map(|(_, asked)| asked.clone()));
            if chosen.len() > before {
                continue;
            }
            let Some(property) = Property::alone(word) else {
                let mut known: Vec<String> = Property::words_alone().map(String::from).collect();
                for own in all.iter().map(|(property, _)| property.word()) {
                    if !known.iter().any(|known| known == own) {
                        known.push(own.to_string());
                    }
                }
                return Err(Refusal::Usage(Misuse::NoProperty { name: word.to_string(), known }));
            };
            if let Some((question, name)) = self.question(target, property, threads) {
                let (span, expect) = (self.check.object.span, Expectation::Holds);
                chosen.push(Asked { question, name, span, expect, implied: false });
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

    /// What is to be decided, and how a reader calls it.
    fn question(
        &self,
        target: &mut Target<'a>,
        property: &'a Property,
        threads: &Scripts,
    ) -> Option<(Question, String)> {
        let mut name = property.word().to_string();
        let question = match property {
            Property::Safe => Question::Safe,
            Property::Linearizable { to } => {
                if let Some(to) = to {
                    name += &format!(" to {}", to.span.text(self.source));
                }
                let span = to.as_ref().map_or(self.check.object.span, |t| t.span);
                self.linearizable(target, to.as_ref(), span)?
            }
            Property::Refines(other) => {
                name += &format!(" {}", other.span.text(self.source));
                Question::Refines { other: Arc::new(self.other(target, other, threads)?) }
            }
            Property::Equivalent { other, by } => {
                name += &format!(" {}", other.span.text(self.source));
                let machine = self.other(target, other, threads)?;
                let equivalence = match by {
                    None => Equivalence::DpBranching,
                    Some(by) => self.equivalence(target, by)?,
                };
                if by.is_some() {
                    name += &format!(" by {equivalence}");
                }
                Question::Equivalent { other: Arc::new(machine), by: equivalence }
            }
            Property::Invariant(e) => {
                let (value, locals) = resolve_invariant(&mut target.scope, e)?;
                if !target.is_right() {
                    return None;
                }
                let routine = invariant(&target.scope.module, &mut target.instance, &value, &locals)?;
                let text = e.span.text(self.source).to_string();
                name += &format!(" {text}");
                Question::Invariant { routine: Arc::new(routine), text }
            }
            Property::LeakFree => Question::LeakFree,
            Property::LockFree => self.progress(target, Progress::LockFree),
            Property::WaitFree { op: None } => self.progress(target, Progress::WaitFree(None)),
            Property::WaitFree { op: Some(of) } => {
                name += &format!(" {}", of.text);
                let op = target.scope.operation_named(of)?;
                self.progress(target, Progress::WaitFree(Some(op)))
            }
            Property::ObstructionFree => self.progress(target, Progress::ObstructionFree),
            Property::DeadlockFree => self.progress(target, Progress::DeadlockFree),
            Property::StarvationFree => self.progress(target, Progress::StarvationFree),
            Property::Ltl { .. } => Question::Unavailable,
            Property::Unknown(_) => return None,
        };
        Some((question, name))
    }

    fn equivalence(&self, target: &mut Target<'a>, by: &syntax::Name) -> Option<Equivalence> {
        let named = by.text.parse().ok();
        if named.is_none() {
            let names: Vec<&str> = Equivalence::ALL.iter().map(|e| e.name()).collect();
            target.scope.error("E0407", by.span, "there is no such equivalence").help =
                Some(format!("it is one of {}", names.join(", ")));
        }
        named
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
