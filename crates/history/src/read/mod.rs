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
mod quick;
mod recognise;
mod records;
mod source;
mod violin;

use std::borrow::Cow;
use std::fmt;
use std::io::Read;

use crate::build::Builder;
pub use crate::build::{Problem, Setting};
use crate::datum::Datum;
use crate::history::History;
use crate::intervals::Intervals;
pub(crate) use interval::operation;
use quick::{EdnOperation, Quick};
pub use recognise::recognise;
pub use records::Records;
use records::TextRecords;
pub use source::MAX_LINE;
use source::{BLOCK, LogSource, first_line};

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

    /// The specification that every log of this format is about.
    pub fn spec(self) -> Option<&'static str> {
        match self {
            Format::Etcd => Some("cas-register"),
            Format::Kv => Some("kv"),
            _ => None,
        }
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
    /// Bytes that the history, and a log that must be in memory as a whole, may have.
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
pub enum Entry<'a> {
    /// A process calls an operation.
    Call {
        /// Who.
        process: i64,
        /// What.
        name: Cow<'a, str>,
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

impl Entry<'_> {
    /// The same without the line that it was read from.
    pub fn into_owned(self) -> Entry<'static> {
        match self {
            Entry::Call { process, name, key, input } => {
                Entry::Call { process, name: Cow::Owned(name.into_owned()), key, input }
            }
            Entry::Return { process, output } => Entry::Return { process, output },
            Entry::Fail { process } => Entry::Fail { process },
            Entry::Unknown { process } => Entry::Unknown { process },
            Entry::Note(text) => Entry::Note(text),
            Entry::Spec(name) => Entry::Spec(name),
        }
    }
}

/// What is said when a log could be old Jepsen text as well.
pub const READ_AS_ETCD: &str = "read as an etcd log, in which a failed cas says that the value differed; \
     as jepsen-text it would say only that nothing happened";

/// Reads a log that is in memory.
pub fn read_bytes(bytes: &[u8], options: &Options) -> Result<Reading, Problem> {
    read(bytes, options)
}

/// Reads a log from a file or pipe to its end, a block at a time. Only a log that is one form of EDN is read into
/// memory first.
pub fn read(input: impl Read, options: &Options) -> Result<Reading, Problem> {
    read_with(input, options, true, BLOCK)
}

/// The same without the quick readers of plain lines, several times slower; their twin in tests.
pub fn read_in_full(input: impl Read, options: &Options) -> Result<Reading, Problem> {
    read_with(input, options, false, BLOCK)
}

fn read_with(input: impl Read, options: &Options, quick: bool, block: usize) -> Result<Reading, Problem> {
    let mut taken_for = None;
    read_as(input, options, quick, block, &mut taken_for).map_err(|problem| {
        match (options.format, taken_for) {
            // Whoever did not choose the format learns which one was taken, and how to take another.
            (None, Some(format)) => told_format(problem, format),
            _ => problem,
        }
    })
}

/// The problem with the format that a log was taken for, and how to choose another.
pub fn told_format(problem: Problem, format: Format) -> Problem {
    problem.setting(Setting::OtherFormat(format.to_string()))
}

