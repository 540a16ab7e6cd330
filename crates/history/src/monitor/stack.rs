//! Stacks with distinct values.
//!
//! Lee and Mathur, "Efficient linearizability monitoring", 2025; Abdulla et al., 2025. In a gap in which no value
//! is surely inside, the stack can be empty: every operation open there can take effect there, and is taken
//! away; a value whose operations are both gone no longer covers anything. The history is linearizable exactly
//! when this takes everything away. Gaps are found by a segment tree with range addition and minimum, operations
//! open in a gap by a segment tree over the calls with the latest return. Cost: O(n log n). Claim: exact for
//! unambiguous histories. Oracle: search.

use trueline_base::{Meter, Stop};

use super::Outcome;
use super::values::Table;
use crate::history::NEVER;

/// Takes operations away until none is left or no gap is free.
pub fn run(table: &Table<'_>, meter: &Meter) -> Result<Outcome, Stop> {
    let lives = &table.lives;
    // One gap more after the last event.
    let length = table.length as usize + 1;
    let sure = lives.iter().map(|life| life.surely()).filter(|(from, to)| from < to);
    let mut cover = Cover::new(length, sure.map(|(from, to)| (from as usize, (to as usize).min(length))));
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
    let mut open = Latest::new(&ops);
    let mut taken = 0usize;
    let mut steps = 0u64;
    loop {
        steps += 1;
        if steps.is_multiple_of(4096) {
            meter.check((length * 16 + ops.len() * 24) as u64, 0)?;
        }
        let Some(gap) = cover.take_zero() else { break };
        let started = ops.partition_point(|(call, ..)| *call as usize <= gap);
        while let Some(at) = open.take_after(started, gap as u32) {
            taken += 1;
            let value = ops[at].2;
            finish(&mut left, value, lives[value as usize].surely(), length, &mut cover);
        }
    }
    if taken == ops.len() {
        return Ok(Outcome::Holds);
    }
    let stuck = lives.iter().zip(&left).filter(|(_, n)| **n > 0);
    Ok(Outcome::Fails(stuck.flat_map(|(life, _)| life.operations()).collect()))
}

fn finish(left: &mut [u8], value: u32, sure: (u32, u32), length: usize, cover: &mut Cover) {
    let n = &mut left[value as usize];
    *n -= 1;
    if *n == 0 && sure.0 < sure.1 {
        cover.add(sure.0 as usize, (sure.1 as usize).min(length), -1);
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
            // 0 stands for taken; an operation that never returns stays open.
            most[size + i] = if *ret == NEVER { NEVER } else { *ret };
        }
        for node in (1..size).rev() {
            most[node] = most[2 * node].max(most[2 * node + 1]);
        }
        Latest { size, most }
    }

    /// Takes an operation among the first `count` that returns after `gap`.
    fn take_after(&mut self, count: usize, gap: u32) -> Option<usize> {
        let mut node = self.find(1, 0, self.size, count, gap)?;
        let at = node - self.size;
        self.most[node] = 0;
        while node > 1 {
            node /= 2;
            self.most[node] = self.most[2 * node].max(self.most[2 * node + 1]);
        }
        Some(at)
    }

    fn find(&self, node: usize, low: usize, high: usize, count: usize, gap: u32) -> Option<usize> {
        if low >= count || self.most[node] <= gap {
            return None;
        }
        if node >= self.size {
            return Some(node);
        }
        let middle = (low + high) / 2;
        self.find(2 * node, low, middle, count, gap)
            .or_else(|| self.find(2 * node + 1, middle, high, count, gap))
    }
}
