//! Published and independently computed sizes: raw state spaces, and quotients modulo branching bisimulation (Yang,
//! Katoen, Lin, Wu: tables of the quotients of the queues, the stack and CCAS).

use crate::common::{code, root, run, scratch, stderr, stdout};

/// States of a generated system, and of its quotient.
fn sizes(name: &str, model: &str, args: &[&str]) -> (u64, u64) {
    let folder = scratch(name);
    let path = root().join("models").join(model);
    let mut all = vec!["lts", "generate", path.to_str().expect("a path"), "-o", "x.aut", "--json"];
    all.extend(args);
    let field = |output: &std::process::Output, pointer: &str| {
        assert_eq!(code(output), 0, "{args:?}: {}", stderr(output));
        let document: serde_json::Value = serde_json::from_str(&stdout(output)).expect("JSON");
        document
            .pointer(pointer)
            .and_then(|n| n.as_u64())
            .unwrap_or_else(|| panic!("{pointer} in {document}"))
    };
    let raw = field(&run(&folder, &all), "/states");
    let reduced = run(&folder, &["lts", "reduce", "x.aut", "--by", "branching", "--json"]);
    (raw, field(&reduced, "/reduced/states"))
}

#[test]
fn raw_sizes_at_the_granularity_of_the_reference() {
    for (threads, ops, states) in [("2", "1", 312), ("2", "2", 4743), ("2", "3", 37232), ("3", "1", 9054)] {
        let (raw, _) = sizes("raw", "oracle/ms_line.tl", &["--threads", threads, "--ops", ops]);
        assert_eq!(raw, states, "{threads}-{ops}");
    }
}

#[test]
fn quotients_of_the_queues() {
    let rows = [("2", "1", 28, 28), ("2", "2", 209, 209), ("2", "3", 817, 863), ("3", "1", 220, 220)];
    for (threads, ops, specification, queue) in rows {
        let size = ["--check", "2", "--threads", threads, "--ops", ops];
        assert_eq!(sizes("ms", "queue/ms_queue.tl", &size).1, queue, "MS queue {threads}-{ops}");
        let spec: Vec<&str> = size.into_iter().chain(["--spec"]).collect();
        assert_eq!(
            sizes("ms-spec", "queue/ms_queue.tl", &spec).1,
            specification,
            "specification {threads}-{ops}"
        );
    }
    let size = ["--threads", "2", "--ops", "3"];
    assert_eq!(sizes("dglm", "queue/dglm_queue.tl", &size).1, 863, "DGLM queue 2-3");
    let size = ["--check", "2", "--threads", "2", "--ops", "3"];
    assert_eq!(sizes("abstract", "queue/abstract_queue.tl", &size).1, 863, "abstract queue 2-3");
}

#[test]
fn quotients_of_the_stack_by_height() {
    for (threads, ops, states) in [("2", "1", 28), ("2", "2", 234), ("3", "1", 241)] {
        let size = ["--threads", threads, "--ops", ops];
        assert_eq!(sizes("height", "oracle/treiber_height.tl", &size).1, states, "Treiber {threads}-{ops}");
        let spec: Vec<&str> = size.into_iter().chain(["--spec"]).collect();
        assert_eq!(
            sizes("height-spec", "oracle/treiber_height.tl", &spec).1,
            states,
            "specification {threads}-{ops}"
        );
    }
}

