//! Registers with distinct written values.
//!
//! Gibbons and Korach, "Testing shared memories", SIAM J. Comput. 1997. A cluster is a write with its reads; f is its
//! earliest return and s its latest call. If f < s the value surely stands from f to s (a forward zone), else the
//! cluster can take effect at one point between s and f (a backward zone). Linearizable exactly when every read
//! has its write and does not return before it is called, no two forward zones overlap, and no backward zone lies
//! inside a forward one. The initial value is written before everything. Cost: O(n log n). Claim: exact when no
//! value is written twice. Oracle: search.

use std::collections::HashMap;

use super::Outcome;
use crate::datum::Datum;
use crate::history::NEVER;
use crate::search::Span;
use crate::spec::RegisterOp;

const NONE: usize = usize::MAX;

#[derive(Clone, Copy)]
struct Cluster {
    write: usize,
    /// Earliest return and latest call, one later than the position, and the operations that have them.
    first: (u64, usize),
    last: (u64, usize),
    reads: bool,
}

impl Cluster {
    fn operations(&self) -> impl Iterator<Item = usize> + use<> {
        [self.write, self.first.1, self.last.1].into_iter().filter(|i| *i != NONE)
    }
}

/// Looks for two clusters that cannot be put into an order.
pub fn run(initial: &Datum, ops: &[RegisterOp], spans: &[Span]) -> Outcome {
    let ret = |i: usize| if spans[i].ret == NEVER { u64::MAX } else { u64::from(spans[i].ret) + 1 };
    let call = |i: usize| u64::from(spans[i].call) + 1;
    let mut index: HashMap<&Datum, usize> = HashMap::with_capacity(ops.len() / 2);
    let mut clusters = vec![Cluster { write: NONE, first: (0, NONE), last: (0, NONE), reads: false }];
    index.insert(initial, 0);
    for (i, op) in ops.iter().enumerate() {
        if let RegisterOp::Write(v) = op {
            if index.insert(v, clusters.len()).is_some() {
                return Outcome::Unsuited;
            }
            clusters.push(Cluster { write: i, first: (ret(i), i), last: (call(i), i), reads: false });
        }
    }
    for (i, op) in ops.iter().enumerate() {
        match op {
            RegisterOp::Write(_) | RegisterOp::ReadAny => {}
            RegisterOp::Cas(..) => return Outcome::Unsuited,
            RegisterOp::Read(_) if spans[i].ret == NEVER => return Outcome::Unsuited,
            RegisterOp::Read(v) => {
                let Some(&c) = index.get(v) else { return Outcome::Fails(vec![i]) };
                let cluster = &mut clusters[c];
                if cluster.write != NONE && ret(i) < call(cluster.write) {
                    return Outcome::Fails(vec![cluster.write, i]);
                }
                cluster.reads = true;
                cluster.first = cluster.first.min((ret(i), i));
                cluster.last = cluster.last.max((call(i), i));
            }
        }
    }
    let both = |a: &Cluster, b: &Cluster| Outcome::Fails(a.operations().chain(b.operations()).collect());
    let mut forward: Vec<&Cluster> = clusters.iter().filter(|c| c.first.0 < c.last.0).collect();
    forward.sort_unstable_by_key(|c| c.first.0);
    if let Some(w) = forward.windows(2).find(|w| w[1].first.0 < w[0].last.0) {
        return both(w[0], w[1]);
    }
    for c in clusters.iter().skip(1).filter(|c| c.first.0 >= c.last.0) {
        // A write that never returned and that nobody read need not have happened.
        let at = forward.partition_point(|f| f.first.0 < c.last.0);
        if let Some(f) = at.checked_sub(1).map(|i| forward[i])
            && c.first.0 < f.last.0
        {
            return both(f, c);
        }
    }
    Outcome::Holds
}
