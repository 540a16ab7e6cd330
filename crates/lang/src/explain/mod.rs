//! What `trueline explain CODE` says.

pub mod model;
pub mod syntax;
pub mod types;

/// The explanation of a diagnostic's code.
pub fn explain(code: &str) -> Option<&'static str> {
    let code = code.to_ascii_uppercase();
    let all = syntax::SYNTAX.iter().chain(model::MODEL).chain(types::TYPES);
    all.into_iter().find(|(c, _)| *c == code).map(|(_, text)| *text)
}
