//! Lines of Jepsen's `history.txt` and of etcd logs: process, type, function and value, with tabs between them.

use super::cursor::Cursor;
use super::edn::{given, keyword, kind_of, pair};
use super::{Given, LineKind, Quick};

const PREFIX: &[u8; 20] = b"INFO  jepsen.util - ";

/// The entry on the first line of a text of Jepsen and the bytes of that line, if it is plain.
#[inline]
pub fn jepsen_text(text: &str, independent: bool) -> Option<(Quick<'_>, usize)> {
    let mut at = Cursor::new(text);
    at.take(PREFIX);
    let (process, kind, name) = columns(&mut at)?;
    let (key, value) = if independent { pair(&mut at)? } else { (None, last(&mut at)?) };
    at.line_end()?;
    Some((Quick::new(process, kind, name, key, value), at.at()))
}

/// The same in an etcd log.
#[inline]
pub fn etcd(text: &str) -> Option<(Quick<'_>, usize)> {
    let mut at = Cursor::new(text);
    if !at.take(PREFIX) {
        return None;
    }
    let (process, kind, name) = columns(&mut at)?;
    let value = last(&mut at)?;
    at.line_end()?;
    let timed_out = value == Given::Word("timed-out");
    let quick = match (kind, name) {
        (LineKind::Call, "read" | "write" | "cas") => Quick::Call { process, name, key: None, input: value },
        (LineKind::Call, _) => return None,
        (LineKind::Return, "cas") => Quick::Return { process, output: Some(Given::Bool(true)) },
        (LineKind::Fail, "cas") if !timed_out => Quick::Return { process, output: Some(Given::Bool(false)) },
        (LineKind::Fail, "read") if timed_out => Quick::Return { process, output: None },
        (LineKind::Fail, _) if timed_out => Quick::Unknown { process },
        _ => Quick::new(process, kind, name, None, value),
    };
    Some((quick, at.at()))
}

/// The columns before the value.
#[inline]
fn columns<'t>(at: &mut Cursor<'t>) -> Option<(i64, LineKind, &'t str)> {
    let process = at.integer()?;
    at.take(b"\t").then_some(())?;
    let kind = kind_of(at)?;
    at.take(b"\t").then_some(())?;
    let name = keyword(at).filter(|name| trimmed(name))?;
    at.take(b"\t").then_some(())?;
    Some((process, kind, name))
}

/// The last column of a line.
#[inline]
fn last<'t>(at: &mut Cursor<'t>) -> Option<Given<'t>> {
    given(at).filter(|value| !matches!(value, Given::Word(name) if !trimmed(name)))
}

/// Whether a name has no white space beyond ASCII around it, which columns lose and EDN does not know.
#[inline]
fn trimmed(name: &str) -> bool {
    name.bytes().all(|b| b.is_ascii_graphic())
}
