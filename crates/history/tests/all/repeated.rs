//! Containers whose values repeat: searches bounded by the number of clients, against the general search and at sizes
//! that it cannot do.

use crate::common::{by_dispatch, by_search, meter, property};
use trueline_base::{Limits, Meter, Silent};
use trueline_history::check::named;
use trueline_history::generate::{ObjectKind, Plan, Random, history};
use trueline_history::naive::engines::Interval;
use trueline_history::naive::sweep::spans;
use trueline_history::spec::{Container, ContainerOp, Discipline, Set, SetAction, SetOp};
use trueline_history::{Datum, NEVER, Options};

const OBJECTS: [(ObjectKind, &str); 4] = [
    (ObjectKind::Queue, "queue"),
    (ObjectKind::Stack, "stack"),
    (ObjectKind::PriorityQueue, "priority-queue"),
    (ObjectKind::Set, "set"),
];

/// A thousand operations over ten values, which took gigabytes.
#[test]
fn a_thousand_operations_over_ten_values() {
    for (object, spec) in OBJECTS {
        for seed in 0..6 {
            let spoiled = seed % 2 == 1;
            let clients = 2 + seed as usize;
            let plan = Plan { object, operations: 1000, clients, values: 10, crashes: 0, spoiled, seed };
            let limits = Limits { states: Some(100_000), memory: Some(64 << 20), ..Limits::default() };
            let options = Options { reasons: false, ..Options::default() };
            let report = named(spec)
                .unwrap()
                .check(&history(&plan), &options, &Meter::start(limits), &mut Silent)
                .unwrap();
            let settled = report.verdict.holds() || spoiled && report.verdict.fails();
            assert!(settled, "{spec}, seed {seed}: {:?}", report.verdict);
        }
    }
}

fn op(random: &mut Random, pending: bool) -> ContainerOp {
    let value = |random: &mut Random| Datum::Int(1 + random.below(2) as i64);
    match (random.below(12), pending) {
        (0..=4, _) => ContainerOp::Insert(value(random)),
        (_, true) => ContainerOp::RemoveAny,
        (5..=7, _) => ContainerOp::Remove(value(random)),
        (8, _) => ContainerOp::RemoveEmpty,
        (9, _) => ContainerOp::Peek(value(random)),
        (10, _) => [ContainerOp::PeekAny, ContainerOp::PeekEmpty][random.below(2)].clone(),
        _ => [ContainerOp::RemoveAny, ContainerOp::RemoveSome][random.below(2)].clone(),
    }
}

/// Looks, unknown results and pending operations, in histories that are larger than those that can be enumerated.
#[test]
fn bounded_searches_against_the_general_one() {
    let disciplines = [Discipline::Fifo, Discipline::Lifo, Discipline::Min, Discipline::Max, Discipline::Any];
    for discipline in disciplines {
        let spec = Container::new(discipline);
        let (mut holds, mut bounded) = (0, 0);
        property(6000, 96, |random| {
            let n = 4 + random.below(8);
            let open = 2 + random.below(3);
            let spans = spans(random, n, open);
            let ops: Vec<(ContainerOp, Interval)> =
                spans.iter().map(|span| (op(random, span.ret == NEVER), *span)).collect();
            let truth = by_search(&spec, &ops, &meter());
            let (answer, monitored) = by_dispatch(&spec, &ops, &meter());
            assert_eq!(answer, truth, "{discipline:?}: {ops:?}");
            holds += u32::from(truth);
            bounded += u32::from(monitored);
        });
        assert!((200..5800).contains(&holds), "{discipline:?}: {holds} of 6000 hold");
        assert!(bounded > 1500, "{discipline:?}: {bounded} of 6000 were not left to the search");
    }
}

/// One element that comes and goes, against the definition and, where there are too many operations, the search.
#[test]
fn an_element_that_comes_and_goes() {
    let op = |random: &mut Random, pending: bool| SetOp {
        element: Datum::Int(1),
        action: [SetAction::Add, SetAction::Remove, SetAction::Contains][random.below(3)],
        answer: if pending { None } else { Some(random.below(2) == 0) },
    };
    let (mut holds, mut monitored) = (0, 0);
    property(12_000, 96, |random| {
        let most = if random.one_in(3) { 4 } else { 14 };
        let n = 3 + random.below(most);
        let open = 2 + random.below(4);
        let spans = spans(random, n, open);
        let ops: Vec<(SetOp, Interval)> =
            spans.iter().map(|span| (op(random, span.ret == NEVER), *span)).collect();
        let truth = by_search(&Set, &ops, &meter());
        if n <= 6 {
            assert_eq!(trueline_history::naive::linearizable(&Set, &ops), truth, "{ops:?}");
        }
        let (answer, by_monitor) = by_dispatch(&Set, &ops, &meter());
        assert_eq!(answer, truth, "{ops:?}");
        holds += u32::from(truth);
        monitored += u32::from(by_monitor);
    });
    assert!((1500..10_500).contains(&holds), "{holds} of 12000 hold");
    assert_eq!(monitored, 12_000);
}
