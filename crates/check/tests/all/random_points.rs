//! Random machines with linearization points, and pairs of random machines.

use crate::common::random::{Dice, Kind, machine};
use std::sync::Arc;
use trueline_base::{Limits, Silent, Value, Violation};
use trueline_check::fast::{self, Reductions};
use trueline_check::naive::{enumerate, traces};
use trueline_check::{Counterexample, Verdict, Why, check};
use trueline_lang::ir::{Expr, InstrKind, Machine};
use trueline_lang::question::Question;
use trueline_replay::{Case, Source, confirm};

const MOST: u64 = 3_000;

fn decide(machine: &Machine, question: &Question) -> Verdict {
    check(machine, question, &Limits::default(), &mut Silent).verdict
}

/// Puts marks on some accesses.
fn mark(machine: &mut Machine, dice: &mut Dice) {
    for op in &mut machine.object.ops {
        for instr in &mut op.routine.code {
            let access = matches!(
                instr.kind,
                InstrKind::Read { .. } | InstrKind::Write { .. } | InstrKind::Swap { .. }
            );
            if access && dice.one_in(2) {
                instr.mark = Some(Expr::Const(Value::Bool(true)));
            }
        }
    }
}

/// Replay finds the fault that the engine has found.
fn confirmed(machine: &Machine, question: &Question, found: &Counterexample, seed: u64) {
    let source = Source { path: "random.tl", text: "" };
    let case = Case { machine, question, violation: found.violation, source };
    let confirmed = confirm(&case, &found.evidence.prefix);
    assert!(confirmed.is_ok(), "seed {seed}: {:?}: {confirmed:?}", found.violation);
}

/// What holds with points holds, and what fails with points is confirmed.
#[test]
fn points_are_sound() {
    let (mut held, mut failed) = (0, 0);
    for seed in 1000..1250 {
        let (mut machine, spec) = machine(seed, Kind::Numbers);
        mark(&mut machine, &mut Dice::new(seed));
        let spec = Arc::new(spec.expect("numbers have a specification"));
        let question = Question::Linearizable { spec: spec.clone(), points: true };
        match decide(&machine, &question) {
            Verdict::Holds(()) => {
                let plain = decide(&machine, &question.without_points());
                assert_eq!(plain, Verdict::Holds(()), "seed {seed}");
                if let Some(truth) = enumerate(&machine, Some(&spec), MOST) {
                    assert_eq!(truth.violation, None, "seed {seed}");
                }
                held += machine.object.ops.iter().any(|op| op.marked()) as u32;
            }
            Verdict::Fails(found) => {
                confirmed(&machine, &question, &found, seed);
                let fast = fast::check(&machine, &question, Reductions::ALL, &Limits::default(), &mut Silent);
                match fast.verdict {
                    Verdict::Fails(also) => confirmed(&machine, &question, &also, seed),
                    // It runs the specification at other moments, so that this may go wrong first.
                    Verdict::Unknown(why) => assert!(matches!(why, Why::SpecificationFinding { .. })),
                    Verdict::Holds(()) => panic!("seed {seed}: {:?}", found.violation),
                }
                failed += matches!(found.violation, Violation::Point(_)) as u32;
            }
            Verdict::Unknown(_) => {}
        }
    }
    println!("{held} hold with points, {failed} have faulty points");
    assert!(held > 10 && failed > 10, "{held} {failed}");
}

/// Without any mark, points change nothing.
#[test]
fn no_points_no_difference() {
    for seed in 2000..2060 {
        let (machine, spec) = machine(seed, Kind::Numbers);
        let spec = Arc::new(spec.expect("numbers have a specification"));
        let question = Question::Linearizable { spec, points: true };
        let with = decide(&machine, &question);
        let without = decide(&machine, &question.without_points());
        assert_eq!(with, without, "seed {seed}");
    }
}

/// `Refines` against the inclusion of all traces. The second machine is the first with one operation changed.
#[test]
fn refinement_is_inclusion_of_traces() {
    let (mut included, mut not) = (0, 0);
    for seed in 3000..3150 {
        let (one, _) = machine(seed, Kind::Numbers);
        let (other, _) = machine(seed + 1000, Kind::Numbers);
        let mut two = one.clone();
        let atomic = Dice::new(seed).one_in(2);
        if atomic {
            // Everything at once: usually fewer traces.
            for op in &mut two.object.ops {
                op.routine.code.retain(|i| !matches!(i.kind, InstrKind::Assume(_)));
                op.routine = one.object.ops[0].routine.clone();
            }
        } else {
            two.object.ops[1] = other.object.ops[1].clone();
        }
        let (Some(mine), Some(its)) = (traces(&one, MOST), traces(&two, MOST)) else { continue };
        let truth = mine.is_subset(&its);
        match decide(&one, &Question::refines(&two)) {
            Verdict::Fails(found) => {
                assert!(!truth && found.minimal && found.violation == Violation::NotRefined, "seed {seed}");
                not += 1;
            }
            Verdict::Holds(()) | Verdict::Unknown(Why::Finding { .. }) => {
                assert!(truth, "seed {seed}");
                included += 1;
            }
            other => panic!("seed {seed}: {other:?}"),
        }
        assert!(matches!(decide(&one, &Question::refines(&one)), Verdict::Holds(()) | Verdict::Unknown(_)));
    }
    println!("{included} included, {not} not");
    assert!(included > 10 && not > 10, "{included} {not}");
}
