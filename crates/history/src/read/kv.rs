//! The key-value logs of Porcupine's test data, one map per line.

use super::{Entry, edn};
use crate::build::Problem;
use crate::datum::Datum;

/// The entry on one line.
pub fn entry(line: u32, text: &str) -> Result<Option<Entry<'static>>, Problem> {
    let forms = edn::read_all(text).map_err(|p| Problem { line, ..p })?;
    let [Datum::Map(fields)] = forms.as_slice() else {
        return Err(Problem::at(line, "the line is not one map"));
    };
    let get = |name: &str| {
        fields.iter().find(|(k, _)| matches!(k, Datum::Word(w) if w.as_str() == name)).map(|(_, v)| v)
    };
    let Some(process) = get("process").and_then(Datum::as_int) else {
        return Err(Problem::at(line, "the operation has no number as its `:process`"));
    };
    let value = get("value").cloned().unwrap_or_default();
    Ok(Some(match get("type").and_then(Datum::as_str) {
        Some("invoke") => {
            let Some(name) = get("f").and_then(Datum::as_str) else {
                return Err(Problem::at(line, "the call has no `:f`"));
            };
            let Some(key) = get("key").filter(|k| **k != Datum::Nil).cloned() else {
                return Err(Problem::at(line, "the call has no `:key`"));
            };
            Entry::Call { process, name: name.to_string().into(), key: Some(key), input: value }
        }
        Some("ok") => Entry::Return { process, output: Some(value) },
        Some("fail") => Entry::Fail { process },
        Some("info") => Entry::Unknown { process },
        _ => return Err(Problem::at(line, "`:type` is none of :invoke, :ok, :fail, :info")),
    }))
}
