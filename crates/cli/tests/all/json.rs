//! Real output fits the schema.

use crate::common::{root, run, scratch, stdout};
use crate::schema::{Schema, remove};
use serde_json::{Value, json};

#[test]
fn documents_fit_the_schema() {
    let folder = scratch("json");
    let schema = Schema::of("check.json");
    let model = |name: &str| root().join("models").join(name).display().to_string();
    let runs: [&[&str]; 4] = [
        &["check", "--json", &model("counter/lost_update.tl")],
        &["check", "--json", &model("lock/peterson.tl"), &model("stack/treiber_reuse.tl")],
        &["check", "--json", &model("queue/ms_queue.tl"), "--states", "50", "--memory", "1G"],
        &["check", "--json", &model("mailbox/mailbox.tl"), "--states", "100", "--memory", "1G"],
    ];
    let mut seen = std::collections::BTreeSet::new();
    for args in runs {
        let document = schema.fits(args, &stdout(&run(&folder, args)));
        let results = document["results"].as_array().expect("results");
        assert!(!results.is_empty());
        for (at, entry) in results.iter().enumerate() {
            let word = entry["verdict"].as_str().expect("a verdict");
            if !seen.insert(word.to_string()) {
                continue;
            }
            // What belongs to one verdict does not go with another.
            schema.refuses(&document, |d| remove(&mut d["results"][at], "verdict"));
            schema.refuses(&document, |d| remove(&mut d["results"][at], "why"));
            schema.refuses(&document, |d| d["results"][at]["more"] = json!(1));
            schema.refuses(&document, |d| d["results"][at]["scope"]["more"] = json!(1));
            let other = if word == "holds" { json!("a reason") } else { Value::Null };
            schema.refuses(&document, |d| d["results"][at]["why"] = other);
            if word != "fails" {
                schema.refuses(&document, |d| d["results"][at]["trace"] = json!("a.trace.json"));
            }
        }
    }
    assert_eq!(Vec::from_iter(seen), ["fails", "holds", "unknown"]);
}

#[test]
fn documents_about_systems_fit_their_schema() {
    let folder = scratch("json-lts");
    let schema = Schema::of("lts.json");
    let model = root().join("models/queue/ms_queue.tl").display().to_string();
    let size = ["--check", "2", "--threads", "2", "--ops", "1"];
    let early = "des (0,6,4)\n(0,a,1)\n(0,a,2)\n(1,b,3)\n(2,c,3)\n(3,tau,0)\n(3,i,3)\n";
    std::fs::write(folder.join("early.aut"), early).expect("written");
    std::fs::write(folder.join("late.aut"), "des (0,4,3)\n(0,a,1)\n(1,b,2)\n(1,c,2)\n(2,i,0)\n")
        .expect("written");
    std::fs::write(folder.join("wrong.aut"), "des (0,1,1)\n(0,a,9)\n").expect("written");
    let generate = |more: &[&'static str]| {
        let mut words = vec!["generate".to_string(), model.clone()];
        words.extend(size.iter().chain(more).map(|word| word.to_string()));
        words
    };
    let words = |text: &str| text.split(' ').map(String::from).collect::<Vec<_>>();
    let runs = [
        (generate(&["-o", "queue.aut"]), 0),
        (generate(&["--spec", "-o", "spec.aut.gz"]), 0),
        (generate(&["--states", "3"]), 64),
        (words("info early.aut"), 0),
        (words("reduce early.aut --by weak"), 0),
        (words("reduce queue.aut --by trace -o small.jsonl"), 0),
        (words("compare queue.aut spec.aut.gz"), 0),
        (words("compare early.aut late.aut --by trace"), 0),
        (words("compare early.aut late.aut --by branching"), 1),
        (words("compare early.aut late.aut --by dpweak"), 1),
        (words("compare early.aut queue.aut --by trace"), 1),
        (words("compare early.aut queue.aut --by trace --inclusion"), 1),
        (words("compare early.aut late.aut --by trace --inclusion"), 0),
        (words("convert early.aut early.jsonl"), 0),
        (words("draw early.aut -o early.svg"), 0),
        (words("ktrace early.aut"), 0),
        (words("ktrace queue.aut"), 0),
        (words("info wrong.aut"), 3),
        (words("info none.aut"), 3),
        (words("reduce early.aut --memory 1"), 2),
        (words("compare early.aut late.aut --inclusion"), 64),
    ];
    let mut commands = std::collections::BTreeSet::new();
    for (args, exit) in runs {
        let all: Vec<&str> =
            ["lts"].into_iter().chain(args.iter().map(String::as_str)).chain(["--json"]).collect();
        let output = run(&folder, &all);
        let text = stdout(&output);
        assert_eq!(output.status.code(), Some(exit), "{args:?}: {text}");
        if text.is_empty() {
            // The parser of the command line speaks before there is a document.
            assert_eq!(exit, 64, "{args:?}");
            continue;
        }
        let document = schema.fits(&all, &text);
        commands.insert(document["command"].as_str().unwrap_or_default().to_string());
        schema.refuses(&document, |d| d["more"] = json!(1));
        schema.refuses(&document, |d| remove(d, "command"));
        if let Some("play") = document["evidence"]["kind"].as_str() {
            schema.refuses(&document, |d| remove(&mut d["evidence"], "formula"));
            schema.refuses(&document, |d| d["evidence"]["rounds"] = json!([]));
            schema.refuses(&document, |d| d["verdict"] = json!("equivalent"));
        }
    }
    let known = "compare convert draw generate info ktrace reduce";
    assert_eq!(Vec::from_iter(commands), Vec::from_iter(known.split(' ').map(|c| format!("lts {c}"))));
}

