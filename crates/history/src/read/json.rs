//! Our JSON lines: `{"process":0,"type":"call","op":"enq","value":1}` and so on.
//!
//! Fields: `process` (a number), `type` (`call`, `return`, `fail`, `unknown`, `note`; Jepsen's `invoke`,
//! `ok` and `info` mean the same), `op` and `key` at a call, `value` (argument or result; absent at a
//! return: the result is not known). `{"spec":"queue"}` names the specification. Other fields are ignored.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::Entry;
use crate::build::Problem;
use crate::datum::Datum;

/// The fields of a line.
#[derive(serde::Deserialize)]
struct Line<'a> {
    process: Option<i64>,
    #[serde(rename = "type", borrow)]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    op: Option<Cow<'a, str>>,
    key: Option<Datum>,
    #[serde(default, deserialize_with = "present")]
    value: Option<Datum>,
    #[serde(borrow)]
    spec: Option<Cow<'a, str>>,
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
}

fn present<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Datum>, D::Error> {
    Datum::deserialize(d).map(Some)
}

/// The entry on one line.
pub fn entry(line: u32, text: &str) -> Result<Option<Entry<'_>>, Problem> {
    let l: Line<'_> = serde_json::from_str(text).map_err(|e| {
        let message = e.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        Problem::at(line, format!("{message} (column {})", e.column()))
    })?;
    let Some(kind) = l.kind else {
        return match l.spec {
            Some(spec) => Ok(Some(Entry::Spec(spec.into_owned()))),
            None => Err(Problem::at(line, "the field `type` is missing")),
        };
    };
    if kind == "note" {
        return Ok(Some(Entry::Note(l.text.unwrap_or_default().into_owned())));
    }
    let Some(process) = l.process else { return Err(Problem::at(line, "the field `process` is missing")) };
    Ok(Some(match kind.as_ref() {
        "call" | "invoke" => {
            let Some(name) = l.op else { return Err(Problem::at(line, "the call has no `op`")) };
            Entry::Call { process, name, key: l.key, input: l.value.unwrap_or_default() }
        }
        "return" | "ok" => Entry::Return { process, output: l.value },
        "fail" => Entry::Fail { process },
        "unknown" | "info" => Entry::Unknown { process },
        other => {
            return Err(Problem::at(line, format!("`{other}` is no type of a line"))
                .help("types are call, return, fail, unknown and note"));
        }
    }))
}

impl<'de> Deserialize<'de> for Datum {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Datum, D::Error> {
        deserializer.deserialize_any(DatumVisitor)
    }
}

struct DatumVisitor;

impl<'de> Visitor<'de> for DatumVisitor {
    type Value = Datum;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a value")
    }
    fn visit_unit<E>(self) -> Result<Datum, E> {
        Ok(Datum::Nil)
    }
    fn visit_bool<E>(self, b: bool) -> Result<Datum, E> {
        Ok(Datum::Bool(b))
    }
    fn visit_i64<E>(self, i: i64) -> Result<Datum, E> {
        Ok(Datum::Int(i))
    }
    fn visit_u64<E>(self, u: u64) -> Result<Datum, E> {
        Ok(i64::try_from(u).map_or_else(|_| Datum::Number(Arc::new(u.to_string())), Datum::Int))
    }
    fn visit_f64<E: serde::de::Error>(self, x: f64) -> Result<Datum, E> {
        // A whole number of this size may have been written with more digits than arrive here.
        if x.abs() >= 9_223_372_036_854_775_808.0 {
            return Err(E::custom(
                "a number with more digits than are kept; write it as a text, or as {\"$number\":\"…\"}",
            ));
        }
        Ok(Datum::Number(Arc::new(format!("{x:?}"))))
    }
    fn visit_str<E>(self, s: &str) -> Result<Datum, E> {
        Ok(Datum::text(s))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Datum, A::Error> {
        let mut items = Vec::new();
        while let Some(d) = seq.next_element()? {
            items.push(d);
        }
        Ok(Datum::list(items))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Datum, A::Error> {
        let mut entries: Vec<(String, Datum)> = Vec::new();
        while let Some(e) = map.next_entry()? {
            entries.push(e);
        }
        if let [(k, v)] = entries.as_slice() {
            match (k.as_str(), v) {
                ("$word", Datum::Text(s)) => return Ok(Datum::Word(s.clone())),
                ("$number", Datum::Text(s)) => return Ok(Datum::Number(s.clone())),
                ("$map", Datum::List(pairs)) => {
                    let pair = |d: &Datum| match d.as_list() {
                        Some([k, v]) => Some((k.clone(), v.clone())),
                        _ => None,
                    };
                    if let Some(pairs) = pairs.iter().map(pair).collect::<Option<Vec<_>>>() {
                        return Ok(Datum::map(pairs));
                    }
                }
                _ => {}
            }
        }
        Ok(Datum::map(entries.into_iter().map(|(k, v)| (Datum::text(k), v)).collect()))
    }
}
