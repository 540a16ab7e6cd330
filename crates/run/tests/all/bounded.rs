//! Interleavings with few preemptions, random ones, and several players: against every interleaving, and against each other.

use std::collections::BTreeSet;

use crate::common::Program;
use trueline_base::{Limits, Meter};
use trueline_run::bounded::{Ground, Random, Which, bounded};
use trueline_run::explore::Explorer;
use trueline_run::log::End;
use trueline_run::naive::{every, recorded};
use trueline_run::scenario::Scenario;
use trueline_run::search::Settings;

type Histories = BTreeSet<(Vec<u64>, Vec<Vec<u64>>)>;

/// The histories and schedules of some interleavings, and whether all were run.
fn run(program: &mut Program, text: &str, which: Which) -> (Histories, Vec<Vec<u8>>, bool) {
    let scenario = Scenario::parse(text, &program.harness).unwrap();
    let ground = Ground { harness: &program.harness, scenario: &scenario, settings: Settings::default() };
    let (mut histories, mut schedules) = (Histories::new(), Vec::new());
    let meter = Meter::start(Limits::default());
    let mut explorer = Explorer::default();
    let (_, ended) =
        bounded(&mut program.player, &ground, &mut explorer, which, &meter, &mut |_, run, steps| {
            assert!(matches!(run.end, End::Complete | End::Stuck), "{}", run.text);
            if run.end == End::Complete {
                let (before, answers) = recorded(&scenario, run);
                histories.insert((before, [answers.threads, answers.alone].concat()));
            }
            schedules.push(steps.to_vec());
            true
        });
    (histories, schedules, ended.is_none())
}

fn twin(program: &mut Program, text: &str) -> (Histories, u64) {
    let scenario = Scenario::parse(text, &program.harness).unwrap();
    let seen = every(&mut program.player, &program.harness, &scenario, Settings::default(), 50_000).unwrap();
    (seen.histories, seen.runs)
}

const LOST: &str = "crates/run/tests/programs/lost_update.cpp";

#[test]
fn with_enough_preemptions_every_interleaving_is_run_once() {
    let mut program = Program::build(LOST, "clang++", "-O2", &[]);
    let name = program.harness.operations[0].name.clone();
    let text = format!("{name} | {name}");
    let (histories, runs) = twin(&mut program, &text);
    let mut last = 0;
    for most in 0..=8 {
        let (seen, schedules, all) = run(&mut program, &text, Which::Preemptions(most, u64::MAX));
        assert!(all);
        let distinct: BTreeSet<&Vec<u8>> = schedules.iter().collect();
        assert_eq!(distinct.len(), schedules.len(), "none is run twice");
        assert!(schedules.len() >= last && seen.is_subset(&histories));
        last = schedules.len();
        // The end of a thread is no step: a switch costs a preemption when its thread has a step left.
        let switches =
            |s: &Vec<u8>| (1..s.len()).filter(|i| s[*i] != s[i - 1] && s[*i..].contains(&s[i - 1])).count();
        assert!(schedules.iter().all(|s| switches(s) <= most as usize), "{most}");
        if most == 8 {
            assert_eq!((last as u64, seen), (runs, histories.clone()));
        }
    }
}

/// A thread that waits for a lock in the end might have taken it before.
#[test]
fn interleavings_that_get_stuck_lead_to_those_that_do_not() {
    let mut program = Program::build("crates/run/tests/programs/lock_order.cpp", "clang++", "-O2", &[]);
    let text = "forth | back";
    let (seen, schedules, all) = run(&mut program, text, Which::Preemptions(12, u64::MAX));
    assert!(all);
    assert_eq!(seen, program.classes(text, 1000).unwrap().seen.histories);
    assert_eq!(schedules.iter().collect::<BTreeSet<_>>().len(), schedules.len(), "none is run twice");
    let (histories, runs) = twin(&mut program, text);
    assert_eq!((seen, schedules.len() as u64), (histories, runs));
}

#[test]
fn a_lost_update_needs_one_preemption() {
    let mut program = Program::build(LOST, "clang++", "-O2", &[]);
    let name = program.harness.operations[0].name.clone();
    let text = format!("{name} | {name}");
    let outcomes = |program: &mut Program, most: u32| {
        let (histories, ..) = run(program, &text, Which::Preemptions(most, u64::MAX));
        histories.into_iter().map(|(_, answers)| answers).collect::<BTreeSet<_>>().len()
    };
    let (none, one) = (outcomes(&mut program, 0), outcomes(&mut program, 1));
    assert!(none < one, "{none} {one}");
}

#[test]
fn random_interleavings_are_those_of_their_seed_and_find_what_there_is() {
    let mut program = Program::build(LOST, "gcc", "-O2", &["-x", "c++", "-lstdc++"]);
    let name = program.harness.operations[0].name.clone();
    let text = format!("{name} | {name}");
    let (histories, _) = twin(&mut program, &text);
    for steps in [false, true] {
        let which = |seed| Which::Random(Random { steps, seed, runs: 400 });
        let (first, schedules, _) = run(&mut program, &text, which(7));
        let (_, again, _) = run(&mut program, &text, which(7));
        let (_, other, _) = run(&mut program, &text, which(1_000_000));
        assert_eq!(schedules, again);
        assert_ne!(schedules, other);
        assert_eq!(schedules.len(), 400);
        assert!(first.is_subset(&histories) && first.len() > histories.len() / 2, "{}", first.len());
    }
}
