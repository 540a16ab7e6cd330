//! Conditions that hold for the whole exactly when they hold for each independent part (Herlihy and Wing,
//! TOPLAS 1990, theorem 1; Horn and Kroening, FORTE 2015): the history is split by part and each is decided alone.

use std::collections::BTreeMap;

use trueline_base::{Meter, Observer};

use super::decide::{Answer, decide};
use super::{Options, merge};
use crate::build::Problem;
use crate::datum::Datum;
use crate::explain;
use crate::history::{History, OpId};
use crate::search::{Control, Found, Instance, Span, search};
use crate::spec::Spec;
use crate::verdict::{Report, Verdict};

/// Operations in the terms of a specification, with their spans.
#[derive(Clone, Debug)]
pub(crate) struct Piece<O> {
    pub ops: Vec<O>,
    pub spans: Vec<Span>,
    pub ids: Vec<OpId>,
    pub part: Option<Datum>,
}

impl<O: Clone> Piece<O> {
    /// Decodes a history. Pending operations that change nothing are left out.
    pub fn decode<S: Spec<Op = O>>(spec: &S, history: &History) -> Result<Piece<O>, Problem> {
        let n = history.ops.len();
        let mut piece = Piece {
            ops: Vec::with_capacity(n),
            spans: Vec::with_capacity(n),
            ids: Vec::with_capacity(n),
            part: None,
        };
        for id in history.ids() {
            let op = history.op(id);
            let decoded = spec.decode(&history.call(op)).map_err(|e| Problem::at(op.line, e))?;
            if op.pending() && spec.observes(&decoded) {
                continue;
            }
            piece.ops.push(decoded);
            piece.spans.push(Span { call: op.call, ret: op.ret });
            piece.ids.push(id);
        }
        Ok(piece)
    }

    /// Some of the operations.
    pub fn only(&self, items: &[usize]) -> Piece<O> {
        Piece {
            ops: items.iter().map(|i| self.ops[*i].clone()).collect(),
            spans: items.iter().map(|i| self.spans[*i]).collect(),
            ids: items.iter().map(|i| self.ids[*i]).collect(),
            part: self.part.clone(),
        }
    }
}

/// The parts in the order of their keys. `keyed` says whether the log's own keys are objects of their own.
fn split<S: Spec>(
    spec: &S,
    history: &History,
    piece: Piece<S::Op>,
) -> Result<Vec<Piece<S::Op>>, Piece<S::Op>> {
    let key_of = |i: usize| spec.part(&piece.ops[i]).or_else(|| history.op(piece.ids[i]).key.clone());
    let mut parts: BTreeMap<Option<Datum>, Vec<usize>> = BTreeMap::new();
    for i in 0..piece.ops.len() {
        parts.entry(key_of(i)).or_default().push(i);
    }
    if parts.len() <= 1 {
        return Err(piece);
    }
    // Operations without a key belong to every part.
    let common = parts.remove(&None).unwrap_or_default();
    Ok(parts
        .into_iter()
        .map(|(key, mut items)| {
            if !common.is_empty() {
                items.extend(&common);
                items.sort_unstable();
            }
            Piece { part: key, ..piece.only(&items) }
        })
        .collect())
}

pub(super) fn check<S: Spec>(
    spec: &S,
    history: &History,
    piece: Piece<S::Op>,
    options: &Options,
    meter: &Meter,
    observer: &mut dyn Observer,
    report: &mut Report,
) {
    let parts = match split(spec, history, piece) {
        Ok(parts) => parts,
        Err(whole) => vec![whole],
    };
    report.parts = parts.len();
    let mut orders: Option<Vec<Vec<OpId>>> = options.witness.then(Vec::new);
    let mut unknown = None;
    for part in &parts {
        let mut control = Control::new(meter, observer);
        let decision = decide(spec, &part.ops, &part.spans, options.monitors, &mut control);
        report.used(decision.engine);
        report.configurations += decision.configurations;
        report.bytes = report.bytes.max(decision.bytes);
        match decision.answer {
            Answer::Holds(order) => {
                if let Some(all) = &mut orders {
                    match order.or_else(|| witness(spec, part, &mut control)) {
                        Some(o) => all.push(o.into_iter().map(|i| part.ids[i]).collect()),
                        None => orders = None,
                    }
                }
            }
            Answer::Fails(core) => {
                report.verdict =
                    explain::failure(spec, history, part, core, decision.engine, options, meter, observer);
                return;
            }
            // Another part may still fail, which settles it.
            Answer::Stopped(stop, at, of) => unknown = unknown.or(Some((stop, at, of))),
        }
    }
    match unknown {
        Some((stop, at, of)) => report.stopped(stop, Some((at, of))),
        None => {
            let witness = orders.map(|o| merge(history, &o));
            report.verdict = Verdict::Holds { witness };
        }
    }
}

/// An order for a piece that a monitor found to hold.
fn witness<S: Spec>(spec: &S, part: &Piece<S::Op>, control: &mut Control<'_>) -> Option<Vec<usize>> {
    let instance = Instance::new(part.ops.iter().cloned().zip(part.spans.iter().copied()));
    match search(spec, &instance, control).found {
        Found::Order(order) => Some(order.into_iter().map(|i| i as usize).collect()),
        _ => None,
    }
}
