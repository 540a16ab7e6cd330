//! The documents of `--json` as types. The schemas in `schemas/` are made from them, so that a document and what is
//! said of it cannot differ. Within a version no field is renamed.

mod check;
mod problem;

pub use check::{CheckDocument, CheckVerdict, Cost, Entry, Scope};
pub use problem::{Problem, Severity};

use serde::Serialize;

/// The version of the documents.
pub const VERSION: u32 = 1;

/// A document as text that ends with a line break, over several lines.
pub(crate) fn pretty(document: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(document).expect("a document is plain data");
    text.push('\n');
    text
}
