//! Histories into logs.
//!
//! JSON lines and Jepsen's EDN keep everything but the line numbers; the others say what they cannot express.

use std::io::{self, Write};

use crate::datum::Datum;
use crate::history::{History, OpId, Operation, Output};
use crate::read::Format;

mod edn;
mod json;
mod lines;

pub use crate::line::{CallWord, EndWord, Line, NoteWord};
pub use edn::edn;
pub use json::json_value;

/// Why a history has no form in a format.
#[derive(Debug)]
pub enum WriteError {
    /// The format cannot express something that is in it.
    Inexpressible(String),
    /// The format is for these objects, and none of them is named.
    Object(&'static str),
    /// The output cannot be written.
    Io(io::Error),
}

impl std::fmt::Display for WriteError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            WriteError::Inexpressible(what) => f.write_str(what),
            WriteError::Object(known) => write!(f, "the format is for {known}"),
            WriteError::Io(e) => write!(f, "cannot write: {e}"),
        }
    }
}

impl std::error::Error for WriteError {}

impl From<io::Error> for WriteError {
    fn from(e: io::Error) -> WriteError {
        WriteError::Io(e)
    }
}

/// An operation with its data.
pub(crate) struct Written<'a> {
    pub op: &'a Operation,
    pub key: Option<Datum>,
    pub input: Datum,
    /// The result, where it is known.
    pub result: Option<Datum>,
}

impl<'a> Written<'a> {
    pub fn new(history: &'a History, id: OpId) -> Written<'a> {
        let result = match history.output(id) {
            Output::Known(d) => Some(d),
            Output::Lost | Output::Pending => None,
        };
        Written { op: history.op(id), key: history.key(id), input: history.input(id), result }
    }
}

/// A call or a return.
pub(crate) enum HistoryEvent<'a> {
    Call(Written<'a>),
    Return(Written<'a>),
}

/// The calls and returns in their order.
pub(crate) fn ends(history: &History) -> impl Iterator<Item = HistoryEvent<'_>> {
    let mut out: Vec<(u32, bool, OpId)> = Vec::with_capacity(history.ops.len() * 2);
    for id in history.ids() {
        let op = history.op(id);
        out.push((op.call, false, id));
        if !op.pending() {
            out.push((op.ret, true, id));
        }
    }
    out.sort_unstable();
    out.into_iter().map(|(_, ret, id)| {
        let written = Written::new(history, id);
        if ret { HistoryEvent::Return(written) } else { HistoryEvent::Call(written) }
    })
}

/// Writes a history in a format. `spec` is the name of the object for formats with a header.
pub fn write(
    history: &History,
    format: Format,
    spec: Option<&str>,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    match format {
        Format::Json => json::write(history, spec, out),
        Format::JepsenEdn => edn::write(history, out),
        Format::JepsenText => lines::jepsen_text(history, out),
        Format::Etcd => lines::etcd(history, out),
        Format::Kv => lines::kv(history, out),
        Format::Fastlin => lines::fastlin(history, spec, out),
        Format::Fptlin => lines::fptlin(history, out),
        Format::Violin => lines::violin(history, spec, out),
    }
}
