//! What `trueline replay --json` says of an execution that failed before.

use serde::Serialize;
use trueline_base::trace::Trace;

#[cfg(feature = "schema")]
use super::Story;

/// A failure that was executed again.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Replayed {
    /// Of a model.
    Model {
        /// The model.
        file: String,
        /// The object.
        object: String,
        /// The property.
        property: String,
        /// Whether the model differs from the one that failed.
        changed: bool,
        /// Where the steps differ.
        differences: Vec<String>,
        /// Whether it still fails.
        #[serde(flatten)]
        outcome: ReplayOutcome,
    },
    /// Of real code.
    Code {
        /// The source file.
        file: String,
        /// Whether it still fails.
        #[serde(flatten)]
        outcome: ReplayOutcome,
    },
    /// A limit prevented the answer.
    Unknown {
        /// Nobody knows.
        fails: (),
        /// The limit.
        why: String,
    },
}

/// Whether an execution still fails.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum ReplayOutcome {
    /// It does.
    Fails {
        /// Yes.
        #[cfg_attr(feature = "schema", schemars(extend("const" = true)))]
        fails: bool,
        /// The story says why.
        why: (),
        /// The execution as in trace files.
        #[cfg_attr(feature = "schema", schemars(with = "Story"))]
        story: Box<Trace>,
    },
    /// It does not.
    Passes {
        /// No.
        #[cfg_attr(feature = "schema", schemars(extend("const" = false)))]
        fails: bool,
        /// Why not.
        why: String,
        /// There is nothing to tell.
        story: (),
    },
}

impl ReplayOutcome {
    /// It still fails, as the story tells.
    pub fn fails(story: Trace) -> ReplayOutcome {
        ReplayOutcome::Fails { fails: true, why: (), story: Box::new(story) }
    }

    /// It does not, and why.
    pub fn passes(why: String) -> ReplayOutcome {
        ReplayOutcome::Passes { fails: false, why, story: () }
    }
}
