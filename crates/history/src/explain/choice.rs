//! A smallest choice that still fails.
//!
//! Paper: Junker, "QuickXplain", AAAI 2004. For a property that every larger choice has too, the result has it and
//! loses it with any unit less. Cost: O(k log(n / k)) attempts for k units that are chosen among n.

use std::collections::BTreeMap;

use crate::datum::Datum;

/// Items of the same group are one unit, in the order of their first items; what has no group stands alone.
pub(crate) fn units(items: impl IntoIterator<Item = usize>, groups: &[Option<Datum>]) -> Vec<Vec<usize>> {
    let mut units: Vec<Vec<usize>> = Vec::new();
    let mut index: BTreeMap<&Datum, usize> = BTreeMap::new();
    for i in items {
        let at = match &groups[i] {
            Some(group) => *index.entry(group).or_insert(units.len()),
            None => units.len(),
        };
        if at == units.len() {
            units.push(Vec::new());
        }
        units[at].push(i);
    }
    units
}

/// Chooses among units which together fail; the items of what is tried are ascending.
pub(crate) fn smallest_choice(units: &[Vec<usize>], fails: &mut dyn FnMut(&[usize]) -> bool) -> Vec<usize> {
    let mut chosen = beside(&[], false, units, fails);
    chosen.sort_unstable();
    chosen
}

/// What must be chosen besides what is given; `grown` says that this was not tried alone yet.
fn beside(
    given: &[usize],
    grown: bool,
    units: &[Vec<usize>],
    fails: &mut dyn FnMut(&[usize]) -> bool,
) -> Vec<usize> {
    if units.is_empty() || (grown && fails(given)) {
        return Vec::new();
    }
    if let [unit] = units {
        return unit.clone();
    }
    let with = |more: &[usize]| {
        let mut all: Vec<usize> = given.iter().chain(more).copied().collect();
        all.sort_unstable();
        all
    };
    let (first, second) = units.split_at(units.len() / 2);
    let from_second = beside(&with(&first.concat()), true, second, fails);
    let from_first = beside(&with(&from_second), !from_second.is_empty(), first, fails);
    from_first.into_iter().chain(from_second).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::property;

    /// The property is to contain one of some sets, so that every larger choice has it too.
    #[test]
    fn the_choice_fails_and_is_smallest() {
        property::of(2000, 32, |random| {
            let n = 1 + random.below(40);
            let sets: Vec<Vec<usize>> = (0..1 + random.below(4))
                .map(|_| (0..1 + random.below(5)).map(|_| random.below(n)).collect())
                .collect();
            let has = |items: &[usize]| sets.iter().any(|set| set.iter().all(|i| items.contains(i)));
            let mut tried = 0;
            let units: Vec<Vec<usize>> = (0..n).map(|i| vec![i]).collect();
            let chosen = smallest_choice(&units, &mut |items| {
                tried += 1;
                assert!(items.is_sorted());
                has(items)
            });
            assert!(has(&chosen), "{chosen:?} of {sets:?}");
            for left_out in &chosen {
                let rest: Vec<usize> = chosen.iter().copied().filter(|i| i != left_out).collect();
                assert!(rest.is_empty() || !has(&rest), "{left_out} of {chosen:?} is not needed: {sets:?}");
            }
            assert!(
                tried <= 2 * chosen.len() * (2 + n.ilog2() as usize) + 2,
                "{tried} for {chosen:?} of {n}"
            );
        });
    }
}
