//! Two searches in lockstep for the smaller part of a block.
//!
//! One finds the nodes that reach an edge of a bunch by inert steps, backwards from the edges; the
//! other finds those that do not, from the bottom nodes without such an edge: a node joins when all
//! its inert steps lead to such nodes and it has no such edge itself. They take turns; one that
//! has found more than half of the block stops. Cost: that of the part that is returned, twice.

use super::bunches::Bunches;

/// Which part of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockPart {
    /// Nodes that reach the bunch.
    With,
    /// Nodes that do not.
    Without,
}

/// Room for the searches, used again and again.
pub(super) struct Searches {
    seen: Vec<u32>,
    now: u32,
    waits: Vec<u32>,
    waits_since: Vec<u32>,
    steps: u64,
}

/// Where one search stands.
#[derive(Default)]
struct Search {
    found: Vec<u32>,
    start: usize,
    node: usize,
    edge: usize,
}

/// What stands before the nodes that a search has found.
enum Before {
    Node(u32),
    /// Nothing more before this one; the next one's turn has come.
    Next,
    /// There is no next one.
    Done,
}

impl Search {
    /// The next silent predecessor.
    fn before(&mut self, b: &Bunches<'_>) -> Before {
        let Some(&s) = self.found.get(self.node) else { return Before::Done };
        let Some(&before) = b.graph.silent_back(s).get(self.edge) else {
            (self.node, self.edge) = (self.node + 1, 0);
            return Before::Next;
        };
        self.edge += 1;
        Before::Node(before)
    }
}

impl Searches {
    pub(super) fn new(n: usize) -> Searches {
        Searches { seen: vec![0; n], now: 0, waits: vec![0; n], waits_since: vec![0; n], steps: 0 }
    }

    /// Steps since the last question.
    pub(super) fn steps(&mut self) -> u64 {
        std::mem::take(&mut self.steps)
    }

    /// Forgets what was seen.
    pub(super) fn begin(&mut self) {
        self.now = self.now.checked_add(1).unwrap_or_else(|| {
            self.seen.fill(0);
            self.waits_since.fill(0);
            1
        });
    }

    /// Whether a node is seen for the first time.
    pub(super) fn first_time(&mut self, s: u32) -> bool {
        std::mem::replace(&mut self.seen[s as usize], self.now) != self.now
    }

    /// The smaller of the two parts of a block: those that reach an edge of these exits, or not.
    pub(super) fn smaller_part(&mut self, b: &Bunches<'_>, block: u32, exits: u32) -> (BlockPart, Vec<u32>) {
        self.begin();
        let half = b.size(block) / 2;
        let (mut with, mut without) = (Search::default(), Search::default());
        loop {
            if with.found.len() <= half && self.step_with(b, block, exits, &mut with) {
                return (BlockPart::With, with.found);
            }
            if without.found.len() <= half && self.step_without(b, block, exits, &mut without) {
                return (BlockPart::Without, without.found);
            }
            self.steps += 2;
        }
    }

    /// One step of the first search; true when it is complete.
    fn step_with(&mut self, b: &Bunches<'_>, block: u32, exits: u32, search: &mut Search) -> bool {
        if let Some(&e) = b.exits[exits as usize].edges.get(search.start) {
            search.start += 1;
            let s = b.source[e as usize];
            if self.first_time(s) {
                search.found.push(s);
            }
            return false;
        }
        let before = match search.before(b) {
            Before::Node(before) => before,
            Before::Next => return false,
            Before::Done => return true,
        };
        if b.block_of[before as usize] == block && self.first_time(before) {
            search.found.push(before);
        }
        false
    }

    /// One step of the second search; true when it is complete.
    fn step_without(&mut self, b: &Bunches<'_>, block: u32, exits: u32, search: &mut Search) -> bool {
        let bunch = b.exits[exits as usize].bunch;
        if let Some(&s) = b.blocks[block as usize].bottom.get(search.start) {
            search.start += 1;
            if !b.has(s, bunch) {
                search.found.push(s);
            }
            return false;
        }
        let before = match search.before(b) {
            Before::Node(before) => before,
            Before::Next => return false,
            Before::Done => return true,
        };
        if b.block_of[before as usize] != block {
            return false;
        }
        let at = before as usize;
        if std::mem::replace(&mut self.waits_since[at], self.now) != self.now {
            self.waits[at] = b.inert_out[at];
        }
        self.waits[at] -= 1;
        if self.waits[at] == 0 && !b.has(before, bunch) {
            search.found.push(before);
        }
        false
    }
}
