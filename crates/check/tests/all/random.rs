//! Random machines: the engine against an enumeration of all executions on the reference interpreter, verdicts and
//! sizes of counterexamples.

use crate::common::random::{Kind, machine, with_main};
use trueline_base::{Limits, Silent, Violation};
use trueline_check::naive::{self, Enumeration, ExecutionSize, History, enumerate, linearizable};
use trueline_check::{Counterexample, Verdict, Why, check};
use trueline_lang::interp::{self, ObservableEvent};
use trueline_lang::ir::{Machine, Memory, Module};
use trueline_lang::question::Question;
use trueline_replay::enumerate::smallest;

/// Moves that an enumeration may take.
const MOST: u64 = 5_000;

fn size(counterexample: &Counterexample) -> ExecutionSize {
    naive::size(&counterexample.evidence.prefix)
}

/// Executes a counterexample on the reference interpreter.
pub fn confirm(machine: &Machine, counterexample: &Counterexample, spec: Option<&Module>) {
    let schedule = &counterexample.evidence.prefix;
    let starts = interp::initial(machine);
    let mut state = starts.into_iter().find(|(choices, _)| *choices == schedule.init).expect("it begins").1;
    let mut history = History::default();
    for wanted in &schedule.moves {
        let now = state.expect("nothing follows a finding");
        let way = interp::apply(machine, &now, wanted).unwrap_or_else(|misfit| panic!("{misfit}"));
        state = way.result;
        match way.event {
            _ if state.is_err() => {}
            ObservableEvent::Silent => {}
            ObservableEvent::Call { op, args } => history.call(wanted.thread, op, args),
            ObservableEvent::Return { value, .. } => history.give_back(wanted.thread, value),
        }
    }
    match counterexample.violation {
        Violation::Finding { finding, .. } => assert_eq!(state.err(), Some(finding)),
        Violation::NotLinearizable => {
            assert!(!linearizable(&history, machine, spec.expect("there is a specification")));
        }
        other => panic!("{other:?}"),
    }
}

#[derive(Default, Debug)]
struct Tally {
    unsafe_: u32,
    safe: u32,
    linearizable: u32,
    not_linearizable: u32,
    unknown: u32,
    too_large: u32,
    spec_findings: u32,
    dead_ends: u32,
}

fn compare(seed: u64, machine: &Machine, spec: Option<&Module>, tally: &mut Tally) {
    let Some(truth) = enumerate(machine, spec, MOST) else {
        tally.too_large += 1;
        return;
    };
    compare_safe(seed, machine, &truth, tally);
    let Some(spec) = spec else { return };
    let question = Question::linearizable(spec);
    let outcome = check(machine, &question, &Limits::default(), &mut Silent);
    match (&outcome.verdict, truth.violation) {
        (Verdict::Unknown(Why::SpecificationFinding { .. }), _) => tally.spec_findings += 1,
        (Verdict::Fails(counterexample), Some(least)) => {
            confirm(machine, counterexample, Some(spec));
            assert!(counterexample.minimal);
            assert_eq!(size(counterexample), least, "seed {seed}: {counterexample:?}");
            tally.not_linearizable += 1;
        }
        (Verdict::Holds(()), None) => {
            assert!(truth.finding.is_none(), "seed {seed}");
            tally.linearizable += 1;
        }
        (Verdict::Unknown(Why::Finding { finding, .. }), None) => {
            assert!(truth.findings.contains(finding), "seed {seed}");
            tally.unknown += 1;
        }
        (verdict, truth) => panic!("seed {seed}: {verdict:?} but {truth:?}"),
    }
}

