//! Random choices: made of numbers that `proptest` gives and shrinks, the same in every run.

use proptest::collection::vec;
use proptest::num::u32::ANY;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Choices that follow from numbers; where there are no more, the first of every choice.
pub struct Random(std::vec::IntoIter<u32>);

impl Random {
    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0.next().unwrap_or(0) as usize % bound
    }

    /// True once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    /// One of `choices`.
    pub fn pick<'c, T>(&mut self, choices: &'c [T]) -> &'c T {
        &choices[self.below(choices.len())]
    }
}

/// Tries a property, which panics where it does not hold, on so many things that are made of at most so many numbers.
pub fn property(cases: u32, numbers: usize, property: impl Fn(&mut Random)) {
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let tried = TestRunner::new_with_rng(config, rng).run(&vec(ANY, 0..=numbers), |given| {
        property(&mut Random(given.into_iter()));
        Ok(())
    });
    if let Err(failure) = tried {
        panic!("{failure}");
    }
}
