//! Gaps that get covered, and the next one that is not: disjoint sets with path halving.

/// Gaps from 0 to a length; a covered one never becomes free again.
pub struct Gaps {
    next: Vec<u32>,
}

impl Gaps {
    /// All free.
    pub fn new(length: u32) -> Gaps {
        Gaps { next: (0..=length).collect() }
    }

    /// The first free gap from `gap` on; the length when there is none before the end.
    pub fn free(&mut self, gap: u32) -> u32 {
        let last = self.next.len() as u32 - 1;
        let mut g = gap.min(last);
        while self.next[g as usize] != g {
            let skip = self.next[self.next[g as usize] as usize];
            self.next[g as usize] = skip;
            g = skip;
        }
        g
    }

    /// Covers the gaps from `from` up to `to`.
    pub fn cover(&mut self, from: u32, to: u32) {
        let to = to.min(self.next.len() as u32 - 1);
        let mut g = self.free(from);
        while g < to {
            self.next[g as usize] = g + 1;
            g = self.free(g + 1);
        }
    }
}
