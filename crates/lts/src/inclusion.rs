//! Weak trace inclusion: is every sequence of visible labels of one system one of another?
//!
//! Papers: Wang, Sun, Liu et al., FMICS 2012 (antichains); Laveaux, Groote and Willemse, LMCS
//! 17(1), 2021 (a pair enters the antichain when it is pushed). Sets of specification states are
//! stored once and their steps memoised, so a set is never computed twice.
//! Invariant: pairs are expanded by number of visible labels, silent steps first, and a pair is
//! left out only for one found no later with fewer specification states; so the first trace that
//! the specification lacks is a shortest one.
//! Cost: implementation transitions times antichain width, plus the sets; exponential at worst.
//! Claim: exact. Oracle: `naive::included`, `naive::shortest_difference`.

use crate::failure::{Failure, Unconfirmed};
use crate::fetch::{BATCH, fetch};
use crate::partition::Equivalence;
use crate::quotient::quotient;
use crate::sets::Sets;
use crate::system::{LabelId, Lts, Move, StateId};
use crate::watch::Watch;
use rustc_hash::FxHashMap;
use trueline_base::{Meter, Observer, Stop};

/// A step of a run: its move, from where the run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Where it starts.
    pub source: StateId,
    /// What it does.
    pub label: LabelId,
    /// Where it ends.
    pub target: StateId,
}

