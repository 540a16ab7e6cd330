//! What the tests share: programs that are built and started, and visitors.

pub mod asked;

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

use trueline_base::{Limits, Meter};
use trueline_run::boundary::Boundaries;
use trueline_run::compile::{Build, Folder, build, compiler_of, find, is_cpp};
use trueline_run::dpor::{Classes, classes};
use trueline_run::explore::{Execution, Explorer, Outcome};
use trueline_run::graph::{Graph, INIT};
use trueline_run::harness::{self, Harness};
use trueline_run::judge::answers;
use trueline_run::kind::Kind;
use trueline_run::naive::{Seen, every};
use trueline_run::player::Player;
use trueline_run::scenario::Scenario;
use trueline_run::search::{Counts, Ended, Settings, Visitor, search};

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Makes sure that a compiler and the libraries are there: installs Debian's packages when one is missing.
///
/// # Panics
/// When it cannot.
pub fn compilers() {
    static ONCE: Mutex<bool> = Mutex::new(false);
    let mut done = ONCE.lock().unwrap();
    let there = || {
        let compiler = Command::new("clang++").arg("--version").output().is_ok_and(|o| o.status.success());
        let headers = ["/usr/include/boost/lockfree/queue.hpp", "/usr/include/ck_ring.h"];
        compiler && headers.iter().all(|h| Path::new(h).exists())
    };
    if *done || there() {
        return;
    }
    eprintln!("installing clang, boost and Concurrency Kit with apt-get for the tests of real code");
    // An installation that was interrupted before would refuse every other one.
    let _ = Command::new("dpkg").args(["--configure", "-a"]).output();
    let install = vec!["install", "-y", "clang", "libboost-dev", "libck-dev"];
    for arguments in [vec!["update"], vec!["--fix-broken", "install", "-y"], install] {
        let _ = Command::new("apt-get")
            .args(["-o", "DPkg::Lock::Timeout=600", "-o", "Acquire::Retries=3"])
            .args(&arguments)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .output();
    }
    assert!(
        there(),
        "the tests of real code need Debian's packages clang, libboost-dev and libck-dev, and they could not be installed"
    );
    *done = true;
}

/// Random numbers.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

/// A program that plays.
pub struct Program {
    pub harness: Harness,
    pub player: Player,
    pub settings: Settings,
    path: PathBuf,
    _folder: Folder,
}

impl Program {
    /// Builds a file of the repository.
    pub fn build(file: &str, compiler: &str, level: &str, flags: &[&str]) -> Program {
        compilers();
        let source = root().join(file);
        let compiler = find(is_cpp(&source).unwrap(), Some(compiler)).unwrap();
        let folder = Folder::new().unwrap();
        let flags = flags.iter().map(|f| f.to_string()).collect();
        let program = build(
            &compiler,
            &Build { source, level: level.into(), flags, main: false, shim: false },
            &folder,
        )
        .unwrap();
        Program::start(&program, folder)
    }

    /// Builds a test target of `objects/rust`.
    pub fn rust(target: &str, level: &str) -> Program {
        let source = root().join(format!("objects/rust/tests/{target}.rs"));
        let (compiler, folder) = (compiler_of(&source, None).unwrap(), Folder::new().unwrap());
        let wanted = Build { source, level: level.into(), flags: Vec::new(), main: false, shim: false };
        let program = build(&compiler, &wanted, &folder).unwrap();
        Program::start(&program, folder)
    }

    fn start(program: &Path, folder: Folder) -> Program {
        let harness = harness::read(program).unwrap();
        let player = Player::start(program, Duration::from_secs(20)).unwrap();
        let path = program.to_path_buf();
        Program { harness, player, settings: Settings::default(), path, _folder: folder }
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Runs every interleaving, unless there are more than so many.
    pub fn every(&mut self, scenario: &str, most: u64) -> Option<Seen> {
        let scenario = Scenario::parse(scenario, &self.harness).unwrap();
        every(&mut self.player, &self.harness, &scenario, self.settings, most)
    }

    /// Runs one interleaving of each class, unless there are more than so many.
    pub fn classes(&mut self, scenario: &str, most: u64) -> Option<Classes> {
        let scenario = Scenario::parse(scenario, &self.harness).unwrap();
        classes(&mut self.player, &self.harness, &scenario, self.settings, most)
    }

    /// Explores a scenario.
    pub fn explore(&mut self, scenario: &str, all: &mut All) -> (Counts, Option<Ended>) {
        let scenario = Scenario::parse(scenario, &self.harness).unwrap();
        let meter = Meter::start(Limits::default());
        search(&mut self.player, &self.harness, &scenario, self.settings, &meter, all)
    }

    /// The number of complete executions.
    pub fn complete(&mut self, scenario: &str) -> u64 {
        let (counts, ended) = self.explore(scenario, &mut All::default());
        assert_eq!(ended, None);
        assert_eq!((counts.stuck, counts.found, counts.long), (0, 0, 0), "{scenario}: {counts:?}");
        counts.complete
    }
}

/// Collects everything that executions show.
#[derive(Default)]
pub struct All {
    pub histories: BTreeSet<(Vec<u64>, Vec<Vec<u64>>)>,
    pub findings: BTreeSet<Kind>,
    pub stuck: bool,
    pub graphs: HashSet<String>,
    pub twice: u64,
}

/// A graph as text that does not depend on the order in which its events were added.
fn canonical(graph: &Graph) -> String {
    let name = |id| match id {
        INIT => "init".to_string(),
        id => format!("{}.{}", graph.event(id).thread, graph.event(id).index),
    };
    let mut parts = Vec::new();
    for thread in &graph.threads {
        for id in thread {
            let e = graph.event(*id);
            parts.push(format!(
                "{}{}:{}:{}",
                name(*id),
                if e.write { "w" } else { "r" },
                e.action,
                name(e.rf)
            ));
        }
    }
    let mut co: Vec<String> = graph
        .co
        .iter()
        .filter(|(_, writes)| !writes.is_empty())
        .map(|(loc, writes)| {
            format!("{loc}={}", writes.iter().map(|w| name(*w)).collect::<Vec<_>>().join("<"))
        })
        .collect();
    co.sort();
    format!("{} | {}", parts.join(" "), co.join(" "))
}

impl Visitor for All {
    fn reset(&mut self) {
        *self = All::default();
    }

    fn visit(&mut self, _: &Explorer, execution: &Execution) -> bool {
        match &execution.outcome {
            Outcome::Complete => {
                let answers = answers(execution);
                let words = [answers.threads, answers.alone].concat();
                for before in Boundaries::of(execution).histories(true) {
                    self.histories.insert((before, words.clone()));
                }
                self.twice += u64::from(!self.graphs.insert(canonical(&execution.graph)));
            }
            Outcome::Stuck { .. } => self.stuck = true,
            Outcome::Found(found) => drop(self.findings.insert(found.kind)),
            _ => {}
        }
        true
    }
}
