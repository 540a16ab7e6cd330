//! The etcd logs of Porcupine's test data: a register with compare-and-set, initially nil.
//!
//! A failed `cas` is an observation (the value differed); a read that timed out returned with an unknown
//! result; other timeouts never returned.

use super::{Entry, edn};
use crate::build::Problem;
use crate::datum::Datum;

const PREFIX: &str = "jepsen.util";

/// The entry on one line.
pub fn entry(line: u32, text: &str) -> Result<Option<Entry<'_>>, Problem> {
    let bad = |what: &str| {
        Err(Problem::at(line, format!("{what} in an etcd log"))
            .help("a line is `INFO  jepsen.util - 3 :invoke :cas [1 2]`"))
    };
    let Some(rest) = text.strip_prefix("INFO").map(str::trim_start).and_then(|t| t.strip_prefix(PREFIX))
    else {
        return bad("no `INFO  jepsen.util - `");
    };
    let Some(rest) = rest.trim_start().strip_prefix('-') else { return bad("no dash") };
    let (process, after) = word(rest);
    if process.is_empty() {
        return bad("no process");
    }
    let Ok(process) = process.parse::<i64>() else {
        return Ok(Some(Entry::Note(rest.trim().to_string())));
    };
    let (kind, after) = word(after);
    let (name, value) = word(after);
    if name.is_empty() {
        return bad("no type or function");
    }
    let value = edn::first(value).map_err(|p| Problem { line, ..p })?.unwrap_or_default();
    let timed_out = matches!(&value, Datum::Word(w) if w.as_str() == "timed-out");
    Ok(Some(match (kind, name) {
        (":invoke", ":read" | ":write" | ":cas") => {
            Entry::Call { process, name: name[1..].into(), key: None, input: value }
        }
        (":ok", ":cas") => Entry::Return { process, output: Some(Datum::Bool(true)) },
        (":ok", _) => Entry::Return { process, output: Some(value) },
        (":fail", ":cas") if !timed_out => Entry::Return { process, output: Some(Datum::Bool(false)) },
        (":fail", ":read") if timed_out => Entry::Return { process, output: None },
        (":fail", _) if !timed_out => Entry::Fail { process },
        (":fail" | ":info", _) => Entry::Unknown { process },
        _ => return bad("an unknown type or function"),
    }))
}

/// The first word of a text, and what follows.
fn word(text: &str) -> (&str, &str) {
    let text = text.trim_ascii_start();
    text.split_at(text.bytes().position(|b| b.is_ascii_whitespace()).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_inside_a_string_stay() {
        let input = Datum::text("a  b");
        let call = Entry::Call { process: 3, name: "write".into(), key: None, input };
        assert_eq!(entry(1, "INFO  jepsen.util -  3 \t:invoke :write  \"a  b\" ; c"), Ok(Some(call)));
    }
}
