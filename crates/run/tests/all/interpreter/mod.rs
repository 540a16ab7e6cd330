//! The explorer of the product over an interpreter in place of a player process: numbers of executions and histories must be
//! those of real C++, which neither compilers nor the player have a part in here.

mod code;
mod machine;

use trueline_run::explore::Explorer;
use trueline_run::order::Model;
use trueline_run::search::{Counts, Visitor, turn};

use self::code::{DUMMY, HEAD, NEXT, Operation, TAIL, TOP, deq, enq, pop, push};
use self::machine::Program;
use crate::common::{self, All};

/// Calls of threads: a capital letter puts in, a small one takes out.
fn calls(scenario: &[&str], put: &Operation, take: &Operation) -> Vec<Vec<machine::Call>> {
    let mut argument = 0;
    let mut call = |letter| {
        argument += u64::from(letter == 'P');
        if letter == 'P' { (put.clone(), argument) } else { (take.clone(), 0) }
    };
    scenario.iter().map(|thread| thread.chars().map(&mut call).collect()).collect()
}

fn treiber(scenario: &[&str], uses_found: bool) -> Program {
    let threads = calls(scenario, &push(uses_found), &pop(uses_found));
    Program { memory: vec![(TOP, 0)], threads, cut: false }
}

fn michael_and_scott(scenario: &[&str]) -> Program {
    let memory = vec![(HEAD, DUMMY), (TAIL, DUMMY), (DUMMY, 0), (DUMMY + NEXT, 0)];
    Program { memory, threads: calls(scenario, &enq(), &deq()), cut: false }
}

/// Explores a program, with retries left out or not.
fn explore(mut program: Program, cut: bool, remembers: bool) -> (Counts, All) {
    program.cut = cut;
    let mut explorer = Explorer::of(Model::Sc);
    (explorer.cut, explorer.remembers) = (cut, remembers);
    (explorer.most_steps, explorer.ends) = (2000, true);
    explorer.calls = Some(program.threads.iter().map(Vec::len).collect());
    explorer.memory.want(&program.granules()).unwrap();
    explorer.start(program.threads.len());
    let (mut counts, mut all, mut executions) = (Counts::default(), All::default(), Vec::new());
    loop {
        let play = |plans: &[_]| Ok(plans.iter().map(|plan| program.play(plan)).collect());
        let done = turn(&mut explorer, play, &mut executions, |_| true).unwrap();
        (counts.runs, counts.recalled) = (counts.runs + done.played, counts.recalled + done.recalled);
        if executions.is_empty() {
            return (counts, all);
        }
        for execution in executions.drain(..) {
            assert_eq!(counts.count(&execution.outcome), Ok(true), "every run is an execution");
            assert!(all.visit(&explorer, &execution));
        }
    }
}

const THREE: [&str; 3] = ["P", "P", "t"];
const TWO_BY_TWO: [&str; 2] = ["Pt", "Pt"];
const THREE_BY_TWO: [&str; 3] = ["Pt", "Pt", "Pt"];

#[test]
fn without_pure_retries_the_interpreter_has_the_executions_of_real_code() {
    let rows = [
        (treiber(&THREE, false), 8, 8),
        (treiber(&TWO_BY_TWO, false), 10, 10),
        (treiber(&THREE_BY_TWO, false), 270, 942),
        (michael_and_scott(&THREE), 26, 44),
        (michael_and_scott(&TWO_BY_TWO), 16, 48),
        (michael_and_scott(&THREE_BY_TWO), 1368, 18_192),
    ];
    for (program, complete, cut) in rows {
        let (counts, all) = explore(program, true, true);
        assert_eq!((counts.complete, counts.cut), (complete, cut));
        assert_eq!((counts.stuck, counts.found, counts.long, all.twice), (0, 0, 0, 0));
        assert!(counts.recalled > 0, "{complete}");
    }
}

#[test]
fn with_all_retries_the_interpreter_has_the_executions_of_real_code() {
    let rows = [
        (treiber(&THREE, false), 22),
        (treiber(&TWO_BY_TWO, false), 46),
        (treiber(&TWO_BY_TWO, true), 40),
        (michael_and_scott(&THREE), 188),
        (michael_and_scott(&TWO_BY_TWO), 222),
    ];
    for (program, complete) in rows {
        let (counts, all) = explore(program, false, true);
        assert_eq!((counts.complete, counts.cut, counts.stuck, all.twice), (complete, 0, 0, 0));
    }
}

#[test]
fn histories_of_interpreted_and_of_real_code_are_the_same() {
    let rows = [
        (treiber as fn(&[&str], bool) -> Program, "objects/cpp/treiber.cpp", "push", "pop", 32),
        (|scenario, _| michael_and_scott(scenario), "objects/cpp/ms_queue.cpp", "enq", "deq", 30),
    ];
    for (program, file, put, take, count) in rows {
        let mut real = common::Program::build(file, "clang++", "-O2", &[]);
        for (scenario, histories) in [(&THREE[..], None), (&TWO_BY_TWO[..], Some(count))] {
            let mut seen = All::default();
            let threads: Vec<String> = scenario
                .iter()
                .enumerate()
                .map(|(at, calls)| calls.replace('P', &format!("{put}({}) ", at + 1)).replace('t', take))
                .collect();
            real.explore(&threads.join(" | "), &mut seen);
            for (cut, remembers) in [(true, true), (true, false), (false, true), (false, false)] {
                let (_, all) = explore(program(scenario, false), cut, remembers);
                assert_eq!(all.histories, seen.histories, "{file} {scenario:?} {cut} {remembers}");
                assert!(histories.is_none_or(|count| all.histories.len() == count));
            }
        }
    }
}
