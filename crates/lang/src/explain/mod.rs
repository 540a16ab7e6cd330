//! What `trueline explain CODE` says.

pub mod syntax;

/// The explanation of a diagnostic's code.
pub fn explain(code: &str) -> Option<&'static str> {
    let code = code.to_ascii_uppercase();
    syntax::SYNTAX.iter().find(|(c, _)| *c == code).map(|(_, text)| *text)
}
