//! Containers with repeated values, by searches whose cost is bounded by the number of clients.
//!
//! Where values repeat, the states of a container tell orders apart that lead to the same: the order of two insertions
//! that were open together matters only when their values come out. The number of states is exponential in the number
//! of such pairs, that of *frontiers* is not: a frontier says how many events were passed and which of the open
//! operations are in the order. Queues walk with one frontier for insertions and one for the rest, stacks match each
//! insertion with its removal over frontiers, and what priority queues and bags hold follows from the frontier alone.
//! Claim: exact. Oracle: `naive::linearizable`.

mod queue;
mod sorted;
mod stack;
mod track;

use trueline_base::Stop;

use super::Control;
use super::instance::Interval;
use crate::history::NEVER;
use crate::spec::{ContainerOp, Discipline};

/// What a bounded search found.
pub(crate) struct Bounded {
    /// An order of the operations, or none if there is none.
    pub found: Result<Option<Vec<usize>>, Stop>,
    /// Configurations visited.
    pub configurations: u64,
    /// Bytes in use at most.
    pub bytes: u64,
    /// Position of a return that no order passes, where it is known.
    pub until: Option<u32>,
}

/// What an operation does, with values as numbers; those of sorted containers are in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Insert(u32),
    Remove(u32),
    /// Takes whatever is there.
    RemoveSome,
    /// Takes whatever is there, or finds nothing.
    RemoveAny,
    Peek(u32),
    FindEmpty,
}

impl Act {
    fn observes(self) -> bool {
        matches!(self, Act::Peek(_) | Act::FindEmpty)
    }

    /// The same number for equal operations.
    fn class(self) -> u32 {
        match self {
            Act::Insert(v) => 3 + 3 * v,
            Act::Remove(v) => 4 + 3 * v,
            Act::Peek(v) => 5 + 3 * v,
            Act::RemoveSome => 0,
            Act::RemoveAny => 1,
            Act::FindEmpty => 2,
        }
    }
}

/// Operations of a container that matter: looks that nobody knows the answer of fit everywhere, and what changes
/// nothing and never returned need not have happened.
struct Acts {
    acts: Vec<Act>,
    spans: Vec<Interval>,
    /// Index of each among all operations.
    of: Vec<usize>,
}

impl Acts {
    fn new(ops: &[ContainerOp], spans: &[Interval]) -> Acts {
        let named = |op: &ContainerOp| match op {
            ContainerOp::Insert(v) | ContainerOp::Remove(v) | ContainerOp::Peek(v) => Some(v.clone()),
            _ => None,
        };
        let mut values: Vec<crate::Datum> = ops.iter().filter_map(named).collect();
        values.sort_unstable();
        values.dedup();
        let number = |v| values.binary_search(v).expect("every value was collected") as u32;
        let mut found = Acts { acts: Vec::new(), spans: Vec::new(), of: Vec::new() };
        for (i, (op, span)) in ops.iter().zip(spans).enumerate() {
            let act = match op {
                ContainerOp::Insert(v) => Act::Insert(number(v)),
                ContainerOp::Remove(v) => Act::Remove(number(v)),
                ContainerOp::RemoveSome => Act::RemoveSome,
                ContainerOp::RemoveAny => Act::RemoveAny,
                ContainerOp::Peek(v) => Act::Peek(number(v)),
                ContainerOp::RemoveEmpty | ContainerOp::PeekEmpty => Act::FindEmpty,
                ContainerOp::PeekAny => continue,
            };
            if act.observes() && span.ret == NEVER {
                continue;
            }
            found.acts.push(act);
            found.spans.push(*span);
            found.of.push(i);
        }
        found
    }
}

/// Looks for an order. Nothing is answered where too much is open at once, or, in a priority queue or bag, somebody
/// removed nobody knows what.
pub(crate) fn search(
    discipline: Discipline,
    ops: &[ContainerOp],
    spans: &[Interval],
    control: &mut Control<'_>,
) -> Option<Bounded> {
    let acts = Acts::new(ops, spans);
    let mut bounded = match discipline {
        Discipline::Fifo => queue::search(&acts, control)?,
        Discipline::Lifo => stack::search(&acts, control)?,
        Discipline::Min => sorted::search(&acts, Some(false), control)?,
        Discipline::Max => sorted::search(&acts, Some(true), control)?,
        Discipline::Any => sorted::search(&acts, None, control)?,
    };
    if let Ok(Some(order)) = &mut bounded.found {
        order.iter_mut().for_each(|i| *i = acts.of[*i]);
    }
    Some(bounded)
}
