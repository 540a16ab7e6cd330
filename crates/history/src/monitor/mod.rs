//! Near-linear monitors for objects whose values tell which operations belong together.
//!
//! A monitor takes over only when the history is unambiguous; otherwise it says so and the search decides.
//! A failure comes with a core of operations that already cannot be explained; it is minimised and confirmed
//! by search before anybody sees it. An order is constructed only for whoever wants one, and `check` looks at it
//! again before anybody sees it.
//!
//! Points in time are the gaps between neighbouring events: gap g lies after position g, an operation covers
//! the gaps from its call up to its return.

mod bag;
mod counter;
mod gaps;
mod index;
mod multiset;
mod places;
mod priority;
mod queue;
mod register;
mod row;
mod set;
mod stack;
mod tally;
mod toggled;
mod trees;
mod txn;
mod values;

use trueline_base::{Meter, Stop};

pub(crate) use places::Places;

use crate::history::NEVER;
use crate::search::Interval;
use crate::spec::{ContainerOp, Discipline, Monitored};
use crate::verdict::Engine;

/// What a monitor answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MonitorAnswer {
    /// Some order explains the history; this one, if it was wanted.
    Holds(Option<Vec<usize>>),
    /// None does, and these operations (as indices) show it.
    Fails(Vec<usize>),
    /// The history is ambiguous for this monitor.
    Unsuited,
}

/// Runs the monitor for these operations. With `wanted` an order comes with an answer that the history holds.
pub fn run(
    monitored: &Monitored<'_>,
    spans: &[Interval],
    wanted: bool,
    meter: &Meter,
) -> Result<(Engine, MonitorAnswer), Stop> {
    meter.check(spans.len() as u64 * if wanted { 128 } else { 64 }, 0)?;
    Ok(match monitored {
        Monitored::Register(initial, ops) => {
            (Engine::RegisterMonitor, register::run(initial, ops, spans, wanted))
        }
        Monitored::Set(ops) => (Engine::SetMonitor, set::run(ops, spans, wanted)),
        Monitored::Multiset(ops) => (Engine::MultisetMonitor, multiset::run(ops, spans, wanted)),
        Monitored::Counter(initial, ops) => {
            (Engine::CounterMonitor, counter::run(*initial, ops, spans, wanted))
        }
        Monitored::Transactions(ops) => (Engine::TransactionMonitor, txn::run(ops, spans)),
        Monitored::Container(discipline, ops) => {
            let engine = match discipline {
                Discipline::Fifo => Engine::QueueMonitor,
                Discipline::Lifo => Engine::StackMonitor,
                Discipline::Min | Discipline::Max => Engine::PriorityQueueMonitor,
                Discipline::Any => Engine::BagMonitor,
            };
            (engine, container(*discipline, ops, spans, wanted, meter)?)
        }
    })
}

/// Assignments of pending removals that are tried before the search takes over.
const ASSIGNMENTS: u32 = 256;

fn container(
    discipline: Discipline,
    ops: &[ContainerOp],
    spans: &[Interval],
    wanted: bool,
    meter: &Meter,
) -> Result<MonitorAnswer, Stop> {
    let mut table = match values::ValueTable::new(ops, spans) {
        Ok(table) => table,
        Err(outcome) => return Ok(outcome),
    };
    // A look at the youngest value says more than where there is a gap.
    if !table.peeks.is_empty() && discipline == Discipline::Lifo {
        return Ok(MonitorAnswer::Unsuited);
    }
    let mut removals = std::mem::take(&mut table.pending_removals);
    let mut decision = PendingRemovals { discipline, spans, meter, wanted, left: ASSIGNMENTS };
    let mut outcome = decision.with(&mut table, &mut removals)?;
    if let MonitorAnswer::Holds(Some(order)) = &mut outcome {
        *order = with_blind_looks(std::mem::take(order), ops, spans);
    }
    Ok(outcome)
}

