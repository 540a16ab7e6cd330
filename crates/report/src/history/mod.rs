//! Answers about recorded histories, as data: what `trueline history check` says of one log, in text and in the
//! document that `schemas/history.json` describes.

mod failure;
mod text;

pub use failure::{Failure, Impasse, Open, Operation, PartKey, PartialOrder, Reason};
pub use text::{Shown, render_log};

use serde::{Serialize, Serializer};
use trueline_base::Verdict;

use crate::document::{Problem, VERSION};

/// What `trueline history check --json` prints.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HistoryDocument {
    /// The version of the format.
    #[cfg_attr(feature = "schema", schemars(extend("const" = VERSION)))]
    pub version: u32,
    /// The command that answers.
    #[cfg_attr(feature = "schema", schemars(extend("const" = "history check")))]
    pub command: &'static str,
    /// Logs that cannot be read, and the like.
    pub diagnostics: Vec<Problem>,
    /// One answer per log.
    pub results: Vec<LogAnswer>,
}

impl HistoryDocument {
    /// The document for these answers.
    pub fn new(results: Vec<LogAnswer>, diagnostics: Vec<Problem>) -> HistoryDocument {
        HistoryDocument { version: VERSION, command: "history check", diagnostics, results }
    }

    /// As one line of text.
    pub fn write(&self) -> String {
        serde_json::to_string(self).expect("a document is plain data") + "\n"
    }
}

/// The formats of logs.
#[cfg(feature = "schema")]
const FORMATS: [&str; 8] = ["json", "jepsen", "jepsen-text", "etcd", "kv", "fastlin", "fptlin", "violin"];

/// The answer for one log.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LogAnswer {
    /// The log.
    pub file: String,
    /// Its format.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = FORMATS)))]
    pub format: String,
    /// The specification.
    pub spec: String,
    /// What was asked.
    pub condition: String,
    /// How it was decided, with what belongs to it: the order, if it was asked for, the failure, or why nobody knows.
    #[serde(flatten, serialize_with = "fields")]
    #[cfg_attr(feature = "schema", schemars(with = "Fields<'static>"))]
    pub verdict: Verdict<Option<Vec<Operation>>, Failure, Undecided>,
    /// How much was covered.
    pub scope: Scope,
    /// What it took.
    pub cost: Cost,
    /// What is worth knowing about the log.
    pub remarks: Vec<String>,
}

/// Why nobody knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undecided {
    /// In a sentence.
    pub why: String,
    /// Calls and returns passed by the order that came furthest, of how many.
    pub progress: Option<(u32, u32)>,
}

/// How much of a log was covered, and by whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "LogScope"))]
#[serde(deny_unknown_fields)]
pub struct Scope {
    /// Operations of the history.
    pub operations: usize,
    /// Those that never returned.
    pub pending: usize,
    /// Those that failed and were left out.
    pub failed: usize,
    /// Independent parts that were checked separately.
    pub parts: usize,
    /// Who decided.
    pub engines: Vec<EngineParts>,
    /// Configurations that the search visited.
    pub configurations: u64,
    /// Whether it was decided.
    pub complete: bool,
}

/// An engine that decided parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct EngineParts {
    /// The engine.
    pub name: String,
    /// How many parts it decided.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub parts: usize,
}

/// What an answer about a log took.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "LogCost"))]
#[serde(deny_unknown_fields)]
pub struct Cost {
    /// Wall-clock time.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub seconds: f64,
    /// Most memory in use.
    pub peak_bytes: u64,
}

/// A verdict as the fields of the document.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "LogVerdict"))]
#[serde(tag = "verdict", rename_all = "snake_case")]
enum Fields<'a> {
    /// The history satisfies the condition.
    Holds {
        /// There is nothing to explain.
        why: (),
        /// An order that shows it, where it was asked for and there is one.
        witness: Option<&'a [Operation]>,
        /// There is none.
        failure: (),
    },
    /// It does not.
    Fails {
        /// What a programmer would see, in a sentence.
        why: &'a str,
        /// There is none.
        witness: (),
        /// A part of the history that cannot be explained.
        failure: &'a Failure,
    },
    /// Nobody knows.
    Unknown {
        /// Why, in a sentence.
        why: &'a str,
        /// There is none.
        witness: (),
        /// None was found.
        failure: (),
    },
}

fn fields<S: Serializer>(
    verdict: &Verdict<Option<Vec<Operation>>, Failure, Undecided>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let fields = match verdict {
        Verdict::Holds(witness) => Fields::Holds { why: (), witness: witness.as_deref(), failure: () },
        Verdict::Fails(failure) => Fields::Fails { why: &failure.sentence, witness: (), failure },
        Verdict::Unknown(undecided) => Fields::Unknown { why: &undecided.why, witness: (), failure: () },
    };
    fields.serialize(serializer)
}
