//! Which number a value has: small integers are looked up by place, everything else by hash.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::datum::Datum;

const NONE: u32 = u32::MAX;

/// Numbers of values.
pub struct Index<'a> {
    /// Integers below this are looked up by place.
    bound: i64,
    by_place: Vec<u32>,
    by_hash: HashMap<&'a Datum, u32, FixedState>,
}

impl<'a> Index<'a> {
    /// For about so many values.
    pub fn new(expected: usize) -> Index<'a> {
        let bound = 4 * expected as i64 + 256;
        Index { bound, by_place: Vec::new(), by_hash: HashMap::default() }
    }

    /// The number of a value.
    pub fn get(&self, value: &Datum) -> Option<u32> {
        match value {
            Datum::Int(i) if (0..self.bound).contains(i) => {
                self.by_place.get(*i as usize).copied().filter(|n| *n != NONE)
            }
            other => self.by_hash.get(other).copied(),
        }
    }

    /// Numbers a value. False when it had a number already, which it keeps.
    pub fn insert(&mut self, value: &'a Datum, number: u32) -> bool {
        match value {
            Datum::Int(i) if (0..self.bound).contains(i) => {
                let at = *i as usize;
                if at >= self.by_place.len() {
                    self.by_place
                        .resize((at + 1).max(2 * self.by_place.len()).min(self.bound as usize), NONE);
                }
                let fresh = self.by_place[at] == NONE;
                if fresh {
                    self.by_place[at] = number;
                }
                fresh
            }
            other => match self.by_hash.entry(other) {
                std::collections::hash_map::Entry::Occupied(_) => false,
                std::collections::hash_map::Entry::Vacant(slot) => {
                    slot.insert(number);
                    true
                }
            },
        }
    }
}
