//! Transactions: the monitor and the split by keys against the definition, and at sizes that a search cannot do.

use crate::common::{by_dispatch, by_search, meter, property};
use trueline_base::{Limits, Meter, Silent};
use trueline_history::generate::Random;
use trueline_history::naive::engines::Interval;
use trueline_history::naive::linearizable;
use trueline_history::naive::sweep::spans;
use trueline_history::spec::{Spec, Txn, TxnStep};
use trueline_history::{Builder, Datum, History, NEVER, Options, Report, check};

/// What a store holds.
type Store = Vec<(i64, Vec<Datum>)>;

fn held(store: &mut Store, key: i64) -> &mut Vec<Datum> {
    let at = store.iter().position(|(k, _)| *k == key).unwrap_or_else(|| {
        store.push((key, Vec::new()));
        store.len() - 1
    });
    &mut store[at].1
}

/// Steps of a transaction whose results are not known yet.
fn planned(random: &mut Random, keys: usize, next: &mut i64, writes: bool) -> Vec<TxnStep> {
    let step = |random: &mut Random| {
        let key = Datum::Int(random.below(keys) as i64);
        *next += 1;
        match random.below(4) {
            0 | 1 => TxnStep::Read(key, None),
            2 if writes => TxnStep::Write(key, Datum::Int(*next)),
            _ if writes => TxnStep::Read(key, None),
            _ => TxnStep::Append(key, Datum::Int(*next)),
        }
    };
    let mut step = step;
    (0..1 + random.below(3)).map(|_| step(random)).collect()
}

/// Runs a transaction; now and then a read goes wrong.
fn done(random: &mut Random, store: &mut Store, steps: &[TxnStep], wrong: usize) -> Vec<TxnStep> {
    let mut out = Vec::new();
    for step in steps {
        out.push(match step {
            TxnStep::Append(Datum::Int(key), value) => {
                held(store, *key).push(value.clone());
                step.clone()
            }
            TxnStep::Write(Datum::Int(key), value) => {
                *held(store, *key) = vec![value.clone()];
                step.clone()
            }
            TxnStep::Read(key @ Datum::Int(k), _) => {
                let mut seen = held(store, *k).clone();
                if wrong > 0 && random.below(wrong) == 0 {
                    match random.below(3) {
                        0 => drop(seen.pop()),
                        1 => seen.reverse(),
                        _ => seen.push(Datum::Int(99)),
                    }
                }
                TxnStep::Read(key.clone(), Some(Datum::list(seen)))
            }
            other => other.clone(),
        });
    }
    out
}

/// The operations with a moment for each in its span; pending ones may have happened or not.
fn run(
    random: &mut Random,
    spans: &[Interval],
    keys: usize,
    writes: bool,
    wrong: usize,
) -> Vec<(Vec<TxnStep>, Interval)> {
    let mut next = 0;
    let mut ops: Vec<(Vec<TxnStep>, Interval)> =
        spans.iter().map(|span| (planned(random, keys, &mut next, writes), *span)).collect();
    let mut store = Store::new();
    let mut moments: Vec<(u32, usize)> = Vec::new();
    for (i, span) in spans.iter().enumerate() {
        let end = if span.ret == NEVER { span.call + 4 } else { span.ret };
        moments.push((span.call + random.below((end - span.call) as usize) as u32, i));
    }
    moments.sort_unstable();
    for (_, i) in moments {
        if ops[i].1.ret == NEVER {
            if random.below(2) == 0 {
                done(random, &mut store, &ops[i].0.clone(), 0);
            }
        } else {
            ops[i].0 = done(random, &mut store, &ops[i].0.clone(), wrong);
        }
    }
    if writes {
        // A register answers what it holds, not a list.
        for step in ops.iter_mut().flat_map(|(steps, _)| steps) {
            if let TxnStep::Read(_, Some(seen)) = step {
                *seen = seen.as_list().and_then(|items| items.last()).cloned().unwrap_or_default();
            }
        }
    }
    ops
}

#[test]
fn the_monitor_against_the_definition() {
    let (mut holds, mut monitored) = (0, 0);
    property(4000, 128, |random| {
        let n = 2 + random.below(4);
        let open = 2 + random.below(2);
        let spans = spans(random, n, open);
        let keys = 1 + random.below(3);
        let ops = run(random, &spans, keys, false, 6);
        let truth = linearizable(&Txn, &ops);
        assert_eq!(by_search(&Txn, &ops, &meter()), truth, "{ops:?}");
        let (answer, by_monitor) = by_dispatch(&Txn, &ops, &meter());
        assert_eq!(answer, truth, "{ops:?}");
        holds += u32::from(truth);
        monitored += u32::from(by_monitor);
    });
    assert!((800..3200).contains(&holds), "{holds} of 4000 hold");
    assert!(monitored > 3500, "{monitored} of 4000 by the monitor");
}

