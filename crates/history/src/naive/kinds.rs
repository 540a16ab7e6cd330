//! The ready-made specifications with the operations of which small histories are made.

use super::small::Kinds;
use crate::datum::Datum;
use crate::spec::{
    Container, ContainerOp, Counter, CounterOp, Discipline, Kv, KvAction, KvOp, Lock, LockOp, Multiset,
    MultisetAction, MultisetOp, QuasiQueue, Register, RegisterOp, Set, SetAction, SetOp, Spec,
};

/// Does something with every specification.
pub trait Each {
    /// Does it with this one.
    fn visit<S: Spec>(&mut self, name: &str, spec: &S, kinds: &Kinds<'_, S::Op>);
}

fn one() -> Datum {
    Datum::Int(1)
}

fn two() -> Datum {
    Datum::Int(2)
}

/// The other of the two values.
fn other(d: &Datum) -> Datum {
    match d {
        Datum::Int(1) => two(),
        Datum::Int(2) => one(),
        d => d.clone(),
    }
}

fn other_container(op: &ContainerOp) -> ContainerOp {
    match op {
        ContainerOp::Insert(v) => ContainerOp::Insert(other(v)),
        ContainerOp::Remove(v) => ContainerOp::Remove(other(v)),
        ContainerOp::Peek(v) => ContainerOp::Peek(other(v)),
        op => op.clone(),
    }
}

fn other_register(op: &RegisterOp) -> RegisterOp {
    match op {
        RegisterOp::Read(v) => RegisterOp::Read(other(v)),
        RegisterOp::Write(v) => RegisterOp::Write(other(v)),
        RegisterOp::Cas(a, b, done) => RegisterOp::Cas(other(a), other(b), *done),
        RegisterOp::ReadAny => RegisterOp::ReadAny,
    }
}

fn containers(each: &mut impl Each) {
    use ContainerOp::{Insert, Peek, PeekEmpty, Remove, RemoveAny, RemoveEmpty};
    let known = [Insert(one()), Insert(two()), Remove(one()), Remove(two()), RemoveEmpty];
    let pending = [Insert(one()), Insert(two()), RemoveAny];
    let unordered: Kinds<'_, _> =
        Kinds { known: &known, pending: &pending, exchange: Some(&other_container) };
    let ordered = Kinds { exchange: None, ..unordered };
    let (queue, stack) = (Container::new(Discipline::Fifo), Container::new(Discipline::Lifo));
    let (least, most) = (Container::new(Discipline::Min), Container::new(Discipline::Max));
    each.visit("queue", &queue, &unordered);
    each.visit("stack", &stack, &unordered);
    each.visit("priority-queue", &least, &ordered);
    each.visit("max-priority-queue", &most, &ordered);
    each.visit("bag", &Container::new(Discipline::Any), &unordered);
    each.visit("Quasi(Queue, deq: 1)", &QuasiQueue { factor: 1 }, &unordered);
    each.visit("OutOfOrder(Queue, deq: 1)", &Container { slack: 1, ..queue }, &unordered);
    each.visit("OutOfOrder(Stack, pop: 1)", &Container { slack: 1, ..stack }, &unordered);
    each.visit("OutOfOrder(PriorityQueue, poll: 1)", &Container { slack: 1, ..least }, &ordered);
    // With looks at what would leave first; one value less keeps it small.
    let known = [Insert(one()), Insert(two()), Remove(one()), Peek(one()), Peek(two()), PeekEmpty];
    let looks = Kinds { known: &known, pending: &pending[..2], exchange: None };
    each.visit("queue with peek", &queue, &looks);
    each.visit("stack with peek", &stack, &looks);
    each.visit("priority-queue with peek", &least, &looks);
}

fn registers(each: &mut impl Each) {
    use RegisterOp::{Cas, Read, Write};
    let known = [Write(one()), Write(two()), Read(one()), Read(two()), Read(Datum::Nil)];
    let kinds = Kinds { known: &known, pending: &known[..2], exchange: Some(&other_register) };
    each.visit("register", &Register::default(), &kinds);
    let cas = |a, b, done| Cas(a, b, done);
    let known = [
        Write(one()),
        Read(one()),
        Read(two()),
        cas(one(), two(), Some(true)),
        cas(two(), one(), Some(true)),
        cas(one(), two(), Some(false)),
    ];
    let pending = [Write(one()), cas(one(), two(), None)];
    let kinds = Kinds { known: &known, pending: &pending, exchange: None };
    each.visit("cas-register", &Register { initial: Datum::Nil, cas: true }, &kinds);
    let op = |action| KvOp { key: Datum::text("k"), action };
    let known = [
        op(KvAction::Put(Datum::text("x"))),
        op(KvAction::Put(Datum::text("y"))),
        op(KvAction::Append("y".into())),
        op(KvAction::Get(Some(Datum::text("x")))),
        op(KvAction::Get(Some(Datum::text("xy")))),
        op(KvAction::Get(Some(Datum::text("")))),
    ];
    each.visit("kv", &Kv, &Kinds { known: &known, pending: &known[1..3], exchange: None });
}

fn collections(each: &mut impl Each) {
    let op = |action, answer| SetOp { element: one(), action, answer };
    let mut known = Vec::new();
    for action in [SetAction::Add, SetAction::Remove, SetAction::Contains] {
        known.extend([op(action, Some(true)), op(action, Some(false))]);
    }
    let pending = [op(SetAction::Add, None), op(SetAction::Remove, None)];
    each.visit("set", &Set, &Kinds { known: &known, pending: &pending, exchange: None });
    let op = |action| MultisetOp { element: one(), action };
    let known = [
        op(MultisetAction::Add),
        op(MultisetAction::Remove(Some(true))),
        op(MultisetAction::Remove(Some(false))),
        op(MultisetAction::Contains(Some(true))),
        op(MultisetAction::Count(Some(2))),
    ];
    let pending = [op(MultisetAction::Add), op(MultisetAction::Remove(None))];
    each.visit("multiset", &Multiset, &Kinds { known: &known, pending: &pending, exchange: None });
}

fn others(each: &mut impl Each) {
    let add = |before| CounterOp::Add { delta: 1, before };
    let read = |v| CounterOp::Read(Some(v));
    let known = [add(Some(0)), add(Some(1)), add(Some(2)), read(0), read(1), read(2)];
    let pending = [add(None)];
    each.visit("counter", &Counter::default(), &Kinds { known: &known, pending: &pending, exchange: None });
    let known = [add(None), CounterOp::Add { delta: -1, before: None }, read(0), read(1)];
    let kinds = Kinds { known: &known, pending: &pending, exchange: None };
    each.visit("counter without results", &Counter::default(), &kinds);
    let known = [add(None), read(0), read(1), read(2)];
    let kinds = Kinds { known: &known, pending: &pending, exchange: None };
    each.visit("counter that only counts", &Counter::default(), &kinds);
    let known = [LockOp::Acquire(1), LockOp::Release(1), LockOp::Acquire(2), LockOp::Release(2)];
    let exchange = |op: &LockOp| match op {
        LockOp::Acquire(p) => LockOp::Acquire(3 - p),
        LockOp::Release(p) => LockOp::Release(3 - p),
    };
    each.visit("lock", &Lock, &Kinds { known: &known, pending: &known, exchange: Some(&exchange) });
}

/// Every ready-made specification.
pub fn every_specification(each: &mut impl Each) {
    containers(each);
    registers(each);
    collections(each);
    others(each);
}
