//! Confirmation: a schedule and a violation become a story, or nothing.

use crate::history::History;
use crate::points::Fault;
use crate::refine::{Following, follow};
use crate::run::{Run, Unfit, execute_evidence};
use crate::story::{self, Ending};
use crate::{leak, linearize, points, progress, reasons, summary};
use trueline_base::trace::{Reasons, Trace};
use trueline_base::{Limits, Meter, Stop, Violation, Watch};
use trueline_lang::interp::{dead_end, eval_invariant};
use trueline_lang::ir::{Action, Evidence, Machine, Schedule};
use trueline_lang::question::Question;

/// The text of a model, for the lines of the story.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Its file, as the user named it.
    pub path: &'a str,
    /// Its text, into which the spans of the machine point.
    pub text: &'a str,
}

/// What is to be confirmed.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The object under its client.
    pub machine: &'a Machine,
    /// What was asked.
    pub question: &'a Question,
    /// What an execution is said to show.
    pub violation: Violation,
    /// Where the machine came from.
    pub source: Source<'a>,
}

/// Why a counterexample is not confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unconfirmed {
    /// The schedule is no execution of the machine.
    Unfit(String),
    /// It is one, but it does not show what is claimed.
    Refuted(String),
    /// The search for it was given up.
    Limit(String),
}

impl std::fmt::Display for Unconfirmed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (Unconfirmed::Unfit(text) | Unconfirmed::Refuted(text) | Unconfirmed::Limit(text)) = self;
        f.write_str(text)
    }
}

impl From<Stop> for Unconfirmed {
    fn from(stop: Stop) -> Unconfirmed {
        Unconfirmed::Limit(format!("{stop} before it could be confirmed"))
    }
}

impl From<Unfit> for Unconfirmed {
    fn from(unfit: Unfit) -> Unconfirmed {
        Unconfirmed::Unfit(unfit.to_string())
    }
}

/// Decides without limits: see [`confirm_within`].
pub fn confirm(case: &Case<'_>, schedule: &Schedule) -> Result<Trace, Unconfirmed> {
    confirm_within(case, &schedule.clone().into(), &Meter::start(Limits::default()))
}

/// Executes what is shown, decides whether it violates what was asked, and tells the story. Whether it is minimal is for
/// the caller to say.
pub fn confirm_within(case: &Case<'_>, evidence: &Evidence, meter: &Meter) -> Result<Trace, Unconfirmed> {
    let run = execute_evidence(case.machine, evidence)?;
    if run.cycle.is_some() && !matches!(case.question, Question::Progress { .. }) {
        // Whatever else can be asked is decided by an execution that ends.
        return Err(Unconfirmed::Unfit("an execution without end does not answer what was asked".into()));
    }
    let history = History::of(case.machine, &run);
    let (ending, summary, reasons) = judge(case, &run, &history, meter)?;
    Ok(story::tell(case, &run, &history, ending, summary, reasons))
}

type Judgement = (Ending, String, Option<Reasons>);

