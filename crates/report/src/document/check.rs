//! The document of `trueline check --json`; `schemas/check.json` describes it.

use serde::Serialize;
use trueline_base::Verdict;
use trueline_base::answer::Answer;

use super::{Problem, VERSION, pretty};

/// What `trueline check --json` prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CheckDocument {
    /// The version of the format.
    #[cfg_attr(feature = "schema", schemars(extend("const" = VERSION)))]
    pub version: u32,
    /// The command that answers.
    #[cfg_attr(feature = "schema", schemars(extend("const" = "check")))]
    pub command: &'static str,
    /// One entry per property.
    pub results: Vec<Entry>,
    /// What is wrong with the files, or worth knowing about them.
    pub diagnostics: Vec<Problem>,
}

/// The answer to one property of one check.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The model, as it was named on the command line.
    pub file: String,
    /// The line of the property.
    pub line: u32,
    /// The object.
    pub object: String,
    /// The property.
    pub property: String,
    /// How it was decided, with what belongs to it.
    #[serde(flatten)]
    pub verdict: CheckVerdict,
    /// What the file expects.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"^(holds|fails(\([a-z_]+\))?)$")))]
    pub expected: String,
    /// Whether that is what was found.
    pub as_expected: bool,
    /// Under which bounds the answer was found and how much was covered.
    pub scope: Scope,
    /// What it took.
    pub cost: Cost,
    /// What else is worth knowing, in sentences, such as executions that end blocked.
    pub warnings: Vec<String>,
}

/// A verdict with what belongs to it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum CheckVerdict {
    /// It holds.
    Holds {
        /// There is nothing to explain.
        why: (),
        /// Nor to replay.
        trace: (),
    },
    /// It does not.
    Fails {
        /// The reason in a sentence.
        why: String,
        /// The path of the trace file, where one was written.
        trace: Option<String>,
    },
    /// Nobody knows.
    Unknown {
        /// What makes it unknown.
        why: String,
        /// There is nothing to replay.
        trace: (),
    },
}

/// Under which bounds an answer was found and how much was covered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Scope {
    /// Number of threads.
    pub threads: u32,
    /// Operations per thread; null when the client never ends or has roles.
    pub ops: Option<u32>,
    /// The values: a number, or `tid`.
    pub values: Option<String>,
    /// The roles; empty without.
    pub roles: String,
    /// Sequential consistency.
    #[cfg_attr(feature = "schema", schemars(extend("const" = "sc")))]
    pub memory_model: String,
    /// The engine.
    pub engine: String,
    /// The reductions in force.
    pub reductions: Vec<String>,
    /// Reductions that are off, with the reason.
    pub off: Vec<String>,
    /// How states are stored.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["exact", "hashed"])))]
    pub storage: String,
    /// States stored.
    pub states: u64,
    /// Transitions executed.
    pub transitions: u64,
    /// Length of the executions covered.
    pub depth: u64,
    /// Whether everything was covered.
    pub complete: bool,
    /// Operations and branches that no execution exercised, as sentences; known where everything was covered.
    pub never_exercised: Vec<String>,
    /// Whether executions were left out by `assume`.
    pub assumes: bool,
    /// States in which every thread that has something to do waits for another.
    pub dead_ends: u64,
}

/// What an answer took.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Cost {
    /// Wall-clock time.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub seconds: f64,
    /// Processor time.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub cpu_seconds: f64,
    /// Most memory in use.
    pub peak_bytes: u64,
}

impl CheckDocument {
    /// The document for these answers.
    pub fn new(answers: &[Answer], diagnostics: Vec<Problem>) -> CheckDocument {
        let results = answers.iter().map(Entry::from).collect();
        CheckDocument { version: VERSION, command: "check", results, diagnostics }
    }

    /// As text.
    pub fn write(&self) -> String {
        pretty(self)
    }
}

impl From<&Answer> for Entry {
    fn from(answer: &Answer) -> Entry {
        let verdict = match &answer.verdict {
            Verdict::Holds(_) => CheckVerdict::Holds { why: (), trace: () },
            Verdict::Fails(failure) => CheckVerdict::Fails {
                why: failure.blame.as_ref().unwrap_or(&failure.trace.summary).clone(),
                trace: failure.trace_path.clone(),
            },
            Verdict::Unknown(doubt) => CheckVerdict::Unknown { why: doubt.why.clone(), trace: () },
        };
        Entry {
            file: answer.file.clone(),
            line: answer.line,
            object: answer.object.clone(),
            property: answer.property.clone(),
            verdict,
            expected: answer.expected.to_string(),
            as_expected: answer.as_expected,
            scope: Scope::of(answer),
            cost: Cost {
                seconds: answer.seconds,
                cpu_seconds: answer.cpu_seconds,
                peak_bytes: answer.peak_bytes,
            },
            warnings: answer.warnings.iter().map(|w| w.text.clone()).collect(),
        }
    }
}

impl Scope {
    fn of(answer: &Answer) -> Scope {
        let scope = answer.scope.clone();
        Scope {
            threads: scope.threads,
            ops: scope.ops,
            values: scope.values,
            roles: scope.roles,
            memory_model: scope.memory_model,
            engine: scope.engine,
            reductions: scope.reductions,
            off: scope.off,
            storage: scope.storage,
            states: scope.states,
            transitions: scope.transitions,
            depth: scope.depth,
            complete: answer.verdict.holds(),
            never_exercised: match &answer.verdict {
                Verdict::Holds(covered) => covered.never_exercised.clone(),
                Verdict::Fails(_) | Verdict::Unknown(_) => Vec::new(),
            },
            assumes: scope.assumes,
            dead_ends: scope.dead_ends,
        }
    }
}
