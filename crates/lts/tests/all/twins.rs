//! The fast algorithms against their naive twins, on random systems with tau cycles, self-loops,
//! unreachable states and duplicate transitions.

use crate::common::{meter, visible};
use trueline_base::Silent;
use trueline_lts::{
    Equivalence, Inclusion, Lts, Preorder, inclusion, k_traces, naive, partition, refines, sample,
};

#[test]
fn partitions_and_quotients() {
    for seed in 0..2000 {
        let lts = sample::random_small(seed, 8);
        assert_eq!(naive::disagreement(&lts), None, "seed {seed}");
    }
}

#[test]
fn partitions_of_larger_systems() {
    for seed in 10_000..10_150 {
        let lts = sample::random_small(seed, 40);
        for by in Equivalence::ALL.into_iter().filter(|&by| by != Equivalence::Trace) {
            let fast = partition(&lts, by, &meter(), &mut Silent).unwrap();
            assert_eq!(fast, naive::partition(&lts, by), "{by} seed {seed}");
        }
    }
}

#[test]
fn divergence_by_the_definition() {
    for seed in 20_000..21_000 {
        let lts = sample::random_small(seed, 5);
        assert_eq!(naive::divergence_disagreement(&lts), None, "seed {seed}");
    }
}

#[test]
fn traces_included() {
    let mut included = 0;
    for seed in 0..3000 {
        let left = sample::random_small(2 * seed, 7);
        let right = match seed % 3 {
            0 => sample::mutant(&left, seed),
            _ => sample::random_small(2 * seed + 1, 9),
        };
        let want = naive::shortest_difference(&left, &right);
        match inclusion(&left, &right, &meter(), &mut Silent).unwrap() {
            Inclusion::Included { .. } => {
                included += 1;
                assert_eq!(want, None, "seed {seed}");
            }
            Inclusion::NotIncluded(run) => {
                let shortest = want.map(|trace| trace.len());
                assert_eq!(Some(visible(&run)), shortest, "seed {seed}");
            }
        }
    }
    // Both answers must be common for the test to mean something.
    assert!((500..2500).contains(&included), "{included} of 3000 included");
}

/// The same system with many labels that never occur.
fn with_many_labels(lts: &Lts) -> Lts {
    let mut labels = lts.labels().clone();
    for i in 0..300 {
        labels.intern(&format!("never {i}"));
    }
    let all = lts.iter().map(|(source, m)| (source, m.label(), m.target()));
    Lts::from_transitions(lts.states() as u32, lts.initial(), labels, all)
}

#[test]
fn traces_included_with_many_labels() {
    for seed in 0..500 {
        let left = sample::random_small(2 * seed, 7);
        let right = sample::mutant(&left, seed);
        let few = inclusion(&left, &right, &meter(), &mut Silent).unwrap();
        let many = inclusion(&with_many_labels(&left), &right, &meter(), &mut Silent).unwrap();
        assert_eq!(few, many, "seed {seed}");
    }
}

#[test]
fn k_trace_levels() {
    let mut caps = [0; 5];
    for seed in 0..1200 {
        let lts = sample::random_small(seed, 4);
        if lts.states() == 4 && lts.transitions() > 7 {
            continue;
        }
        assert_eq!(naive::k_trace_disagreement(&lts), None, "seed {seed}");
        caps[k_traces(&lts, &meter(), &mut Silent).unwrap().cap()] += 1;
    }
    assert!(caps[0] > 50 && caps[1] > 50 && caps[2] > 5, "{caps:?}");
}

#[test]
fn preorders() {
    for by in Preorder::ALL {
        let mut refined = 0;
        for seed in 0..3000 {
            let left = sample::random_small(2 * seed, 6);
            let right = match seed % 3 {
                0 => sample::mutant(&left, seed),
                1 => left.disjoint_union(&sample::random_small(seed, 4)).unwrap(),
                _ => sample::random_small(2 * seed + 1, 8),
            };
            // Evidence is confirmed where it is found.
            let answer = refines(&left, &right, by, &meter(), &mut Silent).unwrap();
            assert_eq!(answer.refines(), naive::refines(&left, &right, by), "{by} seed {seed}");
            assert!(refines(&left, &left, by, &meter(), &mut Silent).unwrap().refines(), "{by} seed {seed}");
            refined += u32::from(answer.refines());
        }
        assert!((900..2700).contains(&refined), "{by}: {refined} of 3000 refine");
    }
}

/// What is finer implies what is coarser.
#[test]
fn preorders_and_equivalences() {
    for seed in 0..1500 {
        let left = sample::random_small(seed, 6);
        let right = sample::mutant(&left, seed);
        let by = |by| refines(&left, &right, by, &meter(), &mut Silent).unwrap().refines();
        let included =
            matches!(inclusion(&left, &right, &meter(), &mut Silent).unwrap(), Inclusion::Included { .. });
        assert!(!by(Preorder::ReadySimulation) || by(Preorder::Simulation), "seed {seed}");
        assert!(!by(Preorder::Simulation) || included, "seed {seed}");
        assert!(!by(Preorder::Failures) || included, "seed {seed}");
        let same = trueline_lts::compare(&left, &right, Equivalence::DpBranching, &meter(), &mut Silent);
        let same = same.unwrap().is_equivalent();
        assert!(!same || (by(Preorder::Failures) && by(Preorder::FailuresDivergences)), "seed {seed}");
    }
}
