//! The calls and returns of an execution.

use crate::run::Run;
use trueline_base::Value;
use trueline_lang::interp::ObservableEvent;
use trueline_lang::ir::{Machine, Module, OpId, show_call, show_return};

/// The operations of an execution, in the order of their calls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// The operations.
    pub operations: Vec<Operation>,
}

/// One operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    /// Who calls it, from 0.
    pub thread: u8,
    /// Which, in the object.
    pub op: OpId,
    /// Its name.
    pub name: String,
    /// Its arguments.
    pub args: Vec<Value>,
    /// The move that called it.
    pub called: usize,
    /// The move that returned, and with what; none while it is running.
    pub returned: Option<(usize, Value)>,
    /// The call as a reader sees it: `enq(1)`.
    pub text: String,
    /// The result as a reader sees it; empty while it is running.
    pub result: String,
}

impl Operation {
    /// Whether it had returned when the other was called.
    pub fn precedes(&self, other: &Operation) -> bool {
        self.returned.as_ref().is_some_and(|(at, _)| *at < other.called)
    }

    /// Its result.
    pub fn value(&self) -> Option<&Value> {
        self.returned.as_ref().map(|(_, value)| value)
    }
}

impl History {
    /// The history of an execution.
    pub fn of(machine: &Machine, run: &Run) -> History {
        let mut operations: Vec<Operation> = Vec::new();
        for (index, taken) in run.taken.iter().enumerate() {
            match &taken.way.event {
                ObservableEvent::Silent => {}
                ObservableEvent::Call { op, args } => operations.push(Operation {
                    thread: taken.thread,
                    op: *op,
                    name: machine.object.ops[op.0 as usize].name.clone(),
                    args: args.clone(),
                    called: index,
                    returned: None,
                    text: show_call(&machine.object, *op, args),
                    result: String::new(),
                }),
                ObservableEvent::Return { op, value } => {
                    let open = operations.iter_mut().rev().find(|o| o.thread == taken.thread);
                    let open = open.expect("a thread returns from what it called");
                    open.returned = Some((index, value.clone()));
                    open.result = show_return(&machine.object, *op, value);
                }
            }
        }
        History { operations }
    }

    /// The operation that a thread is in at a move.
    pub fn at(&self, thread: u8, index: usize) -> Option<&Operation> {
        let begun = |o: &&Operation| o.thread == thread && o.called <= index;
        self.operations.iter().rev().find(begun)
    }
}

/// The operation of the same name in another module.
pub fn same_op(module: &Module, name: &str) -> Option<OpId> {
    module.ops.iter().position(|op| op.name == name).map(|n| OpId(n as u16))
}
