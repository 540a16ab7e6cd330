//! What must hold of every system, without knowing the answer.

use crate::common::meter;
use trueline_base::Silent;
use trueline_lts::compare::Threat;
use trueline_lts::formula::Action;
use trueline_lts::sample::Random;
use trueline_lts::{Comparison, Equivalence, Evidence, LabelId, Labels, Lts, Move, Side, StateId};
use trueline_lts::{compare, formula, partition, quotient, sample};

fn samples() -> impl Iterator<Item = (u64, Lts)> {
    let small = (0..400).map(|seed| (seed, sample::random_small(seed, 12)));
    small.chain((400..440).map(|seed| (seed, sample::random_small(seed, 60))))
}

/// The same system with its states in another order, and where each state went.
fn shuffled(lts: &Lts, seed: u64) -> (Lts, Vec<StateId>) {
    let mut random = Random::new(seed);
    let mut to: Vec<StateId> = lts.state_ids().collect();
    for i in (1..to.len()).rev() {
        to.swap(i, random.below(i as u64 + 1) as usize);
    }
    let steps = lts.iter().map(|(s, m)| (to[s.index()], m.label(), to[m.target().index()]));
    let initial = to[lts.initial().index()];
    (Lts::from_transitions(lts.states() as u32, initial, lts.labels().clone(), steps), to)
}

fn same(left: &Lts, right: &Lts, by: Equivalence) -> bool {
    compare(left, right, by, &meter(), &mut Silent).unwrap().is_equivalent()
}

#[test]
fn finer_equivalences_refine_coarser_ones() {
    for (seed, lts) in samples().filter(|(_, lts)| lts.states() <= 12) {
        let of = |by| partition(&lts, by, &meter(), &mut Silent).unwrap();
        for fine in Equivalence::ALL {
            for coarse in Equivalence::ALL.into_iter().filter(|&c| fine.refines(c)) {
                assert!(of(fine).refines(&of(coarse)), "{fine} {coarse} seed {seed}");
            }
        }
    }
}

#[test]
fn the_order_of_states_does_not_matter() {
    for (seed, lts) in samples() {
        let (other, to) = shuffled(&lts, seed);
        for by in Equivalence::ALL.into_iter().filter(|&by| lts.states() <= 12 || by != Equivalence::Trace) {
            let here = partition(&lts, by, &meter(), &mut Silent).unwrap();
            let there = partition(&other, by, &meter(), &mut Silent).unwrap();
            assert_eq!(here.classes(), there.classes(), "{by} seed {seed}");
            for s in lts.state_ids() {
                let t = StateId((s.0 + 1) % lts.states() as u32);
                assert_eq!(here.same(s, t), there.same(to[s.index()], to[t.index()]), "{by} seed {seed}");
            }
            let (a, b) = (quotient(&lts, by, &meter(), &mut Silent).unwrap().system, &other);
            assert!(same(&a, b, by), "{by} seed {seed}");
        }
    }
}

#[test]
fn the_quotient_of_a_quotient_is_itself() {
    for (seed, lts) in samples().filter(|(_, lts)| lts.states() <= 12) {
        for by in Equivalence::ALL {
            let once = quotient(&lts, by, &meter(), &mut Silent).unwrap().system;
            let twice = quotient(&once, by, &meter(), &mut Silent).unwrap().system;
            let sizes = |lts: &Lts| (lts.states(), lts.transitions());
            assert_eq!(sizes(&once), sizes(&twice), "{by} seed {seed}");
            assert!(same(&lts, &once, by), "{by} seed {seed}");
        }
    }
}

#[test]
fn comparison_is_reflexive_and_symmetric() {
    for (seed, lts) in samples().filter(|(_, lts)| lts.states() <= 12) {
        let other = sample::mutant(&lts, seed);
        for by in Equivalence::ALL {
            assert!(same(&lts, &lts, by), "{by} seed {seed}");
            assert_eq!(same(&lts, &other, by), same(&other, &lts, by), "{by} seed {seed}");
        }
    }
}

#[test]
fn a_formula_respects_the_equivalence_that_it_speaks_of() {
    // What tells two systems apart holds equally in all states of a class of either.
    for (seed, lts) in samples().filter(|(_, lts)| lts.states() <= 12) {
        let other = sample::mutant(&lts, seed);
        for by in Equivalence::ALL.into_iter().filter(|&by| by != Equivalence::Trace) {
            let answer = compare(&lts, &other, by, &meter(), &mut Silent).unwrap();
            let Comparison::Different(why) = answer else { continue };
            assert_eq!(why.holds_on, Side::Left);
            let truth = formula::evaluate(&why.formula, &lts, &meter(), &mut Silent).unwrap();
            let classes = partition(&lts, by, &meter(), &mut Silent).unwrap();
            for s in lts.state_ids() {
                let here = formula::holds_in(&why.formula, &lts, s, &meter(), &mut Silent).unwrap();
                assert_eq!(here, truth.holds(s), "{by} seed {seed}: {} in {s:?}", why.formula);
                for t in lts.state_ids().filter(|&t| classes.same(s, t)) {
                    assert_eq!(truth.holds(s), truth.holds(t), "{by} seed {seed}: {}", why.formula);
                }
            }
        }
    }
}

