//! Whole command lines: what a user types and what comes back.

use crate::common::{code, golden, root, run, scratch, stderr, stdout, transcript};

/// Runs the lines one after the other in one folder.
fn session(name: &str, lines: &[&[&str]]) {
    let folder = scratch(name);
    std::os::unix::fs::symlink(root().join("models"), folder.join("models")).expect("a link");
    let mut text = String::new();
    for args in lines {
        text += &transcript(args, &run(&folder, args));
        text.push('\n');
    }
    golden(&format!("commands/{name}.txt"), &text);
}

#[test]
fn a_new_model_is_refuted_and_repaired() {
    let folder = scratch("new");
    let mut text = String::new();
    for args in [
        &["new", "counter"][..],
        &["new", "counter"],
        &["check", "counter.tl"],
        &["replay", "counter.trace.json"],
    ] {
        text += &transcript(args, &run(&folder, args));
    }
    let path = folder.join("counter.tl");
    let model = std::fs::read_to_string(&path).expect("the model");
    let broken = "let c = n;\n        n = c + 1;\n        return c + 1;";
    assert!(model.contains(broken));
    std::fs::write(&path, model.replace(broken, "return faa(n, 1) + 1;")).expect("written");
    for args in [&["check", "counter.tl"][..], &["replay", "counter.trace.json"]] {
        text += &transcript(args, &run(&folder, args));
    }
    golden("commands/new.txt", &text);
}

/// Every template has a bug that is found, and is repaired as it says.
#[test]
fn templates_are_refuted_and_repaired() {
    let folder = scratch("templates");
    let repairs: [(&str, &[(&str, &str)]); 6] = [
        ("counter", &[("let c = n;\n        n = c + 1;\n        return c + 1;", "return faa(n, 1) + 1;")]),
        ("stack", &[("Top = n;\n            return;", "if cas(Top, t, n) { return; }")]),
        ("queue", &[("// lock guard;", "lock guard;"), ("// unlock guard;", "unlock guard;")]),
        ("lock", &[("while held { skip; }\n        held = true;", "while tas(held) { skip; }")]),
        (
            "set",
            &[(
                "if present[k] { return false; }\n        present[k] = true;\n        return true;",
                "return !tas(present[k]);",
            )],
        ),
        ("register", &[("// atomic {", "atomic {"), ("// }", "}")]),
    ];
    for (template, repair) in repairs {
        let file = format!("my_{template}.tl");
        let path = folder.join(&file);
        let _ = std::fs::remove_file(&path);
        assert_eq!(code(&run(&folder, &["new", &file, "--template", template])), 0);
        assert_eq!(code(&run(&folder, &["fmt", "--check", &file])), 0, "{template}");
        let answer = run(&folder, &["check", &file]);
        assert_eq!(code(&answer), 1, "{template}");
        assert_eq!(stderr(&answer), "", "{template}: a first model has no warnings");
        let mut model = std::fs::read_to_string(&path).unwrap();
        for (broken, repaired) in repair {
            assert!(model.contains(broken), "{template}: {broken}");
            model = model.replace(broken, repaired);
        }
        std::fs::write(&path, model).unwrap();
        let answer = run(&folder, &["check", &file]);
        assert_eq!(code(&answer), 0, "{template}: {}", stdout(&answer));
    }
    assert_eq!(code(&run(&folder, &["new", ""])), 64);
}

/// Words, completions and manual pages.
#[test]
fn what_other_programs_and_readers_ask_for() {
    let folder = scratch("asked");
    let says = |args: &[&str]| {
        let answer = run(&folder, args);
        assert_eq!(code(&answer), 0, "{args:?}");
        stdout(&answer)
    };
    assert!(says(&["explain", "use_after_free"]).contains("hazard pointers"));
    assert!(says(&["explain", "lock-free"]).contains("lock_free (a property)"));
    assert!(says(&["explain", "e0202"]).starts_with("E0202"));
    assert!(says(&["explain", "safe", "--json"]).contains("\"kind\": \"a property\""));
    assert_eq!(code(&run(&folder, &["explain", "nothing_at_all"])), 3);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(says(&["completions", shell]).contains("trueline"));
    }
    assert!(says(&["man"]).contains(".TH trueline 1"));
    assert!(says(&["man", "lts", "compare"]).contains("trueline\\-lts\\-compare"));
    assert_eq!(code(&run(&folder, &["man", "quack"])), 64);
}

