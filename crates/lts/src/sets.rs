//! Sets of states closed under tau, each stored once and known by a number.
//!
//! Exact: a hit in the table is confirmed element by element.

use crate::partition::keys::hash_words;
use crate::system::{Lts, StateId};
use hashbrown::HashTable;

/// The sets met so far.
pub(crate) struct Sets {
    elements: Vec<StateId>,
    ends: Vec<usize>,
    table: HashTable<u32>,
    stamp: Vec<u32>,
    now: u32,
    scratch: Vec<StateId>,
}

fn hash(set: &[StateId]) -> u64 {
    hash_words(set.iter().map(|s| u64::from(s.0)))
}

impl Sets {
    pub(crate) fn new(lts: &Lts) -> Sets {
        Sets {
            elements: Vec::new(),
            ends: Vec::new(),
            table: HashTable::new(),
            stamp: vec![0; lts.states()],
            now: 0,
            scratch: Vec::new(),
        }
    }

    pub(crate) fn len(&self) -> u32 {
        self.ends.len() as u32
    }

    pub(crate) fn get(&self, set: u32) -> &[StateId] {
        let start = if set == 0 { 0 } else { self.ends[set as usize - 1] };
        &self.elements[start..self.ends[set as usize]]
    }

    pub(crate) fn bytes(&self) -> u64 {
        (self.elements.capacity() * 4 + self.ends.capacity() * 16 + self.stamp.len() * 4) as u64
    }

    /// The number of the set of all states that `from` reach by tau steps.
    pub(crate) fn closed(&mut self, lts: &Lts, from: impl IntoIterator<Item = StateId>) -> u32 {
        self.now = self.now.checked_add(1).unwrap_or_else(|| {
            self.stamp.fill(0);
            1
        });
        let mut set = std::mem::take(&mut self.scratch);
        set.clear();
        for s in from {
            self.visit(s, &mut set);
        }
        let mut next = 0;
        while next < set.len() {
            for m in lts.moves(set[next]).iter().filter(|m| m.is_tau()) {
                self.visit(m.target(), &mut set);
            }
            next += 1;
        }
        set.sort_unstable();
        let number = self.intern(&set);
        self.scratch = set;
        number
    }

    fn visit(&mut self, s: StateId, set: &mut Vec<StateId>) {
        if self.stamp[s.index()] != self.now {
            self.stamp[s.index()] = self.now;
            set.push(s);
        }
    }

    fn intern(&mut self, set: &[StateId]) -> u32 {
        let h = hash(set);
        if let Some(&number) = self.table.find(h, |&number| self.get(number) == set) {
            return number;
        }
        let number = self.len();
        self.elements.extend_from_slice(set);
        self.ends.push(self.elements.len());
        let mut table = std::mem::take(&mut self.table);
        table.insert_unique(h, number, |&number| hash(self.get(number)));
        self.table = table;
        number
    }

    /// Whether set `a` is a subset of set `b`.
    pub(crate) fn subset(&self, a: u32, b: u32) -> bool {
        if a == b {
            return true;
        }
        let (a, b) = (self.get(a), self.get(b));
        let mut rest = b.iter();
        a.len() < b.len() && a.iter().all(|x| rest.by_ref().find(|&y| y >= x) == Some(x))
    }
}
