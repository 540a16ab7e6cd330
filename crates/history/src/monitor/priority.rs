//! Priority queues with distinct values.
//!
//! Lee and Mathur, "Efficient linearizability monitoring", 2025. Values are taken in the order in which they must
//! leave; a removal needs a gap in which no value that must leave earlier is surely inside, and so does a look that
//! saw the value. Looks take the first such gap, the removal one that is not before theirs. Covered gaps only grow,
//! so disjoint sets suffice. Cost: O(n log n). Claim: exact for unambiguous histories. Oracle: search.

use super::Outcome;
use super::gaps::Gaps;
use super::values::Table;

/// Looks for a removal that passes over a value that is surely inside.
pub fn run(table: &Table<'_>, largest_first: bool) -> Outcome {
    let lives = &table.lives;
    let order = by_value(table, largest_first);
    let mut looks = table.peeks.clone();
    looks.sort_unstable_by_key(|(i, life, _)| (*life, *i));
    let mut gaps = Gaps::new(table.length);
    for (rank, i) in order.iter().enumerate() {
        let life = &lives[*i as usize];
        let passed_over = |op: Option<usize>, from: u32, ret: u32| {
            let mut core: Vec<usize> = life.operations().chain(op).collect();
            for j in &order[..rank] {
                let (start, end) = lives[*j as usize].surely();
                if start < end && end > from && start < ret {
                    core.extend(lives[*j as usize].operations());
                }
            }
            Outcome::Fails(core)
        };
        let first = looks.partition_point(|(_, l, _)| l < i);
        let mut seen = 0;
        for (op, _, span) in looks[first..].iter().take_while(|(_, l, _)| l == i) {
            let from = span.call.max(life.inserting.call);
            let gap = gaps.free(from);
            if gap >= span.ret {
                return passed_over(Some(*op), from, span.ret);
            }
            seen = seen.max(gap);
        }
        if life.removed() {
            let from = life.removing.call.max(life.inserting.call).max(seen);
            // A removal that never returned can take effect after everything.
            if gaps.free(from) >= life.removing.ret {
                return passed_over(None, from, life.removing.ret);
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
