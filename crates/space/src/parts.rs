//! Parts of states, stored once: byte strings numbered in the order of arrival. Storage is exact.

use crate::wire;
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;
use std::io::{self, Read, Write};

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

    pub(crate) fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        wire::put_list(out, 0..self.len() as u32, |out, id| wire::put_bytes(out, self.get(id)))
    }

    /// Reads parts and hands them on in their order.
    pub(crate) fn read(input: &mut dyn Read, mut part: impl FnMut(&[u8]) -> bool) -> io::Result<()> {
        let count: usize = wire::get_small(input)?;
        for _ in 0..count {
            if !part(&wire::get_bytes(input)?) {
                return Err(wire::damaged("a part is there twice"));
            }
        }
        Ok(())
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
