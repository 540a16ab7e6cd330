//! Weak traces by sets of states, for each pair anew.

use super::Plain;
use crate::partition::Partition;
use crate::system::{LabelId, Lts};
use std::collections::{BTreeSet, HashSet, VecDeque};

type Set = BTreeSet<usize>;

fn closed(plain: &Plain, set: impl IntoIterator<Item = usize>) -> Set {
    set.into_iter().flat_map(|s| plain.closure[s].iter().copied()).collect()
}

fn after(plain: &Plain, set: &Set, label: usize) -> Set {
    let steps = set.iter().flat_map(|&s| plain.from(s)).filter(|x| x.0 == label);
    closed(plain, steps.map(|x| x.1))
}

/// A shortest sequence of labels that exactly one of two sets can do.
fn difference(a: (&Plain, usize), b: (&Plain, usize), labels: usize, both: bool) -> Option<Vec<usize>> {
    let first = (closed(a.0, [a.1]), closed(b.0, [b.1]));
    let mut seen = HashSet::from([first.clone()]);
    let mut open = VecDeque::from([(first, Vec::new())]);
    while let Some(((x, y), trace)) = open.pop_front() {
        for label in 1..labels {
            let next = (after(a.0, &x, label), after(b.0, &y, label));
            let mut longer = trace.clone();
            longer.push(label);
            if (next.1.is_empty() && !next.0.is_empty()) || (both && next.0.is_empty() && !next.1.is_empty())
            {
                return Some(longer);
            }
            if !next.0.is_empty() && seen.insert(next.clone()) {
                open.push_back((next, longer));
            }
        }
    }
    None
}

pub(super) fn partition(plain: &Plain) -> Partition {
    let labels = plain.steps.iter().flatten().map(|x| x.0 + 1).max().unwrap_or(1);
    let same = |s: usize, t: usize| difference((plain, s), (plain, t), labels, true).is_none();
    Partition::from_ids((0..plain.n).map(|s| (0..s).find(|&t| same(s, t)).unwrap_or(s) as u32))
}

/// A shortest trace of `left`'s initial state that `right`'s lacks; labels are joined by name.
pub fn shortest_difference(left: &Lts, right: &Lts) -> Option<Vec<String>> {
    let union = left.disjoint_union(right)?;
    let plain = Plain::new(&union);
    let ends = (left.initial().index(), left.states() + right.initial().index());
    let trace = difference((&plain, ends.0), (&plain, ends.1), union.labels().len(), false)?;
    Some(trace.iter().map(|&l| union.labels().name(LabelId(l as u32)).to_string()).collect())
}

/// Whether every trace of `left` is one of `right`.
pub fn included(left: &Lts, right: &Lts) -> bool {
    shortest_difference(left, right).is_none()
}
