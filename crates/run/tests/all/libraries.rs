//! Packaged libraries, unmodified: Debian's boost and Concurrency Kit, and crossbeam from the registry.

use crate::common::asked::{request, verdict};
use crate::common::{compilers, root};
use trueline_run::test::Request;

/// File, scenario, whether races are no findings, verdict. Both C libraries are older than C11 at heart: they read what
/// another thread may write, and throw away what they read.
const C: &[(&str, &str, bool, &str)] = &[
    ("boost_stack.cpp", "push(1) | push(2) | pop", false, "data_race"),
    ("boost_stack.cpp", "push(1) | push(2) | pop", true, "holds"),
    ("boost_queue.cpp", "enq(1) deq | enq(2) deq", false, "data_race"),
    ("boost_queue.cpp", "enq(1) | enq(2) | deq", true, "holds"),
    ("ck_stack.c", "push(1) pop | push(2) pop", false, "data_race"),
    ("ck_stack.c", "push(1) pop | push(2) pop [pop]", true, "holds"),
    ("ck_fifo.c", "enq(1) enq(2) | deq deq [deq deq]", true, "holds"),
    ("ck_ring.c", "enq(1) deq | enq(2) deq", true, "holds"),
];

/// Target, scenario where it is not the default ones, verdict.
const CROSSBEAM: &[(&str, Option<&str>, &str)] = &[
    ("array_queue", None, "holds"),
    ("channel", Some("send(1) receive | send(2) receive"), "holds"),
    ("injector", None, "holds"),
    ("seg_queue", None, "holds"),
    ("waiting_channel", Some("send(1) | receive"), "holds"),
];

#[test]
fn boost_and_concurrency_kit() {
    compilers();
    for (file, scenario, allow_races, expected) in C {
        let asked = Request {
            levels: vec!["-O2".into()],
            flags: vec!["-DCK_USE_CC_BUILTINS=1".into()],
            scenario: Some(scenario.to_string()),
            allow_races: *allow_races,
            ..request(root().join("objects/libraries").join(file))
        };
        assert_eq!(verdict(&asked), *expected, "{file}: {scenario}, races allowed: {allow_races}");
    }
}

/// What its inline assembly does would not be seen; the refusal says what to do.
#[test]
fn inline_assembly_is_refused_with_a_way_out() {
    compilers();
    let asked = request(root().join("objects/libraries/ck_stack.c"));
    let meter = trueline_base::Meter::start(trueline_base::Limits::default());
    match trueline_run::test::test(&asked, &meter, &mut trueline_base::Silent) {
        Err(refusal) => assert!(format!("{refusal:?}").contains("-- -DCK_USE_CC_BUILTINS=1"), "{refusal:?}"),
        Ok(_) => panic!("its atomics cannot be seen"),
    }
}

#[test]
fn crossbeam() {
    for (target, scenario, expected) in CROSSBEAM {
        let file = format!("objects/libraries/crossbeam/tests/{target}.rs");
        let asked = Request {
            levels: vec!["-O2".into()],
            scenario: scenario.map(str::to_string),
            ..request(root().join(file))
        };
        assert_eq!(verdict(&asked), *expected, "{target}");
    }
}
