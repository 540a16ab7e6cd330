//! Seeded random histories: engines against the definition, monitors against the search, failures against what
//! they claim.

use crate::common::{by_dispatch, by_layers, by_search, meter, property};
use trueline_base::{Meter, Silent};
use trueline_history::generate::{ObjectKind, Plan, Random, history};
use trueline_history::naive::engines::{Control, Interval};
use trueline_history::naive::engines::{DecisionAnswer, decide};
use trueline_history::naive::sweep::spans;
use trueline_history::spec::{
    Container, ContainerOp, Counter, Discipline, Kv, KvAction, KvOp, Multiset, MultisetAction, MultisetOp,
    Register, RegisterOp, Set, Spec,
};
use trueline_history::{Builder, Datum, History, NEVER, OpId, Options, Verdict, check, naive};

fn decoded<S: Spec>(spec: &S, history: &History) -> Vec<(S::Op, Interval)> {
    let ops = history.ids().map(|id| {
        let op = history.op(id);
        let known = history.with_call(id, |call| spec.decode(call)).expect("a known operation");
        (known, Interval { call: op.call, ret: op.ret })
    });
    ops.filter(|(op, span)| span.ret != NEVER || !spec.hints().observes(op)).collect()
}

fn value(random: &mut Random) -> Datum {
    Datum::Int(1 + random.below(3) as i64)
}

fn container_op(random: &mut Random, pending: bool) -> ContainerOp {
    match (random.below(5), pending) {
        (0..=2, _) => ContainerOp::Insert(value(random)),
        (_, true) => ContainerOp::RemoveAny,
        (3, _) => ContainerOp::Remove(value(random)),
        _ => ContainerOp::RemoveEmpty,
    }
}

fn register_op(random: &mut Random, pending: bool) -> RegisterOp {
    match (random.below(4), pending) {
        (0 | 1, _) => RegisterOp::Write(value(random)),
        (2, false) => RegisterOp::Read(value(random)),
        _ => RegisterOp::Cas(value(random), value(random), (!pending).then(|| random.one_in(2))),
    }
}

/// Operations for the given spans.
fn ops_for<Op>(
    random: &mut Random,
    spans: &[Interval],
    op: fn(&mut Random, bool) -> Op,
) -> Vec<(Op, Interval)> {
    spans.iter().map(|span| (op(random, span.ret == NEVER), *span)).collect()
}

/// What the definition says; every engine must say the same.
fn agreed<S: Spec>(spec: &S, ops: &[(S::Op, Interval)], meter: &Meter) -> bool {
    let truth = naive::linearizable(spec, ops);
    assert_eq!(by_search(spec, ops, meter), truth, "{ops:?}");
    assert_eq!(by_layers(spec, ops, meter), truth, "{ops:?}");
    assert_eq!(by_dispatch(spec, ops, meter).0, truth, "{ops:?}");
    truth
}

#[test]
fn engines_against_the_definition() {
    let meter = meter();
    let (mut legal, mut illegal) = (0, 0);
    property(4000, 96, |random| {
        let spans = spans(random, 6, 3);
        let discipline =
            [Discipline::Fifo, Discipline::Lifo, Discipline::Min, Discipline::Any][random.below(4)];
        let spec = Container { slack: random.below(2) as u32, ..Container::new(discipline) };
        let ops = ops_for(random, &spans, container_op);
        *(if agreed(&spec, &ops, &meter) { &mut legal } else { &mut illegal }) += 1;
        let spec = Register { initial: Datum::Int(1), cas: true };
        let ops = ops_for(random, &spans, register_op);
        agreed(&spec, &ops, &meter);
    });
    assert!(legal > 300 && illegal > 300, "{legal} {illegal}");
}

/// One key with texts that are prefixes of each other, values that are no texts, and every kind of operation.
fn kv_op(random: &mut Random, pending: bool) -> KvOp {
    let texts = ["", "a", "b", "ab", "ba", "aa", "aba"];
    let text = |r: &mut Random| texts[r.below(texts.len())];
    let value = |r: &mut Random| match r.below(8) {
        0 => Datum::Nil,
        1 => Datum::Int(1),
        2 => Datum::word("a"),
        _ => Datum::text(text(r)),
    };
    let action = match random.below(10) {
        0..=3 => KvAction::Append(text(random).into()),
        4..=7 if !pending => KvAction::Get(if random.one_in(8) { None } else { Some(value(random)) }),
        8 => KvAction::Delete,
        _ => KvAction::Put(value(random)),
    };
    KvOp { key: Datum::Int(0), action }
}

