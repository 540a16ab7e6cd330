//! Linearization points: what the marks of an execution say, checked move by move.
//!
//! An operation with marks takes effect on the specification in the step that passes its mark;
//! one without may at any moment between its call and its return.

use crate::history::same_op;
use crate::run::Run;
use std::collections::{BTreeMap, BTreeSet};
use trueline_base::{PointFault, Value, Watch};
use trueline_lang::interp::{ObservableEvent, spec_initial, spec_step};
use trueline_lang::ir::{Machine, Module, OpId};

/// What is wrong with the points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A second mark is passed; the first was at that move, which may be the same.
    Twice {
        /// The earlier move.
        first: usize,
    },
    /// An operation that has marks returns without having passed one.
    Missing,
    /// At its point, the specification cannot perform the operation.
    Waits,
    /// The result is none that the specification gave at the point.
    Result {
        /// The move that passed the point.
        point: Option<usize>,
        /// What the specification gave.
        given: BTreeSet<Value>,
    },
}

impl Fault {
    /// Which fault it is.
    pub fn kind(&self) -> PointFault {
        match self {
            Fault::Twice { .. } => PointFault::PassedTwice,
            Fault::Missing => PointFault::ReturnedWithout,
            Fault::Waits => PointFault::Disabled,
            Fault::Result { .. } => PointFault::ResultDiffers,
        }
    }
}

/// A state of the specification, with what each running operation got once it has taken effect.
type Configuration = (Vec<Value>, BTreeMap<u8, Value>);

struct Running {
    op: OpId,
    args: Vec<Value>,
    marked: bool,
    passed: Option<usize>,
}

/// The first fault of an execution: its move and what it is. Counts only if the watch was not stopped.
pub fn fault(machine: &Machine, spec: &Module, run: &Run, watch: &mut Watch) -> Option<(usize, Fault)> {
    let mut running: BTreeMap<u8, Running> = BTreeMap::new();
    let mut now: BTreeSet<Configuration> =
        spec_initial(spec).into_iter().flatten().map(|state| (state, BTreeMap::new())).collect();
    for (index, taken) in run.taken.iter().enumerate() {
        let thread = taken.thread;
        if let ObservableEvent::Call { op, args } = &taken.way.event {
            let operation = &machine.object.ops[op.0 as usize];
            let spec_op = same_op(spec, &operation.name)?;
            let of = Running { op: spec_op, args: args.clone(), marked: operation.marked(), passed: None };
            running.insert(thread, of);
        }
        if taken.way.marks > 0 {
            let of = running.get_mut(&thread)?;
            let earlier = of.passed.replace(index).or((taken.way.marks > 1).then_some(index));
            if let Some(first) = earlier {
                return Some((index, Fault::Twice { first }));
            }
            now = closure(spec, &running, now, watch);
            now = now.into_iter().flat_map(|c| perform(spec, &running, c, thread)).collect();
            if now.is_empty() {
                return Some((index, Fault::Waits));
            }
        }
        if let ObservableEvent::Return { value, .. } = &taken.way.event {
            let of = &running[&thread];
            if of.marked && of.passed.is_none() {
                return Some((index, Fault::Missing));
            }
            let point = of.passed;
            now = closure(spec, &running, now, watch);
            let given: BTreeSet<Value> =
                now.iter().filter_map(|(_, got)| got.get(&thread).cloned()).collect();
            now.retain(|(_, got)| got.get(&thread) == Some(value));
            if now.is_empty() {
                return Some((index, Fault::Result { point, given }));
            }
            now = now
                .into_iter()
                .map(|(state, mut got)| {
                    got.remove(&thread);
                    (state, got)
                })
                .collect();
            running.remove(&thread);
        }
    }
    None
}

fn perform(
    spec: &Module,
    running: &BTreeMap<u8, Running>,
    (state, got): Configuration,
    thread: u8,
) -> Vec<Configuration> {
    let of = &running[&thread];
    let ways = spec_step(spec, &state, thread, of.op, &of.args).into_iter().flatten();
    ways.map(|(state, result)| {
        let mut got = got.clone();
        got.insert(thread, result);
        (state, got)
    })
    .collect()
}

/// Lets operations without marks take effect.
fn closure(
    spec: &Module,
    running: &BTreeMap<u8, Running>,
    from: BTreeSet<Configuration>,
    watch: &mut Watch,
) -> BTreeSet<Configuration> {
    let mut open: Vec<Configuration> = from.iter().cloned().collect();
    let mut found = from;
    while let Some(configuration) = open.pop() {
        for (thread, of) in running {
            if of.marked || configuration.1.contains_key(thread) {
                continue;
            }
            for next in perform(spec, running, configuration.clone(), *thread) {
                if !watch.goes_on(|| 0) {
                    return found;
                }
                if found.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
    }
    found
}
