//! The fast algorithms against their naive twins.

mod common;

use common::meter;
use trueline_base::Silent;
use trueline_lts::{Equivalence, Lts, naive, partition, quotient, sample};

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
