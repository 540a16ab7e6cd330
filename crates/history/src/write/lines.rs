//! The formats made of plain lines.

use std::io::Write;

use super::edn::edn;
use super::{HistoryEvent, WriteError, Written, ends};
use crate::datum::Datum;
use crate::history::{History, OpId};
use crate::read::operation;

fn no<T>(what: impl Into<String>) -> Result<T, WriteError> {
    Err(WriteError::Inexpressible(what.into()))
}

pub(super) fn jepsen_text(history: &History, out: &mut dyn Write) -> Result<(), WriteError> {
    for end in ends(history) {
        let (w, kind, value) = match &end {
            HistoryEvent::Call(w) => (w, ":invoke", &w.input),
            HistoryEvent::Return(w) => match &w.result {
                Some(d) => (w, ":ok", d),
                None => return no("history.txt has no operation that returned with an unknown result"),
            },
        };
        let value = match &w.key {
            Some(key) => format!("[{} {}]", edn(key), edn(value)),
            None => edn(value),
        };
        writeln!(out, "{}\t{kind}\t:{}\t{value}", w.op.process, history.name(w.op))?;
    }
    Ok(())
}

pub(super) fn etcd(history: &History, out: &mut dyn Write) -> Result<(), WriteError> {
    for end in ends(history) {
        let (w, kind, value) = match &end {
            HistoryEvent::Call(w) => (w, ":invoke", edn(&w.input)),
            HistoryEvent::Return(w) => match (history.name(w.op), &w.result) {
                ("cas", Some(Datum::Bool(false))) => (w, ":fail", edn(&w.input)),
                ("cas" | "write", Some(_)) => (w, ":ok", edn(&w.input)),
                ("read", None) => (w, ":fail", ":timed-out".into()),
                (_, Some(d)) => (w, ":ok", edn(d)),
                (name, None) => return no(format!("an etcd log has no `{name}` with an unknown result")),
            },
        };
        if !matches!(history.name(w.op), "read" | "write" | "cas") || w.key.is_some() {
            return no("an etcd log is about one register with read, write and cas");
        }
        writeln!(out, "INFO  jepsen.util - {}\t{kind}\t:{}\t{value}", w.op.process, history.name(w.op))?;
    }
    Ok(())
}

pub(super) fn kv(history: &History, out: &mut dyn Write) -> Result<(), WriteError> {
    for end in ends(history) {
        let (w, kind, value) = match &end {
            HistoryEvent::Call(w) => (w, ":invoke", &w.input),
            HistoryEvent::Return(w) => match (history.name(w.op), &w.result) {
                (_, Some(d)) => (w, ":ok", d),
                // They answer nothing anyway.
                ("put" | "append", None) => (w, ":ok", &Datum::Nil),
                (name, None) => return no(format!("a kv log has no `{name}` with an unknown result")),
            },
        };
        let Some(key) = &w.key else { return no("a kv log needs a key for every operation") };
        // By these it is told from other logs, which have no keys.
        if !matches!(history.name(w.op), "get" | "put" | "append") {
            return no(format!("a kv log has get, put and append, not `{}`", history.name(w.op)));
        }
        writeln!(
            out,
            "{{:process {}, :type {kind}, :f :{}, :key {}, :value {}}}",
            w.op.process,
            history.name(w.op),
            edn(key),
            edn(value)
        )?;
    }
    Ok(())
}

