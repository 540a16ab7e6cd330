//! Interning: a thing is stored once and known by a number from then on. Storage is exact.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::{BuildHasher, Hash};

/// Byte strings, numbered in the order of arrival.
#[derive(Default)]
pub(crate) struct Store {
    arena: Vec<u8>,
    ends: Vec<u64>,
    table: HashTable<u32>,
    hasher: FixedState,
}

impl Store {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The bytes with this number.
    pub fn get(&self, id: u32) -> &[u8] {
        slice(&self.arena, &self.ends, id)
    }

    /// The number of these bytes, and whether they are new.
    pub fn intern(&mut self, bytes: &[u8]) -> (u32, bool) {
        let hash = self.hasher.hash_one(bytes);
        let (arena, ends, hasher) = (&self.arena, &self.ends, &self.hasher);
        let found = self.table.find(hash, |id| slice(arena, ends, *id) == bytes);
        if let Some(id) = found {
            return (*id, false);
        }
        let id = u32::try_from(ends.len()).expect("fewer than 2^32 states");
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

/// Other things, numbered in the order of arrival.
pub(crate) struct Interner<T> {
    items: Vec<T>,
    table: HashTable<u32>,
    hasher: FixedState,
    payload: u64,
}

impl<T> Default for Interner<T> {
    fn default() -> Interner<T> {
        Interner { items: Vec::new(), table: HashTable::new(), hasher: FixedState::default(), payload: 0 }
    }
}

impl<T: Hash + Eq> Interner<T> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// The thing with this number.
    pub fn get(&self, id: u32) -> &T {
        &self.items[id as usize]
    }

    /// The number of a thing that equals `item`; `own` makes it when it is new. `Q` must hash as `T` does.
    pub fn intern<Q>(&mut self, item: &Q, own: impl FnOnce() -> T) -> (u32, bool)
    where
        Q: Hash + ?Sized,
        T: std::borrow::Borrow<Q>,
        Q: Eq,
    {
        let hash = self.hasher.hash_one(item);
        let (items, hasher) = (&self.items, &self.hasher);
        if let Some(id) = self.table.find(hash, |id| items[*id as usize].borrow() == item) {
            return (*id, false);
        }
        let id = u32::try_from(items.len()).expect("fewer than 2^32 things");
        self.table.insert_unique(hash, id, |id| hasher.hash_one(items[*id as usize].borrow()));
        self.items.push(own());
        (id, true)
    }

    /// Notes memory that an item owns outside of itself.
    pub fn owns(&mut self, bytes: usize) {
        self.payload += bytes as u64;
    }

    /// Memory in use.
    pub fn bytes(&self) -> u64 {
        let items = self.items.capacity() * std::mem::size_of::<T>();
        (items + 5 * self.table.capacity() * 8 / 7) as u64 + self.payload
    }
}
