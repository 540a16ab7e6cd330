//! What is seen of a move.

use trueline_base::Value;
use trueline_lang::ir::OpId;

/// The label of a transition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Label<'a> {
    /// A silent step.
    Tau,
    /// A call.
    Call {
        /// The thread, from 0.
        thread: u8,
        /// The operation, of the machine that was asked about.
        op: OpId,
        /// The arguments.
        args: &'a [Value],
    },
    /// A return.
    Return {
        /// The thread, from 0.
        thread: u8,
        /// The operation, of the machine that was asked about.
        op: OpId,
        /// The result.
        value: &'a Value,
    },
}
