//! Things that are kept once and known by a number.
//!
//! Workers that explore at the same time must agree on numbers, and look them up all the time: each has a copy of the
//! table, and only what is new to it is looked up in the one that they share.

use std::hash::Hash;
use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;

/// A table of distinct things.
#[derive(Clone, Debug)]
pub struct Numbers<T> {
    all: Vec<T>,
    index: FxHashMap<T, u32>,
    shared: Option<Arc<Mutex<Vec<T>>>>,
}

impl<T> Default for Numbers<T> {
    fn default() -> Numbers<T> {
        Numbers { all: Vec::new(), index: FxHashMap::default(), shared: None }
    }
}

/// Locks what workers share. What a worker that panics leaves behind is complete: each holds the lock for one change.
pub fn lock<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(|e| e.into_inner())
}

impl<T: Hash + Eq + Clone> Numbers<T> {
    /// The number of a thing.
    pub fn of(&mut self, thing: T) -> u32 {
        if let Some(&number) = self.index.get(&thing) {
            return number;
        }
        let Some(shared) = self.shared.clone() else { return self.add(thing) };
        let mut shared = lock(&shared);
        self.add_from(&shared);
        if let Some(&number) = self.index.get(&thing) {
            return number;
        }
        shared.push(thing.clone());
        self.add(thing)
    }

    fn add(&mut self, thing: T) -> u32 {
        let number = self.all.len() as u32;
        self.all.push(thing.clone());
        self.index.insert(thing, number);
        number
    }

    fn add_from(&mut self, shared: &[T]) {
        for thing in &shared[self.all.len()..] {
            self.add(thing.clone());
        }
    }

    /// From now on copies of this table give the same numbers to the same things.
    pub fn share(&mut self) {
        self.shared = Some(Arc::new(Mutex::new(self.all.clone())));
    }

    /// Takes in what other copies have numbered.
    pub fn catch_up(&mut self) {
        if let Some(shared) = self.shared.clone() {
            self.add_from(&lock(&shared));
        }
    }

    /// The thing of a number.
    pub fn get(&self, number: u32) -> &T {
        &self.all[number as usize]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}