fn judge(case: &Case<'_>, run: &Run, history: &History, meter: &Meter) -> Result<Judgement, Unconfirmed> {
    let mut watch = Watch::new(meter);
    let refuted = |text: &str| Unconfirmed::Refuted(text.into());
    if let (Question::Safe, Violation::Finding { thread, finding }) = (case.question, case.violation) {
        return match run.end() {
            Err(found) if found == finding && run.taken.last().is_none_or(|last| last.thread == thread) => {
                let ending = Ending::Fault(found.sentence().into());
                Ok((ending, summary::finding(case, run, history, found), None))
            }
            Err(found) => Err(Unconfirmed::Refuted(format!(
                "the execution ends in the finding `{}`, not `{}` of thread {}",
                found.word(),
                finding.word(),
                u32::from(thread) + 1
            ))),
            Ok(_) => Err(refuted("the execution ends without a finding")),
        };
    }
    let end = run.end().map_err(|found| {
        Unconfirmed::Refuted(format!("the execution ends in the finding `{}`", found.word()))
    })?;
    match (case.question, case.violation) {
        (_, Violation::Deadlock) => match dead_end(case.machine, end).as_slice() {
            [] => Err(refuted("somebody can go on, or nobody waits")),
            waiting => {
                let waits = summary::Waits::of(case, run, history, waiting);
                Ok((Ending::Plain, waits.sentence(), Some(waits.reasons())))
            }
        },
        (Question::Equivalent { other, by }, Violation::NotEquivalent) => {
            // That this is an execution is all that can be confirmed here; what the other object cannot do is a matter
            // of whole transition systems.
            let summary = format!(
                "{} and {} are not equivalent ({}): after these steps one of them can do what the other cannot.",
                case.machine.object.name,
                other.object.name,
                by.name()
            );
            Ok((Ending::Plain, summary, None))
        }
        (Question::Progress { progress, spec }, _) => {
            progress::verify(case, *progress, spec.as_deref(), run, end, history)?;
            let (summary, reasons) = summary::progress(case, *progress, run, end, history);
            Ok((Ending::Plain, summary, Some(reasons)))
        }
        (Question::Linearizable { spec, .. }, Violation::NotLinearizable) => {
            if history.operations.len() > 64 {
                return Err(Unconfirmed::Limit("the history has more than 64 operations".into()));
            }
            if linearize::linearization_within(history, spec, meter)?.is_some() {
                return Err(refuted("the history is linearizable"));
            }
            let refutations = reasons::refutations(history, spec, &mut watch);
            watch.result()?;
            let summary = summary::not_linearizable(case.machine, history, spec, &refutations);
            let reasons = reasons::explain(case.machine, history, spec, &refutations);
            Ok((Ending::Plain, summary, Some(reasons)))
        }
        (Question::Invariant { routine, text }, Violation::Invariant) => {
            match eval_invariant(case.machine, routine, end) {
                Ok(true) => Err(refuted("the invariant holds at the end")),
                Ok(false) => {
                    let ending = Ending::Fault(format!("`{text}` is false now"));
                    Ok((ending, summary::invariant(run, history, text), None))
                }
                Err(finding) => {
                    let fault = format!("`{text}` {}", finding.sentence());
                    Ok((Ending::Fault(fault.clone()), format!("The invariant {fault}."), None))
                }
            }
        }
        (Question::LeakFree, Violation::Leak) => match leak::leaked(case.machine, end).first() {
            None => Err(refuted("every struct can be reached or was freed")),
            Some(address) => {
                let name = format!("n{}", address + 1);
                let ending = Ending::Fault(format!("nobody can reach {name} any more"));
                Ok((ending, summary::leak(run, history, &name), None))
            }
        },
        (Question::Refines { other }, Violation::NotRefined) => {
            match follow(case.machine, run, other, &mut watch) {
                Following::Throughout => {
                    Err(Unconfirmed::Refuted(format!("{} has the same calls and returns", other.object.name)))
                }
                Following::Unknown if watch.stopped().is_some() => Err(watch.result().unwrap_err().into()),
                Following::Unknown => {
                    Err(Unconfirmed::Limit(format!("{} has too many states to follow", other.object.name)))
                }
                Following::Until(at, instead) => {
                    let summary = summary::not_refined(history, at, &other.object.name, &instead);
                    let reasons = reasons::not_refined(history, at, &other.object.name, &instead);
                    Ok((Ending::Plain, summary, Some(reasons)))
                }
            }
        }
        (Question::Linearizable { spec, .. }, Violation::Point(claimed)) => {
            match points::fault(case.machine, spec, run, &mut watch) {
                _ if watch.stopped().is_some() => Err(watch.result().unwrap_err().into()),
                None => Err(refuted("the linearization points fit the specification")),
                Some((at, fault)) if fault.kind() != claimed => {
                    let told = summary::points(case, run, history, at, &fault);
                    Err(Unconfirmed::Refuted(format!("another fault of the points comes first: {told}")))
                }
                Some((at, fault)) => {
                    let told = summary::points(case, run, history, at, &fault);
                    let ending = match fault {
                        Fault::Twice { .. } => "passes a second linearization point",
                        Fault::Missing => "has passed no linearization point",
                        Fault::Waits => "the specification cannot perform it here",
                        Fault::Result { .. } => "the specification gave another result at its point",
                    };
                    Ok((Ending::Fault(ending.into()), told, None))
                }
            }
        }
        (_, violation) => Err(Unconfirmed::Unfit(format!(
            "an execution that {} does not answer what was asked",
            violation.sentence()
        ))),
    }
}

/// Makes one move of a schedule impossible, for tests of confirmation: what a thread may do next
/// (call, step or return) is determined, so that another kind of move fits no execution.
pub fn alter(schedule: &mut Schedule, step: usize) {
    if let Some(altered) = schedule.moves.get_mut(step) {
        altered.action = match altered.action {
            Action::Return => Action::Step(Vec::new()),
            Action::Call(_) | Action::Step(_) => Action::Return,
        };
    }
}
