//! Running a long sequence of operations on a container without copying it at each step.
//!
//! A removal with an unknown result takes what must leave first. In a bag it may take anything, and here it takes a
//! value that no operation names: these are all alike, and the others will be needed. Cost: O(n log n). Claim: accepts
//! only what the steps of [`Container`] accept, and exactly that unless it is a bag with removals of which nobody
//! knows what they took. Oracle: the steps.

use std::collections::{BTreeMap, HashMap, VecDeque};

use super::{Container, ContainerOp, Discipline};
use crate::datum::Datum;

/// What is inside.
enum Contents<'a> {
    Row(VecDeque<&'a Datum>),
    Sorted(BTreeMap<&'a Datum, usize>),
    Bag {
        /// Values that later operations name, with how many are inside.
        named: HashMap<&'a Datum, usize>,
        /// How many others are inside.
        others: usize,
        /// How many are inside in all.
        all: usize,
    },
}

/// Runs operations; answers the first that is not allowed.
pub(super) fn run(container: &Container, ops: &[&ContainerOp]) -> Option<usize> {
    let named = |op: &&&ContainerOp| matches!(op, ContainerOp::Remove(_) | ContainerOp::Peek(_));
    let mut contents = match container.discipline {
        Discipline::Fifo | Discipline::Lifo => Contents::Row(VecDeque::new()),
        Discipline::Min | Discipline::Max => Contents::Sorted(BTreeMap::new()),
        Discipline::Any => Contents::Bag {
            named: ops.iter().filter(named).filter_map(|op| value(op)).map(|v| (v, 0)).collect(),
            others: 0,
            all: 0,
        },
    };
    ops.iter().position(|op| !contents.step(container.discipline, op))
}

fn value(op: &ContainerOp) -> Option<&Datum> {
    match op {
        ContainerOp::Insert(v) | ContainerOp::Remove(v) | ContainerOp::Peek(v) => Some(v),
        _ => None,
    }
}

impl<'a> Contents<'a> {
    /// Whether the operation is allowed, which then happens.
    fn step(&mut self, discipline: Discipline, op: &'a ContainerOp) -> bool {
        match op {
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
        }
    }

    fn insert(&mut self, v: &'a Datum) {
        match self {
            Contents::Row(row) => row.push_back(v),
            Contents::Sorted(sorted) => *sorted.entry(v).or_default() += 1,
            Contents::Bag { named, others, all } => {
                *named.get_mut(v).unwrap_or(others) += 1;
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
            (Contents::Bag { named, .. }, _) => named.get(v).is_some_and(|n| *n > 0),
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
                    Some(v) => named.get_mut(v).unwrap_or(others),
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
