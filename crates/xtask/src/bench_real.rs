//! `cargo xtask bench real`: executions of real C++ objects per CPU second, under both memory models.
//!
//! Exploring only: the object is built before, and no history is decided. CPU seconds are those of the explorer and of its
//! players, over several explorations of the same scenario on one player. The aim is MS 3x2 in under 0.1 CPU s, and 50,000
//! executions per second.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use trueline_base::{Limits, Meter};
use trueline_run::compile::{Build, Folder, build, find, is_cpp};
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

/// A name, a file, a scenario, whether retries are left out, and how often it is explored.
const ROWS: &[(&str, &str, &str, bool, u32)] = &[
    ("Treiber 2x2", "objects/cpp/treiber.cpp", STACK_2X2, true, 50),
    ("Treiber 3x2", "objects/cpp/treiber.cpp", STACK_3X2, true, 20),
    ("MS 2x2", "objects/cpp/ms_queue.cpp", QUEUE_2X2, true, 50),
    ("MS 3x2", "objects/cpp/ms_queue.cpp", QUEUE_3X2, true, 3),
    ("MS 2x2, all retries", "objects/cpp/ms_queue.cpp", QUEUE_2X2, false, 50),
    ("boost stack 2x2, all retries", "objects/libraries/boost_stack.cpp", STACK_2X2, false, 5),
    ("boost queue 2x2, all retries", "objects/libraries/boost_queue.cpp", QUEUE_2X2, false, 2),
];

struct Nothing;

impl Visitor for Nothing {
    fn reset(&mut self) {}

    fn visit(&mut self, _: &Explorer, _: &Execution) -> bool {
        true
    }
}

/// Prints the table.
pub fn command(root: &Path) -> ExitCode {
    println!(
        "{:<30} {:<4} {:>8} {:>8} {:>8} {:>10} {:>9} {:>12}",
        "", "", "complete", "others", "runs", "CPU s each", "wall s", "runs / CPU s"
    );
    for row in ROWS {
        for model in [Model::Sc, Model::C11] {
            match measure(root, row, model) {
                Ok(line) => println!("{:<30} {:<4} {line}", row.0, model.word()),
                Err(why) => {
                    eprintln!("{}: {why}", row.0);
                    return ExitCode::from(70);
                }
            }
        }
    }
    ExitCode::SUCCESS
}

fn measure(root: &Path, row: &(&str, &str, &str, bool, u32), model: Model) -> Result<String, String> {
    let (_, file, text, cut, times) = *row;
    let source = root.join(file);
    let folder = Folder::new()?;
    let compiler = find(is_cpp(&source)?, None)?;
    let wanted = Build { source, level: "-O2".into(), flags: Vec::new(), main: false };
    let program = build(&compiler, &wanted, &folder)?;
    let harness = harness::read(&program)?;
    let scenario = Scenario::parse(text, &harness).map_err(|e| e.to_string())?;
    let settings = Settings { cut, model, ..Settings::default() };
    let (start, before) = (Instant::now(), cpu());
    let mut player = Player::start(&program, PATIENCE)?;
    let mut counts = Counts::default();
    for _ in 0..times {
        let meter = Meter::start(Limits::default());
        let (seen, ended) = search(&mut player, &harness, &scenario, settings, &meter, &mut Nothing);
        if let Some(why) = ended {
            return Err(format!("{why:?}"));
        }
        counts = seen;
    }
    // Waits for it, so that what it used is known.
    drop(player);
    let (used, took) =
        ((cpu() - before) / f64::from(times), start.elapsed().as_secs_f64() / f64::from(times));
    let others = counts.cut + counts.stuck + counts.found;
    let executions = counts.runs + counts.recalled;
    let rate = executions as f64 / used.max(1e-9);
    Ok(format!("{:>8} {others:>8} {:>8} {used:>10.3} {took:>9.3} {rate:>12.0}", counts.complete, counts.runs))
}

/// CPU seconds of this process and of those that it has waited for.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name in parentheses may contain blanks; fields 14 to 17 count ticks of 10 ms.
    let rest = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks: u64 = rest.split_whitespace().skip(11).take(4).filter_map(|t| t.parse::<u64>().ok()).sum();
    ticks as f64 / 100.0
}
