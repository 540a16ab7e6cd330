//! Whether an execution shows that something does not complete: the definitions of progress, on the execution itself.

use crate::confirm::{Case, Unconfirmed};
use crate::history::History;
use crate::linearize::allowed;
use crate::run::Run;
use trueline_base::Violation;
use trueline_lang::interp::{Executed, ObservableEvent, Phase, State, moves};
use trueline_lang::ir::{Machine, Module, OpId};
use trueline_lang::question::Progress;

/// Whether a thread is inside an operation.
pub fn inside(state: &State, thread: u8) -> bool {
    state.threads[thread as usize].phase != Phase::Idle
}

/// Where a thread waits inside its operation, if it does.
pub fn blocked(machine: &Machine, state: &State, thread: u8) -> Option<Executed> {
    let moves = moves(machine, state, thread);
    (inside(state, thread) && moves.blocked()).then(|| moves.waits.into_iter().next()).flatten()
}

/// The operation that a thread is in at the end of an execution, or before a move.
fn operation(history: &History, thread: u8, index: usize) -> Option<OpId> {
    history.at(thread, index).map(|operation| operation.op)
}

/// Checks the claim of the violation; says in a sentence what is wrong with it.
pub fn verify(
    case: &Case<'_>,
    progress: Progress,
    spec: Option<&Module>,
    run: &Run,
    end: &State,
    history: &History,
) -> Result<(), Unconfirmed> {
    let refuted = |text: &str| Err(Unconfirmed::Refuted(text.into()));
    let machine = case.machine;
    let only = match progress {
        Progress::WaitFree(only) => only,
        _ => None,
    };
    let asked = |thread: u8| only.is_none_or(|op| operation(history, thread, run.taken.len()) == Some(op));
    if history.operations.len() > 64 && spec.is_some() {
        return Err(Unconfirmed::Limit("the history has more than 64 operations".into()));
    }
    match (case.violation, run.cycle) {
        (Violation::Blocked { thread }, None) if !progress.fair() => {
            match blocked(machine, end, thread).is_some() && asked(thread) {
                true => Ok(()),
                false => refuted("the thread does not wait at the end"),
            }
        }
        (Violation::Stuck { thread }, None) if progress.fair() => {
            let threads = 0..machine.threads.len() as u8;
            let mut insiders = threads.filter(|t| inside(end, *t));
            if !insiders.all(|t| blocked(machine, end, t).is_some()) {
                refuted("somebody inside an operation can go on")
            } else if !inside(end, thread) {
                refuted("the thread is not inside an operation")
            } else if excused(machine, spec, run, run.taken.len(), thread) {
                refuted("the thread has to wait by the specification")
            } else {
                Ok(())
            }
        }
        (Violation::Forever { thread }, Some(from)) => {
            goes_on(case, progress, spec, run, from, thread, asked(thread))
        }
        _ => refuted("the execution does not end as it should"),
    }
}

fn goes_on(
    case: &Case<'_>,
    progress: Progress,
    spec: Option<&Module>,
    run: &Run,
    from: usize,
    thread: u8,
    asked: bool,
) -> Result<(), Unconfirmed> {
    let refuted = |text: &str| Err(Unconfirmed::Refuted(text.into()));
    let cycle = &run.taken[from..];
    let returns = |t: u8| {
        cycle
            .iter()
            .any(|taken| taken.thread == t && matches!(taken.way.event, ObservableEvent::Return { .. }))
    };
    let moves = |t: u8| cycle.iter().any(|taken| taken.thread == t);
    let threads = || 0..case.machine.threads.len() as u8;
    let stays = cycle.iter().all(|taken| inside(&taken.before, thread)) && !returns(thread);
    let anybody = threads().any(returns);
    let fair = || {
        threads().all(|t| {
            let free = |state: &State| !inside(state, t) || blocked(case.machine, state, t).is_some();
            moves(t) || cycle.iter().any(|taken| free(&taken.before))
        })
    };
    let due = || (from..run.taken.len()).any(|at| !excused(case.machine, spec, run, at, thread));
    if !stays {
        return refuted("the thread is not inside one operation all the time");
    }
    match progress {
        Progress::LockFree if anybody => refuted("an operation completes"),
        Progress::LockFree => Ok(()),
        Progress::ObstructionFree if threads().any(|t| t != thread && moves(t)) => {
            refuted("the thread does not run alone")
        }
        Progress::ObstructionFree => Ok(()),
        Progress::WaitFree(_) if !asked => refuted("the thread is in another operation"),
        Progress::WaitFree(_) if !moves(thread) => refuted("the thread makes no step"),
        Progress::WaitFree(_) => Ok(()),
        Progress::DeadlockFree if anybody => refuted("an operation completes"),
        Progress::DeadlockFree | Progress::StarvationFree if !fair() => {
            refuted("no fair scheduler goes on so")
        }
        Progress::DeadlockFree | Progress::StarvationFree if !due() => {
            refuted("the thread has to wait by the specification")
        }
        Progress::DeadlockFree | Progress::StarvationFree => Ok(()),
    }
}

/// Whether the operation of a thread can take effect in no order that explains what has happened before a move.
fn excused(machine: &Machine, spec: Option<&Module>, run: &Run, before: usize, thread: u8) -> bool {
    let Some(spec) = spec else { return false };
    let part = Run { start: run.start.clone(), taken: run.taken[..before].to_vec(), cycle: None };
    let history = History::of(machine, &part);
    let pending = history.operations.iter().rposition(|o| o.thread == thread && o.returned.is_none());
    pending.is_some_and(|index| allowed(&history, spec, index).is_empty())
}
