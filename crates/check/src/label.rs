//! What is seen of a move.

use trueline_base::Value;
use trueline_lang::ir::{Module, OpId, Ty, show_value};

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

impl Label<'_> {
    /// `t1 call enq 1`, `t1 ret deq 2` with the names of the object; none for a silent step.
    pub fn text(&self, object: &Module) -> Option<String> {
        let op = |op: OpId| &object.ops[op.0 as usize];
        let with = |mut text: String, ty: &Ty, value: &Value| {
            if *value != Value::Unit {
                text += &format!(" {}", show_value(object, ty, value));
            }
            text
        };
        Some(match *self {
            Label::Tau => return None,
            Label::Call { thread, op: id, args } => {
                let start = format!("t{} call {}", thread + 1, op(id).name);
                op(id).params.iter().zip(args).fold(start, |text, ((_, ty), value)| with(text, ty, value))
            }
            Label::Return { thread, op: id, value } => {
                with(format!("t{} ret {}", thread + 1, op(id).name), &op(id).result, value)
            }
        })
    }
}