/// A log of transactions, each by a process of its own.
fn recorded(ops: &[(Vec<TxnStep>, Interval)]) -> History {
    let shown = |steps: &[TxnStep]| {
        let word = |name: &str, key: &Datum, value: &Datum| {
            Datum::list([Datum::word(name), key.clone(), value.clone()])
        };
        let each = |step: &TxnStep| match step {
            TxnStep::Read(key, seen) => word("r", key, &seen.clone().unwrap_or_default()),
            TxnStep::Write(key, value) => word("w", key, value),
            TxnStep::Append(key, value) => word("append", key, value),
        };
        Datum::list(steps.iter().map(each).collect::<Vec<_>>())
    };
    let mut ends: Vec<(u32, usize, bool)> = Vec::new();
    for (i, (_, span)) in ops.iter().enumerate() {
        ends.push((span.call, i, false));
        if span.ret != NEVER {
            ends.push((span.ret, i, true));
        }
    }
    ends.sort_unstable();
    let mut builder = Builder::new();
    for (_, i, ret) in ends {
        let value = shown(&ops[i].0);
        if ret {
            builder.ret(0, i as i64, Some(value)).unwrap();
        } else {
            builder.call(0, i as i64, "txn", None, value).unwrap();
        }
    }
    builder.finish()
}

fn asked(history: &History, limits: Limits) -> Report {
    let options = Options { witness: true, ..Options::default() };
    check(&Txn, history, &options, &Meter::start(limits), &mut Silent).unwrap()
}

/// The whole check with its split by keys, on lists and on registers.
#[test]
fn keys_are_decided_apart_where_nothing_links_them() {
    let (mut apart, mut holds) = (0, 0);
    property(3000, 128, |random| {
        let n = 2 + random.below(4);
        let open = 2 + random.below(2);
        let spans = spans(random, n, open);
        let keys = 2 + random.below(4);
        let writes = random.one_in(2);
        let ops = run(random, &spans, keys, writes, 6);
        let truth = linearizable(&Txn, &ops);
        let report = asked(&recorded(&ops), Limits::default());
        assert_eq!((report.verdict.holds(), report.verdict.fails()), (truth, !truth), "{ops:?}");
        apart += u32::from(report.parts > 1);
        holds += u32::from(truth);
    });
    assert!(apart > 500, "{apart} of 3000 in several parts");
    assert!((600..2400).contains(&holds), "{holds} of 3000 hold");
}

/// Many clients append to few lists, so that everything hangs together.
fn long(n: usize, seed: u64, writes: bool, wrong: usize) -> History {
    let mut random = Random::new(seed);
    let spans = spans(&mut random, n, 8);
    recorded(&run(&mut random, &spans, 12, writes, wrong))
}

#[test]
fn thousands_of_transactions() {
    let limits = || Limits { states: Some(200_000), memory: Some(512 << 20), ..Limits::default() };
    let report = asked(&long(2000, 1, false, 0), limits());
    assert!(report.verdict.holds(), "{:?}", report.verdict);
    let report = asked(&long(2000, 2, false, 600), limits());
    let trueline_history::Verdict::Fails(failure) = report.verdict else { panic!("{:?}", report.verdict) };
    assert!(failure.confirmed && failure.operations.len() <= 6, "{failure:?}");
    // Registers tell no order of their writes, but one that is wrong on its own is found without the others.
    let report = asked(&long(2000, 3, true, 600), limits());
    let trueline_history::Verdict::Fails(failure) = report.verdict else { panic!("{:?}", report.verdict) };
    assert!(failure.confirmed && failure.operations.len() <= 6, "{failure:?}");
}

/// A list that was read tells the order of what was appended to it.
#[test]
fn a_list_tells_its_order() {
    let step = |name: &str, key: i64, value: Datum| match name {
        "r" => TxnStep::Read(Datum::Int(key), Some(value)),
        _ => TxnStep::Append(Datum::Int(key), value),
    };
    let list = |items: &[i64]| Datum::list(items.iter().map(|i| Datum::Int(*i)).collect::<Vec<_>>());
    let at = |call, ret| Interval { call, ret };
    // Write skew: each of two reads that the other's list is empty, and appends to its own.
    let skew = [
        (vec![step("r", 1, list(&[])), step("a", 2, Datum::Int(1))], at(0, 3)),
        (vec![step("r", 2, list(&[])), step("a", 1, Datum::Int(2))], at(1, 2)),
        (vec![step("r", 1, list(&[2])), step("r", 2, list(&[1]))], at(4, 5)),
    ];
    assert_eq!(by_dispatch(&Txn, &skew, &meter()), (false, true));
    // One after the other is fine, but not against real time.
    let mut late = [
        (vec![step("r", 1, list(&[]))], at(4, 5)),
        (vec![step("a", 1, Datum::Int(1))], at(0, 3)),
        (vec![step("r", 1, list(&[1]))], at(6, 7)),
    ];
    assert_eq!(by_dispatch(&Txn, &late, &meter()), (false, true));
    late[1].1 = at(0, 8);
    assert_eq!(by_dispatch(&Txn, &late, &meter()), (true, true));
    assert_eq!(Txn.name(), "txn");
}
