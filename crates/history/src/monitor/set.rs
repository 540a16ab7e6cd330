//! One element of a set that is added at most once and removed at most once; `toggled` has the others.
//!
//! Lee and Mathur, "Efficient linearizability monitoring", 2025. All operations that saw the element need a moment at
//! which it is inside: it is surely inside from the earliest return among them to the latest call. Operations that
//! missed it must reach out of that. An `add` that answered false saw it, a `remove` that answered false missed it.
//! Cost: O(n). Claim: exact for unambiguous histories. Oracle: search.
//!
//! The order: the element is added in the last gap before the earliest return, and removed in the gap after the latest
//! call, or in the same gap if that comes first. Who saw it stands in between, in the gap of the addition or of the
//! own call if that is later; who missed it stands before if it was called early enough, else behind. Cost: O(n log n).

use super::places::Places;
use super::values::END;
use super::{MonitorAnswer, toggled};
use crate::history::NEVER;
use crate::search::Interval;
use crate::spec::{SetAction, SetOp};

/// What an operation says about the element.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    /// It put it in, or took it out.
    Added,
    Removed,
    /// It found it inside, or not.
    Saw,
    Missed,
    Nothing,
}

pub(super) fn said(op: &SetOp, span: &Interval) -> Option<Said> {
    let pending = span.ret == NEVER;
    Some(match (op.action, op.answer) {
        (SetAction::Add, Some(true)) => Said::Added,
        (SetAction::Remove, Some(true)) => Said::Removed,
        (SetAction::Add, None) if pending => Said::Added,
        (SetAction::Remove, None) if pending => Said::Removed,
        (SetAction::Add, Some(false)) | (SetAction::Contains, Some(true)) => Said::Saw,
        (SetAction::Remove, Some(false)) | (SetAction::Contains, Some(false)) => Said::Missed,
        (SetAction::Contains, None) => Said::Nothing,
        _ => return None,
    })
}

/// Checks the operations of one element.
pub fn run(ops: &[SetOp], spans: &[Interval], wanted: bool) -> MonitorAnswer {
    let (mut added, mut removed) = (None, None);
    for (i, (op, span)) in ops.iter().zip(spans).enumerate() {
        let place = match said(op, span) {
            Some(Said::Added) => &mut added,
            Some(Said::Removed) => &mut removed,
            Some(_) => continue,
            None => return MonitorAnswer::Unsuited,
        };
        if place.replace(i).is_some() {
            return toggled::run(ops, spans, wanted);
        }
    }
    let each = |what: Said| {
        let these = move |i: &usize| said(&ops[*i], &spans[*i]) == Some(what);
        (0..ops.len()).filter(these)
    };
    let pending = |i: usize| spans[i].ret == NEVER;
    let sure_remove = removed.filter(|r| !pending(*r));
    let Some(add) = added else {
        return match sure_remove.or_else(|| each(Said::Saw).next()) {
            Some(i) => MonitorAnswer::Fails(vec![i]),
            None => MonitorAnswer::Holds(wanted.then(|| never_inside(ops, spans))),
        };
    };
    let needed = sure_remove.is_some() || each(Said::Saw).next().is_some();
    if pending(add) && !needed {
        return MonitorAnswer::Holds(wanted.then(|| never_inside(ops, spans)));
    }
    // Whoever saw it, returned after the add was called and was called before the remove returned.
    if let Some(i) = each(Said::Saw).chain(sure_remove).find(|i| spans[*i].ret < spans[add].call) {
        return MonitorAnswer::Fails(vec![add, i]);
    }
    if let Some(r) = sure_remove
        && let Some(i) = each(Said::Saw).chain([add]).find(|i| spans[r].ret < spans[*i].call)
    {
        return MonitorAnswer::Fails(vec![add, r, i]);
    }
    let inside = || each(Said::Saw).chain([add]).chain(removed);
    let (from, first) = inside().map(|i| (spans[i].ret, i)).min().expect("the add");
    let (to, last) = match removed {
        Some(_) => inside().map(|i| (spans[i].call, i)).max().expect("the add"),
        None => (END, add),
    };
    match each(Said::Missed).find(|i| spans[*i].call > from && spans[*i].ret < to) {
        Some(i) => {
            let mut core = vec![add, first, last, i];
            core.extend(removed);
            core.sort_unstable();
            core.dedup();
            MonitorAnswer::Fails(core)
        }
        None => MonitorAnswer::Holds(wanted.then(|| inside_once(ops, spans, (from, to)))),
    }
}

/// The order in which the element never was inside.
fn never_inside(ops: &[SetOp], spans: &[Interval]) -> Vec<usize> {
    let mut places = Places::with_capacity(ops.len());
    for (i, (op, span)) in ops.iter().zip(spans).enumerate() {
        if span.ret != NEVER && matches!(said(op, span), Some(Said::Missed | Said::Nothing)) {
            places.put(i, span.call, 0);
        }
    }
    places.into_order()
}

/// The order in which it was inside from before the earliest return to after the latest call.
fn inside_once(ops: &[SetOp], spans: &[Interval], (from, to): (u32, u32)) -> Vec<usize> {
    let added = from - 1;
    let removed = to.max(added);
    let mut places = Places::with_capacity(ops.len());
    for (i, (op, span)) in ops.iter().zip(spans).enumerate() {
        let (gap, rank) = match said(op, span) {
            Some(Said::Missed | Said::Nothing) if span.ret == NEVER => continue,
            Some(Said::Nothing) => (span.call, 0),
            Some(Said::Missed) if span.call <= added => (span.call, 0),
            Some(Said::Added) => (added, 1),
            Some(Said::Saw) => (span.call.max(added), 2),
            Some(Said::Removed) => (removed, 3),
            Some(Said::Missed) => (span.call.max(removed), 4),
            None => continue,
        };
        places.put(i, gap, rank);
    }
    places.into_order()
}