#[test]
fn every_command_prints_a_document() {
    let folder = scratch("json-commands");
    let schema = Schema::of("commands.json");
    let model = root().join("models/counter/lost_update.tl").display().to_string();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("written");
    write("wrong.tl", "object A { op f() { x = 1 } }");
    write(
        "log.jsonl",
        "{\"spec\":\"register\"}\n{\"process\":0,\"type\":\"call\",\"op\":\"read\"}\n{\"process\":0,\"type\":\"return\",\"value\":7}\n",
    );
    write("odd.trace.json", "{}");
    let runs: &[(&[&str], i32)] = &[
        (&["new", "thing"], 0),
        (&["new", "thing"], 3),
        (&["new", ""], 64),
        (&["new", "1"], 64),
        (&["show", "--steps", &model], 0),
        (&["show", &model], 0),
        (&["show", "--essential", &model], 0),
        (&["show", "--spec", "Queue"], 0),
        (&["show", "--spec", "Nonsense"], 3),
        (&["show", "wrong.tl"], 3),
        (&["show", "none.tl"], 3),
        (&["show", "--steps", "--check", "9", &model], 3),
        (&["fmt", "thing.tl"], 0),
        (&["fmt", "wrong.tl"], 3),
        (&["fmt", "none.tl"], 3),
        (&["explain", "E0202"], 0),
        (&["explain", "nonsense"], 3),
        (&["completions", "bash"], 0),
        (&["models"], 0),
        (&["models", "queue"], 0),
        (&["models", "nonsense"], 64),
        (&["show", "@ms_queue"], 0),
        (&["show", "@nonsense"], 3),
        (&["fmt", "@ms_queue"], 3),
        (&["man"], 0),
        (&["man", "--into", "pages"], 0),
        (&["man", "nonsense"], 64),
        (&["check", "--compare", "thing.tl"], 0),
        (&["check", "--compare", "wrong.tl"], 3),
        (&["check", "--compare", "none.tl"], 3),
        (&["check", "--compare", "thing.tl", "--threads", "0"], 64),
        (&["check", "--compare", "thing.tl", "--client", "what()"], 64),
        (&["replay", "thing.trace.json"], 1),
        (&["replay", "odd.trace.json"], 3),
        (&["replay", "none.json"], 3),
        (&["history", "distance", "log.jsonl"], 1),
        (&["history", "distance", "none.jsonl"], 3),
        (&["history", "convert", "log.jsonl", "--to", "json"], 0),
        (&["history", "convert", "none.jsonl", "--to", "json"], 3),
    ];
    let mut commands = std::collections::BTreeSet::new();
    for (args, exit) in runs {
        if args[0] == "replay" && args[1] == "thing.trace.json" {
            run(&folder, &["check", "thing.tl"]);
        }
        let all: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        let output = run(&folder, &all);
        let text = stdout(&output);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(*exit), "{args:?}: {text}{said}");
        assert_eq!(said, "", "{args:?}: everything is in the document");
        let document = schema.fits(&all, &text);
        let wrong = document["diagnostics"].as_array().is_some_and(|all| !all.is_empty());
        assert_eq!(wrong, *exit == 3 || *exit == 64, "{args:?}: {text}");
        commands.insert(document["command"].as_str().unwrap_or_default().to_string());
    }
    let known = schema.text["$defs"]["CommandName"]["enum"].as_array().expect("commands").iter();
    let known: std::collections::BTreeSet<String> =
        known.filter_map(|n| n.as_str().map(String::from)).collect();
    assert_eq!(commands, known, "every command is tried");
    // The schema says something.
    let args = ["explain", "E0202", "--json"];
    let document = schema.fits(&args, &stdout(&run(&folder, &args)));
    schema.refuses(&document, |d| remove(d, "explanations"));
    schema.refuses(&document, |d| d["more"] = Value::Null);
    schema.refuses(&document, |d| d["explanations"][0]["more"] = Value::Null);
    schema.refuses(&document, |d| d["command"] = json!("models"));
    let args = ["replay", "thing.trace.json", "--json"];
    let document = schema.fits(&args, &stdout(&run(&folder, &args)));
    schema.refuses(&document, |d| d["fails"] = json!(false));
    schema.refuses(&document, |d| d["story"] = Value::Null);
    schema.refuses(&document, |d| remove(d, "differences"));
}

