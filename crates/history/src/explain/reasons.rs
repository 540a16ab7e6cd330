//! Why each operation of a minimal failure is needed, and how far orders come.

use trueline_base::{Meter, Observer};

use super::minimise::Smaller;
use super::with_wild;
use crate::check::Piece;
use crate::history::{History, OpId};
use crate::search::{Control, Found, Instance, search};
use crate::spec::Spec;
use crate::verdict::{PartialOrder, Reason};

/// Operations up to which each gets its reason.
const MOST: usize = 24;
/// Configurations of one attempt.
const CAP: u64 = 50_000;

/// The reasons, and the longest orders that go wrong only at their end.
pub(super) fn of<S: Spec>(
    spec: &S,
    history: &History,
    piece: &Piece<S::Op>,
    smaller: &Smaller<S::Op>,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> (Vec<Reason>, Vec<PartialOrder>) {
    let kept = &smaller.kept;
    let mut control =
        Control { cap: CAP + 8 * kept.len() as u64, partials: true, ..Control::new(meter, observer) };
    let id = |order: &[u32], items: &[usize]| -> Vec<OpId> {
        order.iter().filter_map(|i| items.get(*i as usize)).map(|i| piece.ids[*i]).collect()
    };
    let mut instance = Instance::new(with_wild::<S>(piece, kept, &smaller.wild), |o| spec.observes(o));
    instance.free = smaller.free.clone();
    let answer = search(spec, &instance, &mut control);
    // What was left out may take part in an order, and then it is told.
    let placed: Vec<usize> = kept.iter().chain(&smaller.wild).copied().collect();
    let partials = answer.partials.iter().filter_map(|p| {
        let blocked = *kept.get(p.blocked as usize)?;
        Some(PartialOrder {
            order: id(&p.order, &placed),
            state: spec.show(&p.state),
            blocked: piece.ids[blocked],
            expected: spec.expected(&p.state, &piece.ops[blocked]),
        })
    });
    let partials: Vec<PartialOrder> = partials.collect();
    let mut reasons = Vec::new();
    if kept.len() <= MOST && smaller.minimal {
        control.partials = false;
        for &item in kept {
            let rest: Vec<usize> = kept.iter().copied().filter(|i| *i != item).collect();
            let mut wild: Vec<usize> = smaller.wild.clone();
            wild.push(item);
            let mut instance = Instance::new(with_wild::<S>(piece, &rest, &wild), |o| spec.observes(o));
            instance.free = smaller.free.clone();
            if let Found::Order(order) = search(spec, &instance, &mut control).found {
                let items: Vec<usize> = rest.iter().chain(&wild).copied().collect();
                let otherwise = id(&order, &items);
                reasons.push(Reason {
                    operation: piece.ids[item],
                    text: text(history, piece.ids[item], &otherwise),
                    otherwise,
                });
            }
        }
    }
    (reasons, partials)
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

/// Why an operation is needed, given an order that would do if it were free.
pub(crate) fn text(history: &History, operation: OpId, otherwise: &[OpId]) -> String {
    let shown: Vec<String> = otherwise.iter().map(|id| history.show(*id)).collect();
    if otherwise.contains(&operation) {
        format!("were it free to take effect at another time, this would do: {}", shown.join("; "))
    } else if shown.is_empty() {
        "without it there is nothing to explain".into()
    } else {
        format!("without it this would do: {}", shown.join("; "))
    }
}
