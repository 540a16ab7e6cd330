//! Limits end in `Unknown`, also inside one huge step.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use trueline_base::{Limits, Meter, Silent, Stop};
use trueline_history::generate::{ObjectKind, Plan, history};
use trueline_history::spec::{Container, Discipline, Next, Register, Spec};
use trueline_history::{Builder, Call, Condition, Datum, History, Options, Undecided, Verdict, check};

fn stopped<S: Spec>(spec: &S, h: &History, condition: Condition, limits: Limits) -> Stop {
    let options = Options { monitors: false, condition, ..Options::default() };
    match check(spec, h, &options, &Meter::start(limits), &mut Silent).unwrap().verdict {
        Verdict::Unknown(Undecided { stop: Some(stop), why, .. }) => {
            assert!(!why.is_empty());
            stop
        }
        other => panic!("{other:?}"),
    }
}

fn plan(object: ObjectKind) -> History {
    history(&Plan { object, operations: 20_000, clients: 8, values: 0, crashes: 0, spoiled: false, seed: 4 })
}

#[test]
fn every_limit_stops_a_search() {
    let register = plan(ObjectKind::Register);
    let spec = Register::default();
    let lin = Condition::Linearizable;
    assert_eq!(
        stopped(&spec, &register, lin.clone(), Limits { states: Some(2000), ..Limits::default() }),
        Stop::States
    );
    assert_eq!(
        stopped(&spec, &register, lin.clone(), Limits { memory: Some(300_000), ..Limits::default() }),
        Stop::Memory
    );
    let time = Limits { time: Some(Duration::ZERO), ..Limits::default() };
    assert_eq!(stopped(&spec, &register, lin.clone(), time), Stop::Time);
    let cancel = Limits { cancel: Some(Arc::new(AtomicBool::new(true))), ..Limits::default() };
    assert_eq!(stopped(&spec, &register, lin, cancel), Stop::Interrupted);
    let queue = plan(ObjectKind::Queue);
    let spec = Container::new(Discipline::Fifo);
    for condition in [Condition::Quasi(3), Condition::Sequential, Condition::QuasiOf(vec![("deq".into(), 2)])]
    {
        let limits = Limits { states: Some(3000), ..Limits::default() };
        assert_eq!(stopped(&spec, &queue, condition, limits), Stop::States);
    }
}

/// An object one operation of which has endlessly many outcomes.
struct Endless;

impl Spec for Endless {
    type Op = ();
    type State = u64;
    fn name(&self) -> String {
        "endless".into()
    }
    fn decode(&self, _: &Call<'_>) -> Result<(), String> {
        Ok(())
    }
    fn initial(&self) -> u64 {
        0
    }
    fn step(&self, state: &u64, (): &(), next: &mut Next<'_, u64>) {
        let mut n = *state;
        while next.working() {
            n += 1;
            next.push(n);
        }
    }
}

#[test]
fn a_limit_holds_inside_one_step() {
    let mut b = Builder::new();
    b.call(0, 0, "x", None, Datum::Nil).unwrap();
    b.ret(0, 0, Some(Datum::Nil)).unwrap();
    let h = b.finish();
    let limits = Limits { memory: Some(1 << 20), ..Limits::default() };
    assert_eq!(stopped(&Endless, &h, Condition::Linearizable, limits), Stop::Memory);
}

/// An object with an operation that never succeeds, and that ends the time which is left when it is tried once more
/// than the first search tries it.
struct Doomed(Arc<AtomicBool>, AtomicU32);

impl Spec for Doomed {
    type Op = bool;
    type State = u32;
    fn name(&self) -> String {
        "doomed".into()
    }
    fn decode(&self, call: &Call<'_>) -> Result<bool, String> {
        Ok(call.name == "doomed")
    }
    fn initial(&self) -> u32 {
        0
    }
    fn step(&self, state: &u32, doomed: &bool, next: &mut Next<'_, u32>) {
        match doomed {
            true => {
                let tried = self.1.fetch_add(1, Ordering::Relaxed);
                self.0.store(tried >= 13, Ordering::Relaxed);
            }
            false => next.push(state + 1),
        }
    }
}

/// Equal operations make the first search short and the confirming one long.
#[test]
fn a_decided_failure_is_not_lost_to_its_explanation() {
    for (returns, condition) in
        [(false, Condition::Linearizable), (true, Condition::Linearizable), (false, Condition::Quiescent)]
    {
        let mut b = Builder::new();
        for process in 0..12 {
            b.call(0, process, "fine", None, Datum::Nil).unwrap();
        }
        b.call(0, 12, "doomed", None, Datum::Nil).unwrap();
        b.ret(0, 12, Some(Datum::Nil)).unwrap();
        for process in 0..if returns { 12 } else { 0 } {
            b.ret(0, process, Some(Datum::Nil)).unwrap();
        }
        let cancel = Arc::new(AtomicBool::new(false));
        let limits = Limits { cancel: Some(cancel.clone()), ..Limits::default() };
        let options = Options { monitors: false, condition, ..Options::default() };
        let doomed = Doomed(cancel, AtomicU32::new(0));
        let report = check(&doomed, &b.finish(), &options, &Meter::start(limits), &mut Silent).unwrap();
        let Verdict::Fails(failure) = report.verdict else { panic!("{:?}", report.verdict) };
        assert_eq!((failure.minimal, failure.cut), (false, Some(Stop::Interrupted)));
        // Where the second search is short it ends all the same.
        assert_eq!(failure.confirmed, !returns);
        assert_eq!(failure.operations.len(), 13);
    }
}

#[test]
fn answers_do_not_depend_on_the_run() {
    let plan = Plan {
        object: ObjectKind::Stack,
        operations: 60,
        clients: 4,
        values: 3,
        crashes: 20,
        spoiled: true,
        seed: 9,
    };
    let once = || {
        let h = history(&plan);
        let spec = Container::new(Discipline::Lifo);
        format!("{:?}", check(&spec, &h, &Options::default(), &Meter::start(Limits::default()), &mut Silent))
    };
    assert_eq!(once(), once());
}
