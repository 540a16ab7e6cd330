//! The quasi-linearizable queue as an automaton.
//!
//! Afek, Korland, Yanovsky (OPODIS 2010); strict out-of-order semantics as in Zhang, Chattopadhyay, Wang
//! (IEEE TSE 2015), section V. An element's offset is its rank among the insertions minus the number of
//! removals so far. A removal may take an element with offset at most k; an element with offset -k is
//! the only one that may be taken. Claim: exact. Oracle: `naive::quasi`.

use super::container::{self, ContainerOp};
use super::{Hints, Next, Spec};
use crate::datum::Datum;
use crate::history::Call;

/// A queue whose removals may be displaced by at most `factor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuasiQueue {
    /// The quasi factor of the removals.
    pub factor: u32,
}

/// The elements in the order of their insertion, each with its offset, and the offset that the next
/// one will get.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct QuasiState {
    items: Vec<(Datum, i64)>,
    next: i64,
}

impl QuasiQueue {
    fn allowed<'a>(&self, state: &'a QuasiState) -> impl Iterator<Item = usize> + use<'a> {
        let k = i64::from(self.factor);
        // Offsets ascend with the rank, so the most delayed element is the first.
        let forced = state.items.first().is_some_and(|(_, o)| *o <= -k);
        let count = if forced { 1 } else { state.items.partition_point(|(_, o)| *o <= k) };
        0..count
    }

    fn take(state: &QuasiState, at: usize) -> QuasiState {
        let mut items = Vec::with_capacity(state.items.len() - 1);
        for (i, (v, o)) in state.items.iter().enumerate() {
            if i != at {
                items.push((v.clone(), o - 1));
            }
        }
        QuasiState { items, next: state.next - 1 }
    }
}

impl Spec for QuasiQueue {
    type Op = ContainerOp;
    type State = QuasiState;

    fn name(&self) -> String {
        format!("queue with quasi factor {} for deq", self.factor)
    }

    fn decode(&self, call: &Call<'_>) -> Result<ContainerOp, String> {
        container::decode("queue", call)
    }

    fn initial(&self) -> QuasiState {
        QuasiState { items: Vec::new(), next: 0 }
    }

    fn step(&self, state: &QuasiState, op: &ContainerOp, next: &mut Next<'_, QuasiState>) {
        match op {
            ContainerOp::Insert(v) => {
                let mut s = state.clone();
                s.items.push((v.clone(), s.next));
                s.next += 1;
                next.push(s);
            }
            ContainerOp::Remove(v) => {
                for i in self.allowed(state) {
                    if state.items[i].0 == *v {
                        next.push(QuasiQueue::take(state, i));
                    }
                }
            }
            ContainerOp::RemoveAny if state.items.is_empty() => next.push(state.clone()),
            ContainerOp::RemoveAny | ContainerOp::RemoveSome => {
                for i in self.allowed(state) {
                    next.push(QuasiQueue::take(state, i));
                }
            }
            ContainerOp::RemoveEmpty | ContainerOp::PeekEmpty => {
                if state.items.is_empty() {
                    next.push(state.clone());
                }
            }
            ContainerOp::Peek(v) => {
                if self.allowed(state).any(|i| state.items[i].0 == *v) {
                    next.push(state.clone());
                }
            }
            ContainerOp::PeekAny => next.push(state.clone()),
        }
    }

    fn hints(&self) -> &dyn Hints<Self::Op, Self::State> {
        self
    }

    fn expected(&self, state: &QuasiState, op: &ContainerOp) -> Option<String> {
        if matches!(op, ContainerOp::Insert(_)) {
            return None;
        }
        let values: Vec<String> = self.allowed(state).take(6).map(|i| state.items[i].0.to_string()).collect();
        Some(if values.is_empty() {
            "must find nothing, the object is empty".into()
        } else {
            format!("must answer {}", values.join(" or "))
        })
    }

    fn show(&self, state: &QuasiState) -> String {
        Datum::list(state.items.iter().map(|(v, _)| v.clone()).collect::<Vec<_>>()).to_string()
    }
}

impl Hints<ContainerOp, QuasiState> for QuasiQueue {
    fn observes(&self, op: &ContainerOp) -> bool {
        matches!(
            op,
            ContainerOp::RemoveEmpty | ContainerOp::Peek(_) | ContainerOp::PeekEmpty | ContainerOp::PeekAny
        )
    }

    fn heap_bytes(&self, state: &QuasiState) -> usize {
        state.items.len() * 24
    }

    fn drain(&self, ops: &[&ContainerOp]) -> Vec<ContainerOp> {
        let inserts = ops.iter().filter(|o| matches!(o, ContainerOp::Insert(_))).count();
        vec![ContainerOp::RemoveSome; inserts]
    }

    fn series(&self, name: &str) -> Option<&'static str> {
        super::container::series(name)
    }

    fn drained(&self, state: &QuasiState) -> bool {
        state.items.is_empty()
    }
}
