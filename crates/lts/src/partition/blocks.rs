//! A partition of nodes into blocks, each with its dirty nodes at the end.
//!
//! After Valmari and Lehtinen, STACS 2008 (refinable partition). Invariant: the nodes of block `b`
//! stand at `start[b]..end[b]` of `nodes`, the dirty ones from `dirty[b]` on. Marking one node is O(1).

use crate::fetch::{BATCH, fetch};

/// The partition.
pub(crate) struct Blocks {
    nodes: Vec<u32>,
    of: Vec<Seat>,
    start: Vec<u32>,
    dirty: Vec<u32>,
    end: Vec<u32>,
}

/// The block of a node and its place in `nodes`: whoever asks for one mostly asks for both.
#[derive(Clone, Copy)]
struct Seat {
    block: u32,
    place: u32,
}

/// How a block falls apart: its dirty nodes by key, and the clean rest.
pub(crate) struct Cut<'a> {
    /// The dirty nodes.
    pub(crate) nodes: &'a [u32],
    /// The key of every node (only those of `nodes` are read).
    pub(crate) key: &'a [u32],
    /// How many nodes have each key.
    pub(crate) sizes: &'a [u32],
}

impl Blocks {
    /// One block, all dirty.
    pub(crate) fn new(n: u32) -> Blocks {
        Blocks {
            nodes: (0..n).collect(),
            of: (0..n).map(|place| Seat { block: 0, place }).collect(),
            start: vec![0],
            dirty: vec![0],
            end: vec![n],
        }
    }

    pub(crate) fn count(&self) -> u32 {
        self.start.len() as u32
    }

    #[inline]
    pub(crate) fn of(&self, node: u32) -> u32 {
        self.of[node as usize].block
    }

    pub(crate) fn into_block_of(self) -> Vec<u32> {
        self.of.into_iter().map(|seat| seat.block).collect()
    }

    pub(crate) fn nodes(&self, block: u32) -> &[u32] {
        &self.nodes[self.start[block as usize] as usize..self.end[block as usize] as usize]
    }

    pub(crate) fn dirty(&self, block: u32) -> &[u32] {
        &self.nodes[self.dirty[block as usize] as usize..self.end[block as usize] as usize]
    }

    pub(crate) fn clean_count(&self, block: u32) -> u32 {
        self.dirty[block as usize] - self.start[block as usize]
    }

    pub(crate) fn is_dirty(&self, node: u32) -> bool {
        let seat = self.of[node as usize];
        seat.place >= self.dirty[seat.block as usize]
    }

    pub(crate) fn is_single(&self, block: u32) -> bool {
        self.end[block as usize] - self.start[block as usize] <= 1
    }

    pub(crate) fn clean_all(&mut self, block: u32) {
        self.dirty[block as usize] = self.end[block as usize];
    }

    /// Marks a node. True when its block had no dirty node before; a block of one node stays clean.
    #[inline]
    pub(crate) fn mark(&mut self, node: u32) -> bool {
        let Seat { block, place: at } = self.of[node as usize];
        let b = block as usize;
        if at >= self.dirty[b] || self.end[b] - self.start[b] == 1 {
            return false;
        }
        let first = self.dirty[b] == self.end[b];
        self.dirty[b] -= 1;
        let to = self.dirty[b];
        let other = self.nodes[to as usize];
        self.nodes[to as usize] = node;
        self.nodes[at as usize] = other;
        self.of[node as usize].place = to;
        self.of[other as usize].place = at;
        first
    }

    /// Marks every node of `block` with a path to a dirty one over the edges that `back` lists.
    pub(crate) fn close_backwards<'g>(&mut self, block: u32, back: impl Fn(u32) -> &'g [u32]) {
        let b = block as usize;
        let mut at = self.end[b];
        while at > self.dirty[b] && self.dirty[b] > self.start[b] {
            let from = at.saturating_sub(BATCH as u32).max(self.dirty[b]);
            let some = &self.nodes[from as usize..at as usize];
            fetch(some.iter().map(|&s| back(s).first().copied().unwrap_or(0)));
            fetch(some.iter().flat_map(|&s| back(s)).map(|&before| self.of(before)));
            while at > from {
                at -= 1;
                for &before in back(self.nodes[at as usize]) {
                    if self.of(before) == block {
                        self.mark(before);
                    }
                }
            }
        }
    }

    /// Cuts a block; the largest part keeps the id. Returns the first new id.
    pub(crate) fn cut(&mut self, block: u32, cut: Cut<'_>) -> u32 {
        let b = block as usize;
        let (start, dirty) = (self.start[b], self.dirty[b]);
        let first_new = self.count();
        let clean = dirty - start;
        let (mut largest, mut size) = (None, clean);
        for (key, &count) in cut.sizes.iter().enumerate() {
            if count > size {
                (largest, size) = (Some(key), count);
            }
        }
        let mut at = dirty;
        let mut next = Vec::with_capacity(cut.sizes.len());
        let mut ids = Vec::with_capacity(cut.sizes.len());
        for (key, &count) in cut.sizes.iter().enumerate() {
            next.push(at);
            ids.push(self.place_part(block, largest == Some(key), at, at + count));
            at += count;
        }
        for &node in cut.nodes {
            let key = cut.key[node as usize] as usize;
            self.nodes[next[key] as usize] = node;
            self.of[node as usize] = Seat { block: ids[key], place: next[key] };
            next[key] += 1;
        }
        if clean > 0 {
            let id = self.place_part(block, largest.is_none(), start, dirty);
            if id != block {
                for at in start..dirty {
                    self.of[self.nodes[at as usize] as usize].block = id;
                }
            }
        }
        first_new
    }

    fn place_part(&mut self, block: u32, keeps: bool, start: u32, end: u32) -> u32 {
        if keeps {
            let b = block as usize;
            (self.start[b], self.dirty[b], self.end[b]) = (start, end, end);
            return block;
        }
        self.start.push(start);
        self.dirty.push(end);
        self.end.push(end);
        self.count() - 1
    }
}
