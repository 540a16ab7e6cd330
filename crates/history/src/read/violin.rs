//! The logs of Violin and LiMo: `[1] call add(3)`, `[1] return`, `[2] return 3`, in the order of the file.

use super::Entry;
use crate::build::Problem;
use crate::datum::Datum;

/// The entry on one line.
pub fn entry(line: u32, text: &str) -> Result<Option<Entry<'_>>, Problem> {
    let text = text.trim();
    if let Some(comment) = text.strip_prefix('#') {
        return Ok(comment.trim().strip_prefix("@object").map(|object| {
            let object = object.trim();
            Entry::Spec(object.strip_prefix("atomic-").unwrap_or(object).to_string())
        }));
    }
    let bad = |what: &str| {
        Err(Problem::at(line, what.to_string()).help("a line is `[1] call add(3)` or `[1] return 3`"))
    };
    let Some((process, rest)) = text.strip_prefix('[').and_then(|t| t.split_once(']')) else {
        return bad("the line has no `[process]`");
    };
    let Ok(process) = process.trim().parse::<i64>() else { return bad("the process is no number") };
    let rest = rest.trim();
    if let Some(call) = rest.strip_prefix("call ") {
        let (name, argument) = match call.trim().split_once('(') {
            None => (call.trim(), ""),
            Some((name, rest)) => match rest.trim_end().strip_suffix(')') {
                Some(argument) => (name, argument.trim()),
                None => return bad("`)` is missing"),
            },
        };
        if name.is_empty() {
            return bad("the call has no name");
        }
        return Ok(Some(Entry::Call { process, name: name.into(), key: None, input: value(argument) }));
    }
    match rest.strip_prefix("return") {
        Some(v) if v.is_empty() || v.starts_with(char::is_whitespace) => {
            Ok(Some(Entry::Return { process, output: Some(value(v.trim())) }))
        }
        _ => bad("neither a call nor a return"),
    }
}

fn value(text: &str) -> Datum {
    match text {
        "" | "empty" | "nil" => Datum::Nil,
        "true" => Datum::Bool(true),
        "false" => Datum::Bool(false),
        _ => text.parse().map_or_else(|_| Datum::word(text), Datum::Int),
    }
}
