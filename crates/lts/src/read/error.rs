//! What can be wrong with a file of transitions.

use trueline_base::Stop;

/// Labels are at most this long, in bytes.
pub(super) const LONGEST_LABEL: usize = 1 << 16;

/// A fault and its place, both counted from 1; the column counts bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// The line.
    pub line: u64,
    /// The byte within the line.
    pub column: u64,
    /// What is wrong there.
    pub fault: ReadFault,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadFault {
    /// The input is empty or does not begin with a header.
    NoHeader,
    /// Something else was expected.
    Expected(&'static str),
    /// A number does not fit.
    NumberTooLarge,
    /// More than the tool can hold.
    TooLarge {
        /// Of what.
        what: &'static str,
    },
    /// The initial state is not one of the states.
    NoInitial {
        /// As announced.
        initial: u32,
        /// As announced.
        states: u32,
    },
    /// Far more states than the transitions can touch.
    TooManyStates {
        /// As announced.
        states: u32,
        /// As announced.
        transitions: u64,
    },
    /// A state that is not one of the states.
    StateOutOfRange {
        /// The state.
        state: u64,
        /// As announced.
        states: u32,
    },
    /// One transition more than announced.
    TooManyTransitions {
        /// As announced.
        announced: u64,
    },
    /// The input ends before the last transition.
    TooFewTransitions {
        /// As announced.
        announced: u64,
        /// As read.
        found: u64,
    },
    /// A label is too long.
    LongLabel,
    /// A label is not UTF-8.
    NotUtf8,
    /// A line of JSON is not what it should be.
    Json(String),
    /// The compressed data end early.
    CutShort,
    /// The operating system says so.
    Io(String),
    /// A limit ended the reading.
    Stopped(Stop),
}

impl ReadError {
    pub(super) fn io(line: u64, column: u64, error: &std::io::Error) -> ReadError {
        let fault = match error.kind() {
            std::io::ErrorKind::UnexpectedEof => ReadFault::CutShort,
            _ => ReadFault::Io(error.to_string()),
        };
        ReadError { line, column, fault }
    }
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.fault)
    }
}

impl std::error::Error for ReadError {}

impl std::fmt::Display for ReadFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ReadFault::NoHeader => {
                f.write_str("there is no header; the first line is `des (initial, transitions, states)`")
            }
            ReadFault::Expected(what) => write!(f, "expected {what}"),
            ReadFault::NumberTooLarge => f.write_str("the number is too large"),
            ReadFault::TooLarge { what } => write!(f, "more {what} than 32 bits can count"),
            ReadFault::NoInitial { initial, states } => {
                write!(f, "the initial state is {initial}, but there are {states} states, counted from 0")
            }
            ReadFault::TooManyStates { states, transitions } => write!(
                f,
                "{states} states are announced, but {transitions} transitions cannot touch nearly as many"
            ),
            ReadFault::StateOutOfRange { state, states } => {
                write!(f, "state {state} is out of range: there are {states} states, counted from 0")
            }
            ReadFault::TooManyTransitions { announced } => {
                write!(f, "the header announces {announced} transitions, and here is one more")
            }
            ReadFault::TooFewTransitions { announced, found } => {
                write!(f, "the header announces {announced} transitions, but the input ends after {found}")
            }
            ReadFault::LongLabel => write!(f, "the label is longer than {LONGEST_LABEL} bytes"),
            ReadFault::NotUtf8 => f.write_str("the label is not UTF-8"),
            ReadFault::Json(why) => f.write_str(why),
            ReadFault::CutShort => f.write_str("the compressed data end here, cut short"),
            ReadFault::Io(why) => f.write_str(why),
            ReadFault::Stopped(stop) => write!(f, "reading was given up: {stop}"),
        }
    }
}
