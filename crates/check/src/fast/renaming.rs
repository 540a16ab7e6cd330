//! How threads rename global structs after a move of another: names by old address, and what becomes their own.

use super::canon::{GONE, HELD, references};
use crate::machine::state::{Head, Heap};
use trueline_base::Interner;

/// New names of the global structs; where some become a thread's own, the heap that holds their contents.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Renaming {
    pub map: Box<[u32]>,
    pub heap: Option<Heap>,
}

/// Renamings by number; 0 changes nothing.
pub(super) struct Renamings(Interner<Renaming>);

impl Default for Renamings {
    fn default() -> Renamings {
        let mut all = Renamings(Interner::default());
        all.intern(Renaming { map: Box::default(), heap: None });
        all
    }
}

impl Renamings {
    /// The renaming that takes the first `before` structs of a heap to the names in `map`. `own` says which structs
    /// become the property of another thread than the one that moved.
    pub fn number(&mut self, map: &[u32], before: usize, own: &dyn Fn(usize) -> bool, heap: &Heap) -> u32 {
        let changed = map[..before].iter().enumerate().any(|(old, new)| *new != old as u32);
        if !changed {
            return 0;
        }
        if !(0..map.len()).any(|a| map[a] == HELD && own(a)) {
            let names = map[..before].iter().map(|n| if *n == HELD { GONE } else { *n }).collect();
            return self.intern(Renaming { map: names, heap: None });
        }
        let copy = Heap { heads: heap.heads.clone(), cells: heap.cells.clone() };
        self.intern(Renaming { map: map.into(), heap: Some(copy) })
    }

    /// The same where whoever holds one of the structs that `left` shared memory gets a copy of it.
    pub fn leaving(&mut self, map: &[u32], before: usize, left: &[u32], heap: &Heap) -> u32 {
        if left.is_empty() {
            return self.number(map, before, &|_| false, heap);
        }
        // What has left may lead to what is new and shared.
        let mut structs = before;
        let mut meet = |address: u32| structs = structs.max(address as usize + 1);
        for address in left {
            meet(*address);
            heap.cells(*address).iter().for_each(|value| references(value, &mut meet));
        }
        let mut copy = Heap { heads: vec![Head::default(); structs], cells: Vec::new() };
        for address in left {
            let start = copy.cells.len() as u32;
            copy.heads[*address as usize] = Head { start, ..heap.heads[*address as usize] };
            copy.cells.extend_from_slice(heap.cells(*address));
        }
        self.intern(Renaming { map: map[..structs].into(), heap: Some(copy) })
    }

    fn intern(&mut self, renaming: Renaming) -> u32 {
        let heap = |heap: &Heap| 16 * heap.heads.len() + 40 * heap.cells.len();
        let owns = |own: &Renaming| 4 * own.map.len() + own.heap.as_ref().map_or(0, heap);
        self.0.insert(renaming, owns).0
    }

    pub fn get(&self, id: u32) -> &Renaming {
        self.0.get(id)
    }

    /// Which structs it renames, and whether some beyond 63.
    pub fn changes(&self, id: u32) -> (u64, bool) {
        let map = &self.get(id).map;
        let mut changes = (0, false);
        for (old, _) in map.iter().enumerate().filter(|(old, new)| **new != *old as u32) {
            if old < 64 {
                changes.0 |= 1 << old;
            } else {
                changes.1 = true;
            }
        }
        changes
    }

    pub fn bytes(&self) -> u64 {
        self.0.bytes()
    }
}
