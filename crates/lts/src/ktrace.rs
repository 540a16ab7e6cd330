//! k-trace equivalence and the cap of a system.
//!
//! Van Glabbeek and Weijland, J. ACM 43(3), 1996; Yang, Katoen, Lin, Liu and Wu, Branching Bisimulation
//! and Concurrent Object Verification, DSN 2018 (definition 3.1): T^0 is empty; T^{k+1}(s) adds to T^k(s) the traces of s
//! in which every state is coloured by its T^k and tau steps between equal colours do not show.
//! So 1-trace equivalence is weak trace equivalence, and the next level is weak trace equivalence
//! of the system whose labels carry both colours and whose tau steps are silent only between equal
//! colours. The levels grow until branching bisimulation is reached; the cap is the first k with
//! the same classes as k + 1.
//! Works on the branching quotient, which is finer than every level. Cost: a determinization per
//! level, bounded by the meter. Claim: exact. Oracle: `naive::k_trace_partitions`.

use crate::labels::Labels;
use crate::partition::{self, Equivalence, Partition, determinize};
use crate::quotient::quotient;
use crate::system::{LabelId, Lts, StateId};
use rustc_hash::FxHashMap;
use trueline_base::{Meter, Observer, Stop};

/// The levels of one system.
#[derive(Clone, Debug)]
pub struct KTraces {
    /// `levels[k]` are the classes by k-trace equivalence, up to the cap.
    pub levels: Vec<Partition>,
}

/// A tau step and the first level that tells its ends apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TauStep {
    /// Where it starts.
    pub source: StateId,
    /// Where it ends.
    pub target: StateId,
    /// The smallest k for which its ends are not k-trace equivalent; `None` when all agree.
    pub differs_at: Option<usize>,
}

impl KTraces {
    /// The smallest k such that k- and (k+1)-trace equivalence coincide.
    pub fn cap(&self) -> usize {
        self.levels.len() - 1
    }

    /// Whether two states are k-trace equivalent; from the cap on, nothing changes.
    pub fn equivalent(&self, k: usize, a: StateId, b: StateId) -> bool {
        self.levels[k.min(self.cap())].same(a, b)
    }

    /// The first level that tells two states apart.
    pub fn differs_at(&self, a: StateId, b: StateId) -> Option<usize> {
        (0..self.levels.len()).find(|&k| !self.levels[k].same(a, b))
    }

    /// Every tau step of the system that the levels were made for.
    pub fn tau_steps<'a>(&'a self, lts: &'a Lts) -> impl Iterator<Item = TauStep> + 'a {
        lts.iter().filter(|(_, m)| m.is_tau()).map(|(source, m)| {
            let target = m.target();
            TauStep { source, target, differs_at: self.differs_at(source, target) }
        })
    }
}

/// Computes the levels up to the cap.
pub fn k_traces(lts: &Lts, meter: &Meter, observer: &mut dyn Observer) -> Result<KTraces, Stop> {
    let small = quotient(lts, Equivalence::Branching, meter, observer)?;
    let states: Vec<u32> = small.state_of.iter().map(|s| s.0).collect();
    let mut now = Partition::from_ids(vec![0; small.system.states()]);
    let mut levels = Vec::new();
    loop {
        levels.push(Partition::from_ids(states.iter().map(|&s| now.class_of(StateId(s)).0)));
        if now.classes() == small.system.states() {
            return Ok(KTraces { levels });
        }
        let next = next_level(&small.system, &now, meter, observer)?;
        if next.classes() == now.classes() {
            return Ok(KTraces { levels });
        }
        now = next;
    }
}

fn next_level(
    lts: &Lts,
    colours: &Partition,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Partition, Stop> {
    let coloured = colour(lts, colours);
    let (sets, starts) = determinize(&coloured, coloured.state_ids(), meter, observer)?;
    let classes = partition::partition(&sets, Equivalence::Strong, meter, observer)?;
    // A trace begins with the colour of its first state.
    let mut pairs = FxHashMap::default();
    let ids = lts.state_ids().map(|s| {
        let next = pairs.len() as u32;
        *pairs.entry((colours.class_of(s), classes.class_of(starts[s.index()]))).or_insert(next)
    });
    Ok(Partition::from_ids(ids.collect::<Vec<_>>()))
}

/// The system with both colours in every label; tau between equal colours stays tau. Source
/// colours are implied by what came before, so the label holds the target's alone.
fn colour(lts: &Lts, colours: &Partition) -> Lts {
    let mut labels = Labels::new();
    let mut ids: FxHashMap<(LabelId, u32), LabelId> = FxHashMap::default();
    let mut steps = Vec::with_capacity(lts.transitions());
    for (s, m) in lts.iter() {
        let to = colours.class_of(m.target());
        let label = if m.is_tau() && colours.class_of(s) == to {
            LabelId::TAU
        } else {
            *ids.entry((m.label(), to.0))
                .or_insert_with(|| labels.intern(&format!("{} {}", m.label().0, to.0)))
        };
        steps.push((s, label, m.target()));
    }
    Lts::from_transitions(lts.states() as u32, lts.initial(), labels, steps)
}
