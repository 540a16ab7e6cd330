//! Bisimulations as greatest fixed points: start with all pairs, remove those that break the
//! definition until none does.
//!
//! Divergence is not monotone in the relation, so with explicit divergence the relation is kept an
//! equivalence: classes are split by whether a state diverges inside its class, and by what the
//! pairs say. The definition itself, on all equivalences of a small system, is in `enumerate`.

use super::Plain;
use crate::partition::{Equivalence, Partition};
use crate::system::Lts;

/// The classes of an equivalence, slowly.
pub fn partition(lts: &Lts, by: Equivalence) -> Partition {
    let plain = Plain::new(lts);
    let n = plain.n;
    if by == Equivalence::Trace {
        return super::trace::partition(&plain);
    }
    let divergence = matches!(by, Equivalence::DpBranching | Equivalence::DpWeak);
    let mut class = vec![0u32; n];
    loop {
        let mut related: Vec<Vec<bool>> =
            (0..n).map(|s| (0..n).map(|t| class[s] == class[t]).collect()).collect();
        if divergence {
            let diverges: Vec<bool> = (0..n).map(|s| plain.diverges(s, |x| class[x] == class[s])).collect();
            for s in 0..n {
                for t in 0..n {
                    related[s][t] &= diverges[s] == diverges[t];
                }
            }
        }
        while remove_one_round(&plain, by, &mut related) {}
        let first = |s: usize| (0..n).find(|&t| related[s][t]).unwrap_or(s) as u32;
        let next: Vec<u32> = (0..n).map(first).collect();
        if !divergence || next == class {
            return Partition::from_ids(next);
        }
        class = next;
    }
}

fn remove_one_round(plain: &Plain, by: Equivalence, related: &mut [Vec<bool>]) -> bool {
    let mut removed = false;
    for s in 0..plain.n {
        for t in 0..plain.n {
            if related[s][t] && !answers(plain, by, related, s, t) {
                related[s][t] = false;
                related[t][s] = false;
                removed = true;
            }
        }
    }
    removed
}

/// Whether `t` answers every step of `s`.
pub(super) fn answers(plain: &Plain, by: Equivalence, related: &[Vec<bool>], s: usize, t: usize) -> bool {
    plain.from(s).all(|(a, next)| match by {
        Equivalence::Strong => plain.from(t).any(|(b, u)| a == b && related[next][u]),
        Equivalence::Branching | Equivalence::DpBranching => {
            (a == 0 && related[next][t]) || {
                let mut before = plain.closure[t].iter().filter(|&&l| related[s][l]);
                before.any(|&l| plain.from(l).any(|(b, u)| a == b && related[next][u]))
            }
        }
        _ => {
            let end = |u: usize| plain.closure[u].iter().any(|&v| related[next][v]);
            let mut before = plain.closure[t].iter();
            (a == 0 && end(t)) || before.any(|&l| plain.from(l).any(|(b, u)| a == b && end(u)))
        }
    })
}
