//! Numbers from a seed (Steele, Lea and Flood, OOPSLA 2014: SplitMix), for what is made up by rule. Equal seeds give
//! equal numbers, on every machine and in every version.

/// The source.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The source of a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    /// A place among so many, which are not 0.
    pub fn index(&mut self, many: usize) -> usize {
        self.below(many as u64) as usize
    }

    /// One of the items, of which there is at least one.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.index(items.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn a_seed_gives_the_numbers_of_the_paper() {
        // The first outputs of the reference implementation for this seed.
        let mut random = Random::new(1_234_567);
        let first: [u64; 3] = std::array::from_fn(|_| random.bits());
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn numbers_stay_below_their_bound_and_reach_it() {
        let mut random = Random::new(7);
        let mut seen = [false; 5];
        (0..200).for_each(|_| seen[random.below(5) as usize] = true);
        assert_eq!(seen, [true; 5]);
        assert!((0..50).all(|_| [1, 2].contains(random.pick(&[1, 2]))));
    }
}
