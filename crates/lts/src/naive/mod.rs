//! Slow twins of the fast algorithms, written from the definitions and sharing nothing with them.
//! For tests and for whoever doubts a verdict on a small system.

mod bisimulation;
mod enumerate;
mod ktrace;
mod trace;

pub use bisimulation::partition;
pub use enumerate::partition_by_enumeration;
pub use ktrace::k_trace_partitions;
pub use trace::{included, shortest_difference};

use crate::system::Lts;

/// A system as a plain list of `(source, label, target)`.
pub(crate) struct Plain {
    pub(crate) n: usize,
    pub(crate) steps: Vec<(usize, usize, usize)>,
}

impl Plain {
    pub(crate) fn new(lts: &Lts) -> Plain {
        let step = |(s, m): (crate::StateId, crate::Move)| (s.index(), m.label().index(), m.target().index());
        Plain { n: lts.states(), steps: lts.iter().map(step).collect() }
    }

    /// The steps of one state.
    pub(crate) fn from(&self, s: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.steps.iter().filter(move |x| x.0 == s).map(|x| (x.1, x.2))
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
