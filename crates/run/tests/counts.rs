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
fn treiber_has_32_histories_of_two_by_two() {
    let mut treiber = Program::build("objects/cpp/treiber.cpp", "clang++", "-O2", &[]);
    let mut all = All::default();
    treiber.explore("push(1) pop | push(2) pop", &mut all);
    assert_eq!(all.histories.len(), 32);
    assert_eq!(all.twice, 0);
}
