//! Answers as text and as JSON, diagnostics with their source. Knows the vocabulary of `base`
//! and nothing of how an answer was found.
#![forbid(unsafe_code)]

mod comparison;
mod diagnostic;
mod json;
mod text;

pub use comparison::{Comparison, Searched, plot_comparisons, render_comparison};
pub use diagnostic::render_diagnostic;
pub use json::{Cost, Entry, Problem, Report, VERSION};
pub use text::{Stories, Style, render_answer, render_answers, render_tally, render_trace};
