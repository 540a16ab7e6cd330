//! Bags, and what holds for every container: nothing is found missing while something is surely inside.
//!
//! Henzinger, Sezgin, Vafeiadis, "Aspect-oriented linearizability proofs", CONCUR 2013 (the witness of a wrong
//! EMPTY); Lee and Mathur, 2025. A removal that finds nothing is possible exactly when one of its gaps lies in
//! no value's sure interval. Cost: O(n α(n)). Claim: exact for unambiguous histories. Oracle: search.
//!
//! The order: each value is put in at the end of the last gap that its insertion has before anybody needs it and taken
//! out at the beginning of the first gap of its removal, so that it is inside in the gaps of its sure interval and
//! no others. Without a sure interval both share a gap, and it is put in and taken out at the end. What finds
//! nothing stands in the middle of its free gap. A look stands right behind the insertion, or at the beginning of
//! the gap of its call if that is later. Cost: O(n log n).

use super::MonitorAnswer;
use super::gaps::Gaps;
use super::places::Places;
use super::values::ValueTable;

/// Checks the removals that found nothing.
pub fn run(table: &ValueTable<'_>) -> MonitorAnswer {
    if table.empties.is_empty() {
        return MonitorAnswer::Holds(None);
    }
    let mut gaps = uncovered(table);
    for (i, span) in &table.empties {
        if gaps.free(span.call) >= span.ret {
            // Values that together cover the operation, each reaching as far as any from where the last ended.
            let mut sure: Vec<(u32, u32, usize)> = table
                .lives
                .iter()
                .enumerate()
                .map(|(l, life)| (life.surely().0, life.surely().1, l))
                .filter(|(from, to, _)| from < to && *to > span.call && *from < span.ret)
                .collect();
            sure.sort_unstable();
            let mut core = vec![*i];
            let (mut reached, mut at) = (span.call, 0);
            while reached < span.ret {
                let mut best = None;
                while at < sure.len() && sure[at].0 <= reached {
                    best = best.max(Some((sure[at].1, sure[at].2)));
                    at += 1;
                }
                let Some((to, l)) = best.filter(|(to, _)| *to > reached) else { break };
                core.extend(table.lives[l].operations());
                reached = to;
            }
            return MonitorAnswer::Fails(core);
        }
    }
    MonitorAnswer::Holds(None)
}

/// The gaps in which nothing is surely inside.
fn uncovered(table: &ValueTable<'_>) -> Gaps {
    let mut gaps = Gaps::new(table.length);
    for life in &table.lives {
        let (from, to) = life.surely();
        if from < to {
            gaps.cover(from, to);
        }
    }
    gaps
}

/// Each operation that found nothing, with the first gap in which that can be. The history holds.
pub fn empties(table: &ValueTable<'_>) -> Vec<(usize, u32)> {
    if table.empties.is_empty() {
        return Vec::new();
    }
    let mut gaps = uncovered(table);
    table.empties.iter().map(|(i, span)| (*i, gaps.free(span.call))).collect()
}

/// Ranks in a gap.
const LATE_LOOK: u64 = 0;
const REMOVE: u64 = 1;
const EMPTY: u64 = 2;
const INSERT: u64 = 3;
const LOOK: u64 = 4;
const REMOVE_AT_ONCE: u64 = 5;

/// An order for a bag that holds.
pub fn order(table: &ValueTable<'_>, places: &mut Places) {
    for (i, gap) in empties(table) {
        places.put(i, gap, EMPTY);
    }
    for life in table.lives.iter().filter(|l| l.happened()) {
        let put = life.last_gap(table.length);
        places.put(life.insertion(), put, INSERT);
        if let Some(removal) = life.removal() {
            let to = life.surely().1;
            let (gap, rank) = if to > put { (to, REMOVE) } else { (put, REMOVE_AT_ONCE) };
            places.put(removal, gap, rank);
        }
    }
    for (i, life, span) in &table.peeks {
        let put = table.lives[*life as usize].last_gap(table.length);
        let (gap, rank) = if span.call <= put { (put, LOOK) } else { (span.call, LATE_LOOK) };
        places.put(*i, gap, rank);
    }
}
