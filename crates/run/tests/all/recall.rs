//! Runs that are left out because their course is known: everything that is seen must be what is seen with every run.

use std::collections::BTreeSet;

use trueline_run::order::Model;
use trueline_run::search::{Counts, Ended, Settings};

use crate::common::asked::{request, verdict};
use crate::common::{All, Program, root};
use crate::random::{Size, scenario};

/// What a scenario shows, with runs left out or not.
fn seen(program: &mut Program, scenario: &str, recall: bool) -> (Counts, Option<Ended>, All) {
    program.settings.recall = recall;
    let mut all = All::default();
    let (counts, ended) = program.explore(scenario, &mut all);
    (counts, ended, all)
}

/// Compares the two, and answers how many executions took no run.
fn compare(program: &mut Program, scenario: &str, what: &str) -> u64 {
    let (every, ended, all) = seen(program, scenario, false);
    let (left, ended_too, same) = seen(program, scenario, true);
    assert_eq!(ended, ended_too, "{what}");
    let numbers = |c: &Counts| (c.complete, c.cut, c.stuck, c.found, c.long);
    assert_eq!(numbers(&every), numbers(&left), "{what}");
    assert_eq!(
        (all.histories, all.findings, all.stuck),
        (same.histories, same.findings, same.stuck),
        "{what}"
    );
    assert_eq!(all.graphs.len(), same.graphs.len(), "{what}");
    assert_eq!((every.recalled, same.twice), (0, 0), "{what}");
    left.recalled
}

#[test]
fn objects_show_the_same() {
    let stack = "push(1) pop | push(2) pop | pop [pop]";
    let queue = "enq(1) deq | enq(2) | deq [deq]";
    const LOCKS: &str = "forth | back | forth";
    let rows = [
        ("objects/cpp/treiber.cpp", "push(1) pop | push(2) pop | push(3) pop", true),
        ("crates/run/tests/programs/fences.c", "push(1) pop | push(2) pop", false),
        ("objects/cpp/treiber_free.cpp", "push(1) pop | pop [pop]", false),
        ("objects/cpp/ms_queue.cpp", queue, true),
        ("objects/cpp/kstack.cpp", stack, false),
        ("crates/run/tests/programs/lock_order.cpp", LOCKS, false),
    ];
    for (file, scenario, many) in rows {
        let compiler = if file.ends_with(".c") { "clang" } else { "clang++" };
        let mut program = Program::build(file, compiler, "-O2", &[]);
        for (cut, model) in [(true, Model::Sc), (false, Model::Sc), (true, Model::C11)] {
            (program.settings.cut, program.settings.model) = (cut, model);
            let recalled = compare(&mut program, scenario, &format!("{file} {cut} {model:?}"));
            assert!(recalled > 0 || !many || !cut, "{file} {model:?}: every run is played");
        }
    }
}

/// Fences are remembered where they are events; elsewhere they are none.
#[test]
fn code_with_fences_is_recalled() {
    let mut program = Program::build("crates/run/tests/programs/fences.c", "clang", "-O2", &[]);
    for model in [Model::Sc, Model::C11] {
        program.settings.model = model;
        let (counts, ended, _) = seen(&mut program, "push(1) pop | push(2) pop | push(3)", true);
        assert_eq!((ended, counts.found), (None, 0), "{model:?}");
        assert!(counts.recalled > 50, "{model:?}: {counts:?}");
    }
}

/// What one thread does in some executions and another in others is seen together in none of the runs that are played.
#[test]
fn memory_is_shared_that_no_played_run_shares() {
    let mut program = Program::build("crates/run/tests/programs/apart.c", "clang", "-O1", &[]);
    for model in [Model::Sc, Model::C11] {
        program.settings.model = model;
        compare(&mut program, "left | right | start", model.word());
    }
    let asked = verdict(&trueline_run::test::Request {
        scenario: Some("left | right | start".into()),
        ..request(root().join("crates/run/tests/programs/apart.c"))
    });
    assert_eq!(asked, "data_race");
}

/// Code that is not instrumented decides what is done: that is noticed, and every run is played.
#[test]
fn hidden_state_is_noticed() {
    for scenario in ["ask | ask", "ask | ask | ask"] {
        let mut program = Program::build("crates/run/tests/programs/hidden.c", "clang", "-O1", &[]);
        let (_, ended, every) = seen(&mut program, scenario, false);
        let (counts, ended_too, left) = seen(&mut program, scenario, true);
        assert_eq!(ended, ended_too, "{scenario}");
        assert_eq!(every.histories, left.histories, "{scenario}");
        assert_eq!(counts.recalled, 0, "{scenario}");
    }
}

/// A block is freed as a whole: who reads any part of it must have done so before.
#[test]
fn a_part_that_only_its_reader_touches_is_freed_all_the_same() {
    for recall in [true, false] {
        let asked = verdict(&trueline_run::test::Request {
            scenario: Some("look | drop_it".into()),
            settings: Settings { recall, ..Settings::default() },
            ..request(root().join("crates/run/tests/programs/free_part.c"))
        });
        assert_eq!(asked, "use_after_free", "{recall}");
    }
}

/// Of a block that is freed all of it is gone, but only what is accessed counts: padding has no value that anybody knows.
#[test]
fn padding_of_a_freed_block_does_not_count() {
    for scenario in ["look | drop", "drop | look", "look | again", "again | again [look]"] {
        for model in [Model::Sc, Model::C11] {
            let asked = verdict(&trueline_run::test::Request {
                scenario: Some(scenario.into()),
                settings: Settings { model, ..Settings::default() },
                ..request(root().join("crates/run/tests/programs/padding.c"))
            });
            assert_eq!(asked, "holds", "{scenario}, {model:?}");
        }
    }
}

#[test]
fn random_programs_show_the_same() {
    let mut program = Program::build("crates/run/tests/programs/random.c", "clang", "-O1", &[]);
    let mut random = crate::common::Random(77);
    // With a look at the end a complete execution takes no run if another ended with the same memory.
    for (end, model) in [("", Model::Sc), (" [final]", Model::Sc), ("", Model::C11), (" [final]", Model::C11)]
    {
        program.settings.model = model;
        let mut scenarios = BTreeSet::new();
        while scenarios.len() < 60 {
            scenarios.insert(scenario(&mut random, Size::Large).replace(" [final]", end));
        }
        let recalled: u64 = scenarios.iter().map(|s| compare(&mut program, s, s)).sum();
        assert!(recalled > 20, "{model:?} {recalled}");
    }
}

/// What is done after the threads depends on more than what they share.
#[test]
fn memory_of_threads_by_themselves_counts_after_them() {
    for level in ["-O0", "-O2"] {
        let mut program = Program::build("crates/run/tests/programs/private.c", "clang", level, &[]);
        for keep in ["keep", "keep_block"] {
            let scenario = format!("{keep}(0) | {keep}(1) | put(1) put(2) put(3) [look]");
            let recalled = compare(&mut program, &scenario, &scenario);
            assert_eq!(recalled, 0, "{level} {keep}: no two of them end with the same memory");
            let same = format!("{keep}(0) {keep}(0) | {keep}(1) {keep}(1) | put(1) put(2) put(3) [look]");
            // If it did not count, runs would contradict each other, and all would be played. A block stays as it is.
            assert_eq!(compare(&mut program, &same, &same) > 0, keep == "keep", "{level} {keep}");
        }
    }
}
