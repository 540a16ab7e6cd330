//! The orders that monitors construct: on random small histories of every kind that they take, on large ones, and what
//! looks at them again.

use crate::common::{by_dispatch, by_search, meter, property};
use trueline_base::Silent;
use trueline_history::check::named;
use trueline_history::generate::{ObjectKind, Plan, Random, history};
use trueline_history::naive;
use trueline_history::naive::engines::{Control, Interval};
use trueline_history::naive::engines::{DecisionAnswer, decide_with_order, explains};
use trueline_history::naive::sweep::spans;
use trueline_history::spec::{Container, ContainerOp, Counter, CounterOp, Discipline};
use trueline_history::{Datum, NEVER, Options, Verdict};

const DISCIPLINES: [Discipline; 5] =
    [Discipline::Fifo, Discipline::Lifo, Discipline::Min, Discipline::Max, Discipline::Any];

/// A history of a container in which every value is inserted once and removed at most once.
fn distinct(random: &mut Random, looks: bool) -> Vec<(ContainerOp, Interval)> {
    let (count, open) = (3 + random.below(6), 2 + random.below(4));
    let spans = spans(random, count, open);
    let values = 1 + random.below(spans.len());
    let mut inserts: Vec<i64> = (0..values as i64).collect();
    let mut removes = inserts.clone();
    let pick = |random: &mut Random, list: &mut Vec<i64>| {
        (!list.is_empty()).then(|| Datum::Int(list.swap_remove(random.below(list.len()))))
    };
    let mut op = |s: &Interval, random: &mut Random| {
        let pending = s.ret == NEVER;
        for _ in 0..16 {
            let op = match random.below(if looks { 9 } else { 7 }) {
                0..=2 => pick(random, &mut inserts).map(ContainerOp::Insert),
                3..=5 if pending => Some(ContainerOp::RemoveAny),
                3..=5 => pick(random, &mut removes).map(ContainerOp::Remove),
                6 if !pending => Some(ContainerOp::RemoveEmpty),
                7 if !pending => Some(ContainerOp::Peek(Datum::Int(random.below(values) as i64))),
                8 if !pending && random.one_in(3) => Some(ContainerOp::PeekAny),
                8 if !pending => Some(ContainerOp::PeekEmpty),
                _ => None,
            };
            if let Some(op) = op {
                return op;
            }
        }
        if pending { ContainerOp::RemoveAny } else { ContainerOp::RemoveEmpty }
    };
    spans.iter().map(|s| (op(s, random), *s)).collect()
}

fn containers(cases: u32, looks: bool) {
    let meter = meter();
    let mut tally = [[0; 3]; DISCIPLINES.len()];
    property(cases, 96, |random| {
        let ops = distinct(random, looks);
        for (discipline, tally) in DISCIPLINES.into_iter().zip(&mut tally) {
            let spec = Container::new(discipline);
            let (holds, monitored) = by_dispatch(&spec, &ops, &meter);
            assert_eq!(holds, by_search(&spec, &ops, &meter), "{discipline:?} {ops:?}");
            tally[usize::from(!holds)] += 1;
            tally[2] += u32::from(monitored && holds);
        }
    });
    println!("{tally:?}");
    for [hold, fail, _] in tally {
        assert!(hold > cases / 20 && fail > cases / 20, "{tally:?}");
    }
}

/// How many random histories; more with `ORDERS=1000000`.
fn cases() -> u32 {
    std::env::var("ORDERS").ok().and_then(|n| n.parse().ok()).unwrap_or(6_000)
}

#[test]
fn of_containers() {
    containers(cases(), false);
}

#[test]
fn of_containers_with_looks() {
    containers(cases(), true);
}

