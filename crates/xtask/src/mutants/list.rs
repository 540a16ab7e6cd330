//! The committed lists: one line per mutant, and the reasons for survivors.

use std::collections::BTreeMap;
use std::path::Path;

/// A mutant and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MutantEntry {
    /// See [`super::Mutant::key`].
    pub key: String,
    /// What became of it.
    pub outcome: Fate,
    /// States that the search under the check's own client took.
    pub states: u64,
}

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// A property fails.
    Refuted {
        /// The property.
        by: String,
        /// The client that it took; empty for the check's own.
        client: String,
    },
    /// No property fails within the budget.
    Survives,
}

/// Why mutants survive: `key | reason`, one per line, in `crates/xtask/mutants/reasons.txt`. In a key `*` stands for any text. A
/// reason that begins with `client: ` is a client that refutes the mutant, one that begins with `check: ` the number of a
/// check of the same file that does, though it takes more states than others are given. Both are run.
#[derive(Default)]
pub struct Reasons(BTreeMap<String, String>);

impl Reasons {
    /// Reads the committed file.
    pub fn read(root: &Path) -> Reasons {
        let text = std::fs::read_to_string(root.join("crates/xtask/mutants/reasons.txt")).unwrap_or_default();
        let mut all = BTreeMap::new();
        for line in text.lines().filter(|l| !l.trim().is_empty() && !l.starts_with('#')) {
            if let Some((key, reason)) = line.split_once(" | ") {
                all.insert(key.trim().to_string(), reason.trim().to_string());
            }
        }
        Reasons(all)
    }

    /// The reason for a mutant.
    pub fn get(&self, key: &str) -> Option<&str> {
        let exact = self.0.get(key);
        let pattern = || self.0.iter().find(|(pattern, _)| fits(pattern, key)).map(|(_, reason)| reason);
        exact.or_else(pattern).map(String::as_str)
    }

    /// The client that refutes a mutant, where somebody has found one.
    pub fn client(&self, key: &str) -> Option<&str> {
        self.get(key)?.strip_prefix("client: ")
    }

    /// The check of the same file that refutes a mutant, where it takes more states than others are given.
    pub fn check(&self, key: &str) -> Option<usize> {
        self.get(key)?.strip_prefix("check: ")?.parse().ok()
    }

    /// Keys that no entry of the lists uses.
    pub fn unused(&self, entries: &[MutantEntry]) -> Vec<&str> {
        let used = |pattern: &str| entries.iter().any(|e| fits(pattern, &e.key));
        self.0.keys().filter(|k| !used(k)).map(String::as_str).collect()
    }
}

/// Whether the pattern describes the key.
fn fits(pattern: &str, key: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == key,
        Some((start, rest)) => match key.strip_prefix(start) {
            None => false,
            Some(key) => (0..=key.len()).any(|at| key.is_char_boundary(at) && fits(rest, &key[at..])),
        },
    }
}

/// One entry as a line of a list.
pub fn line(entry: &MutantEntry, reasons: &Reasons) -> String {
    let outcome = match &entry.outcome {
        Fate::Refuted { by, client } if client.is_empty() => format!("refuted by {by}"),
        Fate::Refuted { by, client } => format!("refuted by {by} with {client}"),
        Fate::Survives => format!("survives: {}", reasons.get(&entry.key).unwrap_or("no reason is given")),
    };
    format!("{} | {} | {outcome}", entry.key, entry.states)
}

/// A list as it is committed.
pub fn render(entries: &[MutantEntry], reasons: &Reasons) -> String {
    let mut text = String::from(
        "# mutant | states under the check's own client | outcome; written by `cargo xtask mutants --write`\n",
    );
    for entry in entries {
        text += &line(entry, reasons);
        text.push('\n');
    }
    text
}

/// A committed list.
pub fn parse(text: &str) -> Vec<MutantEntry> {
    let mut all = Vec::new();
    for line in text.lines().filter(|l| !l.starts_with('#') && !l.trim().is_empty()) {
        let parts: Vec<&str> = line.splitn(3, " | ").collect();
        let [key, states, outcome] = parts[..] else { panic!("not a line of a list: {line}") };
        let outcome = match outcome.strip_prefix("refuted by ") {
            None => Fate::Survives,
            Some(rest) => match rest.split_once(" with ") {
                None => Fate::Refuted { by: rest.into(), client: String::new() },
                Some((by, client)) => Fate::Refuted { by: by.into(), client: client.into() },
            },
        };
        all.push(MutantEntry { key: key.into(), outcome, states: states.parse().unwrap_or(u64::MAX) });
    }
    all
}
