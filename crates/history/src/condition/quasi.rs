//! Quasi-linearizability with one factor for the whole sequence.
//!
//! Zhang, Chattopadhyay, Wang, "Round-Up", IEEE TSE 2015, algorithms 1 and 2: some order L of the history that
//! respects real time has a legal permutation S in which no operation is displaced by more than K. The paper
//! enumerates permutations; here L runs exactly K operations ahead of S, so what stands between them is a
//! buffer of at most K + 1 operations, and (buffer, state) is the state of a nondeterministic specification
//! that the ordinary search takes. What is left inside is taken out by virtual removals after everything else.
//!
//! Invariant: the buffer holds the operations of L that S does not have yet, each with its place in L relative
//! to the next place of S, ascending. Claim: exact. Oracle: `naive::quasi`, a double enumeration.

use std::collections::HashSet;

use crate::history::Call;
use crate::spec::{Hints, Next, Spec};

/// A specification relaxed by displacement.
pub struct Quasi<'a, S> {
    /// The strict specification.
    pub spec: &'a S,
    /// How far an operation may be displaced.
    pub factor: u32,
}

/// An operation of L, or a virtual removal after all of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct QuasiOp<O> {
    /// The operation.
    pub op: O,
    /// Whether it is a virtual removal.
    pub virtual_removal: bool,
}

/// What stands between L and S, and the state that S has reached.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct QuasiSearchState<O, T> {
    buffer: Vec<(O, i64)>,
    state: T,
    draining: bool,
}

impl<S: Spec> Quasi<'_, S> {
    /// The buffered operations that may come next in S.
    fn choices(&self, buffer: &[(S::Op, i64)]) -> usize {
        // The places are ascending, so only the first can be overdue.
        let forced = buffer.first().is_some_and(|(_, place)| *place <= -i64::from(self.factor));
        if forced { 1 } else { buffer.len() }
    }

    fn advance(
        &self,
        from: &QuasiSearchState<S::Op, S::State>,
        mut each: impl FnMut(QuasiSearchState<S::Op, S::State>) -> bool,
    ) {
        let mut next = Next::new();
        for i in 0..self.choices(&from.buffer) {
            self.spec.step(&from.state, &from.buffer[i].0, &mut next);
            for state in next.drain() {
                let rest = from.buffer.iter().enumerate().filter(|(j, _)| *j != i);
                let buffer = rest.map(|(_, (op, place))| (op.clone(), place - 1)).collect();
                if !each(QuasiSearchState { buffer, state, draining: from.draining }) {
                    return;
                }
            }
        }
    }
}

impl<S: Spec> Spec for Quasi<'_, S> {
    type Op = QuasiOp<S::Op>;
    type State = QuasiSearchState<S::Op, S::State>;

    fn name(&self) -> String {
        format!("{} with quasi factor {}", self.spec.name(), self.factor)
    }

    fn decode(&self, call: &Call<'_>) -> Result<Self::Op, String> {
        Ok(QuasiOp { op: self.spec.decode(call)?, virtual_removal: false })
    }

    fn initial(&self) -> Self::State {
        QuasiSearchState { buffer: Vec::new(), state: self.spec.initial(), draining: false }
    }

    fn step(&self, state: &Self::State, op: &Self::Op, next: &mut Next<'_, Self::State>) {
        if state.draining && !op.virtual_removal {
            return;
        }
        let mut longer = state.clone();
        longer.draining |= op.virtual_removal;
        // Until S starts, the place in L is the number of operations before; afterwards the buffer holds
        // K operations and the newest stands K places ahead of S.
        longer.buffer.push((op.op.clone(), state.buffer.len() as i64));
        if longer.buffer.len() <= self.factor as usize {
            next.push(longer);
            return;
        }
        self.advance(&longer, |s| {
            next.push(s);
            next.working()
        });
    }

    fn hints(&self) -> &dyn Hints<Self::Op, Self::State> {
        self
    }
}

impl<S: Spec> Hints<QuasiOp<S::Op>, QuasiSearchState<S::Op, S::State>> for Quasi<'_, S> {
    fn accepts(&self, state: &<Self as Spec>::State, limit: &mut Next<'_, <Self as Spec>::State>) -> bool {
        let mut seen = HashSet::new();
        let mut todo = vec![state.clone()];
        while let Some(s) = todo.pop() {
            if !limit.working() {
                return false;
            }
            if s.buffer.is_empty() {
                if self.spec.hints().drained(&s.state) {
                    return true;
                }
                continue;
            }
            self.advance(&s, |s| {
                if seen.insert(s.clone()) {
                    todo.push(s);
                }
                limit.working()
            });
        }
        false
    }

    fn heap_bytes(&self, state: &<Self as Spec>::State) -> usize {
        state.buffer.len() * std::mem::size_of::<(S::Op, i64)>() + self.spec.hints().heap_bytes(&state.state)
    }
}
