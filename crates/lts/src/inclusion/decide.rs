//! Whether traces are included: a search breadth-first by steps of any kind.
//!
//! Invariant: every pair that was reached is covered by one with the same state and no more
//! specification states that was expanded or waits. Generators number states breadth-first, so
//! rows and sets are met nearly in the order in which they lie in memory.

use super::antichain::Antichain;
use super::rows;
use super::specification::Specification;
use crate::fetch::BATCH;
use crate::system::{Lts, StateId};
use crate::watch::StageWatch;
use trueline_base::{Meter, Observer, Stop};

/// What the search found.
pub(super) enum TraceSearch {
    /// All traces, after so many pairs.
    Included { pairs: u64 },
    /// Not all of them.
    NotIncluded,
}

/// A pair to be expanded.
#[derive(Clone, Copy)]
struct Pair {
    state: StateId,
    set: u32,
}

/// Whether the traces of `implementation` are traces of `spec`, whose labels are the same.
pub(super) fn decide(
    implementation: &Lts,
    spec: &mut Specification,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<TraceSearch, Stop> {
    let own = implementation.bytes();
    let least = own + spec.bytes() + Antichain::least_bytes(implementation.states());
    let mut watch = StageWatch::new(meter, observer, "comparing traces", None, least)?;
    let mut antichain = Antichain::new(implementation.states());
    let first = Pair { state: implementation.initial(), set: spec.initial() };
    antichain.insert(first.state, first.set, spec.sets())?;
    let (mut now, mut next) = (vec![first], Vec::new());
    let mut pairs = 0;
    while !now.is_empty() {
        for some in now.chunks(BATCH) {
            let rows = rows(implementation, some.iter().map(|pair| pair.state));
            for row in &rows[..some.len()] {
                antichain.fetch(row.iter().map(|m| m.target()));
            }
            for (row, pair) in rows.iter().zip(some) {
                for step in *row {
                    let Some(set) = spec.after(pair.set, step.label())? else {
                        return Ok(TraceSearch::NotIncluded);
                    };
                    if antichain.insert(step.target(), set, spec.sets())? {
                        next.push(Pair { state: step.target(), set });
                    }
                }
            }
            pairs += some.len() as u64;
            let waiting = ((now.capacity() + next.capacity()) * size_of::<Pair>()) as u64;
            watch.work(some.len() as u64, || own + spec.bytes() + antichain.bytes() + waiting)?;
        }
        std::mem::swap(&mut now, &mut next);
        next.clear();
    }
    Ok(TraceSearch::Included { pairs })
}
