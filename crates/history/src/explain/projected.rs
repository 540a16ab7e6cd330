//! A smaller part by projection alone, for conditions that know no free operations.

use super::choice::{smallest_choice, units};
use crate::check::Piece;
use crate::spec::Spec;

/// Takes out groups of the specification and operations that change nothing, as long as the rest fails. An operation
/// whose result is not known may belong to any group; where one returned, `grouped` must be false.
pub(crate) fn projected<S: Spec>(
    spec: &S,
    piece: &Piece<S::Op>,
    grouped: bool,
    all: Vec<usize>,
    mut fails: impl FnMut(&[usize]) -> bool,
) -> Vec<usize> {
    let ops: Vec<&S::Op> = piece.ops.iter().collect();
    let groups = if grouped { spec.hints().groups(&ops) } else { vec![None; ops.len()] };
    let is_fixed = |i: &usize| groups[*i].is_none() && !spec.hints().observes(&piece.ops[*i]);
    let (fixed, free): (Vec<usize>, Vec<usize>) = all.iter().partition(|i| is_fixed(i));
    let units = units(free, &groups);
    let with_fixed = |items: &[usize]| {
        let mut items: Vec<usize> = items.iter().chain(&fixed).copied().collect();
        items.sort_unstable();
        items
    };
    let mut best = all;
    let mut tried = |items: &[usize]| {
        let items = with_fixed(items);
        let fails = fails(&items);
        if fails && items.len() < best.len() {
            best = items;
        }
        fails
    };
    let chosen = smallest_choice(&units, &mut tried);
    tried(&chosen);
    best
}
