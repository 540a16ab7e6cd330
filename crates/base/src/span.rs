//! Places in source texts.

use serde::{Deserialize, Serialize};

/// Which text a span is about. Whoever reads several texts numbers them; 0 is the file itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SourceId(pub u16);

impl SourceId {
    /// Whether it is the file itself.
    pub fn is_file(&self) -> bool {
        self.0 == 0
    }
}

/// A half-open range of byte offsets in one source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// The text.
    #[serde(default, skip_serializing_if = "SourceId::is_file")]
    pub source: SourceId,
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes of the file from `start` up to `end`.
    pub fn new(start: usize, end: usize) -> Span {
        Span { source: SourceId::default(), start: start as u32, end: end as u32 }
    }

    /// The same bytes of another text.
    pub fn of(self, source: SourceId) -> Span {
        Span { source, ..self }
    }

    /// The smallest span that covers both, which are about one text.
    pub fn to(self, other: Span) -> Span {
        Span { source: self.source, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// Whether the other span stands inside this one, in the same text.
    pub fn covers(self, other: Span) -> bool {
        self.source == other.source && self.start <= other.start && other.end <= self.end
    }

    /// The text below the span; empty when the span does not fit the text.
    pub fn text(self, source: &str) -> &str {
        source.get(self.start as usize..self.end as usize).unwrap_or("")
    }

    /// Line and column of the start, both counted from 1, columns in characters.
    pub fn line_column(self, source: &str) -> (u32, u32) {
        let before = &source.as_bytes()[..(self.start as usize).min(source.len())];
        let line = before.iter().filter(|&&b| b == b'\n').count() as u32 + 1;
        let from = before.iter().rposition(|&b| b == b'\n').map_or(0, |p| p + 1);
        let column = String::from_utf8_lossy(&before[from..]).chars().count() as u32 + 1;
        (line, column)
    }
}
