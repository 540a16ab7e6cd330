//! Counters whose additions say what they found.
//!
//! Gibbons and Korach, SIAM J. Comput. 1997 (read-modify-write with known results): each addition of one finds a
//! value that no other finds, so their order is forced; a read stands between the addition that made its value and
//! the next. Additions that never returned fill what is missing, the earliest called first. What remains is one
//! comparison with real time. Cost: O(n log n). Claim: exact when every addition that returned says what it found.
//! Oracle: search.
//!
//! The order is the chain. Each of its operations takes effect in the gap of the latest call so far, which is no
//! later than its return; so reads of which nobody knows what they answered find their place in the gap of their call.

use super::MonitorAnswer;
use super::places::Places;
use super::tally;
use crate::history::NEVER;
use crate::search::Interval;
use crate::spec::CounterOp;

/// Checks a counter that only counts up by one.
pub fn run(initial: i64, ops: &[CounterOp], spans: &[Interval], wanted: bool) -> MonitorAnswer {
    let blind = |(op, span): (&CounterOp, &Interval)| {
        matches!(op, CounterOp::Add { before: None, .. }) && span.ret != NEVER
    };
    if ops.iter().zip(spans).any(blind) {
        return tally::run(initial, ops, spans, wanted);
    }
    let mut places = Places::default();
    let mut chain: Vec<(i64, u8, u32, usize)> = Vec::with_capacity(ops.len());
    let mut pending = Vec::new();
    let mut most = 0i64;
    for (i, op) in ops.iter().enumerate() {
        match op {
            CounterOp::Read(None) => {
                if wanted && spans[i].ret != NEVER {
                    places.put(i, spans[i].call, 0);
                }
            }
            CounterOp::Read(Some(_)) if spans[i].ret == NEVER => return MonitorAnswer::Unsuited,
            CounterOp::Read(Some(v)) => match v.checked_sub(initial) {
                Some(n) if n >= 0 => {
                    most = most.max(n);
                    chain.push((n, 0, spans[i].call, i));
                }
                _ => return MonitorAnswer::Fails(vec![i]),
            },
            CounterOp::Add { before: None, .. } if spans[i].ret == NEVER => pending.push(i),
            CounterOp::Add { before: Some(_), .. } if spans[i].ret == NEVER => {
                return MonitorAnswer::Unsuited;
            }
            CounterOp::Add { delta: 1, before: Some(b) } => match b.checked_sub(initial) {
                Some(n) if (0..i64::MAX).contains(&n) => {
                    most = most.max(n + 1);
                    chain.push((n, 1, spans[i].call, i));
                }
                _ => return MonitorAnswer::Fails(vec![i]),
            },
            CounterOp::Add { .. } => return MonitorAnswer::Unsuited,
        }
    }
    chain.sort_unstable();
    if let Some(w) = chain.windows(2).find(|w| w[0].1 == 1 && (w[0].0, w[0].1) == (w[1].0, w[1].1)) {
        return MonitorAnswer::Fails(vec![w[0].3, w[1].3]);
    }
    let found = chain.iter().filter(|(_, add, ..)| *add == 1).count() as i64;
    if most - found > pending.len() as i64 {
        return MonitorAnswer::Fails((0..ops.len()).collect());
    }
    pending.sort_unstable_by_key(|i| spans[*i].call);
    let mut pending = pending.into_iter();
    let mut latest: Option<usize> = None;
    let mut rank = 0;
    // Real time: nothing may come after something that was called when it had already returned.
    let mut place = |i: usize| {
        if let Some(l) = latest
            && spans[i].ret < spans[l].call
        {
            return Err(MonitorAnswer::Fails((0..ops.len()).collect()));
        }
        if latest.is_none_or(|l| spans[i].call > spans[l].call) {
            latest = Some(i);
        }
        if let Some(l) = latest.filter(|_| wanted) {
            rank += 1;
            places.put(i, spans[l].call, rank);
        }
        Ok(())
    };
    let mut value = 0i64;
    for (n, add, _, i) in chain {
        while value < n {
            let Some(filler) = pending.next() else { return MonitorAnswer::Fails((0..ops.len()).collect()) };
            if let Err(outcome) = place(filler) {
                return outcome;
            }
            value += 1;
        }
        if let Err(outcome) = place(i) {
            return outcome;
        }
        value += i64::from(add);
    }
    MonitorAnswer::Holds(wanted.then(|| places.into_order()))
}
