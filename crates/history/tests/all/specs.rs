//! What specifications make of recorded operations whose meaning is easy to get wrong.

use crate::common::meter;
use trueline_base::Silent;
use trueline_history::check::named;
use trueline_history::read::{Options as Reading, read_bytes};
use trueline_history::{Condition, Options};

/// The verdict, or what is wrong with the log.
fn verdict(spec: &str, log: &[(&str, &str, &str)]) -> String {
    under(spec, Condition::Linearizable, log)
}

fn under(spec: &str, condition: Condition, log: &[(&str, &str, &str)]) -> String {
    let mut text = String::new();
    for (name, argument, result) in log {
        text += &format!("{{\"process\":0,\"type\":\"call\",\"op\":\"{name}\"{argument}}}\n");
        text += &format!("{{\"process\":0,\"type\":\"return\"{result}}}\n");
    }
    let history = read_bytes(text.as_bytes(), &Reading::default()).unwrap().history;
    let options = Options { condition, ..Options::default() };
    let report = named(spec).unwrap().check(&history, &options, &meter(), &mut Silent);
    report.map_or_else(|p| p.to_string(), |r| r.verdict.word().to_string())
}

const NIL: &str = ",\"value\":null";
const TRUE: &str = ",\"value\":true";
const FALSE: &str = ",\"value\":false";
const ONE: &str = ",\"value\":1";

/// Sets under several keys are several sets; a key alone is the element.
#[test]
fn elements_of_several_sets() {
    let (a1, a2, b1) =
        (",\"key\":\"a\",\"value\":1", ",\"key\":\"a\",\"value\":2", ",\"key\":\"b\",\"value\":1");
    for spec in ["set", "multiset"] {
        for condition in [Condition::Linearizable, Condition::Sequential, Condition::Quiescent] {
            let two = [("add", a1, TRUE), ("add", a2, TRUE), ("contains", b1, FALSE)];
            assert_eq!(under(spec, condition.clone(), &two), "holds", "{spec}");
            let missed = [("add", a1, TRUE), ("contains", a1, FALSE)];
            assert_eq!(under(spec, condition, &missed), "fails", "{spec}");
        }
    }
    let alone = ",\"key\":\"a\"";
    assert_eq!(verdict("set", &[("add", alone, TRUE), ("add", alone, TRUE)]), "fails");
}

#[test]
fn counters_wrap_and_take_steps() {
    let (least, five) = (",\"value\":-9223372036854775808", ",\"value\":5");
    assert_eq!(verdict("counter", &[("inc", "", least)]), "fails");
    assert_eq!(verdict("counter(9223372036854775807)", &[("inc", "", least)]), "holds");
    assert_eq!(verdict("counter", &[("inc", five, five), ("dec", five, ",\"value\":0")]), "holds");
}

/// An answer that means nothing was found cannot be a value.
#[test]
fn what_says_empty_cannot_be_put_in() {
    let text = ",\"value\":\"empty\"";
    let why = "puts in `\"empty\"`, which as an answer says that the queue is empty";
    assert_eq!(verdict("queue", &[("enq", text, NIL), ("deq", "", text)]), format!("line 1: `enq` {why}"));
    assert_eq!(verdict("queue", &[("deq", "", text)]), "holds");
    assert_eq!(
        verdict("stack", &[("push", "", NIL)]),
        "line 1: `push` puts in `nil`, which as an answer says that the stack is empty"
    );
}

/// Fractions are kept as they are written, which is not their order.
#[test]
fn priorities_are_integers_or_texts() {
    let log = [
        ("insert", ",\"value\":9.5", NIL),
        ("insert", ",\"value\":10.5", NIL),
        ("poll", "", ",\"value\":10.5"),
    ];
    let why = "compares integers of 64 bits, or texts; `9.5` is neither";
    assert_eq!(verdict("priority-queue", &log), format!("line 1: a priority-queue {why}"));
    assert_eq!(verdict("bag", &log), "holds");
}

#[test]
fn answers_that_cannot_be_are_refused() {
    let pair = ",\"value\":[null,1]";
    assert_eq!(
        verdict("cas-register", &[("cas", pair, ONE)]),
        "line 1: `cas` answers true or false, not `1`"
    );
    assert_eq!(verdict("cas-register", &[("cas", pair, pair), ("read", "", ONE)]), "holds");
    assert_eq!(
        verdict("lock", &[("acquire", "", FALSE)]),
        "line 1: `acquire` answered false, but the operations of a lock wait until they succeed"
    );
    assert_eq!(verdict("lock", &[("acquire", "", TRUE), ("release", "", NIL)]), "holds");
}

/// A log without removals passes with every factor for them.
#[test]
fn factors_of_operations_that_do_not_occur() {
    let condition = |op: &str| Condition::QuasiOf(vec![(op.to_string(), 1)]);
    assert_eq!(under("queue", condition("deq"), &[("enq", ONE, NIL)]), "holds");
    assert_eq!(under("queue", condition("get"), &[("enq", ONE, NIL)]), "the history has no operation `get`");
}
