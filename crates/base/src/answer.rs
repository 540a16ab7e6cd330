//! The answer to one property of one check of a model, with all that a report needs.

use crate::limits::Stop;
use crate::trace::Trace;
use crate::verdict::{Finding, Verdict};

/// Under which bounds an answer was found and how much was covered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    pub off: Vec<String>,
    /// `exact` or `hashed`.
    pub storage: String,
    /// States stored.
    pub states: u64,
    /// Transitions executed.
    pub transitions: u64,
    /// Length of the executions covered.
    pub depth: u64,
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

/// What belongs to a property that holds: everything was covered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Covered {
    /// Operations and branches that no execution exercised, as sentences.
    pub never_exercised: Vec<String>,
}

/// What belongs to a property that fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The story, replayed and confirmed.
    pub trace: Trace,
    /// What is to blame, in a sentence, where it is not the object.
    pub blame: Option<String>,
    /// The file that holds the trace for `trueline replay`, where one was written.
    pub trace_path: Option<String>,
}

/// What belongs to a property of which nobody knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// What it is owed to.
    pub cause: Cause,
    /// What ended the search, such as `the time limit was reached`.
    pub stopped: String,
    /// What makes it unknown, in a sentence.
    pub why: String,
    /// What the user can try.
    pub advice: Vec<String>,
}

/// What it is owed to that nobody knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A limit ended the search.
    Limit(Stop),
    /// The model, or what is asked of it.
    Question,
    /// The property is not built yet.
    Unavailable,
    /// The program itself is wrong; what to report.
    Internal(String),
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

impl std::fmt::Display for Expectation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Expectation::Holds => f.write_str("holds"),
            Expectation::Fails => f.write_str("fails"),
            Expectation::FailsWith(finding) => write!(f, "fails({})", finding.word()),
        }
    }
}

/// The answer to one property of one check.
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
    /// How it was decided.
    pub verdict: Verdict<Covered, Failure, Doubt>,
    /// What the file expects.
    pub expected: Expectation,
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
    /// What else is worth knowing.
    pub warnings: Vec<Warning>,
}

impl Answer {
    /// What happens where it fails, or what is not known, in a sentence.
    pub fn sentence(&self) -> Option<&str> {
        match &self.verdict {
            Verdict::Holds(_) => None,
            Verdict::Fails(failure) => Some(&failure.trace.summary),
            Verdict::Unknown(doubt) => Some(&doubt.why),
        }
    }
}
