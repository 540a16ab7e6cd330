//! A counterexample as a reader sees it: rows, memory, reasons. Nothing here needs the model.

use serde::{Deserialize, Serialize};

/// A confirmed failure, told from the beginning.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// What a programmer would see go wrong, in a sentence or two.
    pub summary: String,
    /// The titles of the threads that take part, one column each.
    pub threads: Vec<String>,
    /// The moves, in order.
    pub rows: Vec<Row>,
    /// Why this is a failure.
    pub reasons: Option<Reasons>,
    /// How large it is.
    pub counts: Counts,
    /// Whether no failure of the same property is smaller, in the order of the counts.
    pub minimal: bool,
    /// What is known of smaller failures, where the search for them was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smaller: Option<String>,
    /// The number of the step from which on everything is repeated for ever; none when the execution ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycle: Option<u32>,
}

/// A row of the table: one move, or what it ends in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// The move's number, from 1.
    pub step: u32,
    /// The column of its thread, from 0.
    pub column: u32,
    /// The operation that the thread is in, such as `enq(1)`.
    pub operation: String,
    /// What it does.
    pub what: What,
    /// What it assigned or found out, such as `t=n1` or `true`.
    pub notes: Vec<String>,
    /// Shared memory afterwards, where it changed; in the first row as it is at the beginning.
    pub memory: Vec<String>,
    /// Whether the row can be left out of the story: it changes nothing, and reads nothing that others write
    /// while its operation runs.
    pub quiet: bool,
}

/// What a row shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// An operation is called.
    Call(String),
    /// A statement is executed.
    Statement {
        /// Its line; 0 where the source says nothing of it.
        line: u32,
        /// Its text.
        text: String,
    },
    /// An operation returns; the text says what.
    Return(String),
    /// Something goes wrong, as a predicate: `follows a null reference`.
    Fault(String),
}

/// Why the execution is a failure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reasons {
    /// The heading, such as `Why no order explains it`.
    pub title: String,
    /// What holds for all of the following; may be empty.
    pub context: String,
    /// The reasons, each on a line.
    pub lines: Vec<Reason>,
}

/// One reason.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// What is tried, such as an order of the operations; may be empty.
    pub case: String,
    /// What refutes it.
    pub refuted: String,
}

/// The size of a counterexample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Counts {
    /// Threads that move.
    pub threads: u32,
    /// Calls.
    pub operations: u32,
    /// Moves by another thread than the move before.
    pub switches: u32,
    /// Moves.
    pub steps: u32,
}
