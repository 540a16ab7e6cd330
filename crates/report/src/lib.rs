//! Answers as text and as JSON, diagnostics with their source. Knows the vocabulary of `base`
//! and nothing of how an answer was found.
#![forbid(unsafe_code)]

pub mod code;
mod comparison;
mod diagnostic;
pub mod document;
pub mod history;
pub mod system;
mod text;

pub use comparison::{Comparison, Searched, plot_comparisons, render_comparison};
pub use diagnostic::render_diagnostic;
pub use document::{CheckDocument, Problem};
pub use text::{Stories, Style, render_answer, render_answers, render_tally, render_trace};
