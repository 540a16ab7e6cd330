//! Code of which nothing is seen: what is answered is what was really run, or that it is not known.

use std::time::{Duration, Instant};

use crate::common::{All, Program, asked, compilers, root};
use trueline_base::{Limits, Meter, Silent, Stop, Verdict};
use trueline_run::order::Model;
use trueline_run::search::Ended;
use trueline_run::test::{Cause, Request, Tested, test};

fn ask(file: &str, scenario: &str, flags: &[&str]) -> Tested {
    compilers();
    let request = Request {
        flags: flags.iter().map(|f| f.to_string()).collect(),
        scenario: Some(scenario.into()),
        levels: vec!["-O1".into()],
        ..asked::request(root().join("crates/run/tests/programs").join(file))
    };
    test(&request, &Meter::start(Limits::default()), &mut Silent).unwrap()
}

/// Lists and trees of the C++ library are linked by functions that are compiled in advance.
#[test]
fn containers_of_the_library_are_seen() {
    for scenario in ["put(1) | put(2) [take take]", "put(1) | take | put(2)", "[put(1)] put(2) | take [take]"]
    {
        let tested = ask("library.cpp", scenario, &[]);
        assert!(tested.verdict.holds(), "{scenario}: {:?}", tested.verdict);
    }
    let Verdict::Fails(failures) = ask("library.cpp", "[put(1)] take | take", &["-DCARELESS"]).verdict else {
        panic!("a value that is taken between two looks is found");
    };
    assert_eq!(failures.first.kind.word(), "not_linearizable");
}

/// What goes wrong inside of them is told by the line that calls them.
#[test]
fn containers_of_the_library_are_no_places() {
    let Verdict::Fails(failures) = ask("library.cpp", "[put(1)] drop(1) | drop(1)", &["-DSTALE"]).verdict
    else {
        panic!("what is erased twice is found");
    };
    let (file, line) = failures.first.place.clone().unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(failures.first.kind.word(), "use_after_free");
    assert!(text.lines().nth(line as usize - 1).unwrap().ends_with("// may be gone"), "{file}:{line}");
}

/// What threads read is the same, and yet they do something else: every execution is run.
#[test]
fn a_failure_that_did_not_happen_is_none() {
    for scenario in ["pop | push(1) push(2) [pop pop]", "push(1) | push(2) | pop [pop pop]"] {
        let tested = ask("hidden_list.c", scenario, &[]);
        // Where the order of what is hidden shows, nothing is known.
        assert!(!matches!(tested.verdict, Verdict::Fails(_)), "{scenario}: {:?}", tested.verdict);
    }
}

/// A variable that others share is written by code that is not instrumented.
#[test]
fn a_value_that_nobody_wrote_is_noticed() {
    let mut program = Program::build("crates/run/tests/programs/hidden_write.c", "clang", "-O1", &[]);
    let (_, ended) = program.explore("bump | bump", &mut All::default());
    assert!(
        matches!(&ended, Some(Ended::Differs(why)) if why.contains("nothing was seen to write")),
        "{ended:?}"
    );
}

/// One run of a thousand tries has millions of alternatives: limits hold while they are looked at.
#[test]
fn limits_hold_inside_of_one_long_run() {
    compilers();
    let request = Request {
        scenario: Some("inc | inc".into()),
        levels: vec!["-O1".into()],
        ..asked::request(root().join("crates/run/tests/programs/spin_write.c"))
    };
    let weak = Request {
        settings: trueline_run::search::Settings { model: Model::C11, ..request.settings },
        ..request.clone()
    };
    let limits = Limits { time: Some(Duration::from_secs(3)), ..Limits::default() };
    let start = Instant::now();
    let tested = test(&weak, &Meter::start(limits), &mut Silent).unwrap();
    let Verdict::Unknown(doubt) = tested.verdict else { panic!("{:?}", tested.verdict) };
    assert_eq!(doubt.cause, Cause::Limit(Stop::Time));
    assert!(doubt.why.contains("a bound on steps"), "{}", doubt.why);
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    // Under sequential consistency a try that changes nothing is none.
    let tested = test(&request, &Meter::start(Limits::default()), &mut Silent).unwrap();
    assert!(tested.verdict.holds(), "{:?}", tested.verdict);
}
