//! What the default test finds, and what it does not take for a failure; programs that misbehave.

use std::path::Path;

use crate::common::{asked, compilers, root};
use trueline_base::{Limits, Meter, Silent, Verdict};
use trueline_run::kind::Kind;
use trueline_run::test::{Refusal, Request, Tested, test};

fn request(file: &str, flags: &[&str]) -> Request {
    compilers();
    Request { flags: flags.iter().map(|f| f.to_string()).collect(), ..asked::request(root().join(file)) }
}

fn ask(request: &Request) -> Result<Tested, Refusal> {
    test(request, &Meter::start(Limits::default()), &mut Silent)
}

/// `holds`, the word of a failure, or `unknown`.
fn word(request: &Request) -> String {
    match ask(request).unwrap_or_else(|r| panic!("{}: {r:?}", request.source.display())).verdict {
        Verdict::Holds(_) => "holds".into(),
        Verdict::Fails(failures) => {
            let failure = failures.first;
            assert!(!failure.trace.rows.is_empty() || failure.kind == Kind::Leak);
            failure.kind.word().into()
        }
        Verdict::Unknown(_) => "unknown".into(),
    }
}

#[test]
fn each_kind_of_failure_is_found() {
    let programs = [
        ("lost_wakeup.c", "deadlock"),
        ("wakeup.c", "holds"),
        ("produce.c", "holds"),
        ("lock_order.cpp", "deadlock"),
        ("spin.c", "livelock"),
        ("leak.c", "leak"),
        ("double_free.c", "double_free"),
        ("race.c", "data_race"),
        ("lost_update.cpp", "not_linearizable"),
        ("assertion.c", "assertion"),
    ];
    for (file, expected) in programs {
        assert_eq!(word(&request(&format!("crates/run/tests/programs/{file}"), &[])), expected, "{file}");
    }
    assert_eq!(word(&request("objects/cpp/treiber_free.cpp", &[])), "use_after_free");
}

#[test]
fn programs_that_misbehave_do_not_take_the_tool_with_them() {
    let odd = [
        ("1", "exception"),
        ("2", "exit"),
        ("3", "unknown"),
        ("4", "crash"),
        ("5", "holds"),
        ("6", "holds"),
        ("7", "crash"),
        ("8", "abort"),
        ("10", "out_of_bounds"),
        ("14", "out_of_bounds"),
        ("15", "holds"),
    ];
    for (what, expected) in odd {
        let flag = format!("-DWHAT={what}");
        let mut request = request("crates/run/tests/programs/odd.cpp", &[&flag]);
        request.levels.truncate(1);
        assert_eq!(word(&request), expected, "{what}");
    }
}

#[test]
fn aba_is_found() {
    let mut request = request("crates/run/tests/programs/aba.c", &[]);
    assert_eq!(word(&request), "not_linearizable");
    request.scenario = Some("[push(1) push(2)] pop | pop pop push(3) [pop pop pop]".into());
    assert_eq!(word(&request), "not_linearizable");
}

/// Equal and different keys in one scenario: one is removed while its neighbour is put in.
#[test]
fn a_set_that_forgets_is_found() {
    assert_eq!(word(&request("crates/run/tests/programs/lazy_set.cpp", &["-DFORGETS"])), "not_linearizable");
    let mut correct = request("crates/run/tests/programs/lazy_set.cpp", &[]);
    correct.levels = vec!["-O1".into()];
    for scenario in ["[add(1)] remove(1) | add(2) [contains(2)]", "[add(1) add(2)] remove(1) | remove(2)"] {
        correct.scenario = Some(scenario.into());
        assert_eq!(word(&correct), "holds", "{scenario}");
    }
}

