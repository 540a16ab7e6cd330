//! Every small history, up to renaming, against the definition.

mod common;

use common::{by_dispatch, by_layers, by_search, fillings, meter, shapes};
use trueline_history::Datum;
use trueline_history::naive;
use trueline_history::spec::{
    Container, ContainerOp, Counter, CounterOp, Discipline, Lock, LockOp, Multiset, MultisetAction,
    MultisetOp, QuasiQueue, Register, RegisterOp, Set, SetAction, SetOp, Spec,
};

struct Tally {
    histories: usize,
    legal: usize,
    monitored: usize,
}

fn all<S: Spec>(spec: &S, n: usize, known: &[S::Op], pending: &[S::Op]) -> Tally {
    let meter = meter();
    let mut tally = Tally { histories: 0, legal: 0, monitored: 0 };
    for shape in (0..=n).flat_map(shapes) {
        fillings(&shape, known, pending, &mut |ops| {
            let truth = naive::linearizable(spec, ops);
            assert_eq!(by_search(spec, ops, &meter), truth, "search on {ops:?}");
            assert_eq!(by_layers(spec, ops, &meter), truth, "layers on {ops:?}");
            let (dispatched, monitored) = by_dispatch(spec, ops, &meter);
            assert_eq!(dispatched, truth, "monitor on {ops:?}");
            tally.histories += 1;
            tally.legal += usize::from(truth);
            tally.monitored += usize::from(monitored);
        });
    }
    assert!(tally.legal > 0 && tally.legal < tally.histories);
    tally
}

fn values() -> (Datum, Datum) {
    (Datum::Int(1), Datum::Int(2))
}

fn container_kinds() -> Vec<ContainerOp> {
    let (a, b) = values();
    vec![
        ContainerOp::Insert(a.clone()),
        ContainerOp::Insert(b.clone()),
        ContainerOp::Remove(a),
        ContainerOp::Remove(b),
        ContainerOp::RemoveEmpty,
    ]
}

fn container_pending() -> Vec<ContainerOp> {
    let (a, b) = values();
    vec![ContainerOp::Insert(a), ContainerOp::Insert(b), ContainerOp::RemoveAny]
}

fn container(discipline: Discipline, n: usize) -> Tally {
    all(&Container::new(discipline), n, &container_kinds(), &container_pending())
}

#[test]
fn queues() {
    let tally = container(Discipline::Fifo, 4);
    assert!(tally.monitored > 1000, "{}", tally.monitored);
}

#[test]
fn stacks() {
    let tally = container(Discipline::Lifo, 4);
    assert!(tally.monitored > 1000, "{}", tally.monitored);
}

#[test]
fn priority_queues() {
    container(Discipline::Min, 4);
    container(Discipline::Max, 3);
}

#[test]
fn bags() {
    container(Discipline::Any, 3);
}

#[test]
fn containers_with_peeks() {
    let (a, _) = values();
    let mut known = container_kinds();
    known.extend([ContainerOp::Peek(a), ContainerOp::PeekEmpty]);
    for discipline in [Discipline::Fifo, Discipline::Lifo, Discipline::Min] {
        all(&Container::new(discipline), 3, &known, &container_pending());
    }
}

#[test]
fn relaxed_containers() {
    all(&QuasiQueue { factor: 1 }, 4, &container_kinds(), &[]);
    all(&QuasiQueue { factor: 1 }, 3, &container_kinds(), &container_pending());
    for discipline in [Discipline::Fifo, Discipline::Lifo, Discipline::Min] {
        all(&Container { discipline, slack: 1 }, 3, &container_kinds(), &container_pending());
    }
}

#[test]
fn registers() {
    let (a, b) = values();
    let known = [
        RegisterOp::Write(a.clone()),
        RegisterOp::Write(b.clone()),
        RegisterOp::Read(a.clone()),
        RegisterOp::Read(b.clone()),
        RegisterOp::Read(Datum::Nil),
    ];
    let pending = [RegisterOp::Write(a), RegisterOp::Write(b)];
    let tally = all(&Register::default(), 4, &known, &pending);
    assert!(tally.monitored > 1000, "{}", tally.monitored);
}

#[test]
fn cas_registers() {
    let (a, b) = values();
    let known = [
        RegisterOp::Write(a.clone()),
        RegisterOp::Read(a.clone()),
        RegisterOp::Read(b.clone()),
        RegisterOp::Cas(a.clone(), b.clone(), Some(true)),
        RegisterOp::Cas(b.clone(), a.clone(), Some(true)),
        RegisterOp::Cas(a.clone(), b.clone(), Some(false)),
    ];
    let pending = [RegisterOp::Write(a.clone()), RegisterOp::Cas(a, b, None)];
    all(&Register { initial: Datum::Nil, cas: true }, 4, &known, &pending);
}

#[test]
fn sets() {
    let op = |action, answer| SetOp { element: Datum::Int(1), action, answer };
    let mut known = Vec::new();
    for action in [SetAction::Add, SetAction::Remove, SetAction::Contains] {
        known.extend([op(action, Some(true)), op(action, Some(false))]);
    }
    let pending = [op(SetAction::Add, None), op(SetAction::Remove, None)];
    let tally = all(&Set, 4, &known, &pending);
    assert!(tally.monitored > 1000, "{}", tally.monitored);
}

#[test]
fn multisets() {
    let op = |action| MultisetOp { element: Datum::Int(1), action };
    let known = [
        op(MultisetAction::Add),
        op(MultisetAction::Remove(Some(true))),
        op(MultisetAction::Remove(Some(false))),
        op(MultisetAction::Contains(Some(true))),
        op(MultisetAction::Count(Some(2))),
    ];
    let pending = [op(MultisetAction::Add), op(MultisetAction::Remove(None))];
    let tally = all(&Multiset, 4, &known, &pending);
    assert!(tally.monitored > 1000, "{}", tally.monitored);
}

#[test]
fn counters() {
    let add = |before| CounterOp::Add { delta: 1, before };
    let known = [
        add(Some(0)),
        add(Some(1)),
        add(Some(2)),
        CounterOp::Read(Some(0)),
        CounterOp::Read(Some(1)),
        CounterOp::Read(Some(2)),
    ];
    let tally = all(&Counter::default(), 4, &known, &[add(None)]);
    assert!(tally.monitored > 1000, "{}", tally.monitored);
    let known = [add(None), CounterOp::Add { delta: -1, before: None }, CounterOp::Read(Some(1))];
    all(&Counter::default(), 4, &known, &[add(None)]);
}

#[test]
fn locks() {
    let known = [LockOp::Acquire(1), LockOp::Release(1), LockOp::Acquire(2), LockOp::Release(2)];
    all(&Lock, 4, &known, &[LockOp::Acquire(1), LockOp::Release(2)]);
}
