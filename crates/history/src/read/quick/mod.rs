//! Quick readers of the lines that most logs consist of.
//!
//! Each has the full reader of its format as its twin: what it accepts means the same there, and everything
//! else, mistakes included, is left to that reader. They borrow from the text and keep nothing.

mod cursor;
mod edn;
mod interval;
mod json;
#[cfg(test)]
mod tests;
mod text;

use super::Entry;
use crate::build::{Builder, Problem};
use crate::datum::Datum;
use crate::read::edn::read_all;
use crate::value::{Value, Values};
pub use edn::EdnOperation;
pub use interval::{fastlin, fptlin};
pub use json::entry as json;
pub use text::{etcd, jepsen_text};

/// A datum as a line gives it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Given<'t> {
    /// Nothing.
    Nil,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A string without escapes.
    Text(&'t str),
    /// A name.
    Word(&'t str),
    /// A list in EDN of the former.
    List(&'t str),
}

impl Given<'_> {
    /// The datum.
    pub fn datum(self) -> Datum {
        match self {
            Given::Nil => Datum::Nil,
            Given::Bool(b) => Datum::Bool(b),
            Given::Int(i) => Datum::Int(i),
            Given::Text(s) => Datum::text(s),
            Given::Word(s) => Datum::word(s),
            Given::List(text) => list(text),
        }
    }

    #[inline]
    fn number(self, values: &mut Values) -> Value {
        match self {
            Given::Nil => Value::NIL,
            Given::Bool(b) => values.number(Datum::Bool(b)),
            Given::Int(i) => values.number(Datum::Int(i)),
            Given::Text(s) => values.text(s),
            Given::Word(s) => values.word(s),
            Given::List(text) => values.number(list(text)),
        }
    }
}

fn list(text: &str) -> Datum {
    read_all(text).ok().and_then(|mut forms| forms.pop()).expect("a list of plain data is one form")
}

/// How a line changes the operation of its process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// It is called.
    Call,
    /// It returns.
    Return,
    /// It certainly did not happen.
    Fail,
    /// Nobody knows whether it happened.
    Unknown,
}

/// An [`Entry`] that borrows what it can; notes and specifications are never read quickly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quick<'t> {
    /// [`Entry::Call`].
    Call { process: i64, name: &'t str, key: Option<Given<'t>>, input: Given<'t> },
    /// [`Entry::Return`].
    Return { process: i64, output: Option<Given<'t>> },
    /// [`Entry::Fail`].
    Fail { process: i64 },
    /// [`Entry::Unknown`].
    Unknown { process: i64 },
}

impl<'t> Quick<'t> {
    /// What a kind of entry means; name and key are those of a call.
    #[inline]
    fn new(
        process: i64,
        kind: LineKind,
        name: &'t str,
        key: Option<Given<'t>>,
        value: Given<'t>,
    ) -> Quick<'t> {
        match kind {
            LineKind::Call => Quick::Call { process, name, key, input: value },
            LineKind::Return => Quick::Return { process, output: Some(value) },
            LineKind::Fail => Quick::Fail { process },
            LineKind::Unknown => Quick::Unknown { process },
        }
    }

    /// The entry.
    pub fn entry(self) -> Entry<'t> {
        match self {
            Quick::Call { process, name, key, input } => {
                Entry::Call { process, name: name.into(), key: key.map(Given::datum), input: input.datum() }
            }
            Quick::Return { process, output } => Entry::Return { process, output: output.map(Given::datum) },
            Quick::Fail { process } => Entry::Fail { process },
            Quick::Unknown { process } => Entry::Unknown { process },
        }
    }

    /// Applies it to a history under construction.
    #[inline]
    pub fn apply(self, builder: &mut Builder, line: u32) -> Result<(), Problem> {
        match self {
            Quick::Call { process, name, key, input } => {
                let key = key.map_or(Value::NONE, |k| k.number(builder.values()));
                let input = input.number(builder.values());
                builder.begin(line, process, name, key, input)?;
            }
            Quick::Return { process, output } => {
                let output = output.map_or(Value::NONE, |d| d.number(builder.values()));
                builder.end(line, process, output)?;
            }
            Quick::Fail { process } => drop(builder.fail(line, process)?),
            Quick::Unknown { process } => drop(builder.unknown(line, process)?),
        }
        Ok(())
    }
}