#[test]
fn the_first_readme_command() {
    session("readme", &[&["check", "models/queue/ms_queue.tl"]]);
}

#[test]
fn a_folder_and_the_traces_of_its_failures() {
    session(
        "folder",
        &[
            &["check", "models/counter"],
            &["check", "models/counter/lost_update.tl", "--trace", "lost_update.trace.json", "-q"],
            &["replay", "lost_update.trace.json"],
        ],
    );
}

#[test]
fn steps_and_specifications() {
    session(
        "show",
        &[
            &["show", "--steps", "models/queue/ms_queue.tl"],
            &["show", "--steps", "--dot", "models/counter/lost_update.tl"],
            &["show", "--essential", "models/queue/ms_queue.tl", "--check", "2"],
            &["show", "--spec", "Queue"],
            &["show", "--spec", "Quack"],
            &["show", "--spec"],
            &["explain", "E0202"],
            &["explain", "E9999"],
        ],
    );
}

#[test]
fn overrides() {
    session(
        "overrides",
        &[
            &[
                "check",
                "models/queue/ms_queue.tl",
                "--client",
                "enq(1); deq() || deq()",
                "--property",
                "linearizable",
            ],
            &["check", "models/queue/ms_queue.tl", "--client", "enq(1); dequeue() || deq()"],
            &[
                "check",
                "models/queue/ms_queue.tl",
                "--set",
                "RECHECK=false",
                "--no-expect",
                "--property",
                "safe",
                "-q",
            ],
            &["check", "models/queue/ms_queue.tl", "--set", "NO=1"],
            &["check", "models/queue/ms_queue.tl", "--spec", "Stack", "--property", "linearizable", "-q"],
            &["check", "models/mailbox/mailbox.tl", "--threads", "3"],
            &["check", "models/queue/ms_queue.tl", "--property", "lock_free"],
            &["check", "models/queue/herlihy_wing.tl", "--engine", "quotient", "-q"],
            &["show", "models/queue/ms_queue.tl", "--jobs", "2"],
            &["check", "models/queue/ms_queue.tl", "--engine", "turbo"],
            &["check", "models/queue/ms_queue.tl", "--threads", "many"],
        ],
    );
}

#[test]
fn limits_end_in_unknown() {
    session(
        "limits",
        &[
            &[
                "check",
                "models/queue/ms_queue.tl",
                "--states",
                "1000",
                "--memory",
                "1G",
                "--property",
                "linearizable",
            ],
            &["check", "models/queue/ms_queue.tl", "--time", "0s", "--memory", "1G", "-q"],
        ],
    );
}

#[test]
fn every_kind_of_failure() {
    check_model("kinds");
}

#[test]
fn operations_that_never_complete() {
    check_model("progress");
}

#[test]
fn executions_that_end_blocked() {
    check_model("dead_ends");
}

/// What is printed about a model of this folder.
fn check_model(name: &str) {
    let folder = scratch(name);
    let file = format!("{name}.tl");
    let model = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(&file);
    std::fs::copy(model, folder.join(&file)).expect("copied");
    let args = ["check", &file];
    golden(&format!("commands/{name}.txt"), &transcript(&args, &run(&folder, &args)));
}

#[test]
fn stories() {
    session(
        "stories",
        &[
            &["check", "models/counter/lost_update.tl"],
            &["check", "models/stack/treiber_reuse.tl"],
            &["check", "models/lock/peterson.tl"],
            &["check", "models/lock/seqlock.tl"],
            &["check", "models/queue/iqueue.tl"],
            &["check", "models/queue/sl_queue.tl"],
            &["check", "models/queue/herlihy_wing.tl"],
            &["check", "models/queue/shann_queue.tl"],
            &["check", "models/register/k_register.tl"],
            &["check", "models/deque/chase_lev.tl"],
            &["check", "models/set/harris_michael.tl"],
        ],
    );
}
