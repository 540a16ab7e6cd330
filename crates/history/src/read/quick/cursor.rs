//! A place in a text, and the small pieces that every quick reader takes from there.
//!
//! A piece that is not as plain as expected is nothing, and the line is left to the full reader.

/// A place in a text.
#[derive(Clone, Copy)]
pub struct Cursor<'t> {
    text: &'t str,
    /// What was not taken yet.
    rest: &'t [u8],
}

/// The bytes at which a plain string ends, or turns out not to be one.
const ENDS: [bool; 256] = {
    let mut ends = [false; 256];
    let mut control = 0;
    while control < 0x20 {
        ends[control] = true;
        control += 1;
    }
    ends[b'"' as usize] = true;
    ends[b'\\' as usize] = true;
    ends
};

impl<'t> Cursor<'t> {
    /// The beginning of a text.
    #[inline]
    pub fn new(text: &'t str) -> Cursor<'t> {
        Cursor { text, rest: text.as_bytes() }
    }

    /// Bytes that were taken.
    #[inline]
    pub fn at(&self) -> usize {
        self.text.len() - self.rest.len()
    }

    /// The text from an earlier place to here; both are at characters.
    #[inline]
    pub fn since(&self, from: usize) -> &'t str {
        &self.text[from..self.at()]
    }

    /// The next byte.
    #[inline]
    pub fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    /// The byte after the next one.
    #[inline]
    pub fn peek_second(&self) -> Option<u8> {
        self.rest.get(1).copied()
    }

    /// Takes one byte.
    #[inline]
    pub fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    /// Takes these bytes, if they come next.
    #[inline]
    pub fn take<const N: usize>(&mut self, expected: &[u8; N]) -> bool {
        match self.rest.strip_prefix(expected) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Takes bytes while they are of a kind.
    #[inline]
    pub fn take_while(&mut self, kind: impl Fn(u8) -> bool) {
        while let Some((_, rest)) = self.rest.split_first().filter(|(b, _)| kind(**b)) {
            self.rest = rest;
        }
    }

    /// Takes blanks; no other white space.
    #[inline]
    pub fn blanks(&mut self) {
        self.take_while(|b| b == b' ');
    }

    /// Takes the end of a line, or is at the end of the text.
    #[inline]
    pub fn line_end(&mut self) -> Option<()> {
        (self.take(b"\n") || self.take(b"\r\n") || self.rest.is_empty()).then_some(())
    }

    /// A string in quotes without escapes and control characters.
    #[inline]
    pub fn string(&mut self) -> Option<&'t str> {
        if !self.take(b"\"") {
            return None;
        }
        let from = self.at();
        self.take_while(|b| !ENDS[b as usize]);
        let text = self.since(from);
        self.take(b"\"").then_some(text)
    }

    /// An integer of at most 18 digits, so that nothing overflows, without needless zeros.
    #[inline]
    pub fn integer(&mut self) -> Option<i64> {
        let negative = self.take(b"-");
        let (first, before) = (self.peek()?, self.rest.len());
        let mut value = 0i64;
        while let Some((digit, rest)) = self.rest.split_first()
            && let digit = digit.wrapping_sub(b'0')
            && digit < 10
        {
            value = value.wrapping_mul(10).wrapping_add(i64::from(digit));
            self.rest = rest;
        }
        let digits = before - self.rest.len();
        let plain = (1..=18).contains(&digits) && (first != b'0' || (digits == 1 && !negative));
        plain.then(|| if negative { -value } else { value })
    }
}
