//! Numbers of executions that must come out exactly, with both compilers and at several levels.

mod common;

use common::{All, Program};

const BUILDS: [(&str, &str); 4] = [("clang++", "-O0"), ("clang++", "-O2"), ("g++", "-O0"), ("g++", "-O2")];

#[test]
fn treiber_has_22_executions_of_three_calls_and_46_of_two_by_two() {
    for (compiler, level) in BUILDS {
        let mut treiber = Program::build("objects/cpp/treiber.cpp", compiler, level, &[]);
        assert_eq!(treiber.complete("push(1) | push(2) | pop"), 22, "{compiler} {level}");
        assert_eq!(treiber.complete("push(1) pop | push(2) pop"), 46, "{compiler} {level}");
    }
}

#[test]
fn treiber_that_uses_what_a_failed_comparison_found_has_40_executions_of_two_by_two() {
    for (compiler, level) in [("clang", "-O0"), ("gcc", "-O2")] {
        let mut treiber = Program::build("objects/c/treiber.c", compiler, level, &[]);
        assert_eq!(treiber.complete("push(1) pop | push(2) pop"), 40, "{compiler} {level}");
    }
}

#[test]
fn michael_and_scott_has_188_executions_of_three_calls_and_222_of_two_by_two() {
    for (compiler, level) in BUILDS {
        let mut queue = Program::build("objects/cpp/ms_queue.cpp", compiler, level, &[]);
        assert_eq!(queue.complete("enq(1) | enq(2) | deq"), 188, "{compiler} {level}");
        assert_eq!(queue.complete("enq(1) deq | enq(2) deq"), 222, "{compiler} {level}");
    }
}

#[test]
fn boost_has_1192_and_6912_executions_of_two_by_two() {
    let mut stack = Program::build("objects/libraries/boost_stack.cpp", "clang++", "-O2", &[]);
    assert_eq!(stack.complete("push(1) pop | push(2) pop"), 1192);
    let mut queue = Program::build("objects/libraries/boost_queue.cpp", "clang++", "-O2", &[]);
    assert_eq!(queue.complete("enq(1) deq | enq(2) deq"), 6912);
}

#[test]
fn histories_of_two_by_two_are_32_for_a_stack_and_30_for_a_queue() {
    let objects = [
        ("objects/cpp/treiber.cpp", "push(1) pop | push(2) pop", 32),
        ("objects/cpp/ms_queue.cpp", "enq(1) deq | enq(2) deq", 30),
    ];
    for (file, scenario, count) in objects {
        let mut program = Program::build(file, "clang++", "-O2", &[]);
        let mut all = All::default();
        program.explore(scenario, &mut all);
        assert_eq!(all.histories.len(), count, "{file}");
        assert_eq!(all.twice, 0, "{file}");
    }
}
