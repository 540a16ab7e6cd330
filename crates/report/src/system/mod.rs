//! Answers about transition systems, as data: what the commands of `trueline lts` say, in text and in the document that
//! `schemas/lts.json` describes.

mod compared;
mod evidence;
mod text;

pub use compared::{Compared, SystemQuestion, Worded};
pub use evidence::{Claim, Evidence, Label, Positions, Round, RunStep, Side, Threat};

use serde::Serialize;

use crate::document::VERSION;

/// What a command of `trueline lts` prints with `--json`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SystemDocument {
    /// The version of the format.
    #[cfg_attr(feature = "schema", schemars(extend("const" = VERSION)))]
    pub version: u32,
    /// The command, with what it says.
    #[serde(flatten)]
    pub said: Said,
    /// What it took.
    pub cost: Cost,
}

impl SystemDocument {
    /// The document of a command that took so long.
    pub fn new(said: Said, seconds: f64) -> SystemDocument {
        let cost = Cost { seconds: (seconds * 1e6).round() / 1e6 };
        SystemDocument { version: VERSION, said, cost }
    }

    /// As one line of text.
    pub fn write(&self) -> String {
        serde_json::to_string(self).expect("a document is plain data") + "\n"
    }
}

/// What a command took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "SystemCost"))]
#[serde(deny_unknown_fields)]
pub struct Cost {
    /// Wall-clock time.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub seconds: f64,
}

/// An answer, or why there is none.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
#[allow(missing_docs)]
pub enum Said {
    Answer(SystemAnswer),
    Nothing(Nothing),
}

/// Why a command has no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Nothing {
    /// The command.
    pub command: SystemCommand,
    /// What kind of trouble it is.
    pub verdict: Trouble,
    /// What is wrong, in a sentence.
    pub why: String,
}

/// The commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(missing_docs)]
pub enum SystemCommand {
    #[serde(rename = "lts generate")]
    Generate,
    #[serde(rename = "lts info")]
    Info,
    #[serde(rename = "lts reduce")]
    Reduce,
    #[serde(rename = "lts compare")]
    Compare,
    #[serde(rename = "lts convert")]
    Convert,
    #[serde(rename = "lts draw")]
    Draw,
    #[serde(rename = "lts ktrace")]
    Ktrace,
}

/// Why there is no answer, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Trouble {
    /// A limit was reached.
    Unknown,
    /// The input cannot be read, the output cannot be written, or the question makes no sense.
    Error,
    /// Evidence could not be confirmed.
    #[serde(rename = "internal error")]
    Internal,
}

impl Trouble {
    /// `unknown`, `error` or `internal error`.
    pub fn word(self) -> &'static str {
        match self {
            Trouble::Unknown => "unknown",
            Trouble::Error => "error",
            Trouble::Internal => "internal error",
        }
    }
}

/// What a command answers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "command")]
pub enum SystemAnswer {
    /// The system of a model was generated.
    #[serde(rename = "lts generate")]
    Generated {
        /// The model.
        file: String,
        /// What was explored.
        object: String,
        /// How large the system is.
        #[serde(flatten)]
        size: SystemSize,
        /// Where it went.
        output: Option<String>,
    },
    /// What is in a system.
    #[serde(rename = "lts info")]
    Info(Info),
    /// A system was reduced.
    #[serde(rename = "lts reduce")]
    Reduced {
        /// The system.
        file: String,
        /// The equivalence.
        by: String,
        /// How large the system is.
        #[serde(flatten)]
        size: SystemSize,
        /// How large the reduced system is.
        reduced: SystemSize,
        /// Where it went.
        output: Option<String>,
    },
    /// Two systems were compared.
    #[serde(rename = "lts compare")]
    Compared(Compared),
    /// A system was written in another format.
    #[serde(rename = "lts convert")]
    Converted {
        /// What was read.
        file: String,
        /// What was written.
        output: String,
        /// How large the system is.
        #[serde(flatten)]
        size: SystemSize,
    },
    /// A system was drawn.
    #[serde(rename = "lts draw")]
    Drawn {
        /// The system.
        file: String,
        /// The picture.
        output: String,
        /// How large the system is.
        #[serde(flatten)]
        size: SystemSize,
    },
    /// Which tau steps matter.
    #[serde(rename = "lts ktrace")]
    Ktrace(Ktrace),
}

/// How large a system is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SystemSize {
    /// States.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub states: usize,
    /// Transitions.
    pub transitions: usize,
}

/// What is in a system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Info {
    /// The system.
    pub file: String,
    /// How large it is.
    #[serde(flatten)]
    pub size: SystemSize,
    /// The initial state.
    pub initial: u32,
    /// States that can be reached.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub reachable: usize,
    /// Tau transitions.
    pub internal: usize,
    /// Visible labels.
    pub labels: Vec<String>,
    /// States without a transition.
    pub deadlocks: usize,
    /// The largest number of transitions of a state.
    pub out_degree: usize,
    /// States on cycles of tau.
    pub states_on_tau_cycles: usize,
    /// Whether no state has a choice that labels do not tell apart, nor tau.
    pub deterministic: bool,
    /// Memory that the system takes.
    pub bytes: u64,
}

/// Which tau steps matter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ktrace {
    /// The system.
    pub file: String,
    /// Its reachable states.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub states: usize,
    /// From this k on nothing is told apart any more.
    pub cap: usize,
    /// How many classes k-trace equivalence has, for k from 0 to the cap.
    pub classes: Vec<usize>,
    /// Tau steps.
    pub tau_steps: usize,
    /// Those with max-trace equivalent ends.
    pub inert_tau_steps: usize,
    /// How many tau steps have ends that each k tells apart first.
    pub first_difference: Vec<FirstDifference>,
    /// Whether some tau step has ends that are 1-trace equivalent and 2-trace inequivalent.
    pub one_equivalent_two_inequivalent: bool,
    /// Each tau step whose ends differ, with the first k that tells them apart, where they were asked for.
    #[serde(skip)]
    pub steps: Vec<(u32, u32, usize)>,
}

/// Tau steps whose ends a k tells apart first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FirstDifference {
    /// The k.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub k: usize,
    /// How many steps.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub steps: usize,
    /// One of them: where it starts and ends.
    pub example: (u32, u32),
}
