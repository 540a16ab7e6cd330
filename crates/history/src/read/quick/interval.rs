//! Lines of fastlin and fptlin with blanks between their words.

use super::cursor::Cursor;
use crate::read::interval::{Words, has_pair};

/// The words on the first line of a text and the bytes of that line, `process start end METHOD value [bool]`.
pub fn fptlin(text: &str) -> Option<(Words<'_>, usize)> {
    let mut at = Cursor::new(text);
    let process = Some(number(&mut at)?);
    let (start, end) = (number(&mut at)?, number(&mut at)?);
    let method = method(&mut at)?;
    let value = number(&mut at)?;
    let flag = if at.take(b"0") {
        Some(false)
    } else if at.take(b"1") {
        Some(true)
    } else {
        None
    };
    at.line_end()?;
    // Two values are read with more care.
    (!has_pair(method)).then_some((Words { process, method, value, second: None, flag, start, end }, at.at()))
}

/// The same of `method value start end`.
pub fn fastlin(text: &str) -> Option<(Words<'_>, usize)> {
    let mut at = Cursor::new(text);
    let method = method(&mut at)?;
    let (value, start, end) = (number(&mut at)?, number(&mut at)?, number(&mut at)?);
    at.line_end()?;
    Some((Words { process: None, method, value, second: None, flag: None, start, end }, at.at()))
}

#[inline]
fn method<'t>(at: &mut Cursor<'t>) -> Option<&'t str> {
    let from = at.at();
    at.take_while(|b| b.is_ascii_alphabetic() || b == b'_');
    let method = at.since(from);
    (ended(at) && !method.is_empty()).then_some(method)
}

#[inline]
fn number(at: &mut Cursor<'_>) -> Option<i64> {
    let number = at.integer()?;
    ended(at).then_some(number)
}

/// Takes the blanks after a word; another byte belongs to the word, unless the line ends.
#[inline]
fn ended(at: &mut Cursor<'_>) -> bool {
    let blank = at.peek() == Some(b' ');
    at.blanks();
    blank || matches!(at.peek(), None | Some(b'\n' | b'\r'))
}
