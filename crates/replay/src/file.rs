//! Trace files: a failure that can be shown again.

use serde::{Deserialize, Serialize};
use trueline_base::Violation;
use trueline_base::trace::Trace;
use trueline_lang::ir::{Action, Choice, Move, Schedule};

/// The version that this crate writes.
const VERSION: u32 = 2;

/// A failure in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceFile {
    /// The version of the format.
    pub version: u32,
    /// The model's file.
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
    /// The execution.
    schedule: Moves,
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

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Moves {
    init: Vec<Decision>,
    moves: Vec<Taken>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Taken {
    /// From 1, as in the report.
    thread: u16,
    #[serde(flatten)]
    act: Act,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Act {
    Call(u16),
    Step(Vec<Decision>),
    Return(bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Decision {
    Value(i32),
    Branch(u16),
    Address(u32),
}

impl From<&Choice> for Decision {
    fn from(choice: &Choice) -> Decision {
        match *choice {
            Choice::Value(v) => Decision::Value(v),
            Choice::Branch(b) => Decision::Branch(b),
            Choice::Address(a) => Decision::Address(a),
        }
    }
}

impl From<&Decision> for Choice {
    fn from(decision: &Decision) -> Choice {
        match *decision {
            Decision::Value(v) => Choice::Value(v),
            Decision::Branch(b) => Choice::Branch(b),
            Decision::Address(a) => Choice::Address(a),
        }
    }
}

impl TraceFile {
    /// A file for a failure of this model; the remaining fields are empty.
    pub fn new(
        model: &str,
        text: &str,
        schedule: &Schedule,
        violation: Violation,
        story: Trace,
    ) -> TraceFile {
        let act = |action: &Action| match action {
            Action::Call(n) => Act::Call(*n),
            Action::Step(choices) => Act::Step(choices.iter().map(Decision::from).collect()),
            Action::Return => Act::Return(true),
        };
        let taken = |m: &Move| Taken { thread: u16::from(m.thread) + 1, act: act(&m.action) };
        TraceFile {
            version: VERSION,
            model: model.into(),
            model_hash: hash(text),
            object: String::new(),
            line: 0,
            property: String::new(),
            violation,
            overrides: Vec::new(),
            schedule: Moves {
                init: schedule.init.iter().map(Decision::from).collect(),
                moves: schedule.moves.iter().map(taken).collect(),
            },
            story,
        }
    }

    /// The execution.
    pub fn schedule(&self) -> Schedule {
        let action = |act: &Act| match act {
            Act::Call(n) => Action::Call(*n),
            Act::Step(choices) => Action::Step(choices.iter().map(Choice::from).collect()),
            Act::Return(_) => Action::Return,
        };
        let moved =
            |t: &Taken| Move { thread: t.thread.saturating_sub(1).min(255) as u8, action: action(&t.act) };
        Schedule {
            init: self.schedule.init.iter().map(Choice::from).collect(),
            moves: self.schedule.moves.iter().map(moved).collect(),
        }
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
