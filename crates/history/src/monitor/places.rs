//! Orders as places: each operation in a gap of its own interval, those of one gap by rank.
//!
//! Whatever the ranks are, such an order respects real time: an operation that returns before another is called
//! has a smaller gap. So a construction only has to say why the specification accepts what the ranks make.

/// Operations with the gaps in which they take effect.
#[derive(Debug, Default)]
pub struct Places {
    at: Vec<(u32, u64, u32)>,
}

impl Places {
    /// For about so many operations.
    pub fn with_capacity(count: usize) -> Places {
        Places { at: Vec::with_capacity(count) }
    }

    /// An operation takes effect in a gap, after those of lower rank there.
    pub fn put(&mut self, operation: usize, gap: u32, rank: u64) {
        self.at.push((gap, rank, operation as u32));
    }

    /// The operations in order.
    pub fn into_order(mut self) -> Vec<usize> {
        self.at.sort_unstable();
        self.at.into_iter().map(|(.., operation)| operation as usize).collect()
    }
}
