//! What several workers see must be what one sees.

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use trueline_base::{Limits, Meter, Stop};
use trueline_run::explore::{Execution, Explorer};
use trueline_run::order::Model;
use trueline_run::scenario::Scenario;
use trueline_run::search::{Counts, Ended, Settings, Visitor, search};

use crate::common::asked::request;
use crate::common::{All, Program, root};

const QUEUE: &str = "enq(1) deq | enq(2) deq | enq(3) deq";

/// Everything that is seen of a scenario, with so many workers.
fn seen(program: &mut Program, scenario: &str, jobs: usize) -> (Counts, Option<Ended>, All) {
    program.settings.jobs = jobs;
    let mut all = All::default();
    let (counts, ended) = program.explore(scenario, &mut all);
    // Which runs are left out, and which come before memory is known to be shared, depends on who is where.
    (Counts { runs: 0, recalled: 0, ..counts }, ended, all)
}

#[test]
fn executions_do_not_depend_on_the_number_of_workers() {
    let rows = [
        ("objects/cpp/ms_queue.cpp", QUEUE, Settings::default()),
        ("objects/cpp/ms_queue.cpp", QUEUE, Settings { model: Model::C11, ..Settings::default() }),
        ("objects/cpp/ms_queue.cpp", "enq(1) deq | enq(2) deq | deq [deq]", Settings::default()),
        (
            "objects/libraries/boost_queue.cpp",
            "enq(1) deq | enq(2) deq",
            Settings { cut: false, ..Settings::default() },
        ),
        ("objects/cpp/treiber_free.cpp", "push(1) pop | push(2) pop | push(3) pop", Settings::default()),
        ("objects/cpp/kstack.cpp", "push(1) pop | push(2) pop | pop [pop]", Settings::default()),
    ];
    for (file, scenario, settings) in rows {
        let mut program = Program::build(file, "clang++", "-O2", &[]);
        program.settings = settings;
        let (counts, ended, all) = seen(&mut program, scenario, 1);
        assert!(counts.complete + counts.cut > 1000, "{file}: one worker is enough for {counts:?}");
        for jobs in [2, 4] {
            let (same, ended_too, others) = seen(&mut program, scenario, jobs);
            assert_eq!((counts, &ended), (same, &ended_too), "{file} {jobs}");
            assert_eq!(all.histories, others.histories, "{file} {jobs}");
            assert_eq!(
                (&all.findings, all.stuck, all.graphs.len(), 0),
                (&others.findings, others.stuck, others.graphs.len(), others.twice),
                "{file} {jobs}"
            );
        }
    }
}

/// The failure that is told, with its steps, is that of one worker.
#[test]
fn failures_do_not_depend_on_the_number_of_workers() {
    let rows = [
        ("objects/cpp/treiber_free.cpp", "push(1) pop | push(2) pop | push(3) pop"),
        ("objects/cpp/kstack.cpp", "push(1) pop pop | push(2) pop | push(3)"),
    ];
    for (file, scenario) in rows {
        let told: BTreeSet<String> = [1, 2, 4]
            .into_iter()
            .map(|jobs| {
                let asked = trueline_run::test::Request {
                    scenario: Some(scenario.into()),
                    levels: vec!["-O2".into()],
                    settings: Settings { jobs, ..Settings::default() },
                    ..request(root().join(file))
                };
                let meter = Meter::start(Limits::default());
                let tested = trueline_run::test::test(&asked, &meter, &mut trueline_base::Silent).unwrap();
                match tested.verdict {
                    trueline_base::Verdict::Fails(failures) => {
                        format!("{} {:?}", failures.first.kind.word(), failures.first.steps)
                    }
                    other => panic!("{file}: {other:?}"),
                }
            })
            .collect();
        assert_eq!(told.len(), 1, "{file}: {told:?}");
    }
}

/// Says that something is wrong after so many executions.
struct Fails {
    after: u64,
    seen: u64,
    resets: u64,
    aside: u64,
}

impl Visitor for Fails {
    fn reset(&mut self) {
        (self.seen, self.resets) = (0, self.resets + 1);
    }

    fn visit(&mut self, _: &Explorer, _: &Execution) -> bool {
        self.seen += 1;
        true
    }

    fn failed(&self) -> bool {
        self.seen > self.after
    }

    fn set_aside(&mut self) {
        self.aside += 1;
        self.reset();
    }
}

#[test]
fn one_worker_searches_again_where_several_see_that_something_is_wrong() {
    let mut program = Program::build("objects/cpp/ms_queue.cpp", "clang++", "-O2", &[]);
    program.settings.jobs = 2;
    let scenario = Scenario::parse(QUEUE, &program.harness).unwrap();
    for (after, aside) in [(10, 0), (1300, 1), (u64::MAX, 0)] {
        let mut fails = Fails { after, seen: 0, resets: 0, aside: 0 };
        let meter = Meter::start(Limits::default());
        let (counts, ended) =
            search(&mut program.player, &program.harness, &scenario, program.settings, &meter, &mut fails);
        assert_eq!((ended, counts.complete, counts.cut), (None, 1368, 18_192), "{after}");
        assert_eq!(fails.aside, aside, "{after}");
    }
}

