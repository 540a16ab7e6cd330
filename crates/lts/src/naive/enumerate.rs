//! Bisimulations with explicit divergence straight from the definition: try every equivalence on
//! the states and join those that are bisimulations. For at most seven states or so.
//!
//! Van Glabbeek, Luttik and Trčka, Fundamenta Informaticae 93(4), 2009: a branching bisimulation R
//! has explicit divergence when, for s R t and an infinite tau run from s through states related
//! to t, t has an infinite tau run through states related to s.

use super::{Plain, bisimulation::answers};
use crate::partition::{Equivalence, Partition};
use crate::system::Lts;

/// The coarsest equivalence that is a bisimulation of the kind asked for.
pub fn partition_by_enumeration(lts: &Lts, by: Equivalence) -> Partition {
    let plain = Plain::new(lts);
    let n = plain.n;
    let mut joined: Vec<u32> = (0..n as u32).collect();
    let mut growth = vec![0u32; n];
    loop {
        if is_bisimulation(&plain, by, &growth) {
            for s in 0..n {
                for t in 0..n {
                    if growth[s] == growth[t] && joined[s] != joined[t] {
                        let (from, to) = (joined[s].max(joined[t]), joined[s].min(joined[t]));
                        joined.iter_mut().filter(|c| **c == from).for_each(|c| *c = to);
                    }
                }
            }
        }
        if !next_growth(&mut growth) {
            return Partition::from_ids(joined);
        }
    }
}

/// The next restricted growth string, which names the next partition.
fn next_growth(growth: &mut [u32]) -> bool {
    for i in (1..growth.len()).rev() {
        let largest = growth[..i].iter().copied().max().unwrap_or(0);
        if growth[i] <= largest {
            growth[i] += 1;
            growth[i + 1..].fill(0);
            return true;
        }
    }
    false
}

fn is_bisimulation(plain: &Plain, by: Equivalence, class: &[u32]) -> bool {
    let n = plain.n;
    let related: Vec<Vec<bool>> = (0..n).map(|s| (0..n).map(|t| class[s] == class[t]).collect()).collect();
    let divergence = matches!(by, Equivalence::DpBranching | Equivalence::DpWeak);
    (0..n).all(|s| {
        (0..n).filter(|&t| related[s][t]).all(|t| {
            answers(plain, by, &related, s, t)
                && (!divergence
                    || !plain.diverges(s, |x| related[x][t])
                    || plain.diverges(t, |x| related[s][x]))
        })
    })
}
