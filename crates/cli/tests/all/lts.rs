//! `trueline lts` as a user runs it: output, exit codes, errors with places.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder of its own for each test.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("lts-{name}"));
    std::fs::create_dir_all(&path).unwrap();
    std::fs::write(path.join("early.aut"), "des (0,5,4)\n(0,a,1)\n(0,a,2)\n(1,b,3)\n(2,c,3)\n(3,tau,0)\n")
        .unwrap();
    std::fs::write(path.join("late.aut"), "des (0,4,3)\n(0,\"a\",1)\n(1,\"b\",2)\n(1,\"c\",2)\n(2,i,0)\n")
        .unwrap();
    std::fs::write(path.join("loop.aut"), "des (0,2,2)\n(0,tau,0)\n(0,a,1)\n").unwrap();
    std::fs::write(path.join("still.aut"), "des (0,1,2)\n(0,a,1)\n").unwrap();
    path
}

fn run(folder: &Path, words: &str) -> Output {
    let words: Vec<&str> = words.split_whitespace().collect();
    Command::new(env!("CARGO_BIN_EXE_trueline")).current_dir(folder).arg("lts").args(words).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn compare_explains_itself() {
    let at = folder("compare");
    let output = run(&at, "compare early.aut late.aut --by branching");
    assert_eq!(output.status.code(), Some(1));
    let want = "not equivalent by branching: early.aut and late.aut
1. early.aut in state 0, late.aut in state 0
   early.aut can do a: 0 -a-> 1
   late.aut can at best answer: 0 -a-> 1
2. early.aut in state 1, late.aut in state 1
   late.aut can do c: 1 -c-> 2
   early.aut cannot
this holds in early.aut and not in late.aut:
  <tau* . a> not <tau* . c> true
";
    assert_eq!(text(&output.stdout), want);
    assert_eq!(run(&at, "compare early.aut late.aut --by trace").status.code(), Some(0));
    assert_eq!(run(&at, "compare early.aut late.aut --by trace --inclusion").status.code(), Some(0));
    assert_eq!(run(&at, "compare loop.aut still.aut --by branching").status.code(), Some(0));
    let output = run(&at, "compare loop.aut still.aut --by dpbranching");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("can go on silently for ever"), "{}", text(&output.stdout));
    let output = run(&at, "compare early.aut still.aut --by trace");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stdout)
            .starts_with("not equivalent by trace: early.aut and still.aut\na shortest trace")
    );
}

#[test]
fn compare_as_a_document() {
    let at = folder("json");
    let output = run(&at, "compare early.aut late.aut --json");
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["version"], 1);
    assert_eq!(document["command"], "lts compare");
    assert_eq!(document["verdict"], "not equivalent");
    assert_eq!(document["evidence"]["rounds"].as_array().unwrap().len(), 2);
    assert!(document["evidence"]["rounds"][1]["answer"].is_null());
    let output = run(&at, "compare early.aut none.aut --json");
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &document["verdict"]), (Some(3), &"error".into()));
}

#[test]
fn reduce_convert_and_draw() {
    let at = folder("files");
    let output = run(&at, "reduce early.aut --by strong -o small.aut.gz --classes map.txt");
    assert_eq!(
        text(&output.stdout),
        "early.aut: 4 states, 5 transitions\nby strong: 4 states, 5 transitions\n"
    );
    assert_eq!(text(&std::fs::read(at.join("map.txt")).unwrap()), "0 0\n1 1\n2 2\n3 3\n");
    assert_eq!(run(&at, "compare early.aut small.aut.gz --by strong").status.code(), Some(0));
    assert_eq!(run(&at, "convert early.aut early.jsonl").status.code(), Some(0));
    assert_eq!(run(&at, "compare early.aut early.jsonl --by strong").status.code(), Some(0));
    let output = run(&at, "reduce early.aut --by trace -o -");
    assert_eq!(text(&output.stdout), "des (0, 3, 2)\n(0, \"a\", 1)\n(1, \"b\", 0)\n(1, \"c\", 0)\n");
    assert_eq!(run(&at, "draw early.aut -o early.svg").status.code(), Some(0));
    assert!(text(&std::fs::read(at.join("early.svg")).unwrap()).ends_with("</svg>\n"));
    let output = run(&at, "convert early.aut - --to dot --hide a,b");
    assert!(text(&output.stdout).contains("0 -> 1 [label=\"tau\", style=dashed];"));
}

