//! Answers about real code, as data: what `trueline test` says of one file, in text and in the document that
//! `schemas/test.json` describes.

mod text;

pub use text::render_test;

use serde::{Serialize, Serializer};
use trueline_base::Verdict;
use trueline_base::trace::Trace;

#[cfg(feature = "schema")]
use crate::document::Story;
use crate::document::{Problem, Refused, VERSION, pretty};

/// What `trueline test --json` prints.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum TestDocument {
    /// The answer.
    Answered(Box<Answered>),
    /// Why there is none.
    Refused(Refused<TestCommand>),
}

/// A test that has an answer.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Answered {
    /// The version of the format.
    #[cfg_attr(feature = "schema", schemars(extend("const" = VERSION)))]
    pub version: u32,
    /// The command that answers.
    pub command: TestCommand,
    /// Nothing is wrong with the file.
    #[cfg_attr(feature = "schema", schemars(length(max = 0)))]
    pub diagnostics: Vec<Problem>,
    /// The answer.
    #[serde(flatten)]
    pub answer: CodeAnswer,
}

/// The command, as a document names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TestCommand {
    /// There is one.
    Test,
}

impl TestDocument {
    /// The document for an answer.
    pub fn new(answer: CodeAnswer) -> TestDocument {
        let (version, command, diagnostics) = (VERSION, TestCommand::Test, Vec::new());
        TestDocument::Answered(Box::new(Answered { version, command, diagnostics, answer }))
    }

    /// As text.
    pub fn write(&self) -> String {
        pretty(self)
    }
}

/// The answer for one file.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CodeAnswer {
    /// The file, as it was named on the command line.
    pub file: String,
    /// What was asked; of another failure than that, its kind.
    pub property: String,
    /// How it was decided, with what belongs to it.
    #[serde(flatten, serialize_with = "fields")]
    #[cfg_attr(feature = "schema", schemars(with = "Fields<'static>"))]
    pub verdict: Verdict<(), CodeFailures, String>,
    /// How much was covered.
    pub scope: CodeScope,
    /// What it took.
    pub cost: CodeCost,
    /// The object, for people.
    #[serde(skip)]
    pub object: String,
    /// The file and line of what goes wrong, where something does in one place; else those of the first operation.
    #[serde(skip)]
    pub place: String,
}

/// What belongs to a test that fails.
#[derive(Clone, Debug)]
pub struct CodeFailures {
    /// The first failure.
    pub first: CodeFailure,
    /// Its trace file, where one was written.
    pub trace: Option<String>,
    /// Others.
    pub others: Vec<CodeFailure>,
}

/// A failure of real code.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CodeFailure {
    /// Its kind, such as `use_after_free`.
    pub failure: String,
    /// The scenario.
    pub scenario: String,
    /// The compiler's level of optimisation.
    pub level: String,
    /// The execution as in trace files.
    #[cfg_attr(feature = "schema", schemars(with = "Story"))]
    pub story: Trace,
}

/// How much of some code was covered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CodeScope {
    /// The memory model.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["sc", "c11"])))]
    pub memory_model: String,
    /// What built it.
    pub compiler: String,
    /// At which levels of optimisation.
    pub levels: Vec<String>,
    /// What histories are held against.
    pub spec: String,
    /// Operations of the harness.
    pub operations: Vec<String>,
    /// Scenarios.
    pub scenarios: usize,
    /// Those that were explored to the end.
    pub scenarios_complete: usize,
    /// The largest of those; empty where there is none.
    pub largest: String,
    /// Complete executions.
    pub complete: u64,
    /// Executions that were cut because another has what they wait for.
    pub cut: u64,
    /// Executions in which nobody can go on.
    pub stuck: u64,
    /// Executions that end with a finding.
    pub found: u64,
    /// Histories that were decided.
    pub histories: u64,
    /// Which executions of each scenario were run, in words.
    pub executions: String,
    /// Interleavings that were run by themselves.
    pub interleavings: u64,
    /// Whether only interleavings were run, rather than all executions.
    #[serde(skip)]
    pub sampled: bool,
    /// Whether the program has its own `main`, so that there is one scenario, which nobody wrote.
    #[serde(skip)]
    pub own_main: bool,
}

/// What an answer about real code took.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CodeCost {
    /// Wall-clock time, with that of the compiler.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0)))]
    pub seconds: f64,
}

/// A verdict as the fields of the document.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "CodeVerdict"))]
#[serde(tag = "verdict", rename_all = "snake_case")]
enum Fields<'a> {
    /// Nothing was found in what the scope says.
    Holds {
        /// There is none.
        failure: (),
        /// There is none.
        scenario: (),
        /// There is none.
        level: (),
        /// There is nothing to explain.
        why: (),
        /// Nor to tell.
        story: (),
        /// Nor to replay.
        trace: (),
        /// Nor anything else.
        #[cfg_attr(feature = "schema", schemars(length(max = 0)))]
        others: &'a [CodeFailure],
    },
    /// Something was found, and confirmed in a process of its own.
    Fails {
        /// Its kind, such as `use_after_free`.
        failure: &'a str,
        /// The scenario.
        scenario: &'a str,
        /// The compiler's level of optimisation.
        level: &'a str,
        /// The reason in a sentence.
        why: &'a str,
        /// The execution as in trace files.
        #[cfg_attr(feature = "schema", schemars(with = "Story"))]
        story: &'a Trace,
        /// The path of the trace file, where one was written.
        trace: Option<&'a str>,
        /// Further failures, of other kinds or at other places.
        others: &'a [CodeFailure],
    },
    /// Nobody knows.
    Unknown {
        /// None was found.
        failure: (),
        /// There is none.
        scenario: (),
        /// There is none.
        level: (),
        /// What makes it unknown.
        why: &'a str,
        /// There is nothing to tell.
        story: (),
        /// Nor to replay.
        trace: (),
        /// Nor anything else.
        #[cfg_attr(feature = "schema", schemars(length(max = 0)))]
        others: &'a [CodeFailure],
    },
}

fn fields<S: Serializer>(
    verdict: &Verdict<(), CodeFailures, String>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let (failure, scenario, level, story, trace, others) = ((), (), (), (), (), &[]);
    let fields = match verdict {
        Verdict::Holds(()) => Fields::Holds { failure, scenario, level, why: (), story, trace, others },
        Verdict::Fails(failures) => Fields::Fails {
            failure: &failures.first.failure,
            scenario: &failures.first.scenario,
            level: &failures.first.level,
            why: &failures.first.story.summary,
            story: &failures.first.story,
            trace: failures.trace.as_deref(),
            others: &failures.others,
        },
        Verdict::Unknown(why) => Fields::Unknown { failure, scenario, level, why, story, trace, others },
    };
    fields.serialize(serializer)
}
