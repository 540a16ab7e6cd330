//! Weak bisimulation, with or without explicit divergence.
//!
//! Milner, Communication and Concurrency, 1989: weak bisimulation is strong bisimulation of the
//! saturated system (tau* for tau, tau* a tau* for a). Divergence becomes a label on the states of
//! tau cycles, saturated like the others. Saturation works on the branching quotient, which is
//! small and has no tau cycle but self-loops. Cost: that of the saturated system, quadratic at
//! worst. Claim: exact. Oracle: `naive::bisimulation`.

use super::{Equivalence, Partition, bisimulation};
use crate::quotient::class_system;
use crate::system::{LabelId, Lts, Move, StateId};
use crate::watch::StageWatch;
use trueline_base::{Meter, Observer, Stop};

pub(super) fn partition(
    lts: &Lts,
    divergence: bool,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Partition, Stop> {
    let finer = if divergence { Equivalence::DpBranching } else { Equivalence::Branching };
    let first = bisimulation(lts, finer, meter, observer)?;
    let small = class_system(lts, &first, divergence);
    let saturated = saturate(&small, divergence, meter, observer)?;
    let second = bisimulation(&saturated, Equivalence::Strong, meter, observer)?;
    Ok(first.partition.then(&second.partition))
}

/// The saturated system: label 0 is tau*, visible labels keep their ids, and with `divergence`
/// one more label (the last) says that a tau cycle can be reached and left again.
/// Tau cycles of `lts` must be self-loops.
pub(crate) fn saturate(
    lts: &Lts,
    divergence: bool,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Lts, Stop> {
    let mut watch = StageWatch::new(meter, observer, "saturating", None, lts.bytes())?;
    let closure = closures(lts, &mut watch)?;
    let diverging = LabelId(lts.labels().len() as u32);
    let mut labels = lts.labels().clone();
    let mut name = "divergence".to_string();
    while labels.find(&name).is_some() {
        name.push('\'');
    }
    labels.intern(&name);
    let mut offsets = vec![0u32];
    let mut moves: Vec<Move> = Vec::new();
    let mut row: Vec<Move> = Vec::new();
    for s in lts.state_ids() {
        row.clear();
        row.extend(closure[s.index()].iter().map(|&t| Move::new(LabelId::TAU, t)));
        for &u in &closure[s.index()] {
            for m in lts.moves(u) {
                if !m.is_tau() {
                    row.extend(closure[m.target().index()].iter().map(|&t| Move::new(m.label(), t)));
                } else if divergence && m.target() == u {
                    row.extend(closure[u.index()].iter().map(|&t| Move::new(diverging, t)));
                }
            }
            if row.len() > 1 << 16 {
                tidy(&mut row);
            }
        }
        tidy(&mut row);
        moves.extend_from_slice(&row);
        offsets.push(u32::try_from(moves.len()).map_err(|_| Stop::Memory)?);
        watch.work(row.len() as u64 + 1, || lts.bytes() + moves.capacity() as u64 * 8)?;
    }
    Ok(Lts::from_rows(lts.initial(), labels, offsets, moves))
}

fn tidy(row: &mut Vec<Move>) {
    row.sort_unstable();
    row.dedup();
}

/// What each state reaches by tau steps, itself included, ascending.
pub(crate) fn closures(lts: &Lts, watch: &mut StageWatch<'_>) -> Result<Vec<Vec<StateId>>, Stop> {
    let mut stamp = vec![u32::MAX; lts.states()];
    let mut closure = Vec::with_capacity(lts.states());
    let mut bytes = lts.bytes();
    for s in lts.state_ids() {
        let mut reached = vec![s];
        stamp[s.index()] = s.0;
        let mut next = 0;
        while next < reached.len() {
            for m in lts.moves(reached[next]).iter().filter(|m| m.is_tau()) {
                if stamp[m.target().index()] != s.0 {
                    stamp[m.target().index()] = s.0;
                    reached.push(m.target());
                }
            }
            next += 1;
        }
        reached.sort_unstable();
        reached.shrink_to_fit();
        bytes += reached.len() as u64 * 4 + 24;
        watch.work(reached.len() as u64, || bytes)?;
        closure.push(reached);
    }
    Ok(closure)
}
