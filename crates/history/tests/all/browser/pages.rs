//! Histories and reports that the tests look at.

use trueline_base::{Limits, Meter, Silent};
use trueline_history::generate::{ObjectKind, Plan, history};
use trueline_history::spec::{Container, Counter, Discipline, Register, Spec};
use trueline_history::{Builder, Datum, History, Options, Report, check};

fn checked<S: Spec>(spec: &S, history: History, fails: bool) -> (History, Report) {
    let options = Options { witness: true, ..Options::default() };
    let report = check(spec, &history, &options, &Meter::start(Limits::default()), &mut Silent)
        .expect("operations of the object");
    assert!(if fails { report.verdict.fails() } else { report.verdict.holds() }, "{:?}", report.verdict);
    (history, report)
}

fn int(i: i64) -> Datum {
    Datum::Int(i)
}

/// Two writes at once, then two swaps at once that cannot both succeed; and a read before and after.
pub fn two_swaps() -> (History, Report) {
    let mut b = Builder::new();
    let mut line = 0;
    let mut call = |b: &mut Builder, process: i64, name: &str, input: Datum| {
        line += 1;
        b.call(line, process, name, None, input).expect("the process is idle");
    };
    let ret = |b: &mut Builder, process: i64, output: Datum| {
        b.ret(0, process, Some(output)).expect("the process is busy");
    };
    call(&mut b, 3, "read", Datum::Nil);
    ret(&mut b, 3, Datum::Nil);
    call(&mut b, 1, "write", int(1));
    call(&mut b, 2, "write", int(2));
    ret(&mut b, 1, Datum::Nil);
    ret(&mut b, 2, Datum::Nil);
    call(&mut b, 1, "cas", Datum::list(vec![int(1), int(3)]));
    call(&mut b, 2, "cas", Datum::list(vec![int(2), int(3)]));
    ret(&mut b, 1, Datum::Bool(true));
    ret(&mut b, 2, Datum::Bool(true));
    call(&mut b, 3, "read", Datum::Nil);
    ret(&mut b, 3, int(3));
    checked(&Register { initial: Datum::Nil, cas: true }, b.finish(), true)
}

fn plan(object: ObjectKind, operations: usize, clients: usize, spoiled: bool) -> Plan {
    Plan { object, operations, clients, values: 0, crashes: 0, spoiled, seed: 7 }
}

/// A counter that is right, with the order that shows it.
pub fn counters(operations: usize, clients: usize) -> (History, Report) {
    let (history, report) =
        checked(&Counter::default(), history(&plan(ObjectKind::Counter, operations, clients, false)), false);
    let trueline_history::Verdict::Holds(Some(order)) = &report.verdict else { panic!("no order") };
    assert_eq!(order.len(), operations);
    (history, report)
}

/// A queue with one wrong result.
pub fn spoiled_queue(operations: usize, clients: usize) -> (History, Report) {
    let history = history(&plan(ObjectKind::Queue, operations, clients, true));
    checked(&Container::new(Discipline::Fifo), history, true)
}

/// Values that would like to be more than values, taken out in the wrong order.
pub fn hostile() -> (History, Report) {
    let values = [
        "<img src=x onerror=window.pwned=1>",
        "</script><script>window.pwned=1</script>",
        "<!--<script>",
        "\"'`\\${window.pwned=1}",
        "two\nlines\tand\u{2028}more",
        "\u{202e}turned around",
        "שלום 漢字 🦀",
        "&lt;b&gt;<b>bold</b>",
        "@@DATA@@@@STYLE@@@@SCRIPT@@",
        "__proto__",
    ]
    .map(String::from)
    .into_iter()
    .chain([format!("<b>{}", "x".repeat(5000))]);
    let values: Vec<String> = values.collect();
    let mut b = Builder::new();
    for (i, v) in values.iter().enumerate() {
        b.call(0, i as i64 % 3, "enq", None, Datum::text(v.as_str())).expect("idle");
        b.ret(0, i as i64 % 3, Some(Datum::Nil)).expect("busy");
    }
    for (i, v) in values.iter().rev().enumerate() {
        b.call(0, i as i64 % 3, "deq", None, Datum::Nil).expect("idle");
        b.ret(0, i as i64 % 3, Some(Datum::text(v.as_str()))).expect("busy");
    }
    b.call(0, 9, "enq", None, Datum::text("<b>never returns</b>")).expect("idle");
    b.note("<img src=x onerror=window.pwned=1>".into());
    checked(&Container::new(Discipline::Fifo), b.finish(), true)
}
