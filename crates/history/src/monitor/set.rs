//! One element of a set that is added at most once and removed at most once.
//!
//! Lee and Mathur, "Efficient linearizability monitoring", 2025. All operations that saw the element need a moment at
//! which it is inside: it is surely inside from the earliest return among them to the latest call. Operations that
//! missed it must reach out of that. An `add` that answered false saw it, a `remove` that answered false missed it.
//! Cost: O(n). Claim: exact for unambiguous histories. Oracle: search.

use super::Outcome;
use super::values::END;
use crate::history::NEVER;
use crate::search::Span;
use crate::spec::{SetAction, SetOp};

/// Checks the operations of one element.
pub fn run(ops: &[SetOp], spans: &[Span]) -> Outcome {
    let mut adds = Vec::new();
    let mut removes = Vec::new();
    let (mut saw, mut missed) = (Vec::new(), Vec::new());
    for (i, op) in ops.iter().enumerate() {
        match (op.action, op.answer) {
            (SetAction::Add, Some(true)) => adds.push(i),
            (SetAction::Remove, Some(true)) => removes.push(i),
            (SetAction::Add, None) if spans[i].ret == NEVER => adds.push(i),
            (SetAction::Remove, None) if spans[i].ret == NEVER => removes.push(i),
            (SetAction::Add, Some(false)) | (SetAction::Contains, Some(true)) => saw.push(i),
            (SetAction::Remove, Some(false)) | (SetAction::Contains, Some(false)) => missed.push(i),
            (SetAction::Contains, None) => {}
            _ => return Outcome::Unsuited,
        }
    }
    if adds.len() > 1 || removes.len() > 1 {
        return Outcome::Unsuited;
    }
    let pending = |i: usize| spans[i].ret == NEVER;
    let removed = removes.first().copied();
    let sure_remove = removed.filter(|r| !pending(*r));
    let Some(&add) = adds.first() else {
        return match sure_remove.or(saw.first().copied()) {
            Some(i) => Outcome::Fails(vec![i]),
            None => Outcome::Holds,
        };
    };
    let needed = sure_remove.is_some() || !saw.is_empty();
    if pending(add) && !needed {
        return Outcome::Holds;
    }
    // Whoever saw it, returned after the add was called and was called before the remove returned.
    for &i in saw.iter().chain(&sure_remove) {
        if spans[i].ret < spans[add].call {
            return Outcome::Fails(vec![add, i]);
        }
    }
    if let Some(r) = sure_remove
        && let Some(&i) = saw.iter().chain([&add]).find(|i| spans[r].ret < spans[**i].call)
    {
        return Outcome::Fails(vec![add, r, i]);
    }
    let inside: Vec<usize> = saw.iter().copied().chain([add]).chain(removed).collect();
    let (from, first) = inside.iter().map(|i| (spans[*i].ret, *i)).min().expect("the add");
    let (to, last) = match removed {
        Some(_) => inside.iter().map(|i| (spans[*i].call, *i)).max().expect("the add"),
        None => (END, add),
    };
    match missed.iter().find(|i| spans[**i].call > from && spans[**i].ret < to) {
        Some(&i) => {
            let mut core = vec![add, first, last, i];
            core.extend(removed);
            core.sort_unstable();
            core.dedup();
            Outcome::Fails(core)
        }
        None => Outcome::Holds,
    }
}
