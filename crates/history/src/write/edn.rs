//! Jepsen's `history.edn`.

use std::fmt::Write as _;
use std::io::Write;

use super::{HistoryEvent, WriteError, ends};
use crate::datum::Datum;
use crate::history::History;

/// A datum in EDN.
pub fn edn(d: &Datum) -> String {
    let mut out = String::new();
    push(&mut out, d);
    out
}

fn push(out: &mut String, d: &Datum) {
    match d {
        Datum::Word(s) => {
            let _ = write!(out, ":{s}");
        }
        Datum::Text(s) => {
            out.push('"');
            for c in s.chars() {
                match c {
                    '"' => out.push_str("\\\""),
                    '\\' => out.push_str("\\\\"),
                    '\n' => out.push_str("\\n"),
                    '\r' => out.push_str("\\r"),
                    '\t' => out.push_str("\\t"),
                    c => out.push(c),
                }
            }
            out.push('"');
        }
        Datum::List(items) => {
            out.push('[');
            for (i, d) in items.iter().enumerate() {
                if i > 0 {
                    out.push(' ');
                }
                push(out, d);
            }
            out.push(']');
        }
        Datum::Map(entries) => {
            out.push('{');
            for (i, (k, v)) in entries.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                push(out, k);
                out.push(' ');
                push(out, v);
            }
            out.push('}');
        }
        other => {
            let _ = write!(out, "{other}");
        }
    }
}

pub(super) fn write(history: &History, out: &mut dyn Write) -> Result<(), WriteError> {
    for (index, end) in ends(history).enumerate() {
        let (w, kind, value) = match &end {
            HistoryEvent::Call(w) => (w, ":invoke", &w.input),
            HistoryEvent::Return(w) => match &w.result {
                Some(d) => (w, ":ok", d),
                None => {
                    return Err(WriteError::Inexpressible(
                        "Jepsen's histories have no operation that returned with an unknown result".into(),
                    ));
                }
            },
        };
        let value = match &w.key {
            Some(key) => format!("[{} {}]", edn(key), edn(value)),
            None => edn(value),
        };
        writeln!(
            out,
            "{{:index {index}, :type {kind}, :process {}, :f :{}, :value {value}}}",
            w.op.process,
            history.name(w.op)
        )?;
    }
    Ok(())
}
