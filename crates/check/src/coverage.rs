//! Which code was executed.

use trueline_lang::ir::{Module, Routine};

/// For each instruction whether some execution ran it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Of the module's `init`.
    pub init: Vec<bool>,
    /// Of the initialiser of the threads.
    pub thread_init: Vec<bool>,
    /// Of each operation.
    pub ops: Vec<Vec<bool>>,
}

impl Coverage {
    pub(crate) fn new(module: &Module) -> Coverage {
        let none = |routine: &Routine| vec![false; routine.code.len()];
        Coverage {
            init: none(&module.init),
            thread_init: none(&module.thread_init),
            ops: module.ops.iter().map(|op| none(&op.routine)).collect(),
        }
    }

    /// Whether an operation was ever called.
    pub fn called(&self, op: usize) -> bool {
        self.ops[op].is_empty() || self.ops[op].iter().any(|ran| *ran)
    }
}
