//! Near-linear monitors for objects whose values tell which operations belong together.
//!
//! A monitor takes over only when the history is unambiguous; otherwise it says so and the search decides.
//! A failure comes with a core of operations that already cannot be explained; it is minimised and confirmed
//! by search before anybody sees it.
//!
//! Points in time are the gaps between neighbouring events: gap g lies after position g, an operation covers
//! the gaps from its call up to its return.

mod bag;
mod counter;
mod gaps;
mod multiset;
mod priority;
mod queue;
mod register;
mod set;
mod stack;
mod values;

use trueline_base::{Meter, Stop};

use crate::search::Span;
use crate::spec::{Discipline, Monitored};
use crate::verdict::Engine;

/// What a monitor answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Some order explains the history.
    Holds,
    /// None does, and these operations (as indices) show it.
    Fails(Vec<usize>),
    /// The history is ambiguous for this monitor.
    Unsuited,
}

/// Runs the monitor for these operations.
pub fn run(monitored: &Monitored, spans: &[Span], meter: &Meter) -> Result<(Engine, Outcome), Stop> {
    meter.check(spans.len() as u64 * 64, 0)?;
    Ok(match monitored {
        Monitored::Register(initial, ops) => (Engine::RegisterMonitor, register::run(initial, ops, spans)),
        Monitored::Set(ops) => (Engine::SetMonitor, set::run(ops, spans)),
        Monitored::Multiset(ops) => (Engine::MultisetMonitor, multiset::run(ops, spans)),
        Monitored::Counter(initial, ops) => (Engine::CounterMonitor, counter::run(*initial, ops, spans)),
        Monitored::Container(discipline, ops) => {
            let engine = match discipline {
                Discipline::Fifo => Engine::QueueMonitor,
                Discipline::Lifo => Engine::StackMonitor,
                Discipline::Min | Discipline::Max => Engine::PriorityQueueMonitor,
                Discipline::Any => Engine::BagMonitor,
            };
            (engine, container(*discipline, ops, spans, meter)?)
        }
    })
}

/// Assignments of pending removals that are tried before the search takes over.
const ASSIGNMENTS: usize = 64;

fn container(
    discipline: Discipline,
    ops: &[crate::spec::ContainerOp],
    spans: &[Span],
    meter: &Meter,
) -> Result<Outcome, Stop> {
    let table = match values::Table::new(ops, spans) {
        Ok(table) => table,
        Err(outcome) => return Ok(outcome),
    };
    let decide = |table: &values::Table| match bag::run(table) {
        Outcome::Holds => match discipline {
            Discipline::Fifo => queue::run(table),
            Discipline::Lifo => stack::run(table, meter),
            Discipline::Min => Ok(priority::run(table, false)),
            Discipline::Max => Ok(priority::run(table, true)),
            Discipline::Any => Ok(Outcome::Holds),
        },
        other => Ok(other),
    };
    let first = decide(&table)?;
    if first == Outcome::Holds || table.pending_removals.is_empty() {
        return Ok(first);
    }
    // Each pending removal may have taken one value that nobody else took.
    let left: Vec<usize> = table.unremoved().collect();
    if table.pending_removals.len() > 1 || left.len() > ASSIGNMENTS {
        return Ok(Outcome::Unsuited);
    }
    let mut core: Vec<usize> = match first {
        Outcome::Fails(core) => core,
        other => return Ok(other),
    };
    for value in left {
        match decide(&table.with_removal(value, table.pending_removals[0], spans))? {
            Outcome::Fails(more) => core.extend(more),
            other => return Ok(other),
        }
    }
    core.push(table.pending_removals[0]);
    core.sort_unstable();
    core.dedup();
    Ok(Outcome::Fails(core))
}