#[test]
fn the_steps_of_a_play_exist() {
    let mut rounds = 0;
    for (seed, lts) in samples().filter(|(_, lts)| lts.states() <= 12) {
        let other = renumbered_labels(&sample::mutant(&lts, seed + 1));
        for by in Equivalence::ALL.into_iter().filter(|&by| by != Equivalence::Trace) {
            let answer = compare(&lts, &other, by, &meter(), &mut Silent).unwrap();
            let Comparison::Different(why) = answer else { continue };
            let Evidence::Play(play) = &why.evidence else { panic!("a play") };
            let mut now = (lts.initial(), other.initial());
            for (i, round) in play.iter().enumerate() {
                assert_eq!(round.from, now, "{by} seed {seed}");
                let (mover, answerer) = match round.by {
                    Side::Left => ((&lts, &mut now.0), (&other, &mut now.1)),
                    Side::Right => ((&other, &mut now.1), (&lts, &mut now.0)),
                };
                assert_eq!(round.answer.is_none(), i + 1 == play.len());
                let none = Vec::new();
                for ((lts, at), steps) in
                    [(mover, &round.steps), (answerer, round.answer.as_ref().unwrap_or(&none))]
                {
                    for step in steps {
                        assert_eq!(step.source, *at, "{by} seed {seed}");
                        let made = Move::new(step.label, step.target);
                        assert!(lts.moves(*at).contains(&made), "{by} seed {seed}");
                        let threat = Threat::Step(Action::Visible(lts.labels().name(step.label).to_string()));
                        assert!(made.is_tau() || round.threat == threat, "{by} seed {seed}");
                        *at = step.target;
                    }
                }
                rounds += 1;
            }
        }
    }
    assert!(rounds > 1000, "{rounds}");
}

/// The same system with its labels numbered the other way round, after one that never occurs.
fn renumbered_labels(lts: &Lts) -> Lts {
    let mut labels = Labels::new();
    labels.intern("never");
    let names: Vec<&str> = lts.labels().iter().skip(1).map(|(_, name)| name).collect();
    for name in names.iter().rev() {
        labels.intern(name);
    }
    let new =
        |m: Move| labels.find(lts.labels().name(m.label())).filter(|_| !m.is_tau()).unwrap_or(LabelId::TAU);
    let steps: Vec<_> = lts.iter().map(|(s, m)| (s, new(m), m.target())).collect();
    Lts::from_transitions(lts.states() as u32, lts.initial(), labels, steps)
}

/// A run of one label, and another at its end.
fn chain(length: u32, last: &str) -> Lts {
    let mut labels = Labels::new();
    let (step, last) = (labels.intern("step"), labels.intern(last));
    let label = |i: u32| if i + 1 == length { last } else { step };
    let steps = (0..length).map(|i| (StateId(i), label(i), StateId(i + 1)));
    Lts::from_transitions(length + 1, StateId(0), labels, steps)
}

/// Confirming a formula of n parts on n states takes n steps here, not their product.
#[test]
fn a_late_difference_is_explained() {
    let (left, right) = (chain(20_000, "x"), chain(20_000, "y"));
    for by in Equivalence::ALL.into_iter().filter(|&by| by != Equivalence::Trace) {
        let answer = compare(&left, &right, by, &meter(), &mut Silent).unwrap();
        let Comparison::Different(why) = answer else { panic!("{by}: {answer:?}") };
        let Evidence::Play(play) = &why.evidence else { panic!("a play") };
        assert_eq!(play.len(), 20_000, "{by}");
    }
}

/// A limit that comes while the difference is explained does not take it back.
#[test]
fn a_difference_is_not_lost_to_its_explanation() {
    struct Impatient(std::sync::Arc<std::sync::atomic::AtomicBool>);
    impl trueline_base::Observer for Impatient {
        fn event(&mut self, event: &trueline_base::Event) {
            if matches!(event, trueline_base::Event::Work { what: "explaining", .. }) {
                self.0.store(true, std::sync::atomic::Ordering::Relaxed);
            }
        }
    }
    let (left, right) = (chain(200_000, "x"), chain(200_000, "y"));
    let cancel = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let limits = trueline_base::Limits { cancel: Some(cancel.clone()), ..Default::default() };
    let meter = trueline_base::Meter::start(limits);
    let answer = compare(&left, &right, Equivalence::Strong, &meter, &mut Impatient(cancel)).unwrap();
    assert!(matches!(answer, Comparison::Unexplained(trueline_base::Stop::Interrupted)), "{answer:?}");
}
