//! Our JSON lines.

use std::io::Write;

use serde_json::{Map, Value, json};

use super::{HistoryEvent, WriteError, ends};
use crate::datum::Datum;
use crate::history::History;
use crate::line::{CallWord, EndWord, Line};

/// A datum as JSON, such that reading it gives the same datum.
pub fn json_value(d: &Datum) -> Value {
    match d {
        Datum::Nil => Value::Null,
        Datum::Bool(b) => json!(b),
        Datum::Int(i) => json!(i),
        Datum::Text(s) => json!(s.as_str()),
        Datum::Word(s) => json!({ "$word": s.as_str() }),
        Datum::Number(s) => json!({ "$number": s.as_str() }),
        Datum::List(items) => Value::Array(items.iter().map(json_value).collect()),
        Datum::Map(entries) => {
            let plain = entries.iter().all(|(k, _)| matches!(k, Datum::Text(s) if !s.starts_with('$')));
            if plain {
                let pairs =
                    entries.iter().map(|(k, v)| (k.as_str().unwrap_or_default().to_string(), json_value(v)));
                Value::Object(pairs.collect::<Map<_, _>>())
            } else {
                let pairs: Vec<Value> =
                    entries.iter().map(|(k, v)| json!([json_value(k), json_value(v)])).collect();
                json!({ "$map": pairs })
            }
        }
    }
}

pub(super) fn write(history: &History, spec: Option<&str>, out: &mut dyn Write) -> Result<(), WriteError> {
    if let Some(spec) = spec {
        put(&Line::Spec { spec: spec.into() }, out)?;
    }
    for end in ends(history) {
        let line = match &end {
            HistoryEvent::Call(w) => Line::Call {
                process: w.op.process,
                word: CallWord::Call,
                op: history.name(w.op).into(),
                key: w.key.as_ref().map(json_value),
                value: (w.input != Datum::Nil).then(|| json_value(&w.input)),
            },
            HistoryEvent::Return(w) => Line::End {
                process: w.op.process,
                word: EndWord::Return,
                value: w.result.as_ref().map(json_value),
            },
        };
        put(&line, out)?;
    }
    Ok(())
}

fn put(line: &Line, out: &mut dyn Write) -> Result<(), WriteError> {
    let text = serde_json::to_string(line).expect("a line is plain data");
    Ok(writeln!(out, "{text}")?)
}