#[test]
fn tests_of_real_code_print_their_document() {
    let folder = scratch("json-code");
    let schema = Schema::of("test.json");
    let object = root().join("crates/cli/tests/data/inc.c").display().to_string();
    std::fs::write(folder.join("real.c"), "int x;\n").expect("written");
    let (wrong, right) = (["--levels", "O1", "--", "-DATOMIC=0"], ["--levels", "O1", "--", "-DATOMIC=1"]);
    let runs: &[(&[&str], &[&str], i32, &str)] = &[
        (&[&object], &right, 0, "holds"),
        (&[&object], &wrong, 1, "fails"),
        (&[&object, "--all"], &wrong, 1, "fails"),
        (&[&object, "--random", "pct"], &right, 2, "unknown"),
        (&["real.c"], &[], 3, ""),
        (&["none.c"], &[], 3, ""),
        (&["real.c", "--condition", "odd"], &[], 64, ""),
        (&[&object, "--scenario", "inc | inc("], &right, 64, ""),
        (&[&object, "--against", "none.c"], &right, 3, ""),
    ];
    for (args, flags, exit, verdict) in runs {
        let all = [&["test"], *args, &["--json"], *flags].concat();
        let output = run(&folder, &all);
        let text = stdout(&output);
        assert_eq!(output.status.code(), Some(*exit), "{all:?}: {text}");
        let document = schema.fits(&all, &text);
        assert_eq!(document["verdict"].as_str().unwrap_or_default(), *verdict, "{all:?}");
        let refused = document["diagnostics"].as_array().is_some_and(|all| !all.is_empty());
        assert_eq!(refused, verdict.is_empty(), "{all:?}: {text}");
        if !refused {
            schema.refuses(&document, |d| d["more"] = Value::Null);
            schema.refuses(&document, |d| remove(d, "scope"));
            schema.refuses(&document, |d| remove(&mut d["scope"], "histories"));
            schema.refuses(&document, |d| d["verdict"] = json!("odd"));
        }
        if *verdict == "fails" {
            schema.refuses(&document, |d| d["story"] = Value::Null);
            schema.refuses(&document, |d| d["verdict"] = json!("holds"));
        }
    }
}

#[test]
fn bad_usage_of_check_is_in_the_document() {
    let folder = scratch("json-usage");
    let model = root().join("models/counter/lost_update.tl").display().to_string();
    let schema = Schema::of("check.json");
    let runs: &[&[&str]] = &[
        &["--threads", "0"],
        &["--property", "lin"],
        &["--client", "what()"],
        &["--engine", "odd"],
        &["--reduce", "odd"],
        &["--reduce", "heap", "--engine", "plain"],
        &["--set", "ODD=1"],
    ];
    for args in runs {
        let all: Vec<&str> = ["check", &model, "--json"].into_iter().chain(args.iter().copied()).collect();
        let output = run(&folder, &all);
        assert_eq!((output.status.code(), output.stderr.len()), (Some(64), 0), "{args:?}");
        let document = schema.fits(&all, &stdout(&output));
        assert_eq!(document["diagnostics"].as_array().map(Vec::len), Some(1), "{args:?}");
    }
}
