//! Conditions that cannot be decided part by part.

use std::collections::BTreeMap;

use trueline_base::{Meter, Observer, Stop};

use super::{Options, Piece};
use crate::build::{Problem, Setting};
use crate::condition::{Quasi, QuasiOp, regular};
use crate::explain;
use crate::explain::SmallerPart;
use crate::history::{History, NEVER, OpId, Output};
use crate::search::{
    Control, Instance, Interval, SearchResult, layers, search, sequential as search_sequential,
};
use crate::spec::{Monitored, Register, RegisterOp, Spec};
use crate::verdict::{CheckError, Engine, Failure, Reason, Report, Verdict};

/// The operations of a quasi-linearizability problem: those of the history, then the virtual removals.
pub(crate) fn quasi_ops<S: Spec>(
    spec: &S,
    ops: &[S::Op],
    spans: &[Interval],
) -> Vec<(QuasiOp<S::Op>, Interval)> {
    let end = NEVER - 1;
    let own = ops.iter().zip(spans);
    let own = own.map(|(op, span)| (QuasiOp { op: op.clone(), virtual_removal: false }, *span));
    let removals = spec.hints().drain(&ops.iter().collect::<Vec<_>>());
    let removals = removals
        .into_iter()
        .map(|op| (QuasiOp { op, virtual_removal: true }, Interval { call: end, ret: NEVER }));
    own.chain(removals).collect()
}

pub(super) fn quasi<S: Spec>(
    spec: &S,
    history: &History,
    factor: u32,
    options: &Options,
    meter: &Meter,
    observer: &mut dyn Observer,
    report: &mut Report,
) -> Result<(), CheckError> {
    let piece = Piece::decode(spec, history)?;
    let relaxed = Quasi { spec, factor };
    report.used(Engine::Search);
    let ops = quasi_ops(spec, &piece.ops, &piece.spans);
    let mut control = Control::new(meter, observer);
    let instance = Instance::new(ops.iter().cloned(), |_| false);
    let result = search(&relaxed, &instance, &mut control);
    report.configurations += result.configurations;
    report.bytes = report.bytes.max(result.bytes);
    let count = piece.ids.len();
    match result.found {
        SearchResult::Order(order) => {
            let own = order.into_iter().filter(|i| (*i as usize) < count);
            let order = own.map(|i| piece.ids[i as usize]).collect();
            report.verdict = Verdict::Holds(options.witness.then_some(order));
            return Ok(());
        }
        SearchResult::Stopped(stop) => {
            report.stopped(stop, Some((result.furthest, instance.shape.events.len() as u32)));
            return Ok(());
        }
        SearchResult::Impossible => {}
    }
    // What is kept with what is free, then the virtual removals, which are always there.
    let with = |kept: &[usize], free: &[usize]| -> Vec<(QuasiOp<S::Op>, Interval)> {
        let kept = kept.iter().map(|i| ops[*i].clone());
        let free = free.iter().map(|i| (ops[*i].0.clone(), Interval { call: 0, ret: NEVER }));
        kept.chain(free).chain(ops[count..].iter().cloned()).collect()
    };
    let cap = 20_000 + 4 * result.configurations;
    let half = meter.share(2);
    let part = explain::smallest((0..count).collect(), options.reasons, |kept, free| {
        let mut control = Control { cap, ..Control::new(&half, observer) };
        let found = search(&relaxed, &Instance::new(with(kept, free), |_| false), &mut control).found;
        ordered(found, kept, free)
    });
    let again = layers::decide(&relaxed, &with(&part.kept, &part.free), &[], meter);
    let sentence =
        |n: usize| format!("no order of these {n} operations is within {factor} places of a legal one");
    report.verdict = settled(history, &piece, Engine::Search, part, again, half.check(0, 0).err(), |part| {
        sentence(part.kept.len())
    })?;
    Ok(())
}

/// The verdict for a part that was found impossible and looked at again.
fn settled<O>(
    history: &History,
    piece: &Piece<O>,
    engine: Engine,
    part: SmallerPart,
    explained: Result<bool, Stop>,
    cut: Option<Stop>,
    sentence: impl FnOnce(&SmallerPart) -> String,
) -> Result<Verdict, CheckError> {
    if explained == Ok(true) {
        return Err(CheckError::Unconfirmed("the two searches disagree about this history".into()));
    }
    let reason = |(item, order): &(usize, Vec<usize>)| {
        let operation = piece.ids[*item];
        let otherwise: Vec<OpId> = order.iter().map(|i| piece.ids[*i]).collect();
        Reason { operation, text: explain::reason(history, operation, &otherwise), otherwise }
    };
    Ok(Verdict::Fails(Box::new(Failure {
        part: piece.part.clone(),
        sentence: sentence(&part),
        operations: part.kept.iter().map(|i| piece.ids[*i]).collect(),
        minimal: part.minimal,
        cut: explained.err().or(cut.filter(|_| !part.minimal)),
        confirmed: explained.is_ok(),
        reasons: part.otherwise.iter().map(reason).collect(),
        partials: Vec::new(),
        impasse: None,
        also: Vec::new(),
        undecided: 0,
        engine,
    })))
}

/// What was found, with an order in the items that were given.
fn ordered(found: SearchResult, kept: &[usize], free: &[usize]) -> (SearchResult, Vec<usize>) {
    let order = match &found {
        SearchResult::Order(order) => {
            let item = |i: &u32| kept.iter().chain(free).nth(*i as usize).copied();
            order.iter().filter_map(item).collect()
        }
        _ => Vec::new(),
    };
    (found, order)
}

