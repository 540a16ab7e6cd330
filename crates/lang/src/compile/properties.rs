//! The properties of a check as questions.

use std::sync::Arc;

use trueline_base::Span;
use trueline_base::verdict::Finding;

use super::arguments::globals;
use super::build::Builder;
use super::client::Scripts;
use super::{Asked, Expectation, Refusal};
use crate::ir::{Machine, OpId};
use crate::lower::env::Env;
use crate::lower::specs;
use crate::question::{Progress, Question, Relation};
use crate::syntax::{self, Property};

impl<'a> Builder<'a> {
    pub(super) fn asked(&self, env: &mut Env<'a>, threads: &Scripts) -> Result<Vec<Asked>, Refusal> {
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
                "lock_free" => Some(self.progress(env, Progress::LockFree)),
                "wait_free" => Some(self.progress(env, Progress::WaitFree(None))),
                "obstruction_free" => Some(self.progress(env, Progress::ObstructionFree)),
                "deadlock_free" => Some(self.progress(env, Progress::DeadlockFree)),
                "starvation_free" => Some(self.progress(env, Progress::StarvationFree)),
                _ => {
                    let known = "safe, linearizable, leak_free, lock_free, wait_free, obstruction_free, deadlock_free, \
                                 starvation_free";
                    let mut own: Vec<&str> = all.iter().filter_map(|a| a.name.split(' ').next()).collect();
                    own.retain(|own| !known.contains(own));
                    own.dedup();
                    let own = own.iter().map(|own| format!(", {own}")).collect::<String>();
                    let text =
                        format!("--property {name}: there is no such property; there are {known}{own}");
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
                Some((self.linearizable(env, to.as_ref(), span)?, name))
            }
            Property::Refines(other) => {
                let machine = self.other(env, other, threads)?;
                let name = format!("refines {}", other.span.text(self.source));
                Some((Question::Refines { other: Arc::new(machine) }, name))
            }
            Property::Equivalent { other, by } => {
                let machine = self.other(env, other, threads)?;
                let named = match by {
                    None => Some(Relation::DpBranching),
                    Some(by) => Relation::ALL.into_iter().find(|relation| relation.name() == by.text),
                };
                let (Some(relation), text) = (named, other.span.text(self.source)) else {
                    let span = by.as_ref().expect("it was named").span;
                    let names: Vec<&str> = Relation::ALL.iter().map(|r| r.name()).collect();
                    env.error("E0407", span, "there is no such equivalence").help =
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
                let routine = env.lower_invariant(e)?;
                let text = e.span.text(self.source).to_string();
                let name = format!("invariant {text}");
                Some((Question::Invariant { routine: Arc::new(routine), text }, name))
            }
            Property::LeakFree => Some((Question::LeakFree, "leak_free".into())),
            Property::LockFree => Some((self.progress(env, Progress::LockFree), "lock_free".into())),
            Property::WaitFree { op: None } => {
                Some((self.progress(env, Progress::WaitFree(None)), "wait_free".into()))
            }
            Property::WaitFree { op: Some(name) } => {
                let op = self.operation(env, name)?;
                Some((self.progress(env, Progress::WaitFree(Some(op))), format!("wait_free {}", name.text)))
            }
            Property::ObstructionFree => {
                Some((self.progress(env, Progress::ObstructionFree), "obstruction_free".into()))
            }
            Property::DeadlockFree => {
                Some((self.progress(env, Progress::DeadlockFree), "deadlock_free".into()))
            }
            Property::StarvationFree => {
                Some((self.progress(env, Progress::StarvationFree), "starvation_free".into()))
            }
            Property::Ltl { .. } => later("ltl"),
            Property::Unknown(_) => None,
        }
    }

    /// Another object under the same client.
    fn other(&self, env: &mut Env<'a>, other: &'a syntax::SpecRef, threads: &Scripts) -> Option<Machine> {
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
        Some(threads.machine(module))
    }

    /// Fair schedulers need to know when an operation may wait: its specification says so.
    fn progress(&self, env: &mut Env<'a>, progress: Progress) -> Question {
        let asked = progress.fair() && (self.implements().is_some() || self.parsed.spec.is_some());
        let spec = match asked.then(|| self.linearizable(env, None, self.check.object.span)).flatten() {
            Some(Question::Linearizable { spec, .. }) if spec.can_wait() => Some(spec),
            _ => None,
        };
        Question::Progress { progress, spec }
    }

    fn operation(&self, env: &mut Env<'a>, name: &syntax::Name) -> Option<OpId> {
        let found = env.module.ops.iter().position(|op| op.name == name.text);
        if found.is_none() {
            env.no_operation(name);
        }
        found.map(|at| OpId(at as u16))
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
        let points = env.module.ops.iter().any(|op| op.marked());
        Some(Question::Linearizable { spec: Arc::new(module), points })
    }
}
