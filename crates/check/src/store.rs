//! Interning: a thing is stored once and known by a number from then on. Storage is exact.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::{BuildHasher, Hash};

/// Things, numbered in the order of arrival. Byte strings have a store of their own, `trueline_space::Parts`.
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
