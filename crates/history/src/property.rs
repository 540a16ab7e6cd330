//! Properties of random things, with the smallest counterexample that shrinking finds.
//!
//! What a test makes up is a function of numbers that it draws. `proptest` gives the numbers and shrinks them, towards
//! fewer that are not zero. Cases are the same in every run. Unit tests and the tests of the crate share this file.

use std::cell::RefCell;

use super::generate::Random;
use proptest::collection::vec;
use proptest::num::u64::ANY;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Tries a property, which panics where it does not hold, on so many things that are made of so many numbers.
pub fn of(cases: u32, numbers: usize, property: impl FnMut(&mut Random)) {
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let property = RefCell::new(property);
    let result = TestRunner::new_with_rng(config, rng).run(&vec(ANY, numbers), |given| {
        (property.borrow_mut())(&mut Random::given(given));
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}
