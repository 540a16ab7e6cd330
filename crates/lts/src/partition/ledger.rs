//! A ledger of the work of one refinement; in debug builds it fails when the promised bound breaks.
//!
//! Promise: the largest part of a cut keeps the block's id, so a node changes its id at most
//! log2(n) times, and an edge is looked at backwards at most once per change of its target.

/// What a refinement cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Blocks taken from the worklist.
    pub visits: u64,
    /// Signatures computed.
    pub signatures: u64,
    /// Moves read for signatures.
    pub moves: u64,
    /// Edges looked at backwards.
    pub backward: u64,
}

/// The running account.
pub(crate) struct Ledger {
    pub(crate) work: Work,
    edges: u64,
    #[cfg(debug_assertions)]
    changes: Vec<u8>,
    log: u32,
}

impl Ledger {
    pub(crate) fn new(nodes: usize, edges: usize) -> Ledger {
        Ledger {
            work: Work::default(),
            edges: edges as u64,
            #[cfg(debug_assertions)]
            changes: vec![0; nodes],
            log: usize::BITS - nodes.leading_zeros(),
        }
    }

    /// A node got a new id and its predecessors are looked at.
    #[inline]
    pub(crate) fn changed(&mut self, node: u32, predecessors: usize) {
        self.work.backward += predecessors as u64;
        #[cfg(debug_assertions)]
        {
            let changes = &mut self.changes[node as usize];
            *changes += 1;
            assert!(u32::from(*changes) <= self.log, "node {node} changed its block too often");
        }
        #[cfg(not(debug_assertions))]
        let _ = node;
    }

    /// Closes the account.
    pub(crate) fn close(self) -> Work {
        debug_assert!(self.work.backward <= self.edges * u64::from(self.log), "{:?}", self.work);
        self.work
    }
}
