//! Bags, and what holds for every container: nothing is found missing while something is surely inside.
//!
//! Henzinger, Sezgin, Vafeiadis, "Aspect-oriented linearizability proofs", CONCUR 2013 (the witness of a wrong
//! EMPTY); Lee and Mathur, 2025. A removal that finds nothing is possible exactly when one of its gaps lies in
//! no value's sure interval. Cost: O(n α(n)). Claim: exact for unambiguous histories. Oracle: search.

use super::Outcome;
use super::gaps::Gaps;
use super::values::Table;

/// Checks the removals that found nothing.
pub fn run(table: &Table<'_>) -> Outcome {
    if table.empties.is_empty() {
        return Outcome::Holds;
    }
    let mut gaps = Gaps::new(table.length);
    for life in &table.lives {
        let (from, to) = life.surely();
        if from < to {
            gaps.cover(from, to);
        }
    }
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
            return Outcome::Fails(core);
        }
    }
    Outcome::Holds
}
