//! Our JSON lines: `{"process":0,"type":"call","op":"enq","value":1}` and so on.
//!
//! Fields: `process` (a number), `type` (`call`, `return`, `fail`, `unknown`, `note`; Jepsen's `invoke`,
//! `ok` and `info` mean the same), `op` and `key` at a call, `value` (argument or result; absent at a
//! return: the result is not known). `{"spec":"queue"}` names the specification. Other fields are ignored.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::{Entry, jepsen};
use crate::build::Problem;
use crate::datum::Datum;
use crate::line::{EndWord, LineType};

/// The fields of a line.
#[derive(serde::Deserialize)]
struct Fields<'a> {
    process: Option<Datum>,
    #[serde(rename = "type", borrow)]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    op: Option<Cow<'a, str>>,
    /// What Jepsen calls the operation.
    #[serde(borrow)]
    f: Option<Cow<'a, str>>,
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

/// The entry on one line, with our fields or with those of Jepsen.
pub fn entry(line: u32, text: &str, independent: bool) -> Result<Option<Entry<'_>>, Problem> {
    let l: Fields<'_> = serde_json::from_str(text).map_err(|e| {
        let message = e.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        let line = line + (e.line() as u32).saturating_sub(1);
        Problem::at(line, format!("{message} (column {})", e.column()))
    })?;
    let Some(kind) = l.kind else {
        return match l.spec {
            Some(spec) => Ok(Some(Entry::Spec(spec.into_owned()))),
            None => Err(Problem::at(line, "the field `type` is missing")),
        };
    };
    let word = LineType::of(&kind);
    if let Some(LineType::Note(_)) = word {
        return Ok(Some(Entry::Note(l.text.unwrap_or_default().into_owned())));
    }
    let Some(process) = l.process else { return Err(Problem::at(line, "the field `process` is missing")) };
    if let Some(f) = &l.f {
        let value = l.value.unwrap_or_default();
        let mut entry = jepsen::entry(line, &process, &kind, &Datum::word(&**f), value, independent)?;
        if let Entry::Call { key, .. } = &mut entry
            && l.key.is_some()
        {
            *key = l.key;
        }
        return Ok(Some(entry));
    }
    let Some(process) = process.as_int() else {
        return Err(Problem::at(line, format!("the process `{process}` is no number of 64 bits")));
    };
    Ok(Some(match word {
        Some(LineType::Call(_)) => {
            let Some(name) = l.op else { return Err(Problem::at(line, "the call has no `op`")) };
            Entry::Call { process, name, key: l.key, input: l.value.unwrap_or_default() }
        }
        Some(LineType::End(EndWord::Return | EndWord::Ok)) => Entry::Return { process, output: l.value },
        Some(LineType::End(EndWord::Fail)) => Entry::Fail { process },
        Some(LineType::End(EndWord::Unknown | EndWord::Info)) => Entry::Unknown { process },
        // A remark was answered above.
        Some(LineType::Note(_)) | None => {
            return Err(Problem::at(line, format!("`{kind}` is no type of a line"))
                .help("types are call, return, fail, unknown and note"));
        }
    }))
}

/// Calls `each` with every object of an array of objects, and the line on which it begins.
pub fn each_object(
    text: &str,
    mut each: impl FnMut(u32, &str) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let bytes = text.as_bytes();
    let (mut line, mut depth, mut begin, mut quoted, mut escaped) = (1, 0u32, (0, 0), false, false);
    let mut ended = false;
    for (at, b) in bytes.iter().enumerate() {
        match b {
            b'\n' => line += 1,
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'{' => {
                if depth == 0 {
                    begin = (at, line);
                }
                depth += 1;
            }
            b'}' if depth == 1 => {
                depth = 0;
                each(begin.1, &text[begin.0..=at])?;
            }
            b'}' => depth = depth.saturating_sub(1),
            _ if depth > 0 || b.is_ascii_whitespace() => {}
            b'[' | b',' if !ended => {}
            b']' if !ended => ended = true,
            _ => return Err(Problem::at(line, "between the objects of the array stands something else")),
        }
    }
    if depth > 0 || !ended {
        return Err(Problem::at(line, "the array is not closed"));
    }
    Ok(())
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