fn read_as(
    input: impl Read,
    options: &Options,
    quick: bool,
    block: usize,
    taken_for: &mut Option<Format>,
) -> Result<Reading, Problem> {
    let source = LogSource::new(input, block)?;
    let begun = source.begun()?;
    let format = match options.format {
        Some(format) => format,
        // Whether a log with this prefix is an etcd log is known at its end.
        None if recognise::ambiguous(begun) => {
            let bytes = source.whole(options.max_bytes)?;
            let format = recognise(source::text(&bytes, 1)?)?;
            *taken_for = Some(format);
            let options = Options { format: Some(format), ..*options };
            let mut reading = read_with(&bytes[..], &options, quick, block)?;
            if format == Format::Etcd {
                reading.remarks.push(READ_AS_ETCD.to_string());
            }
            return Ok(reading);
        }
        None => recognise(begun)?,
    };
    *taken_for = Some(format);
    let mut spec = None;
    let history = match format {
        Format::Fastlin | Format::Fptlin => intervals(source, format, options, quick, &mut spec)?,
        Format::JepsenEdn => {
            let mut builder = Builder::new();
            let independent = options.independent;
            let mut forms = |line, text: &str, last: bool| {
                let plain = |text| if quick { EdnOperation::jepsen(text, independent) } else { None };
                edn::each_form_or(line, text, !last, plain, |line, form| {
                    match form {
                        edn::Form::Quick(plain) => plain.apply(&mut builder, line)?,
                        edn::Form::Full(datum) => {
                            jepsen::entries(line, &datum, independent, &mut |line, entry| {
                                apply(&mut builder, line, entry)
                            })?;
                        }
                    }
                    bounded(line, options, || builder.bytes())
                })
            };
            if source.one_form() {
                forms(1, source::text(&source.whole(options.max_bytes)?, 1)?, true)?;
            } else {
                source.each_block(options.max_bytes, forms)?;
            }
            builder.finish()
        }
        Format::Json if recognise::json_array(begun.as_bytes()) => {
            let mut builder = Builder::new();
            let bytes = source.whole(options.max_bytes)?;
            json::each_object(source::text(&bytes, 1)?, |line, text| {
                match json::entry(line, text, options.independent)? {
                    None => {}
                    Some(Entry::Spec(s)) => name_spec(&mut spec, line, s)?,
                    Some(entry) => apply(&mut builder, line, entry)?,
                }
                bounded(line, options, || builder.bytes())
            })?;
            builder.finish()
        }
        Format::JepsenText => jepsen_text(source, options, quick)?,
        _ => {
            let mut builder = Builder::new();
            let mut parser = LineParser::new(format, options.independent);
            source.each_line(|line, rest| {
                let bytes = if quick && let Some((plain, bytes)) = parser.quick(rest) {
                    plain.apply(&mut builder, line)?;
                    bytes
                } else {
                    let (text, bytes) = first_line(line, rest)?;
                    match parser.full(line, text)? {
                        None => {}
                        Some(Entry::Spec(s)) => name_spec(&mut spec, line, s)?,
                        Some(entry) => apply(&mut builder, line, entry)?,
                    }
                    bytes
                };
                bounded(line, options, || builder.bytes())?;
                Ok(bytes)
            })?;
            builder.finish()
        }
    };
    let spec = spec.or_else(|| format.spec().map(str::to_string));
    let remarks = if options.independent { Vec::new() } else { keys_in_values(&history, format) };
    Ok(Reading { history, format, spec, remarks })
}

/// A hint where every argument is a pair, as Jepsen's `independent` writes them.
fn keys_in_values(history: &History, format: Format) -> Vec<String> {
    let pair = |id| history.input(id).as_list().is_some_and(|items| items.len() == 2);
    let jepsen = matches!(format, Format::JepsenEdn | Format::JepsenText | Format::Json);
    if !jepsen || history.ops.len() < 2 || !history.keys.is_empty() || !history.ids().all(pair) {
        return Vec::new();
    }
    // A transaction is a list too, and a log of nothing but compare-and-set has pairs.
    let words =
        |id| history.input(id).as_list().is_some_and(|items| items.iter().any(|d| d.as_list().is_some()));
    if history.names.iter().any(|n| n == "txn") || history.names == ["cas"] || history.ids().any(words) {
        return Vec::new();
    }
    vec![
        "every value is a pair; if it is [key value], these are independent objects and can be told apart"
            .to_string(),
    ]
}

/// Jepsen's `history.txt`, in which the value or the error of a record may go over several lines.
fn jepsen_text(source: LogSource<impl Read>, options: &Options, quick: bool) -> Result<History, Problem> {
    let mut builder = Builder::new();
    let mut parser = LineParser::new(Format::JepsenText, options.independent);
    let mut records = TextRecords::default();
    source.each_line(|line, rest| {
        if records.whole()
            && quick
            && let Some((plain, bytes)) = parser.quick(rest)
        {
            plain.apply(&mut builder, line)?;
            records.passed(first_line(line, rest)?.0);
            bounded(line, options, || builder.bytes())?;
            return Ok(bytes);
        }
        let (text, bytes) = first_line(line, rest)?;
        if let Some((line, entry)) = records.line(&mut parser, line, text)? {
            apply(&mut builder, line, entry)?;
        }
        bounded(line, options, || builder.bytes())?;
        Ok(bytes)
    })?;
    records.finish()?;
    Ok(builder.finish())
}

