//! What `trueline explain WORD` says: of the code of a diagnostic, of a finding, of a property.

pub mod model;
pub mod syntax;
pub mod types;
pub mod words;

/// The explanations of a finding or a property; `lock_free` may be written `lock-free`. A word may be both.
pub fn word(word: &str) -> Vec<(&'static str, &'static str)> {
    let word = word.to_ascii_lowercase().replace('-', "_");
    let all = words::FINDINGS
        .iter()
        .map(|e| ("a finding", e))
        .chain(words::PROPERTIES.iter().map(|e| ("a property", e)));
    all.filter(|(_, (known, _))| *known == word).map(|(kind, (_, text))| (kind, *text)).collect()
}

/// The explanation of a diagnostic's code.
pub fn explain(code: &str) -> Option<&'static str> {
    let code = code.to_ascii_uppercase();
    let all = syntax::SYNTAX.iter().chain(model::MODEL).chain(types::TYPES);
    all.into_iter().find(|(c, _)| *c == code).map(|(_, text)| *text)
}
