//! Linearizability of one history, from the definition.
//!
//! Herlihy and Wing, TOPLAS 1990: a history is linearizable when its completed operations and
//! some of its pending ones can be put into an order that respects real time and that the
//! specification can perform. Wing and Gong's search, remembering which sets of operations led
//! to which state without success. Cost: exponential in the number of overlapping operations.

use crate::history::{History, Operation, same_op};
use std::collections::{BTreeSet, HashSet};
use trueline_base::{Meter, Stop, Value, Watch};
use trueline_lang::interp::{spec_initial, spec_step};
use trueline_lang::ir::Module;

/// The operations that may come next when those in `done` have come: all that precede them in
/// real time have.
pub fn next(history: &History, done: u64) -> impl Iterator<Item = (usize, &Operation)> {
    let open = move |n: usize| done & (1 << n) == 0;
    let ops = history.operations.iter().enumerate();
    ops.filter(move |(n, op)| {
        let before = |(m, other): (usize, &Operation)| open(m) && other.precedes(op);
        open(*n) && !history.operations.iter().enumerate().any(before)
    })
}

/// What an operation of the history can do in a state of the specification: new states with
/// results. A specification that fails performs nothing.
pub fn outcomes(spec: &Module, state: &[Value], operation: &Operation) -> Vec<(Vec<Value>, Value)> {
    let Some(op) = same_op(spec, &operation.name) else {
        return Vec::new();
    };
    spec_step(spec, state, operation.thread, op, &operation.args).into_iter().flatten().collect()
}

/// An order that explains the history: indices into it, with the results.
pub fn linearization(history: &History, spec: &Module) -> Option<Vec<(usize, Value)>> {
    search(history, spec, Watch::default()).expect("nothing stops it")
}

/// The same, as long as the meter allows.
pub fn linearization_within(
    history: &History,
    spec: &Module,
    meter: &Meter,
) -> Result<Option<Vec<(usize, Value)>>, Stop> {
    search(history, spec, Watch::new(meter))
}

fn search(history: &History, spec: &Module, watch: Watch) -> Result<Option<Vec<(usize, Value)>>, Stop> {
    assert!(history.operations.len() <= 64, "a history of more than 64 operations");
    let mut search = Search { history, spec, dead: HashSet::new(), order: Vec::new(), watch };
    let found = spec_initial(spec).into_iter().flatten().find_map(|state| search.from(0, state));
    search.watch.result().map(|()| found)
}

/// The results with which operation `index` could have returned so that the history is
/// linearizable. None of them is the operation's own where the history is a violation.
pub fn allowed(history: &History, spec: &Module, index: usize) -> BTreeSet<Value> {
    let mut open = history.clone();
    open.operations[index].returned = None;
    // Each result that the specification could ever give is tried, as a history of its own.
    let mut candidates = BTreeSet::new();
    let mut seen = HashSet::new();
    let mut stack: Vec<(u64, Vec<Value>)> =
        spec_initial(spec).into_iter().flatten().map(|state| (0, state)).collect();
    while let Some((done, state)) = stack.pop() {
        if !seen.insert((done, state.clone())) {
            continue;
        }
        for (n, operation) in next(&open, done) {
            for (state, result) in outcomes(spec, &state, operation) {
                if n == index {
                    candidates.insert(result.clone());
                }
                if operation.value().is_none_or(|v| *v == result) {
                    stack.push((done | 1 << n, state));
                }
            }
        }
    }
    let at = history.operations[index].returned.as_ref().map_or(usize::MAX, |(at, _)| *at);
    candidates.retain(|value| {
        open.operations[index].returned = Some((at, value.clone()));
        linearization(&open, spec).is_some()
    });
    candidates
}

struct Search<'a> {
    history: &'a History,
    spec: &'a Module,
    dead: HashSet<(u64, Vec<Value>)>,
    order: Vec<(usize, Value)>,
    /// Once it has stopped, nothing that is found counts.
    watch: Watch,
}

impl Search<'_> {
    fn from(&mut self, done: u64, state: Vec<Value>) -> Option<Vec<(usize, Value)>> {
        let complete = |(n, op): (usize, &Operation)| op.returned.is_none() || done & (1 << n) != 0;
        if self.history.operations.iter().enumerate().all(complete) {
            return Some(self.order.clone());
        }
        let held = self.dead.len() * (16 + state.len() * std::mem::size_of::<Value>());
        if !self.watch.goes_on(|| held as u64) || self.dead.contains(&(done, state.clone())) {
            return None;
        }
        let history = self.history;
        for (n, operation) in next(history, done) {
            for (after, result) in outcomes(self.spec, &state, operation) {
                if operation.value().is_none_or(|v| *v == result) {
                    self.order.push((n, result));
                    let found = self.from(done | 1 << n, after);
                    if found.is_some() {
                        return found;
                    }
                    self.order.pop();
                }
            }
        }
        self.dead.insert((done, state));
        None
    }
}
