//! Priority queues with distinct values.
//!
//! Lee and Mathur, "Efficient linearizability monitoring", 2025. Values are taken in the order in which they must
//! leave; a removal needs a gap in which no value that must leave earlier is surely inside. Covered gaps only
//! grow, so disjoint sets suffice. Cost: O(n log n). Claim: exact for unambiguous histories. Oracle: search.

use super::Outcome;
use super::gaps::Gaps;
use super::values::Table;

/// Looks for a removal that passes over a value that is surely inside.
pub fn run(table: &Table<'_>, largest_first: bool) -> Outcome {
    let lives = &table.lives;
    let order = by_value(table, largest_first);
    let mut gaps = Gaps::new(table.length);
    for (rank, i) in order.iter().enumerate() {
        let life = &lives[*i as usize];
        if life.removed() {
            let from = life.removing.call.max(life.inserting.call);
            // A removal that never returned can take effect after everything.
            if gaps.free(from) >= life.removing.ret {
                let mut core: Vec<usize> = life.operations().collect();
                for j in &order[..rank] {
                    let (start, end) = lives[*j as usize].surely();
                    if start < end && end > from && start < life.removing.ret {
                        core.extend(lives[*j as usize].operations());
                    }
                }
                return Outcome::Fails(core);
            }
        }
        let (from, to) = life.surely();
        if from < to {
            gaps.cover(from, to);
        }
    }
    Outcome::Holds
}

/// The values in the order in which they must leave.
fn by_value(table: &Table<'_>, largest_first: bool) -> Vec<u32> {
    let value = |i: u32| table.value(&table.lives[i as usize]);
    let ids = 0..table.lives.len() as u32;
    let mut order: Vec<u32> = match ids.clone().map(|i| Some((value(i).as_int()?, i))).collect() {
        // Integers are compared where they are.
        Some::<Vec<(i64, u32)>>(mut numbers) => {
            if !numbers.is_sorted() {
                numbers.sort_unstable();
            }
            numbers.into_iter().map(|(_, i)| i).collect()
        }
        None => {
            let mut order: Vec<u32> = ids.collect();
            order.sort_unstable_by(|a, b| value(*a).cmp(value(*b)));
            order
        }
    };
    if largest_first {
        order.reverse();
    }
    order
}
