//! `trueline check --checkpoint`: stop and go on.

use crate::common::{code, root, scratch, stderr, stdout};
use std::process::Output;

const MODEL: &str = "models/queue/ms_queue.tl";

/// States, transitions and verdicts.
fn counts(output: &Output) -> Vec<(String, u64, u64)> {
    let document: serde_json::Value = serde_json::from_str(&stdout(output)).expect("a document");
    let results = document["results"].as_array().expect("results").iter();
    let count = |result: &serde_json::Value, what: &str| result["scope"][what].as_u64().expect("a number");
    results.map(|r| (r["verdict"].to_string(), count(r, "states"), count(r, "transitions"))).collect()
}

fn run(words: &[&str]) -> Output {
    crate::common::run(&root(), words)
}

#[test]
fn a_search_that_was_stopped_goes_on() {
    let folder = scratch("checkpoint");
    let file = folder.join("queue.search");
    let file = file.to_str().expect("a name");
    let words = ["check", MODEL, "--threads", "3", "--ops", "2", "--property", "linearizable,lock_free"];
    let with = |more: &[&str]| run(&[&words[..], more].concat());
    let whole = with(&["--json"]);
    let stopped = with(&["--checkpoint", file, "--states", "3000"]);
    assert_eq!(code(&stopped), 2);
    assert!(stdout(&stopped).contains("the same command again, which goes on"), "{}", stdout(&stopped));
    let bytes = std::fs::read(file).expect("it was kept");

    let other = run(&["check", MODEL, "--threads", "3", "--ops", "1", "--checkpoint", file]);
    assert_eq!(code(&other), 3);
    assert!(stderr(&other).contains("belongs to another model or to other flags"), "{}", stderr(&other));
    let mut damaged = bytes.clone();
    damaged[bytes.len() / 2] ^= 1;
    for (wrong, why) in [
        (&damaged[..], "the checkpoint is damaged"),
        (&bytes[..bytes.len() - 9], "the checkpoint is damaged"),
        (&b"something else"[..], "no checkpoint of this version"),
    ] {
        std::fs::write(file, wrong).expect("written");
        let refused = with(&["--checkpoint", file]);
        assert_eq!(code(&refused), 3);
        assert!(stderr(&refused).contains(why), "{}", stderr(&refused));
    }

    std::fs::write(file, &bytes).expect("written");
    let rest = with(&["--checkpoint", file, "--json"]);
    assert_eq!(code(&rest), code(&whole), "{}", stderr(&rest));
    assert!(!counts(&whole).is_empty());
    assert_eq!(counts(&rest), counts(&whole));
    assert!(!std::path::Path::new(file).exists(), "everything is decided");
}

#[test]
fn what_cannot_be_kept_is_said() {
    let plain = run(&["check", MODEL, "--engine", "plain", "--checkpoint", "x"]);
    assert_eq!(code(&plain), 64);
    assert!(stderr(&plain).contains("--checkpoint is for the fast engine"));
    let nowhere = run(&["check", MODEL, "--states", "500", "--checkpoint", "/nowhere/at/all"]);
    assert_eq!(code(&nowhere), 2);
    assert!(stderr(&nowhere).contains("warning: the search was not kept"), "{}", stderr(&nowhere));
}
