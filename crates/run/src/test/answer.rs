//! What comes of a test: holds with what was covered, fails with evidence, or unknown with the reason.

use crate::kind::Kind;
use std::fmt;
use std::path::PathBuf;

use trueline_base::trace::{Trace, What};
use trueline_base::{Stop, Verdict};

use crate::player::Source;
use crate::scenario::ScenarioError;
use crate::search::Counts;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The file cannot be built or has no usable harness.
    Input(String),
    /// The scenario that is asked for makes no sense.
    Scenario {
        /// The scenario.
        text: String,
        /// What is wrong with it.
        error: ScenarioError,
    },
    /// The implementation that it is held against cannot be used.
    Against {
        /// Its file.
        source: PathBuf,
        /// Why not.
        why: String,
    },
    /// The tool is wrong.
    Internal(String),
}

/// What a user can change about a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// How many steps an execution may have.
    Steps,
    /// What is asked of histories: a relaxed condition, or another specification.
    Condition,
    /// Whether data races are findings.
    Races,
    /// The memory model: that of C11.
    Weak,
}

/// The answer.
#[derive(Clone, Debug)]
pub struct Tested {
    /// How it was decided, with what belongs to it.
    pub verdict: Verdict<Covered, Failures, Doubt>,
    /// How much was covered, whatever the verdict.
    pub scope: Scope,
}

/// What belongs to a test that holds: which executions of every scenario were seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covered {
    /// All of them.
    Executions,
    /// Interleavings with at most so many preemptions.
    Preemptions(u32),
}

/// What belongs to a test that fails.
#[derive(Clone, Debug)]
pub struct Failures {
    /// The first.
    pub first: Box<Failure>,
    /// Further ones, each of another kind or at another place, where they were asked for.
    pub others: Vec<Failure>,
}

impl Failures {
    /// Adds a failure, unless it says nothing more.
    pub(super) fn add(&mut self, failure: Failure) {
        let known = |f: &Failure| f.covers(&failure);
        if !known(&self.first) && !self.others.iter().any(known) {
            self.others.push(failure);
        }
    }
}

/// What belongs to a test of which nobody knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// What it is owed to.
    pub cause: Cause,
    /// What makes it unknown, in a sentence.
    pub why: String,
    /// The scenario and the optimisation level, where it is about one of them.
    pub during: Option<(String, String)>,
}

/// What it is owed to that nobody knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A limit ended the search.
    Limit(Stop),
    /// An execution has too many steps.
    Steps,
    /// Executions were chosen at random.
    Sample,
    /// The code needs or does what the player cannot play: further scenarios would say nothing more.
    Unplayable,
    /// Runs of the same schedule differ.
    Differs,
    /// A history was not decided.
    Undecided,
    /// There is nothing to decide.
    Nothing,
}

impl Doubt {
    pub(super) fn new(cause: Cause, why: impl Into<String>) -> Doubt {
        Doubt { cause, why: why.into(), during: None }
    }

    /// What may help.
    pub fn setting(&self) -> Option<Setting> {
        (self.cause == Cause::Steps).then_some(Setting::Steps)
    }
}

/// How much was covered, and how.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The compiler.
    pub compiler: String,
    /// The levels that were built.
    pub levels: Vec<String>,
    /// What histories are held against.
    pub spec: Against,
    /// Operations of the harness.
    pub operations: Vec<String>,
    /// Line of the first operation.
    pub line: u32,
    /// Scenarios that were explored to the end, and all.
    pub scenarios: (usize, usize),
    /// The largest scenario that was explored to the end.
    pub largest: String,
    /// What was done, over all scenarios.
    pub counts: Counts,
    /// Interleavings that were run by themselves.
    pub interleavings: u64,
    /// Histories that were decided.
    pub histories: u64,
}

/// What histories are held against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Against {
    /// A specification, by its name.
    Spec(String),
    /// The object itself, run sequentially.
    Itself,
    /// Another implementation, run sequentially.
    Other(PathBuf),
    /// Nothing: a program with its own `main` cannot be run sequentially, and none is named.
    Nothing,
}

impl fmt::Display for Against {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Against::Spec(name) => f.write_str(name),
            Against::Itself => f.write_str("the object run sequentially"),
            Against::Other(file) => write!(f, "{} run sequentially", file.display()),
            Against::Nothing => f.write_str("nothing"),
        }
    }
}

/// A failure.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Its kind.
    pub kind: Kind,
    /// The story.
    pub trace: Trace,
    /// The scenario.
    pub scenario: String,
    /// The optimisation level.
    pub level: String,
    /// Who makes each step, calls and returns among them.
    pub steps: Vec<u8>,
    /// Under a weak memory model: what the steps read.
    pub sources: Vec<Source>,
    /// Which operations a client makes come before which.
    pub before: Vec<u64>,
    /// The file and line in which something goes wrong, where it is one place.
    pub place: Option<(String, u32)>,
}

impl Failure {
    /// Whether another failure says nothing more: the same goes wrong in the same line, or with these operations and others.
    fn covers(&self, other: &Failure) -> bool {
        let ((mine, names), (line, theirs)) = (self.place(), other.place());
        self.kind == other.kind
            && mine == line
            && (mine.is_some() || names.iter().all(|n| theirs.contains(n)))
    }

    /// The line in which something goes wrong, where there is one, and the operations of the scenario.
    fn place(&self) -> (Option<u32>, Vec<String>) {
        let rows = &self.trace.rows;
        let fault = rows.iter().position(|r| matches!(r.what, What::Fault(_)));
        let line = fault.and_then(|at| match &rows.get(at.checked_sub(1)?)?.what {
            What::Statement { line, .. } => Some(*line),
            _ => None,
        });
        let names: Vec<String> = self
            .scenario
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|w| w.starts_with(|c: char| !c.is_ascii_digit()))
            .map(str::to_string)
            .collect();
        (line, names)
    }
}
