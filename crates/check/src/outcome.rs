//! What an engine answers.

use crate::coverage::Coverage;
use crate::minimise::Cut;
use std::collections::BTreeSet;
use trueline_base::verdict::Finding;
use trueline_base::{Stop, Violation};
use trueline_lang::ir::{Evidence, Machine, OpId, Pc, Schedule};

/// What a search found.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The answer.
    pub verdict: Verdict,
    /// Pairs of an implementation state and what the specification can be in, stored.
    pub states: u64,
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
    /// Where executions end although somebody has something to do.
    pub dead_ends: DeadEnds,
    /// How it was searched.
    pub method: Method,
    /// What tells two objects apart that should be equivalent.
    pub difference: Option<Difference>,
}

impl Outcome {
    /// Nothing was searched.
    pub(crate) fn unsearched(machine: &Machine, why: Why, method: Method) -> Outcome {
        Outcome {
            verdict: Verdict::Unknown(why),
            states: 0,
            specification: 0,
            transitions: 0,
            depth: 0,
            frontier: 0,
            bytes: 0,
            coverage: Coverage::new(&machine.object),
            growing: Vec::new(),
            assumed: false,
            dead_ends: DeadEnds::default(),
            method,
            difference: None,
        }
    }
}

/// What tells two objects apart: the counterexample is what this one does, and this is the rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// What the other object does meanwhile.
    pub other: Schedule,
    /// A formula that holds of one of them.
    pub formula: String,
    /// Whether it holds of this object, not of the other.
    pub holds_here: bool,
    /// Whether the last move is that of this object.
    pub moves_here: bool,
    /// What cannot be answered: an action, or none for going on silently for ever.
    pub threat: Option<String>,
}

/// States in which every thread that has something to do waits for another to act (`await`, `lock`). A state with a
/// thread all of whose ways are left out (`assume`) is none: its executions do not count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeadEnds {
    /// How many there are.
    pub states: u64,
    /// Where threads wait there.
    pub places: BTreeSet<(OpId, Pc)>,
    /// A shortest execution that ends in one.
    pub shortest: Option<Schedule>,
    /// Whether some execution does not end so: nobody has anything left to do.
    pub finished: bool,
}

/// Every engine executes steps one after the other: sequential consistency.
pub(crate) const MEMORY_MODEL: &str = "sc";

/// How an engine searches, for the scope of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Method {
    /// The engine's name.
    pub engine: &'static str,
    /// The memory model that steps are executed under.
    pub memory_model: &'static str,
    /// The reductions in force.
    pub reductions: Vec<&'static str>,
    /// How states are stored: `exact` or `hashed`.
    pub storage: &'static str,
    /// Reductions that were wanted and are off, with the reason.
    pub off: Vec<(&'static str, Off)>,
}

/// Why a reduction is off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Off {
    /// The question does not allow it.
    Question(&'static str),
    /// The model does not allow it.
    Model(&'static str),
    /// A search with it met what it does not allow.
    Met(&'static str),
}

/// How a question was decided: a counterexample where the property fails under this client, and a reason where nobody
/// knows.
pub type Verdict = trueline_base::Verdict<(), Counterexample, Why>;

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
    /// No engine decides this property.
    Unavailable,
    /// The engine that was asked for cannot say.
    Refused(String),
    /// Nothing went on for ever, but the property is about clients that do, and some of these threads stop calling.
    ClientEnds,
    /// Nothing went on for ever where the specification explains what happens, but it does not always: whether threads
    /// wait legitimately cannot be told.
    Unexplained,
    /// The specification itself ends in a finding.
    SpecificationFinding {
        /// Its operation; none for `init`.
        op: Option<OpId>,
        /// What was found.
        finding: Finding,
    },
}

/// An execution that shows the violation with its last move (or, without moves, in the initial state), or by going on
/// for ever.
#[derive(Clone, Debug, PartialEq)]
pub struct Counterexample {
    /// The execution.
    pub evidence: Evidence,
    /// What is wrong.
    pub violation: Violation,
    /// Whether no violation has fewer threads, operations, context switches, moves, in this order.
    pub minimal: bool,
    /// How far the search for a smallest one came, where it was cut.
    pub cut: Option<Cut>,
}
