//! What `--json` prints of the commands that give no verdict; `schemas/commands.json` describes it.

use serde::Serialize;

use super::{Problem, Refused, Replayed, VERSION, pretty};
use crate::comparison::Comparison;

/// What a command prints with `--json`, unless it has a document of its own: `check`, `test`, `history check`
/// and `lts` do.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum CommandDocument {
    /// What it did.
    Answered(Box<CommandAnswered>),
    /// Why it did nothing.
    Refused(Refused<CommandName>),
}

/// A command that did something. Where diagnostics hold an error, it did less than it was asked for.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CommandAnswered {
    /// The version of the format.
    #[cfg_attr(feature = "schema", schemars(extend("const" = VERSION)))]
    pub version: u32,
    /// What is wrong with the files, or worth knowing about them.
    pub diagnostics: Vec<Problem>,
    /// What it did.
    #[serde(flatten)]
    pub done: Done,
}

impl CommandDocument {
    /// The document for what was done.
    pub fn new(done: Done, diagnostics: Vec<Problem>) -> CommandDocument {
        CommandDocument::Answered(Box::new(CommandAnswered { version: VERSION, diagnostics, done }))
    }

    /// As text.
    pub fn write(&self) -> String {
        pretty(self)
    }
}

/// The commands that give no verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum CommandName {
    New,
    Show,
    Fmt,
    Explain,
    Completions,
    Man,
    Models,
    Replay,
    Compare,
    #[serde(rename = "history distance")]
    HistoryDistance,
    #[serde(rename = "history convert")]
    HistoryConvert,
}

/// What a command did.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "command", rename_all = "snake_case")]
pub enum Done {
    /// A model was written.
    New {
        /// The file.
        file: String,
        /// The object in it.
        object: String,
    },
    /// A model, its steps or a specification.
    Show {
        /// What would have been printed; null where there is nothing to show.
        text: Option<String>,
        /// With `--essential`: the steps that matter, as data.
        #[serde(skip_serializing_if = "Option::is_none")]
        essential: Option<EssentialSteps>,
    },
    /// Models were laid out.
    Fmt {
        /// The models.
        files: Vec<Formatted>,
    },
    /// A word was explained.
    Explain {
        /// What it can mean.
        #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
        explanations: Vec<Explanation>,
    },
    /// Completions for a shell.
    Completions {
        /// What would have been printed.
        text: String,
    },
    /// A page of the manual, or all.
    Man {
        /// What would have been printed; null where pages were written.
        text: Option<String>,
        /// Where the pages are.
        #[serde(skip_serializing_if = "Option::is_none")]
        folder: Option<String>,
    },
    /// The shipped models.
    Models {
        /// The models.
        models: Vec<ShippedModel>,
    },
    /// A failure was executed again.
    Replay(Replayed),
    /// Searches side by side: `check --compare`.
    Compare {
        /// One per property.
        comparisons: Vec<Comparison>,
    },
    /// How far a history is from being linearizable.
    #[serde(rename = "history distance")]
    HistoryDistance {
        /// The log.
        file: String,
        /// The specification.
        spec: String,
        /// The operation whose effects may be late, where one was named.
        operation: Option<String>,
        /// The smallest factor; null where none helps or none is known.
        distance: Option<u32>,
        /// No smaller factor holds.
        at_least: Option<u32>,
        /// The same in words.
        sentence: String,
    },
    /// A history in another notation.
    #[serde(rename = "history convert")]
    HistoryConvert {
        /// What would have been printed; null where a file was written.
        text: Option<String>,
        /// The file.
        output: Option<String>,
    },
}

/// The silent steps that remain in the quotient of an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct EssentialSteps {
    /// The object.
    pub object: String,
    /// States.
    pub states: usize,
    /// Classes of branching bisimulation.
    pub classes: usize,
    /// Every silent step.
    pub steps: Vec<EssentialStep>,
}

/// A silent step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct EssentialStep {
    /// The operation.
    pub operation: String,
    /// Its line.
    pub line: u32,
    /// Its text.
    pub statement: String,
    /// Transitions of this step.
    pub transitions: u64,
    /// Those that lead to another class.
    pub essential: u64,
}

/// A model that was laid out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Formatted {
    /// The file.
    pub file: String,
    /// Whether the layout differs from what was there.
    pub changed: bool,
    /// Of standard input: the text laid out.
    pub text: Option<String>,
}

/// What a word can mean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Explanation {
    /// The word, or its code.
    pub name: String,
    /// What it is a word for, such as `a diagnostic`.
    pub kind: &'static str,
    /// What it means.
    pub text: String,
}

/// A model that is built into the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ShippedModel {
    /// What stands behind the @.
    pub name: String,
    /// Its family.
    pub family: String,
    /// Its file in the source.
    pub file: String,
    /// What it is.
    pub summary: String,
    /// Properties that are expected to hold.
    pub hold: usize,
    /// Properties that are expected to fail.
    pub fail: usize,
    /// Parameters under which something fails.
    pub variants: Vec<String>,
}
