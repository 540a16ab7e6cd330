//! What is asked, and what is answered.

use crate::coverage::Coverage;
use trueline_base::Stop;
use trueline_base::verdict::Finding;
use trueline_lang::ir::{Machine, Module, OpId, Routine, Schedule};

/// A property of a machine.
#[derive(Clone, Copy, Debug)]
pub enum Question<'a> {
    /// No finding can be reached.
    Safe,
    /// Every history is linearizable to a specification; its operations are found by name.
    Linearizable {
        /// The specification.
        spec: &'a Module,
        /// Operations with marks take effect at their marks.
        points: bool,
    },
    /// Every visible trace is one of this machine too; operations correspond by name.
    Refines(&'a Machine),
    /// In every state the routine, run at once, returns true on every way; a finding in it counts as false.
    Invariant(&'a Routine),
    /// No struct becomes unreachable without having been freed; always so under garbage collection.
    LeakFree,
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The answer.
    pub decision: Decision,
    /// Pairs of an implementation state and what the specification can be in, stored.
    pub states: u64,
    /// Implementation states among them.
    pub implementation: u64,
    /// Different sets of specification configurations (or of states of the other machine).
    pub specification: u64,
    /// Moves executed, those into findings included.
    pub transitions: u64,
    /// Every state that can be reached in so many moves is stored.
    pub depth: u64,
    /// States stored whose moves were not executed.
    pub frontier: u64,
    /// Bytes in use at the end.
    pub bytes: u64,
    /// Which code was executed.
    pub coverage: Coverage,
    /// When a limit ended the search: the variables, or `the heap`, whose maximum was still growing.
    pub growing: Vec<String>,
    /// Whether an `assume` left out executions.
    pub assumed: bool,
}

/// The answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// The property holds under this client.
    Holds,
    /// It does not.
    Fails(Counterexample),
    /// It is not known.
    Unknown(Why),
}

/// Why an answer is not known.
#[derive(Clone, Debug, PartialEq)]
pub enum Why {
    /// A limit.
    Stopped(Stop),
    /// No violation was found, but executions ended early in findings; this is one of them.
    Finding {
        /// What was found.
        finding: Finding,
        /// In which thread.
        thread: u8,
        /// How to get there; the last move is the one that ends in the finding.
        schedule: Schedule,
    },
    /// The specification itself ends in a finding.
    SpecificationFinding {
        /// Its operation; none for `init`.
        op: Option<OpId>,
        /// What was found.
        finding: Finding,
    },
}

/// An execution that shows the violation with its last move (or, without moves, in the initial state).
#[derive(Clone, Debug, PartialEq)]
pub struct Counterexample {
    /// The execution.
    pub schedule: Schedule,
    /// What is wrong.
    pub failure: Failure,
    /// Whether no violation has fewer threads, operations, context switches, moves, in this order.
    pub minimal: bool,
}

/// What is wrong at the end of a counterexample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The history is not linearizable.
    NotLinearizable,
    /// A finding.
    Finding {
        /// In which thread.
        thread: u8,
        /// What was found.
        finding: Finding,
    },
    /// The invariant is false.
    Invariant,
    /// A struct is lost.
    Leak,
    /// The other machine has no such trace.
    NotRefined,
    /// The marks are at fault, or the object is: a check without points decides.
    Point(PointFault),
}

/// What is wrong with a linearization point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointFault {
    /// An operation passed two points.
    PassedTwice,
    /// An operation with marks returned without having passed one.
    ReturnedWithout,
    /// The specification cannot give this result at the point.
    ResultDiffers,
    /// The specification's operation waits at the point.
    Disabled,
}
