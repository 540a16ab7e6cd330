//! Queues with distinct values.
//!
//! Henzinger, Sezgin, Vafeiadis, CONCUR 2013: once removals fit their insertions and nothing is wrongly found
//! empty, a history is linearizable exactly when no two values were inserted one after the other and removed
//! one after the other in the opposite order (never removed counts as removed last). Values are swept by the
//! time of their insertion with the latest removal so far. Cost: O(n log n). Claim: exact for unambiguous
//! histories. Oracle: search.
//!
//! The order: the gaps in which nothing is found divide the history into segments, and a value belongs to the one in
//! which the later of the calls of its two operations lies. Neither of them returned before that segment begins, or
//! the value would surely be inside in the gap before it. Within a segment, values are put into a row such that none
//! precedes one whose insertion, ended at the latest with its removal, returned before its own was called, and the
//! same for removals; a shortest cycle of these two interval orders would have two members (from a < b and c < d
//! follows a < d or c < b), which is what the monitor excludes. Values of different segments are in this relation
//! only in the order of the segments, or one of them would cover the gap between. So each insertion can take effect at
//! the latest call of an insertion so far in the row, and each removal likewise, but not before the own insertion
//! and the beginning of the segment; the row is the order of both. Cost: O(n log n).

use super::Outcome;
use super::bag::empties;
use super::places::Places;
use super::values::Table;

/// Looks for two values out of order.
pub fn run(table: &Table<'_>) -> Outcome {
    let lives = &table.lives;
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
            return Outcome::Fails(first.operations().chain(second.operations()).collect());
        }
    }
    Outcome::Holds(None)
}

/// Ranks in a gap: the segment, then what finds nothing at its beginning, insertions, removals, each in a row.
fn rank(segment: usize, kind: u64, row: usize) -> u64 {
    (segment as u64) << 34 | kind << 32 | row as u64
}

/// An order for a queue that holds.
pub fn order(table: &Table<'_>, places: &mut Places) {
    let mut found_nothing = empties(table);
    found_nothing.sort_unstable_by_key(|(_, gap)| *gap);
    let mut borders: Vec<u32> = found_nothing.iter().map(|(_, gap)| *gap).collect();
    borders.dedup();
    for (i, gap) in found_nothing {
        places.put(i, gap, rank(borders.partition_point(|b| *b <= gap), 0, 0));
    }
    let lives = &table.lives;
    let segment = |i: u32| {
        let life = &lives[i as usize];
        borders.partition_point(|b| *b < life.inserting.call.max(life.removing.call))
    };
    let (mut put, mut taken) = (0, 0);
    for (row, i) in row(table, segment).into_iter().enumerate() {
        let (life, segment) = (&lives[i as usize], segment(i));
        let border = segment.checked_sub(1).map_or(0, |s| borders[s]);
        put = life.inserting.call.max(border).max(put);
        taken = life.removing.call.max(put).max(taken);
        places.put(life.insertion(), put, rank(segment, 1, row));
        // A pending removal after everything is the same as none.
        if let Some(removal) = life.removal().filter(|_| taken < table.length) {
            places.put(removal, taken, rank(segment, 2, row));
        }
    }
}

/// The values in a row that keeps the order of segments, of insertions and of removals.
fn row(table: &Table<'_>, segment: impl Fn(u32) -> usize) -> Vec<u32> {
    let happened = || (0u32..).zip(&table.lives).filter(|(_, l)| l.happened());
    let mut fronts = [
        Front::new(happened().map(|(i, _)| (segment(i) as u32, segment(i) as u32 + 1, i))),
        Front::new(happened().map(|(i, l)| (l.inserting.call, l.surely().0, i))),
        Front::new(happened().map(|(i, l)| (l.removing.call.max(l.inserting.call), l.removing.ret, i))),
    ];
    let mut ready = vec![0u8; table.lives.len()];
    let mut gone = vec![false; table.lives.len()];
    let mut row = Vec::with_capacity(table.lives.len());
    loop {
        let length = row.len();
        for front in &mut fronts {
            front.advance(&gone, |i| {
                ready[i as usize] += 1;
                if ready[i as usize] == 3 {
                    row.push(i);
                }
            });
        }
        if row.len() == length {
            return row;
        }
        for i in &row[length..] {
            gone[*i as usize] = true;
        }
    }
}

/// Intervals of which those that begin before any other ends can come first.
struct Front {
    begins: Vec<(u32, u32)>,
    ends: Vec<(u32, u32)>,
    /// How many of both lie behind.
    begun: usize,
    ended: usize,
}

impl Front {
    fn new(intervals: impl Iterator<Item = (u32, u32, u32)> + Clone) -> Front {
        let mut begins: Vec<(u32, u32)> = intervals.clone().map(|(from, _, i)| (from, i)).collect();
        let mut ends: Vec<(u32, u32)> = intervals.map(|(_, to, i)| (to, i)).collect();
        begins.sort_unstable();
        ends.sort_unstable();
        Front { begins, ends, begun: 0, ended: 0 }
    }

    /// Tells which can come first now, each once.
    fn advance(&mut self, gone: &[bool], mut each: impl FnMut(u32)) {
        while self.ends.get(self.ended).is_some_and(|(_, i)| gone[*i as usize]) {
            self.ended += 1;
        }
        let Some((limit, _)) = self.ends.get(self.ended) else { return };
        while let Some((_, i)) = self.begins.get(self.begun).filter(|(from, _)| from < limit) {
            self.begun += 1;
            each(*i);
        }
    }
}
