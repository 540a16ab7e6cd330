//! What runs beside the steps, by question.

use super::other::ByLabels;
use super::sets::{self, GeneratorSets};
use crate::monitor::{Halt, SetId};
use trueline_base::Violation;
use trueline_lang::ir::OpId;
use trueline_space::{After, Letter, Monitor};

/// What runs beside the steps.
pub(super) enum Beside<'m> {
    Nothing,
    Sets(Box<GeneratorSets<'m>>),
    Labels(ByLabels<'m>),
}

impl Beside<'_> {
    /// The violation that the monitor numbers so.
    pub fn violation(&self, code: u32) -> Violation {
        match self {
            Beside::Nothing => unreachable!("nothing has no violations"),
            Beside::Sets(_) => sets::violation(code).expect("sets have numbered it"),
            Beside::Labels(labels) => labels.violation(code),
        }
    }

    /// The same, where the monitor has numbered so many.
    pub fn known_violation(&self, code: u32) -> Option<Violation> {
        match self {
            Beside::Nothing => None,
            Beside::Sets(_) => sets::violation(code),
            Beside::Labels(labels) => labels.known_violation(code),
        }
    }

    /// Whether the operation of a thread can take effect in no configuration, and has in none.
    pub fn must_wait(&self, at: SetId, thread: usize) -> bool {
        matches!(self, Beside::Labels(labels) if labels.must_wait(at, thread))
    }

    /// The operation whose return could not be explained.
    pub fn emptied(&self) -> Option<OpId> {
        match self {
            Beside::Sets(sets) => sets.emptied,
            _ => None,
        }
    }
}

impl Monitor for Beside<'_> {
    type Halt = Halt;
    type State = SetId;

    fn blind(&self) -> bool {
        matches!(self, Beside::Nothing)
    }

    fn initial(&mut self) -> Result<SetId, Halt> {
        match self {
            Beside::Nothing => Ok(SetId(0)),
            Beside::Sets(sets) => sets.initial(),
            Beside::Labels(labels) => labels.initial(),
        }
    }

    fn after(&mut self, at: SetId, thread: usize, letter: Letter) -> Result<After<SetId>, Halt> {
        match self {
            Beside::Nothing => Ok(After::At(at)),
            Beside::Sets(sets) => sets.after(at, thread, letter),
            Beside::Labels(labels) => labels.after(at, thread, letter),
        }
    }

    fn permute(&mut self, at: SetId, by: &[u8]) -> SetId {
        match self {
            Beside::Nothing => at,
            Beside::Sets(sets) => sets.permute(at, by),
            Beside::Labels(labels) => labels.permute(at, by),
        }
    }

    fn least(&mut self, at: SetId, groups: &[(usize, usize)]) -> SetId {
        match self {
            Beside::Nothing => at,
            Beside::Sets(sets) => sets.least(at, groups),
            Beside::Labels(labels) => labels.least(at, groups),
        }
    }

    fn below(&mut self, smaller: SetId, larger: SetId) -> Result<bool, Halt> {
        match self {
            Beside::Nothing => Ok(true),
            Beside::Sets(sets) => sets.below(smaller, larger),
            Beside::Labels(labels) => labels.below(smaller, larger),
        }
    }

    fn len(&self) -> usize {
        match self {
            Beside::Nothing => 1,
            Beside::Sets(sets) => sets.len(),
            Beside::Labels(labels) => labels.len(),
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            Beside::Nothing => 0,
            Beside::Sets(sets) => sets.bytes(),
            Beside::Labels(labels) => labels.bytes(),
        }
    }
}
