//! Why each operation of a minimal failure is needed, and how far orders come.

use trueline_base::{Meter, Observer};

use super::minimise::Smaller;
use super::{MOST_REASONS, with_wild};
use crate::check::Piece;
use crate::history::{History, OpId};
use crate::search::{Compiled, Control};
use crate::spec::{Next, Spec};
use crate::verdict::{PartialOrder, Reason};

/// Configurations of the search for the longest orders.
const CAP: u64 = 50_000;

/// The reasons, and the longest orders that go wrong only at their end. What was left out may take part in an order,
/// and then it is told.
pub(super) fn of<S: Spec>(
    spec: &S,
    history: &History,
    piece: &Piece<S::Op>,
    smaller: &Smaller,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> (Vec<Reason>, Vec<PartialOrder>) {
    let Smaller { kept, left_out, .. } = smaller;
    let ids = |order: &[usize]| -> Vec<OpId> { order.iter().map(|i| piece.ids[*i]).collect() };
    let mut control =
        Control { cap: CAP + 8 * kept.len() as u64, partials: true, ..Control::new(meter, observer) };
    let ops = with_wild(piece, kept, &left_out.wild);
    let answer = Compiled::new(spec, &piece.ops, meter).search(ops, &left_out.free, &mut control);
    let items: Vec<usize> = kept.iter().chain(&left_out.wild).chain(&left_out.free).copied().collect();
    let partials = answer.partials.into_iter().filter_map(|p| {
        let blocked = *kept.get(p.blocked as usize)?;
        let order: Vec<usize> = p.order.iter().map(|i| items[*i as usize]).collect();
        let state = after(spec, order.iter().map(|i| &piece.ops[*i])).unwrap_or(p.state);
        Some(PartialOrder {
            order: ids(&order),
            state: spec.show(&state),
            blocked: piece.ids[blocked],
            expected: spec.expected(&state, &piece.ops[blocked]),
        })
    });
    let partials = partials.collect();
    if kept.len() > MOST_REASONS || !smaller.minimal {
        return (Vec::new(), partials);
    }
    let reason = |(item, order): &(usize, Vec<usize>)| {
        let (operation, otherwise) = (piece.ids[*item], ids(order));
        Reason { operation, text: text(history, operation, &otherwise), otherwise }
    };
    (smaller.otherwise.iter().map(reason).collect(), partials)
}

/// The state after these operations, where there is no choice: the search may have taken another one for it that
/// nothing tells apart.
fn after<'a, S: Spec>(spec: &S, order: impl Iterator<Item = &'a S::Op>) -> Option<S::State>
where
    S::Op: 'a,
{
    let mut state = spec.initial();
    let mut next = Next::new();
    for op in order {
        spec.step(&state, op, &mut next);
        let mut outcomes = next.drain();
        match (outcomes.next(), outcomes.next()) {
            (Some(only), None) => state = only,
            _ => return None,
        }
    }
    Some(state)
}

/// What is wrong when the specification has no words for it: where the one longest order ends.
pub(super) fn sentence(history: &History, kept: usize, partials: &[PartialOrder]) -> String {
    match partials {
        [PartialOrder { blocked, .. }, ..] if kept == 1 => {
            format!("{} cannot be explained, whatever else happens", history.show(*blocked))
        }
        [] if kept == 1 => "this operation cannot be explained, whatever else happens".into(),
        [PartialOrder { order, blocked, expected: Some(expected), .. }] if order.len() <= 3 => {
            let order: Vec<String> = order.iter().map(|id| history.show(*id)).collect();
            let blocked = history.show(*blocked);
            match order.is_empty() {
                true => format!("{blocked} cannot be explained: at the start it {expected}"),
                false => format!("{blocked} cannot be explained: after {} it {expected}", order.join("; ")),
            }
        }
        _ => format!("no order of these {kept} operations explains their results"),
    }
}

/// Operations of an order that a sentence shows.
const MOST_SHOWN: usize = 8;

/// Why an operation is needed, given an order that would do if it were free. Of a long one, what is around it.
pub(crate) fn text(history: &History, operation: OpId, otherwise: &[OpId]) -> String {
    let place = otherwise.iter().position(|id| *id == operation);
    let latest = otherwise.len().saturating_sub(MOST_SHOWN);
    let from = place.map_or(0, |at| at.saturating_sub(MOST_SHOWN / 2)).min(latest);
    let to = otherwise.len().min(from + MOST_SHOWN);
    let mut shown: Vec<String> = otherwise[from..to].iter().map(|id| history.show(*id)).collect();
    if from > 0 {
        shown.insert(0, "…".into());
    }
    if to < otherwise.len() {
        shown.push("…".into());
    }
    let shown = shown.join("; ");
    match place {
        Some(_) => format!("if it took effect at another time, this order would do: {shown}"),
        None if otherwise.is_empty() => "without it there is nothing to explain".into(),
        None => format!("without it, this order would do: {shown}"),
    }
}
