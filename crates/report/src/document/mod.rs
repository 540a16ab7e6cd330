//! The documents of `--json` as types. The schemas in `schemas/` are made from them, so that a document and what is
//! said of it cannot differ. Within a version no field is renamed.

mod check;
mod command;
mod problem;
mod refused;
mod replayed;

pub use check::{CheckDocument, CheckVerdict, Cost, Entry, Scope};
pub use command::{
    CommandAnswered, CommandDocument, CommandName, Done, EssentialStep, EssentialSteps, Explanation,
    Formatted, ShippedModel,
};
pub use problem::{Problem, Severity};
pub use refused::Refused;
pub use replayed::{ReplayOutcome, Replayed};

use serde::Serialize;

/// The version of the documents.
pub const VERSION: u32 = 1;

/// A story, whose fields are those of trace files.
#[cfg(feature = "schema")]
pub(crate) type Story = serde_json::Map<String, serde_json::Value>;

/// A document as text that ends with a line break, over several lines.
pub(crate) fn pretty(document: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(document).expect("a document is plain data");
    text.push('\n');
    text
}
