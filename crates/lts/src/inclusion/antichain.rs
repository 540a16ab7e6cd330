//! For each implementation state the sets met with it, none a subset of another.

use super::specification::{NONE, SETS};
use crate::fetch::fetch;
use crate::sets::Sets;
use crate::system::StateId;
use trueline_base::Stop;

/// Nearly every state has one set, which stands beside it; those with more have lists.
pub(super) struct Antichain {
    /// By state: `NONE`, a set, or `SETS` plus the number of a list.
    entries: Vec<u32>,
    lists: Vec<Vec<u32>>,
    listed: usize,
    /// Pairs of a set and one that contains it, met last, each in the one place that it decides.
    contained: Vec<(u32, u32)>,
}

/// A power of two.
const CONTAINED: usize = 1 << 12;

#[inline]
fn place(known: u32, set: u32) -> usize {
    let h = (u64::from(known) << 32 | u64::from(set)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (h >> 40) as usize % CONTAINED
}

impl Antichain {
    pub(super) fn new(states: usize) -> Antichain {
        let contained = vec![(NONE, NONE); CONTAINED];
        Antichain { entries: vec![NONE; states], lists: Vec::new(), listed: 0, contained }
    }

    /// What one for so many states takes before anything is in it.
    pub(super) fn least_bytes(states: usize) -> u64 {
        (states * 4 + CONTAINED * 8) as u64
    }

    pub(super) fn bytes(&self) -> u64 {
        // A list has room for up to twice what it holds.
        let lists = self.lists.capacity() * size_of::<Vec<u32>>() + self.listed * 8;
        Antichain::least_bytes(self.entries.len()) + lists as u64
    }

    /// Brings what is known of some states into the cache.
    #[inline]
    pub(super) fn fetch(&self, states: impl Iterator<Item = StateId>) {
        fetch(states.map(|s| self.entries[s.index()]));
    }

    /// Adds a set; false when a subset of it is there already.
    #[inline]
    pub(super) fn insert(&mut self, state: StateId, set: u32, sets: &Sets) -> Result<bool, Stop> {
        let entry = &mut self.entries[state.index()];
        if *entry == set {
            return Ok(false);
        }
        if *entry == NONE {
            *entry = set;
            return Ok(true);
        }
        if self.contained[place(*entry, set)] == (*entry, set) {
            return Ok(false);
        }
        self.insert_among(state, set, sets)
    }

    #[cold]
    fn insert_among(&mut self, state: StateId, set: u32, sets: &Sets) -> Result<bool, Stop> {
        let entry = &mut self.entries[state.index()];
        let list = match entry.checked_sub(SETS) {
            Some(list) => &mut self.lists[list as usize],
            None if sets.subset(*entry, set) => {
                self.contained[place(*entry, set)] = (*entry, set);
                return Ok(false);
            }
            None if sets.subset(set, *entry) => {
                *entry = set;
                return Ok(true);
            }
            None => {
                let list = u32::try_from(self.lists.len()).ok().filter(|&list| list < NONE - SETS);
                self.lists.push(vec![*entry]);
                self.listed += 1;
                *entry = SETS + list.ok_or(Stop::Memory)?;
                self.lists.last_mut().expect("one was added")
            }
        };
        if list.iter().any(|&known| sets.subset(known, set)) {
            return Ok(false);
        }
        let before = list.len();
        list.retain(|&known| !sets.subset(set, known));
        list.push(set);
        self.listed = self.listed + list.len() - before;
        Ok(true)
    }
}
