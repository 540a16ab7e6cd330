//! Weak trace inclusion: is every sequence of visible labels of one system one of another?
//!
//! Papers: Wang, Sun, Liu et al., FMICS 2012 (antichains); Laveaux, Groote and Willemse, LMCS
//! 17(1), 2021 (a pair enters the antichain when it is pushed). Sets of specification states are
//! stored once and their steps memoised, so a set is never computed twice.
//! Two searches over the same pairs: the first decides, in the order that suits the memory, and
//! keeps nothing but its frontier; only when it finds a trace too many, the second one looks for a
//! shortest run.
//! Cost: implementation transitions times antichain width, plus the sets; exponential at worst.
//! Claim: exact. Oracle: `naive::included`, `naive::shortest_difference`; what the first search
//! refutes, the second must refute too.

mod antichain;
mod decide;
mod shortest;
mod specification;

use crate::failure::{NoAnswer, Unconfirmed, settled};
use crate::fetch::{BATCH, fetch};
use crate::partition::Equivalence;
use crate::quotient::quotient;
use crate::system::{LabelId, Lts, Move, StateId};
use decide::TraceSearch;
use specification::Specification;
use trueline_base::{Meter, Observer, Stop, Verdict};

/// A step of a run: its move, from where the run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunStep {
    /// Where it starts.
    pub source: StateId,
    /// What it does.
    pub label: LabelId,
    /// Where it ends.
    pub target: StateId,
}

/// Whether the traces are included; if not, a run of the implementation whose trace is not, from its
/// initial state, silent steps included. Without its last step it is included.
pub type Inclusion = Verdict<Included, Vec<RunStep>, Stop>;

/// What it took to see that all traces are included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Included {
    /// Pairs of a state and a set that were looked at.
    pub pairs: u64,
    /// Sets of specification states.
    pub sets: u64,
}

/// Whether the visible traces of `implementation` are traces of `specification`. Labels are
/// joined by name. A run that shows the contrary has been replayed on both.
///
/// ```
/// use trueline_base::{Limits, Meter, Silent};
/// use trueline_lts::{Inclusion, inclusion, read};
///
/// let meter = Meter::start(Limits::default());
/// let read = |text: &str| read::aut(text.as_bytes(), &Default::default(), &meter, &mut Silent).unwrap();
/// let small = read("des (0, 1, 2)\n(0, a, 1)\n");
/// let large = read("des (0, 2, 3)\n(0, a, 1)\n(1, b, 2)\n");
/// assert!(inclusion(&small, &large, &meter, &mut Silent).unwrap().holds());
/// let Ok(Inclusion::Fails(run)) = inclusion(&large, &small, &meter, &mut Silent) else { panic!() };
/// assert_eq!(run.len(), 2);
/// ```
pub fn inclusion(
    implementation: &Lts,
    specification: &Lts,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Inclusion, Unconfirmed> {
    settled(decided(implementation, specification, meter, observer))
}

/// The same for whoever has more to do within the limits.
pub(crate) fn decided(
    implementation: &Lts,
    specification: &Lts,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Inclusion, NoAnswer> {
    let reduced = quotient(specification, Equivalence::Branching, meter, observer)?.system;
    let mut spec = Specification::new(with_labels_of(&reduced, implementation));
    match decide::decide(implementation, &mut spec, meter, observer)? {
        TraceSearch::Included { pairs } => {
            Ok(Inclusion::Holds(Included { pairs, sets: u64::from(spec.sets().len()) }))
        }
        TraceSearch::NotIncluded => {
            let run = shortest::shortest(implementation, &mut spec, meter, observer)?;
            confirm(implementation, specification, &run)?;
            Ok(Inclusion::Fails(run))
        }
    }
}

/// `lts` over the labels of `other`; moves that `other` never makes are dropped.
pub(crate) fn with_labels_of(lts: &Lts, other: &Lts) -> Lts {
    let find = |(id, name): (LabelId, &str)| match id {
        LabelId::TAU => Some(LabelId::TAU),
        _ => other.labels().find(name),
    };
    let map: Vec<Option<LabelId>> = lts.labels().iter().map(find).collect();
    let mut all: Vec<(StateId, LabelId, StateId)> =
        lts.iter().filter_map(|(s, m)| Some((s, map[m.label().index()]?, m.target()))).collect();
    all.sort_unstable();
    Lts::from_transitions(lts.states() as u32, lts.initial(), other.labels().clone(), all)
}

/// The moves of a few states, brought into the cache; empty behind the last.
fn rows(lts: &Lts, states: impl Iterator<Item = StateId>) -> [&[Move]; BATCH] {
    let mut rows: [&[Move]; BATCH] = [&[]; BATCH];
    for (row, state) in rows.iter_mut().zip(states) {
        *row = lts.moves(state);
    }
    let target = |m: Option<&Move>| m.map_or(0, |m| m.target().0);
    fetch(rows.iter().map(|row| target(row.first()) ^ target(row.last())));
    rows
}

/// Replays a run: possible in the implementation, its visible labels impossible in the
/// specification, possible without the last one. Shares nothing with the search.
fn confirm(implementation: &Lts, specification: &Lts, run: &[RunStep]) -> Result<(), Unconfirmed> {
    let mut at = implementation.initial();
    let mut now = silently(specification, vec![specification.initial()]);
    for (i, step) in run.iter().enumerate() {
        let possible = implementation.moves(at).contains(&Move::new(step.label, step.target));
        if step.source != at || !possible {
            return Err(Unconfirmed { what: format!("step {i} of the run does not exist") });
        }
        at = step.target;
        if step.label != LabelId::TAU {
            let name = implementation.labels().name(step.label);
            let label = specification.labels().find(name);
            let moves = now.iter().flat_map(|&s| specification.moves(s));
            let next = moves.filter(|m| Some(m.label()) == label).map(|m| m.target()).collect();
            now = silently(specification, next);
        }
        if now.is_empty() != (i + 1 == run.len()) {
            return Err(Unconfirmed { what: format!("the specification disagrees at step {i}") });
        }
    }
    if run.is_empty() { Err(Unconfirmed { what: "an empty run".into() }) } else { Ok(()) }
}

pub(crate) fn silently(lts: &Lts, mut states: Vec<StateId>) -> Vec<StateId> {
    let mut seen = rustc_hash::FxHashSet::default();
    states.retain(|&s| seen.insert(s));
    let mut next = 0;
    while next < states.len() {
        for m in lts.moves(states[next]) {
            if m.is_tau() && seen.insert(m.target()) {
                states.push(m.target());
            }
        }
        next += 1;
    }
    states
}
