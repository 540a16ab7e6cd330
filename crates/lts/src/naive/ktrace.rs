//! k-trace equivalence by listing traces, from the definition of van Glabbeek and Weijland.
//!
//! The k-traces of a state are infinitely many when there are cycles, so they are listed up to a
//! length that suffices: with n states, two sets of (coloured) traces that differ, differ in one
//! of fewer than 2^n steps, because the deterministic system of sets has at most 2^n states.

use super::Plain;
use crate::partition::Partition;
use crate::system::Lts;
use std::collections::{BTreeMap, BTreeSet};

/// A trace: the colour of the first state, then label and colour of each step that shows.
type Trace = (u32, Vec<(usize, u32)>);

/// The partitions by 0-, 1-, ..., `k`-trace equivalence. For at most three or four states.
pub fn k_trace_partitions(lts: &Lts, k: usize) -> Vec<Partition> {
    let plain = Plain::new(lts);
    let longest = (1usize << plain.n) - 1;
    let mut colour = vec![0u32; plain.n];
    let mut all = vec![Partition::from_ids(colour.iter().copied())];
    for _ in 0..k {
        // Colours stand for the sets T^k; the next set adds the k-traces, which begin with T^k.
        let sets: Vec<BTreeSet<Trace>> = (0..plain.n).map(|s| traces(&plain, &colour, s, longest)).collect();
        let mut number: BTreeMap<&BTreeSet<Trace>, u32> = BTreeMap::new();
        for set in &sets {
            let next = number.len() as u32;
            number.entry(set).or_insert(next);
        }
        colour = sets.iter().map(|set| number[set]).collect();
        all.push(Partition::from_ids(colour.iter().copied()));
    }
    all
}

/// The coloured traces of `s` with at most `longest` steps that show.
fn traces(plain: &Plain, colour: &[u32], s: usize, longest: usize) -> BTreeSet<Trace> {
    let start = (colour[s], Vec::new());
    let mut seen = BTreeSet::from([(start.clone(), s)]);
    let mut open = vec![(start, s)];
    while let Some((trace, at)) = open.pop() {
        for (a, t) in plain.from(at) {
            let mut next = trace.clone();
            if a != 0 || colour[at] != colour[t] {
                next.1.push((a, colour[t]));
            }
            if next.1.len() <= longest && seen.insert((next.clone(), t)) {
                open.push((next, t));
            }
        }
    }
    seen.into_iter().map(|(trace, _)| trace).collect()
}
