//! A reader for EDN, the notation of Jepsen's histories.
//!
//! It accepts everything of the EDN definition (github.com/edn-format/edn) and bounds the depth of nesting.
//! A tagged form is its form, a set is a sequence in order, a character is a string.

use std::sync::Arc;

use crate::build::Problem;
use crate::datum::Datum;

/// Nesting beyond which a form is refused.
const MAX_DEPTH: u32 = 200;

/// Calls `each` with every top-level form and the line on which it starts.
pub fn each_form(text: &str, mut each: impl FnMut(u32, Datum) -> Result<(), Problem>) -> Result<(), Problem> {
    let mut r = Reader::new(text);
    while r.skip(0)? {
        let line = r.line;
        let d = r.form(0)?;
        each(line, d)?;
    }
    Ok(())
}

/// A top-level form, as it was read.
pub enum Form<Q> {
    /// In the quick way.
    Quick(Q),
    /// In full.
    Full(Datum),
}

/// Like [`each_form`] from a line on, and says how many bytes were taken: with `more` to come, a form that may be cut
/// off is left. Without, the forms inside a sequence at the top are told one by one, each with its own line. `quick` may take a form with which a text begins and that goes over no line end, and says how many
/// bytes it has.
pub fn each_form_or<'t, Q>(
    first: u32,
    text: &'t str,
    more: bool,
    quick: impl Fn(&'t str) -> Option<(Q, usize)>,
    mut each: impl FnMut(u32, Form<Q>) -> Result<(), Problem>,
) -> Result<usize, Problem> {
    let mut r = Reader { line: first, ..Reader::new(text) };
    // How the sequence ends that was entered, and where it began.
    let mut inside: Option<(u8, u32)> = None;
    loop {
        let taken = r.at;
        match r.skip(0) {
            Ok(true) => {}
            Ok(false) if let Some((_, line)) = inside => {
                return Err(Problem::at(line, "the form is not closed"));
            }
            Ok(false) if !(more && r.cut) => return Ok(text.len()),
            Err(problem) if !more => return Err(problem),
            _ => return Ok(taken),
        }
        let line = r.line;
        match (r.peek(), inside) {
            (Some(b @ (b'[' | b'(')), None) if !more => {
                inside = Some((if b == b'[' { b']' } else { b')' }, line));
                r.at += 1;
                continue;
            }
            (Some(b), Some((end, _))) if b == end => {
                inside = None;
                r.at += 1;
                continue;
            }
            _ => {}
        }
        if let Some((q, bytes)) = quick(&text[r.at..]) {
            r.at += bytes;
            each(line, Form::Quick(q))?;
            continue;
        }
        match r.form(0) {
            Err(problem) if !more => return Err(problem),
            Ok(d) if !(more && r.cut) => each(line, Form::Full(d))?,
            _ => return Ok(taken),
        }
    }
}

/// The first form, if there is one; what follows must be forms too.
pub fn first(text: &str) -> Result<Option<Datum>, Problem> {
    let mut first = None;
    each_form(text, |_, d| {
        first.get_or_insert(d);
        Ok(())
    })?;
    Ok(first)
}

/// Every top-level form.
pub fn read_all(text: &str) -> Result<Vec<Datum>, Problem> {
    let mut out = Vec::new();
    each_form(text, |_, d| {
        out.push(d);
        Ok(())
    })?;
    Ok(out)
}

struct Reader<'a> {
    bytes: &'a [u8],
    text: &'a str,
    at: usize,
    line: u32,
    /// Whether a name or number ended because the text did.
    cut: bool,
}