/// Looks that returned without anybody knowing what they saw fit everywhere.
pub(crate) fn with_blind_looks(order: Vec<usize>, ops: &[ContainerOp], spans: &[Interval]) -> Vec<usize> {
    if !ops.contains(&ContainerOp::PeekAny) {
        return order;
    }
    let mut places = places::Places::with_capacity(ops.len());
    let mut gap = 0;
    for (rank, i) in (1..).zip(order) {
        gap = spans[i].call.max(gap);
        places.put(i, gap, rank);
    }
    for (i, op) in ops.iter().enumerate() {
        if *op == ContainerOp::PeekAny && spans[i].ret != NEVER {
            places.put(i, spans[i].call, 0);
        }
    }
    places.into_order()
}

/// Decides a container whose pending removals may each have taken one value that nobody else took.
///
/// The values of a failure cannot be explained among themselves, whatever happens to all others: all operations of
/// one value can be taken out of any legal sequence. So one of them that nobody removed must have been taken.
struct PendingRemovals<'a> {
    discipline: Discipline,
    spans: &'a [Interval],
    meter: &'a Meter,
    wanted: bool,
    left: u32,
}

impl PendingRemovals<'_> {
    fn alone(&self, table: &values::ValueTable<'_>) -> Result<MonitorAnswer, Stop> {
        match bag::run(table) {
            MonitorAnswer::Holds(_) => match self.discipline {
                Discipline::Fifo => Ok(queue::run(table)),
                Discipline::Lifo => stack::run(table, self.meter),
                Discipline::Min => Ok(priority::run(table, false)),
                Discipline::Max => Ok(priority::run(table, true)),
                Discipline::Any => Ok(MonitorAnswer::Holds(None)),
            },
            other => Ok(other),
        }
    }

    fn order(&self, table: &values::ValueTable<'_>) -> Result<Vec<usize>, Stop> {
        let mut places = places::Places::with_capacity(self.spans.len());
        match self.discipline {
            Discipline::Fifo => queue::order(table, &mut places),
            Discipline::Lifo => stack::order(table, self.meter, &mut places)?,
            Discipline::Min => priority::order(table, false, &mut places),
            Discipline::Max => priority::order(table, true, &mut places),
            Discipline::Any => bag::order(table, &mut places),
        }
        Ok(places.into_order())
    }

    fn with(
        &mut self,
        table: &mut values::ValueTable<'_>,
        removals: &mut Vec<usize>,
    ) -> Result<MonitorAnswer, Stop> {
        let mut core = match self.alone(table)? {
            MonitorAnswer::Holds(_) if self.wanted => {
                return Ok(MonitorAnswer::Holds(Some(self.order(table)?)));
            }
            MonitorAnswer::Fails(core) if !removals.is_empty() => core,
            settled => return Ok(settled),
        };
        let inside: std::collections::HashSet<usize> = core.iter().copied().collect();
        let lives = table.lives.iter().enumerate();
        let free = lives.filter(|(_, l)| !l.removed() && l.operations().any(|i| inside.contains(&i)));
        let free: Vec<usize> = free.map(|(i, _)| i).collect();
        for value in free {
            for at in 0..removals.len() {
                if self.left == 0 {
                    return Ok(MonitorAnswer::Unsuited);
                }
                self.left -= 1;
                self.meter.check(self.spans.len() as u64 * 64, 0)?;
                let removal = removals.remove(at);
                let before = table.take(value, removal, self.spans);
                let outcome = self.with(table, removals)?;
                table.lives[value] = before;
                removals.insert(at, removal);
                match outcome {
                    MonitorAnswer::Fails(more) => {
                        core.extend(more);
                        core.push(removal);
                    }
                    settled => return Ok(settled),
                }
            }
        }
        core.sort_unstable();
        core.dedup();
        Ok(MonitorAnswer::Fails(core))
    }
}