#[test]
fn any_number_of_threads_writes_the_same() {
    let at = folder("jobs");
    let (_, lts) = (0..)
        .map(|seed| (seed, trueline_lts::sample::random_small(seed, 3000)))
        .find(|(_, lts)| lts.transitions() > 5000)
        .unwrap();
    let mut text = Vec::new();
    trueline_lts::write::aut(&lts, "tau", &mut text).unwrap();
    std::fs::write(at.join("x.aut"), text).unwrap();
    for jobs in ["1", "2", "5"] {
        let words = format!("reduce x.aut --by dpbranching --jobs {jobs} -o {jobs}.aut --classes {jobs}.txt");
        assert_eq!(run(&at, &words).status.code(), Some(0));
    }
    for jobs in ["2", "5"] {
        for ending in ["aut", "txt"] {
            let read = |jobs: &str| std::fs::read(at.join(format!("{jobs}.{ending}"))).unwrap();
            assert!(read("1") == read(jobs), "{jobs} threads, .{ending}");
        }
    }
}

#[test]
fn k_traces_of_a_subtle_step() {
    let at = folder("ktrace");
    // s -tau-> r keeps the traces, yet r alone passes a state that can do b and no longer a.
    let subtle =
        "des (0,8,6)\n(0,tau,1)\n(0,tau,2)\n(1,tau,3)\n(3,tau,2)\n(1,a,4)\n(1,b,5)\n(3,b,5)\n(2,c,5)\n";
    std::fs::write(at.join("subtle.aut"), subtle).unwrap();
    let output = run(&at, "ktrace subtle.aut");
    assert_eq!(output.status.code(), Some(0));
    assert!(
        text(&output.stdout)
            .contains("some tau step has ends that are 1-trace equivalent and 2-trace inequivalent"),
        "{}",
        text(&output.stdout)
    );
}

#[test]
fn what_is_wrong_is_said() {
    let at = folder("wrong");
    std::fs::write(at.join("range.aut"), "des (0, 1, 2)\n(0, a, 7)\n").unwrap();
    std::fs::write(at.join("short.aut"), "des (0, 3, 2)\n(0, a, 1)\n").unwrap();
    std::fs::write(at.join("label.aut"), format!("des (0, 1, 2)\n(0, {}, 1)\n", "x".repeat(1 << 20)))
        .unwrap();
    for (words, code, message) in [
        ("info range.aut", 3, "error: range.aut:2:8: state 7 is out of range"),
        ("info short.aut", 3, "error: short.aut:3:1: the header announces 3 transitions"),
        ("info label.aut", 3, "error: label.aut:2:"),
        ("info none.aut", 3, "error: none.aut: "),
        ("reduce early.aut -o early.xyz", 64, "error: the format of `early.xyz` is not known"),
        ("info early.aut --hide q", 64, "error: --hide: there is no label `q`"),
        ("compare early.aut late.aut --inclusion", 64, "error: --inclusion goes with --by trace"),
        ("reduce early.aut --by nonsense", 64, "error: invalid value 'nonsense'"),
        ("compare early.aut late.aut --time 0s", 2, "unknown: the time limit was reached"),
        ("reduce early.aut --memory 1", 2, "unknown: the memory limit was reached"),
    ] {
        let output = run(&at, words);
        let complaint = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{words}: {complaint}");
        assert!(complaint.starts_with(message), "{words}: {complaint}");
    }
}

