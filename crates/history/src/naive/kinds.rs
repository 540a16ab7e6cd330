//! The ready-made specifications with the operations of which small histories are made.

use super::small::Kinds;
use crate::datum::Datum;
use crate::history::Call;
use crate::spec::{
    Bank, BankOp, Container, ContainerOp, Counter, CounterOp, Deque, DequeEnd, DequeOp, Discipline, GrowSet,
    GrowSetOp, Kv, KvAction, KvOp, Lock, LockOp, Multiset, MultisetAction, MultisetOp, QuasiQueue, Register,
    RegisterOp, Semaphore, SemaphoreOp, Set, SetAction, SetOp, Spec, Txn, TxnStep,
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
        RegisterOp::Swap(v, before) => RegisterOp::Swap(other(v), before.as_ref().map(other)),
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
    let known = [
        Write(one()),
        Read(two()),
        RegisterOp::Swap(one(), Some(Datum::Nil)),
        RegisterOp::Swap(two(), Some(one())),
        RegisterOp::Swap(one(), Some(two())),
    ];
    let pending = [RegisterOp::Swap(one(), None), RegisterOp::Swap(two(), None)];
    let kinds = Kinds { known: &known, pending: &pending, exchange: None };
    each.visit("cas-register with swap", &Register { initial: Datum::Nil, cas: true }, &kinds);
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

fn permits(each: &mut impl Each) {
    use SemaphoreOp::{Acquire, Release};
    let known = [Acquire(Some(true)), Acquire(Some(false)), Release];
    let kinds = Kinds { known: &known, pending: &[Acquire(None), Release], exchange: None };
    each.visit("semaphore", &Semaphore { initial: 0, most: None }, &kinds);
    each.visit("mutex", &Semaphore::MUTEX, &kinds);
}

fn wholes(each: &mut impl Each) {
    use DequeOp::{Peek, Pop, Push};
    let known = [
        Push(DequeEnd::Front, one()),
        Push(DequeEnd::Back, two()),
        Pop(DequeEnd::Front, Some(one())),
        Pop(DequeEnd::Back, Some(one())),
        Pop(DequeEnd::Back, Some(two())),
        Peek(DequeEnd::Front, Some(Datum::Nil)),
    ];
    let pending = [Push(DequeEnd::Front, one()), Pop(DequeEnd::Back, None)];
    each.visit("deque", &Deque, &Kinds { known: &known, pending: &pending, exchange: None });
    let seen = |list: &[i64]| {
        let answer = Datum::list(list.iter().map(|i| Datum::Int(*i)).collect::<Vec<_>>());
        let call = Call {
            process: 0,
            name: "read",
            key: None,
            input: &Datum::Nil,
            output: Some(&answer),
            place: None,
        };
        GrowSet.decode(&call).expect("a list of elements")
    };
    let known = [GrowSetOp::Add(one()), GrowSetOp::Add(two()), seen(&[]), seen(&[1]), seen(&[1, 2])];
    each.visit("grow-set", &GrowSet, &Kinds { known: &known, pending: &known[..2], exchange: None });
    let move_one = |from, to| BankOp::Transfer(from, to, 1);
    let read = |a, b| BankOp::Read(Some(vec![(one(), a), (two(), b)]));
    let known = [move_one(one(), two()), move_one(two(), one()), read(5, 5), read(4, 6), read(5, 6)];
    each.visit("bank", &Bank, &Kinds { known: &known, pending: &known[..2], exchange: None });
    let list = |items: &[Datum]| Some(Datum::list(items.to_vec()));
    let known = [
        vec![TxnStep::Write(one(), one()), TxnStep::Read(two(), Some(Datum::Nil))],
        vec![TxnStep::Read(one(), Some(one())), TxnStep::Append(two(), one())],
        vec![TxnStep::Read(two(), list(&[one()])), TxnStep::Append(two(), two())],
        vec![TxnStep::Read(two(), list(&[one(), two()]))],
    ];
    let pending = [vec![TxnStep::Append(two(), one()), TxnStep::Read(one(), None)]];
    each.visit("txn", &Txn, &Kinds { known: &known, pending: &pending, exchange: None });
}

/// Every ready-made specification.
pub fn every_specification(each: &mut impl Each) {
    containers(each);
    registers(each);
    collections(each);
    others(each);
    permits(each);
    wholes(each);
}
