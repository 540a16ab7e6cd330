//! The logs of Violin and LiMo: `[1] call add(3)`, `[1] return`, `[2] return 3`, in the order of the file.
//!
//! LiMo's own logs also write `call push 1`, and give what a removal or a read answers at its call: `call pop(1)`.

use std::collections::HashMap;

use super::Entry;
use crate::build::Problem;
use crate::datum::Datum;

/// What was said at the calls of operations that are open.
pub type Announced = HashMap<i64, Datum>;

/// Whether an operation takes no argument, so that one says what it answers.
fn answers(name: &str) -> bool {
    matches!(name, "pop" | "deq" | "dequeue" | "read" | "poll" | "peek" | "rmv" | "remove_front")
}

/// The entry on one line.
pub fn entry<'t>(line: u32, text: &'t str, announced: &mut Announced) -> Result<Option<Entry<'t>>, Problem> {
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
    if text == "crash" {
        return Err(Problem::at(line, "the log has a crash of the machine")
            .help("durable linearizability is not decided; split the log at its crashes"));
    }
    let Some((process, rest)) = text.strip_prefix('[').and_then(|t| t.split_once(']')) else {
        return bad("the line has no `[process]`");
    };
    let Ok(process) = process.trim().parse::<i64>() else { return bad("the process is no number") };
    let rest = rest.trim();
    if let Some(call) = rest.strip_prefix("call ") {
        let (name, argument) = match call.trim().split_once('(') {
            None => call.trim().split_once(char::is_whitespace).unwrap_or((call.trim(), "")),
            Some((name, rest)) => match rest.trim_end().strip_suffix(')') {
                Some(argument) => (name, argument.trim()),
                None => return bad("`)` is missing"),
            },
        };
        if name.is_empty() {
            return bad("the call has no name");
        }
        let mut input = value(argument.trim());
        if answers(name) && input != Datum::Nil {
            announced.insert(process, std::mem::take(&mut input));
        }
        return Ok(Some(Entry::Call { process, name: name.into(), key: None, input }));
    }
    match rest.strip_prefix("return") {
        Some(v) if v.is_empty() || v.starts_with(char::is_whitespace) => {
            let said = announced.remove(&process);
            let output = if v.trim().is_empty() { said.unwrap_or_default() } else { value(v.trim()) };
            Ok(Some(Entry::Return { process, output: Some(output) }))
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
