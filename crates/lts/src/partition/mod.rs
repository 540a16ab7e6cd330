//! Equivalences on the states of one system and the partitions that they give.

pub(crate) mod blocks;
mod bunches;
pub(crate) mod components;
pub(crate) mod graph;
pub(crate) mod keys;
mod ledger;
mod refine;
mod split;
mod trace;
pub(crate) mod weak;

use ledger::Work;
pub use trace::determinize;

use crate::system::{Lts, StateId};
use components::{Components, Members};
use graph::ContractedGraph;
use refine::Refined;
pub use trueline_base::Equivalence;
use trueline_base::{Meter, Observer, Stop};

/// A class of a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassId(pub u32);

impl ClassId {
    /// As an index into a table by class.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A partition of the states of one system. Classes are numbered by their smallest state, so
/// equal partitions are equal data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    class_of: Vec<ClassId>,
    count: u32,
}

impl Partition {
    /// The partition in which two states are together when their entries are equal.
    pub fn from_ids(ids: impl IntoIterator<Item = u32>) -> Partition {
        let mut number: rustc_hash::FxHashMap<u32, ClassId> = Default::default();
        let mut class_of = Vec::new();
        for id in ids {
            let next = ClassId(number.len() as u32);
            class_of.push(*number.entry(id).or_insert(next));
        }
        Partition { class_of, count: number.len() as u32 }
    }

    /// The same for ids below `bound`, without a hash table.
    pub(crate) fn from_dense(ids: impl ExactSizeIterator<Item = u32>, bound: usize) -> Partition {
        let mut number = vec![u32::MAX; bound];
        let mut count = 0;
        let mut class_of = Vec::with_capacity(ids.len());
        for id in ids {
            let slot = &mut number[id as usize];
            if *slot == u32::MAX {
                *slot = count;
                count += 1;
            }
            class_of.push(ClassId(*slot));
        }
        Partition { class_of, count }
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.count as usize
    }

    /// The class of a state.
    pub fn class_of(&self, state: StateId) -> ClassId {
        self.class_of[state.index()]
    }

    /// The classes of all states, by state.
    pub fn as_slice(&self) -> &[ClassId] {
        &self.class_of
    }

    /// Whether two states are together.
    pub fn same(&self, a: StateId, b: StateId) -> bool {
        self.class_of(a) == self.class_of(b)
    }

    /// Whether states that are together here are together in `other`.
    pub fn refines(&self, other: &Partition) -> bool {
        let mut image = vec![None; self.classes()];
        let pairs = self.class_of.iter().zip(&other.class_of);
        self.class_of.len() == other.class_of.len()
            && pairs.into_iter().all(|(mine, theirs)| *image[mine.index()].get_or_insert(theirs) == theirs)
    }

    /// `self` on the states, then `next` on the classes.
    pub(crate) fn then(&self, next: &Partition) -> Partition {
        let ids = self.class_of.iter().map(|c| next.class_of[c.index()].0);
        Partition::from_dense(ids, next.classes())
    }
}

/// A partition together with what quotients need.
pub(crate) struct Partitioned {
    pub(crate) partition: Partition,
    pub(crate) components: Components,
    pub(crate) graph: ContractedGraph,
}

