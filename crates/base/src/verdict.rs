//! What an engine answers.

use crate::trace::Trace;
use serde::{Deserialize, Serialize};

/// What can go wrong inside an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Finding {
    Null,
    None,
    Range,
    Overflow,
    Bounds,
    Assert,
    UseAfterFree,
    DoubleFree,
    Lock,
    Requires,
    Endless,
    /// A `match` without an arm for the value.
    NoMatch,
    /// A `choose` from an empty range.
    NoChoice,
}

impl Finding {
    /// All of them.
    pub const ALL: [Finding; 13] = [
        Finding::Null,
        Finding::None,
        Finding::Range,
        Finding::Overflow,
        Finding::Bounds,
        Finding::Assert,
        Finding::UseAfterFree,
        Finding::DoubleFree,
        Finding::Lock,
        Finding::Requires,
        Finding::Endless,
        Finding::NoMatch,
        Finding::NoChoice,
    ];

    /// The word for it in `expect fails(…)` and in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Finding::Null => "null",
            Finding::None => "none",
            Finding::Range => "range",
            Finding::Overflow => "overflow",
            Finding::Bounds => "bounds",
            Finding::Assert => "assert",
            Finding::UseAfterFree => "use_after_free",
            Finding::DoubleFree => "double_free",
            Finding::Lock => "lock",
            Finding::Requires => "requires",
            Finding::Endless => "endless",
            Finding::NoMatch => "no_match",
            Finding::NoChoice => "no_choice",
        }
    }

    /// What happened, as the predicate of a sentence about an operation.
    pub fn sentence(self) -> &'static str {
        match self {
            Finding::Null => "follows a null reference",
            Finding::None => "uses none as a value",
            Finding::Range => "stores a number outside its range",
            Finding::Overflow => "computes a number beyond 32 bits or divides by zero",
            Finding::Bounds => "uses an index out of bounds",
            Finding::Assert => "breaks an assertion",
            Finding::UseAfterFree => "touches memory that was freed",
            Finding::DoubleFree => "frees memory that was freed already",
            Finding::Lock => "unlocks a lock that it does not hold",
            Finding::Requires => "is called although its `requires` does not hold",
            Finding::Endless => "runs for ever within one step",
            Finding::NoMatch => "meets a value for which `match` has no arm",
            Finding::NoChoice => "has nothing to choose from",
        }
    }
}

/// How a property was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Decision {
    Holds,
    Fails,
    Unknown,
}

/// Under which bounds an answer was found and how much was covered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    /// Number of threads.
    pub threads: u32,
    /// Operations per thread; none when the client never ends or has roles.
    pub ops: Option<u32>,
    /// The values: a number, or `tid`.
    pub values: Option<String>,
    /// The roles, such as `user x 2, watcher`; empty without roles.
    pub roles: String,
    /// Always `sc` for models.
    pub memory_model: String,
    /// The engine.
    pub engine: String,
    /// The reductions in force.
    pub reductions: Vec<String>,
    /// Reductions that are off, with the reason.
    #[serde(default)]
    pub off: Vec<String>,
    /// `exact` or `hashed`.
    pub storage: String,
    /// States stored.
    pub states: u64,
    /// Transitions executed.
    pub transitions: u64,
    /// Length of the executions covered.
    pub depth: u64,
    /// Whether everything was covered.
    pub complete: bool,
    /// Operations and branches that no execution exercised, as sentences.
    pub never_exercised: Vec<String>,
    /// Whether executions were left out by `assume`.
    pub assumes: bool,
    /// States in which every thread that has something to do waits for another.
    pub dead_ends: u64,
}

/// What is worth knowing about an answer though it does not change it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// In a sentence.
    pub text: String,
    /// An execution that shows it.
    pub trace: Option<Trace>,
}

/// The answer to one property of one check, with all that a report needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The file, as the user named it.
    pub file: String,
    /// The line of the property.
    pub line: u32,
    /// The object, with the parameters that its check sets.
    pub object: String,
    /// The property as the user wrote it.
    pub property: String,
    /// The decision.
    pub decision: Decision,
    /// What the file expects: `holds`, `fails`, `fails(assert)`.
    pub expected: String,
    /// Whether that is what was found.
    pub as_expected: bool,
    /// The bounds.
    pub scope: Scope,
    /// Wall-clock time.
    pub seconds: f64,
    /// Processor time.
    pub cpu_seconds: f64,
    /// Most memory in use.
    pub peak_bytes: u64,
    /// In a sentence, what makes it unknown, or the reason of a failure.
    pub why: Option<String>,
    /// Where it is unknown: what ended the search, such as a limit on time.
    pub stopped: Option<String>,
    /// Where it is unknown: what the user can try.
    pub advice: Vec<String>,
    /// What else is worth knowing.
    pub warnings: Vec<Warning>,
    /// The failure.
    pub trace: Option<Trace>,
    /// The file that holds it for `trueline replay`.
    pub trace_path: Option<String>,
}
