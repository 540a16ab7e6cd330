//! Preorders from their definitions: the greatest relation by taking pairs away, and sets after every trace.

use super::Plain;
use crate::preorder::Preorder;
use crate::system::Lts;
use std::collections::{BTreeSet, HashSet, VecDeque};

type Set = BTreeSet<usize>;

/// Whether `left` refines `right`; labels are joined by name.
///
/// # Panics
/// When both systems together have more states than there are numbers.
pub fn refines(left: &Lts, right: &Lts, by: Preorder) -> bool {
    let union = left.disjoint_union(right).expect("small systems");
    let plain = Plain::new(&union);
    let ends = (left.initial().index(), left.states() + right.initial().index());
    match by {
        Preorder::Simulation => simulates(&plain, ends, false),
        Preorder::ReadySimulation => simulates(&plain, ends, true),
        Preorder::Failures => fails_no_more(&plain, ends, false),
        Preorder::FailuresDivergences => fails_no_more(&plain, ends, true),
    }
}

fn initials(plain: &Plain, s: usize) -> Set {
    plain.from(s).map(|(a, _)| a).collect()
}

fn simulates(plain: &Plain, ends: (usize, usize), ready: bool) -> bool {
    let all = || (0..plain.n).flat_map(|s| (0..plain.n).map(move |t| (s, t)));
    let fits = |s: usize, t: usize| !ready || initials(plain, s) == initials(plain, t);
    let mut related: HashSet<(usize, usize)> = all().filter(|&(s, t)| fits(s, t)).collect();
    loop {
        let answered = |&&(s, t): &&(usize, usize)| {
            plain.from(s).all(|(a, u)| plain.from(t).any(|(b, v)| a == b && related.contains(&(u, v))))
        };
        let kept: HashSet<(usize, usize)> = related.iter().filter(answered).copied().collect();
        if kept.len() == related.len() {
            return kept.contains(&ends);
        }
        related = kept;
    }
}

fn closed(plain: &Plain, set: impl IntoIterator<Item = usize>) -> Set {
    set.into_iter().flat_map(|s| plain.closure[s].iter().copied()).collect()
}

/// Compares, after every trace of the first, all that both may be in.
fn fails_no_more(plain: &Plain, ends: (usize, usize), divergence: bool) -> bool {
    let labels = plain.steps.iter().flatten().map(|x| x.0 + 1).max().unwrap_or(1);
    let stable = |s: usize| plain.from(s).all(|(a, _)| a != 0);
    let diverges = |set: &Set| set.iter().any(|&s| plain.diverges(s, |_| true));
    let first = (closed(plain, [ends.0]), closed(plain, [ends.1]));
    let mut seen = HashSet::from([first.clone()]);
    let mut open = VecDeque::from([first]);
    while let Some((x, y)) = open.pop_front() {
        if divergence && diverges(&y) {
            continue;
        }
        if y.is_empty() || (divergence && diverges(&x)) {
            return false;
        }
        // Whatever a stable state of the first refuses, some stable state of the second refuses too.
        let refused =
            |s: usize| y.iter().any(|&t| stable(t) && initials(plain, t).is_subset(&initials(plain, s)));
        if x.iter().any(|&s| stable(s) && !refused(s)) {
            return false;
        }
        for label in 1..labels {
            let after = |set: &Set| {
                closed(plain, set.iter().flat_map(|&s| plain.from(s)).filter(|e| e.0 == label).map(|e| e.1))
            };
            let next = (after(&x), after(&y));
            if !next.0.is_empty() && seen.insert(next.clone()) {
                open.push_back(next);
            }
        }
    }
    true
}
