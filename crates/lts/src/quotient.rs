//! The quotient of a system by an equivalence: one state per class, and the map to it.
//!
//! For strong, branching and divergence-preserving branching bisimulation the moves of a class are
//! those of one node without inert steps; a class that diverges gets a tau self-loop where that
//! matters. For weak bisimulations moves that others imply are left out. For traces the quotient
//! is the smallest deterministic system. Claim: equivalent to the original and minimal.
//! Oracle: the twins in `naive`, on the disjoint union.

use crate::partition::{self, ClassId, Equivalence, Partition, Partitioned, weak};
use crate::system::{LabelId, Lts, Move, StateId};
use crate::watch::StageWatch;
use trueline_base::{Meter, Observer, Stop};

/// A reduced system and where every state of the original went.
#[derive(Clone, Debug)]
pub struct Quotient {
    /// The reduced system. Classes of unreachable states are kept; [`Lts::reachable`] drops them.
    pub system: Lts,
    /// The state of the reduced system that stands for each original state.
    pub state_of: Vec<StateId>,
}

/// Reduces a system.
pub fn quotient(
    lts: &Lts,
    by: Equivalence,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Quotient, Stop> {
    match by {
        Equivalence::Strong | Equivalence::Branching | Equivalence::DpBranching => {
            let done = partition::bisimulation(lts, by, meter, observer)?;
            let system = class_system(lts, &done, by == Equivalence::DpBranching);
            Ok(Quotient { system, state_of: states(&done.partition) })
        }
        Equivalence::Weak | Equivalence::DpWeak => {
            let classes = partition::partition(lts, by, meter, observer)?;
            let system = weak_system(lts, &classes, by == Equivalence::DpWeak, meter, observer)?;
            Ok(Quotient { system, state_of: states(&classes) })
        }
        Equivalence::Trace => {
            let small = quotient(lts, Equivalence::Branching, meter, observer)?;
            let (sets, start) =
                partition::determinize(&small.system, small.system.state_ids(), meter, observer)?;
            let sets = sets.starting_at(start[small.system.initial().index()]);
            let done = quotient(&sets, Equivalence::Strong, meter, observer)?;
            let state_of = small.state_of.iter().map(|s| done.state_of[start[s.index()].index()]).collect();
            Ok(Quotient { system: done.system, state_of })
        }
    }
}

/// The smallest deterministic system with the traces of the initial state.
pub fn minimal_deterministic(lts: &Lts, meter: &Meter, observer: &mut dyn Observer) -> Result<Lts, Stop> {
    let small = quotient(lts, Equivalence::Branching, meter, observer)?.system;
    let (sets, _) = partition::determinize(&small, [small.initial()], meter, observer)?;
    Ok(quotient(&sets, Equivalence::Strong, meter, observer)?.system)
}

fn states(partition: &Partition) -> Vec<StateId> {
    partition.as_slice().iter().map(|c| StateId(c.0)).collect()
}

/// The classes of a bisimulation as a system.
pub(crate) fn class_system(lts: &Lts, done: &Partitioned, divergence: bool) -> Lts {
    // Silent steps lead to smaller nodes, so the smallest node of a class has no inert step.
    let graph = &done.graph;
    let mut class_of_node = vec![ClassId(0); graph.nodes()];
    for (state, &node) in done.components.of.iter().enumerate() {
        class_of_node[node as usize] = done.partition.class_of(StateId(state as u32));
    }
    let mut bottom = vec![u32::MAX; done.partition.classes()];
    for node in (0..graph.nodes() as u32).rev() {
        bottom[class_of_node[node as usize].index()] = node;
    }
    let (mut offsets, mut moves) = (vec![0u32], Vec::new());
    for (class, &node) in bottom.iter().enumerate() {
        let from = moves.len();
        let target = |m: &Move| StateId(class_of_node[m.target().index()].0);
        moves.extend(graph.row(node).iter().map(|m| Move::new(m.label(), target(m))));
        if divergence && graph.diverges[node as usize] {
            moves.push(Move::new(LabelId::TAU, StateId(class as u32)));
        }
        finish_row(&mut moves, from);
        offsets.push(moves.len() as u32);
    }
    let initial = StateId(done.partition.class_of(lts.initial()).0);
    Lts::from_rows(initial, lts.labels().clone(), offsets, moves)
}

fn finish_row(moves: &mut Vec<Move>, from: usize) {
    let mut row = moves.split_off(from);
    row.sort_unstable();
    row.dedup();
    moves.append(&mut row);
}

/// The classes of a weak bisimulation as a system without implied moves: `B -a-> C` is implied by
/// another `B' -a-> C'` with tau paths from `B` to `B'` and from `C'` to `C`. Tau steps between
/// classes are acyclic, so what is left implies all the rest.
fn weak_system(
    lts: &Lts,
    classes: &Partition,
    divergence: bool,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Lts, Stop> {
    let initial = StateId(classes.class_of(lts.initial()).0);
    let class = |s: StateId| StateId(classes.class_of(s).0);
    let all = lts.iter().map(|(s, m)| (class(s), m.label(), class(m.target())));
    let visible = all.filter(|(s, l, t)| *l != LabelId::TAU || s != t);
    let merged = Lts::from_transitions(classes.classes() as u32, initial, lts.labels().clone(), visible);
    let mut diverges = vec![false; merged.states()];
    if divergence {
        let cyclic = partition::states_on_tau_cycles(lts, meter, observer)?;
        for s in lts.state_ids().filter(|s| cyclic[s.index()]) {
            diverges[class(s).index()] = true;
        }
    }
    let mut watch = StageWatch::new(meter, observer, "removing implied moves", None, merged.bytes())?;
    let closure = weak::closures(&merged, &mut watch)?;
    let reaches = |a: StateId, b: StateId| closure[a.index()].binary_search(&b).is_ok();
    let (mut offsets, mut moves) = (vec![0u32], Vec::new());
    for b in merged.state_ids() {
        let from = moves.len();
        let mut row = merged.moves(b).to_vec();
        row.sort_unstable();
        row.dedup();
        for &m in &row {
            let implied = closure[b.index()].iter().any(|&u| {
                merged.moves(u).iter().filter(|o| o.label() == m.label() && (u != b || **o != m)).any(|o| {
                    // A tau step implies another only by a path that goes on from it.
                    (!m.is_tau() || u == b) && reaches(o.target(), m.target())
                })
            });
            if !implied {
                moves.push(m);
            }
        }
        if diverges[b.index()] {
            moves.push(Move::new(LabelId::TAU, b));
        }
        finish_row(&mut moves, from);
        offsets.push(moves.len() as u32);
        watch.work(row.len() as u64 + 1, || merged.bytes())?;
    }
    Ok(Lts::from_rows(initial, lts.labels().clone(), offsets, moves))
}