fn compare_safe(seed: u64, machine: &Machine, truth: &Enumeration, tally: &mut Tally) {
    // An execution that violates the specification is not followed any further by the enumeration.
    let outcome = check(machine, &Question::Safe, &Limits::default(), &mut Silent);
    match (&outcome.verdict, truth.finding) {
        (Verdict::Fails(counterexample), least) => {
            confirm(machine, counterexample, None);
            if truth.violation.is_none() {
                assert_eq!(Some(size(counterexample)), least, "seed {seed}: {counterexample:?}");
            }
            tally.unsafe_ += 1;
        }
        (Verdict::Holds(()), None) => {
            tally.safe += 1;
            if truth.violation.is_none() {
                let shortest = outcome.dead_ends.shortest.as_ref();
                let found = shortest.map(|schedule| schedule.moves.len() as u32);
                assert_eq!(found, truth.dead_end, "seed {seed}");
                assert_eq!(outcome.dead_ends.states > 0, truth.dead_end.is_some(), "seed {seed}");
                tally.dead_ends += truth.dead_end.is_some() as u32;
            }
        }
        (verdict, truth) => panic!("seed {seed}: {verdict:?} but {truth:?}"),
    }
}

fn compare_all(seeds: std::ops::Range<u64>, kind: Kind) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let (machine, spec) = machine(seed, kind);
        compare(seed, &machine, spec.as_ref(), &mut tally);
    }
    println!("{kind:?}: {tally:?}");
    tally
}

#[test]
fn numbers() {
    let tally = compare_all(0..160, Kind::Numbers);
    assert!(
        tally.linearizable > 20 && tally.not_linearizable > 15 && tally.unsafe_ > 2 && tally.dead_ends > 2,
        "{tally:?}"
    );
}

#[test]
fn numbers_with_a_main_thread() {
    let mut tally = Tally::default();
    for seed in 0..160 {
        let (machine, spec) = machine(seed, Kind::Numbers);
        compare(seed, &with_main(machine, seed), spec.as_ref(), &mut tally);
    }
    assert!(tally.linearizable > 20 && tally.not_linearizable > 5 && tally.unsafe_ > 2, "{tally:?}");
}

#[test]
fn structs_collected() {
    let tally = compare_all(0..50, Kind::Heap(Memory::Gc));
    assert!(tally.safe > 5 && tally.unsafe_ > 5, "{tally:?}");
}

#[test]
fn structs_freed() {
    let tally = compare_all(0..50, Kind::Heap(Memory::Manual));
    assert!(tally.safe > 5 && tally.unsafe_ > 5, "{tally:?}");
}

/// `leak_free` against all executions, smallest first, with liveness computed elsewhere.
#[test]
fn leaks() {
    let (mut lost, mut kept) = (0, 0);
    for (memory, seeds) in [(Memory::Manual, 0..60), (Memory::Pool, 100..160)] {
        for seed in seeds {
            let (machine, _) = machine(seed, Kind::Heap(memory));
            let Ok(truth) = smallest(&machine, &Question::LeakFree, Violation::Leak, 20_000) else {
                continue;
            };
            let outcome = check(&machine, &Question::LeakFree, &Limits::default(), &mut Silent);
            match (&outcome.verdict, truth) {
                (Verdict::Fails(found), Some((least, _))) => {
                    let least = (least.threads, least.operations, least.switches, least.steps);
                    let (threads, calls, switches, moves, _) = size(found);
                    let found = (found.violation, (threads, calls, switches, moves));
                    assert_eq!(found, (Violation::Leak, least), "seed {seed}");
                    lost += 1;
                }
                (Verdict::Holds(()) | Verdict::Unknown(Why::Finding { .. }), None) => kept += 1,
                (verdict, truth) => panic!("seed {seed}: {verdict:?} but {truth:?}"),
            }
        }
    }
    println!("{lost} lose a struct, {kept} do not");
    assert!(lost > 10 && kept > 5, "{lost} {kept}");
}

#[test]
fn structs_reused() {
    let tally = compare_all(0..50, Kind::Heap(Memory::Pool));
    assert!(tally.safe > 5 && tally.unsafe_ > 5, "{tally:?}");
}

#[test]
fn structs_that_come_back_as_they_were() {
    let tally = compare_all(0..60, Kind::Kept);
    assert!(tally.safe > 5 && tally.unsafe_ > 5, "{tally:?}");
}
