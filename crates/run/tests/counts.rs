//! Numbers of executions that must come out exactly.

use std::path::Path;
use std::time::Duration;

use trueline_base::{Limits, Meter};
use trueline_run::compile::{Build, Folder, build, find, is_cpp};
use trueline_run::explore::{Execution, Explorer};
use trueline_run::harness;
use trueline_run::player::Player;
use trueline_run::scenario::Scenario;
use trueline_run::search::{Counts, Ended, Settings, Visitor, search};

struct Nothing;
impl Visitor for Nothing {
    fn reset(&mut self) {}
    fn visit(&mut self, _: &Explorer, e: &Execution) -> bool {
        if let trueline_run::explore::Outcome::Found(f) = &e.outcome { eprintln!("{f:?}"); }
        true
    }
}

fn count(file: &str, compiler: Option<&str>, level: &str, scenario: &str) -> (Counts, Option<Ended>) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    let compiler = find(is_cpp(&source).unwrap(), compiler).unwrap();
    let folder = Folder::new().unwrap();
    let program = build(&compiler, &Build { source, level: level.into(), flags: vec![] }, &folder).unwrap();
    let harness = harness::read(&program).unwrap();
    let mut player = Player::start(&program, Duration::from_secs(5)).unwrap();
    let scenario = Scenario::parse(scenario, &harness).unwrap();
    let meter = Meter::start(Limits::default());
    let t = std::time::Instant::now();
    let r = search(&mut player, &harness, &scenario, Settings::default(), &meter, &mut Nothing);
    eprintln!("{file} {level} {r:?} {:?}", t.elapsed());
    r
}

#[test]
fn treiber() {
    for c in ["clang++", "g++"] {
        for l in ["-O0", "-O2"] {
            count("objects/cpp/treiber.cpp", Some(c), l, "push(1) | push(2) | pop");
            count("objects/cpp/treiber.cpp", Some(c), l, "push(1) pop | push(2) pop");
        }
    }
}
