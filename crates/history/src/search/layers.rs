//! Linearizability breadth first: the set of all configurations after each return.
//!
//! Paper: Lowe, "Testing for linearizability", CCPE 2017, section on the breadth-first variant. It shares only
//! the specification with `search::jit` and is what confirms a failure; it also decides growing histories.
//! Invariant: after an event, the set holds (operations in the order that are still open, state) for every
//! order of what was called so far that contains all that returned, or one that can do as much. Claim: exact.
//! Oracle: `naive::linearizable`.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use trueline_base::{Meter, Stop};

use crate::history::NEVER;
use crate::search::Interval;
use crate::spec::{Answers, Next, Spec};

/// What an order of the operations called so far leaves to be done.
#[derive(Clone, Debug)]
struct Configuration<T> {
    /// The operations in the order that will return, ascending.
    open: Vec<u32>,
    /// How many operations of each kind are in the order that never return.
    lost: Vec<u32>,
    state: T,
}

/// Configurations, of which none can do all that another can: an operation that never returns may still be put into
/// the order later, so that having it there already is of no use beside the same without it.
#[derive(Clone, Debug)]
struct Front<T> {
    sets: HashMap<(Vec<u32>, T), Vec<Vec<u32>>>,
    count: usize,
}

impl<T: Clone + Eq + std::hash::Hash> Front<T> {
    fn new() -> Front<T> {
        Front { sets: HashMap::new(), count: 0 }
    }

    /// Whether it is of use beside the others.
    fn insert(&mut self, configuration: &Configuration<T>) -> bool {
        let Configuration { open, lost, state } = configuration;
        let sets = self.sets.entry((open.clone(), state.clone())).or_default();
        let within = |one: &[u32], other: &[u32]| one.iter().zip(other).all(|(n, m)| n <= m);
        if sets.iter().any(|other| within(other, lost)) {
            return false;
        }
        let before = sets.len();
        sets.retain(|other| !within(lost, other));
        self.count = self.count + 1 - (before - sets.len());
        sets.push(lost.clone());
        true
    }

    fn configurations(&self) -> impl Iterator<Item = Configuration<T>> {
        self.sets.iter().flat_map(|((open, state), sets)| {
            sets.iter().map(|lost| Configuration {
                open: open.clone(),
                lost: lost.clone(),
                state: state.clone(),
            })
        })
    }
}

/// Configurations of a history read from left to right.
pub struct Layers<S: Spec> {
    open: BTreeMap<u32, S::Op>,
    /// The kinds of operations that never return, and how many there are of each.
    lost: Vec<(S::Op, u32)>,
    now: Front<S::State>,
    free: Vec<S::Op>,
    seen: Option<Answers>,
    /// Configurations that may be visited, and those that were.
    cap: u64,
    visited: u64,
}

impl<S: Spec> Clone for Layers<S> {
    fn clone(&self) -> Self {
        Layers {
            open: self.open.clone(),
            lost: self.lost.clone(),
            now: self.now.clone(),
            free: self.free.clone(),
            seen: self.seen.clone(),
            cap: self.cap,
            visited: self.visited,
        }
    }
}

impl<S: Spec> Layers<S> {
    /// Before anything was called.
    pub fn new(spec: &S) -> Layers<S> {
        let mut now = Front::new();
        now.insert(&Configuration { open: Vec::new(), lost: Vec::new(), state: spec.initial() });
        let (open, lost, free) = (BTreeMap::new(), Vec::new(), Vec::new());
        Layers { open, lost, now, free, seen: None, cap: u64::MAX, visited: 0 }
    }

    /// An operation is called that will return.
    pub fn call(&mut self, item: u32, op: S::Op) {
        self.open.insert(item, op);
    }

    /// An operation is called that never returns, or of which no return will be told.
    pub fn call_lost(&mut self, op: S::Op) {
        if let Some((_, count)) = self.lost.iter_mut().find(|(kind, _)| *kind == op) {
            *count += 1;
            return;
        }
        self.lost.push((op, 1));
        let mut now = Front::new();
        for mut configuration in self.now.configurations() {
            configuration.lost.push(0);
            now.insert(&configuration);
        }
        self.now = now;
    }

    /// Whether no order is left.
    pub fn is_empty(&self) -> bool {
        self.now.count == 0
    }

    /// An operation returns. False when no order is left.
    pub fn ret(&mut self, spec: &S, item: u32, meter: &Meter) -> Result<bool, Stop> {
        let passed = self.passed(spec, item, meter)?;
        self.pass(item, passed.unwrap_or_else(Front::new));
        Ok(!self.is_empty())
    }

    /// The configurations behind the return of an operation, if there are any.
    fn passed(&mut self, spec: &S, item: u32, meter: &Meter) -> Result<Option<Front<S::State>>, Stop> {
        let mut reached = Front::new();
        self.visited +=
            self.explore(spec, meter, |configuration| match configuration.open.binary_search(&item) {
                Err(_) => true,
                Ok(at) => {
                    let mut rest = configuration.clone();
                    rest.open.remove(at);
                    reached.insert(&rest);
                    false
                }
            })?;
        Ok((reached.count > 0).then_some(reached))
    }

    fn pass(&mut self, item: u32, reached: Front<S::State>) {
        self.open.remove(&item);
        self.now = reached;
    }

    /// Whether the history may end here, what is open being pending.
    pub fn finish(&self, spec: &S, meter: &Meter) -> Result<bool, Stop> {
        let mut accepted = false;
        let mut limit = Next::metered(meter);
        self.explore(spec, meter, |configuration| {
            accepted = accepted || spec.hints().accepts(&configuration.state, &mut limit);
            !accepted && limit.stopped().is_none()
        })?;
        limit.stopped().map_or(Ok(accepted), Err)
    }