#[test]
fn bad_input_is_refused() {
    let folder = std::env::temp_dir().join(format!("trueline-bad-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let refused = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        let request = Request { source: path, ..request("", &[]) };
        match ask(&request) {
            Err(Refusal::Input(message)) => message,
            other => panic!("{name}: {other:?}"),
        }
    };
    assert!(refused("broken.c", "int f( {").contains("error:"));
    assert!(refused("nothing.c", "int f(void) { return 1; }").contains("TL_OP"));
    let pointer = "#include <trueline.h>\nstruct s { int a; };\nTL_OP void f(struct s *x) { x->a = 1; }";
    assert!(refused("type.c", pointer).contains("`f`: its parameter `x`"));
    let assembly = "#include <trueline.h>\nstatic long x;\nTL_OP void f(void) { __asm__ volatile(\"lock incq %0\" : \"+m\"(x)); }";
    assert!(refused("assembly.c", assembly).contains("inline assembly"));
    assert!(refused("text.txt", "").contains("ends in .c"));
    std::fs::remove_dir_all(&folder).unwrap();
    let missing = Request { source: Path::new("missing.c").into(), ..request("", &[]) };
    assert_eq!(ask(&missing).err(), Some(Refusal::Input("no such file".into())));
}

#[test]
fn another_implementation_is_the_specification() {
    let mut queue = request("objects/cpp/ms_queue.cpp", &[]);
    queue.levels = vec!["-O1".into()];
    queue.against = Some(root().join("objects/cpp/sl_queue.cpp"));
    queue.scenario = Some("enq(1) deq | enq(2) deq [deq]".into());
    assert_eq!(word(&queue), "holds");
    let relaxed = Request {
        source: root().join("objects/cpp/random_dequeue.cpp"),
        scenario: Some("[enq(1) enq(2) enq(3)] deq | deq [deq deq]".into()),
        ..queue.clone()
    };
    assert_eq!(word(&relaxed), "not_linearizable");
    let other = Request { against: Some(root().join("objects/cpp/treiber.cpp")), ..queue };
    match ask(&other) {
        Err(Refusal::Against { why, .. }) => assert!(why.contains("no operation `enq`"), "{why}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_failure_is_told_when_that_is_asked_for() {
    let mut request = request("crates/run/tests/programs/several.c", &[]);
    request.levels = vec!["-O1".into()];
    request.all = true;
    let tested = ask(&request).unwrap();
    let Verdict::Fails(failures) = &tested.verdict else { panic!("{:?}", tested.verdict) };
    let mut words: Vec<&str> = failures.others.iter().map(|f| f.kind.word()).collect();
    words.push(failures.first.kind.word());
    words.sort_unstable();
    assert_eq!(words, ["assertion", "crash", "not_linearizable"]);
}

#[test]
fn large_scenarios_are_looked_at_by_few_preemptions_first() {
    // Too many executions for the time, but an error that one preemption shows.
    let mut request = request("crates/run/tests/programs/large.c", &[]);
    request.levels = vec!["-O1".into()];
    request.scenario = Some("inc | inc | inc | inc | inc".into());
    assert_eq!(word(&request), "not_linearizable");
}

#[test]
fn a_relaxed_queue_holds_in_small_scenarios() {
    for scenario in ["enq(1) | deq | deq [deq]", "enq(1) deq | enq(2) deq [deq deq]"] {
        let mut request = request("objects/cpp/random_dequeue.cpp", &[]);
        request.levels = vec!["-O1".into()];
        request.condition = "quasi=deq:1".parse().unwrap();
        request.scenario = Some(scenario.into());
        assert_eq!(word(&request), "holds", "{scenario}");
    }
}

/// A call after the threads that waits, when the same calls one after the other make it wait as well, is no deadlock.
#[test]
fn a_call_after_the_threads_may_wait_when_it_would_without_threads() {
    let file = "crates/run/tests/programs/waits_or_tries.cpp";
    let ask = |flags: &[&str], scenario: &str| {
        let mut request = request(file, flags);
        (request.scenario, request.levels) = (Some(scenario.into()), vec!["-O1".into()]);
        word(&request)
    };
    assert_eq!(ask(&[], "enq(1) | try_deq [deq try_deq]"), "holds");
    assert_eq!(ask(&[], "enq(1) | enq(2) | try_deq [deq deq]"), "holds");
    // Where a value was lost, nothing explains that it waits.
    assert_eq!(ask(&["-DLOSES"], "enq(1) | enq(2) | try_deq [deq deq]"), "deadlock");
}

/// A lock that is never released is a deadlock, although the same calls wait one after the other as well.
#[test]
fn a_lock_that_nobody_releases_is_no_waiting_that_is_meant() {
    for (what, expected) in [("1", "deadlock"), ("2", "deadlock"), ("3", "holds"), ("4", "holds")] {
        let mut request = request("crates/run/tests/programs/kept_lock.c", &[&format!("-DWHAT={what}")]);
        request.levels = vec!["-O1".into()];
        assert_eq!(word(&request), expected, "{what}");
    }
}

/// A handler is called by the thread that raises its signal, and others go on while it runs.
#[test]
fn signals_that_are_raised_call_their_handlers() {
    for (what, expected) in [
        (1, "holds"),
        (2, "not_linearizable"),
        (3, "data_race"),
        (4, "double_free"),
        (5, "exit"),
        (6, "unknown"),
        (7, "unknown"),
        (8, "unknown"),
        (9, "unknown"),
        (10, "unknown"),
    ] {
        let mut request = request("crates/run/tests/programs/signals.c", &[&format!("-DWHAT={what}")]);
        (request.levels, request.scenario) = (vec!["-O1".into()], Some("hit | hit [get]".into()));
        request.allow_races = what != 3;
        assert_eq!(word(&request), expected, "{what}");
    }
}

/// What goes wrong in static constructors is no execution: it is told with its line.
#[test]
fn programs_that_do_not_get_to_their_operations_are_refused() {
    let file = "crates/run/tests/programs/constructor.cpp";
    let text = std::fs::read_to_string(root().join(file)).unwrap();
    for (what, said, comment) in [
        (1, "follows a null pointer", "// crash"),
        (2, "calls exit", "// exit"),
        (3, "calls abort", "// abort"),
        (4, "breaks the assertion", "// assertion"),
        (5, "throws an exception that nobody catches", "// exception"),
        (6, "starts a thread", "// thread"),
        (7, "raises SIGTERM", "// signal"),
        (8, "calls fork", "// fork"),
        (9, "follows a null pointer", "// atomic crash"),
    ] {
        for level in ["-O0", "-O2"] {
            let line = text.lines().position(|line| line.ends_with(comment)).unwrap() + 1;
            let mut request = request(file, &[&format!("-DWHAT={what}")]);
            request.levels = vec![level.into()];
            let Err(Refusal::Input(why)) = ask(&request) else { panic!("{what} {level}") };
            assert!(why.contains(said), "{what} {level}: {why}");
            // The C++ library's own functions stand between a thread or an exception and the line.
            let placed = why.contains(&format!("constructor.cpp:{line}: "));
            assert!(placed || [5, 6].contains(&what), "{what} {level}: {why}");
        }
    }
}

/// One after the other, calls run in the threads that make them: what these keep for themselves is no error.
#[test]
fn what_threads_keep_for_themselves_is_part_of_the_specification() {
    for what in ["-DWHAT=1", "-DWHAT=2"] {
        for (flag, expected) in [("-DRIGHT", "holds"), ("-DLOSES", "not_linearizable"), ("-DLEAKS", "leak")] {
            let mut request = request("crates/run/tests/programs/tickets.cpp", &[what, flag]);
            request.levels = vec!["-O1".into()];
            assert_eq!(word(&request), expected, "{what} {flag}");
        }
    }
}
