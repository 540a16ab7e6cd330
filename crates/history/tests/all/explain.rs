//! What is told of a failure: duplicates, long logs with few values, every part that fails.

use crate::common::meter;
use trueline_base::Silent;
use trueline_history::check::named;
use trueline_history::generate::{ObjectKind, Plan, Random, history};
use trueline_history::{Builder, Datum, Engine, Failure, History, Options, Report, Verdict};

fn ask(spec: &str, history: &History) -> Report {
    named(spec).unwrap().check(history, &Options::default(), &meter(), &mut Silent).unwrap()
}

fn failure(report: Report) -> Failure {
    match report.verdict {
        Verdict::Fails(failure) => *failure,
        other => panic!("{other:?}"),
    }
}

/// Whatever else happens, a value that was put in once comes out once. No search looks at the thousands of others.
#[test]
fn duplicate_delivery_is_decided_by_the_monitors() {
    for (object, spec, remove, engine) in [
        (ObjectKind::Queue, "queue", "deq", Engine::QueueMonitor),
        (ObjectKind::Stack, "stack", "pop", Engine::StackMonitor),
        (ObjectKind::PriorityQueue, "priority-queue", "poll", Engine::PriorityQueueMonitor),
    ] {
        // With distinct values, and with values that are put in several times.
        for values in [0, 10] {
            let plan =
                Plan { object, operations: 20_000, clients: 8, values, crashes: 0, spoiled: false, seed: 5 };
            let mut made = history(&plan);
            let is_removal = |i: &usize| made.name(&made.ops[*i]) == remove;
            let removals: Vec<usize> = (0..made.ops.len()).filter(is_removal).collect();
            let taken = removals
                .iter()
                .find(|i| {
                    made.output(trueline_history::OpId(**i as u32))
                        != trueline_history::Output::Known(Datum::Nil)
                })
                .copied()
                .unwrap();
            // Everything that is removed is now this value.
            for i in &removals {
                if values > 0 || *i == removals[removals.len() / 2] {
                    made.ops[*i].output = made.ops[taken].output;
                }
            }
            let report = ask(spec, &made);
            assert_eq!(report.engines, [(engine, 1)], "{spec}");
            assert_eq!(report.configurations, 0);
            let failure = failure(report);
            assert!(failure.sentence.contains("times, but was put in"), "{}", failure.sentence);
            assert!(failure.confirmed);
            if values == 0 {
                let names: Vec<String> = failure.operations.iter().map(|id| made.show(*id)).collect();
                assert_eq!((names.len(), failure.minimal), (2, true), "{names:?}");
            }
        }
    }
}

/// A register with five values, of which one is read when it cannot be there.
fn stale_read(operations: usize) -> History {
    let mut random = Random::new(operations as u64);
    let mut log = Builder::new();
    let mut value = 0i64;
    for i in 0..operations as i64 {
        let process = i % 3;
        if random.one_in(2) {
            value = (value + 1 + random.below(3) as i64) % 5;
            log.call(0, process, "write", None, value.into()).unwrap();
            log.ret(0, process, Some(().into())).unwrap();
        } else {
            log.call(0, process, "read", None, ().into()).unwrap();
            let seen = if i as usize == operations / 2 { (value + 4) % 5 } else { value };
            log.ret(0, process, Some(seen.into())).unwrap();
        }
        if i == 0 {
            log.call(0, 7, "write", None, 0.into()).unwrap();
        }
    }
    log.finish()
}

#[test]
fn a_long_failure_tells_where_every_order_ends() {
    let made = (600..).map(stale_read).find(|h| ask("register(0)", h).verdict.fails()).unwrap();
    let failure = failure(ask("register(0)", &made));
    assert!(failure.operations.len() > 24, "{}", failure.operations.len());
    let impasse = failure.impasse.expect("the part is long");
    // Only the write that never returned could have come before it.
    assert_eq!(impasse.open.len(), 1);
    assert_eq!(made.show(impasse.open[0].operation), "write(0) = ?");
    assert_eq!(impasse.open[0].fits, impasse.states.len());
    let blocked = made.op(impasse.blocked.operation);
    assert_eq!(made.name(blocked), "read");
    assert_eq!(impasse.blocked.fits, 0);
    let answered = made.show(impasse.blocked.operation);
    for state in &impasse.states {
        assert!(impasse.blocked.needs.contains(&format!("must answer {state}")), "{impasse:?}");
        assert_ne!(answered, format!("read() = {state}"));
    }
    // What comes later plays no part.
    assert!(failure.operations.iter().all(|id| made.op(*id).call < blocked.ret));
}

#[test]
fn every_part_that_fails_is_listed() {
    let mut log = Builder::new();
    for key in 0..6i64 {
        log.call(0, 0, "put", Some(key.into()), 1.into()).unwrap();
        log.ret(0, 0, Some(().into())).unwrap();
        log.call(0, 0, "get", Some(key.into()), ().into()).unwrap();
        log.ret(0, 0, Some((1 + key % 2).into())).unwrap();
    }
    let failure = failure(ask("kv", &log.finish()));
    assert_eq!(failure.part, Some(Datum::Int(1)));
    assert_eq!(failure.also, [Datum::Int(3), Datum::Int(5)]);
    assert_eq!(failure.undecided, 0);
}

/// Of a long part that need not be minimal, the sentence is about the return that cannot be explained.
#[test]
fn the_sentence_is_about_what_cannot_be_explained() {
    let plan = |seed| Plan {
        object: ObjectKind::Register,
        operations: 4000,
        clients: 5,
        values: 5,
        crashes: 0,
        spoiled: true,
        seed,
    };
    let mut told = 0;
    for seed in 0..6 {
        let history = history(&plan(seed));
        let report = named("register").unwrap().check(&history, &Options::default(), &meter(), &mut Silent);
        let Verdict::Fails(failure) = report.unwrap().verdict else { continue };
        let Some(impasse) = failure.impasse.filter(|_| !failure.minimal) else { continue };
        let trueline_history::Output::Known(read) = history.output(impasse.blocked.operation) else {
            continue;
        };
        assert!(failure.sentence.starts_with(&format!("{read} is read")), "{}", failure.sentence);
        told += 1;
    }
    assert!(told > 0);
}
