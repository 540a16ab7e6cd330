//! One property of one check: asks the engine, confirms what it says, and makes an answer of it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use trueline_base::Stop;
use trueline_base::verdict::{Answer, Decision as Word, Finding, Scope};
use trueline_check::{Counterexample, Decision, Failure, Outcome, Question as Ask, Why, check};
use trueline_lang::compile::{Asked, Expectation, Question, Task};
use trueline_lang::ir::Schedule;
use trueline_replay::{Case, Claim, Source, TraceFile, Unconfirmed, alter, confirm};

use crate::args::{CheckArgs, Common};
use crate::exit::Exit;
use crate::files;
use crate::terminal;

/// After a property has failed, the implied `safe` is searched only so many times as far: the object may be unbounded
/// and the user has an answer to work on.
const AFTER_A_FAILURE: u64 = 4;

/// What a run of `check` knows.
pub struct Context<'a> {
    /// Arguments of `check`.
    pub args: &'a CheckArgs,
    /// Flags of every command.
    pub common: &'a Common,
    /// Set by Ctrl-C.
    pub cancel: Arc<AtomicBool>,
}

/// An answer with what is needed to write its trace file.
pub struct Decided {
    /// The answer.
    pub answer: Answer,
    /// How the command ends for it.
    pub exit: Exit,
    /// The confirmed failure.
    pub file: Option<TraceFile>,
    /// What to report when the tool itself is wrong.
    pub internal: Option<String>,
}

/// Decides all properties of a check, in the order of the file.
pub fn decide(context: &Context, source: &files::Source, task: &Task) -> Vec<Decided> {
    let mut all: Vec<Decided> = Vec::new();
    let mut complete: Option<Outcome> = None;
    let mut failed: Option<u64> = None;
    for asked in &task.asked {
        let decider = Decider { context, source, task, asked };
        let start = Instant::now();
        let cpu = terminal::cpu_seconds();
        if let Question::Unavailable { what } = &asked.question {
            let mut answer = decider.answer(Word::Unknown, None);
            answer.stopped = Some("not available yet".into());
            answer.why = Some(format!("{what} is not available yet"));
            all.push(Decided { answer, exit: Exit::Input, file: None, internal: None });
            continue;
        }
        // A search that found no violation and no finding has seen every state: the object is safe.
        let outcome = match (&asked.question, &complete) {
            (Question::Safe, Some(outcome)) => outcome.clone(),
            _ => decider.search(failed.filter(|_| asked.implied)),
        };
        if outcome.decision == Decision::Holds {
            complete = Some(outcome.clone());
        }
        if let Decision::Fails(_) = outcome.decision {
            failed = Some(outcome.states);
        }
        let mut decided = decider.judge(&outcome);
        decided.answer.seconds = start.elapsed().as_secs_f64();
        decided.answer.cpu_seconds = terminal::cpu_seconds() - cpu;
        // What was only implied is worth a line when it says something new.
        let repeats = asked.implied
            && decided.answer.decision == Word::Holds
            && all.iter().any(|d| d.answer.decision == Word::Holds);
        let after = asked.implied && decided.answer.decision == Word::Unknown && failed.is_some();
        if !repeats && !after {
            all.push(decided);
        }
    }
    all
}

struct Decider<'a> {
    context: &'a Context<'a>,
    source: &'a files::Source,
    task: &'a Task,
    asked: &'a Asked,
}

