//! Which slots an instruction reads and writes.

use std::collections::BTreeSet;
use trueline_lang::ir::{Expr, InstrKind, Place, Slot, Stride};

/// The slots that an instruction overwrites whole.
pub fn defined(kind: &InstrKind) -> Vec<Slot> {
    match kind {
        InstrKind::Set { slot, .. }
        | InstrKind::Choose { slot, .. }
        | InstrKind::New { slot, .. }
        | InstrKind::Read { slot, .. }
        | InstrKind::Cas { slot, .. }
        | InstrKind::Cmpxchg { slot, .. }
        | InstrKind::Swap { slot, .. }
        | InstrKind::Faa { slot, .. }
        | InstrKind::Tas { slot, .. }
        | InstrKind::Dcas { slot, .. }
        | InstrKind::LoadLinked { slot, .. }
        | InstrKind::StoreConditional { slot, .. }
        | InstrKind::Validate { slot, .. } => vec![*slot],
        InstrKind::Collect { result, .. } => result.iter().copied().collect(),
        _ => Vec::new(),
    }
}

/// The slots that an instruction reads.
pub fn used(kind: &InstrKind, found: &mut BTreeSet<Slot>) {
    match kind {
        InstrKind::Set { value, .. } => slots(value, found),
        InstrKind::SetElement { slot, path, value } => {
            found.insert(*slot);
            path.iter().chain([value]).for_each(|e| slots(e, found));
        }
        InstrKind::Collect { slot, args, .. } => {
            found.insert(*slot);
            args.iter().for_each(|e| slots(e, found));
        }
        InstrKind::Branch { condition: e, .. }
        | InstrKind::Assume(e)
        | InstrKind::Assert(e)
        | InstrKind::Return(e)
        | InstrKind::Free(e)
        | InstrKind::Await(e) => slots(e, found),
        InstrKind::Choose { low, high, .. } => [low, high].into_iter().for_each(|e| slots(e, found)),
        InstrKind::New { cells, .. } => cells.iter().for_each(|(_, e)| slots(e, found)),
        InstrKind::Read { place, .. }
        | InstrKind::Tas { place, .. }
        | InstrKind::LoadLinked { place, .. }
        | InstrKind::Validate { place, .. }
        | InstrKind::Lock(place)
        | InstrKind::Unlock(place) => place_slots(place, found),
        InstrKind::Write { place, value }
        | InstrKind::Swap { place, value, .. }
        | InstrKind::Faa { place, amount: value, .. }
        | InstrKind::StoreConditional { place, value, .. } => {
            place_slots(place, found);
            slots(value, found);
        }
        InstrKind::Cas { place, old, new, .. } | InstrKind::Cmpxchg { place, old, new, .. } => {
            place_slots(place, found);
            [old, new].into_iter().for_each(|e| slots(e, found));
        }
        InstrKind::Dcas { first, second, .. } => {
            for (place, old, new) in [first, second] {
                place_slots(place, found);
                [old, new].into_iter().for_each(|e| slots(e, found));
            }
        }
        InstrKind::Jump(_)
        | InstrKind::Either(_)
        | InstrKind::Fail(_)
        | InstrKind::Enter
        | InstrKind::Leave => {}
    }
}

fn place_slots(place: &Place, found: &mut BTreeSet<Slot>) {
    let index = match place {
        Place::Shared { index, .. } => index,
        Place::Field { object, index, .. } => {
            slots(object, found);
            index
        }
    };
    index.iter().for_each(|Stride { index, .. }| slots(index, found));
}

/// The slots of an expression.
pub fn slots(expr: &Expr, found: &mut BTreeSet<Slot>) {
    match expr {
        Expr::Slot(slot) => {
            found.insert(*slot);
        }
        Expr::Const(_) | Expr::SelfTid => {}
        Expr::Not(e)
        | Expr::Neg(e)
        | Expr::Component(e, _)
        | Expr::IsVariant(e, _)
        | Expr::Payload(e, _)
        | Expr::Present(e)
        | Expr::NonNull(e)
        | Expr::InRange(e, ..)
        | Expr::Repeat(e, _)
        | Expr::TidToInt(e)
        | Expr::TidToVal(e) => slots(e, found),
        Expr::Binary(_, a, b) | Expr::Element(a, b) => {
            slots(a, found);
            slots(b, found);
        }
        Expr::If(a, b, c) => [a, b, c].into_iter().for_each(|e| slots(e, found)),
        Expr::Tuple(es)
        | Expr::Variant(_, es)
        | Expr::Array(es)
        | Expr::Seq(es)
        | Expr::Set(es)
        | Expr::Bag(es) => es.iter().for_each(|e| slots(e, found)),
        Expr::Query(_, e, es) => {
            slots(e, found);
            es.iter().for_each(|e| slots(e, found));
        }
    }
}
