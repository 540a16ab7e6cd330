//! What a check asks of an object.

use trueline_base::Span;
use trueline_base::verdict::Finding;

use crate::ir::{Machine, Module, Routine};

/// One property that a check asks.
#[derive(Clone, Debug)]
pub struct Asked {
    /// What is to be decided.
    pub question: Question,
    /// As the user writes it: `linearizable`, `linearizable to Bag`, `invariant x < 3`.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// What the file expects.
    pub expect: Expectation,
    /// `safe`, which is asked by every check.
    pub implied: bool,
}

/// What is to be decided.
#[derive(Clone, Debug)]
pub enum Question {
    /// No finding.
    Safe,
    /// Every history is linearizable to the specification.
    Linearizable {
        /// The specification.
        spec: Box<Module>,
    },
    /// Its visible traces are traces of the other object under the same client.
    Refines {
        /// The other object.
        other: Box<Machine>,
    },
    /// A condition on shared memory that holds in every state.
    Invariant {
        /// Gives the condition.
        routine: Box<Routine>,
    },
    /// No cell is lost without having been freed.
    LeakFree,
    /// Not built yet.
    Unavailable {
        /// What, in words.
        what: String,
    },
}

/// What the file expects of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// Nothing is said: it should hold.
    Holds,
    /// `expect fails`
    Fails,
    /// `expect fails(assert)`
    FailsWith(Finding),
}
