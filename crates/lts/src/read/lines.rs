//! Lines of a stream of bytes, without a copy where the buffer holds them whole.

use super::error::{Fault, LONGEST_LABEL, ReadError};
use std::io::Read;

const BUFFER: usize = 1 << 18;
/// A label, two numbers and what stands between them; JSON may escape every byte of a label.
const LONGEST_LINE: usize = 6 * LONGEST_LABEL + 256;

/// The lines of an input.
pub(super) struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    ended: bool,
    number: u64,
}

/// Whole lines of an input.
#[derive(Clone, Copy)]
pub(super) struct Block<'a> {
    /// The lines with their ends; the last line of the input may lack it.
    pub(super) text: &'a [u8],
    /// How many lines stand before them.
    pub(super) before: u64,
}

impl<'a> Block<'a> {
    /// The lines without their ends, with their numbers.
    pub(super) fn lines(self) -> impl Iterator<Item = (u64, &'a [u8])> {
        let mut rest = Some(self.text.strip_suffix(b"\n").unwrap_or(self.text));
        let lines = std::iter::from_fn(move || {
            let text = rest?;
            let end = memchr::memchr(b'\n', text);
            rest = end.map(|end| &text[end + 1..]);
            Some(&text[..end.unwrap_or(text.len())])
        });
        (self.before + 1..).zip(lines)
    }
}

/// The column at which a line is too long, if it is.
pub(super) fn too_long(length: usize) -> Option<u64> {
    (length > LONGEST_LINE).then_some(LONGEST_LINE as u64 + 1)
}

impl<R: Read> Lines<R> {
    pub(super) fn new(input: R) -> Lines<R> {
        Lines { input, buffer: vec![0; BUFFER], start: 0, end: 0, ended: false, number: 0 }
    }

    /// The number of the line read last, from 1; 1 before any.
    pub(super) fn number(&self) -> u64 {
        self.number.max(1)
    }

    /// The first byte that is not blank, without consuming it.
    pub(super) fn first_byte(&mut self) -> Result<Option<u8>, ReadError> {
        loop {
            let rest = &self.buffer[self.start..self.end];
            if let Some(&byte) = rest.iter().find(|b| !b.is_ascii_whitespace()) {
                return Ok(Some(byte));
            }
            if self.ended || self.end - self.start >= LONGEST_LINE {
                return Ok(None);
            }
            self.fill()?;
        }
    }

    /// The next line without its end; `None` after the last.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, ReadError> {
        let mut searched = 0;
        let length = loop {
            let rest = &self.buffer[self.start..self.end];
            let end = memchr::memchr(b'\n', &rest[searched..]).map(|at| searched + at);
            searched = end.unwrap_or(rest.len());
            if let Some(column) = too_long(searched) {
                return Err(ReadError { line: self.number + 1, column, fault: Fault::LongLabel });
            }
            if let Some(end) = end {
                break end;
            }
            if self.ended {
                if searched == 0 {
                    return Ok(None);
                }
                break searched;
            }
            self.fill()?;
        };
        self.number += 1;
        let from = self.start;
        self.start = (from + length + 1).min(self.end);
        let line = &self.buffer[from..from + length];
        Ok(Some(line.strip_suffix(b"\r").unwrap_or(line)))
    }

    /// Some lines at once, which are still to be counted; `None` after the last.
    pub(super) fn block(&mut self) -> Result<Option<Block<'_>>, ReadError> {
        let length = loop {
            let rest = &self.buffer[self.start..self.end];
            if let Some(last) = memchr::memrchr(b'\n', rest) {
                break last + 1;
            }
            // What a line too long begins with is enough to say so.
            if self.ended || too_long(rest.len()).is_some() {
                break rest.len();
            }
            self.fill()?;
        };
        if length == 0 {
            return Ok(None);
        }
        let text = &self.buffer[self.start..self.start + length];
        self.start += length;
        Ok(Some(Block { text, before: self.number }))
    }

    /// So many more lines were read.
    pub(super) fn count(&mut self, lines: u64) {
        self.number += lines;
    }

    fn fill(&mut self) -> Result<(), ReadError> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.end == self.buffer.len() {
            self.buffer.resize(self.end * 2, 0);
        }
        let read = loop {
            match self.input.read(&mut self.buffer[self.end..]) {
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        let read = read.map_err(|e| {
            let rest = &self.buffer[..self.end];
            let before = memchr::memchr_iter(b'\n', rest).count() as u64;
            let begun = memchr::memrchr(b'\n', rest).map_or(rest.len(), |at| rest.len() - at - 1);
            ReadError::io(self.number + before + 1, begun as u64 + 1, &e)
        })?;
        self.end += read;
        self.ended = read == 0;
        Ok(())
    }
}
