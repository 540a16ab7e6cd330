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
            if let Some(at) = memchr::memchr(b'\n', &rest[searched..]) {
                break searched + at;
            }
            searched = rest.len();
            if searched > LONGEST_LINE {
                let (line, column) = (self.number + 1, searched as u64);
                return Err(ReadError { line, column, fault: Fault::LongLabel });
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
        let read = read.map_err(|e| ReadError::io(self.number + 1, self.end as u64 + 1, &e))?;
        self.end += read;
        self.ended = read == 0;
        Ok(())
    }
}
