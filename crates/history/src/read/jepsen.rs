//! Jepsen's `history.edn` and `history.txt`.
//!
//! The order is that of the file. `:fail` certainly did not happen, `:info` may have happened; entries of a process
//! that is no number (a nemesis) are notes. A field `:key` tells the object, unless the value is a pair with it.

use super::{Entry, edn};
use crate::build::{Problem, Setting};
use crate::datum::Datum;

type Sink<'a> = &'a mut dyn FnMut(u32, Entry<'static>) -> Result<(), Problem>;

/// The entries of one form: an operation, or a sequence of operations.
pub fn entries(line: u32, form: &Datum, independent: bool, sink: Sink) -> Result<(), Problem> {
    match form {
        Datum::List(items) => items.iter().try_for_each(|d| entries(line, d, independent, sink)),
        Datum::Map(fields) => {
            let get = |name: &str| {
                fields
                    .binary_search_by(|(k, _)| match k {
                        Datum::Word(w) => w.as_str().cmp(name),
                        other => other.cmp(&Datum::word(name)),
                    })
                    .ok()
                    .map(|i| &fields[i].1)
            };
            let Some(kind) = get("type").and_then(Datum::as_str) else {
                return Err(Problem::at(line, "the operation has no `:type`"));
            };
            let Some(process) = get("process") else {
                return Err(Problem::at(line, "the operation has no `:process`"));
            };
            let f = get("f").unwrap_or(&Datum::Nil);
            let value = get("value").cloned().unwrap_or_default();
            let mut entry = entry(line, process, kind, f, value, independent)?;
            // Logs of other tools give the object beside the value.
            if let Entry::Call { key, .. } = &mut entry
                && !independent
            {
                *key = get("key").filter(|k| **k != Datum::Nil).cloned();
            }
            sink(line, entry)
        }
        other => Err(Problem::at(line, format!("`{other}` is no operation"))),
    }
}

/// One line of `history.txt`: process, type, function, value, error, separated by tabs.
pub fn text_entry(line: u32, text: &str, independent: bool) -> Result<Option<Entry<'static>>, Problem> {
    let text = match text.find("jepsen.util - ") {
        Some(i) if text.starts_with("INFO") => &text[i + 14..],
        _ => text,
    };
    let mut columns = text.splitn(4, '\t').map(str::trim);
    let mut next = |what: &str| {
        columns
            .next()
            .filter(|c| !c.is_empty())
            .ok_or_else(|| Problem::at(line, format!("{what} is missing")))
    };
    let process = one(line, next("the process")?)?;
    let kind = one(line, next("the type")?)?;
    let f = one(line, next("the function")?)?;
    // The value may be followed by an error; only the first form counts.
    let value = edn::first(columns.next().unwrap_or_default()).map_err(|p| Problem { line, ..p })?;
    let kind = kind.as_str().unwrap_or_default();
    entry(line, &process, kind, &f, value.unwrap_or_default(), independent).map(Some)
}

/// Whether a line begins a record; others go on with the value or the error of the one before.
pub fn begins_record(text: &str) -> bool {
    let is_kind = |w: &str| matches!(w, ":invoke" | ":ok" | ":fail" | ":info");
    text.starts_with("INFO") || text.split_ascii_whitespace().take(2).nth(1).is_some_and(is_kind)
}

/// Whether what follows a record may be more of its error.
pub fn may_have_error(text: &str) -> bool {
    text.split_ascii_whitespace().take(2).nth(1).is_some_and(|kind| matches!(kind, ":fail" | ":info"))
}

fn one(line: u32, text: &str) -> Result<Datum, Problem> {
    let forms = edn::read_all(text).map_err(|p| Problem { line, ..p })?;
    match <[Datum; 1]>::try_from(forms) {
        Ok([d]) => Ok(d),
        Err(_) => Err(Problem::at(line, format!("`{text}` is not one form"))),
    }
}

/// One operation, of which the fields are known.
pub fn entry(
    line: u32,
    process: &Datum,
    kind: &str,
    f: &Datum,
    value: Datum,
    independent: bool,
) -> Result<Entry<'static>, Problem> {
    let name = f.as_str().map_or_else(|| f.to_string(), str::to_string);
    let Some(process) = process.as_int() else {
        return Ok(Entry::Note(format!("{process} {kind} {name} {value}")));
    };
    // Other entries say only how the operation ended; old logs give a reason instead of a value.
    let paired = independent && matches!(kind, "invoke" | "ok");
    let (key, value) = if paired { split_pair(line, &name, value)? } else { (None, value) };
    Ok(match kind {
        "invoke" => Entry::Call { process, name: name.into(), key, input: value },
        "ok" => Entry::Return { process, output: Some(value) },
        "fail" => Entry::Fail { process },
        "info" => Entry::Unknown { process },
        other => {
            return Err(Problem::at(line, format!("`:{other}` is no type of an operation"))
                .help("types are :invoke, :ok, :fail and :info"));
        }
    })
}

fn split_pair(line: u32, name: &str, value: Datum) -> Result<(Option<Datum>, Datum), Problem> {
    match value.as_list() {
        Some([k, v]) => Ok((Some(k.clone()), v.clone())),
        _ if value == Datum::Nil => Ok((None, Datum::Nil)),
        _ => Err(Problem::at(line, format!("the value `{value}` of `{name}` is no [key value] pair"))
            .setting(Setting::OneObject)),
    }
}
