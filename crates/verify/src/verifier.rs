//! The properties of one check, decided in the order of the file.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use trueline_base::verdict::{Answer, Decision as Word, Finding, Warning};
use trueline_base::words::plural;
use trueline_base::{Limits, Meter, Observer, Stop, Violation};
use trueline_check::fast::Reductions;
use trueline_check::{Counterexample, DeadEnds, Decision, Outcome, Why};
use trueline_lang::compile::{Asked, Expectation, Task};
use trueline_lang::ir::Schedule;
use trueline_lang::question::Question;
use trueline_replay::{Apart, Case, Source, TraceFile, Unconfirmed, alter, confirm_within};

use crate::answer;
use crate::engine::{Engine, search};

/// After a property has failed, the implied `safe` is searched only so many times as far: the object may be unbounded
/// and the user has an answer to work on.
const AFTER_A_FAILURE: u64 = 4;

/// What a confirmation may take in any case.
const MOMENT: Duration = Duration::from_millis(750);

/// What to do about an internal error.
const PLEASE: &str = "please report this with the model and the command line";

/// How to decide.
#[derive(Clone, Debug)]
pub struct Options {
    /// Who searches.
    pub engine: Engine,
    /// Which reductions the fast engine may use; none leaves the choice to it.
    pub reductions: Option<Reductions>,
    /// Whether linearization points are believed where a model has them.
    pub points: bool,
    /// Whether what the file expects counts; otherwise everything is to hold.
    pub expectations: bool,
    /// What ends a search.
    pub limits: Limits,
    /// Makes the move of this number impossible before a failure is confirmed, for tests of confirmation.
    pub alter: Option<usize>,
}

impl Default for Options {
    fn default() -> Options {
        let (engine, limits) = (Engine::default(), Limits::default());
        Options { engine, reductions: None, points: true, expectations: true, limits, alter: None }
    }
}

/// An answer with what is needed to act on it.
#[derive(Clone, Debug)]
pub struct Decided {
    /// The answer.
    pub answer: Answer,
    /// What kind of answer it is.
    pub standing: Standing,
    /// The confirmed failure; what the command line had changed is for the caller to add.
    pub file: Option<TraceFile>,
}

/// What kind of answer an answer is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is decided.
    Decided,
    /// It is not known.
    Unknown,
    /// A limit ended the search.
    Stopped(Stop),
    /// The property is not built yet.
    Unavailable,
    /// The program itself is wrong; what to report.
    Internal(String),
}

/// Decides the properties of one check. What one search has shown is used by the next.
pub struct Verifier<'a> {
    /// The check.
    pub(crate) task: &'a Task,
    /// The model.
    pub(crate) source: Source<'a>,
    /// How to decide.
    pub(crate) options: &'a Options,
    /// What is left of the time for all properties.
    left: Option<Duration>,
    /// A search that has seen every state.
    complete: Option<Outcome>,
    /// States that a failure took.
    failed: Option<u64>,
    held: bool,
    /// When the property at hand was begun.
    start: Instant,
}

