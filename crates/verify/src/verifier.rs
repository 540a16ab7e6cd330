//! The properties of one check, decided in the order of the file.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use trueline_base::answer::{Answer, Cause, Doubt, Failure, Warning};
use trueline_base::verdict::Finding;
use trueline_base::words::plural;
use trueline_base::{Limits, Meter, Observer, Verdict, Violation};
use trueline_check::fast::Reductions;
use trueline_check::{Counterexample, DeadEnds, Outcome, Why};
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
    /// A confirmed failure as a file; what the command line had changed is for the caller to add.
    pub file: Option<TraceFile>,
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
        if !decided.answer.verdict.fails()
            && let Some(schedule) = &outcome.dead_ends.shortest
        {
            self.warn(&mut decided, &outcome.dead_ends, schedule);
        }
        decided.answer.seconds = self.start.elapsed().as_secs_f64();
        let failed_before = self.failed.is_some();
        match outcome.verdict {
            Verdict::Holds(()) => self.complete = Some(outcome),
            Verdict::Fails(_) => self.failed = Some(outcome.states),
            Verdict::Unknown(_) => {}
        }
        let news = match decided.answer.verdict {
            Verdict::Holds(_) => !self.held,
            Verdict::Fails(_) => true,
            Verdict::Unknown(_) => !failed_before,
        };
        self.held |= decided.answer.verdict.holds();
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
        match &outcome.verdict {
            Verdict::Holds(()) => {
                let verdict = Verdict::Holds(answer::covered(self, outcome));
                Decided { answer: answer::new(self, asked, verdict, outcome), file: None }
            }
            Verdict::Fails(found) => self.fails(asked, outcome, found),
            Verdict::Unknown(why) => {
                let doubt = self.unknown(asked, outcome, why);
                Decided { answer: answer::new(self, asked, Verdict::Unknown(doubt), outcome), file: None }
            }
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
            Err(why) => return self.not_confirmed(asked, outcome, &why),
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
                return self.not_confirmed(asked, outcome, &Unconfirmed::Refuted(why));
            }
        }
        let blame = match found.violation {
            Violation::Point(_) => {
                Some("The points are to blame, not the object: without them no violation is found.".into())
            }
            _ => None,
        };
        let mut file = TraceFile::new(&case, &evidence, trace.clone());
        let failure = Failure { trace, blame, trace_path: None };
        let mut answer = answer::new(self, asked, Verdict::Fails(failure), outcome);
        if let (Expectation::FailsWith(wanted), Violation::Finding { finding, .. }) =
            (self.expected(asked), found.violation)
        {
            answer.as_expected = wanted == finding;
        }
        file.object = self.task.object.clone();
        file.line = answer.line;
        file.property = asked.name.clone();
        Decided { answer, file: Some(file) }
    }

    fn not_confirmed(&self, asked: &Asked, outcome: &Outcome, why: &Unconfirmed) -> Decided {
        let verdict = Verdict::Unknown(self.unconfirmed(asked, why));
        Decided { answer: answer::new(self, asked, verdict, outcome), file: None }
    }

    /// What limits did not let the replay confirm is not known; what it refutes is an error of the program, and never
    /// shown as a verdict.
    fn unconfirmed(&self, asked: &Asked, why: &Unconfirmed) -> Doubt {
        match why {
            Unconfirmed::Limit(why) => Doubt {
                cause: Cause::Question,
                stopped: "not confirmed".into(),
                why: format!("a violation was found, but {why}"),
                advice: Vec::new(),
            },
            why => internal(
                "a violation was found that could not be confirmed",
                &format!(
                    "the counterexample to `{}` of {} was not confirmed: {why}",
                    asked.name, self.task.object
                ),
            ),
        }
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

    fn unknown(&self, asked: &Asked, outcome: &Outcome, why: &Why) -> Doubt {
        if let Why::Finding { finding, thread, schedule } = why
            && let Err(why) = self.confirm_finding(*thread, *finding, schedule)
        {
            return self.unconfirmed(asked, &why);
        }
        answer::unknown(asked, outcome, why)
    }

    /// Executions that end although somebody has something to do, with a short one that does.
    fn warn(&self, decided: &mut Decided, dead_ends: &DeadEnds, schedule: &Schedule) {
        let case = self.case(&Question::Safe, Violation::Deadlock);
        let mut trace = match confirm_within(&case, &schedule.clone().into(), &self.meter()) {
            Ok(trace) => trace,
            Err(Unconfirmed::Limit(_)) => return,
            Err(why) => {
                // A search that reports what does not happen is not to be believed otherwise.
                let report = format!("a dead end was not confirmed: {why}");
                decided.answer.verdict =
                    Verdict::Unknown(internal("a dead end was found that could not be confirmed", &report));
                decided.answer.as_expected = false;
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

/// The program itself is wrong.
fn internal(what: &str, report: &str) -> Doubt {
    Doubt {
        cause: Cause::Internal(format!("{report}\n{PLEASE}")),
        stopped: "internal error".into(),
        why: format!("{what}; this is an error of trueline"),
        advice: Vec::new(),
    }
}
