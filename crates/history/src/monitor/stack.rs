//! Stacks with distinct values.
//!
//! Lee and Mathur, "Efficient linearizability monitoring", 2025; Abdulla et al., 2025. In a gap in which no value
//! is surely inside, the stack can be empty: every operation open there can take effect there, and is taken
//! away; a value whose operations are both gone no longer covers anything. The history is linearizable exactly
//! when this takes everything away. Only gaps after a call matter: behind a return no more is open than before, and
//! no less is surely inside. Gaps are found by a segment tree with range addition and minimum, operations
//! open in a gap by a segment tree over the calls with the latest return. Cost: O(n log n). Claim: exact for
//! unambiguous histories. Oracle: search.
//!
//! The order: operations are taken away once more, with insertions that end at the latest with the removal of their
//! value and removals that begin at the earliest with its insertion. Gaps count as used when something was taken away
//! there, and those in which nothing is found from the start. When the last operation of a value is taken away,
//! no used gap lies in its sure interval, so the last used gap before the end of its insertion belongs to its insertion.
//! If that belongs to its removal too, the value comes and goes there; if not, the next used gap belongs to its
//! removal, and the value is inside between these two neighbours. Later values are inside between neighbours of a
//! larger set of gaps, so that any two such intervals are nested, the later one inside, or apart; and none passes over
//! a gap in which nothing is found. In one gap removals come first, of later values before those of earlier ones, then
//! what comes and goes or finds nothing, then insertions, those of earlier values first. Cost: O(n log n).

use std::collections::BTreeSet;

use trueline_base::{Meter, Stop};

use super::MonitorAnswer;
use super::bag::empties;
use super::places::Places;
use super::trees::{Called, Cover, Latest};
use super::values::{Life, ValueTable};

/// An operation while it has not been taken away.
#[derive(Clone, Copy)]
pub struct Open {
    /// Position of its call.
    pub call: u32,
    /// Position of its return.
    pub ret: u32,
    /// Index of its value.
    value: u32,
}

/// Looks for values of which no operation can be taken away.
pub fn run(table: &ValueTable<'_>, meter: &Meter) -> Result<MonitorAnswer, Stop> {
    let mut ops: Vec<Open> = Vec::with_capacity(table.lives.len() * 2);
    for (value, life) in (0u32..).zip(&table.lives) {
        ops.push(Open { call: life.inserting.call, ret: life.inserting.ret, value });
        if life.removed() {
            ops.push(Open { call: life.removing.call, ret: life.removing.ret, value });
        }
    }
    let (left, taken) = peel(table, &mut ops, meter, |_, _| {})?;
    if taken == ops.len() {
        return Ok(MonitorAnswer::Holds(None));
    }
    let stuck = table.lives.iter().zip(&left).filter(|(_, n)| **n > 0);
    Ok(MonitorAnswer::Fails(stuck.flat_map(|(life, _)| life.operations()).collect()))
}

/// Takes operations away until none is left or no gap is free. Tells the position of the gap with each, and the value
/// of which it is the last. Answers how many operations are left of each value, and how many were taken in all.
fn peel(
    table: &ValueTable<'_>,
    ops: &mut [Open],
    meter: &Meter,
    mut each: impl FnMut(u32, Option<&Life>),
) -> Result<(Vec<u8>, usize), Stop> {
    let lives = &table.lives;
    // A virtual removal takes effect after everything, where nothing is surely inside.
    let mut left: Vec<u8> = lives.iter().map(|life| if life.removed() { 2 } else { 1 }).collect();
    ops.sort_unstable_by_key(|op| op.call);
    let called = Called::new(ops, table.length);
    let sure = |life: &Life| {
        let (from, to) = life.surely();
        let gaps = (called.before(from), called.before(to));
        (gaps.0 < gaps.1).then_some(gaps)
    };
    let mut cover = Cover::new(ops.len(), lives.iter().filter_map(sure));
    let mut open = Latest::new(ops);
    let mut taken = 0usize;
    let mut steps = 0u64;
    while let Some(gap) = cover.take_zero() {
        steps += 1;
        if steps.is_multiple_of(4096) {
            meter.check((table.length as usize * 4 + ops.len() * 32) as u64, 0)?;
        }
        while let Some(at) = open.take_after(gap + 1, ops[gap].call) {
            taken += 1;
            let value = ops[at].value as usize;
            left[value] -= 1;
            each(ops[gap].call, (left[value] == 0).then_some(&lives[value]));
            if left[value] == 0
                && let Some((from, to)) = sure(&lives[value])
            {
                cover.add(from, to, -1);
            }
        }
    }
    Ok((left, taken))
}

/// Ranks in a gap: removals, then what comes and goes, then insertions.
fn rank(part: u64, number: u32, step: u64) -> u64 {
    part << 40 | u64::from(number) << 8 | step
}

/// An order for a stack that holds.
pub fn order(table: &ValueTable<'_>, meter: &Meter, places: &mut Places) -> Result<(), Stop> {
    let mut used: BTreeSet<u32> = BTreeSet::new();
    for (i, gap) in empties(table) {
        places.put(i, gap, rank(1, u32::MAX, 0));
        used.insert(gap);
    }
    let mut ops: Vec<Open> = Vec::with_capacity(table.lives.len() * 2);
    for (value, life) in (0u32..).zip(&table.lives).filter(|(_, l)| l.happened()) {
        ops.push(Open { call: life.inserting.call, ret: life.surely().0, value });
        if life.removed() {
            let call = life.removing.call.max(life.inserting.call);
            ops.push(Open { call, ret: life.removing.ret, value });
        }
    }
    let mut number = 0u32;
    peel(table, &mut ops, meter, |gap, done| {
        used.insert(gap);
        let Some(life) = done else { return };
        number += 1;
        let Some(from) = used.range(..life.surely().0).next_back().copied() else { return };
        let Some(removal) = life.removal() else {
            places.put(life.insertion(), from, rank(2, number, 0));
            return;
        };
        if from >= life.removing.call {
            places.put(life.insertion(), from, rank(1, number, 0));
            places.put(removal, from, rank(1, number, 1));
        } else if let Some(to) = used.range(from + 1..).next() {
            places.put(life.insertion(), from, rank(2, number, 0));
            places.put(removal, *to, rank(0, u32::MAX - number, 0));
        }
    })?;
    Ok(())
}
