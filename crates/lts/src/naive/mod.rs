//! Slow twins of the fast algorithms, written from the definitions and sharing nothing with them.
//! For tests and for whoever doubts a verdict on a small system.

mod bisimulation;
mod check;
mod enumerate;
mod ktrace;
mod preorder;
mod trace;

pub use bisimulation::partition;
pub use check::{disagreement, divergence_disagreement, k_trace_disagreement, partition_disagreement};
pub use enumerate::partition_by_enumeration;
pub use ktrace::k_trace_partitions;
pub use preorder::refines;
pub use trace::{included, shortest_difference};

use crate::system::Lts;

/// A system as plain lists.
pub(crate) struct Plain {
    pub(crate) n: usize,
    /// The steps of each state, as label and target.
    pub(crate) steps: Vec<Vec<(usize, usize)>>,
    /// What each state reaches by silent steps, itself included.
    pub(crate) closure: Vec<Vec<usize>>,
}

impl Plain {
    pub(crate) fn new(lts: &Lts) -> Plain {
        let row = |s| lts.moves(s).iter().map(|m| (m.label().index(), m.target().index())).collect();
        let steps: Vec<Vec<(usize, usize)>> = lts.state_ids().map(row).collect();
        let mut plain = Plain { n: lts.states(), steps, closure: Vec::new() };
        let reached = |s: usize| {
            let seen = plain.silently(s, |_| true);
            (0..plain.n).filter(|&t| seen[t]).collect()
        };
        plain.closure = (0..plain.n).map(reached).collect();
        plain
    }

    /// The steps of one state.
    pub(crate) fn from(&self, s: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.steps[s].iter().copied()
    }

    /// States reached from `s` by tau steps through states that satisfy `through` (`s` itself is
    /// always reached).
    pub(crate) fn silently(&self, s: usize, through: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut seen = vec![false; self.n];
        let mut open = vec![s];
        seen[s] = true;
        while let Some(x) = open.pop() {
            for (a, t) in self.from(x) {
                if a == 0 && !seen[t] && through(t) {
                    seen[t] = true;
                    open.push(t);
                }
            }
        }
        seen
    }

    /// Whether `s`, which satisfies `through`, has an infinite run of tau steps through such states.
    pub(crate) fn diverges(&self, s: usize, through: impl Fn(usize) -> bool + Copy) -> bool {
        let reached = self.silently(s, through);
        (0..self.n)
            .filter(|&x| reached[x])
            .any(|x| self.from(x).any(|(a, t)| a == 0 && through(t) && self.silently(t, through)[x]))
    }
}
