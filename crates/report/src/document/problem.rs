//! What is wrong with a file, or worth knowing about it, as every document has it.

use serde::Serialize;
use trueline_base::Diagnostic;

/// What is wrong with a file, or worth knowing about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Problem {
    /// The file.
    pub file: String,
    /// The line, from 1; 0 where the whole file is meant.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// Its code, which `trueline explain` knows; null for a file that cannot be read.
    pub code: Option<String>,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// The way out.
    pub help: Option<String>,
}

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Severity {
    Error,
    Warning,
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
            severity: if diagnostic.is_error() { Severity::Error } else { Severity::Warning },
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
        }
    }

    /// An error that is no diagnostic of a text.
    pub fn of_file(file: &str, message: &str) -> Problem {
        let (message, severity) = (message.into(), Severity::Error);
        Problem { file: file.into(), line: 0, column: 0, code: None, severity, message, help: None }
    }
}