/// Whether the traces are included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inclusion {
    /// All of them.
    Included {
        /// Pairs of a state and a set that were looked at.
        pairs: u64,
        /// Sets of specification states.
        sets: u64,
    },
    /// Not this run of the implementation, from its initial state, silent steps included; without
    /// its last step it is included.
    NotIncluded(Vec<Step>),
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
/// assert!(matches!(inclusion(&small, &large, &meter, &mut Silent), Ok(Inclusion::Included { .. })));
/// let Ok(Inclusion::NotIncluded(run)) = inclusion(&large, &small, &meter, &mut Silent) else { panic!() };
/// assert_eq!(run.len(), 2);
/// ```
pub fn inclusion(
    implementation: &Lts,
    specification: &Lts,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Inclusion, Failure> {
    let reduced = quotient(specification, Equivalence::Branching, meter, observer)?.system;
    let spec = with_labels_of(&reduced, implementation);
    let answer = Search::new(implementation, &spec).run(meter, observer)?;
    if let Inclusion::NotIncluded(run) = &answer {
        confirm(implementation, specification, run)?;
    }
    Ok(answer)
}

/// `lts` over the labels of `other`; moves that `other` never makes are dropped.
fn with_labels_of(lts: &Lts, other: &Lts) -> Lts {
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

const NONE: u32 = u32::MAX;

/// A pair that was reached, and how.
#[derive(Clone, Copy)]
struct Pair {
    state: StateId,
    set: u32,
    parent: u32,
    label: LabelId,
}

/// A visible step of a pair, put off until all silent ones of its layer are done.
#[derive(Clone, Copy)]
struct Show {
    pair: u32,
    set: u32,
    step: Move,
}

struct Search<'a> {
    implementation: &'a Lts,
    spec: &'a Lts,
    sets: Sets,
    steps: Memo,
    pairs: Vec<Pair>,
    shows: Vec<Show>,
    antichain: Antichain,
}

impl<'a> Search<'a> {
    fn new(implementation: &'a Lts, spec: &'a Lts) -> Search<'a> {
        Search {
            implementation,
            spec,
            sets: Sets::new(spec),
            steps: Memo::new(implementation.labels().len()),
            pairs: Vec::new(),
            shows: Vec::new(),
            antichain: Antichain::new(implementation.states()),
        }
    }

    fn bytes(&self) -> u64 {
        let own = self.implementation.bytes() + self.spec.bytes() + self.sets.bytes() + self.steps.bytes();
        own + (self.pairs.capacity() + self.shows.capacity()) as u64 * 16 + self.antichain.bytes()
    }

    fn run(mut self, meter: &Meter, observer: &mut dyn Observer) -> Result<Inclusion, Stop> {
        let mut watch = Watch::new(meter, observer, "comparing traces", None, self.bytes())?;
        let set = self.sets.closed(self.spec, [self.spec.initial()]);
        let initial = self.implementation.initial();
        self.push(Pair { state: initial, set, parent: NONE, label: LabelId::TAU })?;
        let mut at = 0;
        while at < self.pairs.len() {
            while at < self.pairs.len() {
                let done = self.silent_steps(at)?;
                at += done;
                watch.work(done as u64, || self.bytes())?;
            }
            let shows = std::mem::take(&mut self.shows);
            for some in shows.chunks(BATCH) {
                self.antichain.fetch(some.iter().map(|show| show.step.target()));
                for show in some {
                    let Some(set) = self.after(show.set, show.step.label()) else {
                        return Ok(Inclusion::NotIncluded(self.run_to(show.pair, show.step)));
                    };
                    let (state, label) = (show.step.target(), show.step.label());
                    self.push(Pair { state, set, parent: show.pair, label })?;
                }
                watch.work(some.len() as u64, || self.bytes())?;
            }
            self.shows = shows;
            self.shows.clear();
        }
        let (pairs, sets) = (self.pairs.len() as u64, u64::from(self.sets.len()));
        Ok(Inclusion::Included { pairs, sets })
    }

    /// Expands a few pairs from `at` on: follows their silent steps and puts off the others. Says
    /// how many.
    fn silent_steps(&mut self, at: usize) -> Result<usize, Stop> {
        let implementation = self.implementation;
        let mut rows: [&[Move]; BATCH] = [&[]; BATCH];
        let mut done = 0;
        for (row, pair) in rows.iter_mut().zip(&self.pairs[at..]) {
            *row = implementation.moves(pair.state);
            done += 1;
        }
        let target = |m: Option<&Move>| m.map_or(0, |m| m.target().0);
        fetch(rows.iter().map(|row| target(row.first()) ^ target(row.last())));
        for row in &rows[..done] {
            // State 0 stands for what need not be fetched: a branch would often go astray.
            self.antichain.fetch(row.iter().map(|m| StateId(m.target().0 * u32::from(m.is_tau()))));
        }
        for (i, row) in rows[..done].iter().enumerate() {
            let pair = self.pairs[at + i];
            let parent = (at + i) as u32;
            for &step in *row {
                if step.is_tau() {
                    self.push(Pair { state: step.target(), parent, label: LabelId::TAU, ..pair })?;
                } else {
                    self.shows.push(Show { pair: parent, set: pair.set, step });
                }
            }
        }
        Ok(done)
    }

    /// Keeps a pair unless one with fewer specification states is there.
    fn push(&mut self, pair: Pair) -> Result<(), Stop> {
        if self.antichain.insert(pair.state, pair.set, &self.sets) {
            if self.pairs.len() == NONE as usize {
                return Err(Stop::Memory);
            }
            self.pairs.push(pair);
        }
        Ok(())
    }

    /// The set after a visible label, if it is not empty.
    fn after(&mut self, set: u32, label: LabelId) -> Option<u32> {
        if let Some(known) = self.steps.get(set, label) {
            return known;
        }
        let mut targets: Vec<StateId> = Vec::new();
        for &s in self.sets.get(set) {
            let row = self.spec.moves(s);
            let from = row.partition_point(|m| m.label() < label);
            targets.extend(row[from..].iter().take_while(|m| m.label() == label).map(|m| m.target()));
        }
        let next = (!targets.is_empty()).then(|| self.sets.closed(self.spec, targets));
        self.steps.set(set, label, next);
        next
    }

    fn run_to(&self, pair: u32, last: Move) -> Vec<Step> {
        let mut at = self.pairs[pair as usize];
        let mut run = vec![Step { source: at.state, label: last.label(), target: last.target() }];
        while at.parent != NONE {
            let before = self.pairs[at.parent as usize];
            run.push(Step { source: before.state, label: at.label, target: at.state });
            at = before;
        }
        run.reverse();
        run
    }
}

