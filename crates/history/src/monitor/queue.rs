//! Queues with distinct values.
//!
//! Henzinger, Sezgin, Vafeiadis, CONCUR 2013: once removals fit their insertions and nothing is wrongly found
//! empty, a history is linearizable exactly when no two values were inserted one after the other and removed
//! one after the other in the opposite order (never removed counts as removed last). Values are swept by the
//! time of their insertion with the latest removal so far. Cost: O(n log n). Claim: exact for unambiguous
//! histories. Oracle: search.
//!
//! With looks: those at a value and its removal stand next to each other, undisturbed by those of other values. So a
//! value precedes another also if one of its looks or its removal returned before one of the other's was called. A
//! value that was never removed counts as removed after everything. The history is linearizable exactly when these
//! relations and the order of insertions have no cycle together; one may have three members here.
//!
//! The order: the gaps in which nothing is found divide the history into segments, and a value belongs to the one in
//! which the latest call of its operations lies. None of them returned before that segment begins, or the value
//! would surely be inside in the gap before it. Within a segment, values are put into a row such that none precedes
//! one whose insertion, ended at the latest when somebody has seen or removed the value, returned before its own was
//! called, and the same for removals with looks. Without looks a shortest cycle of these two interval orders would
//! have two members (from a < b and c < d follows a < d or c < b), which is what the monitor excludes. Values of
//! different segments are in this relation only in the order of the segments, or one of them would cover the gap
//! between. So each insertion can take effect at the latest call of an insertion so far in the row, each look
//! and removal likewise, but not before the own insertion and the beginning of the segment; the row is the order of
//! both. Cost: O(n log n).

use super::MonitorAnswer;
use super::bag::empties;
use super::places::Places;
use super::row::{Front, row};
use super::values::ValueTable;

/// Looks for values out of order.
pub fn run(table: &ValueTable<'_>) -> MonitorAnswer {
    let lives = &table.lives;
    if !table.peeks.is_empty() {
        return match in_a_row(table, |_| 0) {
            Ok(_) => MonitorAnswer::Holds(None),
            Err(cycle) => {
                let own = cycle.iter().flat_map(|i| lives[*i as usize].operations());
                let looks = table.peeks.iter().filter(|(_, life, _)| cycle.contains(life)).map(|(i, ..)| *i);
                MonitorAnswer::Fails(own.chain(looks).collect())
            }
        };
    }
    let mut by_end: Vec<u32> = (0..lives.len() as u32).collect();
    by_end.sort_unstable_by_key(|i| lives[*i as usize].inserting.ret);
    let mut by_start: Vec<u32> = (0..lives.len() as u32).collect();
    if !lives.is_sorted_by_key(|l| l.inserting.call) {
        by_start.sort_unstable_by_key(|i| lives[*i as usize].inserting.call);
    }
    let mut ended = by_end.into_iter().peekable();
    let mut latest: Option<u32> = None;
    for b in by_start {
        let second = &lives[b as usize];
        while let Some(a) = ended.next_if(|a| lives[*a as usize].inserting.ret < second.inserting.call) {
            let later = |l: u32| lives[l as usize].removing.call;
            if latest.is_none_or(|l| later(a) > later(l)) {
                latest = Some(a);
            }
        }
        if let Some(a) = latest
            && second.removing.ret < lives[a as usize].removing.call
        {
            let first = &lives[a as usize];
            return MonitorAnswer::Fails(first.operations().chain(second.operations()).collect());
        }
    }
    MonitorAnswer::Holds(None)
}

/// The values in a row that keeps the order of segments, of insertions and of removals with looks.
fn in_a_row(table: &ValueTable<'_>, segment: impl Fn(u32) -> usize) -> Result<Vec<u32>, Vec<u32>> {
    // When the first of the looks and the removal of each value returned.
    let mut seen: Vec<u32> = table.lives.iter().map(|l| l.removing.ret).collect();
    for (_, life, span) in &table.peeks {
        seen[*life as usize] = seen[*life as usize].min(span.ret);
    }
    let lives = || (0u32..).zip(&table.lives).filter(|(_, l)| l.happened());
    let mut fronts = [
        Front::new(lives().map(|(i, _)| (segment(i) as u32, segment(i) as u32 + 1, i))),
        Front::new(lives().map(|(i, l)| (l.inserting.call, l.surely().0, i))),
        Front::new(lives().map(|(i, l)| (l.removing.call.max(l.inserting.call), seen[i as usize], i))),
    ];
    row(&mut fronts, table.lives.len())
}

/// Ranks in a gap: the segment, then what finds nothing at its beginning, insertions, looks and removals by value.
fn rank(segment: usize, kind: u64, row: usize, removal: bool) -> u64 {
    (segment as u64) << 35 | kind << 33 | (row as u64) << 1 | u64::from(removal)
}

/// An order for a queue that holds.
pub fn order(table: &ValueTable<'_>, places: &mut Places) {
    let mut found_nothing = empties(table);
    found_nothing.sort_unstable_by_key(|(_, gap)| *gap);
    let mut borders: Vec<u32> = found_nothing.iter().map(|(_, gap)| *gap).collect();
    borders.dedup();
    for (i, gap) in found_nothing {
        places.put(i, gap, rank(borders.partition_point(|b| *b <= gap), 0, 0, false));
    }
    let lives = &table.lives;
    let segment = |i: u32| {
        let life = &lives[i as usize];
        borders.partition_point(|b| *b < life.inserting.call.max(life.removing.call))
    };
    let mut looks = table.peeks.clone();
    looks.sort_unstable_by_key(|(_, life, span)| (*life, span.call));
    let (mut put, mut taken) = (0, 0);
    for (row, i) in in_a_row(table, segment).unwrap_or_default().into_iter().enumerate() {
        let (life, segment) = (&lives[i as usize], segment(i));
        let border = segment.checked_sub(1).map_or(0, |s| borders[s]);
        put = life.inserting.call.max(border).max(put);
        taken = taken.max(put);
        places.put(life.insertion(), put, rank(segment, 1, row, false));
        let first = looks.partition_point(|(_, l, _)| *l < i);
        for (look, _, span) in looks[first..].iter().take_while(|(_, l, _)| *l == i) {
            taken = taken.max(span.call);
            places.put(*look, taken, rank(segment, 2, row, false));
        }
        taken = taken.max(life.removing.call);
        // A pending removal after everything is the same as none.
        if let Some(removal) = life.removal().filter(|_| taken < table.length) {
            places.put(removal, taken, rank(segment, 2, row, true));
        }
    }
}
