//! Every small history, up to renaming.

use std::collections::BTreeSet;

use crate::history::NEVER;
use crate::search::Interval;

/// The real-time orders of `n` operations numbered by their calls, each with one history that has it.
pub fn shapes(n: usize) -> Vec<Vec<Interval>> {
    let mut out = Vec::new();
    extend(&[], n, 0, &mut BTreeSet::new(), &mut out);
    out
}

fn extend(
    spans: &[Interval],
    n: usize,
    position: u32,
    seen: &mut BTreeSet<Vec<bool>>,
    out: &mut Vec<Vec<Interval>>,
) {
    let open: Vec<usize> = (0..spans.len()).filter(|i| spans[*i].ret == NEVER).collect();
    for bits in 0..1u32 << open.len() {
        let mut next = spans.to_vec();
        let mut at = position;
        for (k, i) in open.iter().enumerate() {
            if bits >> k & 1 == 1 {
                next[*i].ret = at;
                at += 1;
            }
        }
        if spans.len() < n {
            next.push(Interval { call: at, ret: NEVER });
            extend(&next, n, at + 1, seen, out);
            continue;
        }
        // What is still open stays so, or returned in the order of the calls: later returns order nothing.
        let mut order: Vec<bool> = Vec::new();
        for a in &next {
            order.push(a.ret == NEVER);
            order.extend(next.iter().map(|b| a.ret < b.call));
        }
        if seen.insert(order) {
            out.push(next);
        }
    }
}

/// The operations of which histories are made.
pub struct Kinds<'a, O> {
    /// Those that return.
    pub known: &'a [O],
    /// Those that never return.
    pub pending: &'a [O],
    /// Exchanges two values, where that gives a history that need not be looked at again.
    pub exchange: Option<&'a dyn Fn(&O) -> O>,
}

/// Looks at a history.
pub type HistoryVisitor<'v, O> = dyn FnMut(&[(O, Interval)]) + 'v;

impl<O: Clone + PartialEq> Kinds<'_, O> {
    /// Calls `each` with every choice of operations for a shape, one of each two that are exchanged.
    pub fn fill(&self, shape: &[Interval], each: &mut HistoryVisitor<'_, O>) {
        let exchanged = |list: &[O]| -> Option<Vec<usize>> {
            let other = self.exchange?;
            list.iter().map(|o| list.iter().position(|p| *p == other(o))).collect()
        };
        let (known, pending) = (exchanged(self.known), exchanged(self.pending));
        let kinds = |i: usize| if shape[i].ret == NEVER { self.pending } else { self.known };
        let partner = |i: usize, d: usize| match if shape[i].ret == NEVER { &pending } else { &known } {
            Some(list) => list[d],
            None => d,
        };
        if (0..shape.len()).any(|i| kinds(i).is_empty()) {
            return;
        }
        let mut digits = vec![0; shape.len()];
        loop {
            let first = known.is_none()
                || pending.is_none()
                || digits.iter().enumerate().map(|(i, d)| partner(i, *d)).ge(digits.iter().copied());
            if first {
                let ops: Vec<(O, Interval)> =
                    shape.iter().enumerate().map(|(i, s)| (kinds(i)[digits[i]].clone(), *s)).collect();
                each(&ops);
            }
            let Some(up) = (0..shape.len()).find(|i| digits[*i] + 1 < kinds(*i).len()) else { return };
            digits[up] += 1;
            digits[..up].fill(0);
        }
    }
}

/// Who calls each of `n` operations, up to renaming.
pub fn processes(n: usize) -> Vec<Vec<i64>> {
    let mut out = vec![Vec::new()];
    for _ in 0..n {
        let longer = |p: &Vec<i64>| {
            let fresh = p.iter().max().map_or(0, |m| m + 1);
            let p = p.clone();
            (0..=fresh).map(move |next| p.iter().copied().chain([next]).collect())
        };
        out = out.iter().flat_map(longer).collect();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Interval orders of labelled points in the order of their calls, and set partitions, are known numbers.
    #[test]
    fn there_are_as_many_as_there_should_be() {
        assert_eq!((0..=5).map(|n| processes(n).len()).collect::<Vec<_>>(), [1, 1, 2, 5, 15, 52]);
        let complete = |n: usize| shapes(n).iter().filter(|s| s.iter().all(|o| o.ret != NEVER)).count();
        assert_eq!((0..=2).map(complete).collect::<Vec<_>>(), [1, 1, 2]);
        let values = Kinds { known: &[1, 2], pending: &[], exchange: Some(&|v| 3 - v) };
        let mut found = Vec::new();
        values.fill(
            &shapes(2)[0].iter().map(|s| Interval { ret: 9, ..*s }).collect::<Vec<_>>(),
            &mut |ops| {
                found.push((ops[0].0, ops[1].0));
            },
        );
        assert_eq!(found, [(1, 1), (1, 2)]);
    }
}
