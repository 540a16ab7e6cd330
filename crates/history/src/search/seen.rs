//! The configurations that a search has entered, and those that need not be entered beside them.
//!
//! An operation that never returns may be put into the order later, or never. So a configuration from which an
//! order can be completed stays such when some of its pending operations are taken out of the order again: of
//! configurations that agree in everything else, only those with the fewest pending operations in the order
//! matter. Wulf, Doyen, Henzinger, Raskin, CAV 2006 (antichains) is the idea; without pending operations it is an
//! ordinary set. Storage is exact.

use std::hash::Hash;

use foldhash::fast::FixedState;
use hashbrown::hash_map::Entry;
use hashbrown::{HashMap, HashSet};

use super::mask::Mask;

/// A configuration: which operations are in the order, how many events were passed, the state.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Key<M> {
    pub mask: M,
    pub layer: u32,
    pub state: u32,
}

/// Configurations.
pub enum Configurations<M> {
    /// Every operation returns.
    Exact(HashSet<Key<M>, FixedState>),
    /// Operations from a slot on do not.
    Fewest {
        /// The slot.
        pending: u32,
        /// For each configuration without its pending operations where their sets begin in `sets`.
        heads: HashMap<Key<M>, u32, FixedState>,
        /// Sets of pending operations, none of which contains another of its list, and the next of the list.
        sets: Vec<(M, u32)>,
    },
}

const END: u32 = u32::MAX;

impl<M: Mask> Configurations<M> {
    /// For slots of which those from `pending` on belong to operations that never return.
    pub fn new(slots: u32, pending: u32, expected: usize) -> Configurations<M> {
        let hasher = FixedState::default();
        match pending < slots {
            false => Configurations::Exact(HashSet::with_capacity_and_hasher(expected, hasher)),
            true => {
                let heads = HashMap::with_capacity_and_hasher(expected, hasher);
                Configurations::Fewest { pending, heads, sets: Vec::with_capacity(expected) }
            }
        }
    }

    /// Enters a configuration. False when it, or one that can do all that it can, was entered before.
    pub fn insert(&mut self, key: &Key<M>) -> bool {
        match self {
            Configurations::Exact(set) => set.insert(key.clone()),
            Configurations::Fewest { pending, heads, sets } => {
                let (returning, own) = key.mask.clone().split(*pending);
                let fresh = sets.len() as u32;
                match heads.entry(Key { mask: returning, layer: key.layer, state: key.state }) {
                    Entry::Vacant(head) => {
                        head.insert(fresh);
                        sets.push((own, END));
                        true
                    }
                    Entry::Occupied(mut head) => {
                        let mut at = *head.get();
                        while at != END {
                            let (other, next) = &sets[at as usize];
                            if other.within(&own) {
                                return false;
                            }
                            at = *next;
                        }
                        // What contains the new set is of no more use.
                        let mut kept = END;
                        let mut at = *head.get();
                        while at != END {
                            let next = sets[at as usize].1;
                            if !own.within(&sets[at as usize].0) {
                                sets[at as usize].1 = kept;
                                kept = at;
                            }
                            at = next;
                        }
                        sets.push((own, kept));
                        head.insert(fresh);
                        true
                    }
                }
            }
        }
    }

    /// Bytes that it takes, when a mask takes `wide` beyond its own size.
    pub fn bytes(&self, wide: usize) -> u64 {
        let key = std::mem::size_of::<Key<M>>();
        let bytes = match self {
            Configurations::Exact(set) => set.capacity() * (key + 1) + set.len() * wide,
            Configurations::Fewest { heads, sets, .. } => {
                heads.capacity() * (key + 5)
                    + sets.capacity() * std::mem::size_of::<(M, u32)>()
                    + (heads.len() + sets.len()) * wide
            }
        };
        bytes as u64
    }

    /// Bytes that the next configuration takes besides, when the table has to grow for it: both are there while it
    /// does.
    pub fn growth(&self) -> u64 {
        let key = std::mem::size_of::<Key<M>>();
        let bytes = match self {
            Configurations::Exact(set) if set.len() == set.capacity() => 2 * set.capacity() * (key + 1),
            Configurations::Exact(_) => 0,
            Configurations::Fewest { heads, sets, .. } => {
                let table =
                    if heads.len() == heads.capacity() { 2 * heads.capacity() * (key + 5) } else { 0 };
                let list = if sets.len() == sets.capacity() { 2 * sets.capacity() } else { 0 };
                table + list * std::mem::size_of::<(M, u32)>()
            }
        };
        bytes as u64
    }
}
