//! One element of a multiset of which every answer says that there is one.
//!
//! If every insertion takes effect at its call and every removal at its return, the count is at each moment the
//! largest that any order gives, and more never hurts: the history is linearizable exactly when the count does
//! not fall below zero then, and everyone who saw the element has a moment with at least one. Pending insertions
//! take effect, pending removals do not. Cost: O(n log n). Claim: exact. Oracle: search.
//!
//! The order is that one: insertions at the beginning of the gap of their call, removals at the end of the gap before
//! their return, in between whoever saw the element, in a gap in which there is one.

use super::MonitorAnswer;
use super::places::Places;
use crate::history::NEVER;
use crate::search::Interval;
use crate::spec::{MultisetAction, MultisetOp};

/// Checks the operations of one element.
pub fn run(ops: &[MultisetOp], spans: &[Interval], wanted: bool) -> MonitorAnswer {
    let mut places = Places::default();
    let mut put = |i: usize, gap: u32, rank: u64| {
        if wanted {
            places.put(i, gap, rank);
        }
    };
    let mut ends: Vec<(u32, i64)> = Vec::new();
    let mut saw = Vec::new();
    for (i, op) in ops.iter().enumerate() {
        match op.action {
            MultisetAction::Add => {
                ends.push((spans[i].call, 1));
                put(i, spans[i].call, 0);
            }
            MultisetAction::Remove(_) if spans[i].ret == NEVER => {}
            MultisetAction::Remove(Some(true)) => {
                ends.push((spans[i].ret, -1));
                put(i, spans[i].ret - 1, 2);
            }
            MultisetAction::Contains(Some(true)) => saw.push(i),
            MultisetAction::Contains(None) | MultisetAction::Count(None) if spans[i].ret == NEVER => {}
            MultisetAction::Contains(None) | MultisetAction::Count(None) => put(i, spans[i].call, 1),
            _ => return MonitorAnswer::Unsuited,
        }
    }
    ends.sort_unstable();
    let everything = || (0..ops.len()).collect();
    // The last position at which the count became positive, and whether it still is.
    let mut count = 0i64;
    let mut positive: Vec<(u32, u32)> = Vec::new();
    for (position, change) in ends {
        count += change;
        if count < 0 {
            return MonitorAnswer::Fails(everything());
        }
        if count == 1 && change == 1 {
            positive.push((position, NEVER));
        } else if count == 0 {
            positive.last_mut().expect("it was positive").1 = position;
        }
    }
    for i in saw {
        let after = positive.partition_point(|(from, _)| *from < spans[i].ret);
        if after == 0 || positive[after - 1].1 < spans[i].call {
            return MonitorAnswer::Fails(everything());
        }
        put(i, spans[i].call.max(positive[after - 1].0), 1);
    }
    MonitorAnswer::Holds(wanted.then(|| places.into_order()))
}
