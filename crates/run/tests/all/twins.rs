//! Every interleaving of programs with their own `main`, against execution graphs.

use std::time::Duration;

use trueline_base::{Limits, Meter};
use trueline_run::compile::{Build, Folder, build, compiler_of};
use trueline_run::naive::every;
use trueline_run::player::Player;
use trueline_run::program;
use trueline_run::search::{Settings, search};

use crate::common::{All, compilers, root};

const PATIENCE: Duration = Duration::from_secs(20);

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
