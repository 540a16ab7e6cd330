//! From a history and a specification to a verdict.

pub(crate) mod decide;
mod distance;
mod linked;
pub(crate) mod order;
mod pieces;
mod together;
mod whole;

use trueline_base::{Meter, Observer, Stop};

use crate::build::Problem;
use crate::condition::{Condition, quiescent_spans};
use crate::history::{History, OpId};
use crate::search::Interval;
use crate::series::{self, InSeries};
use crate::spec::{AnySpec, Hide, Keyed, OpaqueSpec, Spec};
use crate::verdict::{CheckError, Engine, Report, Undecided, Verdict};

pub use crate::ask::{Asked, Follow};
pub use crate::follow::{FollowError, Status};
pub use crate::spec::named::named;
pub(crate) use decide::{DecisionAnswer, decide};
pub use distance::{Distance, distance};
pub(crate) use pieces::Piece;
#[cfg(any(test, feature = "naive"))]
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

/// Checks a history. An error says what in the history the specification does not understand, why the condition
/// cannot be asked of it, or that the tool is wrong.
pub fn check<S: Spec>(
    spec: &S,
    history: &History,
    options: &Options,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Report, CheckError> {
    let mut report = fresh(spec.name(), history, options);
    match &options.condition {
        Condition::Linearizable => in_parts(spec, history, options, meter, observer, &mut report)?,
        Condition::Quiescent => {
            let spans: Vec<Interval> =
                history.ops.iter().map(|op| Interval { call: op.call, ret: op.ret }).collect();
            let spans = quiescent_spans(&spans);
            pieces::check(spec, history, Some(&spans), options, meter, observer, &mut report)?;
        }
        _ => by_search(&Hide(spec), history, options, meter, observer, &mut report)?,
    }
    Ok(report)
}

/// A report on which nothing is decided yet.
fn fresh(spec: String, history: &History, options: &Options) -> Report {
    Report {
        condition: options.condition.clone(),
        spec,
        verdict: Verdict::Holds(None),
        operations: history.ops.len(),
        pending: history.pending(),
        parts: 1,
        engines: Vec::new(),
        configurations: 0,
        bytes: 0,
    }
}

/// Conditions for which there is no monitor.
fn by_search(
    object: &OpaqueSpec<'_>,
    history: &History,
    options: &Options,
    meter: &Meter,
    observer: &mut dyn Observer,
    report: &mut Report,
) -> Result<(), CheckError> {
    match &options.condition {
        Condition::QuasiOf(factors) => {
            let relaxed = relaxed(object, history, factors)?;
            report.spec = relaxed.name();
            in_parts(&relaxed, history, options, meter, observer, report)
        }
        Condition::Quasi(factor) => {
            if !history.series.is_empty() {
                return everything(&InSeries(object), history, *factor, options, meter, observer, report);
            }
            everything(&object, history, *factor, options, meter, observer, report)
        }
        // The operations of a series are of one process, whose order it keeps.
        Condition::Sequential if keyed(&object, history)? => {
            whole::sequential(&Keyed(&object), history, options, meter, observer, report)
        }
        Condition::Sequential => whole::sequential(&object, history, options, meter, observer, report),
        Condition::Regular => {
            let mut wrong = None;
            report.parts = pieces::each_part(&object, history, |piece| {
                match whole::regular(&object, history, piece, options, meter, observer, report) {
                    Ok(further) => further,
                    Err(error) => {
                        wrong = Some(error);
                        false
                    }
                }
            })?;
            wrong.map_or(Ok(()), Err)
        }
        Condition::Linearizable | Condition::Quiescent => unreachable!("decided part by part"),
    }
}

/// Quasi-linearizability with one factor for everything, all keys together.
fn everything<S: Spec>(
    spec: &S,
    history: &History,
    factor: u32,
    options: &Options,
    meter: &Meter,
    observer: &mut dyn Observer,
    report: &mut Report,
) -> Result<(), CheckError> {
    match keyed(spec, history)? {
        true => whole::quasi(&Keyed(spec), history, factor, options, meter, observer, report),
        false => whole::quasi(spec, history, factor, options, meter, observer, report),
    }
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
) -> Result<(), CheckError> {
    let spans = series::spans(history, false);
    let spans = spans.as_deref();
    if history.series.is_empty() {
        return pieces::check(spec, history, spans, options, meter, observer, report);
    }
    let wanted = Options { witness: true, ..options.clone() };
    pieces::check(spec, history, spans, &wanted, meter, observer, report)?;
    if !series::kept(history, &report.verdict) {
        let mut narrow = Report { verdict: Verdict::Holds(None), ..report.clone() };
        let (ends, quiet) = (series::spans(history, true), Options { reasons: false, ..wanted });
        pieces::check(spec, history, ends.as_deref(), &quiet, meter, observer, &mut narrow)?;
        if narrow.verdict.holds() {
            *report = narrow;
        } else {
            let hidden = Hide(spec);
            let object: &OpaqueSpec<'_> = &hidden;
            *report = fresh(spec.name(), history, options);
            return pieces::check(&InSeries(object), history, spans, options, meter, observer, report);
        }
    }
    if let Verdict::Holds(witness) = &mut report.verdict
        && !options.witness
    {
        *witness = None;
    }
    Ok(())
}

/// Whether the keys of the log tell objects apart that the specification does not.
pub(crate) fn keyed<S: Spec>(spec: &S, history: &History) -> Result<bool, Problem> {
    for id in history.ids().take(history.keys.len()) {
        if history.key(id).is_some() {
            let op = pieces::decoded(spec, history, id)?;
            return Ok(spec.hints().part(&op).is_none());
        }
    }
    Ok(false)
}

/// The object relaxed by these factors.
pub(crate) fn relaxed(
    spec: &OpaqueSpec<'_>,
    history: &History,
    factors: &[(String, u32)],
) -> Result<AnySpec, Problem> {
    let mut found = None;
    for (operation, factor) in factors {
        let relaxed = spec.hints().relaxed(operation, *factor);
        // Where nothing is removed, a factor for removals is no mistake: it may be meant for many logs.
        let meant =
            relaxed.is_some() && !history.names.iter().any(|n| spec.hints().relaxed(n, *factor).is_some());
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
    match found.or_else(|| spec.hints().relaxed("deq", 0)) {
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
        self.verdict = Verdict::Unknown(Undecided::stopped(stop, progress));
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