pub(super) fn sequential<S: Spec>(
    spec: &S,
    history: &History,
    options: &Options,
    meter: &Meter,
    observer: &mut dyn Observer,
    report: &mut Report,
) -> Result<(), CheckError> {
    let piece = &Piece::decode(spec, history)?;
    report.used(Engine::Search);
    // What is free belongs to no process.
    let run = |items: &[usize], free: &[usize], control: &mut Control<'_>| {
        let mut processes: BTreeMap<i64, Vec<(u32, S::Op, bool)>> = BTreeMap::new();
        for (at, &i) in items.iter().enumerate() {
            let process = history.op(piece.ids[i]).process;
            let pending = piece.spans[i].ret == NEVER;
            processes.entry(process).or_default().push((at as u32, piece.ops[i].clone(), pending));
        }
        let free = free.iter().enumerate();
        let free = free.map(|(at, i)| vec![((items.len() + at) as u32, piece.ops[*i].clone(), true)]);
        search_sequential(spec, &processes.into_values().chain(free).collect::<Vec<_>>(), control)
    };
    let mut control = Control::new(meter, observer);
    let all: Vec<usize> = (0..piece.ops.len()).collect();
    let result = run(&all, &[], &mut control);
    report.configurations += result.configurations;
    report.bytes = report.bytes.max(result.bytes);
    match result.found {
        SearchResult::Order(order) => {
            let order = order.into_iter().map(|i| piece.ids[i as usize]).collect();
            report.verdict = Verdict::Holds(options.witness.then_some(order));
            return Ok(());
        }
        SearchResult::Stopped(stop) => {
            report.stopped(stop, Some((result.furthest, piece.ops.len() as u32)));
            return Ok(());
        }
        SearchResult::Impossible => {}
    }
    let cap = 20_000 + 4 * result.configurations;
    let lost = piece.ids.iter().any(|id| history.output(*id) == Output::Lost);
    let half = meter.share(2);
    let projected = explain::projected(spec, piece, !lost, all, |items| {
        let mut control = Control { cap, ..Control::new(&half, observer) };
        run(items, &[], &mut control).found == SearchResult::Impossible
    });
    let part = explain::smallest(projected, options.reasons, |kept, free| {
        let mut control = Control { cap, ..Control::new(&half, observer) };
        ordered(run(kept, free, &mut control).found, kept, free)
    });
    // Confirmed on its own, from the start.
    let again = match run(&part.kept, &part.free, &mut Control::new(meter, observer)).found {
        SearchResult::Impossible => Ok(false),
        SearchResult::Order(_) => Ok(true),
        SearchResult::Stopped(stop) => Err(stop),
    };
    report.verdict = settled(history, piece, Engine::Search, part, again, half.check(0, 0).err(), |part| {
        let ops: Vec<&S::Op> = part.kept.iter().map(|i| &piece.ops[*i]).collect();
        spec.sentence(&ops, &piece.ops.iter().collect::<Vec<_>>()).unwrap_or_else(|| {
            format!("no order of these {} operations keeps each process's own order", ops.len())
        })
    })?;
    Ok(())
}

/// Checks the registers of one part; false when it fails.
pub(super) fn regular<S: Spec>(
    spec: &S,
    history: &History,
    piece: &Piece<S::Op>,
    options: &Options,
    meter: &Meter,
    observer: &mut dyn Observer,
    report: &mut Report,
) -> Result<bool, CheckError> {
    report.used(Engine::RegularCheck);
    let Some(Monitored::Register(initial, ops)) = spec.hints().reads_and_writes(&piece.ops) else {
        return Err(Problem::at(0, format!("regular is about registers, not about a {}", spec.name()))
            .setting(Setting::Register)
            .into());
    };
    let ops: Vec<_> = ops.iter().cloned().zip(piece.spans.iter().copied()).collect();
    let Some(found) = regular::check(&initial, &ops) else { return Ok(true) };
    let mut items = found.writes.clone();
    items.push(found.read);
    items.sort_by_key(|i| piece.spans[*i].call);
    // The read alone with the writes of its value and the one between: writes of other values can be taken out.
    let register = Register { initial, cas: false };
    let with = |kept: &[usize], free: &[usize]| -> Vec<(RegisterOp, Interval)> {
        let kept = kept.iter().map(|i| ops[*i].clone());
        kept.chain(free.iter().map(|i| (ops[*i].0.clone(), Interval { call: 0, ret: NEVER }))).collect()
    };
    let half = meter.share(2);
    let part = explain::smallest(items, options.reasons, |kept, free| {
        let mut control = Control { cap: 20_000, ..Control::new(&half, observer) };
        ordered(
            search(&register, &Instance::new(with(kept, free), |_| false), &mut control).found,
            kept,
            free,
        )
    });
    let again = layers::decide(&register, &with(&part.kept, &part.free), &[], meter);
    report.verdict =
        settled(history, piece, Engine::RegularCheck, part, again, half.check(0, 0).err(), |_| {
            let read = history.show(piece.ids[found.read]);
            match found.writes.as_slice() {
                [] => format!("{read} answers a value that nobody wrote"),
                _ => format!("{read} answers a value that was overwritten before it, or written after it"),
            }
        })?;
    Ok(false)
}
