//! JSON lines: an object with `initial`, `states` and `transitions`, then one object per
//! transition with `from`, `label` and `to`. A `null` label is tau; names of tau count as tau too.

use super::error::{LONGEST_LABEL, ReadError, ReadFault};
use super::lines::Lines;
use super::scan::Sink;
use super::{Collector, Header, Options, Step};
use crate::system::{LabelId, Lts};
use serde_json::Value;
use std::io::Read;
use trueline_base::{Meter, Observer};

pub(super) fn read<R: Read>(
    lines: &mut Lines<R>,
    options: &Options,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Lts, ReadError> {
    let Some(first) = object(lines)? else {
        return Err(ReadError { line: lines.number(), column: 1, fault: no_header() });
    };
    let here = |line: u64| move |fault| ReadError { line, column: 1, fault };
    let header = header(&first).map_err(here(lines.number()))?;
    let mut collector = Collector::new(header, options, meter, observer).map_err(here(lines.number()))?;
    while let Some(step) = object(lines)? {
        transition(&step, &mut collector).map_err(here(lines.number()))?;
    }
    collector.finish().map_err(here(lines.number() + 1))
}

/// The next line that is not blank, parsed.
fn object<R: Read>(lines: &mut Lines<R>) -> Result<Option<Value>, ReadError> {
    loop {
        let parsed = match lines.next()? {
            None => return Ok(None),
            Some(line) if line.trim_ascii().is_empty() => continue,
            Some(line) => serde_json::from_slice(line),
        };
        return parsed.map(Some).map_err(|e| {
            let text = e.to_string();
            let why = text.split(" at line ").next().unwrap_or(&text).to_string();
            ReadError { line: lines.number(), column: e.column() as u64, fault: ReadFault::Json(why) }
        });
    }
}

fn number(object: &Value, field: &'static str) -> Result<u64, ReadFault> {
    let wrong = || ReadFault::Json(format!("`{field}` must be a number from 0 on"));
    object.get(field).and_then(Value::as_u64).ok_or_else(wrong)
}

fn no_header() -> ReadFault {
    ReadFault::Json(
        "there is no header; the first line is an object with `initial`, `states` and `transitions`".into(),
    )
}

fn header(object: &Value) -> Result<Header, ReadFault> {
    if object.get("states").is_none() {
        return Err(no_header());
    }
    let small = |field| u32::try_from(number(object, field)?).map_err(|_| ReadFault::NumberTooLarge);
    Ok(Header {
        initial: small("initial")?,
        transitions: number(object, "transitions")?,
        states: small("states")?,
    })
}

fn transition(object: &Value, collector: &mut Collector<'_>) -> Result<(), ReadFault> {
    let source = collector.header.check_state(number(object, "from")?)?;
    let target = collector.header.check_state(number(object, "to")?)?;
    let label = match object.get("label") {
        Some(Value::Null) => LabelId::TAU,
        Some(Value::String(name)) if name.len() > LONGEST_LABEL => return Err(ReadFault::LongLabel),
        Some(Value::String(name)) => collector.label(name),
        _ => return Err(ReadFault::Json("`label` must be a string, or null for tau".into())),
    };
    collector.add(Step { source, label, target })
}
