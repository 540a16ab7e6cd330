//! Operations that touch several parts at once: decided as a whole, refuted with as few parts as will do.
//!
//! A legal sequence stays legal when all operations are restricted to the same parts, so that a restriction that no order
//! explains settles the whole, and is what a reader wants to see. Where the whole is not decided quickly, each part is
//! looked at alone before the long search; a failure is narrowed to a smallest set of parts (QuickXplain).

use std::collections::BTreeMap;

use super::decide::{DecisionAnswer, PieceDecision, decide as decide_whole, decide_with_order};
use super::pieces::Piece;
use super::together;
use crate::datum::Datum;
use crate::explain::smallest_choice;
use crate::search::Control;
use crate::spec::Spec;

/// Configurations of the first search, and of those that look at fewer parts.
const CAP: u64 = 20_000;
/// Parts up to which a smallest set of them is looked for.
const MOST_PARTS: usize = 256;

/// The parts that the operations touch, each with the operations that do.
fn touched<S: Spec>(spec: &S, piece: &Piece<S::Op>) -> BTreeMap<Datum, Vec<usize>> {
    let mut parts: BTreeMap<Datum, Vec<usize>> = BTreeMap::new();
    for (i, op) in piece.ops.iter().enumerate() {
        for part in spec.hints().touches(op) {
            let items = parts.entry(part).or_default();
            if items.last() != Some(&i) {
                items.push(i);
            }
        }
    }
    parts
}

/// The operations that touch some parts, restricted to them.
fn restricted<S: Spec>(
    spec: &S,
    piece: &Piece<S::Op>,
    touched: &BTreeMap<Datum, Vec<usize>>,
    parts: &[Datum],
) -> Piece<S::Op> {
    let mut items: Vec<usize> = parts.iter().filter_map(|p| touched.get(p)).flatten().copied().collect();
    items.sort_unstable();
    items.dedup();
    let mut out = piece.only(&items);
    for op in &mut out.ops {
        *op = spec.hints().restricted(op, parts).unwrap_or_else(|| op.clone());
    }
    out.part = Some(together::name(parts.to_vec()));
    out
}

/// Decides a piece. Where it fails, the piece becomes the part of it that was found to.
pub(super) fn decide<S: Spec>(
    spec: &S,
    piece: &mut Piece<S::Op>,
    monitors: bool,
    ordered: bool,
    control: &mut Control<'_>,
) -> PieceDecision {
    let by = if ordered { decide_with_order } else { decide_whole };
    let touched = touched(spec, piece);
    if touched.len() < 2 {
        return by(spec, &piece.ops, &piece.spans, monitors, control);
    }
    let mut attempt = |piece: &Piece<S::Op>, cap: u64| {
        let mut bounded = Control { cap, ..Control::new(control.meter, control.observer) };
        by(spec, &piece.ops, &piece.spans, monitors, &mut bounded)
    };
    let mut decision = attempt(piece, CAP);
    if matches!(decision.answer, DecisionAnswer::Stopped(..)) {
        for part in touched.keys() {
            let alone = restricted(spec, piece, &touched, std::slice::from_ref(part));
            let found = attempt(&alone, CAP);
            if matches!(found.answer, DecisionAnswer::Fails(_)) {
                *piece = alone;
                return found;
            }
        }
        decision = attempt(piece, u64::MAX);
    }
    let DecisionAnswer::Fails(core) = &decision.answer else { return decision };
    let mut parts: Vec<Datum> = core.iter().flat_map(|i| spec.hints().touches(&piece.ops[*i])).collect();
    parts.sort();
    parts.dedup();
    let chosen = |items: &[usize]| items.iter().map(|i| parts[*i].clone()).collect::<Vec<_>>();
    let units: Vec<Vec<usize>> = (0..parts.len()).map(|i| vec![i]).collect();
    let mut fails = |items: &[usize]| {
        let fewer = restricted(spec, piece, &touched, &chosen(items));
        matches!(attempt(&fewer, CAP).answer, DecisionAnswer::Fails(_))
    };
    let all: Vec<usize> = (0..parts.len()).collect();
    if parts.len() > MOST_PARTS || !fails(&all) {
        return decision;
    }
    let fewest = restricted(spec, piece, &touched, &chosen(&smallest_choice(&units, &mut fails)));
    let found = attempt(&fewest, CAP);
    if matches!(found.answer, DecisionAnswer::Fails(_)) {
        *piece = fewest;
        return found;
    }
    decision
}
