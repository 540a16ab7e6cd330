//! Numbers of executions that must come out exactly, with both compilers and at several levels.

use crate::common::{All, Program};

/// A program whose retries are all run.
fn with_retries(file: &str, compiler: &str, level: &str) -> Program {
    let mut program = Program::build(file, compiler, level, &[]);
    program.settings.cut = false;
    program
}

const BUILDS: [(&str, &str); 4] = [("clang++", "-O0"), ("clang++", "-O2"), ("g++", "-O0"), ("g++", "-O2")];

#[test]
fn treiber_has_22_executions_of_three_calls_and_46_of_two_by_two() {
    for (compiler, level) in BUILDS {
        let mut treiber = with_retries("objects/cpp/treiber.cpp", compiler, level);
        assert_eq!(treiber.complete("push(1) | push(2) | pop"), 22, "{compiler} {level}");
        assert_eq!(treiber.complete("push(1) pop | push(2) pop"), 46, "{compiler} {level}");
    }
}

#[test]
fn treiber_that_uses_what_a_failed_comparison_found_has_40_executions_of_two_by_two() {
    for (compiler, level) in [("clang", "-O0"), ("gcc", "-O2")] {
        let mut treiber = with_retries("objects/c/treiber.c", compiler, level);
        assert_eq!(treiber.complete("push(1) pop | push(2) pop"), 40, "{compiler} {level}");
    }
}

#[test]
fn michael_and_scott_has_188_executions_of_three_calls_and_222_of_two_by_two() {
    for (compiler, level) in BUILDS {
        let mut queue = with_retries("objects/cpp/ms_queue.cpp", compiler, level);
        assert_eq!(queue.complete("enq(1) | enq(2) | deq"), 188, "{compiler} {level}");
        assert_eq!(queue.complete("enq(1) deq | enq(2) deq"), 222, "{compiler} {level}");
    }
}

#[test]
fn boost_has_1192_and_6912_executions_of_two_by_two() {
    for compiler in ["clang++", "g++"] {
        let mut stack = with_retries("objects/libraries/boost_stack.cpp", compiler, "-O2");
        let mut queue = with_retries("objects/libraries/boost_queue.cpp", compiler, "-O2");
        for jobs in [1, 4] {
            (stack.settings.jobs, queue.settings.jobs) = (jobs, jobs);
            assert_eq!(stack.complete("push(1) pop | push(2) pop"), 1192, "{compiler} {jobs}");
            assert_eq!(queue.complete("enq(1) deq | enq(2) deq"), 6912, "{compiler} {jobs}");
        }
    }
}

#[test]
fn histories_of_two_by_two_are_32_for_a_stack_and_30_for_a_queue() {
    let objects = [
        ("objects/cpp/treiber.cpp", "push(1) pop | push(2) pop", 32),
        ("objects/cpp/ms_queue.cpp", "enq(1) deq | enq(2) deq", 30),
    ];
    for (file, scenario, count) in objects {
        for cut in [false, true] {
            let mut program = Program::build(file, "clang++", "-O2", &[]);
            program.settings.cut = cut;
            let mut all = All::default();
            program.explore(scenario, &mut all);
            assert_eq!(all.histories.len(), count, "{file}");
            assert_eq!(all.twice, 0, "{file}");
        }
    }
}

#[test]
fn without_pure_retries_treiber_has_8_10_and_270_executions_and_michael_and_scott_26_16_and_1368() {
    let rows = [
        ("objects/cpp/treiber.cpp", "push(1) | push(2) | pop", 8, 8),
        ("objects/cpp/treiber.cpp", "push(1) pop | push(2) pop", 10, 10),
        ("objects/cpp/treiber.cpp", "push(1) pop | push(2) pop | push(3) pop", 270, 942),
        ("objects/cpp/ms_queue.cpp", "enq(1) | enq(2) | deq", 26, 44),
        ("objects/cpp/ms_queue.cpp", "enq(1) deq | enq(2) deq", 16, 48),
        ("objects/cpp/ms_queue.cpp", "enq(1) deq | enq(2) deq | enq(3) deq", 1368, 18_192),
    ];
    for (compiler, level) in BUILDS {
        let mut programs = std::collections::HashMap::new();
        for (file, scenario, complete, cut) in rows {
            // The largest takes seconds each time, also where retries are compared longest.
            if complete > 1000 && level == "-O0" {
                continue;
            }
            let program = programs.entry(file).or_insert_with(|| Program::build(file, compiler, level, &[]));
            for jobs in [1, 4] {
                program.settings.jobs = jobs;
                let what = format!("{compiler} {level} {scenario}, {jobs} workers");
                let mut all = All::default();
                let (counts, ended) = program.explore(scenario, &mut all);
                assert_eq!(ended, None, "{what}");
                assert_eq!((counts.complete, counts.cut), (complete, cut), "{what}");
                assert_eq!((counts.stuck, counts.found, all.twice), (0, 0, 0), "{what}");
            }
        }
    }
}

#[test]
fn retries_that_matter_are_not_left_out() {
    let scenario = "add | add | add";
    for (compiler, level) in [("clang", "-O0"), ("clang", "-O2"), ("gcc", "-O0"), ("gcc", "-O2")] {
        for what in 0..=6 {
            let flag = format!("-DWHAT={what}");
            let seen = |cut: bool| {
                let mut program =
                    Program::build("crates/run/tests/programs/retries.c", compiler, level, &[&flag]);
                program.settings.cut = cut;
                let mut all = All::default();
                let (counts, ended) = program.explore(scenario, &mut all);
                assert_eq!(ended, None, "{compiler} {level} {what}");
                (counts.complete, all.histories)
            };
            let (every, histories) = seen(false);
            let (left, same) = seen(true);
            assert_eq!(histories, same, "{compiler} {level} {what}");
            assert_eq!(left < every, what == 0, "{compiler} {level} {what}: {left} of {every}");
        }
    }
}