/// Counters whose additions say nothing, also with operations that never return and reads of which nobody knows.
#[test]
fn of_counters_without_results() {
    let meter = meter();
    let mut tally = [0; 2];
    let cases = cases();
    property(cases, 64, |random| {
        let (count, open) = (3 + random.below(6), 2 + random.below(4));
        let most = 1 + random.below(5);
        let spans = spans(random, count, open);
        let op = |s: &Interval| match random.below(8) {
            0..=3 => CounterOp::Add { delta: 1, before: None },
            7 if random.one_in(4) => CounterOp::Read(None),
            _ if s.ret == NEVER => CounterOp::Add { delta: 1, before: None },
            _ => CounterOp::Read(Some(5 + random.below(most) as i64)),
        };
        let ops: Vec<(CounterOp, Interval)> = spans.iter().map(op).zip(spans.iter().copied()).collect();
        let spec = Counter { initial: 5 };
        let (holds, monitored) = by_dispatch(&spec, &ops, &meter);
        assert!(monitored, "{ops:?}");
        assert_eq!(holds, by_search(&spec, &ops, &meter), "{ops:?}");
        tally[usize::from(!holds)] += 1;
    });
    println!("{tally:?}");
    assert!(tally.iter().all(|n| *n > cases / 10), "{tally:?}");
}

/// What looks at orders again agrees with the definition, also on orders that are wrong.
#[test]
fn wrong_orders_are_found() {
    let meter = meter();
    let (mut right, mut wrong) = (0, 0);
    property(3_000, 112, |random| {
        let ops = distinct(random, true);
        // In a bag a removal may have taken one of several, and what looks again need not find out which.
        let spec = Container::new(DISCIPLINES[random.below(4)]);
        let (own, spans): (Vec<ContainerOp>, Vec<Interval>) = ops.iter().cloned().unzip();
        let mut silent = Silent;
        let decision =
            decide_with_order(&spec, &own, &spans, true, &mut Control::new(&meter, &mut silent)).answer;
        let DecisionAnswer::Holds(Some(order)) = decision else { return };
        for _ in 0..4 {
            let mut changed = order.clone();
            if !changed.is_empty() {
                let (a, b) = (random.below(changed.len()), random.below(changed.len()));
                match random.below(4) {
                    0 => changed.swap(a, b),
                    1 => drop(changed.remove(a)),
                    2 => changed.insert(a, changed[b]),
                    _ => changed = order.clone(),
                }
            }
            let once = |i: usize| changed.iter().filter(|o| **o == i).count();
            let truth = (0..ops.len()).all(|i| once(i) == 1 || (once(i) == 0 && spans[i].ret == NEVER))
                && (0..changed.len())
                    .all(|at| changed[at..].iter().all(|b| spans[*b].ret >= spans[changed[at]].call))
                && !naive::run(&spec, &changed.iter().map(|i| &own[*i]).collect::<Vec<_>>()).is_empty();
            assert_eq!(explains(&spec, &own, &spans, &changed).is_ok(), truth, "{ops:?} {changed:?}");
            *(if truth { &mut right } else { &mut wrong }) += 1;
        }
    });
    assert!(right > 500 && wrong > 500, "{right} {wrong}");
}

#[test]
fn of_large_histories() {
    let objects = [
        (ObjectKind::Queue, "queue"),
        (ObjectKind::Stack, "stack"),
        (ObjectKind::PriorityQueue, "priority-queue"),
        (ObjectKind::Queue, "bag"),
        (ObjectKind::Set, "set"),
        (ObjectKind::Register, "register"),
        (ObjectKind::Kv, "kv"),
        (ObjectKind::Counter, "counter"),
    ];
    let meter = meter();
    for (seed, (object, name)) in (0u64..).zip(objects) {
        for (clients, crashes) in [(4, 0), (16, 40_000), (64, 0)] {
            let values = if object == ObjectKind::PriorityQueue { 1 << 40 } else { 0 };
            let plan = Plan { object, operations: 100_000, clients, values, crashes, spoiled: false, seed };
            let made = history(&plan);
            let options = Options { witness: true, ..Options::default() };
            let spec = named(name).expect("a name");
            let report = spec.check(&made, &options, &meter, &mut Silent).expect("it fits");
            // A wrong order is an error; the definition is too slow to be asked here.
            let Verdict::Holds(Some(order)) = report.verdict else {
                panic!("{plan:?}: {:?}", report.verdict.word());
            };
            assert!(order.len() + made.pending() >= made.ops.len());
            assert!(
                report.engines.iter().all(|(e, _)| e.name() != "search"),
                "{plan:?} {:?}",
                report.engines
            );
            let mut latest = 0;
            for id in order {
                latest = latest.max(made.op(id).call);
                assert!(made.op(id).ret > latest, "{plan:?}");
            }
        }
    }
}