/// Method, value and truth value, if the format has one, in the formats with one interval per line.
fn method(
    history: &History,
    id: OpId,
    w: &Written<'_>,
    flagged: bool,
) -> Result<(String, i64, Option<bool>), WriteError> {
    if w.op.pending() || w.key.is_some() {
        return no("the format has neither pending operations nor keys");
    }
    let Some(output) = &w.result else {
        return no("the format has no operation that returned with an unknown result");
    };
    let name = history.name(w.op);
    let value = |d: &Datum| match d {
        d if d.is_empty_answer() => Ok(-1),
        Datum::Int(i) if *i != -1 => Ok(*i),
        d => no(format!("the format has numbers other than -1 as values, not `{d}`")),
    };
    let (method, value) = match (name, output) {
        ("contains", Datum::Bool(_)) if flagged => (name.to_string(), value(&w.input)?),
        ("contains", Datum::Bool(b)) => (format!("contains_{b}"), value(&w.input)?),
        (_, Datum::Bool(false)) if !flagged => {
            return no(format!("the format has no `{name}` that answered false"));
        }
        _ if w.input != Datum::Nil => (name.to_string(), value(&w.input)?),
        _ => (name.to_string(), value(output)?),
    };
    let flag = match output {
        Datum::Bool(b) if flagged => Some(*b),
        _ => None,
    };
    // What is written must mean the same to whoever reads it.
    let same = operation(0, &method, value, flag).is_ok_and(|(_, input, read)| {
        let unsaid = read == Datum::Nil && (*output == Datum::Bool(true) || *output == w.input);
        let nothing = read.is_empty_answer() && output.is_empty_answer();
        input == w.input && (read == *output || unsaid || nothing)
    });
    if same { Ok((method, value, flag)) } else { no(format!("the format has no `{}`", history.show(id))) }
}

pub(super) fn fastlin(history: &History, spec: Option<&str>, out: &mut dyn Write) -> Result<(), WriteError> {
    let object = match spec {
        Some(s @ ("queue" | "stack" | "set")) => s,
        Some("max-priority-queue") => "priorityqueue",
        _ => return Err(WriteError::Object("queue, stack, set and max-priority-queue")),
    };
    writeln!(out, "# {object}")?;
    for id in history.ids() {
        let w = Written::new(history, id);
        let (method, value, _) = method(history, id, &w, false)?;
        writeln!(out, "{method} {value} {} {}", w.op.call, w.op.ret)?;
    }
    Ok(())
}

pub(super) fn fptlin(history: &History, out: &mut dyn Write) -> Result<(), WriteError> {
    for id in history.ids() {
        let w = Written::new(history, id);
        let (method, value, flag) = method(history, id, &w, true)?;
        let flag = flag.map_or(String::new(), |b| format!(" {}", u8::from(b)));
        writeln!(out, "{} {} {} {method} {value}{flag}", w.op.process, w.op.call, w.op.ret)?;
    }
    Ok(())
}

pub(super) fn violin(history: &History, spec: Option<&str>, out: &mut dyn Write) -> Result<(), WriteError> {
    if let Some(spec) = spec {
        writeln!(out, "# @object atomic-{spec}")?;
    }
    let plain = |d: &Datum| match d {
        Datum::Int(_) | Datum::Bool(_) | Datum::Word(_) => Ok(d.to_string()),
        d => no(format!("the format has numbers, truth values and names as values, not `{d}`")),
    };
    for end in ends(history) {
        match end {
            HistoryEvent::Call(w) if w.key.is_some() => return no("the format has no keys"),
            HistoryEvent::Call(w) if w.input == Datum::Nil => {
                writeln!(out, "[{}] call {}", w.op.process, history.name(w.op))?;
            }
            HistoryEvent::Call(w) => {
                writeln!(out, "[{}] call {}({})", w.op.process, history.name(w.op), plain(&w.input)?)?;
            }
            HistoryEvent::Return(w) => match &w.result {
                None => return no("the format has no operation that returned with an unknown result"),
                Some(Datum::Nil) if w.input == Datum::Nil => {
                    writeln!(out, "[{}] return empty", w.op.process)?
                }
                Some(Datum::Nil) => writeln!(out, "[{}] return", w.op.process)?,
                Some(d) => writeln!(out, "[{}] return {}", w.op.process, plain(d)?)?,
            },
        }
    }
    Ok(())
}
