//! The formats made of plain lines.

use std::io::Write;

use super::edn::edn;
use super::{End, WriteError, ends, result};
use crate::datum::Datum;
use crate::history::{History, Operation};

fn no<T>(what: impl Into<String>) -> Result<T, WriteError> {
    Err(WriteError::Inexpressible(what.into()))
}

pub(super) fn jepsen_text(history: &History, out: &mut dyn Write) -> Result<(), WriteError> {
    for end in ends(history) {
        let (op, kind, value) = match end {
            End::Call(op) => (op, ":invoke", &op.input),
            End::Return(op) => match result(op) {
                Some(d) => (op, ":ok", d),
                None => return no("history.txt has no operation that returned with an unknown result"),
            },
        };
        let value = match &op.key {
            Some(key) => format!("[{} {}]", edn(key), edn(value)),
            None => edn(value),
        };
        writeln!(out, "{}\t{kind}\t:{}\t{value}", op.process, history.name(op))?;
    }
    Ok(())
}

pub(super) fn etcd(history: &History, out: &mut dyn Write) -> Result<(), WriteError> {
    for end in ends(history) {
        let (op, kind, value) = match end {
            End::Call(op) => (op, ":invoke", edn(&op.input)),
            End::Return(op) => match (history.name(op), result(op)) {
                ("cas", Some(Datum::Bool(false))) => (op, ":fail", edn(&op.input)),
                ("cas", Some(_)) => (op, ":ok", edn(&op.input)),
                ("write", Some(_)) => (op, ":ok", edn(&op.input)),
                ("read", None) => (op, ":fail", ":timed-out".into()),
                (_, Some(d)) => (op, ":ok", edn(d)),
                (name, None) => return no(format!("an etcd log has no `{name}` with an unknown result")),
            },
        };
        if !matches!(history.name(op), "read" | "write" | "cas") || op.key.is_some() {
            return no("an etcd log is about one register with read, write and cas");
        }
        writeln!(out, "INFO  jepsen.util - {}\t{kind}\t:{}\t{value}", op.process, history.name(op))?;
    }
    Ok(())
}

pub(super) fn kv(history: &History, out: &mut dyn Write) -> Result<(), WriteError> {
    for end in ends(history) {
        let (op, kind, value) = match end {
            End::Call(op) => (op, ":invoke", &op.input),
            End::Return(op) => (op, ":ok", result(op).unwrap_or(&Datum::Nil)),
        };
        let Some(key) = &op.key else { return no("a kv log needs a key for every operation") };
        writeln!(
            out,
            "{{:process {}, :type {kind}, :f :{}, :key {}, :value {}}}",
            op.process,
            history.name(op),
            edn(key),
            edn(value)
        )?;
    }
    Ok(())
}

/// Method and value in the formats with one interval per line.
fn method(history: &History, op: &Operation, set: bool) -> Result<(String, i64), WriteError> {
    if op.pending() || op.key.is_some() {
        return no("the format has neither pending operations nor keys");
    }
    let name = history.name(op);
    let output = result(op).unwrap_or(&Datum::Nil);
    let value = |d: &Datum| match d {
        d if d.is_empty_answer() => Ok(-1),
        Datum::Int(i) if *i != -1 => Ok(*i),
        d => no(format!("the format has numbers other than -1 as values, not `{d}`")),
    };
    match (name, output) {
        ("contains", Datum::Bool(b)) => Ok((format!("contains_{b}"), value(&op.input)?)),
        (_, Datum::Bool(false)) if set => no(format!("the format has no `{name}` that answered false")),
        _ if op.input != Datum::Nil => Ok((name.to_string(), value(&op.input)?)),
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
    for op in &history.ops {
        let (method, value) = method(history, op, true)?;
        writeln!(out, "{method} {value} {} {}", op.call, op.ret)?;
    }
    Ok(())
}

pub(super) fn fptlin(history: &History, out: &mut dyn Write) -> Result<(), WriteError> {
    for op in &history.ops {
        let flag = match result(op) {
            Some(Datum::Bool(b)) => format!(" {}", u8::from(*b)),
            _ => String::new(),
        };
        let (method, value) = method(history, op, false)?;
        let method = method.split('_').next().unwrap_or_default().to_string();
        writeln!(out, "{} {} {} {method} {value}{flag}", op.process, op.call, op.ret)?;
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
            End::Call(op) if op.key.is_some() => return no("the format has no keys"),
            End::Call(op) if op.input == Datum::Nil => {
                writeln!(out, "[{}] call {}", op.process, history.name(op))?;
            }
            End::Call(op) => {
                writeln!(out, "[{}] call {}({})", op.process, history.name(op), plain(&op.input)?)?;
            }
            End::Return(op) => match result(op) {
                None => return no("the format has no operation that returned with an unknown result"),
                Some(Datum::Nil) if op.input == Datum::Nil => writeln!(out, "[{}] return empty", op.process)?,
                Some(Datum::Nil) => writeln!(out, "[{}] return", op.process)?,
                Some(d) => writeln!(out, "[{}] return {}", op.process, plain(d)?)?,
            },
        }
    }
    Ok(())
}
