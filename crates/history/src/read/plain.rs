//! A quick reader for lines of JSON that are one flat object of plain fields, as recorders write them.
//!
//! It gives up on anything else: escapes, nesting, fractions, unknown or repeated fields, mistakes. What it
//! accepts, a JSON reader accepts with the same meaning.

use std::borrow::Cow;

use super::json::Line;
use crate::datum::Datum;

/// The fields of a line, if it is that plain.
pub fn line(text: &str) -> Option<Line<'_>> {
    let mut at = Cursor { text, bytes: text.as_bytes(), at: 0 };
    let mut out = Line::default();
    at.expect(b'{')?;
    loop {
        let field = at.string()?;
        at.expect(b':')?;
        match field {
            "process" if out.process.is_none() => out.process = Some(at.integer()?),
            "type" if out.kind.is_none() => out.kind = Some(Cow::Borrowed(at.string()?)),
            "op" if out.op.is_none() => out.op = Some(Cow::Borrowed(at.string()?)),
            "key" if out.key.is_none() => out.key = Some(at.datum().filter(|d| *d != Datum::Nil)?),
            "value" if out.value.is_none() => out.value = Some(at.datum()?),
            _ => return None,
        }
        match at.next()? {
            b',' => {}
            b'}' => break,
            _ => return None,
        }
    }
    (at.at == text.len()).then_some(out)
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

struct Cursor<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// The next byte that is no blank.
    fn next(&mut self) -> Option<u8> {
        loop {
            let b = *self.bytes.get(self.at)?;
            self.at += 1;
            if b != b' ' {
                return Some(b);
            }
        }
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then_some(())
    }

    fn string(&mut self) -> Option<&'a str> {
        self.expect(b'"')?;
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|b| ENDS[*b as usize])?;
        let text = &self.text[self.at..self.at + end];
        self.at += end + 1;
        (rest[end] == b'"').then_some(text)
    }

    fn integer(&mut self) -> Option<i64> {
        let first = self.next()?;
        let negative = first == b'-';
        self.at -= usize::from(!negative);
        let start = self.at;
        let mut value = 0i64;
        while let Some(digit) = self.bytes.get(self.at).filter(|b| b.is_ascii_digit()) {
            value = value.wrapping_mul(10).wrapping_add(i64::from(digit - b'0'));
            self.at += 1;
        }
        let digits = self.at - start;
        // No leading zero, no minus zero, nothing that could overflow.
        let plain = (1..=18).contains(&digits) && (self.bytes[start] != b'0' || (digits == 1 && !negative));
        let ends = matches!(self.bytes.get(self.at), Some(b',' | b'}' | b' '));
        (plain && ends).then_some(if negative { -value } else { value })
    }

    fn word(&mut self, word: &str, datum: Datum) -> Option<Datum> {
        let end = self.at + word.len();
        (self.bytes.get(self.at..end)? == word.as_bytes()).then(|| self.at = end)?;
        Some(datum)
    }

    fn datum(&mut self) -> Option<Datum> {
        let first = self.next()?;
        self.at -= 1;
        match first {
            b'"' => self.string().map(Datum::text),
            b'n' => self.word("null", Datum::Nil),
            b't' => self.word("true", Datum::Bool(true)),
            b'f' => self.word("false", Datum::Bool(false)),
            b'-' | b'0'..=b'9' => self.integer().map(Datum::Int),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random lines made of the pieces that matter: what is read quickly means what it means to the JSON reader.
    #[test]
    fn means_what_json_means() {
        let pieces = [
            "{",
            "}",
            "\"",
            ",",
            ":",
            " ",
            "process",
            "type",
            "op",
            "key",
            "value",
            "\"process\":",
            "\"type\":\"call\"",
            "\"value\":",
            "\"key\":",
            "0",
            "1",
            "-",
            "12",
            "01",
            "999999999999999999",
            "9999999999999999999",
            "null",
            "true",
            "false",
            "1.5",
            "1e3",
            "\\n",
            "\t",
            "é",
            "[",
            "]",
            "\"a\"",
            "\"op\":\"enq\"",
            "spec",
            "-0",
            ",\"",
        ];
        let mut random = crate::generate::Random::new(3);
        let (mut quick, mut wrong) = (0, 0);
        for _ in 0..200_000 {
            let mut text = String::from("{");
            for _ in 0..1 + random.below(7) {
                text.push_str(pieces[random.below(pieces.len())]);
                if random.one_in(3) {
                    text.push_str(["\"", ",", "}"][random.below(3)]);
                }
            }
            text.push('}');
            let slow = serde_json::from_str::<Line<'_>>(&text);
            match (line(&text), slow) {
                (Some(a), Ok(b)) => {
                    quick += 1;
                    assert_eq!(a, b, "{text}");
                }
                (Some(a), Err(e)) => panic!("{text}: {a:?} but {e}"),
                (None, _) => wrong += 1,
            }
        }
        assert!(quick > 500 && wrong > 500, "{quick} {wrong}");
    }
}