/// Larger rows of the same tables whose raw systems are still small; `cargo xtask soak lts` has the rest.
#[test]
fn larger_quotients() {
    let rows: [(&str, &str, &str, u64); 20] = [
        ("queue/ms_queue.tl", "--check 2 --threads 2 --ops 4 --spec", "queue specification 2-4", 2471),
        ("queue/ms_queue.tl", "--check 2 --threads 2 --ops 5 --spec", "queue specification 2-5", 6347),
        ("queue/ms_queue.tl", "--check 2 --threads 3 --ops 2 --spec", "queue specification 3-2", 6152),
        ("queue/ms_queue.tl", "--check 2 --threads 4 --ops 1 --spec", "queue specification 4-1", 2040),
        ("queue/herlihy_wing.tl", "--threads 3 --ops 1", "Herlihy-Wing 3-1", 156),
        ("queue/herlihy_wing.tl", "--threads 3 --ops 2", "Herlihy-Wing 3-2", 4018),
        ("set/harris_michael.tl", "--check 2 --threads 3 --ops 2 --spec", "set specification 3-2", 11567),
        ("oracle/treiber_height.tl", "--threads 2 --ops 3", "height 2-3", 931),
        ("oracle/treiber_height.tl", "--threads 2 --ops 3 --spec", "height specification 2-3", 931),
        ("oracle/treiber_height.tl", "--threads 2 --ops 4", "height 2-4", 2580),
        ("oracle/treiber_height.tl", "--threads 2 --ops 4 --spec", "height specification 2-4", 2580),
        ("oracle/treiber_height.tl", "--threads 3 --ops 2", "height 3-2", 5932),
        ("oracle/treiber_height.tl", "--threads 3 --ops 2 --spec", "height specification 3-2", 5932),
        ("stack/treiber.tl", "--check 3 --threads 2 --ops 2", "thread numbers 2-2", 221),
        ("stack/treiber.tl", "--check 2 --threads 2 --ops 2 --values 1", "one value 2-2", 168),
        ("stack/treiber.tl", "--check 2 --threads 3 --ops 2 --values 1", "one value 3-2", 3137),
        ("stack/treiber.tl", "--check 3 --threads 3 --ops 2", "thread numbers 3-2", 7007),
        ("queue/ms_queue.tl", "--check 2 --threads 2 --ops 4", "MS queue 2-4", 2648),
        ("queue/ms_queue.tl", "--check 2 --threads 4 --ops 1", "MS queue 4-1", 2476),
        ("queue/dglm_queue.tl", "--threads 2 --ops 4", "DGLM queue 2-4", 2648),
    ];
    for (model, args, name, states) in rows {
        let args: Vec<&str> = args.split(' ').collect();
        assert_eq!(sizes("larger", model, &args).1, states, "{name}");
    }
    let distinct = "push(1) or pop(); push(2) or pop() || push(3) or pop(); push(4) or pop()";
    assert_eq!(sizes("larger", "stack/treiber.tl", &["--check", "2", "--client", distinct]).1, 247);
}

#[test]
fn quotients_of_ccas() {
    // One call per thread: two CCAS with different expectations, and both settings of the flag.
    let client = ["--check", "2"];
    assert_eq!(sizes("ccas", "cas/ccas.tl", &client).1, 195);
    let spec: Vec<&str> = client.into_iter().chain(["--spec"]).collect();
    assert_eq!(sizes("ccas-spec", "cas/ccas.tl", &spec).1, 166);
}

/// Yang, Katoen, Lin, Wu, table I: whether a tau step has ends that are 1-trace equivalent and 2-trace inequivalent, as
/// it has where linearization points are not fixed. Of each object some tau step has ends that even traces tell apart.
#[test]
fn higher_traces_matter_where_points_are_not_fixed() {
    let meet = "deq() || enq(1); deq() || enq(2)";
    let rows: [(&str, &[&str], bool); 9] = [
        ("queue/herlihy_wing.tl", &["--threads", "3", "--ops", "1"], true),
        ("queue/ms_queue.tl", &["--check", "2", "--client", meet], true),
        ("queue/dglm_queue.tl", &["--client", meet], true),
        ("stack/treiber.tl", &["--threads", "2", "--ops", "2"], false),
        ("stack/treiber.tl", &["--client", "pop() || push(1); pop() || push(2)"], false),
        ("cas/new_cas.tl", &[], false),
        ("cas/new_cas.tl", &["--threads", "3", "--ops", "1"], false),
        ("cas/ccas.tl", &["--check", "2"], true),
        ("cas/rdcss.tl", &["--client", "rdcss(1, 1, 2) || rdcss(1, 2, 1) || write1(2) || write1(1)"], true),
    ];
    let folder = scratch("ktrace");
    for (model, args, higher) in rows {
        let path = root().join("models").join(model);
        let mut all = vec!["lts", "generate", path.to_str().expect("a path"), "-o", "x.aut"];
        all.extend(args);
        let output = run(&folder, &all);
        assert_eq!(code(&output), 0, "{model}: {}", stderr(&output));
        let told = stdout(&run(&folder, &["lts", "ktrace", "x.aut"]));
        assert!(told.contains("0-trace equivalent and 1-trace inequivalent, such as"), "{model}: {told}");
        let some =
            told.contains("some tau step has ends that are 1-trace equivalent and 2-trace inequivalent");
        let none = told.contains("no tau step has ends that are 1-trace equivalent and 2-trace inequivalent");
        assert_eq!((some, none), (higher, !higher), "{model} {args:?}: {told}");
    }
}
