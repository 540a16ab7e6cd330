//! Answers about histories as one JSON document; `schemas/history.json` describes it.

use serde_json::{Value, json};
use trueline_history::explain::{Impasse, OpenOperation};
use trueline_history::write::json_value;
use trueline_history::{Failure, History, OpId, Verdict};

use trueline_report::Problem;

use super::check::Answered;

/// The version of the document.
pub(super) const VERSION: u32 = 1;

fn operation(history: &History, id: OpId) -> Value {
    let op = history.op(id);
    json!({
        "index": id.0,
        "process": op.process,
        "text": history.show(id),
        "call": op.call,
        "return": if op.pending() { Value::Null } else { json!(op.ret) },
        "line": if op.line == 0 { Value::Null } else { json!(op.line) },
    })
}

fn impasse(history: &History, impasse: &Impasse) -> Value {
    let open = |o: &OpenOperation| json!({ "operation": operation(history, o.operation), "fits": o.fits, "needs": o.needs });
    json!({
        "blocked": open(&impasse.blocked),
        "states": impasse.states,
        "more_states": impasse.more,
        "open": impasse.open.iter().map(open).collect::<Vec<_>>(),
    })
}

fn failure(history: &History, f: &Failure) -> Value {
    json!({
        "part": f.part.as_ref().map(json_value),
        "minimal": f.minimal,
        "cut": f.cut.map(|stop| stop.to_string()),
        "confirmed": f.confirmed,
        "also": f.also.iter().map(json_value).collect::<Vec<_>>(),
        "undecided": f.undecided,
        "impasse": f.impasse.as_ref().map(|i| impasse(history, i)),
        "engine": f.engine.name(),
        "operations": f.operations.iter().map(|id| operation(history, *id)).collect::<Vec<_>>(),
        "reasons": f.reasons.iter().map(|r| json!({
            "operation": r.operation.0,
            "text": r.text,
            "otherwise": r.otherwise.iter().map(|id| id.0).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "partial_orders": f.partials.iter().map(|p| json!({
            "order": p.order.iter().map(|id| id.0).collect::<Vec<_>>(),
            "state": p.state,
            "blocked": p.blocked.0,
            "expected": p.expected,
        })).collect::<Vec<_>>(),
    })
}

fn result(a: &Answered, witness: bool) -> Value {
    let (report, history) = (&a.report, &a.reading.history);
    let (why, order, failed) = match &report.verdict {
        Verdict::Holds { witness: order } => (None, order.as_ref().filter(|_| witness), None),
        Verdict::Fails(f) => (Some(f.sentence.clone()), None, Some(failure(history, f))),
        Verdict::Unknown { why, .. } | Verdict::Unconfirmed { why } => (Some(why.clone()), None, None),
    };
    json!({
        "file": a.path,
        "format": a.reading.format.name(),
        "spec": report.spec,
        "condition": report.condition.to_string(),
        "verdict": report.verdict.word(),
        "scope": {
            "operations": report.operations,
            "pending": report.pending,
            "failed": history.failed,
            "parts": report.parts,
            "engines": report.engines.iter().map(|(e, n)| json!({ "name": e.name(), "parts": n })).collect::<Vec<_>>(),
            "configurations": report.configurations,
            "complete": report.verdict.holds() || report.verdict.fails(),
        },
        "cost": { "seconds": a.elapsed.as_secs_f64(), "peak_bytes": report.bytes },
        "remarks": a.reading.remarks,
        "why": why,
        "witness": order.map(|o| o.iter().map(|id| operation(history, *id)).collect::<Vec<_>>()),
        "failure": failed,
    })
}

/// The document for these answers.
pub(super) fn document(answers: &[&Answered], witness: bool, diagnostics: &[Problem]) -> Value {
    json!({
        "version": VERSION,
        "command": "history check",
        "diagnostics": diagnostics,
        "results": answers.iter().map(|a| result(a, witness)).collect::<Vec<_>>(),
    })
}
