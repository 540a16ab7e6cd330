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

/// The same in both directions.
pub struct BothWays {
    length: u32,
    onwards: Gaps,
    /// Mirrored: gap g is at `length - g`.
    back: Gaps,
}

impl BothWays {
    /// All free.
    pub fn new(length: u32) -> BothWays {
        BothWays { length, onwards: Gaps::new(length), back: Gaps::new(length + 1) }
    }

    /// The first free gap from `gap` on; the length when there is none before the end.
    pub fn after(&mut self, gap: u32) -> u32 {
        self.onwards.free(gap)
    }

    /// The last free gap up to `gap`.
    pub fn before(&mut self, gap: u32) -> Option<u32> {
        self.length.checked_sub(self.back.free(self.length - gap.min(self.length)))
    }

    /// Covers the gaps from `from` up to `to`.
    pub fn cover(&mut self, from: u32, to: u32) {
        let to = to.min(self.length);
        if from < to {
            self.onwards.cover(from, to);
            self.back.cover(self.length - to + 1, self.length - from + 1);
        }
    }
}
