//! Every interleaving of Rust objects and of programs with their own `main`, against execution graphs.

use std::time::Duration;

use trueline_base::{Limits, Meter};
use trueline_run::compile::{Build, Folder, build, compiler_of};
use trueline_run::harness;
use trueline_run::naive::every;
use trueline_run::player::Player;
use trueline_run::program;
use trueline_run::scenario::Scenario;
use trueline_run::search::{Settings, search};

use crate::common::{All, compilers, root};

const PATIENCE: Duration = Duration::from_secs(20);

#[test]
fn rust_objects_show_what_every_interleaving_shows() {
    let rows = [
        ("treiber", "push(1) | pop"),
        ("treiber", "push(1) | push(2)"),
        ("ms_queue", "enq(1) | deq"),
        ("locked", "enq(1) | deq"),
        ("lossy", "push(1) | pop"),
    ];
    for (target, scenario) in rows {
        let folder = Folder::new().unwrap();
        let source = root().join(format!("objects/rust/tests/{target}.rs"));
        let compiler = compiler_of(&source, None).unwrap();
        let wanted = Build { source, level: "-O2".into(), flags: Vec::new(), main: false, shim: false };
        let program = build(&compiler, &wanted, &folder).unwrap();
        let harness = harness::read(&program).unwrap();
        let Ok(scenario) = Scenario::parse(scenario, &harness) else { panic!("{target} {scenario}") };
        let settings = Settings::default();
        let mut player = Player::start(&program, PATIENCE).unwrap();
        let seen = every(&mut player, &harness, &scenario, settings, 200_000)
            .unwrap_or_else(|| panic!("{target} has too many interleavings"));
        let (mut all, meter) = (All::default(), Meter::start(Limits::default()));
        let (_, ended) = search(&mut player, &harness, &scenario, settings, &meter, &mut all);
        assert_eq!(ended, None, "{target}");
        assert!(seen.runs > 1, "{target}");
        assert_eq!(all.histories, seen.histories, "{target}, {} interleavings", seen.runs);
        assert_eq!((all.findings, all.stuck), (seen.findings, seen.stuck), "{target}");
    }
}

#[test]
fn programs_with_their_own_main_show_what_every_interleaving_shows() {
    compilers();
    for what in [1, 2, 3, 5] {
        let folder = Folder::new().unwrap();
        let source = root().join("crates/run/tests/programs/own_main.cpp");
        let compiler = compiler_of(&source, None).unwrap();
        let flags = vec![format!("-DWHAT={what}"), "-std=c++17".into()];
        let wanted = Build { source, level: "-O1".into(), flags, main: true, shim: false };
        let program = build(&compiler, &wanted, &folder).unwrap();
        let settings = Settings { main: true, quiet: true, ..Settings::default() };
        let mut player = Player::start(&program, PATIENCE).unwrap();
        let own = program::learn(&mut player, settings).unwrap();
        let Some(seen) = every(&mut player, &own.harness, &own.scenario, settings, 60_000) else { continue };
        let (mut all, meter) = (All::default(), Meter::start(Limits::default()));
        let (_, ended) = search(&mut player, &own.harness, &own.scenario, settings, &meter, &mut all);
        assert_eq!(ended, None, "{what}");
        assert_eq!(
            (&all.findings, all.stuck),
            (&seen.findings, seen.stuck),
            "{what}, {} interleavings",
            seen.runs
        );
        let answers = |h: &std::collections::BTreeSet<(Vec<u64>, Vec<Vec<u64>>)>| {
            h.iter().map(|(_, answers)| answers.clone()).collect::<std::collections::BTreeSet<_>>()
        };
        assert_eq!(answers(&all.histories), answers(&seen.histories), "{what}");
    }
}
