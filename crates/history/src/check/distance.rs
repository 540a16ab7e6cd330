//! The smallest quasi factor for which a history passes.

use trueline_base::{Meter, Observer, Stop};

use super::pieces::each_part;
use super::whole::quasi_ops;
use super::{Piece, keyed, relaxed};
use crate::build::Problem;
use crate::condition::Quasi;
use crate::history::{History, NEVER};
use crate::search::{Control, Instance, Interval, SearchResult, search};
use crate::series::InSeries;
use crate::spec::{Container, Discipline, Hide, Keyed, OpaqueSpec, Spec};

/// How far a history is from being linearizable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// It passes with this factor and with none smaller.
    Exactly(u32),
    /// It passes with no factor: no order of its operations at all is legal.
    Never,
    /// It does not pass with any smaller factor; a limit was reached there.
    AtLeast(u32, Stop),
}

/// The smallest K for which `quasi=K` holds, or with an operation the smallest K for `quasi=operation:K`.
pub fn distance<S: Spec>(
    spec: &S,
    history: &History,
    operation: Option<&str>,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Distance, Problem> {
    of_object(&Hide(spec), history, operation, meter, observer)
}

fn of_object(
    object: &OpaqueSpec<'_>,
    history: &History,
    operation: Option<&str>,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Distance, Problem> {
    match operation {
        None if !history.series.is_empty() => any_keys(&InSeries(object), history, meter, observer),
        None => any_keys(&object, history, meter, observer),
        Some(operation) => removals(object, history, operation, meter, observer),
    }
}

fn any_keys<S: Spec>(
    spec: &S,
    history: &History,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Distance, Problem> {
    match keyed(spec, history)? {
        true => everything(&Keyed(spec), history, meter, observer),
        false => everything(spec, history, meter, observer),
    }
}

/// The smallest factor of everything.
fn everything<S: Spec>(
    spec: &S,
    history: &History,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Distance, Problem> {
    let piece = Piece::decode(spec, history)?;
    let ops = quasi_ops(spec, &piece.ops, &piece.spans);
    // No displacement is larger than the number of operations.
    for factor in 0..=ops.len() as u32 {
        let instance = Instance::new(ops.iter().cloned(), |_| false);
        match search(&Quasi { spec, factor }, &instance, &mut Control::new(meter, observer)).found {
            SearchResult::Order(_) => return Ok(Distance::Exactly(factor)),
            SearchResult::Stopped(stop) => return Ok(Distance::AtLeast(factor, stop)),
            SearchResult::Impossible => {}
        }
        if factor == 0 && never(spec, &ops, meter, observer) {
            return Ok(Distance::Never);
        }
    }
    Ok(Distance::Never)
}

/// The smallest factor of an operation, for which each part passes.
fn removals(
    object: &OpaqueSpec<'_>,
    history: &History,
    operation: &str,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Distance, Problem> {
    // An element is never more places late than there are operations.
    for factor in 0..=history.ops.len() as u32 {
        let queue = relaxed(object, history, &[(operation.to_string(), factor)])?;
        let queue = InSeries(queue);
        let mut found = None;
        each_part(&queue, history, |piece| {
            let instance = Instance::borrowed(&piece.ops, &piece.spans, |o| queue.hints().observes(o));
            match search(&queue, &instance, &mut Control::new(meter, observer)).found {
                SearchResult::Order(_) => true,
                other => {
                    found = Some(other);
                    false
                }
            }
        })?;
        match found {
            None => return Ok(Distance::Exactly(factor)),
            Some(SearchResult::Stopped(stop)) => return Ok(Distance::AtLeast(factor, stop)),
            Some(_) => {}
        }
        if factor == 0 {
            let bag = Container::new(Discipline::Any);
            let piece = Piece::decode(&bag, history)?;
            let ops = quasi_ops(&bag, &piece.ops, &piece.spans);
            if history.keys.is_empty() && never(&bag, &ops, meter, observer) {
                return Ok(Distance::Never);
            }
        }
    }
    Ok(Distance::Never)
}

/// Whether a quick look already shows that no order at all is legal.
fn never<S: Spec>(
    spec: &S,
    ops: &[(crate::condition::QuasiOp<S::Op>, Interval)],
    meter: &Meter,
    observer: &mut dyn Observer,
) -> bool {
    let n = ops.len() as u32;
    let loose = ops.iter().filter(|(o, _)| !o.virtual_removal).enumerate().map(|(i, (o, s))| {
        let ret = if s.ret == NEVER { NEVER } else { n + i as u32 };
        (o.op.clone(), Interval { call: i as u32, ret })
    });
    let mut control = Control { cap: 100_000, ..Control::new(meter, observer) };
    search(spec, &Instance::new(loose, |o| spec.hints().observes(o)), &mut control).found
        == SearchResult::Impossible
}
