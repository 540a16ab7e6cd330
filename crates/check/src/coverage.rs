//! Which code was executed.

use serde::{Deserialize, Serialize};
use trueline_lang::ir::{Module, Routine};

/// For each instruction whether some execution ran it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// Of the module's `init`.
    pub init: Vec<bool>,
    /// Of the initialiser of the threads.
    pub thread_init: Vec<bool>,
    /// Of each operation.
    pub ops: Vec<Vec<bool>>,
    /// For each instruction of each operation whether some way ended there waiting or left out.
    pub stuck: Vec<Vec<bool>>,
    /// For each operation whether it ever returned.
    pub returned: Vec<bool>,
}

impl Coverage {
    pub(crate) fn new(module: &Module) -> Coverage {
        let none = |routine: &Routine| vec![false; routine.code.len()];
        Coverage {
            init: none(&module.init),
            thread_init: none(&module.thread_init),
            ops: module.ops.iter().map(|op| none(&op.routine)).collect(),
            stuck: module.ops.iter().map(|op| none(&op.routine)).collect(),
            returned: vec![false; module.ops.len()],
        }
    }

    /// Whether an operation was ever called.
    pub fn called(&self, op: usize) -> bool {
        let any = |all: &[bool]| all.iter().any(|ran| *ran);
        self.ops[op].is_empty() || any(&self.ops[op]) || any(&self.stuck[op])
    }
}
