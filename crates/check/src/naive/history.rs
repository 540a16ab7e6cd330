//! Histories, and whether some order of their operations explains them.

use trueline_base::Value;
use trueline_lang::interp;
use trueline_lang::ir::{Machine, Module, OpId};

/// Calls and returns, as intervals.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct History {
    /// In the order of their calls.
    pub operations: Vec<Operation>,
    events: u32,
}

/// One operation of a history.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Operation {
    /// The thread, from 0.
    pub thread: u8,
    /// The operation, of the machine.
    pub op: OpId,
    /// Its arguments.
    pub args: Vec<Value>,
    /// When it was called, in events from the beginning.
    pub called: u32,
    /// When it returned and what; none while it is pending.
    pub returned: Option<(u32, Value)>,
}

impl History {
    /// A thread calls.
    pub fn call(&mut self, thread: u8, op: OpId, args: Vec<Value>) {
        self.events += 1;
        self.operations.push(Operation { thread, op, args, called: self.events, returned: None });
    }

    /// The pending operation of a thread returns.
    pub fn give_back(&mut self, thread: u8, value: Value) {
        self.events += 1;
        let pending = |o: &&mut Operation| o.thread == thread && o.returned.is_none();
        let operation = self.operations.iter_mut().find(pending).expect("the thread has called");
        operation.returned = Some((self.events, value));
    }
}

/// Whether some order of all complete and some pending operations, which keeps the order of those that do not
/// overlap, is one of the specification with the same results. A finding in the specification is no result.
pub fn linearizable(history: &History, machine: &Machine, spec: &Module) -> bool {
    let mut placed = vec![false; history.operations.len()];
    let starts = interp::spec_initial(spec);
    starts.into_iter().flatten().any(|state| place(history, machine, spec, &state, &mut placed))
}

fn place(
    history: &History,
    machine: &Machine,
    spec: &Module,
    state: &[Value],
    placed: &mut Vec<bool>,
) -> bool {
    let open = |placed: &[bool]| (0..placed.len()).filter(|n| !placed[*n]).collect::<Vec<_>>();
    let rest = open(placed);
    if rest.iter().all(|n| history.operations[*n].returned.is_none()) {
        return true;
    }
    for n in &rest {
        let operation = &history.operations[*n];
        let earlier = |m: &usize| {
            let other = &history.operations[*m];
            other.returned.as_ref().is_some_and(|(at, _)| *at < operation.called)
        };
        if rest.iter().any(earlier) {
            continue;
        }
        let name = &machine.object.ops[operation.op.0 as usize].name;
        let op = spec.ops.iter().position(|o| o.name == *name).expect("the specification has the operation");
        placed[*n] = true;
        let ways = interp::spec_step(spec, state, operation.thread, OpId(op as u16), &operation.args);
        for (next, value) in ways.into_iter().flatten() {
            let fits = operation.returned.as_ref().is_none_or(|(_, result)| *result == value);
            if fits && place(history, machine, spec, &next, placed) {
                return true;
            }
        }
        placed[*n] = false;
    }
    false
}
