//! Exchanges of threads, numbered.

use crate::map::Map;
use crate::space::MAX_THREADS;

/// An exchange: thread `by[q]` stands at place `q` afterwards.
pub type Perm = [u8; MAX_THREADS];

/// Nothing is exchanged.
pub(crate) const IDENTITY: Perm = {
    let mut by = [0; MAX_THREADS];
    let mut q = 0;
    while q < MAX_THREADS {
        by[q] = q as u8;
        q += 1;
    }
    by
};

/// Numbers of exchanges; 0 is the one that changes nothing.
pub(crate) struct Perms {
    count: u32,
    numbers: Map,
}

impl Default for Perms {
    fn default() -> Perms {
        let mut numbers = Map::default();
        numbers.set(packed(&IDENTITY), 0);
        Perms { count: 1, numbers }
    }
}

/// An exchange of some first threads as a number.
pub(crate) fn packed(by: &[u8]) -> u64 {
    by.iter().enumerate().fold(0, |word, (q, t)| word | (*t as u64) << (4 * q))
}

/// The exchange with this number.
pub(crate) fn unpacked(number: u64) -> Perm {
    std::array::from_fn(|q| (number >> (4 * q)) as u8 & 15)
}

impl Perms {
    pub fn find(&self, by: &Perm) -> Option<u32> {
        self.numbers.get(packed(by)).map(|id| id as u32)
    }

    pub fn intern(&mut self, by: &Perm) -> u32 {
        self.find(by).unwrap_or_else(|| {
            self.numbers.set(packed(by), self.count as u64);
            self.count += 1;
            self.count - 1
        })
    }
}

/// Every exchange that follows `first` and then moves places within the groups only.
pub fn permutations(first: &Perm, groups: &[(usize, usize)]) -> Vec<Perm> {
    let mut all = vec![*first];
    for &(from, to) in groups {
        let mut next = Vec::new();
        for by in &mut all {
            arrange(by, from, to, &mut next);
        }
        all = next;
    }
    all
}

fn arrange(by: &mut Perm, from: usize, to: usize, out: &mut Vec<Perm>) {
    if from + 1 >= to {
        out.push(*by);
        return;
    }
    for at in from..to {
        by.swap(from, at);
        arrange(by, from + 1, to, out);
        by.swap(from, at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_permuted_and_nothing_else() {
        let all = permutations(&IDENTITY, &[(0, 3), (4, 6)]);
        assert_eq!(all.len(), 12);
        let mut distinct = all.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), 12);
        assert!(all.iter().all(|by| by[3] == 3 && by[6..] == IDENTITY[6..]));
    }
}
