//! From a history and a specification to a verdict.

mod decide;
mod distance;
mod linked;
mod order;
mod pieces;
mod together;
mod whole;

use trueline_base::{Meter, Observer, Stop};

use crate::ask::Asked;
use crate::build::Problem;
use crate::condition::{Condition, quiescent_spans};
use crate::history::{History, OpId};
use crate::search::Span;
use crate::series;
use crate::spec::{Keyed, Spec};
use crate::verdict::{Engine, Report, Verdict};

pub use decide::{Answer as DecisionAnswer, Decision, decide, decide_with_order};
pub use distance::{Distance, distance};
pub use order::explains;
pub(crate) use pieces::Piece;
pub(crate) use whole::quasi_ops;

/// What is asked of a check.
#[derive(Clone, Debug)]
pub struct Options {
    /// The condition.
    pub condition: Condition,
    /// Whether an order that shows that it holds is wanted.
    pub witness: bool,
    /// Whether the reasons of a failure are wanted.
    pub reasons: bool,
    /// Whether monitors may decide; without them the search does.
    pub monitors: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { condition: Condition::Linearizable, witness: false, reasons: true, monitors: true }
    }
}

/// Checks a history. An error says what in the history the specification does not understand, or why the
/// condition cannot be asked of it.
pub fn check<S: Spec>(
    spec: &S,
    history: &History,
    options: &Options,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Report, Problem> {
    let mut report = Report {
        condition: options.condition.clone(),
        spec: spec.name(),
        verdict: Verdict::Holds { witness: None },
        operations: history.ops.len(),
        pending: history.pending(),
        parts: 1,
        engines: Vec::new(),
        configurations: 0,
        bytes: 0,
    };
    match &options.condition {
        Condition::Linearizable => {
            in_parts(spec, history, options, meter, observer, &mut report)?;
        }
        Condition::Quiescent => {
            let spans: Vec<Span> = history.ops.iter().map(|op| Span { call: op.call, ret: op.ret }).collect();
            let spans = quiescent_spans(&spans);
            pieces::check(spec, history, Some(&spans), options, meter, observer, &mut report)?;
        }
        Condition::QuasiOf(factors) => {
            let relaxed = relaxed(spec, history, factors)?;
            report.spec = relaxed.name();
            in_parts(&relaxed, history, options, meter, observer, &mut report)?;
        }
        Condition::Quasi(_) if let Some(ordered) = in_series(spec, history) => {
            return ordered.check(history, options, meter, observer);
        }
        Condition::Quasi(factor) if keyed(spec, history)? => {
            whole::quasi(&Keyed(spec), history, *factor, options, meter, observer, &mut report)?;
        }
        Condition::Quasi(factor) => {
            whole::quasi(spec, history, *factor, options, meter, observer, &mut report)?;
        }
        // The operations of a series are of one process, whose order it keeps.
        Condition::Sequential if keyed(spec, history)? => {
            whole::sequential(&Keyed(spec), history, options, meter, observer, &mut report)?;
        }
        Condition::Sequential => {
            whole::sequential(spec, history, options, meter, observer, &mut report)?;
        }
        Condition::Regular => {
            let mut wrong = None;
            report.parts = pieces::each_part(spec, history, |piece| {
                match whole::regular(spec, history, piece, options, meter, observer, &mut report) {
                    Ok(further) => further,
                    Err(problem) => {
                        wrong = Some(problem);
                        false
                    }
                }
            })?;
            if let Some(problem) = wrong {
                return Err(problem);
            }
        }
    }
    Ok(report)
}

/// Decides part by part. What is not explained when the order inside series is left open fails; an order that keeps
/// it, found so or with each series at its end, will do; else the search keeps it in mind.
fn in_parts<S: Spec>(
    spec: &S,
    history: &History,
    options: &Options,
    meter: &Meter,
    observer: &mut dyn Observer,
    report: &mut Report,
) -> Result<(), Problem> {
    let spans = series::spans(history, false);
    let Some(ordered) = in_series(spec, history) else {
        let spans = spans.as_deref();
        return pieces::check(spec, history, spans, options, meter, observer, report);
    };
    let wanted = Options { witness: true, ..options.clone() };
    pieces::check(spec, history, spans.as_deref(), &wanted, meter, observer, report)?;
    if !series::kept(history, &report.verdict) {
        let mut narrow = Report { verdict: Verdict::Holds { witness: None }, ..report.clone() };
        let (ends, quiet) = (series::spans(history, true), Options { reasons: false, ..wanted });
        pieces::check(spec, history, ends.as_deref(), &quiet, meter, observer, &mut narrow)?;
        if narrow.verdict.holds() {
            *report = narrow;
        } else {
            let linearizable = Options { condition: Condition::Linearizable, ..options.clone() };
            let searched = ordered.check(history, &linearizable, meter, observer)?;
            *report = Report { condition: options.condition.clone(), ..searched };
            return Ok(());
        }
    }
    if let Verdict::Holds { witness } = &mut report.verdict
        && !options.witness
    {
        *witness = None;
    }
    Ok(())
}

/// The object that keeps the order of series, where the history has some.
fn in_series<S: Spec>(spec: &S, history: &History) -> Option<Box<dyn Asked>> {
    (!history.series.is_empty()).then(|| spec.in_series()).flatten()
}

/// Whether the keys of the log tell objects apart that the specification does not.
pub(crate) fn keyed<S: Spec>(spec: &S, history: &History) -> Result<bool, Problem> {
    for id in history.ids().take(history.keys.len()) {
        if history.key(id).is_some() {
            let op = pieces::decoded(spec, history, id)?;
            return Ok(spec.part(&op).is_none());
        }
    }
    Ok(false)
}

/// The queue relaxed by these factors.
pub fn relaxed<S: Spec>(
    spec: &S,
    history: &History,
    factors: &[(String, u32)],
) -> Result<crate::spec::QuasiQueue, Problem> {
    let mut found = None;
    for (operation, factor) in factors {
        let relaxed = spec.quasi(operation, *factor);
        // Where nothing is removed, a factor for removals is no mistake: it may be meant for many logs.
        let meant = relaxed.is_some() && !history.names.iter().any(|n| spec.quasi(n, *factor).is_some());
        if !history.names.is_empty() && !history.names.contains(operation) && *factor > 0 && !meant {
            return Err(Problem::at(0, format!("the history has no operation `{operation}`"))
                .help(format!("it has {}", history.names.join(", "))));
        }
        match relaxed {
            Some(relaxed) if found.is_none() => found = Some(relaxed),
            Some(_) => return Err(Problem::at(0, "two factors are given for the removals")),
            None if *factor == 0 => {}
            None => {
                return Err(Problem::at(
                    0,
                    format!("a {} has no quasi factor {factor} for `{operation}`", spec.name()),
                )
                .help("factors per operation are for the removals of a queue; use quasi=K for one factor of everything"));
            }
        }
    }
    match found.or_else(|| spec.quasi("deq", 0)) {
        Some(relaxed) => Ok(relaxed),
        None => Err(Problem::at(0, format!("a {} has no factors per operation", spec.name()))
            .help("use quasi=K for one factor of everything")),
    }
}

impl Report {
    pub(crate) fn used(&mut self, engine: Engine) {
        match self.engines.iter_mut().find(|(e, _)| *e == engine) {
            Some((_, n)) => *n += 1,
            None => self.engines.push((engine, 1)),
        }
    }

    pub(crate) fn stopped(&mut self, stop: Stop, progress: Option<(u32, u32)>) {
        self.verdict = Verdict::Unknown { why: stop.to_string(), stop: Some(stop), progress };
    }
}

/// The orders of parts as one order of the whole. Each operation takes effect at the latest call of its part's
/// order so far, which lies in its interval.
pub(crate) fn merge(history: &History, mut orders: Vec<Vec<OpId>>) -> Vec<OpId> {
    if orders.len() <= 1 {
        return orders.pop().unwrap_or_default();
    }
    let mut points: Vec<(u32, u32, u32, OpId)> = Vec::new();
    for (part, order) in orders.iter().enumerate() {
        let mut point = 0;
        for (at, id) in order.iter().enumerate() {
            point = point.max(history.op(*id).call);
            points.push((point, part as u32, at as u32, *id));
        }
    }
    points.sort_unstable();
    points.into_iter().map(|(.., id)| id).collect()
}
