//! The trees of the stack monitor: how many values cover a gap, and which operation is still open in one.

use super::stack::Open;

/// How many operations were called before each position.
pub struct Called(Vec<u32>);

impl Called {
    pub fn new(ops: &[Open], length: u32) -> Called {
        let mut counts = vec![0; length as usize + 1];
        for op in ops {
            counts[op.call as usize + 1] += 1;
        }
        for p in 1..counts.len() {
            counts[p] += counts[p - 1];
        }
        Called(counts)
    }

    pub fn before(&self, position: u32) -> usize {
        self.0[(position as usize).min(self.0.len() - 1)] as usize
    }
}

/// How many values are surely inside, per gap.
pub struct Cover {
    size: usize,
    /// Minimum of the subtree, without what is added above it.
    min: Vec<i32>,
    added: Vec<i32>,
}

const GONE: i32 = i32::MAX / 2;

impl Cover {
    /// With these ranges covered from the start.
    pub fn new(length: usize, ranges: impl Iterator<Item = (usize, usize)>) -> Cover {
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
    pub fn add(&mut self, from: usize, to: usize, by: i32) {
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
    pub fn take_zero(&mut self) -> Option<usize> {
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
pub struct Latest {
    size: usize,
    most: Vec<u32>,
}

impl Latest {
    pub fn new(ops: &[Open]) -> Latest {
        let size = ops.len().next_power_of_two().max(1);
        let mut most = vec![0; 2 * size];
        for (i, op) in ops.iter().enumerate() {
            // 0 stands for taken: no operation returns at position 0.
            most[size + i] = op.ret;
        }
        for node in (1..size).rev() {
            most[node] = most[2 * node].max(most[2 * node + 1]);
        }
        Latest { size, most }
    }

    /// Takes an operation among the first `count` that returns after a position.
    pub fn take_after(&mut self, count: usize, position: u32) -> Option<usize> {
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
