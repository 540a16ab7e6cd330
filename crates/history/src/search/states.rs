//! States of the specification, each kept once and known by a number.

use std::hash::{BuildHasher, Hash};

use foldhash::fast::FixedState;
use hashbrown::HashTable;

/// Distinct values with numbers in the order of their first appearance.
#[derive(Clone, Debug)]
pub struct Interned<T> {
    items: Vec<T>,
    index: HashTable<u32>,
    hasher: FixedState,
    heap: u64,
}

impl<T> Default for Interned<T> {
    fn default() -> Interned<T> {
        Interned { items: Vec::new(), index: HashTable::new(), hasher: FixedState::default(), heap: 0 }
    }
}

impl<T: Eq + Hash> Interned<T> {
    pub fn new() -> Interned<T> {
        Interned::default()
    }

    /// The number of a value; `heap` gives the bytes that a new one takes.
    pub fn number(&mut self, item: T, heap: impl FnOnce(&T) -> usize) -> u32 {
        let hash = self.hasher.hash_one(&item);
        if let Some(&i) = self.index.find(hash, |&i| self.items[i as usize] == item) {
            return i;
        }
        let i = self.items.len() as u32;
        self.heap += heap(&item) as u64;
        self.items.push(item);
        let (items, hasher) = (&self.items, &self.hasher);
        self.index.insert_unique(hash, i, |&i| hasher.hash_one(&items[i as usize]));
        i
    }

    pub fn get(&self, number: u32) -> &T {
        &self.items[number as usize]
    }

    pub fn bytes(&self) -> u64 {
        self.heap + (self.items.capacity() * std::mem::size_of::<T>() + self.index.capacity() * 5) as u64
    }
}
