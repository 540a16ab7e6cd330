//! What runs beside the implementation: a deterministic automaton over its labels, with numbered states.

use crate::label::Label;
use trueline_base::Violation;
use trueline_base::verdict::Finding;
use trueline_base::{Meter, Stop, ids};
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct MonitorInput(pub u64);

/// What changes nothing.
pub(crate) const SILENT: MonitorInput = MonitorInput(0);

ids! {
    /// A state of the automaton: a set of configurations, or of states of another machine.
    pub(crate) struct SetId;
}

/// What the automaton makes of a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reaction {
    At(SetId),
    Violation(Violation),
}

/// A deterministic automaton over labels. Its answers depend on its arguments alone.
pub(crate) trait LabelMonitor {
    /// The state before everything.
    fn initial(&mut self, meter: &Meter) -> Result<SetId, Halt>;

    /// The letter for a move of a thread with this label that passes so many linearization points.
    fn letter(&mut self, label: Label<'_>, thread: u8, points: u32) -> MonitorInput;

    /// The state after a letter, or what is wrong with it.
    fn next(&mut self, set: SetId, letter: MonitorInput, meter: &Meter) -> Result<Reaction, Halt>;

    /// Whether the operation of a thread can take effect in no configuration, and has in none.
    fn must_wait(&self, _set: SetId, _thread: usize) -> bool {
        false
    }

    /// Whether every violation that can follow the second state can follow the first, as early.
    fn below(&self, smaller: SetId, larger: SetId) -> bool {
        smaller == larger
    }

    /// How many states it has.
    fn len(&self) -> u64;

    /// Memory in use.
    fn bytes(&self) -> u64;
}

/// Accepts everything.
pub(crate) struct TrueMonitor;

impl LabelMonitor for TrueMonitor {
    fn initial(&mut self, _: &Meter) -> Result<SetId, Halt> {
        Ok(SetId(0))
    }

    fn letter(&mut self, _: Label<'_>, _: u8, _: u32) -> MonitorInput {
        SILENT
    }

    fn next(&mut self, set: SetId, _: MonitorInput, _: &Meter) -> Result<Reaction, Halt> {
        Ok(Reaction::At(set))
    }

    fn len(&self) -> u64 {
        1
    }

    fn bytes(&self) -> u64 {
        0
    }
}
