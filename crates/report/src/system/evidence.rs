//! What tells two systems apart, on the systems themselves.

use serde::Serialize;

/// What tells two systems apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Evidence {
    /// A shortest trace that one system has and the other lacks.
    Trace {
        /// The file that has it.
        of: String,
        /// The file that lacks it.
        #[serde(skip)]
        lacks: String,
        /// Its labels.
        trace: Vec<String>,
        /// A run with these labels.
        run: Vec<RunStep>,
        /// A formula that says so, where equivalence was asked.
        #[serde(flatten)]
        claim: Option<Claim>,
    },
    /// A play: in each round one side moves and the other answers as well as it can, until it cannot.
    Play {
        /// The rounds.
        #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
        rounds: Vec<Round>,
        /// A formula that says so.
        #[serde(flatten)]
        claim: Claim,
    },
    /// A run of the first system whose labels are no trace of the second.
    NotATrace {
        /// Its labels.
        trace: Vec<String>,
        /// Its steps.
        run: Vec<RunStep>,
        /// Nothing is refused.
        offered: (),
    },
    /// A run of the first system after which it refuses what the second does not.
    Refusal {
        /// Its labels.
        trace: Vec<String>,
        /// Its steps.
        run: Vec<RunStep>,
        /// What the first system offers then.
        offered: Vec<String>,
    },
    /// A run of the first system after which it goes on silently for ever, and the second does not.
    Divergence {
        /// Its labels.
        trace: Vec<String>,
        /// Its steps.
        run: Vec<RunStep>,
        /// Nothing is refused.
        offered: (),
    },
    /// A limit was reached before the difference could be shown.
    None {
        /// The limit.
        why: String,
    },
}

/// A formula that holds on one side and not on the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Claim {
    /// The formula.
    pub formula: String,
    /// Where it holds.
    pub holds_on: Side,
}

/// One of two systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Side {
    Left,
    Right,
}

/// A step of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RunStep {
    /// Where it starts.
    pub from: u32,
    /// What it does; null is tau.
    pub label: Option<String>,
    /// Where it ends.
    pub to: u32,
}

/// One round of a play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Round {
    /// Who moves.
    pub by: Side,
    /// Where both stand.
    pub from: Positions,
    /// What the mover can do.
    pub threat: Threat,
    /// How it does it.
    pub steps: Vec<RunStep>,
    /// The best answer; null: there is none, and the play is over.
    pub answer: Option<Vec<RunStep>>,
}

/// Where both sides of a play stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Positions {
    /// The state of the first system.
    pub left: u32,
    /// The state of the second.
    pub right: u32,
}

/// What a mover can do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Threat {
    /// A silent step.
    Tau,
    /// Go on silently for ever.
    Divergence,
    /// A step with this label.
    Label(Label),
}

/// A label.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Label {
    /// As the file has it.
    pub name: String,
    /// As formulas have it.
    #[serde(skip)]
    pub written: String,
}
