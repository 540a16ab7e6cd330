//! What a check found, in the words of `report`.

use trueline_history::explain::{Impasse, OpenOperation};
use trueline_history::write::json_value;
use trueline_history::{Datum, Failure, History, OpId};
use trueline_report::history as told;

use super::check::Answered;

/// The answer for one log; with the order that explains it where that is wanted.
pub(super) fn answer(answered: &Answered, witness: bool) -> told::LogAnswer {
    let (report, history) = (&answered.report, &answered.reading.history);
    let verdict = report.verdict.as_ref().map(
        |order| order.as_ref().filter(|_| witness).map(|order| operations(history, order)),
        |failed| failure(history, failed),
        |undecided| told::Undecided { why: undecided.why.clone(), progress: undecided.progress },
    );
    let engine = |(engine, parts): &(trueline_history::Engine, usize)| told::EngineParts {
        name: engine.name().into(),
        parts: *parts,
    };
    told::LogAnswer {
        file: answered.path.clone(),
        format: answered.reading.format.name().into(),
        spec: report.spec.clone(),
        condition: report.condition.to_string(),
        scope: told::Scope {
            operations: report.operations,
            pending: report.pending,
            failed: history.failed as usize,
            parts: report.parts,
            engines: report.engines.iter().map(engine).collect(),
            configurations: report.configurations,
            complete: verdict.holds() || verdict.fails(),
        },
        verdict,
        cost: told::Cost { seconds: answered.elapsed.as_secs_f64(), peak_bytes: report.bytes },
        remarks: answered.reading.remarks.clone(),
    }
}

fn operation(history: &History, id: OpId) -> told::Operation {
    let op = history.op(id);
    told::Operation {
        index: id.0,
        process: op.process,
        text: history.show(id),
        call: op.call,
        ret: (!op.pending()).then_some(op.ret),
        line: (op.line > 0).then_some(op.line),
    }
}

fn operations(history: &History, ids: &[OpId]) -> Vec<told::Operation> {
    ids.iter().map(|id| operation(history, *id)).collect()
}

fn part(key: &Datum) -> told::PartKey {
    told::PartKey { value: json_value(key), text: key.to_string() }
}

fn failure(history: &History, failure: &Failure) -> told::Failure {
    let numbers = |ids: &[OpId]| ids.iter().map(|id| id.0).collect();
    let reasons = failure.reasons.iter().map(|reason| told::Reason {
        operation: reason.operation.0,
        text: reason.text.clone(),
        otherwise: numbers(&reason.otherwise),
    });
    let partial_orders = failure.partials.iter().map(|partial| told::PartialOrder {
        order: operations(history, &partial.order),
        state: partial.state.clone(),
        blocked: operation(history, partial.blocked),
        expected: partial.expected.clone(),
    });
    told::Failure {
        sentence: failure.sentence.clone(),
        part: failure.part.as_ref().map(part),
        minimal: failure.minimal,
        cut: failure.cut.map(|stop| stop.to_string()),
        confirmed: failure.confirmed,
        also: failure.also.iter().map(part).collect(),
        undecided: failure.undecided,
        impasse: failure.impasse.as_ref().map(|found| impasse(history, found)),
        engine: failure.engine.name().into(),
        operations: operations(history, &failure.operations),
        reasons: reasons.collect(),
        partial_orders: partial_orders.collect(),
    }
}

fn impasse(history: &History, impasse: &Impasse) -> told::Impasse {
    let open = |open: &OpenOperation| told::Open {
        operation: operation(history, open.operation),
        fits: open.fits,
        needs: open.needs.clone(),
        needed: open.needed(),
    };
    told::Impasse {
        blocked: open(&impasse.blocked),
        states: impasse.states.clone(),
        more_states: impasse.more,
        open: impasse.open.iter().map(open).collect(),
    }
}
