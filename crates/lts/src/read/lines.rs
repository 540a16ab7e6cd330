//! Lines of a stream of bytes, without a copy where the buffer holds them whole.

use super::error::{LONGEST_LABEL, ReadError, ReadFault};
use std::io::Read;
use std::ops::Range;
use wide::u8x16;

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
    plenty: bool,
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
    /// The lines without their ends, with their numbers. `ends` gives room for the places where
    /// they end: found together, they keep nobody waiting.
    pub(super) fn lines(self, ends: &'a mut Vec<u32>) -> impl Iterator<Item = (u64, &'a [u8])> {
        find_ends(self.text, ends);
        if !self.text.ends_with(b"\n") {
            ends.push(self.text.len() as u32);
        }
        let mut start = 0;
        let lines = ends.iter().map(move |&end| {
            let line = &self.text[start..end as usize];
            start = end as usize + 1;
            line
        });
        (self.before + 1..).zip(lines)
    }
}

/// The places of all ends of lines, ascending.
fn find_ends(text: &[u8], ends: &mut Vec<u32>) {
    ends.clear();
    let (chunks, rest) = text.as_chunks::<64>();
    let mut at = 0;
    for chunk in chunks {
        let mut found = ends_among(chunk);
        while found != 0 {
            ends.push(at + found.trailing_zeros());
            found &= found - 1;
        }
        at += 64;
    }
    ends.extend((at..).zip(rest).filter(|&(_, &byte)| byte == b'\n').map(|(at, _)| at));
}

/// Which bytes end a line, the first one lowest.
fn ends_among(bytes: &[u8; 64]) -> u64 {
    let (quarters, _) = bytes.as_chunks::<16>();
    quarters.iter().rev().fold(0, |found, &quarter| {
        let hits = u8x16::new(quarter).simd_eq(u8x16::splat(b'\n'));
        found << 16 | u64::from(hits.to_bitmask())
    })
}

/// Whole lines of an input in a buffer of their own.
#[derive(Default)]
pub(super) struct Taken {
    buffer: Vec<u8>,
    lines: Range<usize>,
}

impl Taken {
    pub(super) fn text(&self) -> &[u8] {
        &self.buffer[self.lines.clone()]
    }
}

/// The column at which a line is too long, if it is.
pub(super) fn too_long(length: usize) -> Option<u64> {
    (length > LONGEST_LINE).then_some(LONGEST_LINE as u64 + 1)
}

impl<R: Read> Lines<R> {
    pub(super) fn new(input: R) -> Lines<R> {
        Lines { input, buffer: vec![0; BUFFER], start: 0, end: 0, ended: false, plenty: false, number: 0 }
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
                return Err(ReadError { line: self.number + 1, column, fault: ReadFault::LongLabel });
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
        let text = self.whole_lines()?;
        self.start = text.end;
        let block = Block { text: &self.buffer[text], before: self.number };
        Ok((!block.text.is_empty()).then_some(block))
    }

    /// The same lines to be kept, in a buffer that the one of `other` takes the place of.
    pub(super) fn take_block(&mut self, other: Taken) -> Result<Option<Taken>, ReadError> {
        let lines = self.whole_lines()?;
        if lines.is_empty() {
            return Ok(None);
        }
        let mut buffer = other.buffer;
        let rest = &self.buffer[lines.end..self.end];
        buffer.resize(self.buffer.len(), 0);
        buffer[..rest.len()].copy_from_slice(rest);
        (self.start, self.end) = (0, rest.len());
        Ok(Some(Taken { buffer: std::mem::replace(&mut self.buffer, buffer), lines }))
    }

    /// Where whole lines stand in the buffer, at least one unless the input is at its end.
    fn whole_lines(&mut self) -> Result<Range<usize>, ReadError> {
        loop {
            let rest = &self.buffer[self.start..self.end];
            if let Some(last) = memchr::memrchr(b'\n', rest) {
                return Ok(self.start..self.start + last + 1);
            }
            // What a line too long begins with is enough to say so.
            if self.ended || too_long(rest.len()).is_some() {
                return Ok(self.start..self.end);
            }
            self.fill()?;
        }
    }

    /// Whether the input gave as much as there was room for, as files do: it will not keep us waiting.
    pub(super) fn plenty(&self) -> bool {
        self.plenty
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
        self.plenty = self.end == self.buffer.len();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Random;

    #[test]
    fn lines_of_blocks() {
        for seed in 0..2000 {
            let mut random = Random::new(seed);
            let length = random.below(300) + 1;
            let text: Vec<u8> = (0..length).map(|_| b"ab\n\x8a\x0b\x00"[random.below(6) as usize]).collect();
            let block = Block { text: &text, before: seed };
            let mut ends = vec![7; 3];
            let got: Vec<(u64, &[u8])> = block.lines(&mut ends).collect();
            let whole = text.strip_suffix(b"\n").unwrap_or(&text);
            let want: Vec<(u64, &[u8])> = (seed + 1..).zip(whole.split(|&b| b == b'\n')).collect();
            assert_eq!(got, want, "seed {seed}");
        }
    }
}
