//! The fast algorithms against their naive twins.

mod common;

use common::meter;
use trueline_base::Silent;
use trueline_lts::{
    Equivalence, Inclusion, Lts, compare, inclusion, k_traces, naive, partition, quotient, sample,
};

fn check(lts: &Lts, by: Equivalence, name: &dyn Fn() -> String) {
    let want = naive::partition(lts, by);
    let got = partition(lts, by, &meter(), &mut Silent).unwrap();
    assert_eq!(got, want, "{by} {}", name());
    let reduced = quotient(lts, by, &meter(), &mut Silent).unwrap();
    let union = lts.disjoint_union(&reduced.system).unwrap();
    let together = naive::partition(&union, by);
    for s in lts.state_ids() {
        let image = trueline_lts::StateId(lts.states() as u32 + reduced.state_of[s.index()].0);
        assert!(together.same(s, image), "{by} quotient {}", name());
    }
    assert_eq!(together.classes(), reduced.system.states(), "{by} not minimal {}", name());
}

#[test]
fn random_systems() {
    for seed in 0..4000 {
        let lts = sample::random_small(seed, 8);
        for by in Equivalence::ALL {
            check(&lts, by, &|| format!("seed {seed}"));
        }
    }
}

#[test]
fn dp_by_enumeration() {
    for seed in 0..3000 {
        let lts = sample::random_small(seed, 5);
        for by in Equivalence::ALL.into_iter().filter(|&by| by != Equivalence::Trace) {
            let want = naive::partition_by_enumeration(&lts, by);
            assert_eq!(partition(&lts, by, &meter(), &mut Silent).unwrap(), want, "{by} seed {seed}");
        }
    }
}

#[test]
fn traces_included() {
    let mut included = 0;
    for seed in 0..6000 {
        let left = sample::random_small(2 * seed, 7);
        let right = sample::random_small(2 * seed + 1, 9);
        let want = naive::shortest_difference(&left, &right);
        match inclusion(&left, &right, &meter(), &mut Silent).unwrap() {
            Inclusion::Included { .. } => {
                included += 1;
                assert_eq!(want, None, "seed {seed}");
            }
            Inclusion::NotIncluded(run) => {
                let visible = run.iter().filter(|s| s.label != trueline_lts::LabelId::TAU).count();
                assert_eq!(Some(visible), want.map(|w| w.len()), "seed {seed}");
            }
        }
    }
    assert!((500..5500).contains(&included), "{included}");
}

#[test]
fn k_trace_levels() {
    let mut caps = [0; 8];
    for seed in 0..1500 {
        let lts = sample::random_small(seed, 4);
        if lts.states() == 4 && lts.transitions() > 7 {
            continue;
        }
        let got = k_traces(&lts, &meter(), &mut Silent).unwrap();
        let want = naive::k_trace_partitions(&lts, got.cap() + 1);
        assert_eq!(got.levels[..], want[..=got.cap()], "seed {seed}");
        assert_eq!(want[got.cap()], want[got.cap() + 1], "seed {seed}");
        caps[got.cap()] += 1;
    }
    println!("{caps:?}");
}

#[test]
fn comparisons_are_explained() {
    let mut different = 0;
    for seed in 0..3000 {
        let left = sample::random_small(2 * seed, 6);
        let right =
            if seed % 2 == 0 { sample::random_small(2 * seed + 1, 6) } else { sample::mutant(&left, seed) };
        let union = left.disjoint_union(&right).unwrap();
        let ends = (left.initial(), trueline_lts::StateId(left.states() as u32 + right.initial().0));
        for by in Equivalence::ALL {
            let want = naive::partition(&union, by).same(ends.0, ends.1);
            let got = compare(&left, &right, by, &meter(), &mut Silent)
                .unwrap_or_else(|e| panic!("{by} {seed}: {e}"));
            assert_eq!(got.is_equivalent(), want, "{by} seed {seed}");
            different += usize::from(!want);
        }
    }
    println!("{different} of 18000 differ");
}