/// The log names its specification; twice is fine when it is the same.
pub fn name_spec(spec: &mut Option<String>, line: u32, name: String) -> Result<(), Problem> {
    match spec {
        Some(before) if *before != name => Err(Problem::at(
            line,
            format!("the log names the specification {name}, and before that {before}"),
        )),
        _ => {
            *spec = Some(name);
            Ok(())
        }
    }
}

/// A log of intervals.
fn intervals(
    source: LogSource<impl Read>,
    format: Format,
    options: &Options,
    quick: bool,
    spec: &mut Option<String>,
) -> Result<History, Problem> {
    let mut found = Intervals::default();
    source.each_line(|line, rest| {
        let plain = match format {
            _ if !quick => None,
            Format::Fastlin => quick::fastlin(rest),
            _ => quick::fptlin(rest),
        };
        let (words, bytes) = match plain.filter(|(_, bytes)| *bytes <= MAX_LINE) {
            Some((words, bytes)) => (Some(words), bytes),
            None => {
                let (text, bytes) = first_line(line, rest)?;
                let words = match format {
                    Format::Fastlin => interval::fastlin(line, text.trim_ascii(), spec)?,
                    _ => interval::fptlin(line, text.trim_ascii(), spec)?,
                };
                (words, bytes)
            }
        };
        if let Some(words) = words {
            found.push(words.interval(line)?)?;
        }
        bounded(line, options, || found.bytes())?;
        Ok(bytes)
    })?;
    if format == Format::Fastlin && spec.is_none() {
        return Err(interval::headless());
    }
    found.finish()
}

/// Refuses a history that grows too large; looked at now and then.
fn bounded(line: u32, options: &Options, bytes: impl FnOnce() -> u64) -> Result<(), Problem> {
    match options.max_bytes {
        Some(max) if line.is_multiple_of(4096) && bytes() > max => {
            Err(Problem::at(line, format!("the history takes more than {max} bytes"))
                .setting(Setting::Memory))
        }
        _ => Ok(()),
    }
}

/// Applies one entry to a history under construction.
pub fn apply(builder: &mut Builder, line: u32, entry: Entry<'_>) -> Result<(), Problem> {
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
    announced: violin::Announced,
}

impl LineParser {
    /// A parser for a format that [streams](Format::streams).
    pub fn new(format: Format, independent: bool) -> LineParser {
        LineParser { format, independent, announced: violin::Announced::new() }
    }

    /// The entry on the first line of a text with the bytes of that line, if it is a plain one.
    #[inline(always)]
    fn quick<'t>(&self, text: &'t str) -> Option<(Quick<'t>, usize)> {
        let found = match self.format {
            Format::Json => quick::json(text),
            Format::JepsenText => quick::jepsen_text(text, self.independent),
            Format::Etcd => quick::etcd(text),
            Format::Kv => EdnOperation::kv(text),
            _ => None,
        };
        found.filter(|(_, bytes)| *bytes <= MAX_LINE)
    }

    /// The entry on a line; nothing for blank lines and comments.
    pub fn entry<'t>(&mut self, line: u32, text: &'t str) -> Result<Option<Entry<'t>>, Problem> {
        match self.quick(text) {
            Some((quick, bytes)) if bytes == text.len() => Ok(Some(quick.entry())),
            _ => self.full(line, text),
        }
    }

    /// The same by the full reader of the format.
    fn full<'t>(&mut self, line: u32, text: &'t str) -> Result<Option<Entry<'t>>, Problem> {
        let text = text.trim_end_matches('\r');
        if text.trim_ascii_start().is_empty() {
            return Ok(None);
        }
        match self.format {
            Format::Json => json::entry(line, text, self.independent),
            Format::JepsenText => jepsen::text_entry(line, text, self.independent),
            Format::Etcd => etcd::entry(line, text),
            Format::Kv => kv::entry(line, text),
            Format::Violin => violin::entry(line, text, &mut self.announced),
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
