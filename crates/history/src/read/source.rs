//! Bytes into lines, with bounds on both.

use std::io::Read;

use crate::build::{Problem, Setting};

/// Bytes that a line may have.
pub const MAX_LINE: usize = 16 << 20;

/// Bytes that a log may have that must be in memory as a whole, when no limit is given.
const MAX_BYTES: u64 = 8 << 30;

/// Bytes that are read at once.
pub const BLOCK: usize = 1 << 18;

/// A log of which a part was read.
pub struct LogSource<R> {
    input: R,
    /// Bytes that are read at once.
    block: usize,
    /// Room for what is read; what was read and not yet given out is `from..to`.
    buffer: Vec<u8>,
    from: usize,
    to: usize,
    /// Number of the line at `from`.
    line: u32,
    ended: bool,
}

impl<R: Read> LogSource<R> {
    /// Nothing read yet but what decides the format; a mark of the byte order is skipped.
    pub fn new(input: R, block: usize) -> Result<LogSource<R>, Problem> {
        let mut source =
            LogSource { input, block, buffer: Vec::new(), from: 0, to: 0, line: 1, ended: false };
        while source.to < block.max(3) && !source.ended {
            source.fill()?;
        }
        if source.read().starts_with(b"\xef\xbb\xbf") {
            source.from = 3;
        }
        Ok(source)
    }

    /// What was read and not yet given out.
    fn read(&self) -> &[u8] {
        &self.buffer[self.from..self.to]
    }

    /// Reads at most one block more.
    fn fill(&mut self) -> Result<(), Problem> {
        if self.from > 0 {
            self.buffer.copy_within(self.from..self.to, 0);
            (self.from, self.to) = (0, self.to - self.from);
        }
        let end = self.to + self.block;
        if self.buffer.len() < end {
            self.buffer.resize(end, 0);
        }
        let read = loop {
            match self.input.read(&mut self.buffer[self.to..end]) {
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) => return Err(Problem::at(0, format!("cannot read the log: {e}"))),
                Ok(n) => break n,
            }
        };
        self.to += read;
        self.ended = read == 0;
        Ok(())
    }

    /// The lines that were read, as far as they are whole.
    pub fn begun(&self) -> Result<&str, Problem> {
        let lines = self.whole_lines();
        let end = if self.ended { self.read().len() } else { lines.unwrap_or(self.read().len()) };
        match text(&self.read()[..end], self.line) {
            // A first line that is longer than what was read may be cut inside a character.
            Err(_) if !self.ended && lines.is_none() => Ok(""),
            other => other,
        }
    }

    fn whole_lines(&self) -> Option<usize> {
        memchr::memrchr(b'\n', self.read()).map(|i| i + 1)
    }

    /// Calls `each` at the beginning of every line, with its number and the text from there on. It says how many
    /// bytes the line has; [`first_line`] knows.
    pub fn each_line(
        mut self,
        mut each: impl FnMut(u32, &str) -> Result<usize, Problem>,
    ) -> Result<(), Problem> {
        loop {
            let end = if self.ended { Some(self.read().len()) } else { self.whole_lines() };
            if let Some(end) = end {
                let mut block = text(&self.buffer[self.from..self.from + end], self.line)?;
                while !block.is_empty() {
                    let bytes = each(self.line, block)?;
                    block = &block[bytes..];
                    self.line = self.line.saturating_add(1);
                }
                if self.ended {
                    return Ok(());
                }
                self.from += end;
            }
            check_length(self.line, self.read().len())?;
            self.fill()?;
        }
    }

    /// Whether the log begins like one form that holds everything.
    pub fn one_form(&self) -> bool {
        let first = self.read().iter().find(|b| !b.is_ascii_whitespace());
        matches!(first, Some(b'[' | b'('))
    }

    /// Calls `each` with whole lines, the number of the first one, and whether nothing follows. It says how many bytes
    /// it took; what is left comes again, with more behind it.
    pub fn each_block(
        mut self,
        max_bytes: Option<u64>,
        mut each: impl FnMut(u32, &str, bool) -> Result<usize, Problem>,
    ) -> Result<(), Problem> {
        let mut wanted = 0;
        loop {
            let end = if self.ended { Some(self.read().len()) } else { self.whole_lines() };
            if let Some(end) = end.filter(|_| self.ended || self.read().len() >= wanted) {
                let block = text(&self.buffer[self.from..self.from + end], self.line)?;
                check_lines(self.line, block)?;
                let taken = each(self.line, block, self.ended)?;
                self.line += memchr::memchr_iter(b'\n', &block.as_bytes()[..taken]).count() as u32;
                if self.ended {
                    return Ok(());
                }
                self.from += taken;
                // A form that is not whole is read again, each time with twice as much.
                wanted = 2 * self.read().len();
            }
            check_bytes(self.read().len(), max_bytes)?;
            check_length(self.line, self.read().len() - self.whole_lines().unwrap_or(0))?;
            self.fill()?;
        }
    }

    /// The whole log. It may be one form on one line; other lines are bounded.
    pub fn whole(mut self, max_bytes: Option<u64>) -> Result<Vec<u8>, Problem> {
        let one_form = self.one_form();
        let (mut line, mut line_start, mut seen) = (self.line, 0, 0);
        loop {
            for end in memchr::memchr_iter(b'\n', &self.read()[seen..]) {
                line += 1;
                line_start = seen + end + 1;
            }
            seen = self.read().len();
            if !one_form {
                check_length(line, seen - line_start)?;
            }
            check_bytes(seen, max_bytes)?;
            if self.ended {
                self.buffer.truncate(self.to);
                self.buffer.drain(..self.from);
                return Ok(self.buffer);
            }
            self.fill()?;
        }
    }
}

/// The first line of a text, without its end, and the bytes that it has with it.
pub fn first_line(line: u32, text: &str) -> Result<(&str, usize), Problem> {
    let end = memchr::memchr(b'\n', text.as_bytes());
    let length = end.unwrap_or(text.len());
    check_length(line, length)?;
    Ok((&text[..length], length + usize::from(end.is_some())))
}

/// Refuses to hold too much of a log at once.
fn check_bytes(bytes: usize, max: Option<u64>) -> Result<(), Problem> {
    let max = max.unwrap_or(MAX_BYTES);
    if bytes as u64 <= max {
        return Ok(());
    }
    Err(Problem::at(0, format!("the log has more than {max} bytes")).setting(Setting::Memory))
}

/// Refuses long lines, of which a short text has none.
fn check_lines(first: u32, text: &str) -> Result<(), Problem> {
    if text.len() <= MAX_LINE {
        return Ok(());
    }
    (first..).zip(text.split('\n')).try_for_each(|(line, l)| check_length(line, l.len()))
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
