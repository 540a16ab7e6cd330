//! Linearizability breadth first: the set of all configurations after each return.
//!
//! Paper: Lowe, "Testing for linearizability", CCPE 2017, section on the breadth-first variant. It shares only
//! the specification with `search::jit` and is what confirms a failure; it also decides growing histories.
//! Invariant: after an event, the set holds (operations in the order that are still open, state) for every
//! order of what was called so far that contains all that returned. Claim: exact. Oracle: `naive::linearizable`.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use trueline_base::{Meter, Stop};

use crate::history::NEVER;
use crate::search::Span;
use crate::spec::{Next, Spec};

/// The open operations that are in the order, ascending, and the state.
pub type Configuration<T> = (Vec<u32>, T);

/// Configurations of a history read from left to right.
pub struct Layers<S: Spec> {
    open: BTreeMap<u32, S::Op>,
    now: HashSet<Configuration<S::State>>,
    free: Vec<S::Op>,
}

impl<S: Spec> Clone for Layers<S> {
    fn clone(&self) -> Self {
        Layers { open: self.open.clone(), now: self.now.clone(), free: self.free.clone() }
    }
}

impl<S: Spec> Layers<S> {
    /// Before anything was called.
    pub fn new(spec: &S) -> Layers<S> {
        Layers { open: BTreeMap::new(), now: HashSet::from([(Vec::new(), spec.initial())]), free: Vec::new() }
    }

    /// The same where these operations may take effect at any time, any number of times.
    pub fn with_free(mut self, free: &[S::Op]) -> Layers<S> {
        self.free = free.to_vec();
        self
    }

    /// An operation is called.
    pub fn call(&mut self, item: u32, op: S::Op) {
        self.open.insert(item, op);
    }

    /// Number of configurations.
    pub fn len(&self) -> usize {
        self.now.len()
    }

    /// Whether no order is left.
    pub fn is_empty(&self) -> bool {
        self.now.is_empty()
    }

    /// An operation returns. False when no order is left.
    pub fn ret(&mut self, spec: &S, item: u32, meter: &Meter) -> Result<bool, Stop> {
        let now = std::mem::take(&mut self.now);
        let mut reached = HashSet::new();
        self.explore(spec, now, meter, |(order, state)| match order.binary_search(&item) {
            Err(_) => true,
            Ok(at) => {
                let mut rest = order.clone();
                rest.remove(at);
                reached.insert((rest, state.clone()));
                false
            }
        })?;
        self.open.remove(&item);
        self.now = reached;
        Ok(!self.now.is_empty())
    }

    /// Whether the history may end here, what is open being pending.
    pub fn finish(&self, spec: &S, meter: &Meter) -> Result<bool, Stop> {
        let mut accepted = false;
        let mut limit = Next::metered(meter);
        self.explore(spec, self.now.clone(), meter, |(_, state)| {
            accepted = accepted || spec.accepts(state, &mut limit);
            !accepted && limit.stopped().is_none()
        })?;
        limit.stopped().map_or(Ok(accepted), Err)
    }

    /// Visits every configuration that open operations lead to; `further` says whether to go on from one.
    fn explore(
        &self,
        spec: &S,
        from: HashSet<Configuration<S::State>>,
        meter: &Meter,
        mut further: impl FnMut(&Configuration<S::State>) -> bool,
    ) -> Result<(), Stop> {
        let mut next = Next::metered(meter);
        let mut todo: Vec<Configuration<S::State>> = from.iter().cloned().collect();
        let mut seen = from;
        let mut work = 0u64;
        while let Some(configuration) = todo.pop() {
            work += 1;
            if work.is_multiple_of(256) {
                let each = std::mem::size_of::<Configuration<S::State>>() + 4 * configuration.0.len();
                meter.check(2 * seen.len() as u64 * each as u64, seen.len() as u64)?;
            }
            if !further(&configuration) {
                continue;
            }
            let (order, state) = configuration;
            let open = self.open.iter().map(|(item, op)| (Some(*item), op));
            for (item, op) in open.chain(self.free.iter().map(|op| (None, op))) {
                let mut longer = order.clone();
                if let Some(item) = item {
                    let Err(at) = order.binary_search(&item) else { continue };
                    longer.insert(at, item);
                }
                spec.step(&state, op, &mut next);
                if let Some(stop) = next.stopped() {
                    return Err(stop);
                }
                for outcome in next.drain() {
                    let configuration = (longer.clone(), outcome);
                    if seen.insert(configuration.clone()) {
                        todo.push(configuration);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Whether some order explains these operations, where the free ones may take effect at any time, any
/// number of times.
pub fn decide<S: Spec>(spec: &S, ops: &[(S::Op, Span)], free: &[S::Op], meter: &Meter) -> Result<bool, Stop> {
    let mut ends = BTreeSet::new();
    for (i, (_, span)) in ops.iter().enumerate() {
        ends.insert((span.call, false, i as u32));
        if span.ret != NEVER {
            ends.insert((span.ret, true, i as u32));
        }
    }
    let mut layers = Layers::new(spec).with_free(free);
    for (_, ret, item) in ends {
        if !ret {
            layers.call(item, ops[item as usize].0.clone());
        } else if !layers.ret(spec, item, meter)? {
            return Ok(false);
        }
    }
    layers.finish(spec, meter)
}
