//! Priority queues with distinct values.
//!
//! Lee and Mathur, "Efficient linearizability monitoring", 2025. Values are taken in the order in which they must
//! leave; a removal needs a gap in which no value that must leave earlier is surely inside, and so does a look that
//! saw the value. Looks take the first such gap, the removal one that is not before theirs. Covered gaps only grow,
//! so disjoint sets suffice. Cost: O(n log n). Claim: exact for unambiguous histories. Oracle: search.
//!
//! The order keeps each value out as long as it can, so that it is inside only in gaps that its own sure interval
//! or those of values that leave earlier cover; then what needs a free gap finds none of these values in its middle.
//! Let e be the last gap in which the value can be put in. Its looks and its removal take the first free gap from e
//! and their call on. One for which that is too late takes the last free gap x before e: everything between x and its
//! return is covered by values that leave earlier, and the others that are too early for that can stand there too.
//! The value is put in at x if anybody stands there, else at e. In one gap come first looks and removals of values
//! that came in earlier, those that leave earlier first; then values that come and go, and whoever finds nothing;
//! at the end insertions with the looks that stand there, those that leave earlier last.

use super::MonitorAnswer;
use super::bag::empties;
use super::gaps::{BothWays, Gaps};
use super::places::Places;
use super::values::ValueTable;
use crate::search::Interval;

/// Looks for a removal that passes over a value that is surely inside.
pub fn run(table: &ValueTable<'_>, largest_first: bool) -> MonitorAnswer {
    let lives = &table.lives;
    let order = by_value(table, largest_first);
    let mut looks = table.peeks.clone();
    looks.sort_unstable_by_key(|(i, life, _)| (*life, *i));
    let mut gaps = Gaps::new(table.length);
    for (rank, i) in order.iter().enumerate() {
        let life = &lives[*i as usize];
        let passed_over = |op: Option<usize>, from: u32, ret: u32| {
            let mut core: Vec<usize> = life.operations().chain(op).collect();
            for j in &order[..rank] {
                let (start, end) = lives[*j as usize].surely();
                if start < end && end > from && start < ret {
                    core.extend(lives[*j as usize].operations());
                }
            }
            MonitorAnswer::Fails(core)
        };
        let first = looks.partition_point(|(_, l, _)| l < i);
        let mut seen = 0;
        for (op, _, span) in looks[first..].iter().take_while(|(_, l, _)| l == i) {
            let from = span.call.max(life.inserting.call);
            let gap = gaps.free(from);
            if gap >= span.ret {
                return passed_over(Some(*op), from, span.ret);
            }
            seen = seen.max(gap);
        }
        if life.removed() {
            let from = life.removing.call.max(life.inserting.call).max(seen);
            // A removal that never returned can take effect after everything.
            if gaps.free(from) >= life.removing.ret {
                return passed_over(None, from, life.removing.ret);
            }
        }
        let (from, to) = life.surely();
        if from < to {
            gaps.cover(from, to);
        }
    }
    MonitorAnswer::Holds(None)
}

/// Ranks in a gap: the part of the gap, then which value, then what happens to it.
const BEGINNING: u64 = 0;
const MIDDLE: u64 = 1;
const END: u64 = 2;

fn rank(part: u64, value: u32, step: u64) -> u64 {
    part << 40 | u64::from(value) << 8 | step
}

/// An order for a priority queue that holds.
pub fn order(table: &ValueTable<'_>, largest_first: bool, places: &mut Places) {
    for (i, gap) in empties(table) {
        places.put(i, gap, rank(MIDDLE, u32::MAX, 0));
    }
    let mut looks = table.peeks.clone();
    looks.sort_unstable_by_key(|(i, life, _)| (*life, *i));
    let mut gaps = BothWays::new(table.length);
    for (number, i) in (0u32..).zip(by_value(table, largest_first)) {
        let life = &table.lives[i as usize];
        if !life.happened() {
            continue;
        }
        let last = life.last_gap(table.length);
        let early = gaps.before(last).unwrap_or(last);
        let mut within = |call: u32, ret: u32| {
            let gap = gaps.after(call.max(last));
            if gap < ret { gap } else { early }
        };
        let mut put = last;
        let mut seen = 0;
        let first = looks.partition_point(|(_, l, _)| *l < i);
        let own = looks[first..].iter().take_while(|(_, l, _)| *l == i);
        // Nobody sees it after it was taken out.
        let look = |(op, _, s): &(usize, u32, Interval)| (*op, within(s.call, s.ret.min(life.removing.ret)));
        let looked: Vec<(usize, u32)> = own.map(look).collect();
        for (_, gap) in &looked {
            (put, seen) = (put.min(*gap), seen.max(*gap));
        }
        let removed = life.removal().map(|op| (op, within(life.removing.call.max(seen), life.removing.ret)));
        if let Some((_, gap)) = removed {
            put = put.min(gap);
        }
        let at_once = removed.is_some_and(|(_, gap)| gap == put);
        let here = if at_once { rank(MIDDLE, number, 0) } else { rank(END, u32::MAX - number, 0) };
        places.put(life.insertion(), put, here);
        for (op, gap) in looked {
            let later = rank(BEGINNING, number, 1);
            places.put(op, gap, if at_once || gap == put { here + 1 } else { later });
        }
        // A pending removal after everything is the same as none.
        if let Some((op, gap)) = removed.filter(|(_, gap)| *gap < table.length) {
            places.put(op, gap, if at_once { here + 2 } else { rank(BEGINNING, number, 2) });
        }
        let (from, to) = life.surely();
        gaps.cover(from, to);
    }
}

/// The values in the order in which they must leave.
fn by_value(table: &ValueTable<'_>, largest_first: bool) -> Vec<u32> {
    let value = |i: u32| table.value(&table.lives[i as usize]);
    let ids = 0..table.lives.len() as u32;
    let mut order: Vec<u32> = match ids.clone().map(|i| Some((value(i).as_int()?, i))).collect() {
        // Integers are compared where they are.
        Some::<Vec<(i64, u32)>>(mut numbers) => {
            if !numbers.is_sorted() {
                numbers.sort_unstable();
            }
            numbers.into_iter().map(|(_, i)| i).collect()
        }
        None => {
            let mut order: Vec<u32> = ids.collect();
            order.sort_unstable_by(|a, b| value(*a).cmp(value(*b)));
            order
        }
    };
    if largest_first {
        order.reverse();
    }
    order
}
