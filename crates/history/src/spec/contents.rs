//! Running a long sequence of operations on a container without copying it at each step.
//!
//! A removal with an unknown result takes what must leave first. In a bag it may take anything, and here it takes a
//! value that no later operation names: these are all alike, and the others will be needed. Cost: O(n log n). Claim: accepts
//! only what the steps of [`Container`] accept, and exactly that unless it is a bag with removals of which nobody
//! knows what they took. Oracle: the steps.

use std::collections::{BTreeMap, HashMap, VecDeque};

use super::{Container, ContainerOp, Discipline, Ran};
use crate::datum::Datum;

/// What is inside.
enum Contents<'a> {
    Row(VecDeque<&'a Datum>),
    Sorted(BTreeMap<&'a Datum, usize>),
    Bag {
        /// Values that later operations name: how many are inside, and how many operations.
        named: HashMap<&'a Datum, (usize, usize)>,
        /// How many others are inside.
        others: usize,
        /// How many are inside in all.
        all: usize,
    },
}

/// Runs operations; answers the first that is not allowed.
pub(super) fn run(container: &Container, ops: &[&ContainerOp]) -> Ran {
    let mut contents = match container.discipline {
        Discipline::Fifo | Discipline::Lifo => Contents::Row(VecDeque::new()),
        Discipline::Min | Discipline::Max => Contents::Sorted(BTreeMap::new()),
        Discipline::Any => {
            let mut named: HashMap<&Datum, (usize, usize)> = HashMap::new();
            for op in ops {
                if let ContainerOp::Remove(v) | ContainerOp::Peek(v) = op {
                    named.entry(v).or_default().1 += 1;
                }
            }
            Contents::Bag { named, others: 0, all: 0 }
        }
    };
    let refused = ops.iter().position(|op| !contents.step(container.discipline, op));
    refused.map_or(Ran::Through, Ran::Refused)
}

impl<'a> Contents<'a> {
    /// Whether the operation is allowed, which then happens.
    fn step(&mut self, discipline: Discipline, op: &'a ContainerOp) -> bool {
        let allowed = match op {
            ContainerOp::Insert(v) => {
                self.insert(v);
                true
            }
            ContainerOp::Remove(v) => self.sees(discipline, v) && self.remove(discipline, Some(v)),
            ContainerOp::RemoveSome => self.remove(discipline, None),
            ContainerOp::RemoveAny => self.is_empty() || self.remove(discipline, None),
            ContainerOp::RemoveEmpty | ContainerOp::PeekEmpty => self.is_empty(),
            ContainerOp::Peek(v) => self.sees(discipline, v),
            ContainerOp::PeekAny => true,
        };
        if let ContainerOp::Remove(v) | ContainerOp::Peek(v) = op {
            self.was_named(v);
        }
        allowed
    }

    /// One operation less names this value; after the last it is like the others.
    fn was_named(&mut self, v: &Datum) {
        if let Contents::Bag { named, others, .. } = self
            && let Some((inside, left)) = named.get_mut(v)
        {
            *left -= 1;
            if *left == 0 {
                *others += *inside;
                named.remove(v);
            }
        }
    }

    fn insert(&mut self, v: &'a Datum) {
        match self {
            Contents::Row(row) => row.push_back(v),
            Contents::Sorted(sorted) => *sorted.entry(v).or_default() += 1,
            Contents::Bag { named, others, all } => {
                *named.get_mut(v).map_or(others, |(inside, _)| inside) += 1;
                *all += 1;
            }
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Contents::Row(row) => row.is_empty(),
            Contents::Sorted(sorted) => sorted.is_empty(),
            Contents::Bag { all, .. } => *all == 0,
        }
    }

    /// Whether this value can leave first.
    fn sees(&self, discipline: Discipline, v: &Datum) -> bool {
        match (self, discipline) {
            (Contents::Row(row), Discipline::Lifo) => row.back() == Some(&v),
            (Contents::Row(row), _) => row.front() == Some(&v),
            (Contents::Sorted(sorted), Discipline::Max) => {
                sorted.last_key_value().is_some_and(|(w, _)| *w == v)
            }
            (Contents::Sorted(sorted), _) => sorted.first_key_value().is_some_and(|(w, _)| *w == v),
            (Contents::Bag { named, .. }, _) => named.get(v).is_some_and(|(inside, _)| *inside > 0),
        }
    }

    /// Takes out what leaves first, in a bag this value or one that nobody names; whether there was one.
    fn remove(&mut self, discipline: Discipline, v: Option<&Datum>) -> bool {
        match (self, discipline) {
            (Contents::Row(row), Discipline::Lifo) => row.pop_back().is_some(),
            (Contents::Row(row), _) => row.pop_front().is_some(),
            (Contents::Sorted(sorted), _) => {
                let entry =
                    if discipline == Discipline::Max { sorted.last_entry() } else { sorted.first_entry() };
                let Some(mut entry) = entry else { return false };
                *entry.get_mut() -= 1;
                if *entry.get() == 0 {
                    entry.remove();
                }
                true
            }
            (Contents::Bag { named, others, all }, _) => {
                let count = match v {
                    Some(v) => named.get_mut(v).map_or(others, |(inside, _)| inside),
                    None => others,
                };
                if *count == 0 {
                    return false;
                }
                *count -= 1;
                *all -= 1;
                true
            }
        }
    }
}
