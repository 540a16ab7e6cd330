//! Bytes into lines, with bounds on both.

use std::io::Read;

use crate::build::Problem;

/// Bytes that a line may have.
pub const MAX_LINE: usize = 16 << 20;

/// Bytes that a log may have that must be in memory as a whole, when no limit is given.
const MAX_BYTES: u64 = 8 << 30;

/// Bytes that are read at once.
const BLOCK: usize = 1 << 18;

/// A log of which a part was read.
pub struct Source<R> {
    input: R,
    /// What was read and not yet given out.
    buffer: Vec<u8>,
    /// Number of the line at the start of the buffer.
    line: u32,
    ended: bool,
}

impl<R: Read> Source<R> {
    /// Nothing read yet but what decides the format; a mark of the byte order is skipped.
    pub fn new(input: R) -> Result<Source<R>, Problem> {
        let mut source = Source { input, buffer: Vec::new(), line: 1, ended: false };
        while source.buffer.len() < BLOCK && !source.ended {
            source.fill()?;
        }
        if source.buffer.starts_with(b"\xef\xbb\xbf") {
            source.buffer.drain(..3);
        }
        Ok(source)
    }

    /// Reads one block more.
    fn fill(&mut self) -> Result<(), Problem> {
        let old = self.buffer.len();
        self.buffer.resize(old + BLOCK, 0);
        let read = loop {
            match self.input.read(&mut self.buffer[old..]) {
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) => return Err(Problem::at(0, format!("cannot read the log: {e}"))),
                Ok(n) => break n,
            }
        };
        self.buffer.truncate(old + read);
        self.ended = read == 0;
        Ok(())
    }

    /// The lines that were read, as far as they are whole.
    pub fn begun(&self) -> Result<&str, Problem> {
        let end =
            if self.ended { self.buffer.len() } else { self.whole_lines().unwrap_or(self.buffer.len()) };
        match text(&self.buffer[..end], self.line) {
            // A first line that is longer than what was read may be cut inside a character.
            Err(_) if !self.ended && self.whole_lines().is_none() => Ok(""),
            other => other,
        }
    }

    fn whole_lines(&self) -> Option<usize> {
        memchr::memrchr(b'\n', &self.buffer).map(|i| i + 1)
    }

    /// Calls `each` with every line and its number.
    pub fn each_line(
        mut self,
        mut each: impl FnMut(u32, &str) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        loop {
            let end = if self.ended { Some(self.buffer.len()) } else { self.whole_lines() };
            if let Some(end) = end {
                let block = text(&self.buffer[..end], self.line)?;
                let mut from = 0;
                for to in memchr::memchr_iter(b'\n', block.as_bytes()) {
                    check_length(self.line, to - from)?;
                    each(self.line, &block[from..to])?;
                    self.line = self.line.saturating_add(1);
                    from = to + 1;
                }
                if from < end {
                    check_length(self.line, end - from)?;
                    each(self.line, &block[from..])?;
                }
                if self.ended {
                    return Ok(());
                }
                self.buffer.drain(..end);
            }
            check_length(self.line, self.buffer.len())?;
            self.fill()?;
        }
    }

    /// The whole log. It may be one form on one line; other lines are bounded.
    pub fn whole(mut self, max_bytes: Option<u64>) -> Result<Vec<u8>, Problem> {
        let max = max_bytes.unwrap_or(MAX_BYTES);
        let first = self.buffer.iter().find(|b| !b.is_ascii_whitespace());
        let one_form = matches!(first, Some(b'[' | b'('));
        let (mut line, mut line_start, mut seen) = (self.line, 0, 0);
        loop {
            for end in memchr::memchr_iter(b'\n', &self.buffer[seen..]) {
                line += 1;
                line_start = seen + end + 1;
            }
            seen = self.buffer.len();
            if !one_form {
                check_length(line, seen - line_start)?;
            }
            if seen as u64 > max {
                return Err(Problem::at(0, format!("the log has more than {max} bytes"))
                    .help("raise --memory, or split the log"));
            }
            if self.ended {
                return Ok(self.buffer);
            }
            self.fill()?;
        }
    }
}

fn check_length(line: u32, length: usize) -> Result<(), Problem> {
    if length <= MAX_LINE {
        return Ok(());
    }
    Err(Problem::at(line, format!("the line has more than {MAX_LINE} bytes"))
        .help("is this a log? one line holds one call or return"))
}

/// The bytes from a line on as text; the error names the line of the first byte that is not UTF-8.
pub fn text(bytes: &[u8], first: u32) -> Result<&str, Problem> {
    std::str::from_utf8(bytes).map_err(|e| {
        let good = e.valid_up_to();
        let line = first + memchr::memchr_iter(b'\n', &bytes[..good]).count() as u32;
        Problem::at(line, "the line is not valid UTF-8")
    })
}

/// The lines with their numbers from 1.
pub fn lines(text: &str) -> impl Iterator<Item = (u32, &str)> {
    text.split('\n').enumerate().map(|(i, l)| (i as u32 + 1, l))
}
