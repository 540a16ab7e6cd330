//! Values in a row that keeps several orders at once.
//!
//! Each order is given by intervals: one value must precede another if its interval ends before that of the other
//! begins. An interval may begin after its own end, which says nothing about itself: the looks and the removal of a
//! value stand next to each other, so that the value precedes another if the first of them to end does so before the
//! last of the others begins. A value that none of the others must precede is taken away and comes next, until
//! nothing is left or the rest has a cycle. Cost: O(n log n). Claim: exact, a cycle is found if there is one.

/// An order with the values that can come next.
pub struct Front {
    begins: Vec<(u32, u32)>,
    /// By end; with the beginning.
    ends: Vec<(u32, u32, u32)>,
    /// How many of `begins` were told, how many of `ends` have gone, and the next that has not.
    begun: usize,
    ended: usize,
    second: usize,
    /// The last that was told because only its own end is before its beginning.
    alone: Option<u32>,
}

impl Front {
    /// From beginnings, ends and values.
    pub fn new(intervals: impl Iterator<Item = (u32, u32, u32)> + Clone) -> Front {
        let mut begins: Vec<(u32, u32)> = intervals.clone().map(|(from, _, i)| (from, i)).collect();
        let mut ends: Vec<(u32, u32, u32)> = intervals.map(|(from, to, i)| (to, from, i)).collect();
        begins.sort_unstable();
        ends.sort_unstable();
        Front { begins, ends, begun: 0, ended: 0, second: 0, alone: None }
    }

    /// Tells which can come next now, each once.
    fn advance(&mut self, gone: &[bool], mut each: impl FnMut(u32)) {
        while self.ends.get(self.ended).is_some_and(|(.., i)| gone[*i as usize]) {
            self.ended += 1;
        }
        let Some(&(limit, from, first)) = self.ends.get(self.ended) else { return };
        while let Some((_, i)) = self.begins.get(self.begun).filter(|(from, _)| *from < limit) {
            self.begun += 1;
            if !gone[*i as usize] {
                each(*i);
            }
        }
        if from < limit || self.alone == Some(first) {
            return;
        }
        self.second = self.second.max(self.ended + 1);
        while self.ends.get(self.second).is_some_and(|(.., i)| gone[*i as usize]) {
            self.second += 1;
        }
        if self.ends.get(self.second).is_none_or(|(end, ..)| from < *end) {
            self.alone = Some(first);
            each(first);
        }
    }

    /// A value that has not gone and must precede this one.
    fn earlier(&self, value: u32, gone: &[bool]) -> Option<u32> {
        let left = || self.ends.iter().filter(|(.., i)| !gone[*i as usize]);
        let (_, from, _) = left().find(|(.., i)| *i == value)?;
        left().take(2).find(|(end, _, i)| *i != value && end < from).map(|(.., i)| *i)
    }
}

/// The values in a row, or some of them among which there is a cycle. `count` is more than any value.
pub fn row(fronts: &mut [Front], count: usize) -> Result<Vec<u32>, Vec<u32>> {
    let mut ready = vec![0u8; count];
    let mut gone = vec![false; count];
    let mut row = Vec::new();
    loop {
        let length = row.len();
        let all = fronts.len() as u8;
        for front in &mut *fronts {
            front.advance(&gone, |i| {
                ready[i as usize] += 1;
                if ready[i as usize] == all {
                    row.push(i);
                }
            });
        }
        if row.len() == length {
            break;
        }
        for i in &row[length..] {
            gone[*i as usize] = true;
        }
    }
    let Some(&(.., mut at)) = fronts[0].ends.get(fronts[0].ended) else { return Ok(row) };
    // Whoever must precede is one of the few that end first, so a walk back soon closes.
    let mut walk = Vec::new();
    while !walk.contains(&at) {
        walk.push(at);
        let Some(earlier) = fronts.iter().find_map(|front| front.earlier(at, &gone)) else { break };
        at = earlier;
    }
    Err(walk)
}