/// Whether a byte ends a name or number.
#[inline]
pub fn delimiter(b: u8) -> bool {
    const DELIMITERS: [bool; 256] = {
        let mut table = [false; 256];
        let bytes = b" \t\n\x0c\r,\";()[]{}";
        let mut i = 0;
        while i < bytes.len() {
            table[bytes[i] as usize] = true;
            i += 1;
        }
        table
    };
    DELIMITERS[b as usize]
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Reader<'a> {
        Reader { bytes: text.as_bytes(), text, at: 0, line: 1, cut: false }
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, Problem> {
        Err(Problem::at(self.line, message))
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Skips blanks, comments and discarded forms; false at the end.
    fn skip(&mut self, depth: u32) -> Result<bool, Problem> {
        while let Some(b) = self.peek() {
            match b {
                b'\n' => {
                    self.line += 1;
                    self.at += 1;
                }
                b',' => self.at += 1,
                b if b.is_ascii_whitespace() => self.at += 1,
                b';' => {
                    while self.peek().is_some_and(|b| b != b'\n') {
                        self.at += 1;
                    }
                }
                b'#' if self.bytes.get(self.at + 1) == Some(&b'_') => {
                    if depth > MAX_DEPTH {
                        return self.error(format!("the form is nested more than {MAX_DEPTH} deep"));
                    }
                    // A chain of discards takes as many forms as it has marks.
                    let mut marks = 0;
                    while self.bytes[self.at..].starts_with(b"#_") {
                        marks += 1;
                        self.at += 2;
                        self.blanks();
                    }
                    for _ in 0..marks {
                        if !self.skip(depth + 1)? {
                            return self.error("`#_` stands before nothing");
                        }
                        self.form(depth + 1)?;
                    }
                }
                _ => return Ok(true),
            }
        }
        Ok(false)
    }

    fn blanks(&mut self) {
        while let Some(b) = self.peek().filter(|b| b.is_ascii_whitespace() || *b == b',') {
            self.line += u32::from(b == b'\n');
            self.at += 1;
        }
    }

    fn form(&mut self, depth: u32) -> Result<Datum, Problem> {
        if depth > MAX_DEPTH {
            return self.error(format!("the form is nested more than {MAX_DEPTH} deep"));
        }
        match self.peek() {
            None => self.error("the form is cut off"),
            Some(b'[') => Ok(Datum::list(self.sequence(b']', depth)?)),
            Some(b'(') => Ok(Datum::list(self.sequence(b')', depth)?)),
            Some(b'{') => self.map(depth),
            Some(b'"') => self.string(),
            Some(b'\\') => self.character(),
            Some(b'#') => self.dispatch(depth),
            Some(c @ (b']' | b')' | b'}')) => self.error(format!("`{}` closes nothing", c as char)),
            Some(_) => self.atom(),
        }
    }

    fn sequence(&mut self, close: u8, depth: u32) -> Result<Vec<Datum>, Problem> {
        let opened = self.line;
        self.at += 1;
        let mut items = Vec::new();
        loop {
            if !self.skip(depth + 1)? {
                return Err(Problem::at(opened, format!("`{}` is missing", close as char)));
            }
            if self.peek() == Some(close) {
                self.at += 1;
                return Ok(items);
            }
            items.push(self.form(depth + 1)?);
        }
    }

    fn map(&mut self, depth: u32) -> Result<Datum, Problem> {
        let items = self.sequence(b'}', depth)?;
        if items.len() % 2 != 0 {
            return self.error("a map has a key without a value");
        }
        let mut entries = Vec::with_capacity(items.len() / 2);
        let mut items = items.into_iter();
        while let (Some(k), Some(v)) = (items.next(), items.next()) {
            entries.push((k, v));
        }
        Ok(Datum::map(entries))
    }

    fn dispatch(&mut self, depth: u32) -> Result<Datum, Problem> {
        match self.bytes.get(self.at + 1) {
            Some(b'{') => {
                self.at += 1;
                let mut items = self.sequence(b'}', depth)?;
                items.sort();
                Ok(Datum::list(items))
            }
            Some(b'#') => {
                let start = self.at;
                self.token();
                Ok(Datum::Number(Arc::new(self.text[start..self.at].to_string())))
            }
            _ => {
                self.at += 1;
                self.token();
                if !self.skip(depth + 1)? {
                    return self.error("a tag stands before nothing");
                }
                self.form(depth + 1)
            }
        }
    }

    fn token(&mut self) {
        while self.peek().is_some_and(|b| !delimiter(b)) {
            self.at += 1;
        }
        self.cut |= self.peek().is_none();
    }

    fn string(&mut self) -> Result<Datum, Problem> {
        let opened = self.line;
        self.at += 1;
        let mut out = String::new();
        let mut from = self.at;
        loop {
            match self.peek() {
                None => return Err(Problem::at(opened, "the string is not closed")),
                Some(b'"') => {
                    out.push_str(&self.text[from..self.at]);
                    self.at += 1;
                    return Ok(Datum::text(out));
                }
                Some(b'\\') => {
                    out.push_str(&self.text[from..self.at]);
                    self.at += 1;
                    let c = match self.peek() {
                        Some(b'n') => '\n',
                        Some(b't') => '\t',
                        Some(b'r') => '\r',
                        Some(b'b') => '\u{8}',
                        Some(b'f') => '\u{c}',
                        Some(b'u') => {
                            let code = self.text.get(self.at + 1..self.at + 5);
                            let code = code.and_then(|h| u32::from_str_radix(h, 16).ok());
                            self.at += 4;
                            match code {
                                Some(c) => char::from_u32(c).unwrap_or('\u{fffd}'),
                                None => return self.error("`\\u` needs four hexadecimal digits"),
                            }
                        }
                        Some(c @ (b'"' | b'\\')) => c as char,
                        _ => return self.error("a string has an unknown escape"),
                    };
                    out.push(c);
                    self.at += 1;
                    from = self.at;
                }
                Some(b) => {
                    self.line += u32::from(b == b'\n');
                    self.at += 1;
                }
            }
        }
    }

    fn character(&mut self) -> Result<Datum, Problem> {
        let start = self.at + 1;
        let Some(first) = self.text[start..].chars().next() else {
            return self.error("the character is cut off");
        };
        self.at = start + first.len_utf8();
        self.line += u32::from(first == '\n');
        self.token();
        Ok(Datum::text(match &self.text[start..self.at] {
            "newline" => "\n",
            "space" => " ",
            "tab" => "\t",
            "return" => "\r",
            other => other,
        }))
    }

    fn atom(&mut self) -> Result<Datum, Problem> {
        let start = self.at;
        self.token();
        let token = &self.text[start..self.at];
        let first = token.as_bytes()[0];
        let digits = token.strip_prefix(['-', '+']).unwrap_or(token);
        if digits.as_bytes().first().is_some_and(u8::is_ascii_digit) {
            let plain = digits.strip_suffix('N').unwrap_or(digits);
            if plain.bytes().all(|b| b.is_ascii_digit()) {
                // The sign stays, for the smallest integer has no positive one.
                let signed = if first == b'-' { &token[..1 + plain.len()] } else { plain };
                if let Ok(i) = signed.parse() {
                    return Ok(Datum::Int(i));
                }
            }
            return Ok(Datum::Number(Arc::new(token.to_string())));
        }
        Ok(match token {
            "nil" => Datum::Nil,
            "true" => Datum::Bool(true),
            "false" => Datum::Bool(false),
            ":" => return self.error("a keyword has no name"),
            _ => Datum::word(token.strip_prefix(':').unwrap_or(token)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_jepsen_writes() {
        let text = "; c\n#jepsen.history.Op{:index 0, :type :invoke, :value [[:w 2 -1]], :f :txn}\n#_ {:a 1} [1 2.5 \"x\\ny\" #{2 1} \\a nil]";
        let forms = read_all(text).unwrap();
        assert_eq!(forms.len(), 2);
        assert_eq!(forms[0].to_string(), "{f txn, index 0, type invoke, value [[w 2 -1]]}");
        assert_eq!(forms[1].to_string(), "[1 2.5 \"x\\ny\" [1 2] \"a\" nil]");
    }

    #[test]
    fn errors_have_lines() {
        let line = |s: &str| read_all(s).unwrap_err().line;
        assert_eq!(line("1\n2\n]"), 3);
        assert_eq!(line("1\n[2\n3"), 2);
        assert_eq!(line("\n{:a}"), 2);
        assert_eq!(line(&"[".repeat(100_000)), 1);
        assert_eq!(line(&"#_[".repeat(100_000)), 1);
        assert_eq!(line(&"#a ".repeat(100_000)), 1);
    }
}
