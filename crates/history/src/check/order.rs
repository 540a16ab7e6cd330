//! Orders are looked at again before anybody sees them, with nothing but the specification and the spans.

use crate::history::NEVER;
use crate::search::Interval;
use crate::spec::{self, Ran, Spec};

/// Whether an order explains operations: each that returned stands in it once and the others at most once, real time
/// is kept, and the specification accepts it. The error says what is wrong.
pub fn explains<S: Spec>(spec: &S, ops: &[S::Op], spans: &[Interval], order: &[usize]) -> Result<(), String> {
    in_time(spans, order)?;
    match spec::run(spec, &order.iter().map(|i| &ops[*i]).collect::<Vec<_>>()) {
        Ran::Through => Ok(()),
        Ran::Refused(at) => Err(format!("the specification refuses operation {at} of it")),
    }
}

/// The same without the specification.
pub(super) fn in_time(spans: &[Interval], order: &[usize]) -> Result<(), String> {
    let mut seen = vec![false; spans.len()];
    let mut latest = 0;
    for (at, &i) in order.iter().enumerate() {
        let Some(span) = spans.get(i) else { return Err(format!("operation {at} of it does not exist")) };
        if std::mem::replace(&mut seen[i], true) {
            return Err(format!("operation {at} of it was there before"));
        }
        latest = latest.max(span.call);
        if span.ret < latest {
            return Err(format!("operation {at} of it returned before another that precedes it was called"));
        }
    }
    match (0..spans.len()).find(|i| !seen[*i] && spans[*i].ret != NEVER) {
        Some(i) => Err(format!("the operation called at {} is missing", spans[i].call)),
        None => Ok(()),
    }
}
