//! The other conditions against their definitions, and the examples of the Round-Up paper.

use std::collections::BTreeMap;

use crate::common::{fillings, meter, property};
use trueline_base::Silent;
use trueline_history::check::{Distance, distance};
use trueline_history::naive::engines::Interval;
use trueline_history::naive::small::shapes;
use trueline_history::spec::{Container, ContainerOp, Discipline, QuasiQueue, Register, RegisterOp, Spec};
use trueline_history::{Builder, Condition, Datum, History, NEVER, Options, check, naive};

/// A history from operations of a container or register, one process each.
fn recorded(
    spans: &[Interval],
    name: impl Fn(usize) -> (&'static str, Datum, Datum),
    process: impl Fn(usize) -> i64,
) -> History {
    let mut ends: Vec<(u32, bool, usize)> = Vec::new();
    for (i, s) in spans.iter().enumerate() {
        ends.push((s.call, false, i));
        if s.ret != NEVER {
            ends.push((s.ret, true, i));
        }
    }
    ends.sort_unstable();
    let mut b = Builder::new();
    for (_, ret, i) in ends {
        let (name, input, output) = name(i);
        if ret {
            b.ret(0, process(i), Some(output)).unwrap();
        } else {
            b.call(0, process(i), name, None, input).unwrap();
        }
    }
    b.finish()
}

fn container_op(op: &ContainerOp) -> (&'static str, Datum, Datum) {
    match op {
        ContainerOp::Insert(v) => ("enq", v.clone(), Datum::Nil),
        ContainerOp::Remove(v) => ("deq", Datum::Nil, v.clone()),
        _ => ("deq", Datum::Nil, Datum::Nil),
    }
}

fn register_op(op: &RegisterOp) -> (&'static str, Datum, Datum) {
    match op {
        RegisterOp::Write(v) => ("write", v.clone(), Datum::Nil),
        RegisterOp::Read(v) => ("read", Datum::Nil, v.clone()),
        _ => ("read", Datum::Nil, Datum::Nil),
    }
}

fn holds<S: Spec>(spec: &S, history: &History, condition: Condition) -> bool {
    let options = Options { condition, reasons: false, ..Options::default() };
    let verdict = check(spec, history, &options, &meter(), &mut Silent).unwrap().verdict;
    assert!(verdict.holds() || verdict.fails(), "{verdict:?}");
    verdict.holds()
}

fn int(i: i64) -> Datum {
    Datum::Int(i)
}

fn container_kinds() -> [ContainerOp; 5] {
    [
        ContainerOp::Insert(int(1)),
        ContainerOp::Insert(int(2)),
        ContainerOp::Remove(int(1)),
        ContainerOp::Remove(int(2)),
        ContainerOp::RemoveEmpty,
    ]
}

fn register_kinds() -> [RegisterOp; 4] {
    [
        RegisterOp::Write(int(1)),
        RegisterOp::Write(int(2)),
        RegisterOp::Read(int(1)),
        RegisterOp::Read(Datum::Nil),
    ]
}

#[test]
fn quiescent_by_definition() {
    let queue = Container::new(Discipline::Fifo);
    let pending = [ContainerOp::Insert(int(1)), ContainerOp::RemoveAny];
    let mut counts = BTreeMap::new();
    for shape in (1..=4).flat_map(shapes) {
        let n = shape.len();
        let known = if n == 4 { &container_kinds()[1..4] } else { &container_kinds()[..] };
        fillings(&shape, known, &pending, &mut |ops| {
            let truth = naive::quiescent(&queue, ops);
            let h = recorded(&shape, |i| container_op(&ops[i].0), |i| i as i64);
            assert_eq!(holds(&queue, &h, Condition::Quiescent), truth, "{ops:?}");
            *counts.entry(truth).or_insert(0) += 1;
        });
    }
    assert!(counts.len() == 2, "{counts:?}");
}

#[test]
fn sequential_by_definition() {
    let queue = Container::new(Discipline::Fifo);
    let register = Register::default();
    let mut counts = BTreeMap::new();
    for n in 1..=4usize {
        // Who calls each operation, up to renaming; the last operation of a process may be pending.
        for code in 0..3usize.pow(n as u32) {
            let process: Vec<i64> = (0..n).map(|i| (code / 3usize.pow(i as u32) % 3) as i64).collect();
            let renamed = (0..n).all(|i| process[i] <= process[..i].iter().max().map_or(0, |m| m + 1));
            if !renamed {
                continue;
            }
            for pending in 0..1u32 << n {
                let last = |i: usize| !process[i + 1..].contains(&process[i]);
                if (0..n).any(|i| pending >> i & 1 == 1 && !last(i)) || pending.count_ones() > 1 {
                    continue;
                }
                let shape: Vec<Interval> = (0..n as u32)
                    .map(|i| Interval {
                        call: 2 * i,
                        ret: if pending >> i & 1 == 1 { NEVER } else { 2 * i + 1 },
                    })
                    .collect();
                let kinds = register_kinds();
                fillings(&shape, &kinds, &kinds[..1], &mut |ops| {
                    let truth = naive::sequential(&register, ops, &process);
                    let h = recorded(&shape, |i| register_op(&ops[i].0), |i| process[i]);
                    assert_eq!(holds(&register, &h, Condition::Sequential), truth, "{ops:?} {process:?}");
                    *counts.entry(truth).or_insert(0) += 1;
                });
                if n <= 3 {
                    let pending_kinds = [ContainerOp::Insert(int(1)), ContainerOp::RemoveAny];
                    fillings(&shape, &container_kinds(), &pending_kinds, &mut |ops| {
                        let truth = naive::sequential(&queue, ops, &process);
                        let h = recorded(&shape, |i| container_op(&ops[i].0), |i| process[i]);
                        assert_eq!(holds(&queue, &h, Condition::Sequential), truth, "{ops:?} {process:?}");
                    });
                }
            }
        }
    }
    assert!(counts.len() == 2, "{counts:?}");
}

#[test]
fn regular_by_definition() {
    let register = Register::default();
    let mut counts = BTreeMap::new();
    for shape in (1..=4).flat_map(shapes) {
        let kinds = register_kinds();
        fillings(&shape, &kinds, &kinds[..2], &mut |ops| {
            let truth = naive::regular(&Datum::Nil, ops);
            let h = recorded(&shape, |i| register_op(&ops[i].0), |i| i as i64);
            assert_eq!(holds(&register, &h, Condition::Regular), truth, "{ops:?}");
            if holds(&register, &h, Condition::Linearizable) {
                assert!(truth, "linearizable registers are regular: {ops:?}");
            }
            *counts.entry(truth).or_insert(0) += 1;
        });
    }
    assert!(counts.len() == 2, "{counts:?}");
}

#[test]
fn quasi_by_definition() {
    let mut counts = BTreeMap::new();
    for shape in (1..=3).flat_map(shapes) {
        let pending = [ContainerOp::Insert(int(1)), ContainerOp::RemoveAny];
        fillings(&shape, &container_kinds(), &pending, &mut |ops| {
            let h = recorded(&shape, |i| container_op(&ops[i].0), |i| i as i64);
            for discipline in [Discipline::Fifo, Discipline::Lifo, Discipline::Min] {
                let spec = Container::new(discipline);
                let mut least = None;
                for k in 0..=2 {
                    let truth = naive::quasi(&spec, ops, k as usize);
                    assert_eq!(holds(&spec, &h, Condition::Quasi(k)), truth, "{discipline:?} {k} {ops:?}");
                    *counts.entry((k, truth)).or_insert(0) += 1;
                    if truth && least.is_none() {
                        least = Some(k);
                    }
                }
                if let Some(k) = least {
                    let d = distance(&spec, &h, None, &meter(), &mut Silent).unwrap();
                    assert_eq!(d, Distance::Exactly(k), "{ops:?}");
                }
            }
            let lin = holds(&Container::new(Discipline::Fifo), &h, Condition::Linearizable);
            assert_eq!(holds(&Container::new(Discipline::Fifo), &h, Condition::Quasi(0)), lin, "{ops:?}");
        });
        let kinds = register_kinds();
        fillings(&shape, &kinds, &kinds[..1], &mut |ops| {
            let h = recorded(&shape, |i| register_op(&ops[i].0), |i| i as i64);
            for k in 0..=2 {
                let truth = naive::quasi(&Register::default(), ops, k as usize);
                assert_eq!(holds(&Register::default(), &h, Condition::Quasi(k)), truth, "{k} {ops:?}");
            }
        });
    }
    assert_eq!(counts.len(), 6, "{counts:?}");
}

#[test]
fn quasi_by_definition_on_longer_sequences() {
    let spec = Container::new(Discipline::Fifo);
    let mut counts = BTreeMap::new();
    property(800, 16, |random| {
        // Two or three values, inserted and removed in any order, overlapping a little.
        let n = 2 + random.below(2);
        let mut ops: Vec<ContainerOp> =
            (1..=n as i64).flat_map(|v| [ContainerOp::Insert(int(v)), ContainerOp::Remove(int(v))]).collect();
        for i in (1..ops.len()).rev() {
            ops.swap(i, random.below(i + 1));
        }
        let mut spans: Vec<Interval> = Vec::new();
        for i in 0..ops.len() as u32 {
            spans.push(Interval { call: 4 * i, ret: 4 * i + 1 + 4 * random.below(2) as u32 + 1 });
        }
        let ops: Vec<(ContainerOp, Interval)> = ops.into_iter().zip(spans.clone()).collect();
        let h = recorded(&spans, |i| container_op(&ops[i].0), |i| i as i64);
        for k in 0..=3 {
            let truth = naive::quasi(&spec, &ops, k as usize);
            assert_eq!(holds(&spec, &h, Condition::Quasi(k)), truth, "{k} {ops:?}");
            *counts.entry((k, truth)).or_insert(0) += 1;
        }
    });
    assert_eq!(counts.len(), 8, "{counts:?}");
}

/// Definition 4 taken literally for a sequence: a legal permutation in which the insertions stay in their order
/// and no removal moves by more than `factor` among the removals.
fn literal(sequence: &[ContainerOp], factor: usize) -> bool {
    fn extend(sequence: &[ContainerOp], factor: usize, chosen: &mut Vec<usize>) -> bool {
        let spec = Container::new(Discipline::Fifo);
        if naive::run(&spec, &chosen.iter().map(|i| &sequence[*i]).collect::<Vec<_>>()).is_empty() {
            return false;
        }
        if chosen.len() == sequence.len() {
            return true;
        }
        let insert = |i: &usize| matches!(sequence[*i], ContainerOp::Insert(_));
        for i in 0..sequence.len() {
            let class = insert(&i);
            let rank = (0..i).filter(|j| insert(j) == class).count();
            let place = chosen.iter().filter(|j| insert(j) == class).count();
            if chosen.contains(&i) || rank.abs_diff(place) > if class { 0 } else { factor } {
                continue;
            }
            chosen.push(i);
            if extend(sequence, factor, chosen) {
                return true;
            }
            chosen.pop();
        }
        false
    }
    extend(sequence, factor, &mut Vec::new())
}

#[test]
fn the_automaton_is_definition_four_with_removals_after_insertions() {
    let mut counts = BTreeMap::new();
    property(6000, 8, |random| {
        let n = 2 + random.below(2) as i64;
        let mut ops: Vec<ContainerOp> =
            (1..=n).flat_map(|v| [ContainerOp::Insert(int(v)), ContainerOp::Remove(int(v))]).collect();
        for i in (1..ops.len()).rev() {
            ops.swap(i, random.below(i + 1));
        }
        let before = |v: i64| {
            let at = |op: &ContainerOp| ops.iter().position(|o| o == op).unwrap();
            at(&ContainerOp::Insert(int(v))) < at(&ContainerOp::Remove(int(v)))
        };
        for factor in 0..=2 {
            let automaton = !naive::run(&QuasiQueue { factor }, &ops.iter().collect::<Vec<_>>()).is_empty();
            let definition = literal(&ops, factor as usize);
            assert_eq!(automaton, definition && (1..=n).all(before), "{factor} {ops:?}");
            *counts.entry((automaton, definition)).or_insert(0) += 1;
        }
    });
    assert_eq!(counts.len(), 3, "{counts:?}");
}

/// Insertions one after the other, then removals one after the other.
fn filled(values: &[i64], removed: &[i64]) -> History {
    let ops: Vec<ContainerOp> = values
        .iter()
        .map(|v| ContainerOp::Insert(int(*v)))
        .chain(removed.iter().map(|v| ContainerOp::Remove(int(*v))))
        .collect();
    let spans: Vec<Interval> =
        (0..ops.len() as u32).map(|i| Interval { call: 2 * i, ret: 2 * i + 1 }).collect();
    recorded(&spans, |i| container_op(&ops[i]), |_| 0)
}

fn deq(k: u32) -> Condition {
    Condition::QuasiOf(vec![("deq".into(), k), ("enq".into(), 0)])
}

fn queue_holds(h: &History, condition: Condition) -> bool {
    holds(&Container::new(Discipline::Fifo), h, condition)
}

/// Figures 1 and 2: enq(1), enq(2); enq(3) by one thread while another does enq(4), deq(); then three removals.
fn figure_one(results: [i64; 4]) -> History {
    let mut b = Builder::new();
    for v in [1, 2] {
        b.call(0, 1, "enq", None, int(v)).unwrap();
        b.ret(0, 1, Some(Datum::Nil)).unwrap();
    }
    b.call(0, 2, "enq", None, int(3)).unwrap();
    b.call(0, 3, "enq", None, int(4)).unwrap();
    b.ret(0, 3, Some(Datum::Nil)).unwrap();
    b.call(0, 3, "deq", None, Datum::Nil).unwrap();
    b.ret(0, 3, Some(int(results[0]))).unwrap();
    b.ret(0, 2, Some(Datum::Nil)).unwrap();
    for v in &results[1..] {
        b.call(0, 1, "deq", None, Datum::Nil).unwrap();
        b.ret(0, 1, Some(int(*v))).unwrap();
    }
    b.finish()
}

#[test]
fn figures_one_and_two() {
    assert!(queue_holds(&figure_one([1, 2, 3, 4]), Condition::Linearizable));
    assert!(queue_holds(&figure_one([1, 2, 4, 3]), Condition::Linearizable));
    assert!(!queue_holds(&figure_one([3, 2, 1, 4]), Condition::Linearizable));
    assert!(queue_holds(&figure_one([3, 2, 1, 4]), deq(2)));
}

#[test]
fn figures_three_and_four() {
    for (removed, linearizable) in
        [([1, 2, 3, 4], true), ([2, 1, 3, 4], false), ([1, 2, 4, 3], false), ([2, 1, 4, 3], false)]
    {
        let h = filled(&[1, 2, 3, 4], &removed);
        assert_eq!(queue_holds(&h, Condition::Linearizable), linearizable);
        assert!(queue_holds(&h, deq(1)), "{removed:?}");
    }
    // Without the window an element is overtaken for ever.
    assert!(!queue_holds(&filled(&[1, 2, 3, 4], &[2, 3, 4, 1]), deq(1)));
    assert!(!queue_holds(&filled(&[1, 2, 3, 4], &[2, 3]), deq(1)), "1 must leave second, also when it stays");
}

#[test]
fn figure_seven_and_the_table_of_histories() {
    let histories = [[1, 2, 3], [2, 1, 3], [1, 3, 2], [3, 1, 2], [2, 3, 1], [3, 2, 1]];
    let accepted: Vec<bool> = histories.iter().map(|r| queue_holds(&filled(&[1, 2, 3], r), deq(1))).collect();
    assert_eq!(accepted, [true, true, true, false, false, false]);
    let distances: Vec<Distance> = histories
        .iter()
        .map(|r| {
            let h = filled(&[1, 2, 3], r);
            distance(&Container::new(Discipline::Fifo), &h, Some("deq"), &meter(), &mut Silent).unwrap()
        })
        .collect();
    assert_eq!(distances, [0, 1, 1, 2, 2, 2].map(Distance::Exactly));
    // With one factor for everything the insertions may move too: enq(3) before enq(2) explains 3, 1, 2.
    assert!(queue_holds(&filled(&[1, 2, 3], &[3, 1, 2]), Condition::Quasi(1)));
}

#[test]
fn out_of_thin_air() {
    let h = filled(&[3, 4, 5], &[4]);
    assert!(!queue_holds(&h, Condition::Linearizable));
    assert!(queue_holds(&h, deq(1)));
    assert!(queue_holds(&h, Condition::Quasi(1)));
    let never = filled(&[3, 5], &[4]);
    let spec = Container::new(Discipline::Fifo);
    assert_eq!(distance(&spec, &never, None, &meter(), &mut Silent), Ok(Distance::Never));
    assert_eq!(distance(&spec, &never, Some("deq"), &meter(), &mut Silent), Ok(Distance::Never));
}

#[test]
fn conditions_are_read_and_refused() {
    for text in ["linearizable", "quasi=2", "quasi=deq:2,enq:0", "sequential", "quiescent", "regular"] {
        assert_eq!(text.parse::<Condition>().unwrap().to_string(), text);
    }
    for text in ["", "quasi", "quasi=", "quasi=-1", "quasi=deq", "quasi=deq:x", "quasi=:1", "strict"] {
        assert!(text.parse::<Condition>().is_err(), "{text}");
    }
    let h = filled(&[1], &[1]);
    let refused = |spec: &Container, condition: Condition| {
        check(spec, &h, &Options { condition, ..Options::default() }, &meter(), &mut Silent).is_err()
    };
    assert!(refused(&Container::new(Discipline::Fifo), Condition::Regular));
    assert!(refused(&Container::new(Discipline::Lifo), deq(1)));
    assert!(refused(&Container::new(Discipline::Fifo), Condition::QuasiOf(vec![("enq".into(), 1)])));
    assert!(refused(&Container::new(Discipline::Fifo), Condition::QuasiOf(vec![("pop".into(), 1)])));
}

/// Keys tell objects apart that the specification does not, whatever is asked.
#[test]
fn keys_are_objects_of_their_own_under_every_condition() {
    let log = |second: i64| {
        let mut b = Builder::new();
        for (key, value) in [(1, 5), (2, 6)] {
            b.call(0, 0, "write", Some(int(key)), int(value)).unwrap();
            b.ret(0, 0, Some(Datum::Nil)).unwrap();
        }
        for (key, value) in [(1, 5), (2, second)] {
            b.call(0, 0, "read", Some(int(key)), Datum::Nil).unwrap();
            b.ret(0, 0, Some(int(value))).unwrap();
        }
        b.finish()
    };
    for condition in ["linearizable", "quiescent", "sequential", "regular", "quasi=0"] {
        let condition: Condition = condition.parse().unwrap();
        assert!(holds(&Register::default(), &log(6), condition.clone()), "{condition}");
        assert!(!holds(&Register::default(), &log(5), condition.clone()), "{condition}");
    }
    let d = |second| distance(&Register::default(), &log(second), None, &meter(), &mut Silent).unwrap();
    assert_eq!((d(6), d(5)), (Distance::Exactly(0), Distance::Never));
}

/// Failures of every condition are minimal by the definition of the condition, with a reason per operation.
#[test]
fn every_failure_has_a_smallest_part() {
    let mut seen = BTreeMap::new();
    let spec = Container::new(Discipline::Fifo);
    for shape in shapes(3) {
        fillings(&shape, &container_kinds(), &[ContainerOp::Insert(int(1))], &mut |ops| {
            let h = recorded(&shape, |i| container_op(&ops[i].0), |i| i as i64);
            for k in 0..=1u32 {
                let options = Options { condition: Condition::Quasi(k), ..Options::default() };
                let verdict = check(&spec, &h, &options, &meter(), &mut Silent).unwrap().verdict;
                let trueline_history::Verdict::Fails(failure) = verdict else { continue };
                assert!(failure.minimal);
                assert_eq!(failure.reasons.len(), failure.operations.len());
                let with = |kept: &[usize]| {
                    let free = |i: usize| {
                        if kept.contains(&i) { ops[i].1 } else { Interval { call: 0, ret: NEVER } }
                    };
                    let later = |s: Interval| Interval { call: s.call + 1, ret: s.ret.saturating_add(1) };
                    let ops: Vec<_> = (0..ops.len()).map(|i| (ops[i].0.clone(), later(free(i)))).collect();
                    naive::quasi(&spec, &ops, k as usize)
                };
                let kept: Vec<usize> = failure.operations.iter().map(|id| id.index()).collect();
                assert!(!with(&kept), "{ops:?} {kept:?}");
                for item in &kept {
                    let rest: Vec<usize> = kept.iter().copied().filter(|i| i != item).collect();
                    assert!(with(&rest), "{item} is not needed: {ops:?} {kept:?}");
                }
                *seen.entry((k, kept.len())).or_insert(0) += 1;
            }
        });
    }
    assert!(seen.len() > 3, "{seen:?}");
}

/// A removal that does not say what it took may have taken any value, so that none can be left out as if it had not
/// been there: with push(2) free, push(1); push(2); pop() = 2; pop() = 1 would do.
#[test]
fn values_stay_beside_a_removal_without_a_result() {
    let mut b = Builder::new();
    for (name, input, output) in [
        ("push", int(2), Some(Datum::Nil)),
        ("push", int(1), Some(Datum::Nil)),
        ("pop", Datum::Nil, None),
        ("pop", Datum::Nil, Some(int(1))),
    ] {
        b.call(0, 0, name, None, input).unwrap();
        b.ret(0, 0, output).unwrap();
    }
    let h = b.finish();
    let spec = Container::new(Discipline::Lifo);
    for condition in [Condition::Linearizable, Condition::Sequential] {
        let options = Options { condition: condition.clone(), ..Options::default() };
        let verdict = check(&spec, &h, &options, &meter(), &mut Silent).unwrap().verdict;
        let trueline_history::Verdict::Fails(failure) = verdict else { panic!("{condition}: {verdict:?}") };
        assert!(failure.minimal && failure.operations.len() == 4, "{condition}: {failure:?}");
    }
}
