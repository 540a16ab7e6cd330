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
mod index;
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
pub fn run(monitored: &Monitored<'_>, spans: &[Span], meter: &Meter) -> Result<(Engine, Outcome), Stop> {
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
const ASSIGNMENTS: u32 = 256;

fn container(
    discipline: Discipline,
    ops: &[crate::spec::ContainerOp],
    spans: &[Span],
    meter: &Meter,
) -> Result<Outcome, Stop> {
    let mut table = match values::Table::new(ops, spans) {
        Ok(table) => table,
        Err(outcome) => return Ok(outcome),
    };
    // Looks at the oldest or youngest value order more than pairs of values; assignments would loosen them again.
    let ordered = matches!(discipline, Discipline::Fifo | Discipline::Lifo);
    if !table.peeks.is_empty() && (ordered || !table.pending_removals.is_empty()) {
        return Ok(Outcome::Unsuited);
    }
    let mut removals = std::mem::take(&mut table.pending_removals);
    let mut decision = Decision { discipline, spans, meter, left: ASSIGNMENTS };
    decision.with(&mut table, &mut removals)
}

/// Decides a container whose pending removals may each have taken one value that nobody else took.
///
/// The values of a failure cannot be explained among themselves, whatever happens to all others: all operations of
/// one value can be taken out of any legal sequence. So one of them that nobody removed must have been taken.
struct Decision<'a> {
    discipline: Discipline,
    spans: &'a [Span],
    meter: &'a Meter,
    left: u32,
}

impl Decision<'_> {
    fn alone(&self, table: &values::Table<'_>) -> Result<Outcome, Stop> {
        match bag::run(table) {
            Outcome::Holds => match self.discipline {
                Discipline::Fifo => Ok(queue::run(table)),
                Discipline::Lifo => stack::run(table, self.meter),
                Discipline::Min => Ok(priority::run(table, false)),
                Discipline::Max => Ok(priority::run(table, true)),
                Discipline::Any => Ok(Outcome::Holds),
            },
            other => Ok(other),
        }
    }

    fn with(&mut self, table: &mut values::Table<'_>, removals: &mut Vec<usize>) -> Result<Outcome, Stop> {
        let mut core = match self.alone(table)? {
            Outcome::Fails(core) if !removals.is_empty() => core,
            settled => return Ok(settled),
        };
        let inside: std::collections::HashSet<usize> = core.iter().copied().collect();
        let lives = table.lives.iter().enumerate();
        let free = lives.filter(|(_, l)| !l.removed() && l.operations().any(|i| inside.contains(&i)));
        let free: Vec<usize> = free.map(|(i, _)| i).collect();
        for value in free {
            for at in 0..removals.len() {
                if self.left == 0 {
                    return Ok(Outcome::Unsuited);
                }
                self.left -= 1;
                self.meter.check(self.spans.len() as u64 * 64, 0)?;
                let removal = removals.remove(at);
                let before = table.take(value, removal, self.spans);
                let outcome = self.with(table, removals)?;
                table.lives[value] = before;
                removals.insert(at, removal);
                match outcome {
                    Outcome::Fails(more) => {
                        core.extend(more);
                        core.push(removal);
                    }
                    settled => return Ok(settled),
                }
            }
        }
        core.sort_unstable();
        core.dedup();
        Ok(Outcome::Fails(core))
    }
}
