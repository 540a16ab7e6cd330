//! The Aldebaran format: `des (initial, transitions, states)`, then one `(from, label, to)` per
//! line, the label with or without quotation marks.
//!
//! The label stands between the first and the last comma of the line, so `put(1,2)` needs no
//! quotation marks; one pair of them around it is dropped. Empty lines are skipped.

use super::error::{LONGEST_LABEL, ReadError, ReadFault};
use super::lines::Lines;
use super::scan::Scanner;
use super::{Collector, Header, Options, threads};
use crate::system::{Lts, StateId};
use std::io::Read;
use trueline_base::{Meter, Observer};

pub(super) fn read<R: Read>(
    lines: &mut Lines<R>,
    options: &Options,
    jobs: usize,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Lts, ReadError> {
    let header = loop {
        match lines.next()? {
            None => return Err(ReadError { line: lines.number(), column: 1, fault: ReadFault::NoHeader }),
            Some(line) if line.trim_ascii().is_empty() => {}
            Some(line) => {
                let mut cursor = Cursor { line, at: 0 };
                break cursor.header().map_err(|fault| (cursor.column(), fault));
            }
        }
    };
    let at = |line: u64| move |(column, fault)| ReadError { line, column, fault };
    let header = header.map_err(at(lines.number()))?;
    let collector = Collector::new(header, options, meter, observer);
    let mut collector = collector.map_err(|fault| at(lines.number())((6, fault)))?;
    if jobs > 1 {
        threads::scan(lines, &mut collector, jobs - 1)?;
    } else {
        let mut scanner = Scanner::new(header);
        while let Some(block) = lines.block()? {
            let read = scanner.scan(block, &mut collector)?;
            lines.count(read);
        }
    }
    let end = (lines.number() + 1, 1);
    collector.finish().map_err(|fault| ReadError { line: end.0, column: end.1, fault })
}

/// Reads a line with a transition: where it starts, the name of its label, where it ends; else the
/// column and what is wrong there.
pub(super) fn transition<'a>(
    line: &'a [u8],
    header: &Header,
) -> Result<(StateId, &'a str, StateId), (u64, ReadFault)> {
    let mut cursor = Cursor { line, at: 0 };
    cursor.transition(header).map_err(|fault| (cursor.column(), fault))
}

/// A place in a line.
struct Cursor<'a> {
    line: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn column(&self) -> u64 {
        self.at as u64 + 1
    }

    fn skip_blanks(&mut self) {
        while matches!(self.line.get(self.at), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    fn expect(&mut self, byte: u8, what: &'static str) -> Result<(), ReadFault> {
        self.skip_blanks();
        if self.line.get(self.at) != Some(&byte) {
            return Err(ReadFault::Expected(what));
        }
        self.at += 1;
        Ok(())
    }

    /// A decimal number; afterwards the cursor stands behind it.
    fn number(&mut self, what: &'static str) -> Result<u64, ReadFault> {
        self.skip_blanks();
        let from = self.at;
        let mut value = 0u64;
        while let Some(digit) = self.line.get(self.at).filter(|b| b.is_ascii_digit()) {
            let next = value.checked_mul(10).and_then(|v| v.checked_add(u64::from(digit - b'0')));
            let Some(next) = next else {
                self.at = from;
                return Err(ReadFault::NumberTooLarge);
            };
            value = next;
            self.at += 1;
        }
        if self.at == from { Err(ReadFault::Expected(what)) } else { Ok(value) }
    }

    fn number32(&mut self, what: &'static str) -> Result<u32, ReadFault> {
        self.skip_blanks();
        let from = self.at;
        let value = self.number(what)?;
        u32::try_from(value).map_err(|_| {
            self.at = from;
            ReadFault::NumberTooLarge
        })
    }

    fn end(&mut self) -> Result<(), ReadFault> {
        self.skip_blanks();
        if self.at == self.line.len() { Ok(()) } else { Err(ReadFault::Expected("the end of the line")) }
    }

    fn header(&mut self) -> Result<Header, ReadFault> {
        self.skip_blanks();
        if !self.line[self.at..].starts_with(b"des") {
            return Err(ReadFault::NoHeader);
        }
        self.at += 3;
        self.expect(b'(', "`(` after `des`")?;
        let initial = self.number32("the initial state")?;
        self.expect(b',', "`,` after the initial state")?;
        let transitions = self.number("the number of transitions")?;
        self.expect(b',', "`,` after the number of transitions")?;
        let states = self.number32("the number of states")?;
        self.expect(b')', "`)` after the number of states")?;
        self.end()?;
        Ok(Header { initial, transitions, states })
    }

    fn state(&mut self, what: &'static str, header: &Header) -> Result<StateId, ReadFault> {
        self.skip_blanks();
        let from = self.at;
        let number = self.number(what)?;
        header.check_state(number).inspect_err(|_| self.at = from)
    }

    fn transition(&mut self, header: &Header) -> Result<(StateId, &'a str, StateId), ReadFault> {
        self.expect(b'(', "`(` before a transition")?;
        let source = self.state("the state where the transition starts", header)?;
        self.expect(b',', "`,` after the state")?;
        self.skip_blanks();
        let from = self.at;
        let Some(length) = memchr::memrchr(b',', &self.line[from..]) else {
            return Err(ReadFault::Expected("a label, `,` and a state"));
        };
        let label = unquote(self.line[from..from + length].trim_ascii());
        if label.len() > LONGEST_LABEL {
            return Err(ReadFault::LongLabel);
        }
        if length == 0 {
            return Err(ReadFault::Expected("a label"));
        }
        let Ok(name) = std::str::from_utf8(label) else { return Err(ReadFault::NotUtf8) };
        self.at = from + length + 1;
        let target = self.state("the state where the transition ends", header)?;
        self.expect(b')', "`)` after the transition")?;
        self.end()?;
        Ok((source, name, target))
    }
}

fn unquote(label: &[u8]) -> &[u8] {
    label.strip_prefix(b"\"").and_then(|l| l.strip_suffix(b"\"")).unwrap_or(label)
}
