//! Things that are kept once and known by a number.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// A table of distinct things.
#[derive(Clone, Debug)]
pub struct Numbers<T> {
    all: Vec<T>,
    index: FxHashMap<T, u32>,
}

impl<T> Default for Numbers<T> {
    fn default() -> Numbers<T> {
        Numbers { all: Vec::new(), index: FxHashMap::default() }
    }
}

impl<T: Hash + Eq + Clone> Numbers<T> {
    /// The number of a thing.
    pub fn of(&mut self, thing: T) -> u32 {
        if let Some(&number) = self.index.get(&thing) {
            return number;
        }
        let number = self.all.len() as u32;
        self.all.push(thing.clone());
        self.index.insert(thing, number);
        number
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
