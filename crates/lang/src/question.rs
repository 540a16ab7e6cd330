//! What can be asked of a machine: one type from the checked source to the trace file.

use std::sync::Arc;

use trueline_base::Violation;

use crate::ir::{Machine, Module, Routine};

/// A property of a machine, with all that is needed to decide it. Cheap to clone.
#[derive(Clone, Debug)]
pub enum Question {
    /// No finding can be reached.
    Safe,
    /// Every history is linearizable to a specification; its operations are found by name.
    Linearizable {
        /// The specification.
        spec: Arc<Module>,
        /// Operations with marks take effect at their marks.
        points: bool,
    },
    /// Its visible traces are traces of the other machine too; operations correspond by name.
    Refines {
        /// The other object under the same client.
        other: Arc<Machine>,
    },
    /// In every state the routine, run at once, returns true on every way; a finding in it counts as false.
    Invariant {
        /// Gives the condition.
        routine: Arc<Routine>,
        /// The condition as the user wrote it.
        text: String,
    },
    /// No struct becomes unreachable without having been freed; always so under garbage collection.
    LeakFree,
    /// Not built yet.
    Unavailable,
}

impl Question {
    /// Whether every history is linearizable, wherever operations take effect.
    pub fn linearizable(spec: &Module) -> Question {
        Question::Linearizable { spec: Arc::new(spec.clone()), points: false }
    }

    /// Whether every visible trace is one of this machine.
    pub fn refines(other: &Machine) -> Question {
        Question::Refines { other: Arc::new(other.clone()) }
    }

    /// The specification that it is about.
    pub fn specification(&self) -> Option<&Module> {
        match self {
            Question::Linearizable { spec, .. } => Some(spec),
            _ => None,
        }
    }

    /// Whether the answer depends on linearization points.
    pub fn relies_on_points(&self) -> bool {
        matches!(self, Question::Linearizable { points: true, .. })
    }

    /// The same question, with operations that take effect at any moment.
    pub fn without_points(&self) -> Question {
        match self {
            Question::Linearizable { spec, .. } => {
                Question::Linearizable { spec: spec.clone(), points: false }
            }
            other => other.clone(),
        }
    }

    /// Whether that is a way in which the answer can be no.
    pub fn fails_by(&self, violation: Violation) -> bool {
        match violation {
            Violation::Finding { .. } => matches!(self, Question::Safe),
            Violation::NotLinearizable | Violation::Point(_) => matches!(self, Question::Linearizable { .. }),
            Violation::NotRefined => matches!(self, Question::Refines { .. }),
            Violation::Invariant => matches!(self, Question::Invariant { .. }),
            Violation::Leak => matches!(self, Question::LeakFree),
            // Nothing asks for it yet: it is a warning.
            Violation::Deadlock => false,
        }
    }
}