    /// Visits the configurations that open operations lead to; `further` says whether to go on from one.
    fn explore(
        &self,
        spec: &S,
        meter: &Meter,
        mut further: impl FnMut(&Configuration<S::State>) -> bool,
    ) -> Result<u64, Stop> {
        let mut next = Next::metered(meter);
        let mut todo: VecDeque<Configuration<S::State>> = self.now.configurations().collect();
        let mut seen = self.now.clone();
        let mut work = 0u64;
        while let Some(configuration) = todo.pop_front() {
            work += 1;
            if self.visited + work > self.cap {
                return Err(Stop::States);
            }
            if work.is_multiple_of(256) {
                let open = configuration.open.len() + configuration.lost.len();
                let heap = spec.hints().heap_bytes(&configuration.state);
                let each = std::mem::size_of::<Configuration<S::State>>() + 4 * open + heap;
                meter.check(2 * (seen.count * each) as u64, seen.count as u64)?;
            }
            if !further(&configuration) {
                continue;
            }
            let mut enter = |op: &S::Op, longer: Configuration<S::State>, optional: bool| {
                spec.step(&configuration.state, op, &mut next);
                if let Some(stop) = next.stopped() {
                    return Err(stop);
                }
                for mut state in next.drain() {
                    if let Some(seen) = &self.seen {
                        spec.hints().forget(&mut state, seen);
                    }
                    // What need not happen and makes nothing possible is of no use.
                    if optional && spec.hints().worse(&state, &configuration.state) {
                        continue;
                    }
                    let reached = Configuration { state, ..longer.clone() };
                    if seen.insert(&reached) {
                        todo.push_back(reached);
                    }
                }
                Ok(())
            };
            for (item, op) in &self.open {
                if let Err(at) = configuration.open.binary_search(item) {
                    let mut longer = configuration.clone();
                    longer.open.insert(at, *item);
                    enter(op, longer, false)?;
                }
            }
            for (kind, (op, count)) in self.lost.iter().enumerate() {
                if configuration.lost[kind] < *count {
                    let mut longer = configuration.clone();
                    longer.lost[kind] += 1;
                    enter(op, longer, true)?;
                }
            }
            for op in &self.free {
                enter(op, configuration.clone(), true)?;
            }
        }
        Ok(work)
    }

    /// The states that orders of what was called so far can be in, at most so many.
    fn states(&self, spec: &S, most: usize, meter: &Meter) -> Result<Vec<S::State>, Stop> {
        let mut states: Vec<S::State> = Vec::new();
        self.explore(spec, meter, |configuration| {
            if states.len() < most && !states.contains(&configuration.state) {
                states.push(configuration.state.clone());
            }
            states.len() < most
        })?;
        Ok(states)
    }
}

/// Where all orders end.
pub(crate) struct DeadEnd<T> {
    /// The item whose return cannot be passed.
    pub item: u32,
    /// States that an order can be in just before that, at most as many as were asked for.
    pub states: Vec<T>,
}

/// The first return that no order of these operations passes, if there is one; so many configurations may be visited.
pub(crate) fn dead_end<S: Spec>(
    spec: &S,
    ops: &[(S::Op, Interval)],
    most: usize,
    cap: u64,
    meter: &Meter,
) -> Result<Option<DeadEnd<S::State>>, Stop> {
    let mut found = None;
    walk(spec, ops, &[], cap, meter, |before, item| {
        before.states(spec, most, meter).map(|states| found = Some(DeadEnd { item, states }))
    })?;
    Ok(found)
}

/// Whether some order explains these operations, where the free ones may take effect at any time, any
/// number of times.
pub fn decide<S: Spec>(
    spec: &S,
    ops: &[(S::Op, Interval)],
    free: &[S::Op],
    meter: &Meter,
) -> Result<bool, Stop> {
    decide_within(spec, ops, free, u64::MAX, meter)
}

/// The same, visiting at most so many configurations.
pub(crate) fn decide_within<S: Spec>(
    spec: &S,
    ops: &[(S::Op, Interval)],
    free: &[S::Op],
    cap: u64,
    meter: &Meter,
) -> Result<bool, Stop> {
    walk(spec, ops, free, cap, meter, |_, _| Ok(()))
}

/// Reads the operations from left to right. Calls `stuck` with what was there before a return that no order passes.
fn walk<S: Spec>(
    spec: &S,
    ops: &[(S::Op, Interval)],
    free: &[S::Op],
    cap: u64,
    meter: &Meter,
    stuck: impl FnOnce(&Layers<S>, u32) -> Result<(), Stop>,
) -> Result<bool, Stop> {
    let mut ends = BTreeSet::new();
    for (i, (_, span)) in ops.iter().enumerate() {
        ends.insert((span.call, false, i as u32));
        if span.ret != NEVER {
            ends.insert((span.ret, true, i as u32));
        }
    }
    let mut layers = Layers::new(spec);
    layers.cap = cap;
    layers.free = free.to_vec();
    layers.seen = spec.hints().seen(&mut ops.iter().map(|(op, _)| op).chain(free));
    for (_, ret, item) in ends {
        let (op, span) = &ops[item as usize];
        if ret {
            let Some(passed) = layers.passed(spec, item, meter)? else {
                stuck(&layers, item)?;
                return Ok(false);
            };
            layers.pass(item, passed);
        } else if span.ret == NEVER {
            layers.call_lost(op.clone());
        } else {
            layers.call(item, op.clone());
        }
    }
    layers.finish(spec, meter)
}
