//! What `trueline history check` says about a small failure of every ready-made specification.
//!
//! An operation is written `process name argument -> result`; operations on one line overlap.

use crate::common::{code, golden, run, scratch, stdout};

/// Specification, condition, history.
const HISTORIES: &[(&str, &str, &str)] = &[
    ("queue", "linearizable", "0 enq 1 -> null\n0 enq 2 -> null\n1 deq -> 2\n1 deq -> 1"),
    ("queue", "linearizable", "0 enq 1 -> null\n1 deq -> null\n1 deq -> 1"),
    ("queue", "linearizable", "0 enq 1 -> null\n1 deq -> 7"),
    ("queue", "linearizable", "0 enq 1 -> null\n1 deq -> 1 | 2 deq -> 1"),
    ("stack", "linearizable", "0 push 1 -> null\n0 push 2 -> null\n1 pop -> 1\n2 pop -> 2"),
    ("priority-queue", "linearizable", "0 insert 5 -> null\n0 insert 3 -> null\n1 poll -> 5"),
    ("max-priority-queue", "linearizable", "0 insert 5 -> null\n0 insert 3 -> null\n1 poll -> 3"),
    ("bag", "linearizable", "0 insert 5 -> null\n0 remove -> 5\n1 remove -> 5"),
    ("set", "linearizable", "0 insert 5 -> true\n1 contains 5 -> false\n1 remove 5 -> true"),
    ("multiset", "linearizable", "0 insert 5 -> null\n1 remove 5 -> true\n2 remove 5 -> true"),
    ("register", "linearizable", "0 write 1 -> null\n0 write 2 -> null\n1 read -> 1"),
    (
        "register",
        "linearizable",
        "0 write 1 -> null | 1 write 2 -> null\n2 read -> 1\n2 read -> 2\n2 read -> 1",
    ),
    ("register", "linearizable", "0 write 1 -> null\n1 read -> 9"),
    ("cas-register", "linearizable", "0 write 1 -> null\n1 cas [2,3] -> true"),
    (
        "cas-register",
        "linearizable",
        "0 write 1 -> null | 1 write 2 -> null\n0 cas [1,3] -> true | 1 cas [2,3] -> true",
    ),
    ("counter", "linearizable", "0 inc -> 1 | 1 inc -> 1"),
    ("counter", "linearizable", "0 inc -> 1\n1 read -> 0"),
    ("lock", "linearizable", "0 acquire -> null\n1 acquire -> null"),
    ("Quasi(Queue, deq: 1)", "linearizable", "0 enq 1 -> null\n0 enq 2 -> null\n0 enq 3 -> null\n1 deq -> 3"),
    (
        "OutOfOrder(Stack, pop: 1)",
        "linearizable",
        "0 push 1 -> null\n0 push 2 -> null\n0 push 3 -> null\n1 pop -> 1",
    ),
    ("queue", "quiescent", "0 enq 1 -> null\n0 enq 2 -> null\n1 deq -> 2"),
];

fn log(spec: &str, history: &str) -> String {
    let mut text = format!("{{\"spec\":{spec:?}}}\n");
    for line in history.lines() {
        let operations: Vec<(Vec<&str>, &str)> = line
            .split(" | ")
            .map(|o| {
                let (call, result) = o.split_once(" -> ").expect("an operation has a result");
                (call.split(' ').collect(), result)
            })
            .collect();
        for (call, _) in &operations {
            let value = call.get(2).map_or(String::new(), |v| format!(",\"value\":{v}"));
            text += &format!("{{\"process\":{},\"type\":\"call\",\"op\":{:?}{value}}}\n", call[0], call[1]);
        }
        for (call, result) in &operations {
            text += &format!("{{\"process\":{},\"type\":\"return\",\"value\":{result}}}\n", call[0]);
        }
    }
    text
}

#[test]
fn a_failure_of_every_specification_is_told() {
    let folder = scratch("failures");
    let mut all = String::new();
    for (spec, condition, history) in HISTORIES {
        std::fs::write(folder.join("log"), log(spec, history)).expect("written");
        let output = run(&folder, &["history", "check", "log", "--condition", condition]);
        assert_eq!(code(&output), 1, "{spec}: {history}\n{}", stdout(&output));
        for line in stdout(&output).lines() {
            // Which engine decided, and how hard it was, is no part of the story.
            if !line.starts_with("  scope") {
                let line = line.split("; found by").next().unwrap_or(line);
                let line = line.split("   log   ").next().unwrap_or(line);
                all += line.trim_end();
                all.push('\n');
            }
        }
        all.push('\n');
    }
    golden("commands/failures.txt", &all);
}
