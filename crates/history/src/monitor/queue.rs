//! Queues with distinct values.
//!
//! Henzinger, Sezgin, Vafeiadis, CONCUR 2013: once removals fit their insertions and nothing is wrongly found
//! empty, a history is linearizable exactly when no two values were inserted one after the other and removed
//! one after the other in the opposite order (never removed counts as removed last). Values are swept by the
//! time of their insertion with the latest removal so far. Cost: O(n log n). Claim: exact for unambiguous
//! histories. Oracle: search.

use super::Outcome;
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
    Outcome::Holds
}
