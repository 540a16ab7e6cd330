//! The formats made of plain lines.

use std::io::Write;

use super::edn::edn;
use super::{End, WriteError, Written, ends};
use crate::datum::Datum;
use crate::history::History;

fn no<T>(what: impl Into<String>) -> Result<T, WriteError> {
    Err(WriteError::Inexpressible(what.into()))
}

pub(super) fn jepsen_text(history: &History, out: &mut dyn Write) -> Result<(), WriteError> {
    for end in ends(history) {
        let (w, kind, value) = match &end {
            End::Call(w) => (w, ":invoke", &w.input),
            End::Return(w) => match &w.result {
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
            End::Call(w) => (w, ":invoke", edn(&w.input)),
            End::Return(w) => match (history.name(w.op), &w.result) {
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
            End::Call(w) => (w, ":invoke", &w.input),
            End::Return(w) => (w, ":ok", w.result.as_ref().unwrap_or(&Datum::Nil)),
        };
        let Some(key) = &w.key else { return no("a kv log needs a key for every operation") };
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

/// Method and value in the formats with one interval per line.
fn method(history: &History, w: &Written<'_>, set: bool) -> Result<(String, i64), WriteError> {
    if w.op.pending() || w.key.is_some() {
        return no("the format has neither pending operations nor keys");
    }
    let name = history.name(w.op);
    let output = w.result.as_ref().unwrap_or(&Datum::Nil);
    let value = |d: &Datum| match d {
        d if d.is_empty_answer() => Ok(-1),
        Datum::Int(i) if *i != -1 => Ok(*i),
        d => no(format!("the format has numbers other than -1 as values, not `{d}`")),
    };
    match (name, output) {
        ("contains", Datum::Bool(b)) => Ok((format!("contains_{b}"), value(&w.input)?)),
        (_, Datum::Bool(false)) if set => no(format!("the format has no `{name}` that answered false")),
        _ if w.input != Datum::Nil => Ok((name.to_string(), value(&w.input)?)),
        _ => Ok((name.to_string(), value(output)?)),
    }
}

pub(super) fn fastlin(history: &History, spec: Option<&str>, out: &mut dyn Write) -> Result<(), WriteError> {
    let object = match spec {
        Some(s @ ("queue" | "stack" | "set")) => s,
        Some("max-priority-queue") => "priorityqueue",
        _ => return no("the format is for queue, stack, set and max-priority-queue; give one with --spec"),
    };
    writeln!(out, "# {object}")?;
    for id in history.ids() {
        let w = Written::new(history, id);
        let (method, value) = method(history, &w, true)?;
        writeln!(out, "{method} {value} {} {}", w.op.call, w.op.ret)?;
    }
    Ok(())
}

pub(super) fn fptlin(history: &History, out: &mut dyn Write) -> Result<(), WriteError> {
    for id in history.ids() {
        let w = Written::new(history, id);
        let flag = match &w.result {
            Some(Datum::Bool(b)) => format!(" {}", u8::from(*b)),
            _ => String::new(),
        };
        let (method, value) = method(history, &w, false)?;
        let method = method.split('_').next().unwrap_or_default().to_string();
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
            End::Call(w) if w.key.is_some() => return no("the format has no keys"),
            End::Call(w) if w.input == Datum::Nil => {
                writeln!(out, "[{}] call {}", w.op.process, history.name(w.op))?;
            }
            End::Call(w) => {
                writeln!(out, "[{}] call {}({})", w.op.process, history.name(w.op), plain(&w.input)?)?;
            }
            End::Return(w) => match &w.result {
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