impl Decider<'_> {
    fn search(&self, failed: Option<u64>) -> Outcome {
        let (args, common) = (self.context.args, self.context.common);
        let mut limits = terminal::limits(common, args.states, &self.context.cancel);
        if let Some(states) = failed {
            let bound = states.saturating_mul(AFTER_A_FAILURE).max(10_000);
            limits.states = Some(limits.states.map_or(bound, |s| s.min(bound)));
        }
        let machine = &self.task.machine;
        let title = format!("{} {}", self.task.object, self.asked.name);
        let mut progress = terminal::Progress::new(title, common, limits.memory);
        let ask = match &self.asked.question {
            Question::Safe => Ask::Safe,
            Question::Linearizable { spec } => {
                let points = !args.no_points && machine.object.ops.iter().any(|o| o.marked());
                let with = check(machine, Ask::Linearizable { spec, points }, &limits, &mut progress);
                if !points || !matches!(with.decision, Decision::Fails(_)) {
                    return with;
                }
                // Is the object to blame, or its points?
                let without =
                    check(machine, Ask::Linearizable { spec, points: false }, &limits, &mut progress);
                return if matches!(without.decision, Decision::Fails(_)) { without } else { with };
            }
            Question::Refines { other } => Ask::Refines(other),
            Question::Invariant { routine } => Ask::Invariant(routine),
            Question::LeakFree => Ask::LeakFree,
            Question::Unavailable { .. } => unreachable!("answered before the search"),
        };
        check(machine, ask, &limits, &mut progress)
    }

    fn judge(&self, outcome: &Outcome) -> Decided {
        match &outcome.decision {
            Decision::Holds => {
                let answer = self.answer(Word::Holds, Some(outcome));
                let exit = if answer.as_expected { Exit::Expected } else { Exit::Unexpected };
                Decided { answer, exit, file: None, internal: None }
            }
            Decision::Fails(found) => self.fails(outcome, found),
            Decision::Unknown(why) => self.unknown(outcome, why),
        }
    }

    fn fails(&self, outcome: &Outcome, found: &Counterexample) -> Decided {
        let mut schedule = found.schedule.clone();
        if let Some(step) = self.context.args.alter_step {
            alter(&mut schedule, step);
        }
        let case = Case {
            machine: &self.task.machine,
            claim: self.claim(found.failure),
            source: self.replay_source(),
        };
        let mut trace = match confirm(&case, &schedule) {
            Ok(trace) => trace,
            Err(Unconfirmed::Limit(why)) => {
                let mut answer = self.answer(Word::Unknown, Some(outcome));
                answer.stopped = Some("not confirmed".into());
                answer.why = Some(format!("a violation was found, but {why}"));
                return Decided { answer, exit: Exit::Unknown, file: None, internal: None };
            }
            Err(why) => return self.internal(outcome, &why.to_string()),
        };
        trace.minimal = found.minimal;
        let mut answer = self.answer(Word::Fails, Some(outcome));
        if let Failure::Point(_) = found.failure {
            answer.why =
                Some("The points are to blame, not the object: without them no violation is found.".into());
        }
        if let (Expectation::FailsWith(wanted), Failure::Finding { finding, .. }) =
            (self.expect(), found.failure)
        {
            answer.as_expected = wanted == finding;
        }
        let exit = if answer.as_expected { Exit::Expected } else { Exit::Unexpected };
        let mut file =
            TraceFile::new(&self.source.path, self.source.model.source(), &schedule, trace.clone());
        file.object = self.task.object.clone();
        file.line = answer.line;
        file.property = self.asked.name.clone();
        file.failure = failure_word(found.failure).into();
        file.overrides = self.context.args.words();
        answer.trace = Some(trace);
        Decided { answer, exit, file: Some(file), internal: None }
    }

    /// A verdict that the replay does not confirm is never shown.
    fn internal(&self, outcome: &Outcome, why: &str) -> Decided {
        let mut answer = self.answer(Word::Unknown, Some(outcome));
        answer.stopped = Some("internal error".into());
        answer.why =
            Some("a violation was found that could not be confirmed; this is an error of trueline".into());
        let report = format!(
            "the counterexample to `{}` of {} was not confirmed: {why}\nplease report this with the model and the command line",
            self.asked.name, self.task.object
        );
        Decided { answer, exit: Exit::Internal, file: None, internal: Some(report) }
    }

    fn unknown(&self, outcome: &Outcome, why: &Why) -> Decided {
        let mut answer = self.answer(Word::Unknown, Some(outcome));
        match why {
            Why::Stopped(stop) => {
                answer.stopped = Some(self.stopped(*stop));
                answer.why = Some(self.covered(outcome));
                answer.advice = self.advice(*stop);
            }
            Why::Finding { finding, thread, schedule } => {
                if let Err(why) = self.confirm_finding(*finding, schedule) {
                    return self.internal(outcome, &why);
                }
                answer.stopped = Some("executions end early".into());
                answer.why = Some(format!(
                    "no violation in the executions that run through, but thread {} {} in others; see `safe`",
                    thread + 1,
                    finding.sentence()
                ));
            }
            Why::SpecificationFinding { op, finding } => {
                let name = match (&self.asked.question, op) {
                    (Question::Linearizable { spec }, Some(op)) => {
                        format!("`{}` of the specification `{}`", spec.ops[op.0 as usize].name, spec.name)
                    }
                    _ => "the specification".into(),
                };
                answer.stopped = Some("the specification goes wrong".into());
                answer.why = Some(format!("{name} {}", finding.sentence()));
            }
        }
        Decided { answer, exit: Exit::Unknown, file: None, internal: None }
    }

    fn confirm_finding(&self, finding: Finding, schedule: &Schedule) -> Result<(), String> {
        let claim = Claim::Finding(finding);
        let case = Case { machine: &self.task.machine, claim, source: self.replay_source() };
        confirm(&case, schedule).map(|_| ()).map_err(|e| e.to_string())
    }

    fn stopped(&self, stop: Stop) -> String {
        let (args, common) = (self.context.args, self.context.common);
        match stop {
            Stop::Time => format!(
                "stopped at --time {}",
                common.time.map_or(String::new(), |t| format!("{}s", t.as_secs_f64()))
            ),
            Stop::Memory => match common.memory {
                Some(bytes) => format!("stopped at --memory {}M", bytes >> 20),
                None => "stopped at three quarters of the memory available".into(),
            },
            Stop::States => match args.states {
                Some(n) => format!("stopped at --states {n}"),
                None => "not searched further".into(),
            },
            Stop::Interrupted => "interrupted".into(),
        }
    }

    fn covered(&self, outcome: &Outcome) -> String {
        let mut text = format!(
            "no violation in {} states (all executions up to {} steps)",
            trueline_report::number(outcome.states),
            trueline_report::number(outcome.depth)
        );
        if outcome.frontier > 0 {
            text += &format!("; {} states were not yet expanded", trueline_report::number(outcome.frontier));
        }
        if !outcome.growing.is_empty() {
            text += &format!("; still growing: {}", outcome.growing.join(", "));
        }
        text
    }

    fn advice(&self, stop: Stop) -> Vec<String> {
        let mut advice = Vec::new();
        match self.task.ops {
            Some(ops) if ops > 1 => advice.push(format!("--ops {}", ops - 1)),
            None if self.task.roles.is_empty() => advice.push("--ops 2 (the client calls for ever)".into()),
            _ => {}
        }
        if self.task.roles.is_empty() && self.task.machine.threads.len() > 2 {
            advice.push(format!("--threads {}", self.task.machine.threads.len() - 1));
        }
        match stop {
            Stop::Time => advice.push("a longer --time".into()),
            Stop::Memory => advice.push("more --memory".into()),
            Stop::States => advice.push("more --states".into()),
            Stop::Interrupted => {}
        }
        advice
    }

    fn claim(&self, failure: Failure) -> Claim<'_> {
        match (failure, &self.asked.question) {
            (Failure::Finding { finding, .. }, _) => Claim::Finding(finding),
            (Failure::NotLinearizable, Question::Linearizable { spec }) => Claim::NotLinearizable { spec },
            (Failure::Point(_), Question::Linearizable { spec }) => Claim::Points { spec },
            (Failure::Invariant, Question::Invariant { routine }) => {
                let text = self.asked.name.strip_prefix("invariant ").unwrap_or(&self.asked.name);
                Claim::Invariant { routine, text }
            }
            (Failure::NotRefined, Question::Refines { other }) => Claim::NotRefined { other },
            (Failure::Leak, _) => Claim::Leak,
            (failure, _) => unreachable!("{failure:?} is no failure of {}", self.asked.name),
        }
    }

    fn replay_source(&self) -> Source<'_> {
        Source { path: &self.source.path, text: self.source.model.source() }
    }

    fn expect(&self) -> Expectation {
        if self.context.args.no_expect { Expectation::Holds } else { self.asked.expect }
    }

    fn answer(&self, decision: Word, outcome: Option<&Outcome>) -> Answer {
        let task = self.task;
        let text = self.source.model.source();
        let (expected, as_expected) = match self.expect() {
            Expectation::Holds => ("holds".to_string(), decision == Word::Holds),
            Expectation::Fails => ("fails".to_string(), decision == Word::Fails),
            Expectation::FailsWith(f) => (format!("fails({})", f.word()), decision == Word::Fails),
        };
        let never = |o: &Outcome| crate::coverage::never_exercised(&task.machine.object, text, &o.coverage);
        let scope = Scope {
            threads: task.machine.threads.len() as u32,
            ops: task.ops,
            values: task.values.clone(),
            roles: task.roles.clone(),
            memory_model: "sc".into(),
            engine: "naive".into(),
            reductions: vec!["heap".into()],
            storage: "exact".into(),
            states: outcome.map_or(0, |o| o.states),
            transitions: outcome.map_or(0, |o| o.transitions),
            depth: outcome.map_or(0, |o| o.depth),
            complete: decision == Word::Holds,
            never_exercised: if decision == Word::Holds {
                outcome.map(never).unwrap_or_default()
            } else {
                Vec::new()
            },
            assumes: task.assumes && outcome.is_some_and(|o| o.assumed),
        };
        Answer {
            file: self.source.path.clone(),
            line: self.asked.span.line_column(text).0,
            object: task.title(),
            property: self.asked.name.clone(),
            decision,
            expected,
            as_expected,
            scope,
            seconds: 0.0,
            cpu_seconds: 0.0,
            peak_bytes: outcome.map_or(0, |o| o.bytes),
            why: None,
            stopped: None,
            advice: Vec::new(),
            trace: None,
            trace_path: None,
        }
    }
}

/// The kind of a failure, as trace files say it.
pub fn failure_word(failure: Failure) -> &'static str {
    match failure {
        Failure::NotLinearizable => "not_linearizable",
        Failure::Finding { finding, .. } => finding.word(),
        Failure::Invariant => "invariant",
        Failure::Leak => "leak",
        Failure::NotRefined => "not_refined",
        Failure::Point(_) => "points",
    }
}