/// States that the search takes for one must not be told apart by anything, pending operations included.
#[test]
fn appended_texts_against_the_definition() {
    let meter = meter();
    let (mut legal, mut illegal) = (0, 0);
    property(12_000, 64, |random| {
        let count = 3 + random.below(4);
        let spans = spans(random, count, 3);
        let ops = ops_for(random, &spans, kv_op);
        *(if agreed(&Kv, &ops, &meter) { &mut legal } else { &mut illegal }) += 1;
    });
    assert!(legal > 1000 && illegal > 1000, "{legal} {illegal}");
}

/// Most operations are pending, so that the search meets many ways of using few of them.
#[test]
fn many_pending_operations_against_the_definition() {
    let meter = meter();
    let (mut legal, mut illegal) = (0, 0);
    property(4000, 112, |random| {
        let mut spans = spans(random, 7, 4);
        for span in &mut spans {
            if random.one_in(2) {
                span.ret = NEVER;
            }
        }
        let spec = Register { initial: Datum::Int(1), cas: true };
        let ops = ops_for(random, &spans, register_op);
        *(if agreed(&spec, &ops, &meter) { &mut legal } else { &mut illegal }) += 1;
        let spec = Container::new([Discipline::Fifo, Discipline::Lifo][random.below(2)]);
        let ops = ops_for(random, &spans, container_op);
        agreed(&spec, &ops, &meter);
    });
    assert!(legal > 300 && illegal > 300, "{legal} {illegal}");
}

/// Compares the monitor with the search and counts (legal, illegal, decided by the monitor).
fn compare<S: Spec>(spec: &S, plan: Plan, cases: u64, tally: &mut [u32; 3]) {
    let meter = meter();
    for seed in 0..cases {
        let plan = Plan { seed: plan.seed + seed, spoiled: seed % 2 == 1, ..plan };
        let ops = decoded(spec, &history(&plan));
        let (dispatched, monitored) = by_dispatch(spec, &ops, &meter);
        assert_eq!(dispatched, by_search(spec, &ops, &meter), "{plan:?} {ops:?}");
        tally[usize::from(!dispatched)] += 1;
        tally[2] += u32::from(monitored);
        if !plan.spoiled {
            assert!(dispatched, "{plan:?} is linearizable by construction");
        }
    }
}

fn small(object: ObjectKind, crashes: usize) -> Plan {
    Plan { object, operations: 10, clients: 4, values: 0, crashes, spoiled: false, seed: 7_000 }
}

fn balanced(tally: [u32; 3], cases: u32) {
    assert!(tally[0] > cases / 10 && tally[1] > cases / 50 && tally[2] > cases / 3, "{tally:?}");
}

#[test]
fn queue_monitor() {
    let mut tally = [0; 3];
    let spec = Container::new(Discipline::Fifo);
    compare(&spec, small(ObjectKind::Queue, 0), 15_000, &mut tally);
    compare(&spec, small(ObjectKind::Queue, 20), 5_000, &mut tally);
    compare(&spec, Plan { operations: 24, clients: 3, ..small(ObjectKind::Queue, 0) }, 1_000, &mut tally);
    balanced(tally, 21_000);
}

#[test]
fn stack_monitor() {
    let mut tally = [0; 3];
    let spec = Container::new(Discipline::Lifo);
    compare(&spec, small(ObjectKind::Stack, 0), 15_000, &mut tally);
    compare(&spec, small(ObjectKind::Stack, 20), 5_000, &mut tally);
    compare(&spec, Plan { operations: 40, clients: 4, ..small(ObjectKind::Stack, 0) }, 1_000, &mut tally);
    balanced(tally, 21_000);
}

#[test]
fn priority_queue_monitor() {
    let mut tally = [0; 3];
    let spec = Container::new(Discipline::Min);
    // Values from a large range come in no order.
    let plan = Plan { values: 1_000_000, ..small(ObjectKind::PriorityQueue, 0) };
    compare(&spec, plan, 15_000, &mut tally);
    compare(&spec, Plan { crashes: 20, ..plan }, 5_000, &mut tally);
    compare(&spec, Plan { operations: 40, ..plan }, 1_000, &mut tally);
    balanced(tally, 21_000);
}

#[test]
fn register_and_counter_monitors() {
    let mut tally = [0; 3];
    let register = Register::default();
    compare(&register, small(ObjectKind::Register, 0), 12_000, &mut tally);
    compare(&register, small(ObjectKind::Register, 12), 6_000, &mut tally);
    compare(&register, Plan { operations: 60, ..small(ObjectKind::Register, 30) }, 1_000, &mut tally);
    balanced(tally, 19_000);
    let mut tally = [0; 3];
    compare(&Counter::default(), small(ObjectKind::Counter, 0), 12_000, &mut tally);
    compare(&Counter::default(), small(ObjectKind::Counter, 12), 6_000, &mut tally);
    balanced(tally, 18_000);
}

