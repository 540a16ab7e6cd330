//! Registers with distinct written values.
//!
//! Gibbons and Korach, "Testing shared memories", SIAM J. Comput. 1997. A cluster is a write with its reads; f is its
//! earliest return and s its latest call. If f < s the value surely stands from f to s (a forward zone), else the
//! cluster can take effect at one point between s and f (a backward zone). Linearizable exactly when every read
//! has its write and does not return before it is called, no two forward zones overlap, and no backward zone lies
//! inside a forward one. The initial value is written before everything. Cost: O(n log n). Claim: exact when no
//! value is written twice. Oracle: search.
//!
//! The order: a forward cluster writes in the last gap before f, and its reads follow there or in the gap of their
//! call, so that it ends in the gap of s at the latest, where the next forward zone has not begun. A backward
//! cluster stands as a whole between two forward ones, in the gap of its own s or of the s of the last forward zone that
//! begins before that, whichever is later: that is before its f, or it would lie inside that zone, and before the
//! next forward zone. Clusters in this order never overlap.

use super::MonitorAnswer;
use super::index::Index;
use super::places::Places;
use crate::datum::Datum;
use crate::history::NEVER;
use crate::search::Interval;
use crate::spec::RegisterOp;

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Cluster {
    write: u32,
    /// Earliest return and latest call, one later than the position, and the operations that have them.
    first: (u32, u32),
    last: (u32, u32),
}

impl Cluster {
    fn operations(&self) -> impl Iterator<Item = usize> + use<> {
        [self.write, self.first.1, self.last.1].into_iter().filter(|i| *i != NONE).map(|i| i as usize)
    }
}

/// Looks for two clusters that cannot be put into an order.
pub fn run(initial: &Datum, ops: &[RegisterOp], spans: &[Interval], wanted: bool) -> MonitorAnswer {
    // Positions are at most NEVER - 1, so that one later is at most NEVER.
    let ret = |i: u32| spans[i as usize].ret.saturating_add(1);
    let call = |i: u32| spans[i as usize].call + 1;
    let mut index = Index::new(ops.len());
    let mut clusters = vec![Cluster { write: NONE, first: (0, NONE), last: (0, NONE) }];
    index.insert(initial, 0);
    for (i, op) in (0u32..).zip(ops) {
        if let RegisterOp::Write(v) = op {
            if !index.insert(v, clusters.len() as u32) {
                return MonitorAnswer::Unsuited;
            }
            clusters.push(Cluster { write: i, first: (ret(i), i), last: (call(i), i) });
        }
    }
    for (i, op) in (0u32..).zip(ops) {
        match op {
            RegisterOp::Write(_) | RegisterOp::ReadAny => {}
            RegisterOp::Cas(..) | RegisterOp::Swap(..) => return MonitorAnswer::Unsuited,
            RegisterOp::Read(_) if spans[i as usize].ret == NEVER => return MonitorAnswer::Unsuited,
            RegisterOp::Read(v) => {
                let Some(c) = index.get(v) else { return MonitorAnswer::Fails(vec![i as usize]) };
                let cluster = &mut clusters[c as usize];
                if cluster.write != NONE && ret(i) < call(cluster.write) {
                    return MonitorAnswer::Fails(vec![cluster.write as usize, i as usize]);
                }
                cluster.first = cluster.first.min((ret(i), i));
                cluster.last = cluster.last.max((call(i), i));
            }
        }
    }
    let both =
        |a: &Cluster, b: &Cluster| MonitorAnswer::Fails(a.operations().chain(b.operations()).collect());
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
    MonitorAnswer::Holds(wanted.then(|| {
        let beginnings: Vec<(u32, u32)> = forward.iter().map(|f| (f.first.0, f.last.0)).collect();
        order(&clusters, &beginnings, &index, ops, spans)
    }))
}

/// An order for clusters that fit, given where the forward zones begin and end.
fn order(
    clusters: &[Cluster],
    forward: &[(u32, u32)],
    index: &Index<'_>,
    ops: &[RegisterOp],
    spans: &[Interval],
) -> Vec<usize> {
    // The gap of the write, and the rank of the cluster: forward zones are even, what follows them is odd.
    let place = |c: &Cluster| {
        let (first, last) = (c.first.0, c.last.0);
        if first < last {
            let zone = forward.partition_point(|f| f.0 < first);
            (first.saturating_sub(2), 2 * zone as u64 + 1)
        } else {
            let zones = forward.partition_point(|f| f.0 < last);
            let ended = zones.checked_sub(1).map_or(0, |z| forward[z].1);
            (last.max(ended) - 1, 2 * zones as u64)
        }
    };
    let rank = |zone: u64, cluster: u32, read: bool| zone << 33 | u64::from(cluster) << 1 | u64::from(read);
    let mut places = Places::with_capacity(ops.len());
    for (i, (op, span)) in ops.iter().zip(spans).enumerate() {
        let (value, read) = match op {
            RegisterOp::Write(v) => (v, false),
            RegisterOp::Read(v) => (v, true),
            RegisterOp::ReadAny if span.ret == NEVER => continue,
            RegisterOp::ReadAny | RegisterOp::Cas(..) | RegisterOp::Swap(..) => {
                places.put(i, span.call, 0);
                continue;
            }
        };
        let Some(at) = index.get(value) else { continue };
        let cluster = &clusters[at as usize];
        // A write that never returned and that nobody read did not happen.
        if cluster.first.0 == NEVER {
            continue;
        }
        let (gap, zone) = place(cluster);
        let own = if read && cluster.first.0 < cluster.last.0 { span.call } else { 0 };
        places.put(i, gap.max(own), rank(zone, at, read));
    }
    places.into_order()
}
