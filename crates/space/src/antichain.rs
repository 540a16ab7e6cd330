//! States of which only those are kept whose monitor's state is not above a known one.
//!
//! De Wulf, Doyen, Henzinger, Raskin, CAV 2006, for sets of configurations beside states: where (s, T) is known, (s, U)
//! with T below U need not be explored, since whatever goes wrong after U goes wrong after T, as early. Invariant:
//! within a layer, a state of the model keeps the least of what was found with it, whatever the order in which that
//! came; what earlier layers hold is dropped from the chains only, since it is expanded already and ways lead through
//! it. So counts do not depend on the order within a layer, and shortest counterexamples stay. Cost: a comparison per
//! link of a chain. Oracle: the search that keeps everything.

use crate::wire;
use std::io::{self, Read, Write};

/// Marks the end of a chain.
const END: u32 = u32::MAX;

/// A state of the model, one of the monitor, and the next pair with the same state of the model.
#[derive(Clone, Copy)]
pub(crate) struct Pair {
    pub state: u32,
    pub beside: u32,
    next: u32,
}

/// Pairs in the order in which they were found, chained by the model's state.
#[derive(Default)]
pub(crate) struct Pairs {
    list: Vec<Pair>,
    /// Per state of the model the newest pair.
    heads: Vec<u32>,
    /// Where the layer that is being found begins.
    layer: usize,
    /// Those of this layer that a later one is below of.
    gone: Vec<u32>,
}

impl Pairs {
    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn get(&self, id: usize) -> Pair {
        self.list[id]
    }

    /// Adds a pair unless one that is below it is known; gives the number of either, which holds until the layer is
    /// settled. `below` says whether whatever goes wrong after its second argument does so after its first.
    pub fn insert<E>(
        &mut self,
        state: u32,
        beside: u32,
        below: &mut dyn FnMut(u32, u32) -> Result<bool, E>,
    ) -> Result<u32, E> {
        if self.heads.len() <= state as usize {
            self.heads.resize(state as usize + 1, END);
        }
        let mut at = self.heads[state as usize];
        while at != END {
            let pair = self.list[at as usize];
            if pair.beside == beside || below(pair.beside, beside)? {
                return Ok(at);
            }
            at = pair.next;
        }
        let mut before = END;
        let mut at = self.heads[state as usize];
        while at != END {
            let Pair { beside: other, next, .. } = self.list[at as usize];
            if below(beside, other)? {
                match before {
                    END => self.heads[state as usize] = next,
                    before => self.list[before as usize].next = next,
                }
                if at as usize >= self.layer {
                    self.gone.push(at);
                }
            } else {
                before = at;
            }
            at = next;
        }
        let id = u32::try_from(self.list.len()).ok().filter(|id| *id != END).expect("fewer than 2^32 states");
        self.list.push(Pair { state, beside, next: self.heads[state as usize] });
        self.heads[state as usize] = id;
        Ok(id)
    }

    /// Ends a layer: what a later pair of it is below of is left out, and the others get their final numbers.
    pub fn settle(&mut self) {
        if !self.gone.is_empty() {
            self.gone.sort_unstable();
            let first = self.layer as u32;
            let gone = std::mem::take(&mut self.gone);
            let number = |old: u32| match old {
                END => END,
                old if old < first => old,
                old => old - gone.partition_point(|g| *g < old) as u32,
            };
            let (mut to, mut skip) = (self.layer, gone.iter().peekable());
            for old in self.layer..self.list.len() {
                if skip.next_if(|g| **g as usize == old).is_some() {
                    continue;
                }
                let pair = self.list[old];
                if self.heads[pair.state as usize] == old as u32 {
                    self.heads[pair.state as usize] = to as u32;
                }
                self.list[to] = Pair { next: number(pair.next), ..pair };
                to += 1;
            }
            self.list.truncate(to);
        }
        self.layer = self.list.len();
    }

    pub fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        wire::put_list(out, self.list.iter(), |out, pair| {
            wire::put(out, (pair.state as u64) << 32 | pair.beside as u64)?;
            wire::put(out, pair.next as u64)
        })?;
        wire::put_list(out, self.heads.iter(), |out, head| wire::put(out, *head as u64))?;
        wire::put_list(out, self.gone.iter(), |out, gone| wire::put(out, *gone as u64))?;
        wire::put(out, self.layer as u64)
    }

    pub fn load(input: &mut dyn Read) -> io::Result<Pairs> {
        let list = wire::get_list(input, |input| {
            let both = wire::get(input)?;
            let next = wire::get_small(input)?;
            Ok(Pair { state: (both >> 32) as u32, beside: both as u32, next })
        })?;
        let heads = wire::get_list(input, wire::get_small)?;
        let gone = wire::get_list(input, wire::get_small)?;
        let layer = wire::get_small(input)?;
        Ok(Pairs { list, heads, layer, gone })
    }

    /// What the growth of the list needs for a moment.
    pub fn growth(&self) -> u64 {
        24 * self.list.capacity() as u64
    }

    pub fn bytes(&self) -> u64 {
        (12 * self.list.capacity() + 4 * (self.heads.capacity() + self.gone.capacity())) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Sets of bits, ordered by inclusion.
    fn add(pairs: &mut Pairs, state: u32, set: u32) {
        let Ok(_) = pairs.insert::<std::convert::Infallible>(state, set, &mut |a, b| Ok(a & !b == 0));
    }

    fn kept(pairs: &Pairs, from: usize) -> BTreeSet<(u32, u32)> {
        pairs.list[from..].iter().map(|pair| (pair.state, pair.beside)).collect()
    }

    #[test]
    fn a_layer_keeps_the_least_whatever_the_order() {
        // Two layers of sets of five bits beside three states, in many orders: the same pairs are kept.
        let layers: [Vec<(u32, u32)>; 2] =
            [0, 1].map(|l| (0..40).map(|n| (n % 3, (n * 7 + l * 11 + n * n) % 31 + 1)).collect());
        let mut known: Option<[BTreeSet<(u32, u32)>; 2]> = None;
        for turn in 0..40 {
            let mut pairs = Pairs::default();
            let mut found: [BTreeSet<(u32, u32)>; 2] = Default::default();
            for (at, layer) in layers.iter().enumerate() {
                let from = pairs.len();
                let mut order = layer.clone();
                order.rotate_left(turn);
                order.iter().for_each(|(state, set)| add(&mut pairs, *state, *set));
                pairs.settle();
                found[at] = kept(&pairs, from);
                assert_eq!(found[at].len(), pairs.len() - from, "each once");
            }
            let least = |(state, set): &(u32, u32), layer: &[(u32, u32)]| {
                !layer.iter().any(|(s, other)| s == state && other != set && other & !set == 0)
            };
            assert!(found[0].iter().all(|pair| least(pair, &layers[0])));
            assert!(found[1].iter().all(|pair| least(pair, &layers[1]) && least(pair, &layers[0])));
            assert_eq!(known.get_or_insert_with(|| found.clone()), &found, "turn {turn}");
        }
        let known = known.expect("there were turns");
        assert!(known[0].len() < 20 && !known[1].is_empty());
    }
}