#[test]
fn long_plays_are_shortened_in_the_middle() {
    let at = folder("long");
    for last in ["x", "y"] {
        let mut text = String::from("des (0,3000,3001)\n");
        for i in 0..3000 {
            text += &format!("({i},{},{})\n", if i == 2999 { last } else { "a" }, i + 1);
        }
        std::fs::write(at.join(format!("{last}.aut")), text).unwrap();
    }
    for by in ["strong", "weak", "trace"] {
        let output = run(&at, &format!("compare x.aut y.aut --by {by}"));
        assert_eq!(output.status.code(), Some(1), "{by}");
        let text = text(&output.stdout);
        assert!(text.len() < 20_000, "{by}: {} bytes", text.len());
        assert!(text.contains("2980 ") && text.contains("are not shown"), "{by}: {text}");
    }
}

#[test]
fn ktrace_names_the_states_of_the_file() {
    let at = folder("ktrace");
    // Unreachable states come first in the file, and the initial state is the last.
    std::fs::write(at.join("far.aut"), "des (9,3,10)\n(9,tau,7)\n(9,a,8)\n(7,b,8)\n").unwrap();
    let output = run(&at, "ktrace far.aut --steps");
    let text = text(&output.stdout);
    assert!(text.contains("  9 -> 7: differ at k = 1"), "{text}");
    assert!(text.contains("such as 9 -> 7"), "{text}");
}

#[test]
fn values_that_do_not_apply_are_refused() {
    let at = folder("values");
    let model = "object Box {\n  shared x: int = 0;\n  op put(v: val) { x = 1; }\n}\n";
    std::fs::write(
        at.join("own.tl"),
        format!("{model}check Box {{ threads 1; ops 1; call put(1); safe; }}\n"),
    )
    .unwrap();
    std::fs::write(at.join("any.tl"), format!("{model}check Box {{ threads 1; ops 1; safe; }}\n")).unwrap();
    let output = run(&at, "generate own.tl --values 3 -o own.aut");
    assert_eq!(output.status.code(), Some(64), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("--values does not apply"), "{}", text(&output.stderr));
    assert_eq!(run(&at, "generate own.tl --values tid -o own.aut").status.code(), Some(64));
    assert_eq!(run(&at, "generate own.tl -o own.aut").status.code(), Some(0));
    assert_eq!(run(&at, "generate any.tl --values 3 -o any.aut").status.code(), Some(0));
}

#[test]
fn refinement_explains_itself() {
    let at = folder("refine");
    assert_eq!(run(&at, "compare early.aut late.aut --by simulation").status.code(), Some(0));
    let output = run(&at, "compare late.aut early.aut --by simulation");
    assert_eq!(output.status.code(), Some(1));
    let want = "late.aut does not refine early.aut by simulation
1. late.aut in state 0, early.aut in state 0
   late.aut can do a: 0 -a-> 1
   early.aut can at best answer: 0 -a-> 2
2. late.aut in state 1, early.aut in state 2
   late.aut can do b: 1 -b-> 2
   early.aut cannot
this holds in late.aut and not in early.aut:
  <a> (<b> true and <c> true)
";
    assert_eq!(text(&output.stdout), want);
    let output = run(&at, "compare early.aut late.aut --by failures");
    assert_eq!(output.status.code(), Some(1));
    let want = "early.aut does not refine late.aut by failures
a run of early.aut:
  0 -a-> 1
then early.aut offers b and nothing else; no stable state of late.aut after the same labels offers no more than that
";
    assert_eq!(text(&output.stdout), want);
    assert_eq!(run(&at, "compare late.aut early.aut --by failures").status.code(), Some(0));
    assert_eq!(run(&at, "compare still.aut loop.aut --by failures-divergences").status.code(), Some(0));
    let output = run(&at, "compare loop.aut still.aut --by failures-divergences --json");
    assert_eq!(output.status.code(), Some(1));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["verdict"], "not refined");
    assert_eq!(document["evidence"]["kind"], "divergence");
    let output = run(&at, "compare loop.aut still.aut --by bisimulation");
    assert_eq!(output.status.code(), Some(64));
    assert!(text(&output.stderr).contains("ready-simulation"), "{}", text(&output.stderr));
}
