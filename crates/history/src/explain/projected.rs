//! A smaller part by projection alone, for conditions that know no free operations.

use std::collections::BTreeMap;

use super::choice::smallest_choice;
use crate::check::Piece;
use crate::datum::Datum;
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
    let groups = if grouped { spec.groups(&ops) } else { vec![None; ops.len()] };
    let mut units: Vec<Vec<usize>> = Vec::new();
    let mut index: BTreeMap<&Datum, usize> = BTreeMap::new();
    let mut fixed: Vec<usize> = Vec::new();
    for &i in &all {
        match &groups[i] {
            Some(group) => {
                let at = *index.entry(group).or_insert(units.len());
                if at == units.len() {
                    units.push(Vec::new());
                }
                units[at].push(i);
            }
            None if spec.observes(&piece.ops[i]) => units.push(vec![i]),
            None => fixed.push(i),
        }
    }
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
