//! Our JSON lines.

use std::io::Write;

use serde_json::{Map, Value, json};

use super::{End, WriteError, ends};
use crate::datum::Datum;
use crate::history::History;

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
        writeln!(out, "{}", json!({ "spec": spec }))?;
    }
    for end in ends(history) {
        match end {
            End::Call(w) => {
                let name = json!(history.name(w.op));
                write!(out, r#"{{"process":{},"type":"call","op":{name}"#, w.op.process)?;
                if let Some(key) = &w.key {
                    write!(out, r#","key":{}"#, json_value(key))?;
                }
                if w.input != Datum::Nil {
                    write!(out, r#","value":{}"#, json_value(&w.input))?;
                }
                writeln!(out, "}}")?;
            }
            End::Return(w) => {
                write!(out, r#"{{"process":{},"type":"return""#, w.op.process)?;
                if let Some(d) = &w.result {
                    write!(out, r#","value":{}"#, json_value(d))?;
                }
                writeln!(out, "}}")?;
            }
        }
    }
    Ok(())
}
