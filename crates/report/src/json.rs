//! The JSON document; `schemas/check.json` describes it. Within a version no field is renamed.

use serde::{Deserialize, Serialize};
use trueline_base::Diagnostic;
use trueline_base::verdict::{Answer, Decision, Scope};

/// The version of the document.
pub const VERSION: u32 = 1;

/// The document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The version of the format.
    pub version: u32,
    /// The command that answers.
    pub command: String,
    /// One entry per property.
    pub results: Vec<Entry>,
    /// What is wrong with the files, or worth knowing about them.
    pub diagnostics: Vec<Problem>,
}

/// A diagnostic with its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The file.
    pub file: String,
    /// The line, from 1; 0 where the whole file is meant.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// Its code, which `trueline explain` knows; none for a file that cannot be read.
    pub code: Option<String>,
    /// `error` or `warning`.
    pub severity: String,
    /// What is wrong.
    pub message: String,
    /// The way out.
    pub help: Option<String>,
}

impl Problem {
    /// A diagnostic of a file, whose text is `source`.
    pub fn new(file: &str, source: &str, diagnostic: &Diagnostic) -> Problem {
        let (line, column) = diagnostic.span.line_column(source);
        Problem {
            file: file.into(),
            line,
            column,
            code: Some(diagnostic.code.into()),
            severity: if diagnostic.is_error() { "error".into() } else { "warning".into() },
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
        }
    }

    /// An error that is no diagnostic of a text.
    pub fn of_file(file: &str, message: &str) -> Problem {
        let (message, severity) = (message.into(), "error".into());
        Problem { file: file.into(), line: 0, column: 0, code: None, severity, message, help: None }
    }
}

/// The answer to one property.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The file.
    pub file: String,
    /// The line of the property.
    pub line: u32,
    /// The object.
    pub object: String,
    /// The property.
    pub property: String,
    /// `holds`, `fails` or `unknown`.
    pub verdict: Decision,
    /// What the file expects.
    pub expected: String,
    /// Whether that is what was found.
    pub as_expected: bool,
    /// The bounds.
    pub scope: Scope,
    /// What it took.
    pub cost: Cost,
    /// What makes it unknown, or the reason of a failure.
    pub why: Option<String>,
    /// What else is worth knowing, in sentences.
    pub warnings: Vec<String>,
    /// The path of the trace file.
    pub trace: Option<String>,
}

/// What an answer took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Wall-clock time.
    pub seconds: f64,
    /// Processor time.
    pub cpu_seconds: f64,
    /// Most memory in use.
    pub peak_bytes: u64,
}

impl Report {
    /// The document for these answers.
    pub fn new(command: &str, answers: &[Answer]) -> Report {
        let results = answers.iter().map(Entry::from).collect();
        Report { version: VERSION, command: command.into(), results, diagnostics: Vec::new() }
    }

    /// The same document with diagnostics.
    pub fn with(self, diagnostics: Vec<Problem>) -> Report {
        Report { diagnostics, ..self }
    }

    /// As text.
    pub fn write(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a report is plain data");
        text.push('\n');
        text
    }
}

impl From<&Answer> for Entry {
    fn from(answer: &Answer) -> Entry {
        let told = answer.trace.as_ref().map(|t| t.summary.clone());
        Entry {
            file: answer.file.clone(),
            line: answer.line,
            object: answer.object.clone(),
            property: answer.property.clone(),
            verdict: answer.decision,
            expected: answer.expected.clone(),
            as_expected: answer.as_expected,
            scope: answer.scope.clone(),
            cost: Cost {
                seconds: answer.seconds,
                cpu_seconds: answer.cpu_seconds,
                peak_bytes: answer.peak_bytes,
            },
            why: answer.why.clone().or(told),
            warnings: answer.warnings.iter().map(|w| w.text.clone()).collect(),
            trace: answer.trace_path.clone(),
        }
    }
}
