//! `cargo xtask bench real`: executions of real objects per CPU second, and the same tests under loom and shuttle.
//!
//! Exploring only: the object is built before, and no history is decided. CPU seconds are those of the explorer and of its
//! players, over several explorations of the same scenario on one player. loom and shuttle (`peers/loom-shuttle`) run the
//! same tests on the same algorithms in the same run, each for at most a minute. The aims: MS 3x2 in under 0.1 CPU s;
//! 50,000 executions per second of C++, 150,000 of Rust; two workers 1.7 times as fast; a tenth of loom's time.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use crate::usage::{children_seconds, own_seconds};
use trueline_base::{Limits, Meter};
use trueline_run::compile::{Build, Folder, build, compiler_of};
use trueline_run::explore::{Execution, Explorer};
use trueline_run::harness;
use trueline_run::order::Model;
use trueline_run::player::Player;
use trueline_run::scenario::Scenario;
use trueline_run::search::{Counts, PATIENCE, Settings, Visitor, search};

const STACK_2X2: &str = "push(1) pop | push(2) pop";
const STACK_3X2: &str = "push(1) pop | push(2) pop | push(3) pop";
const QUEUE_2X2: &str = "enq(1) deq | enq(2) deq";
const QUEUE_3X2: &str = "enq(1) deq | enq(2) deq | enq(3) deq";

const STACK_3X1: &str = "push(1) | push(2) | pop";
const QUEUE_3X1: &str = "enq(1) | enq(2) | deq";

/// A test.
struct Row {
    name: &'static str,
    file: &'static str,
    scenario: &'static str,
    /// Whether retries are left out.
    cut: bool,
    /// How often it is explored.
    times: u32,
    /// What loom and shuttle are asked for the same test.
    peer: Option<[&'static str; 2]>,
}

const fn row(name: &'static str, file: &'static str, scenario: &'static str, times: u32) -> Row {
    Row { name, file, scenario, cut: true, times, peer: None }
}

impl Row {
    const fn peer(self, object: &'static str, size: &'static str) -> Row {
        Row { peer: Some([object, size]), ..self }
    }

    const fn all_retries(self) -> Row {
        Row { cut: false, ..self }
    }
}

const TREIBER: &str = "objects/cpp/treiber.cpp";
const MS: &str = "objects/cpp/ms_queue.cpp";
const RUST_TREIBER: &str = "objects/rust/tests/treiber.rs";
const RUST_MS: &str = "objects/rust/tests/ms_queue.rs";

const ROWS: &[Row] = &[
    row("Treiber 3x1", TREIBER, STACK_3X1, 50).peer("treiber", "3x1"),
    row("Treiber 2x2", TREIBER, STACK_2X2, 50).peer("treiber", "2x2"),
    row("Treiber 3x2", TREIBER, STACK_3X2, 20).peer("treiber", "3x2"),
    row("MS 3x1", MS, QUEUE_3X1, 50).peer("ms", "3x1"),
    row("MS 2x2", MS, QUEUE_2X2, 50).peer("ms", "2x2"),
    row("MS 3x2", MS, QUEUE_3X2, 10).peer("ms", "3x2"),
    row("Treiber 2x2, all retries", TREIBER, STACK_2X2, 50).all_retries(),
    row("MS 2x2, all retries", MS, QUEUE_2X2, 50).all_retries(),
    row("boost stack 2x2, all retries", "objects/libraries/boost_stack.cpp", STACK_2X2, 5).all_retries(),
    row("boost queue 2x2, all retries", "objects/libraries/boost_queue.cpp", QUEUE_2X2, 2).all_retries(),
    row("Rust Treiber 2x2", RUST_TREIBER, STACK_2X2, 50).peer("treiber", "2x2"),
    row("Rust Treiber 3x2", RUST_TREIBER, STACK_3X2, 5).peer("treiber", "3x2"),
    row("Rust MS 2x2", RUST_MS, QUEUE_2X2, 50).peer("ms", "2x2"),
    row("Rust MS 3x2", RUST_MS, QUEUE_3X2, 2).peer("ms", "3x2"),
];

/// A search that takes long enough for workers to be worth their while: 6.6 million executions.
const LONG: Row = row("MS 3x2, all retries", MS, QUEUE_3X2, 1).all_retries();

/// Seconds that a peer gets for a test.
const PATIENCE_WITH_PEERS: &str = "60";

struct Nothing;

impl Visitor for Nothing {
    fn reset(&mut self) {}

    fn visit(&mut self, _: &Explorer, _: &Execution) -> bool {
        true
    }
}

/// Prints the tables.
pub fn command(root: &Path) -> ExitCode {
    match tables(root) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(70)
        }
    }
}

