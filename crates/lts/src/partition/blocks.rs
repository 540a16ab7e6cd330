//! A partition of nodes into blocks, each with its dirty nodes at the end.
//!
//! After Valmari and Lehtinen, STACS 2008 (refinable partition). Invariant: the nodes of block `b`
//! stand at `start..end` of `nodes`, the dirty ones from `dirty` on. Marking one node is O(1).

use crate::fetch::{BATCH, fetch};

/// The partition.
pub(crate) struct Blocks {
    nodes: Vec<u32>,
    of: Vec<Seat>,
    extent: Vec<Extent>,
    /// The parts of the block that is cut, kept for its room: their ids and next free places.
    parts: Vec<Seat>,
}

/// Where the nodes of a block stand.
#[derive(Clone, Copy)]
struct Extent {
    start: u32,
    dirty: u32,
    end: u32,
}

/// The block of a node and its place in `nodes`: whoever asks for one mostly asks for both.
#[derive(Clone, Copy)]
struct Seat {
    block: u32,
    place: u32,
}

/// The block of every node, and which nodes of one block are dirty.
pub(crate) struct Seats<'a> {
    of: &'a [Seat],
    dirty: u32,
}

impl Seats<'_> {
    /// The block of a node, and if it is the one asked for, whether the node is dirty.
    #[inline]
    pub(crate) fn of(&self, node: u32) -> (u32, bool) {
        let Seat { block, place } = self.of[node as usize];
        (block, place >= self.dirty)
    }
}

/// How a block falls apart: its dirty nodes by key, and the clean rest.
pub(crate) struct BlockSplit<'a> {
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
            extent: vec![Extent { start: 0, dirty: 0, end: n }],
            parts: Vec::new(),
        }
    }

    pub(crate) fn count(&self) -> u32 {
        self.extent.len() as u32
    }

    #[inline]
    pub(crate) fn of(&self, node: u32) -> u32 {
        self.of[node as usize].block
    }

    pub(crate) fn into_block_of(self) -> Vec<u32> {
        self.of.into_iter().map(|seat| seat.block).collect()
    }

    pub(crate) fn nodes(&self, block: u32) -> &[u32] {
        let Extent { start, end, .. } = self.extent[block as usize];
        &self.nodes[start as usize..end as usize]
    }

    pub(crate) fn dirty(&self, block: u32) -> &[u32] {
        let Extent { dirty, end, .. } = self.extent[block as usize];
        &self.nodes[dirty as usize..end as usize]
    }

    pub(crate) fn clean_count(&self, block: u32) -> u32 {
        let Extent { start, dirty, .. } = self.extent[block as usize];
        dirty - start
    }

    pub(crate) fn is_dirty(&self, node: u32) -> bool {
        let seat = self.of[node as usize];
        seat.place >= self.extent[seat.block as usize].dirty
    }

    /// The blocks of all nodes, to ask about the dirty nodes of one block.
    pub(crate) fn seats(&self, block: u32) -> Seats<'_> {
        Seats { of: &self.of, dirty: self.extent[block as usize].dirty }
    }

    pub(crate) fn is_single(&self, block: u32) -> bool {
        let Extent { start, end, .. } = self.extent[block as usize];
        end - start <= 1
    }

    pub(crate) fn clean_all(&mut self, block: u32) {
        let extent = &mut self.extent[block as usize];
        extent.dirty = extent.end;
    }

    /// Marks a node. True when its block had no dirty node before; a block of one node stays clean.
    #[inline]
    pub(crate) fn mark(&mut self, node: u32) -> bool {
        let Seat { block, place: at } = self.of[node as usize];
        let extent = &mut self.extent[block as usize];
        if at >= extent.dirty || extent.end - extent.start == 1 {
            return false;
        }
        let first = extent.dirty == extent.end;
        extent.dirty -= 1;
        let to = extent.dirty;
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
        let mut at = self.extent[b].end;
        while at > self.extent[b].dirty && self.extent[b].dirty > self.extent[b].start {
            let from = at.saturating_sub(BATCH as u32).max(self.extent[b].dirty);
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
    pub(crate) fn cut(&mut self, block: u32, cut: BlockSplit<'_>) -> u32 {
        let Extent { start, dirty, .. } = self.extent[block as usize];
        let first_new = self.count();
        let clean = dirty - start;
        let (mut largest, mut size) = (None, clean);
        for (key, &count) in cut.sizes.iter().enumerate() {
            if count > size {
                (largest, size) = (Some(key), count);
            }
        }
        let mut at = dirty;
        let mut parts = std::mem::take(&mut self.parts);
        for (key, &count) in cut.sizes.iter().enumerate() {
            let id = self.place_part(block, largest == Some(key), at, at + count);
            parts.push(Seat { block: id, place: at });
            at += count;
        }
        for &node in cut.nodes {
            let part = &mut parts[cut.key[node as usize] as usize];
            self.nodes[part.place as usize] = node;
            self.of[node as usize] = *part;
            part.place += 1;
        }
        parts.clear();
        self.parts = parts;
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
        let extent = Extent { start, dirty: end, end };
        if keeps {
            self.extent[block as usize] = extent;
            return block;
        }
        self.extent.push(extent);
        self.count() - 1
    }
}
