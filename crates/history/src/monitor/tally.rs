//! Counters whose additions of one answer nothing.
//!
//! Events are taken in the order of time with the count so far. A read of the current count takes effect at once. An
//! addition waits until it returns, or until a read returns for which the count is too low: then additions that
//! are open take effect until it fits, those that return first before the others (earliest deadline first, as in Jackson's
//! rule). Reads that wait for a count on the way take effect there. This fails when a read is called with a count
//! that is too high already, or no open addition is left. The count is then at each moment the smallest that any
//! order has: each read that has returned needs that many, and of the additions that have not taken effect the ones
//! that can wait longest are left. A count that is too high never falls, and one that is too low can be raised as
//! long as any order can: additions that never returned only help there. The order in which operations take effect is
//! an order that explains the history. Cost: O(n log n). Claim: exact when no addition says what it found. Oracle:
//! search.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use foldhash::fast::FixedState;

use super::MonitorAnswer;
use crate::history::NEVER;
use crate::search::Interval;
use crate::spec::CounterOp;

#[derive(Default)]
struct Tally {
    count: i64,
    /// Additions that have not taken effect, by their return.
    open: BinaryHeap<Reverse<(u32, usize)>>,
    /// Reads that wait for a count.
    waiting: HashMap<i64, Vec<usize>, FixedState>,
    order: Vec<usize>,
    done: Vec<bool>,
}

impl Tally {
    fn effect(&mut self, i: usize) {
        self.done[i] = true;
        self.order.push(i);
    }

    /// One addition takes effect, and who waited for that; false if none is open.
    fn up(&mut self) -> bool {
        let Some(Reverse((_, add))) = self.open.pop() else { return false };
        self.effect(add);
        self.count += 1;
        for read in self.waiting.remove(&self.count).unwrap_or_default() {
            self.effect(read);
        }
        true
    }
}

/// Checks a counter that only counts up by one and of which no addition that returned says what it found.
pub fn run(initial: i64, ops: &[CounterOp], spans: &[Interval], wanted: bool) -> MonitorAnswer {
    let mut events: Vec<(u32, bool, usize)> = Vec::with_capacity(2 * ops.len());
    for (i, (op, span)) in ops.iter().zip(spans).enumerate() {
        match op {
            CounterOp::Add { delta: 1, before: None } => {}
            CounterOp::Read(_) if span.ret != NEVER => {}
            CounterOp::Read(None) => continue,
            _ => return MonitorAnswer::Unsuited,
        }
        events.push((span.call, false, i));
        if span.ret != NEVER {
            events.push((span.ret, true, i));
        }
    }
    events.sort_unstable();
    let mut tally = Tally { done: vec![false; ops.len()], ..Tally::default() };
    let everything = || MonitorAnswer::Fails((0..ops.len()).collect());
    for (_, returns, i) in events {
        match (ops[i], returns) {
            (CounterOp::Read(None), false) => tally.effect(i),
            (CounterOp::Add { .. }, false) => tally.open.push(Reverse((spans[i].ret, i))),
            (CounterOp::Read(Some(v)), false) => match v.checked_sub(initial) {
                Some(n) if n == tally.count => tally.effect(i),
                Some(n) if n > tally.count => tally.waiting.entry(n).or_default().push(i),
                _ => return everything(),
            },
            (_, true) => {
                while !tally.done[i] {
                    if !tally.up() {
                        return everything();
                    }
                }
            }
        }
    }
    MonitorAnswer::Holds(wanted.then_some(tally.order))
}