impl<'a> Verifier<'a> {
    /// Nothing is decided yet.
    pub fn new(task: &'a Task, source: Source<'a>, options: &'a Options) -> Verifier<'a> {
        Verifier {
            task,
            source,
            options,
            left: None,
            complete: None,
            failed: None,
            held: false,
            start: Instant::now(),
        }
    }

    /// Gives what is decided next at most this time, instead of that of the options.
    pub fn within(&mut self, time: Option<Duration>) {
        self.left = time;
    }

    /// All properties of the check, in the order of the file.
    pub fn decide_all(&mut self, observer: &mut dyn Observer) -> Vec<Decided> {
        let task = self.task;
        task.asked.iter().filter_map(|asked| self.decide(asked, observer)).collect()
    }

    /// Decides a property of the check. None where it was only implied and says nothing new.
    pub fn decide(&mut self, asked: &Asked, observer: &mut dyn Observer) -> Option<Decided> {
        self.start = Instant::now();
        let outcome = match (&asked.question, &self.complete) {
            // A search that found no violation and no finding has seen every state: the object is safe.
            (Question::Safe, Some(outcome)) => outcome.clone(),
            _ => self.search(asked, observer),
        };
        let mut decided = self.judge(asked, &outcome);
        if decided.answer.decision != Word::Fails
            && let Some(schedule) = &outcome.dead_ends.shortest
        {
            self.warn(&mut decided, &outcome.dead_ends, schedule);
        }
        decided.answer.seconds = self.start.elapsed().as_secs_f64();
        let failed_before = self.failed.is_some();
        match outcome.decision {
            Decision::Holds => self.complete = Some(outcome),
            Decision::Fails(_) => self.failed = Some(outcome.states),
            Decision::Unknown(_) => {}
        }
        let news = match decided.answer.decision {
            Word::Holds => !self.held,
            Word::Fails => true,
            Word::Unknown => !failed_before,
        };
        self.held |= decided.answer.decision == Word::Holds;
        (news || !asked.implied).then_some(decided)
    }

    fn search(&self, asked: &Asked, observer: &mut dyn Observer) -> Outcome {
        let mut limits = self.options.limits.clone();
        limits.time = self.left.or(limits.time);
        if let Some(states) = self.failed.filter(|_| asked.implied) {
            let bound = states.saturating_mul(AFTER_A_FAILURE).max(10_000);
            limits.states = Some(limits.states.map_or(bound, |s| s.min(bound)));
        }
        let (machine, engine) = (&self.task.machine, self.options.engine);
        let reductions = self.options.reductions.unwrap_or(Reductions::AUTO);
        match self.options.points {
            true => search(machine, &asked.question, engine, reductions, &limits, observer),
            false => {
                let question = asked.question.without_points();
                search(machine, &question, engine, reductions, &limits, observer)
            }
        }
    }

    fn judge(&self, asked: &Asked, outcome: &Outcome) -> Decided {
        match &outcome.decision {
            Decision::Holds => {
                let answer = answer::new(self, asked, Word::Holds, outcome);
                Decided { answer, standing: Standing::Decided, file: None }
            }
            Decision::Fails(found) => self.fails(asked, outcome, found),
            Decision::Unknown(why) => self.unknown(asked, outcome, why),
        }
    }

    fn fails(&self, asked: &Asked, outcome: &Outcome, found: &Counterexample) -> Decided {
        let mut evidence = found.evidence.clone();
        if let Some(step) = self.options.alter {
            alter(&mut evidence.prefix, step);
        }
        let case = self.case(&asked.question, found.violation);
        let mut trace = match confirm_within(&case, &evidence, &self.meter()) {
            Ok(trace) => trace,
            Err(Unconfirmed::Limit(why)) => return self.unconfirmed(asked, outcome, &why),
            Err(why) => return self.internal(asked, outcome, &why.to_string()),
        };
        trace.minimal = found.minimal;
        trace.smaller = found.cut.map(answer::smaller);
        if let (Question::Equivalent { other, .. }, Some(difference)) = (&asked.question, &outcome.difference)
        {
            let told = Apart {
                other,
                schedule: &difference.other,
                formula: &difference.formula,
                holds_here: difference.holds_here,
                moves_here: difference.moves_here,
                threat: difference.threat.as_deref(),
            };
            if let Err(why) = told.explain(&case, &mut trace) {
                return self.internal(asked, outcome, &why);
            }
        }
        let mut answer = answer::new(self, asked, Word::Fails, outcome);
        if let Violation::Point(_) = found.violation {
            answer.why =
                Some("The points are to blame, not the object: without them no violation is found.".into());
        }
        if let (Expectation::FailsWith(wanted), Violation::Finding { finding, .. }) =
            (self.expected(asked), found.violation)
        {
            answer.as_expected = wanted == finding;
        }
        let mut file = TraceFile::new(&case, &evidence, trace.clone());
        file.object = self.task.object.clone();
        file.line = answer.line;
        file.property = asked.name.clone();
        answer.trace = Some(trace);
        Decided { answer, standing: Standing::Decided, file: Some(file) }
    }

    /// What limits did not let the replay confirm is not known.
    fn unconfirmed(&self, asked: &Asked, outcome: &Outcome, why: &str) -> Decided {
        let mut answer = answer::new(self, asked, Word::Unknown, outcome);
        answer.stopped = Some("not confirmed".into());
        answer.why = Some(format!("a violation was found, but {why}"));
        Decided { answer, standing: Standing::Unknown, file: None }
    }

    /// For the confirmation: what is left of the time, and at least a moment, also after the search was stopped. What
    /// was found should not be lost to a limit that was reached just then.
    fn meter(&self) -> Meter {
        let limits = &self.options.limits;
        let cancelled = limits.cancel.as_ref().is_some_and(|c| c.load(Ordering::Relaxed));
        let left = limits.time.map(|time| time.saturating_sub(self.start.elapsed()).max(MOMENT));
        Meter::start(Limits {
            time: if cancelled { Some(MOMENT) } else { left },
            memory: limits.memory,
            resident: limits.resident,
            cancel: limits.cancel.clone().filter(|_| !cancelled),
            ..Limits::default()
        })
    }

    /// A verdict that the replay does not confirm is never shown.
    fn internal(&self, asked: &Asked, outcome: &Outcome, why: &str) -> Decided {
        let mut answer = answer::new(self, asked, Word::Unknown, outcome);
        answer.stopped = Some("internal error".into());
        answer.why =
            Some("a violation was found that could not be confirmed; this is an error of trueline".into());
        let report = format!(
            "the counterexample to `{}` of {} was not confirmed: {why}\n{PLEASE}",
            asked.name, self.task.object
        );
        Decided { answer, standing: Standing::Internal(report), file: None }
    }

    fn unknown(&self, asked: &Asked, outcome: &Outcome, why: &Why) -> Decided {
        if let Why::Finding { finding, thread, schedule } = why
            && let Err(why) = self.confirm_finding(*thread, *finding, schedule)
        {
            return match why {
                Unconfirmed::Limit(why) => self.unconfirmed(asked, outcome, &why),
                why => self.internal(asked, outcome, &why.to_string()),
            };
        }
        let mut answer = answer::new(self, asked, Word::Unknown, outcome);
        let (stopped, told) = answer::unknown(asked, outcome, why);
        (answer.stopped, answer.why) = (Some(stopped), Some(told));
        let standing = match why {
            Why::Stopped(stop) => Standing::Stopped(*stop),
            Why::Unavailable => Standing::Unavailable,
            Why::Finding { .. } | Why::SpecificationFinding { .. } => Standing::Unknown,
            Why::ClientEnds | Why::Unexplained | Why::Refused(_) => Standing::Unknown,
        };
        Decided { answer, standing, file: None }
    }

    /// Executions that end although somebody has something to do, with a short one that does.
    fn warn(&self, decided: &mut Decided, dead_ends: &DeadEnds, schedule: &Schedule) {
        let case = self.case(&Question::Safe, Violation::Deadlock);
        let mut trace = match confirm_within(&case, &schedule.clone().into(), &self.meter()) {
            Ok(trace) => trace,
            Err(Unconfirmed::Limit(_)) => return,
            Err(why) => {
                let report = format!("a dead end was not confirmed: {why}\n{PLEASE}");
                decided.standing = Standing::Internal(report);
                return;
            }
        };
        // Nothing is wrong: the sentence says all.
        trace.reasons = None;
        let states = plural(dead_ends.states, "state is a dead end", "states are dead ends");
        let text = format!("{states}. {}", trace.summary);
        decided.answer.warnings.push(Warning { text, trace: Some(trace) });
    }

    fn confirm_finding(&self, thread: u8, finding: Finding, schedule: &Schedule) -> Result<(), Unconfirmed> {
        let case = self.case(&Question::Safe, Violation::Finding { thread, finding });
        confirm_within(&case, &schedule.clone().into(), &self.meter()).map(|_| ())
    }

    fn case<'c>(&'c self, question: &'c Question, violation: Violation) -> Case<'c> {
        Case { machine: &self.task.machine, question, violation, source: self.source }
    }

    pub(crate) fn expected(&self, asked: &Asked) -> Expectation {
        if self.options.expectations { asked.expect } else { Expectation::Holds }
    }
}