#[test]
fn set_and_multiset_monitors() {
    let meter = meter();
    let mut random = Random::new(5);
    let mut tally = [0; 3];
    for seed in 0..12_000 {
        let plan = Plan {
            values: 1,
            operations: 7,
            crashes: 15,
            spoiled: seed % 2 == 1,
            seed,
            ..small(ObjectKind::Set, 0)
        };
        let mut ops = decoded(&Set, &history(&plan));
        for (op, _) in &mut ops {
            op.element = Datum::Int(1);
        }
        let (dispatched, monitored) = by_dispatch(&Set, &ops, &meter);
        assert_eq!(dispatched, by_search(&Set, &ops, &meter), "{ops:?}");
        tally[usize::from(!dispatched)] += 1;
        tally[2] += u32::from(monitored);
        let ops: Vec<(MultisetOp, Interval)> = spans(&mut random, 8, 3)
            .into_iter()
            .map(|s| {
                let action = match random.below(7) {
                    0..=2 => MultisetAction::Add,
                    3..=4 if s.ret == NEVER => MultisetAction::Remove(None),
                    3..=4 => MultisetAction::Remove(Some(true)),
                    _ => MultisetAction::Contains((s.ret != NEVER).then_some(true)),
                };
                (MultisetOp { element: Datum::Int(1), action }, s)
            })
            .collect();
        let (dispatched, monitored) = by_dispatch(&Multiset, &ops, &meter);
        assert!(monitored);
        assert_eq!(dispatched, by_search(&Multiset, &ops, &meter), "{ops:?}");
        tally[usize::from(!dispatched)] += 1;
    }
    balanced(tally, 12_000);
}

/// The minimal part fails by the definition when everything else may take effect at any time, and no longer
/// fails when one more of its operations may.
#[test]
fn failures_are_minimal() {
    let meter = meter();
    let mut seen = 0;
    for seed in 0..1500 {
        let object = [ObjectKind::Queue, ObjectKind::Stack, ObjectKind::Register, ObjectKind::Counter]
            [seed as usize % 4];
        let plan = Plan {
            operations: 6,
            clients: 3,
            values: seed as usize / 4 % 3,
            crashes: 12,
            spoiled: true,
            seed,
            object,
        };
        let h = history(&plan);
        match object {
            ObjectKind::Queue => minimal(&Container::new(Discipline::Fifo), &h, &meter, &mut seen),
            ObjectKind::Stack => minimal(&Container::new(Discipline::Lifo), &h, &meter, &mut seen),
            ObjectKind::Register => minimal(&Register::default(), &h, &meter, &mut seen),
            _ => minimal(&Counter::default(), &h, &meter, &mut seen),
        }
    }
    assert!(seen > 200, "{seen}");
}

/// The same for logs in which some operations may be repeated when they are left out and others may not.
#[test]
fn failures_of_texts_and_compare_and_set_are_minimal() {
    let meter = meter();
    let mut seen = [0; 2];
    property(1500, 112, |random| {
        let spans = spans(random, 6, 3);
        let mut kv = Log::default();
        let mut cas = Log::default();
        for (process, span) in spans.iter().enumerate() {
            let pending = span.ret == NEVER;
            let (name, input, output) = match kv_op(random, pending).action {
                KvAction::Append(text) => ("append", Datum::text(text), Some(Datum::Nil)),
                KvAction::Get(seen) => ("get", Datum::Nil, seen),
                KvAction::Put(value) => ("put", value, Some(Datum::Nil)),
                KvAction::Delete => ("delete", Datum::Nil, Some(Datum::Nil)),
            };
            kv.0.push((*span, process as i64, name, input, output));
            let value = |r: &mut Random| Datum::Int(r.below(3) as i64);
            let (name, input, output) = match random.below(3) {
                0 => ("write", value(random), Some(Datum::Nil)),
                1 => ("read", Datum::Nil, Some(value(random))),
                _ => {
                    let pair = Datum::list([value(random), value(random)]);
                    ("cas", pair, Some(Datum::Bool(random.one_in(2))))
                }
            };
            cas.0.push((*span, process as i64, name, input, output));
        }
        minimal(&Kv, &kv.history(Some(Datum::Int(0))), &meter, &mut seen[0]);
        minimal(&Register { initial: Datum::Int(0), cas: true }, &cas.history(None), &meter, &mut seen[1]);
    });
    assert!(seen[0] > 200 && seen[1] > 200, "{seen:?}");
}