/// Ends the search from outside after so many executions.
struct Interrupts(u64, Arc<AtomicBool>);

impl Visitor for Interrupts {
    fn reset(&mut self) {
        self.0 = 0;
    }

    fn visit(&mut self, _: &Explorer, _: &Execution) -> bool {
        self.0 += 1;
        self.1.store(self.0 > 1300, Ordering::Relaxed);
        true
    }
}

#[test]
fn limits_end_all_workers() {
    let mut program = Program::build("objects/cpp/ms_queue.cpp", "clang++", "-O2", &[]);
    program.settings.jobs = 2;
    let scenario = Scenario::parse(QUEUE, &program.harness).unwrap();
    let cancel = Arc::new(AtomicBool::new(false));
    let meter = Meter::start(Limits { cancel: Some(cancel.clone()), ..Limits::default() });
    let mut visitor = Interrupts(0, cancel);
    let (counts, ended) =
        search(&mut program.player, &program.harness, &scenario, program.settings, &meter, &mut visitor);
    assert_eq!(ended, Some(Ended::Limit(Stop::Interrupted)));
    assert!((1300..19_560).contains(&(counts.complete + counts.cut)), "{counts:?}");
    // The players have nothing left to do, and can be used again.
    assert_eq!(program.complete("enq(1) deq | enq(2) deq"), 16);
}

/// Ends a player from outside after so many executions, and sees everything.
struct Kills {
    all: All,
    player: Option<u32>,
    after: u64,
    seen: u64,
}

impl Visitor for Kills {
    fn reset(&mut self) {
        self.all.reset();
    }

    fn visit(&mut self, explorer: &Explorer, execution: &Execution) -> bool {
        self.seen += 1;
        if self.seen > self.after
            && let Some(player) = self.player.take()
        {
            assert!(Command::new("kill").args(["-9", &player.to_string()]).status().unwrap().success());
        }
        self.all.visit(explorer, execution)
    }
}

fn runs(process: u32) -> bool {
    std::fs::exists(format!("/proc/{process}")).unwrap()
}

/// Nothing hangs, nothing is lost, nothing is left running.
#[test]
fn a_player_that_is_killed_is_replaced() {
    let mut program = Program::build("objects/cpp/ms_queue.cpp", "clang++", "-O2", &[]);
    program.settings.jobs = 4;
    let scenario = Scenario::parse(QUEUE, &program.harness).unwrap();
    let (_, _, expected) = seen(&mut program, QUEUE, 4);
    let mut ever = BTreeSet::from_iter(program.player.processes());
    assert_eq!(ever.len(), 4);
    // Of the first worker while it is alone, and of two others while all explore.
    for (which, after) in [(0, 100), (0, 1100), (2, 1100), (3, 1300)] {
        let players = program.player.processes();
        let mut kills = Kills { all: All::default(), player: Some(players[which]), after, seen: 0 };
        let meter = Meter::start(Limits::default());
        let (counts, ended) =
            search(&mut program.player, &program.harness, &scenario, program.settings, &meter, &mut kills);
        assert_eq!(kills.player, None, "{which} {after}");
        assert_eq!((ended, counts.complete, counts.cut), (None, 1368, 18_192), "{which} {after}");
        assert_eq!(kills.all.histories, expected.histories, "{which} {after}");
        assert_eq!((kills.all.graphs.len(), kills.all.twice), (expected.graphs.len(), 0), "{which} {after}");
        assert!(!runs(players[which]), "{which} {after}");
        ever.extend(program.player.processes());
    }
    assert!(ever.len() > 4, "{ever:?}");
    drop(program);
    assert!(!ever.iter().any(|process| runs(*process)), "{ever:?}");
}

/// A visitor that panics is a bug, and ends all workers rather than leaving them behind.
#[test]
fn a_panic_ends_all_workers() {
    struct Panics(u64);
    impl Visitor for Panics {
        fn reset(&mut self) {}
        fn visit(&mut self, _: &Explorer, _: &Execution) -> bool {
            self.0 += 1;
            assert!(self.0 < 1300, "planted");
            true
        }
    }
    let mut program = Program::build("objects/cpp/ms_queue.cpp", "clang++", "-O2", &[]);
    program.settings.jobs = 2;
    let scenario = Scenario::parse(QUEUE, &program.harness).unwrap();
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let meter = Meter::start(Limits::default());
        search(&mut program.player, &program.harness, &scenario, program.settings, &meter, &mut Panics(0))
    }));
    assert!(panicked.is_err());
}
