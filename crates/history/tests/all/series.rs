//! Operations that are several: drains, against every order of the removals that they are made of.

use crate::common::{meter, property};
use trueline_base::Silent;
use trueline_history::check::named;
use trueline_history::generate::Random;
use trueline_history::naive::engines::Interval;
use trueline_history::naive::engines::expanded;
use trueline_history::naive::linearizable_in_series;
use trueline_history::naive::sweep::spans;
use trueline_history::read::{Options as Reading, read_bytes};
use trueline_history::spec::{Container, Discipline, Spec};
use trueline_history::{Builder, Condition, Datum, History, Options, Verdict, check};

/// A history of a container in which some operations drain; what comes out follows some order, or nearly so.
fn made(random: &mut Random, discipline: Discipline) -> History {
    let spans = {
        let n = 2 + random.below(3);
        let open = 2 + random.below(2);
        spans(random, n, open)
    };
    // 0 inserts, 1 removes, 2 drains.
    let kinds: Vec<usize> = spans.iter().map(|_| [0, 1, 2, 2][random.below(4)]).collect();
    let mut answers: Vec<Vec<i64>> = vec![Vec::new(); spans.len()];
    let mut inside: Vec<i64> = vec![11, 12, 13];
    let mut done = vec![false; spans.len()];
    let end = 2 * spans.len() as u32 + 2;
    for at in 0..end {
        let open = (0..spans.len()).filter(|i| spans[*i].call <= at && at < spans[*i].ret);
        let open: Vec<usize> = open.collect();
        for i in open {
            let last = spans[i].ret == at + 1;
            match kinds[i] {
                0 if !done[i] && (last || random.below(2) == 0) => inside.push(1 + i as i64),
                1 if !done[i] && !inside.is_empty() && (last || random.below(2) == 0) => {}
                2 if answers[i].len() < 2 && !inside.is_empty() && random.below(2) == 0 => {}
                _ => continue,
            }
            done[i] = true;
            if kinds[i] > 0 {
                let place = match discipline {
                    Discipline::Lifo => inside.len() - 1,
                    Discipline::Fifo => 0,
                    _ => random.below(inside.len()),
                };
                answers[i].push(inside.remove(place));
            }
        }
    }
    let drains: Vec<usize> = (0..spans.len()).filter(|i| answers[*i].len() > 1).collect();
    if random.below(2) == 0 && !drains.is_empty() {
        answers[drains[random.below(drains.len())]].reverse();
    }
    if random.below(8) == 0 && !drains.is_empty() {
        answers[drains[0]][1] = [11, 77][random.below(2)];
    }
    let mut builder = Builder::new();
    for value in 11..14 {
        builder.call(0, 9, "enq", None, Datum::Int(value)).unwrap();
        builder.ret(0, 9, Some(Datum::Nil)).unwrap();
    }
    for at in 0..end {
        for (i, span) in spans.iter().enumerate() {
            let process = i as i64;
            if span.call == at {
                let (name, input) = match kinds[i] {
                    0 => ("enq", Datum::Int(1 + i as i64)),
                    1 => ("deq", Datum::Nil),
                    _ => ("drain", Datum::Nil),
                };
                builder.call(0, process, name, None, input).unwrap();
            }
            if span.ret == at {
                let output = match kinds[i] {
                    0 => Datum::Nil,
                    1 => answers[i].first().map_or(Datum::Nil, |v| Datum::Int(*v)),
                    _ => Datum::list(answers[i].iter().map(|v| Datum::Int(*v)).collect::<Vec<_>>()),
                };
                builder.ret(0, process, Some(output)).unwrap();
            }
        }
    }
    builder.finish()
}