/// The steps of sets computed so far: a table while labels are few, a map otherwise.
enum Memo {
    Table { labels: usize, next: Vec<u32> },
    Map(FxHashMap<(u32, LabelId), u32>),
}

const EMPTY: u32 = NONE - 1;

impl Memo {
    fn new(labels: usize) -> Memo {
        if labels <= 256 { Memo::Table { labels, next: Vec::new() } } else { Memo::Map(FxHashMap::default()) }
    }

    fn bytes(&self) -> u64 {
        match self {
            Memo::Table { next, .. } => next.capacity() as u64 * 4,
            Memo::Map(map) => map.capacity() as u64 * 14,
        }
    }

    /// What is known: a set, or that there is none.
    fn get(&self, set: u32, label: LabelId) -> Option<Option<u32>> {
        let entry = match self {
            Memo::Table { labels, next } => next.get(set as usize * labels + label.index()).copied(),
            Memo::Map(map) => map.get(&(set, label)).copied(),
        };
        entry.filter(|&e| e != NONE).map(|e| (e != EMPTY).then_some(e))
    }

    fn set(&mut self, set: u32, label: LabelId, value: Option<u32>) {
        let value = value.unwrap_or(EMPTY);
        match self {
            Memo::Table { labels, next } => {
                let rows = (set as usize + 1) * *labels;
                if next.len() < rows {
                    next.resize(rows, NONE);
                }
                next[set as usize * *labels + label.index()] = value;
            }
            Memo::Map(map) => {
                map.insert((set, label), value);
            }
        }
    }
}

/// For each implementation state the sets met with it, none a subset of another: the first beside
/// the state, because most have no other, the rest in a list.
struct Antichain {
    first: Vec<Cell>,
    rest: Vec<Cell>,
}

#[derive(Clone, Copy)]
struct Cell {
    set: u32,
    next: u32,
}

impl Antichain {
    fn new(states: usize) -> Antichain {
        Antichain { first: vec![Cell { set: NONE, next: NONE }; states], rest: Vec::new() }
    }

    fn bytes(&self) -> u64 {
        ((self.first.len() + self.rest.capacity()) * 8) as u64
    }

    /// Brings what is known of some states into the cache.
    fn fetch(&self, states: impl Iterator<Item = StateId>) {
        fetch(states.map(|s| self.first[s.index()].set));
    }

    /// Adds a set; false when a subset of it is there already.
    fn insert(&mut self, state: StateId, set: u32, sets: &Sets) -> bool {
        let first = self.first[state.index()];
        if first.set == set {
            return false;
        }
        if first.set == NONE {
            self.first[state.index()] = Cell { set, next: NONE };
            return true;
        }
        self.insert_among(state, set, sets)
    }

    fn insert_among(&mut self, state: StateId, set: u32, sets: &Sets) -> bool {
        let first = self.first[state.index()];
        let mut others =
            std::iter::successors(Some(first), |cell| self.rest.get(cell.next as usize).copied());
        if others.any(|cell| sets.subset(cell.set, set)) {
            return false;
        }
        // Supersets of the new set, the first one included, give way.
        let mut at = first.next;
        let mut kept = NONE;
        while at != NONE {
            let next = self.rest[at as usize].next;
            if !sets.subset(set, self.rest[at as usize].set) {
                self.rest[at as usize].next = kept;
                kept = at;
            }
            at = next;
        }
        if !sets.subset(set, first.set) {
            self.rest.push(Cell { set: first.set, next: kept });
            kept = self.rest.len() as u32 - 1;
        }
        self.first[state.index()] = Cell { set, next: kept };
        true
    }
}

/// Replays a run: possible in the implementation, its visible labels impossible in the
/// specification, possible without the last one. Shares nothing with the search.
fn confirm(implementation: &Lts, specification: &Lts, run: &[Step]) -> Result<(), Unconfirmed> {
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

fn silently(lts: &Lts, mut states: Vec<StateId>) -> Vec<StateId> {
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
