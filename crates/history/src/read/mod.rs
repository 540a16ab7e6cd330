//! Logs into histories: one file per notation, one way to recognise them.
//!
//! Every reader turns its text into [`Entry`]s or intervals; [`crate::build`] pairs them. All errors
//! carry the number of the line.

mod edn;
mod etcd;
mod interval;
mod jepsen;
mod json;
mod kv;
mod recognise;
mod source;
mod violin;

use std::fmt;
use std::io::Read;

pub use crate::build::Problem;
use crate::build::{Builder, from_intervals};
use crate::datum::Datum;
use crate::history::History;
pub use edn::read_all as read_edn;
pub use recognise::recognise;
pub use source::MAX_LINE;

/// A notation of recorded histories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Our JSON lines.
    Json,
    /// Jepsen's `history.edn`.
    JepsenEdn,
    /// Jepsen's `history.txt`.
    JepsenText,
    /// The etcd logs of Porcupine's test data.
    Etcd,
    /// The key-value logs of Porcupine's test data.
    Kv,
    /// `method value start end`, with a header naming the object (fastlin, PolyLin).
    Fastlin,
    /// `process start end METHOD value` (fptlin).
    Fptlin,
    /// `[process] call add(1)` and `[process] return` (LiMo, Violin).
    Violin,
}

impl Format {
    /// Every format, in the order of the documentation.
    pub const ALL: [Format; 8] = [
        Format::Json,
        Format::JepsenEdn,
        Format::JepsenText,
        Format::Etcd,
        Format::Kv,
        Format::Fastlin,
        Format::Fptlin,
        Format::Violin,
    ];

    /// The name by which it is chosen on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Json => "json",
            Format::JepsenEdn => "jepsen",
            Format::JepsenText => "jepsen-text",
            Format::Etcd => "etcd",
            Format::Kv => "kv",
            Format::Fastlin => "fastlin",
            Format::Fptlin => "fptlin",
            Format::Violin => "violin",
        }
    }

    /// The format of this name.
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|f| f.name() == name)
    }

    /// Whether it can be read while it grows: calls and returns in their order, line by line.
    pub fn streams(self) -> bool {
        !matches!(self, Format::Fastlin | Format::Fptlin)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How a log is to be read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The format, where it is given and not recognised.
    pub format: Option<Format>,
    /// Values are `[key value]` pairs of independent objects (Jepsen's `independent`).
    pub independent: bool,
    /// Bytes that the log may have.
    pub max_bytes: Option<u64>,
}

/// A log that was read.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The history.
    pub history: History,
    /// Its format.
    pub format: Format,
    /// The specification that the log names, if it names one.
    pub spec: Option<String>,
    /// What the reader decided that a user should know.
    pub remarks: Vec<String>,
}

/// One line of a log of calls and returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A process calls an operation.
    Call {
        /// Who.
        process: i64,
        /// What.
        name: String,
        /// Of which object.
        key: Option<Datum>,
        /// With which argument.
        input: Datum,
    },
    /// Its open operation returns.
    Return {
        /// Who.
        process: i64,
        /// The result, where it is known.
        output: Option<Datum>,
    },
    /// Its open operation certainly did not happen.
    Fail {
        /// Who.
        process: i64,
    },
    /// Nobody knows whether its open operation happened.
    Unknown {
        /// Who.
        process: i64,
    },
    /// No operation.
    Note(String),
    /// The name of the specification.
    Spec(String),
}

/// Reads a log that is in memory.
pub fn read_bytes(bytes: &[u8], options: &Options) -> Result<Reading, Problem> {
    let text = source::text(bytes)?;
    let format = match options.format {
        Some(f) => f,
        None => recognise(text)?,
    };
    let mut remarks = Vec::new();
    if format == Format::Etcd && options.format.is_none() {
        remarks.push(
            "read as an etcd log, in which a failed cas says that the value differed; \
             with --format jepsen-text it would say only that nothing happened"
                .to_string(),
        );
    }
    let mut spec = None;
    let history = match format {
        Format::Fastlin => {
            let (intervals, object) = interval::fastlin(text)?;
            spec = Some(object);
            from_intervals(intervals)?
        }
        Format::Fptlin => from_intervals(interval::fptlin(text)?)?,
        Format::JepsenEdn => {
            let mut builder = Builder::new();
            edn::each_form(text, |line, datum| {
                jepsen::entries(line, &datum, options.independent, &mut |line, entry| {
                    apply(&mut builder, line, entry)
                })
            })?;
            builder.finish()
        }
        _ => {
            let mut builder = Builder::new();
            let mut parser = LineParser::new(format, options.independent);
            for (line, text) in source::lines(text) {
                if let Some(entry) = parser.entry(line, text)? {
                    match entry {
                        Entry::Spec(s) => spec = Some(s),
                        e => apply(&mut builder, line, e)?,
                    }
                }
            }
            builder.finish()
        }
    };
    Ok(Reading { history, format, spec, remarks })
}

/// Reads a log from a file or pipe to its end.
pub fn read(input: impl Read, options: &Options) -> Result<Reading, Problem> {
    read_bytes(&source::slurp(input, options.max_bytes)?, options)
}

/// Applies one entry to a history under construction.
pub fn apply(builder: &mut Builder, line: u32, entry: Entry) -> Result<(), Problem> {
    match entry {
        Entry::Call { process, name, key, input } => {
            builder.call(line, process, &name, key, input)?;
        }
        Entry::Return { process, output } => {
            builder.ret(line, process, output)?;
        }
        Entry::Fail { process } => {
            builder.fail(line, process)?;
        }
        Entry::Unknown { process } => {
            builder.unknown(line, process)?;
        }
        Entry::Note(text) => builder.note(text),
        Entry::Spec(_) => {}
    }
    Ok(())
}

/// Reads a format of calls and returns line by line.
#[derive(Clone, Debug)]
pub struct LineParser {
    format: Format,
    independent: bool,
}

impl LineParser {
    /// A parser for a format that [streams](Format::streams).
    pub fn new(format: Format, independent: bool) -> LineParser {
        LineParser { format, independent }
    }

    /// The entry on a line; nothing for blank lines and comments.
    pub fn entry(&mut self, line: u32, text: &str) -> Result<Option<Entry>, Problem> {
        let text = text.trim_end_matches('\r');
        if text.trim().is_empty() {
            return Ok(None);
        }
        match self.format {
            Format::Json => json::entry(line, text),
            Format::JepsenText => jepsen::text_entry(line, text, self.independent),
            Format::Etcd => etcd::entry(line, text),
            Format::Kv => kv::entry(line, text),
            Format::Violin => violin::entry(line, text),
            Format::JepsenEdn => {
                let mut found = None;
                let independent = self.independent;
                edn::each_form(text, |_, datum| {
                    jepsen::entries(line, &datum, independent, &mut |_, e| {
                        found = Some(e);
                        Ok(())
                    })
                })
                .map_err(|p| Problem { line, ..p })?;
                Ok(found)
            }
            Format::Fastlin | Format::Fptlin => {
                Err(Problem::at(line, format!("a {} log cannot be read while it grows", self.format)))
            }
        }
    }
}