/// Spans with what was called by which process, and answered.
#[derive(Default)]
struct Log(Vec<(Interval, i64, &'static str, Datum, Option<Datum>)>);

impl Log {
    fn history(&self, key: Option<Datum>) -> History {
        let mut ends: Vec<(u32, bool, usize)> = Vec::new();
        for (i, (span, ..)) in self.0.iter().enumerate() {
            ends.push((span.call, false, i));
            if span.ret != NEVER {
                ends.push((span.ret, true, i));
            }
        }
        ends.sort_unstable();
        let mut log = Builder::new();
        for (line, (_, ret, i)) in (1..).zip(ends) {
            let (_, process, name, input, output) = self.0[i].clone();
            match ret {
                false => log.call(line, process, name, key.clone(), input).unwrap(),
                true => log.ret(line, process, output).unwrap(),
            };
        }
        log.finish()
    }
}

fn minimal<S: Spec>(spec: &S, h: &History, meter: &trueline_base::Meter, seen: &mut usize) {
    let report =
        check(spec, h, &Options { witness: true, ..Options::default() }, meter, &mut Silent).unwrap();
    match report.verdict {
        Verdict::Holds(witness) => {
            let order = witness.expect("asked for");
            let ops: Vec<S::Op> =
                order.iter().map(|id| h.with_call(*id, |c| spec.decode(c)).unwrap()).collect();
            assert!(!naive::run(spec, &ops.iter().collect::<Vec<_>>()).is_empty());
        }
        Verdict::Fails(failure) => {
            *seen += 1;
            assert!(failure.minimal);
            assert_eq!(failure.reasons.len(), failure.operations.len());
            for reason in &failure.reasons {
                let order = &reason.otherwise;
                let once = order.iter().collect::<std::collections::BTreeSet<_>>();
                assert_eq!(once.len(), order.len(), "{reason:?} of {h:?}");
                let ops: Vec<S::Op> =
                    order.iter().map(|id| h.with_call(*id, |c| spec.decode(c)).unwrap()).collect();
                assert!(!naive::run(spec, &ops.iter().collect::<Vec<_>>()).is_empty(), "{reason:?} of {h:?}");
            }
            let with = |kept: &[OpId]| {
                let ops: Vec<(S::Op, Interval)> = h
                    .ids()
                    .map(|id| {
                        let op = h.op(id);
                        let span = if kept.contains(&id) {
                            Interval { call: op.call + 1, ret: if op.pending() { NEVER } else { op.ret + 1 } }
                        } else {
                            Interval { call: 0, ret: NEVER }
                        };
                        (h.with_call(id, |c| spec.decode(c)).unwrap(), span)
                    })
                    .collect();
                naive::linearizable(spec, &ops)
            };
            assert!(!with(&failure.operations), "{h:?} {failure:?}");
            for id in &failure.operations {
                let rest: Vec<OpId> = failure.operations.iter().copied().filter(|o| o != id).collect();
                assert!(with(&rest), "{} is not needed: {failure:?} {h:?}", h.show(*id));
            }
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn larger_histories_split_by_key() {
    let meter = meter();
    for seed in 0..40 {
        let plan = Plan {
            object: ObjectKind::Kv,
            operations: 400,
            clients: 6,
            values: 0,
            crashes: 60,
            spoiled: seed % 2 == 1,
            seed,
        };
        let h = history(&plan);
        let report =
            check(&Kv, &h, &Options { witness: true, ..Options::default() }, &meter, &mut Silent).unwrap();
        assert!(report.parts > 4);
        let (ops, spans): (Vec<_>, Vec<_>) = decoded(&Kv, &h).into_iter().unzip();
        let mut silent = Silent;
        let whole = decide(&Kv, &ops, &spans, false, &mut Control::new(&meter, &mut silent));
        match (report.verdict, whole.answer) {
            (Verdict::Holds(witness), DecisionAnswer::Holds(_)) => {
                let order = witness.expect("asked for");
                let ops: Vec<_> =
                    order.iter().map(|id| h.with_call(*id, |c| Kv.decode(c)).unwrap()).collect();
                assert!(!naive::run(&Kv, &ops.iter().collect::<Vec<_>>()).is_empty());
                for (at, a) in order.iter().enumerate() {
                    assert!(!order[at + 1..].iter().any(|b| h.op(*b).before(h.op(*a))));
                }
            }
            (Verdict::Fails(_), DecisionAnswer::Fails(_)) => {}
            (a, b) => panic!("{a:?} {b:?}"),
        }
    }
}
