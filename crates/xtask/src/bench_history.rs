//! `cargo xtask bench history`: the engines on made-up histories with fixed seeds, and the peers on the same.
//!
//! Our own figure is the processor time of deciding a history that is in memory; a peer runs in a process of its own
//! (peers/history-peers, built beforehand) that reads the same log and prints its own time of deciding.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use trueline_base::{Limits, Meter, Silent};
use trueline_history::generate::{Object, Plan, history};
use trueline_history::read::Format;
use trueline_history::spec::{Spec, Visit, with_named};
use trueline_history::write::write;
use trueline_history::{History, Options, Report, check};

/// Longest time of one peer on one history.
const PATIENCE: Duration = Duration::from_secs(10);

struct Row {
    name: &'static str,
    spec: &'static str,
    plan: Plan,
    monitors: bool,
}

fn plan(object: Object, operations: usize, clients: usize) -> Plan {
    Plan { object, operations, clients, values: 0, crashes: 0, spoiled: false, seed: 42 }
}

fn rows() -> Vec<Row> {
    let row = |name, spec, plan, monitors| Row { name, spec, plan, monitors };
    vec![
        row("queue 1,000 c=4", "queue", plan(Object::Queue, 1_000, 4), true),
        row("queue 100,000 c=16", "queue", plan(Object::Queue, 100_000, 16), true),
        row("queue 1,000,000 c=16", "queue", plan(Object::Queue, 1_000_000, 16), true),
        row("stack 1,000 c=4", "stack", plan(Object::Stack, 1_000, 4), true),
        row("stack 1,000,000 c=16", "stack", plan(Object::Stack, 1_000_000, 16), true),
        row(
            "priority queue 1,000,000 c=4",
            "priority-queue",
            plan(Object::PriorityQueue, 1_000_000, 4),
            true,
        ),
        row("set 1,000,000 c=16", "set", plan(Object::Set, 1_000_000, 16), true),
        row("register 1,000 c=4", "register", plan(Object::Register, 1_000, 4), true),
        row("register 1,000,000 c=16", "register", plan(Object::Register, 1_000_000, 16), true),
        row("register 1,000 c=4, search", "register", plan(Object::Register, 1_000, 4), false),
        row("register 1,000,000 c=4, search", "register", plan(Object::Register, 1_000_000, 4), false),
        row("kv 1,000,000 c=16", "kv", plan(Object::Kv, 1_000_000, 16), true),
    ]
}

struct Ask<'a>(&'a History, bool);

impl Visit for Ask<'_> {
    type Out = Report;

    fn visit<S: Spec>(self, spec: S) -> Report {
        let options = Options { monitors: self.1, ..Options::default() };
        let meter = Meter::start(Limits { memory: Some(4 << 30), ..Limits::default() });
        check(&spec, self.0, &options, &meter, &mut Silent).expect("a made-up history is understood")
    }
}

/// Processor time of this process so far, in steps of 10 ms.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name in parentheses may contain blanks; fields 14 and 15 count ticks of 10 ms.
    let rest = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks: u64 = rest.split_whitespace().skip(11).take(2).filter_map(|t| t.parse::<u64>().ok()).sum();
    ticks as f64 / 100.0
}

fn peer(root: &Path, name: &str, spec: &str, log: &Path) -> String {
    let program = root.join("peers/history-peers/target/release/history-peers");
    let child =
        Command::new(program).args([name, spec]).arg(log).stdout(std::process::Stdio::piped()).spawn();
    let Ok(mut child) = child else { return "not built".into() };
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(_)) => break,
            Ok(None) if start.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(5)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return "over 10 s".into();
            }
        }
    }
    match child.wait_with_output() {
        Ok(out) if out.status.success() => String::from_utf8_lossy(&out.stdout).trim().to_string(),
        _ => "-".into(),
    }
}

/// Prints the table.
pub fn command(root: &Path) -> ExitCode {
    let folder = std::env::temp_dir().join(format!("trueline-bench-history-{}", std::process::id()));
    if let Err(e) = std::fs::create_dir_all(&folder) {
        eprintln!("error: {}: {e}", folder.display());
        return ExitCode::FAILURE;
    }
    let peers = ["porcupine-rs", "todc-utils", "stateright"];
    println!("| history | engine | ours | MB | {} |", peers.join(" | "));
    println!("|---|---|---|---|{}", "---|".repeat(peers.len()));
    for row in rows() {
        let made = history(&row.plan);
        let start = cpu_seconds();
        let report = with_named(row.spec, Ask(&made, row.monitors)).expect("a known specification");
        let seconds = cpu_seconds() - start;
        let engine = report.engines.first().map_or("", |(e, _)| e.name());
        let word = report.verdict.word();
        let log = folder.join("log.txt");
        let written = std::fs::File::create(&log)
            .map(std::io::BufWriter::new)
            .is_ok_and(|mut f| write(&made, Format::Json, Some(row.spec), &mut f).is_ok());
        let others: Vec<String> =
            peers.iter().map(|p| if written { peer(root, p, row.spec, &log) } else { "-".into() }).collect();
        println!(
            "| {} | {engine} ({word}) | {seconds:.2} s | {} | {} |",
            row.name,
            (report.bytes + made.bytes()) / 1_000_000,
            others.join(" | ")
        );
    }
    let _ = std::fs::remove_dir_all(&folder);
    ExitCode::SUCCESS
}
