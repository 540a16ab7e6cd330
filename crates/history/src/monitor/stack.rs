//! Stacks with distinct values.
//!
//! Lee and Mathur, "Efficient linearizability monitoring", 2025; Abdulla et al., 2025. In a gap in which no value
//! is surely inside, the stack can be empty: every operation open there can take effect there, and is taken
//! away; a value whose operations are both gone no longer covers anything. The history is linearizable exactly
//! when this takes everything away. Only gaps after a call matter: behind a return no more is open than before, and
//! no less is surely inside. Gaps are found by a segment tree with range addition and minimum, operations
//! open in a gap by a segment tree over the calls with the latest return. Cost: O(n log n). Claim: exact for
//! unambiguous histories. Oracle: search.

use trueline_base::{Meter, Stop};

use super::Outcome;
use super::values::{Life, Table};

/// Takes operations away until none is left or no gap is free.
pub fn run(table: &Table<'_>, meter: &Meter) -> Result<Outcome, Stop> {
    let lives = &table.lives;
    let mut left: Vec<u8> = Vec::with_capacity(lives.len());
    let mut ops: Vec<(u32, u32, u32)> = Vec::with_capacity(lives.len() * 2);
    for (i, life) in lives.iter().enumerate() {
        ops.push((life.inserting.call, life.inserting.ret, i as u32));
        if life.removed() {
            ops.push((life.removing.call, life.removing.ret, i as u32));
        }
        // A virtual removal takes effect after everything, where nothing is surely inside.
        left.push(if life.removed() { 2 } else { 1 });
    }
    ops.sort_unstable_by_key(|(call, ..)| *call);
    let called = Called::new(&ops, table.length);
    let sure = |life: &Life| {
        let (from, to) = life.surely();
        let gaps = (called.before(from), called.before(to));
        (gaps.0 < gaps.1).then_some(gaps)
    };
    let mut cover = Cover::new(ops.len(), lives.iter().filter_map(sure));
    let mut open = Latest::new(&ops);
    let mut taken = 0usize;
    let mut steps = 0u64;
    while let Some(gap) = cover.take_zero() {
        steps += 1;
        if steps.is_multiple_of(4096) {
            meter.check((table.length as usize * 4 + ops.len() * 32) as u64, 0)?;
        }
        while let Some(at) = open.take_after(gap + 1, ops[gap].0) {
            taken += 1;
            let value = ops[at].2 as usize;
            left[value] -= 1;
            if left[value] == 0
                && let Some((from, to)) = sure(&lives[value])
            {
                cover.add(from, to, -1);
            }
        }
    }
    if taken == ops.len() {
        return Ok(Outcome::Holds);
    }
    let stuck = lives.iter().zip(&left).filter(|(_, n)| **n > 0);
    Ok(Outcome::Fails(stuck.flat_map(|(life, _)| life.operations()).collect()))
}

/// How many operations were called before each position.
struct Called(Vec<u32>);

impl Called {
    fn new(ops: &[(u32, u32, u32)], length: u32) -> Called {
        let mut counts = vec![0; length as usize + 1];
        for (call, ..) in ops {
            counts[*call as usize + 1] += 1;
        }
        for p in 1..counts.len() {
            counts[p] += counts[p - 1];
        }
        Called(counts)
    }

    fn before(&self, position: u32) -> usize {
        self.0[(position as usize).min(self.0.len() - 1)] as usize
    }
}

/// How many values are surely inside, per gap.
struct Cover {
    size: usize,
    /// Minimum of the subtree, without what is added above it.
    min: Vec<i32>,
    added: Vec<i32>,
}

const GONE: i32 = i32::MAX / 2;

impl Cover {
    /// With these ranges covered from the start.
    fn new(length: usize, ranges: impl Iterator<Item = (usize, usize)>) -> Cover {
        let size = length.next_power_of_two().max(1);
        let mut min = vec![0; 2 * size];
        for (from, to) in ranges {
            min[size + from] += 1;
            if to < length {
                min[size + to] -= 1;
            }
        }
        for leaf in 1..length {
            min[size + leaf] += min[size + leaf - 1];
        }
        min[size + length..].fill(GONE);
        for node in (1..size).rev() {
            min[node] = min[2 * node].min(min[2 * node + 1]);
        }
        Cover { size, min, added: vec![0; size] }
    }

    /// Adds to the gaps from `from` up to `to`.
    fn add(&mut self, from: usize, to: usize, by: i32) {
        if from < to {
            self.add_below(1, 0, self.size, from, to, by);
        }
    }

    fn add_below(&mut self, node: usize, low: usize, high: usize, from: usize, to: usize, by: i32) {
        if from <= low && high <= to {
            self.min[node] += by;
            if node < self.size {
                self.added[node] += by;
            }
            return;
        }
        let middle = (low + high) / 2;
        if from < middle {
            self.add_below(2 * node, low, middle, from, to, by);
        }
        if to > middle {
            self.add_below(2 * node + 1, middle, high, from, to, by);
        }
        self.min[node] = self.min[2 * node].min(self.min[2 * node + 1]) + self.added[node];
    }

    /// A gap that nothing covers, which is then never given again.
    fn take_zero(&mut self) -> Option<usize> {
        if self.min[1] != 0 {
            return None;
        }
        let mut node = 1;
        let mut wanted = 0;
        while node < self.size {
            wanted -= self.added[node];
            node = if self.min[2 * node] == wanted { 2 * node } else { 2 * node + 1 };
        }
        let gap = node - self.size;
        self.min[node] = GONE;
        while node > 1 {
            node /= 2;
            self.min[node] = self.min[2 * node].min(self.min[2 * node + 1]) + self.added[node];
        }
        Some(gap)
    }
}

/// Operations in the order of their calls, by their latest return.
struct Latest {
    size: usize,
    most: Vec<u32>,
}

impl Latest {
    fn new(ops: &[(u32, u32, u32)]) -> Latest {
        let size = ops.len().next_power_of_two().max(1);
        let mut most = vec![0; 2 * size];
        for (i, (_, ret, _)) in ops.iter().enumerate() {
            // 0 stands for taken: no operation returns at position 0.
            most[size + i] = *ret;
        }
        for node in (1..size).rev() {
            most[node] = most[2 * node].max(most[2 * node + 1]);
        }
        Latest { size, most }
    }

    /// Takes an operation among the first `count` that returns after a position.
    fn take_after(&mut self, count: usize, position: u32) -> Option<usize> {
        if self.most[1] <= position {
            return None;
        }
        // The first that returns later: if it is not among them, none is.
        let mut node = 1;
        while node < self.size {
            node = if self.most[2 * node] > position { 2 * node } else { 2 * node + 1 };
        }
        let at = node - self.size;
        if at >= count {
            return None;
        }
        self.most[node] = 0;
        while node > 1 {
            node /= 2;
            self.most[node] = self.most[2 * node].max(self.most[2 * node + 1]);
        }
        Some(at)
    }
}
