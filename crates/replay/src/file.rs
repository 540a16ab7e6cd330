//! Trace files: a failure that can be shown again, also after the model was edited.

use crate::confirm::Case;
use crate::follow::{Followed, follow};
use crate::named::{NamedChoice, NamedMove, name_all};
use crate::run::execute_evidence;
use serde::{Deserialize, Serialize};
use trueline_base::Violation;
use trueline_base::trace::Trace;
use trueline_lang::ir::{Evidence, Machine};

/// The version that this crate writes.
const VERSION: u32 = 2;

/// A failure in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceFile {
    /// The version of the format.
    pub version: u32,
    /// The model's file, as seen from the folder of this one.
    pub model: String,
    /// The hash of its text when the failure was found.
    pub model_hash: String,
    /// The object.
    pub object: String,
    /// The line of the property in the model.
    pub line: u32,
    /// The property.
    pub property: String,
    /// What is wrong at the end.
    pub violation: Violation,
    /// What the command line changed, to be applied again.
    pub overrides: Vec<String>,
    /// How `init` was resolved.
    init: Vec<NamedChoice>,
    /// The execution.
    moves: Vec<NamedMove>,
    /// How many of its last moves are repeated for ever.
    #[serde(default)]
    cycle: usize,
    /// The story as it was told.
    pub story: Trace,
}

/// Why a trace file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileError {
    /// It is no trace file.
    Format(String),
    /// It was written by another version.
    Version(u32),
}

impl std::fmt::Display for FileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FileError::Format(why) => write!(f, "this is not a trace file: {why}"),
            FileError::Version(version) => {
                write!(
                    f,
                    "this trace file has version {version} and this program reads version {VERSION}; `trueline check` \
                     writes it anew"
                )
            }
        }
    }
}

impl TraceFile {
    /// A file for a failure that was confirmed; object, line, property and overrides are for the caller to fill in.
    pub fn new(case: &Case<'_>, evidence: &Evidence, story: Trace) -> TraceFile {
        let run = execute_evidence(case.machine, evidence).expect("what was confirmed can be executed");
        TraceFile {
            version: VERSION,
            model: case.source.path.into(),
            model_hash: hash(case.source.text),
            object: String::new(),
            line: 0,
            property: String::new(),
            violation: case.violation,
            overrides: Vec::new(),
            init: evidence.prefix.init.iter().map(NamedChoice::from).collect(),
            moves: name_all(case.machine, case.source.text, &run),
            cycle: evidence.cycle.len(),
            story,
        }
    }

    /// The execution in a machine that was made from this text, or where the two differ.
    pub fn follow(&self, machine: &Machine, text: &str) -> Result<Followed, String> {
        follow(machine, text, &self.init, &self.moves, self.cycle)
    }

    /// Whether the model's text is another than when the failure was found.
    pub fn changed(&self, text: &str) -> bool {
        self.model_hash != hash(text)
    }

    /// As text.
    pub fn write(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a trace is plain data");
        text.push('\n');
        text
    }

    /// From text.
    pub fn read(text: &str) -> Result<TraceFile, FileError> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let format = |e: serde_json::Error| FileError::Format(e.to_string());
        let versioned: Versioned = serde_json::from_str(text).map_err(format)?;
        if versioned.version != VERSION {
            return Err(FileError::Version(versioned.version));
        }
        serde_json::from_str(text).map_err(format)
    }
}

/// A short fingerprint of a text (FNV-1a, 64 bits): it tells an edited model, it does not
/// protect against a forged one.
pub fn hash(text: &str) -> String {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let hash = text.as_bytes().iter().fold(0xcbf2_9ce4_8422_2325, step);
    format!("fnv1a64:{hash:016x}")
}
