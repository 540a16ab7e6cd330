//! Two systems compared: what was asked, and the verdict with its evidence.

use serde::{Serialize, Serializer};
use trueline_base::Verdict;

use super::Evidence;

/// The equivalences, and what else systems are compared by.
#[cfg(feature = "schema")]
const RELATIONS: [&str; 10] = [
    "strong",
    "branching",
    "dpbranching",
    "weak",
    "dpweak",
    "trace",
    "simulation",
    "ready-simulation",
    "failures",
    "failures-divergences",
];

/// The answer of a comparison.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Compared {
    /// The first system.
    pub left: String,
    /// The second.
    pub right: String,
    /// The equivalence or preorder.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = RELATIONS)))]
    pub by: String,
    /// Whether only inclusion of traces was asked.
    #[serde(rename = "inclusion", serialize_with = "is_inclusion")]
    #[cfg_attr(feature = "schema", schemars(with = "bool"))]
    pub question: SystemQuestion,
    /// How it was decided, with what belongs to it: what tells the systems apart, or why nobody knows.
    #[serde(flatten)]
    #[cfg_attr(feature = "schema", schemars(with = "Fields<'static>"))]
    pub verdict: Worded,
}

/// What is asked of two systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemQuestion {
    /// Are they equivalent?
    Equivalence,
    /// Is every trace of the first one of the second?
    Inclusion,
    /// Does the first refine the second?
    Refinement,
}

impl SystemQuestion {
    /// What is said when it holds, and when it does not.
    fn words(self) -> [&'static str; 2] {
        match self {
            SystemQuestion::Equivalence => ["equivalent", "not equivalent"],
            SystemQuestion::Inclusion => ["included", "not included"],
            SystemQuestion::Refinement => ["refined", "not refined"],
        }
    }
}

fn is_inclusion<S: Serializer>(question: &SystemQuestion, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(*question == SystemQuestion::Inclusion)
}

/// A verdict in the words of its question.
#[derive(Clone, Debug)]
pub struct Worded {
    /// The verdict.
    pub verdict: Verdict<(), Evidence, String>,
    question: SystemQuestion,
}

impl Worded {
    /// The word for it: `equivalent`, `not included`, `unknown`.
    pub fn word(&self) -> &'static str {
        let [holds, fails] = self.question.words();
        match self.verdict {
            Verdict::Holds(()) => holds,
            Verdict::Fails(_) => fails,
            Verdict::Unknown(_) => "unknown",
        }
    }
}

impl Compared {
    /// The answer to a question about two systems.
    pub fn new(
        names: [String; 2],
        by: &str,
        question: SystemQuestion,
        verdict: Verdict<(), Evidence, String>,
    ) -> Compared {
        let [left, right] = names;
        Compared { left, right, by: by.into(), question, verdict: Worded { verdict, question } }
    }
}

/// A verdict as the fields of the document.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "SystemVerdict"))]
#[serde(untagged)]
enum Fields<'a> {
    /// It holds.
    Holds {
        #[cfg_attr(feature = "schema", schemars(extend("enum" = ["equivalent", "included", "refined"])))]
        verdict: &'static str,
        /// There is nothing to show.
        evidence: (),
    },
    /// It does not.
    Fails {
        #[cfg_attr(
            feature = "schema",
            schemars(extend("enum" = ["not equivalent", "not included", "not refined"]))
        )]
        verdict: &'static str,
        /// What tells the systems apart.
        evidence: &'a Evidence,
    },
    /// Nobody knows.
    Unknown {
        #[cfg_attr(feature = "schema", schemars(extend("const" = "unknown")))]
        verdict: &'static str,
        /// There is nothing to show.
        evidence: (),
        /// The limit that was reached.
        why: &'a str,
    },
}

impl Serialize for Worded {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let verdict = self.word();
        let fields = match &self.verdict {
            Verdict::Holds(()) => Fields::Holds { verdict, evidence: () },
            Verdict::Fails(evidence) => Fields::Fails { verdict, evidence },
            Verdict::Unknown(why) => Fields::Unknown { verdict, evidence: (), why },
        };
        fields.serialize(serializer)
    }
}
