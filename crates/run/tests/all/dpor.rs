//! Source-DPOR with calls and returns as steps: its counts, and that it shows what graphs and every interleaving show.

use crate::common::{All, Program, Random};
use crate::random::{Size, scenario};

/// What the searches of a scenario show must be the same, that of every interleaving where those are at most so many. Answers
/// how many classes there are.
fn compare(program: &mut Program, scenario: &str, most: u64) -> u64 {
    let classes = program.classes(scenario, 20_000).unwrap_or_else(|| panic!("{scenario}: too many"));
    let mut all = All::default();
    let (counts, ended) = program.explore(scenario, &mut all);
    assert_eq!(ended, None, "{scenario}: {counts:?}");
    let seen = &classes.seen;
    match all.findings.is_empty() {
        true => assert_eq!(all.histories, seen.histories, "{scenario}: {counts:?}, {} classes", seen.runs),
        // Where an execution ends with a finding, those that would come of its other end are not looked at.
        false => assert!(all.histories.is_subset(&seen.histories), "{scenario}: {counts:?}"),
    }
    assert_eq!((&all.findings, all.stuck), (&seen.findings, seen.stuck), "{scenario}");
    if let Some(every) = program.every(scenario, most) {
        assert_eq!(every.histories, seen.histories, "{scenario}");
        assert_eq!((&every.findings, every.stuck), (&seen.findings, seen.stuck), "{scenario}");
        assert!(seen.runs <= every.runs, "{scenario}: {} classes of {}", seen.runs, every.runs);
    }
    seen.runs
}

#[test]
fn treiber_has_142_classes_of_two_by_two() {
    for compiler in ["clang", "gcc"] {
        for level in ["-O0", "-O1", "-O2", "-O3"] {
            let mut treiber = Program::build("objects/c/treiber.c", compiler, level, &[]);
            let classes = treiber.classes("push(1) pop | push(2) pop", 1000).unwrap();
            assert_eq!((classes.seen.runs, classes.asleep), (142, 0), "{compiler} {level}");
        }
    }
}

#[test]
fn objects_show_the_same_in_as_many_classes_as_ever() {
    let (stack, queue) = ("push(1) pop | push(2) pop", "enq(1) deq | enq(2) deq");
    let rows = [
        ("objects/c/treiber.c", stack, 142),
        ("objects/cpp/treiber.cpp", stack, 152),
        ("objects/cpp/treiber.cpp", "push(1) | push(2) | pop", 90),
        ("objects/cpp/treiber_free.cpp", "push(1) pop | pop", 26),
        ("objects/cpp/ms_queue.cpp", queue, 636),
        ("objects/cpp/kstack.cpp", "push(1) | pop", 9),
        ("objects/cpp/sl_queue.cpp", "enq(1) | deq", 4),
        ("crates/run/tests/programs/lock_order.cpp", "forth | back", 5),
        ("crates/run/tests/programs/lost_wakeup.c", "produce | consume", 4),
        ("crates/run/tests/programs/waits_or_tries.cpp", "enq(1) | deq", 4),
        ("crates/run/tests/programs/spin.c", "left | right", 7),
    ];
    for (file, scenario, expected) in rows {
        let compiler = if file.ends_with(".c") { "clang" } else { "clang++" };
        let mut program = Program::build(file, compiler, "-O2", &[]);
        assert_eq!(compare(&mut program, scenario, 10_000), expected, "{file}: {scenario}");
    }
}

/// Rust objects, whose locks and waiting are those of std.
#[test]
fn rust_objects_show_the_same() {
    let rows = [
        ("treiber", "push(1) | pop"),
        ("treiber", "push(1) pop | push(2) pop"),
        ("ms_queue", "enq(1) | deq"),
        ("locked", "enq(1) | deq"),
        ("waiting", "enq(1) | deq"),
        ("gate", "open | pass"),
        ("transfer", "transfer(true) | transfer(false)"),
        ("lossy", "push(1) pop | pop"),
    ];
    for (target, scenario) in rows {
        let mut program = Program::rust(target, "-O2");
        assert!(compare(&mut program, scenario, 10_000) > 1, "{target}: {scenario}");
    }
}

#[test]
fn random_programs_show_the_same() {
    let mut program = Program::build("crates/run/tests/programs/random.c", "clang", "-O1", &[]);
    let (mut random, mut classes) = (Random(4), 0);
    for n in 0..400 {
        let size = Size::of(n);
        let text = scenario(&mut random, size);
        classes += compare(&mut program, &text, size.interleavings());
    }
    assert!(classes > 4000, "{classes}");
}