/// Strong, branching or divergence-preserving branching bisimulation.
pub(crate) fn bisimulation(
    lts: &Lts,
    by: Equivalence,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Partitioned, Stop> {
    let silent = by != Equivalence::Strong;
    let mut components =
        if silent { Components::silent(lts, meter, observer)? } else { Components::trivial(lts) };
    let graph = ContractedGraph::new(lts, &components, silent, meter, observer)?;
    components.members = Members::default();
    let divergence = by == Equivalence::DpBranching;
    let budget = refine::budget(&graph);
    let (block_of, _) = refine(&graph, divergence, budget, meter, observer)?;
    let ids = components.of.iter().map(|&c| block_of[c as usize]);
    let partition = Partition::from_dense(ids, graph.nodes());
    Ok(Partitioned { partition, components, graph })
}

/// Signatures while they stay within the budget of moves read, bunches beyond it.
fn refine(
    graph: &ContractedGraph,
    divergence: bool,
    budget: u64,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<(Vec<u32>, Work), Stop> {
    match refine::refine(graph, divergence, budget, meter, observer)? {
        Refined::Done(block_of, work) => Ok((block_of, work)),
        Refined::OverBudget(work) => {
            Ok((bunches::refine(graph, divergence, meter, observer)?, Work { fell_back: true, ..work }))
        }
    }
}

/// The classes of the states of `lts` by an equivalence.
///
/// ```
/// use trueline_base::{Limits, Meter, Silent};
/// use trueline_lts::{Equivalence, partition, read};
///
/// let text = "des (0, 3, 4)\n(0, tau, 1)\n(0, \"a\", 2)\n(1, \"a\", 3)\n";
/// let meter = Meter::start(Limits::default());
/// let lts = read::aut(text.as_bytes(), &read::Options::default(), &meter, &mut Silent).unwrap();
/// let classes = partition(&lts, Equivalence::Branching, &meter, &mut Silent).unwrap();
/// assert_eq!(classes.classes(), 2);
/// ```
pub fn partition(
    lts: &Lts,
    by: Equivalence,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Partition, Stop> {
    match by {
        Equivalence::Strong | Equivalence::Branching | Equivalence::DpBranching => {
            Ok(bisimulation(lts, by, meter, observer)?.partition)
        }
        Equivalence::Weak => weak::partition(lts, false, meter, observer),
        Equivalence::DpWeak => weak::partition(lts, true, meter, observer),
        Equivalence::Trace => trace::partition(lts, meter, observer),
    }
}

/// For each state whether it lies on a cycle of tau steps.
pub fn states_on_tau_cycles(
    lts: &Lts,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Vec<bool>, Stop> {
    let components = Components::silent(lts, meter, observer)?;
    let mut cyclic = vec![false; components.count as usize];
    for (s, m) in lts.iter().filter(|(_, m)| m.is_tau()) {
        if components.of[s.index()] == components.of[m.target().index()] {
            cyclic[components.of[s.index()] as usize] = true;
        }
    }
    Ok(components.of.iter().map(|&c| cyclic[c as usize]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use trueline_base::{Limits, Silent};

    /// The partition with no budget for signatures, so that bunches do all the work.
    fn by_bunches(lts: &Lts, by: Equivalence) -> Partition {
        let meter = Meter::start(Limits::default());
        let silent = by != Equivalence::Strong;
        let components = if silent {
            Components::silent(lts, &meter, &mut Silent).unwrap()
        } else {
            Components::trivial(lts)
        };
        let graph = ContractedGraph::new(lts, &components, silent, &meter, &mut Silent).unwrap();
        let block_of = bunches::refine(&graph, by == Equivalence::DpBranching, &meter, &mut Silent).unwrap();
        Partition::from_ids(components.of.iter().map(|&c| block_of[c as usize]))
    }

    fn agree(lts: &Lts, name: &str) {
        let meter = Meter::start(Limits::default());
        for by in [Equivalence::Strong, Equivalence::Branching, Equivalence::DpBranching] {
            let signatures = partition(lts, by, &meter, &mut Silent).unwrap();
            assert_eq!(by_bunches(lts, by), signatures, "{by} {name}");
        }
    }

    #[test]
    fn bunches_agree_with_signatures() {
        for code in sample::codes_up_to_renaming(3, 18).step_by(3) {
            agree(&sample::small_by_code(3, code), &format!("code {code:#x}"));
        }
        for seed in 0..3000 {
            agree(&sample::random_small(seed, 8), &format!("seed {seed}"));
        }
        for seed in 0..60 {
            agree(&sample::random_small(seed, 300), &format!("large seed {seed}"));
        }
        agree(&sample::product(4, 2), "product");
        agree(&sample::choices(5), "choices");
        agree(&sample::hubs(10, 100), "hubs");
    }

    #[test]
    fn an_exhausted_budget_changes_nothing() {
        let meter = Meter::start(Limits::default());
        let lts = sample::random_small(11, 300);
        let components = Components::silent(&lts, &meter, &mut Silent).unwrap();
        let graph = ContractedGraph::new(&lts, &components, true, &meter, &mut Silent).unwrap();
        let (few, work) = refine(&graph, false, 10, &meter, &mut Silent).unwrap();
        assert!(work.fell_back);
        let (many, work) = refine(&graph, false, u64::MAX, &meter, &mut Silent).unwrap();
        assert!(!work.fell_back);
        assert_eq!(Partition::from_ids(few), Partition::from_ids(many));
    }
}
