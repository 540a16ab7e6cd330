//! Parts of states, stored once: byte strings numbered in the order of arrival. Storage is exact.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// Byte strings and their numbers.
#[derive(Default)]
pub struct Parts {
    arena: Vec<u8>,
    ends: Vec<u64>,
    table: HashTable<u32>,
    hasher: FixedState,
}

impl Parts {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The bytes with this number.
    pub fn get(&self, id: u32) -> &[u8] {
        slice(&self.arena, &self.ends, id)
    }

    /// The number of these bytes, and whether they are new.
    pub fn intern(&mut self, bytes: &[u8]) -> (u32, bool) {
        let hash = self.hasher.hash_one(bytes);
        let (arena, ends, hasher) = (&self.arena, &self.ends, &self.hasher);
        if let Some(id) = self.table.find(hash, |id| slice(arena, ends, *id) == bytes) {
            return (*id, false);
        }
        let id = u32::try_from(ends.len()).expect("fewer than 2^32 parts");
        self.table.insert_unique(hash, id, |id| hasher.hash_one(slice(arena, ends, *id)));
        self.arena.extend_from_slice(bytes);
        self.ends.push(self.arena.len() as u64);
        (id, true)
    }

    /// Memory in use.
    pub fn bytes(&self) -> u64 {
        (self.arena.capacity() + 8 * self.ends.capacity() + 5 * self.table.capacity() * 8 / 7) as u64
    }
}

fn slice<'a>(arena: &'a [u8], ends: &[u64], id: u32) -> &'a [u8] {
    let from = if id == 0 { 0 } else { ends[id as usize - 1] };
    &arena[from as usize..ends[id as usize] as usize]
}
