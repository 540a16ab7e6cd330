//! Quotient sizes against merc_reduction 2.0.0, whose results on two thousand random systems are
//! kept as a fixture; `peers/README.md` says how to renew it.

use crate::common::meter;
use trueline_base::Silent;
use trueline_lts::{Equivalence, quotient, sample};

#[test]
fn quotients_are_as_large_as_those_of_merc() {
    let by = [
        Equivalence::Strong,
        Equivalence::Branching,
        Equivalence::DpBranching,
        Equivalence::Weak,
        Equivalence::DpWeak,
    ];
    let mut lines = 0;
    for line in include_str!("fixtures/merc.txt").lines().filter(|l| !l.starts_with('#')) {
        let numbers: Vec<usize> = line.split(' ').map(|n| n.parse().unwrap()).collect();
        let lts = sample::random_small(numbers[0] as u64, 14);
        for (by, sizes) in by.into_iter().zip(numbers[1..].chunks(2)) {
            let small = quotient(&lts, by, &meter(), &mut Silent).unwrap().system;
            assert_eq!([small.states(), small.transitions()], sizes, "{by}, seed {}", numbers[0]);
        }
        lines += 1;
    }
    assert_eq!(lines, 2000);
}
