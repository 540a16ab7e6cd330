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
    let partials = answer.partials.iter().filter_map(|p| {
        let blocked = *kept.get(p.blocked as usize)?;
        Some(PartialOrder {
            order: id(&p.order, kept),
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
