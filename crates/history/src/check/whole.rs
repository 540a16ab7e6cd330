//! Conditions that cannot be decided part by part.

use std::collections::BTreeMap;

use trueline_base::{Meter, Observer};

use super::{Options, Piece};
use crate::build::Problem;
use crate::condition::{Quasi, QuasiOp, regular};
use crate::explain;
use crate::history::{History, NEVER};
use crate::search::{Control, Found, Instance, Span, layers, search, sequential as search_sequential};
use crate::spec::{Monitored, Register, Spec};
use crate::verdict::{Engine, Failure, Report, Verdict};

/// The operations of a quasi-linearizability problem: those of the history, then the virtual removals.
pub(super) fn quasi_ops<S: Spec>(spec: &S, piece: &Piece<S::Op>) -> Vec<(QuasiOp<S::Op>, Span)> {
    let end = NEVER - 1;
    let own = piece.ops.iter().zip(&piece.spans);
    let own = own.map(|(op, span)| (QuasiOp { op: op.clone(), virtual_removal: false }, *span));
    let removals = spec.drain(&piece.ops.iter().collect::<Vec<_>>());
    let removals = removals
        .into_iter()
        .map(|op| (QuasiOp { op, virtual_removal: true }, Span { call: end, ret: NEVER }));
    own.chain(removals).collect()
}

pub(super) fn quasi<S: Spec>(
    spec: &S,
    piece: &Piece<S::Op>,
    factor: u32,
    options: &Options,
    meter: &Meter,
    observer: &mut dyn Observer,
    report: &mut Report,
) {
    let relaxed = Quasi { spec, factor };
    report.used(Engine::Search);
    let ops = quasi_ops(spec, piece);
    let mut control = Control::new(meter, observer);
    let instance = Instance::new(ops.iter().cloned());
    let result = search(&relaxed, &instance, &mut control);
    report.configurations += result.configurations;
    report.bytes = report.bytes.max(result.bytes);
    report.verdict = match result.found {
        Found::Order(order) => {
            let own = order.into_iter().filter(|i| (*i as usize) < piece.ids.len());
            let order = own.map(|i| piece.ids[i as usize]).collect();
            Verdict::Holds { witness: options.witness.then_some(order) }
        }
        Found::Stopped(stop) => {
            report.stopped(stop, Some((result.furthest, instance.events.len() as u32)));
            return;
        }
        Found::Impossible => match layers::decide(&relaxed, &ops, &[], meter) {
            Ok(false) => Verdict::Fails(Box::new(Failure {
                part: None,
                sentence: format!(
                    "no order of these {} operations is within {factor} places of a legal one",
                    piece.ids.len()
                ),
                operations: piece.ids.clone(),
                minimal: false,
                reasons: Vec::new(),
                partials: Vec::new(),
                engine: Engine::Search,
            })),
            Ok(true) => unconfirmed(),
            Err(stop) => explain::not_confirmed_in_time(stop),
        },
    };
}

fn unconfirmed() -> Verdict {
    Verdict::Unconfirmed { why: "the two searches disagree about this history".into() }
}

pub(super) fn sequential<S: Spec>(
    spec: &S,
    history: &History,
    piece: &Piece<S::Op>,
    options: &Options,
    meter: &Meter,
    observer: &mut dyn Observer,
    report: &mut Report,
) {
    report.used(Engine::Search);
    let run = |items: &[usize], control: &mut Control<'_>| {
        let mut processes: BTreeMap<i64, Vec<(u32, S::Op, bool)>> = BTreeMap::new();
        for &i in items {
            let process = history.op(piece.ids[i]).process;
            let pending = piece.spans[i].ret == NEVER;
            processes.entry(process).or_default().push((i as u32, piece.ops[i].clone(), pending));
        }
        search_sequential(spec, &processes.into_values().collect::<Vec<_>>(), control)
    };
    let mut control = Control::new(meter, observer);
    let all: Vec<usize> = (0..piece.ops.len()).collect();
    let result = run(&all, &mut control);
    report.configurations += result.configurations;
    report.bytes = report.bytes.max(result.bytes);
    report.verdict = match result.found {
        Found::Order(order) => {
            let order = order.into_iter().map(|i| piece.ids[i as usize]).collect();
            Verdict::Holds { witness: options.witness.then_some(order) }
        }
        Found::Stopped(stop) => {
            report.stopped(stop, Some((result.furthest, piece.ops.len() as u32)));
            return;
        }
        Found::Impossible => {
            let cap = 10_000 + 4 * result.configurations;
            let (kept, minimal) = explain::projected(spec, piece, all, |items| {
                let mut control = Control { cap, ..Control::new(meter, observer) };
                run(items, &mut control).found == Found::Impossible
            });
            // Confirmed on its own, from the start.
            if run(&kept, &mut Control::new(meter, observer)).found != Found::Impossible {
                report.verdict = unconfirmed();
                return;
            }
            let ops: Vec<&S::Op> = kept.iter().map(|i| &piece.ops[*i]).collect();
            Verdict::Fails(Box::new(Failure {
                part: None,
                sentence: spec.sentence(&ops, &piece.ops).unwrap_or_else(|| {
                    format!("no order of these {} operations keeps each process's own order", kept.len())
                }),
                operations: kept.iter().map(|i| piece.ids[*i]).collect(),
                minimal,
                reasons: Vec::new(),
                partials: Vec::new(),
                engine: Engine::Search,
            }))
        }
    };
}

pub(super) fn regular<S: Spec>(
    spec: &S,
    history: &History,
    piece: &Piece<S::Op>,
    meter: &Meter,
    report: &mut Report,
) -> Result<(), Problem> {
    report.used(Engine::RegularCheck);
    let Some(Monitored::Register(initial, ops)) = spec.as_register(&piece.ops.iter().collect::<Vec<_>>())
    else {
        return Err(Problem::at(0, format!("regular is about registers, not about a {}", spec.name()))
            .help("use --spec register, with reads and writes only"));
    };
    let ops: Vec<_> = ops.into_iter().zip(piece.spans.iter().copied()).collect();
    if let Some(found) = regular::check(&initial, &ops) {
        let mut items = found.writes.clone();
        items.push(found.read);
        items.sort_by_key(|i| piece.spans[*i].call);
        // Confirmed by search: the read alone with the writes of its value and the one between.
        let register = Register { initial, cas: false };
        let shown: Vec<_> = items.iter().map(|i| ops[*i].clone()).collect();
        match layers::decide(&register, &shown, &[], meter) {
            Ok(false) => {}
            Ok(true) => {
                report.verdict = unconfirmed();
                return Ok(());
            }
            Err(stop) => {
                report.verdict = explain::not_confirmed_in_time(stop);
                return Ok(());
            }
        }
        let read = history.show(piece.ids[found.read]);
        report.verdict = Verdict::Fails(Box::new(Failure {
            part: None,
            sentence: match found.writes.as_slice() {
                [] => format!("{read} answers a value that nobody wrote"),
                _ => format!("{read} answers a value that was overwritten before it, or written after it"),
            },
            operations: items.iter().map(|i| piece.ids[*i]).collect(),
            minimal: false,
            reasons: Vec::new(),
            partials: Vec::new(),
            engine: Engine::RegularCheck,
        }));
    }
    Ok(())
}
