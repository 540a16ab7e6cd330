//! The cells that moves read and write.

use super::state::Cell;

/// Cells, each as often as it is met.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Touched {
    /// Those whose contents matter, also for ways that turn out not to exist.
    pub reads: Vec<Cell>,
    /// Those that are stored into.
    pub writes: Vec<Cell>,
}

impl Touched {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.reads.clear();
        self.writes.clear();
    }

    /// Adds what another one has.
    pub fn absorb(&mut self, other: &Touched) {
        self.reads.extend_from_slice(&other.reads);
        self.writes.extend_from_slice(&other.writes);
    }
}
