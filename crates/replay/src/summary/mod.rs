//! The one sentence: what a programmer would see go wrong.

mod pattern;
mod progress;
mod waits;

pub use pattern::not_linearizable;
pub use progress::progress;
pub use waits::Waits;

use crate::confirm::Case;
use crate::history::History;
use crate::points::Fault;
use crate::reasons::{by, listing, returned_at, show_results};
use crate::run::Run;
use crate::story::statement;
use trueline_base::verdict::Finding;

/// The sentence about a finding.
pub fn finding(case: &Case<'_>, run: &Run, history: &History, found: Finding) -> String {
    let Some(last) = run.taken.last() else {
        return format!("The initialisation of {} {}.", case.machine.object.name, found.sentence());
    };
    let who = operation_at(history, last.thread, run.taken.len() - 1);
    let place = last.way.executed.last().map(|e| statement(case.source.text, e.span));
    match place {
        Some((line, text)) => format!("{who} {}: line {line}, `{text}`.", found.sentence()),
        None => format!("{who} {}.", found.sentence()),
    }
}

fn operation_at(history: &History, thread: u8, index: usize) -> String {
    history.at(thread, index).map_or_else(|| format!("thread {}", thread + 1), by)
}

fn last_operation(run: &Run, history: &History) -> Option<String> {
    let last = run.taken.last()?;
    Some(operation_at(history, last.thread, run.taken.len() - 1))
}

/// The sentence about an invariant.
pub fn invariant(run: &Run, history: &History, text: &str) -> String {
    match last_operation(run, history) {
        Some(who) => format!("{who} makes the invariant `{text}` false."),
        None => format!("The invariant `{text}` is false at the beginning."),
    }
}

/// The sentence about a leak.
pub fn leak(run: &Run, history: &History, name: &str) -> String {
    match last_operation(run, history) {
        Some(who) => {
            format!("{name} is lost: after this step of {who} nobody can reach it, and nobody freed it.")
        }
        None => format!("{name} is lost at the beginning: nobody can reach it, and nobody freed it."),
    }
}

/// The sentence about a trace that another object does not have.
pub fn not_refined(history: &History, at: usize, other: &str, instead: &[String]) -> String {
    let Some(operation) = history.operations.iter().find(|o| o.called == at || returned_at(o, at)) else {
        return format!("{other} does not do the same.");
    };
    let who = by(operation);
    match (operation.called == at, instead.is_empty()) {
        (true, _) => format!("{who} is called, which {other} does not offer here."),
        (false, true) => format!("{who} returns {}; in {other} it cannot return here.", operation.result),
        (false, false) => format!(
            "{who} returns {}; after the same calls and returns {other} can only return {}.",
            operation.result,
            listing(instead.to_vec(), "or")
        ),
    }
}

/// The sentence about linearization points.
pub fn points(case: &Case<'_>, run: &Run, history: &History, at: usize, fault: &Fault) -> String {
    let taken = &run.taken[at];
    let operation = history.at(taken.thread, at);
    let who = operation_at(history, taken.thread, at);
    let line = |index: usize| {
        let first = run.taken[index].way.executed.first();
        first.map_or(0, |e| statement(case.source.text, e.span).0)
    };
    match fault {
        Fault::Twice { first } => {
            format!("{who} passes two linearization points, in lines {} and {}.", line(*first), line(at))
        }
        Fault::Missing => format!("{who} returns without having passed a linearization point."),
        Fault::Waits => {
            format!("{who} passes its linearization point in line {} while it would have to wait.", line(at))
        }
        Fault::Result { point, given } => {
            let result = operation.map_or("", |o| &o.result);
            let given = operation.map_or(String::new(), |o| show_results(case.machine, o, given));
            match point {
                Some(point) => format!(
                    "{who} returns {result}, but at its linearization point (line {}, step {}) \
                     the specification returns {given}.",
                    line(*point),
                    point + 1
                ),
                None => format!("{who} returns {result}, but the specification can only return {given}."),
            }
        }
    }
}
