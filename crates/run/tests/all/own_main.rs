//! Programs with their own `main`, whose threads are pthreads or those of C++.

use crate::common::asked::{request, verdict};
use crate::common::{compilers, root};
use trueline_run::search::Settings;
use trueline_run::test::Request;

fn asked(what: u32, spec: Option<&str>) -> String {
    asked_of("own_main.cpp", what, spec)
}

fn asked_of(file: &str, what: u32, spec: Option<&str>) -> String {
    compilers();
    verdict(&Request {
        flags: vec![format!("-DWHAT={what}"), "-std=c++17".into()],
        levels: vec!["-O1".into()],
        spec: spec.map(str::to_string),
        settings: Settings { main: true, ..Settings::default() },
        ..request(root().join("crates/run/tests/programs").join(file))
    })
}

#[test]
fn threads_of_a_program_are_explored() {
    // Two increments in two steps each: both may answer 1.
    assert_eq!(asked(1, Some("counter")), "not_linearizable");
    assert_eq!(asked(2, Some("counter")), "holds");
    // Without a specification the rest is looked for.
    assert_eq!(asked(1, None), "holds");
    assert_eq!(asked(3, None), "deadlock");
    assert!(["exit", "data_race"].contains(&asked(4, None).as_str()));
    // Starting and joining threads orders what they do.
    assert_eq!(asked(5, None), "holds");
    // The number of a thread is written where others may read later.
    assert_eq!(asked(8, None), "assertion");
}

#[test]
fn what_cannot_be_compared_is_unknown() {
    assert!(
        asked(6, Some("counter")).starts_with("unknown: which calls the threads make"),
        "{}",
        asked(6, None)
    );
    assert!(asked(7, None).contains("main ends before its threads"), "{}", asked(7, None));
}

/// Blocks that nothing refers to any more when `main` has ended. What threads keep for themselves ends with them.
#[test]
fn blocks_that_are_left_are_found() {
    for (what, expected) in
        [(1, "leak"), (2, "holds"), (3, "holds"), (4, "holds"), (5, "holds"), (6, "holds")]
    {
        assert_eq!(asked_of("main_leak.cpp", what, None), expected, "{what}");
    }
}
