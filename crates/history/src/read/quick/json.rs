//! Lines of JSON that are one flat object of plain fields, as recorders write them.
//!
//! Escapes, nesting, fractions, unknown or repeated fields, notes and mistakes are left to the full reader.

use super::cursor::Cursor;
use super::{Given, LineKind, Quick};

/// The entry on the first line of a text and the bytes of that line, if it is that plain.
#[inline(always)]
pub fn entry(text: &str) -> Option<(Quick<'_>, usize)> {
    let mut at = Cursor::new(text);
    let (mut process, mut kind, mut op, mut key, mut value) = (None, None, None, None, None);
    if !at.take(b"{") {
        return None;
    }
    loop {
        match at.peek_second()? {
            b'p' if at.take(b"\"process\":") && process.is_none() => {
                at.blanks();
                process = Some(at.integer()?);
            }
            b't' if at.take(b"\"type\":") && kind.is_none() => {
                at.blanks();
                kind = Some(kind_of(&mut at)?);
            }
            b'o' if at.take(b"\"op\":") && op.is_none() => {
                at.blanks();
                op = Some(at.string()?);
            }
            // A key that is null is none.
            b'k' if at.take(b"\"key\":") && key.is_none() => {
                key = Some(given(&mut at).filter(|k| *k != Given::Nil)?);
            }
            b'v' if at.take(b"\"value\":") && value.is_none() => value = Some(given(&mut at)?),
            _ => return None,
        }
        at.blanks();
        match at.byte()? {
            b',' => at.blanks(),
            b'}' => break,
            _ => return None,
        }
    }
    at.line_end()?;
    let process = process?;
    let quick = match kind? {
        LineKind::Call => Quick::Call { process, name: op?, key, input: value.unwrap_or(Given::Nil) },
        LineKind::Return => Quick::Return { process, output: value },
        LineKind::Fail => Quick::Fail { process },
        LineKind::Unknown => Quick::Unknown { process },
    };
    Some((quick, at.at()))
}

#[inline]
fn kind_of(at: &mut Cursor<'_>) -> Option<LineKind> {
    if at.take(b"\"call\"") || at.take(b"\"invoke\"") {
        Some(LineKind::Call)
    } else if at.take(b"\"return\"") || at.take(b"\"ok\"") {
        Some(LineKind::Return)
    } else if at.take(b"\"fail\"") {
        Some(LineKind::Fail)
    } else if at.take(b"\"unknown\"") || at.take(b"\"info\"") {
        Some(LineKind::Unknown)
    } else {
        None
    }
}

#[inline]
fn given<'t>(at: &mut Cursor<'t>) -> Option<Given<'t>> {
    at.blanks();
    match at.peek()? {
        b'"' => at.string().map(Given::Text),
        b'n' => at.take(b"null").then_some(Given::Nil),
        b't' => at.take(b"true").then_some(Given::Bool(true)),
        b'f' => at.take(b"false").then_some(Given::Bool(false)),
        _ => at.integer().map(Given::Int),
    }
}
