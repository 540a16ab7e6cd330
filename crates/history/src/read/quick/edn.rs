//! Operations in EDN as Jepsen and Porcupine write them: one flat map with keywords as keys.
//!
//! Data are plain ones or flat lists of them. Anything else is left to the full reader: other keys, repeated fields,
//! deeper nesting, comments, discarded forms, processes without a number, mistakes.

use super::cursor::Cursor;
use super::{Given, LineKind, Quick};
use crate::read::edn::delimiter;

/// The fields of an operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdnOperation<'t> {
    process: i64,
    kind: LineKind,
    name: Option<&'t str>,
    key: Option<Given<'t>>,
    value: Option<Given<'t>>,
}

impl<'t> EdnOperation<'t> {
    /// The operation at the beginning of a text and its bytes, if it is that plain. In an operation on one of several
    /// `independent` objects the value of a call or return is `[key value]`.
    pub fn read(text: &'t str, independent: bool) -> Option<(EdnOperation<'t>, usize)> {
        let mut at = Cursor::new(text);
        let (mut process, mut kind, mut name, mut key, mut value) = (None, None, None, None, None);
        at.take(b"#jepsen.history.Op");
        if !at.take(b"{") {
            return None;
        }
        loop {
            let repeated = match at.peek_second()? {
                b'p' if at.take(b":process ") => process.replace(at.integer()?).is_some(),
                b't' if at.take(b":type ") => kind.replace(kind_of(&mut at)?).is_some(),
                b'f' if at.take(b":f ") => name.replace(keyword(&mut at)?).is_some(),
                b'k' if !independent && at.take(b":key ") => key.replace(given(&mut at)?).is_some(),
                b'v' if at.take(b":value ") => {
                    let (k, v) = if independent { pair(&mut at)? } else { (key, given(&mut at)?) };
                    key = k;
                    value.replace(v).is_some()
                }
                _ => {
                    keyword(&mut at)?;
                    if !at.take(b" ") {
                        return None;
                    }
                    given(&mut at)?;
                    false
                }
            };
            if repeated || !ended(&at) {
                return None;
            }
            at.take_while(|b| matches!(b, b' ' | b','));
            if at.take(b"}") {
                break;
            }
        }
        Some((EdnOperation { process: process?, kind: kind?, name, key, value }, at.at()))
    }

    /// What an operation at the beginning of a text means in a log of Jepsen, and its bytes.
    #[inline]
    pub fn jepsen(text: &'t str, independent: bool) -> Option<(Quick<'t>, usize)> {
        let (EdnOperation { process, kind, name, key, value }, bytes) =
            EdnOperation::read(text, independent)?;
        let (name, value) = (name?, value.unwrap_or(Given::Nil));
        let key = key.filter(|k| independent || *k != Given::Nil);
        let quick = Quick::new(process, kind, name, key, value);
        Some((quick, bytes))
    }

    /// What an operation alone on the first line of a text means in a key-value log of Porcupine, and the bytes of
    /// the line.
    #[inline]
    pub fn kv(text: &'t str) -> Option<(Quick<'t>, usize)> {
        let (EdnOperation { process, kind, name, key, value }, bytes) = EdnOperation::read(text, false)?;
        let mut after = Cursor::new(&text[bytes..]);
        after.line_end()?;
        let value = value.unwrap_or(Given::Nil);
        let quick = match kind {
            LineKind::Call => {
                let key = key.filter(|k| *k != Given::Nil)?;
                Quick::Call { process, name: name?, key: Some(key), input: value }
            }
            _ => Quick::new(process, kind, "", None, value),
        };
        Some((quick, bytes + after.at()))
    }
}

/// Whether a form of a map ends here.
#[inline]
fn ended(at: &Cursor<'_>) -> bool {
    matches!(at.peek(), Some(b' ' | b',' | b'}'))
}

/// How an entry changes the operation of its process.
#[inline]
pub fn kind_of(at: &mut Cursor<'_>) -> Option<LineKind> {
    if at.take(b":invoke") {
        Some(LineKind::Call)
    } else if at.take(b":ok") {
        Some(LineKind::Return)
    } else if at.take(b":fail") {
        Some(LineKind::Fail)
    } else if at.take(b":info") {
        Some(LineKind::Unknown)
    } else {
        None
    }
}

/// The name of a keyword.
#[inline]
pub fn keyword<'t>(at: &mut Cursor<'t>) -> Option<&'t str> {
    if !at.take(b":") {
        return None;
    }
    let from = at.at();
    at.take_while(|b| !delimiter(b));
    Some(at.since(from)).filter(|name| !name.is_empty())
}

/// A plain datum or a flat list.
#[inline]
pub fn given<'t>(at: &mut Cursor<'t>) -> Option<Given<'t>> {
    if at.peek() != Some(b'[') {
        return plain(at);
    }
    let from = at.at();
    at.byte();
    while !at.take(b"]") {
        plain(at)?;
        item_ended(at)?;
    }
    Some(Given::List(at.since(from)))
}

/// Takes the blanks between the items of a list.
#[inline]
fn item_ended(at: &mut Cursor<'_>) -> Option<()> {
    let ended = matches!(at.peek(), Some(b' ' | b',' | b']'));
    at.take_while(|b| matches!(b, b' ' | b','));
    ended.then_some(())
}

/// A datum of one of several objects with the object; nothing stands for both.
pub fn pair<'t>(at: &mut Cursor<'t>) -> Option<(Option<Given<'t>>, Given<'t>)> {
    if at.take(b"nil") {
        return Some((None, Given::Nil));
    }
    if !at.take(b"[") {
        return None;
    }
    let key = plain(at)?;
    item_ended(at)?;
    let value = given(at)?;
    item_ended(at)?;
    at.take(b"]").then_some((Some(key), value))
}

#[inline]
fn plain<'t>(at: &mut Cursor<'t>) -> Option<Given<'t>> {
    match at.peek()? {
        b'0'..=b'9' | b'-' => at.integer().map(Given::Int),
        b':' => keyword(at).map(Given::Word),
        b'"' => at.string().map(Given::Text),
        b'n' => at.take(b"nil").then_some(Given::Nil),
        b't' => at.take(b"true").then_some(Given::Bool(true)),
        b'f' => at.take(b"false").then_some(Given::Bool(false)),
        _ => None,
    }
}
