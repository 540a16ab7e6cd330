//! Weak trace equivalence of states, by determinization.
//!
//! Rabin and Scott, IBM J. Res. Dev. 3(2), 1959: sets of states closed under tau; then strong
//! bisimulation of the deterministic system, where it is equality of traces. Works on the branching
//! quotient. Cost: exponential at worst, bounded by the meter. Claim: exact. Oracle: `naive::trace`.

use super::{Equivalence, Partition, bisimulation};
use crate::quotient::class_system;
use crate::sets::Sets;
use crate::system::{LabelId, Lts, Move, StateId};
use crate::watch::StageWatch;
use trueline_base::{Meter, Observer, Stop};

pub(super) fn partition(lts: &Lts, meter: &Meter, observer: &mut dyn Observer) -> Result<Partition, Stop> {
    let first = bisimulation(lts, Equivalence::Branching, meter, observer)?;
    let small = class_system(lts, &first, false);
    let (sets, starts) = determinize(&small, small.state_ids(), meter, observer)?;
    let second = bisimulation(&sets, Equivalence::Strong, meter, observer)?;
    let classes = starts.iter().map(|&s| second.partition.class_of(s).0);
    let on_classes = Partition::from_dense(classes, sets.states());
    Ok(first.partition.then(&on_classes))
}

/// The deterministic system of sets of states that some `starts` can reach, without tau; and the
/// set in which each of the starts lies first. It starts at the first of them.
///
/// # Panics
/// When there is no start.
pub fn determinize(
    lts: &Lts,
    starts: impl IntoIterator<Item = StateId>,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<(Lts, Vec<StateId>), Stop> {
    let mut watch = StageWatch::new(meter, observer, "determinizing", None, lts.bytes())?;
    let mut sets = Sets::new(lts);
    let start_of: Vec<StateId> = starts.into_iter().map(|s| StateId(sets.closed(lts, [s]))).collect();
    let (mut offsets, mut moves) = (vec![0u32], Vec::new());
    let mut steps: Vec<Move> = Vec::new();
    let mut set = 0;
    while set < sets.len() {
        steps.clear();
        for &s in sets.get(set) {
            steps.extend(lts.moves(s).iter().filter(|m| !m.is_tau()));
        }
        steps.sort_unstable();
        steps.dedup();
        for group in steps.chunk_by(|a, b| a.label() == b.label()) {
            let label: LabelId = group[0].label();
            let target = sets.closed(lts, group.iter().map(|m| m.target()));
            moves.push(Move::new(label, StateId(target)));
        }
        offsets.push(u32::try_from(moves.len()).map_err(|_| Stop::Memory)?);
        watch.work(steps.len() as u64 + 1, || lts.bytes() + sets.bytes() + moves.capacity() as u64 * 8)?;
        set += 1;
    }
    Ok((Lts::from_rows(start_of[0], lts.labels().clone(), offsets, moves), start_of))
}
