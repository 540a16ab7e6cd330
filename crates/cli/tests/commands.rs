//! Whole command lines: what a user types and what comes back.

mod common;

use common::{golden, root, run, scratch, transcript};

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

#[test]
fn the_first_readme_command() {
    session("readme", &[&["check", "models/queue/ms_queue.tl"]]);
}

#[test]
fn a_folder_and_the_traces_of_its_failures() {
    session("folder", &[&["check", "models/counter"], &["replay", "trueline-traces/lost_update.trace.json"]]);
}

#[test]
fn steps_and_specifications() {
    session(
        "show",
        &[
            &["show", "--steps", "models/queue/ms_queue.tl"],
            &["show", "--steps", "--dot", "models/counter/lost_update.tl"],
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
            &["check", "models/queue/ms_queue.tl", "--jobs", "2"],
            &["check", "models/queue/ms_queue.tl", "--engine", "fast"],
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