#[test]
fn drains_against_every_order() {
    for discipline in [Discipline::Fifo, Discipline::Lifo, Discipline::Any] {
        let spec = Container::new(discipline);
        let (mut holds, mut fails, mut unordered) = (0, 0, 0);
        property(3000, 96, |random| {
            let log = made(random, discipline);
            let Some(history) = expanded(&spec, &log).unwrap() else { return };
            if history.ops.len() > 8 {
                return;
            }
            let mut places = Vec::new();
            let ops: Vec<_> = history
                .ids()
                .map(|id| {
                    places.push(history.with_call(id, |call| call.place));
                    let op = history.with_call(id, |call| spec.decode(call)).unwrap();
                    (op, Interval { call: history.op(id).call, ret: history.op(id).ret })
                })
                .collect();
            let truth = linearizable_in_series(&spec, &ops, &places);
            let options = Options { witness: true, ..Options::default() };
            let report = check(&spec, &history, &options, &meter(), &mut Silent).unwrap();
            match report.verdict {
                Verdict::Holds(witness) => {
                    assert!(truth, "{history:?}");
                    let order = witness.expect("asked for");
                    let of = |series: u32| {
                        let place = |id| history.with_call(id, |call| call.place);
                        let places = order.iter().filter_map(|id| place(*id));
                        places.filter(|p| p.series == series).map(|p| p.index).collect::<Vec<_>>()
                    };
                    assert!((0..4).all(|series| of(series).is_sorted()), "{order:?}");
                    holds += 1;
                }
                Verdict::Fails(failure) => {
                    assert!(!truth && failure.confirmed, "{history:?}");
                    let free = linearizable_in_series(&spec, &ops, &vec![None; ops.len()]);
                    unordered += u32::from(free);
                    fails += 1;
                }
                other => panic!("{other:?}"),
            }
        });
        assert!(holds > 300 && fails > 30, "{discipline:?}: {holds} {fails}");
        // Failures that only the order inside a drain shows; a bag has none.
        assert_eq!(unordered > 20, discipline != Discipline::Any, "{discipline:?}: {unordered}");
    }
}

fn log(ends: &str) -> String {
    let mut text = String::new();
    for value in 1..4 {
        text += &format!("{{:type :invoke, :process 0, :f :enqueue, :value {value}}}\n");
        text += &format!("{{:type :ok, :process 0, :f :enqueue, :value {value}}}\n");
    }
    for process in 0..2 {
        text += &format!("{{:type :invoke, :process {process}, :f :drain, :value nil}}\n");
    }
    text + ends
}

fn verdict(spec: &str, condition: Condition, ends: &str) -> String {
    let history = read_bytes(log(ends).as_bytes(), &Reading::default()).unwrap().history;
    let asked = named(spec).unwrap();
    let history = match asked.expanded(&history) {
        Ok(series) => series.unwrap_or(history),
        Err(problem) => return problem.to_string(),
    };
    let options = Options { condition, ..Options::default() };
    let report = asked.check(&history, &options, &meter(), &mut Silent);
    report.map_or_else(|p| p.to_string(), |r| r.verdict.word().to_string())
}

#[test]
fn two_clients_drain_at_once() {
    let ends = |first: &str, second: &str| {
        format!(
            "{{:type :ok, :process 0, :f :drain, :value {first}}}\n{{:type :ok, :process 1, :f :drain, :value {second}}}\n"
        )
    };
    let strict = |spec, first, second| verdict(spec, Condition::Linearizable, &ends(first, second));
    assert_eq!(strict("queue", "[1 3]", "[2]"), "holds");
    assert_eq!(strict("queue", "[3 1]", "[2]"), "fails");
    assert_eq!(strict("queue", "[1 2 3]", "[]"), "holds");
    assert_eq!(strict("queue", "[1 2]", "[3 3]"), "fails");
    assert_eq!(strict("stack", "[3 1]", "[2]"), "holds");
    assert_eq!(strict("stack", "[1 3]", "[2]"), "fails");
    assert_eq!(strict("bag", "[3 1]", "[2]"), "holds");
    assert_eq!(
        strict("queue", "[1 2 3]", "nil"),
        "line 8: `drain` answers the list of what it took, not `nil`"
    );
    assert_eq!(strict("register", "[1 2 3]", "[]"), "line 1: a register has no operation `enqueue`");
    // Other orders than real time: each process keeps its own, moments without open operations keep none inside.
    let (two, one) = ("[3 1]", "[2]");
    assert_eq!(verdict("queue", Condition::Sequential, &ends(two, one)), "fails");
    assert_eq!(verdict("queue", Condition::Quiescent, &ends(two, one)), "holds");
    assert_eq!(verdict("queue", Condition::Quasi(2), &ends(two, one)), "holds");
    assert_eq!(verdict("queue", Condition::QuasiOf(vec![("dequeue".into(), 2)]), &ends(two, one)), "holds");
    assert_eq!(verdict("queue", Condition::QuasiOf(vec![("dequeue".into(), 1)]), &ends(two, one)), "fails");
}

/// Nobody knows how much a drain took that never returned.
#[test]
fn a_drain_that_never_returned() {
    let ends = |second: &str| {
        format!(
            "{{:type :info, :process 0, :f :drain, :value nil}}\n{{:type :ok, :process 1, :f :drain, :value {second}}}\n"
        )
    };
    let of = |second: &str| verdict("queue", Condition::Linearizable, &ends(second));
    for second in ["[1]", "[2]", "[3]", "[1 3]", "[]"] {
        assert_eq!(of(second), "holds", "{second}");
    }
    assert_eq!(of("[2 1]"), "fails");
    assert_eq!(of("[4]"), "fails");
}
