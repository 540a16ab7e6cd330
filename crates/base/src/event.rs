//! Progress of long work, as data; only the command line renders it.

/// Where a computation stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A search over states.
    Search {
        /// Length of the executions explored so far.
        depth: u64,
        /// States stored.
        states: u64,
        /// States not yet expanded.
        frontier: u64,
        /// Bytes in use.
        bytes: u64,
    },
    /// Any other long work.
    Work {
        /// What is being done, such as `reading` or `refining`.
        what: &'static str,
        /// Units done.
        done: u64,
        /// Units in all, where known.
        total: Option<u64>,
        /// Bytes in use.
        bytes: u64,
    },
}

/// Receives progress.
pub trait Observer {
    /// Called every now and then from a long computation.
    fn event(&mut self, event: &Event);
}

/// An observer that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn event(&mut self, _: &Event) {}
}
