//! What runs beside the implementation: a deterministic automaton over its labels, with numbered states.

use crate::label::Label;
use trueline_base::Violation;
use trueline_base::verdict::Finding;
use trueline_base::{Meter, Stop};
use trueline_lang::ir::OpId;

/// Why no next state can be given at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Halt {
    Stop(Stop),
    Specification { op: Option<OpId>, finding: Finding },
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Halt {
        Halt::Stop(stop)
    }
}

/// A label as the automaton knows it. [`SILENT`] is common to all.
pub(crate) type Letter = u64;

/// What changes nothing.
pub(crate) const SILENT: Letter = 0;

/// A deterministic automaton over labels. Its answers depend on its arguments alone.
pub(crate) trait Monitor {
    /// The state before everything.
    fn initial(&mut self, meter: &Meter) -> Result<u32, Halt>;

    /// The letter for a move of a thread with this label that passes so many linearization points.
    fn letter(&mut self, label: Label<'_>, thread: u8, points: u32) -> Letter;

    /// The state after a letter, or what is wrong with it.
    fn next(&mut self, set: u32, letter: Letter, meter: &Meter) -> Answer;

    /// Whether the operation of a thread can take effect in no configuration, and has in none.
    fn must_wait(&self, _set: u32, _thread: usize) -> bool {
        false
    }

    /// Whether every violation that can follow the second state can follow the first, as early.
    fn below(&self, smaller: u32, larger: u32) -> bool {
        smaller == larger
    }

    /// How many states it has.
    fn len(&self) -> u64;

    /// Memory in use.
    fn bytes(&self) -> u64;
}

pub(crate) type Answer = Result<Result<u32, Violation>, Halt>;

/// Accepts everything.
pub(crate) struct Anything;

impl Monitor for Anything {
    fn initial(&mut self, _: &Meter) -> Result<u32, Halt> {
        Ok(0)
    }

    fn letter(&mut self, _: Label<'_>, _: u8, _: u32) -> Letter {
        SILENT
    }

    fn next(&mut self, _: u32, _: Letter, _: &Meter) -> Answer {
        Ok(Ok(0))
    }

    fn len(&self) -> u64 {
        1
    }

    fn bytes(&self) -> u64 {
        0
    }
}