fn tables(root: &Path) -> Result<(), String> {
    println!("load average {}", load());
    println!(
        "{:<30} {:<4} {:>8} {:>8} {:>8} {:>8} {:>10} {:>9} {:>12}",
        "", "", "complete", "others", "played", "recalled", "CPU s each", "wall s", "per CPU s"
    );
    let mut ours: Vec<(&Row, Measured)> = Vec::new();
    for row in ROWS {
        for model in [Model::Sc, Model::C11] {
            let measured = measure(root, row, model, 1).map_err(|why| format!("{}: {why}", row.name))?;
            println!("{:<30} {:<4} {measured}", row.name, model.word());
            if model == Model::Sc && row.peer.is_some() {
                ours.push((row, measured));
            }
        }
    }
    // Where others use the cores as well, wall time says little: with two cores to themselves, two workers cannot be sooner
    // done than in half of their CPU time.
    println!("\n{:<30} {:>11} {:>11} {:>11} {:>11}", "one worker, two workers", "wall s", "", "CPU s", "");
    for row in ROWS.iter().filter(|row| row.name.ends_with("3x2")).chain([&LONG]) {
        let one = measure(root, row, Model::Sc, 1)?;
        let two = measure(root, row, Model::Sc, 2)?;
        let times = one.wall / two.wall.max(1e-9);
        let (name, walls, cpus) = (row.name, [one.wall, two.wall], [one.cpu, two.cpu]);
        println!(
            "{name:<30} {:>11.4} {:>11.4} {:>11.4} {:>11.4}   {times:.2} times as fast",
            walls[0], walls[1], cpus[0], cpus[1]
        );
    }
    println!("load average {}", load());
    let program = peers(root)?;
    println!(
        "\n{:<30} {:<8} {:>10} {:>8} {:>12} {:>12}",
        "", "", "executions", "CPU s", "per CPU s", "of ours"
    );
    let mut known: Vec<([&str; 2], [String; 2], [f64; 2])> = Vec::new();
    for (row, measured) in &ours {
        let asked = row.peer.unwrap_or_default();
        println!(
            "{:<30} {:<8} {:>10} {:>8.3} {:>12.0}",
            row.name,
            "trueline",
            measured.executions,
            measured.cpu,
            measured.rate()
        );
        if !known.iter().any(|k| k.0 == asked) {
            let (loom, shuttle) = (peer(&program, "loom", asked)?, peer(&program, "shuttle", asked)?);
            known.push((asked, [loom.0, shuttle.0], [loom.1, shuttle.1]));
        }
        let (_, lines, seconds) = known.iter().find(|k| k.0 == asked).expect("it was just asked");
        for ((tool, line), cpu) in ["loom", "shuttle"].iter().zip(lines).zip(seconds) {
            let ratio = cpu / measured.cpu.max(1e-9);
            println!("{:<30} {tool:<8} {line} {ratio:>10.0} x", "");
        }
    }
    Ok(())
}

/// The program that has the tests of loom and shuttle.
fn peers(root: &Path) -> Result<PathBuf, String> {
    let folder = crate::bench_lts::target_folder(root).join("peers");
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let manifest = "peers/loom-shuttle/Cargo.toml";
    let built = Command::new(cargo)
        .current_dir(root)
        .args(["build", "--release", "--quiet", "--manifest-path", manifest, "--target-dir"])
        .arg(&folder)
        .status();
    match built {
        Ok(status) if status.success() => Ok(folder.join("release/trueline-peer-loom-shuttle")),
        _ => Err(format!("{manifest} cannot be built")),
    }
}

/// What a peer makes of a test: a line for the table, and CPU seconds.
fn peer(program: &Path, tool: &str, [object, size]: [&str; 2]) -> Result<(String, f64), String> {
    let output = Command::new(program).args([tool, object, size, PATIENCE_WITH_PEERS]).output();
    let output = output.map_err(|e| format!("{}: {e}", program.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let words: Vec<&str> = text.lines().last().unwrap_or_default().split_whitespace().collect();
    let [count, cpu, all] = words[..] else { return Err(format!("{tool} {object} {size}: {text}")) };
    let (count, cpu) = (count.parse::<f64>().unwrap_or(0.0), cpu.parse::<f64>().unwrap_or(0.0));
    let over = if all == "true" { " " } else { ">" };
    Ok((format!("{over}{count:>9} {cpu:>8.3} {:>12.0}", count / cpu.max(1e-9)), cpu))
}

/// What came of a test.
struct Measured {
    counts: Counts,
    executions: u64,
    cpu: f64,
    wall: f64,
}

impl Measured {
    fn rate(&self) -> f64 {
        self.executions as f64 / self.cpu.max(1e-9)
    }
}

impl std::fmt::Display for Measured {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Measured { counts, cpu, wall, .. } = self;
        let others = counts.cut + counts.stuck + counts.found;
        let (complete, runs, recalled, rate) = (counts.complete, counts.runs, counts.recalled, self.rate());
        write!(f, "{complete:>8} {others:>8} {runs:>8} {recalled:>8} {cpu:>10.4} {wall:>9.4} {rate:>12.0}")
    }
}

fn measure(root: &Path, row: &Row, model: Model, jobs: usize) -> Result<Measured, String> {
    let source = root.join(row.file);
    let folder = Folder::new()?;
    let compiler = compiler_of(&source, None)?;
    let wanted = Build { source, level: "-O2".into(), flags: Vec::new(), main: false, shim: false };
    let program = build(&compiler, &wanted, &folder)?;
    let harness = harness::read(&program)?;
    let scenario = Scenario::parse(row.scenario, &harness).map_err(|e| e.to_string())?;
    let settings = Settings { cut: row.cut, model, jobs, ..Settings::default() };
    let (start, before) = (Instant::now(), cpu());
    let mut player = Player::start(&program, PATIENCE)?;
    let mut counts = Counts::default();
    for _ in 0..row.times {
        let meter = Meter::start(Limits::default());
        let (seen, ended) = search(&mut player, &harness, &scenario, settings, &meter, &mut Nothing);
        if let Some(why) = ended {
            return Err(format!("{why:?}"));
        }
        counts = seen;
    }
    // Waits for it, so that what it used is known.
    drop(player);
    let times = f64::from(row.times);
    let (cpu, wall) = ((cpu() - before) / times, start.elapsed().as_secs_f64() / times);
    // Runs that were made before all shared memory was known are no executions.
    let executions = counts.complete + counts.cut + counts.stuck + counts.found;
    Ok(Measured { counts, executions, cpu, wall })
}

/// How many processes want a core, over the last minutes.
fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().take(3).collect::<Vec<_>>().join(" ")
}

/// CPU seconds of this process and of those that it has waited for.
fn cpu() -> f64 {
    own_seconds() + children_seconds()
}
