//! Threads that wait for others: whom signals wake, and what is done once.

use std::collections::BTreeSet;

use crate::common::{All, Program, asked, root};

/// What operations answered, without the order of their calls.
fn answers(histories: &BTreeSet<(Vec<u64>, Vec<Vec<u64>>)>) -> BTreeSet<Vec<u64>> {
    histories.iter().map(|(_, answers)| answers.iter().map(|words| words[0]).collect()).collect()
}

#[test]
fn a_signal_may_wake_any_thread_that_waits() {
    let mut program = Program::build("crates/run/tests/programs/waiters.c", "clang", "-O1", &[]);
    let scenario = "early | late | wake";
    let mut all = All::default();
    let (_, ended) = program.explore(scenario, &mut all);
    assert_eq!(ended, None);
    // The one that waits first need not be the first to go on.
    assert_eq!(answers(&all.histories), BTreeSet::from([vec![1, 2, 1], vec![2, 1, 1]]));
    let classes = program.classes(scenario, 20_000).expect("few classes");
    assert_eq!((&all.histories, all.stuck), (&classes.seen.histories, classes.seen.stuck));
}

#[test]
fn what_is_done_once_is_waited_for() {
    let mut request = asked::request(root().join("crates/run/tests/programs/once.cpp"));
    request.scenario = Some("use | use | use".into());
    assert_eq!(asked::verdict(&request), "holds");
    request.flags = vec!["-DFORGETS".into()];
    assert_eq!(asked::verdict(&request), "data_race");
}

#[test]
fn programs_that_start_others_are_told_by_name() {
    for (what, expected) in [("12", "the code calls system"), ("13", "the code starts another process")] {
        let mut request = asked::request(root().join("crates/run/tests/programs/odd.cpp"));
        (request.flags, request.levels) = (vec![format!("-DWHAT={what}")], vec!["-O1".into()]);
        let verdict = asked::verdict(&request);
        assert!(verdict.starts_with("unknown") && verdict.contains(expected), "{verdict}");
    }
}
