//! How threads rename global structs after a move of another: names by old address, and what becomes their own.

use super::canon::{GONE, HELD};
use crate::machine::state::Heap;
use hashbrown::HashMap;

/// New names of the global structs; where some become a thread's own, the heap that holds their contents.
pub(super) struct Renaming {
    pub map: Box<[u32]>,
    pub heap: Option<Heap>,
}

/// Renamings by number; 0 changes nothing.
pub(super) struct Renamings {
    list: Vec<Renaming>,
    /// Those that only change names.
    numbers: HashMap<Box<[u32]>, u32, foldhash::fast::FixedState>,
    bytes: u64,
}

impl Default for Renamings {
    fn default() -> Renamings {
        let none = Renaming { map: Box::default(), heap: None };
        Renamings { list: vec![none], numbers: HashMap::default(), bytes: 0 }
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
            let names: Box<[u32]> =
                map[..before].iter().map(|n| if *n == HELD { GONE } else { *n }).collect();
            if let Some(known) = self.numbers.get(&names) {
                return *known;
            }
            let id = self.list.len() as u32;
            self.bytes += 16 * names.len() as u64 + 64;
            self.numbers.insert(names.clone(), id);
            self.list.push(Renaming { map: names, heap: None });
            return id;
        }
        let copy = Heap { heads: heap.heads.clone(), cells: heap.cells.clone() };
        self.bytes += (16 * copy.heads.len() + 40 * copy.cells.len() + 4 * map.len()) as u64;
        self.list.push(Renaming { map: map.into(), heap: Some(copy) });
        self.list.len() as u32 - 1
    }

    pub fn get(&self, id: u32) -> &Renaming {
        &self.list[id as usize]
    }

    /// Which structs it renames, and whether some beyond 63.
    pub fn changes(&self, id: u32) -> (u64, bool) {
        let map = &self.list[id as usize].map;
        let mut changes = (0, false);
        for (old, new) in map.iter().enumerate().filter(|(old, new)| **new != *old as u32) {
            let _ = new;
            if old < 64 {
                changes.0 |= 1 << old;
            } else {
                changes.1 = true;
            }
        }
        changes
    }

    pub fn bytes(&self) -> u64 {
        self.bytes + (self.list.capacity() * std::mem::size_of::<Renaming>()) as u64
    }
}
