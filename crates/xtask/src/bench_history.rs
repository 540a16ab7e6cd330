//! `cargo xtask bench history`: whole processes on made-up logs with fixed seeds, and the peers on the same.
//!
//! Ours is `trueline history check LOG --spec NAME`; a peer runs in a process of its own (peers/history-peers) that
//! reads the same log with our reader and decides it. Figures are processor seconds of all threads (in steps of
//! 10 ms) and peak resident megabytes, the best of three runs; a peer runs once and is stopped after ten processor
//! seconds. The logs of Porcupine's test data are taken from the copy of porcupine-rs that cargo keeps.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

use trueline_history::generate::{ObjectKind, Plan, history};
use trueline_history::read::Format;
use trueline_history::write::write;

use crate::bench_lts::target_folder;

/// Processor seconds after which a peer is stopped.
const PATIENCE: f64 = 10.0;
/// The same for us.
const OWN_PATIENCE: f64 = 120.0;

const PEERS: [&str; 3] = ["porcupine-rs", "todc-utils", "stateright"];

/// Seconds and megabytes that a process may take.
type Target = Option<(f64, f64)>;

struct Row {
    object: ObjectKind,
    spec: &'static str,
    operations: usize,
    clients: usize,
    /// Values that are used again and again; 0: every one is new.
    values: usize,
    spoiled: bool,
    /// Without monitors.
    search: bool,
    /// Whether peers are tried; more clients only make it harder for them.
    peers: bool,
    target: Target,
}

/// The rows of the table; targets are those of the largest size, for any number of clients.
fn rows() -> Vec<Row> {
    let row = |object, spec, operations, clients, target| Row {
        object,
        spec,
        operations,
        clients,
        values: 0,
        spoiled: false,
        search: false,
        peers: clients <= 16,
        target,
    };
    let million = 1_000_000;
    let mut rows = vec![
        Row { spoiled: true, ..row(ObjectKind::Queue, "queue", 100, 16, None) },
        row(ObjectKind::Queue, "queue", 1_000, 4, None),
        row(ObjectKind::Queue, "queue", 100_000, 16, None),
        row(ObjectKind::Stack, "stack", 1_000, 4, None),
        row(ObjectKind::Stack, "stack", 100_000, 16, None),
        row(ObjectKind::PriorityQueue, "priority-queue", 100_000, 4, None),
        row(ObjectKind::Register, "register", 1_000, 16, None),
        row(ObjectKind::Register, "register", 10_000, 16, None),
        row(ObjectKind::Register, "register", 100_000, 4, None),
    ];
    for clients in [16, 64] {
        rows.push(row(ObjectKind::Queue, "queue", million, clients, Some((0.7, 150.0))));
        rows.push(row(ObjectKind::Set, "set", million, clients, Some((0.4, 50.0))));
        rows.push(row(ObjectKind::PriorityQueue, "priority-queue", million, clients, Some((1.0, 150.0))));
        rows.push(row(ObjectKind::Stack, "stack", million, clients, Some((1.5, 300.0))));
        rows.push(row(ObjectKind::Register, "register", million, clients, Some((0.5, f64::INFINITY))));
    }
    for object in [ObjectKind::Queue, ObjectKind::Stack] {
        let (spec, target) =
            if object == ObjectKind::Queue { ("queue", (0.7, 150.0)) } else { ("stack", (1.5, 300.0)) };
        rows.push(Row { peers: false, ..row(object, spec, million, 4, Some(target)) });
    }
    for values in [1_000, 100_000] {
        rows.push(Row { values, ..row(ObjectKind::Set, "set", million, 16, Some((0.4, f64::INFINITY))) });
    }
    rows.push(Row { search: true, ..row(ObjectKind::Register, "register", million, 4, Some((0.7, 200.0))) });
    rows.push(row(ObjectKind::Kv, "kv", million, 16, None));
    rows
}

/// What a process took.
struct Took {
    seconds: f64,
    megabytes: f64,
    code: Option<i32>,
}

impl Took {
    fn show(&self) -> String {
        format!("{:.2} / {:.0}", self.seconds, self.megabytes)
    }
}

/// State and processor seconds of a process, also of one that has ended and was not waited for.
fn running(process: u32) -> Option<(char, f64)> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name in parentheses may contain blanks.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |i: usize| fields.get(i).and_then(|f| f.parse::<f64>().ok());
    Some((fields.first()?.chars().next()?, (ticks(11)? + ticks(12)?) / 100.0))
}

fn peak_megabytes(process: u32) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches("kB").trim().parse::<f64>().ok().map(|kb| kb / 1000.0)
}

/// Waits for a process; nothing when it took longer than it may.
fn watch(mut child: Child, patience: f64) -> Option<Took> {
    let process = child.id();
    let (mut seconds, mut megabytes) = (0.0, 0.0f64);
    while let Some((state, used)) = running(process) {
        seconds = used;
        if state == 'Z' {
            break;
        }
        megabytes = megabytes.max(peak_megabytes(process).unwrap_or(0.0));
        if seconds > patience {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let code = child.wait().ok()?.code();
    Some(Took { seconds, megabytes, code })
}

fn once(command: &mut Command, patience: f64) -> Option<Took> {
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()?;
    watch(child, patience)
}

fn best(mut command: impl FnMut() -> Command) -> Option<Took> {
    let runs: Option<Vec<Took>> = (0..3).map(|_| once(&mut command(), OWN_PATIENCE)).collect();
    runs?.into_iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds))
}

fn reached(took: &Took, target: Target) -> String {
    let Some((seconds, megabytes)) = target else { return "-".into() };
    let met = took.seconds <= seconds && took.megabytes <= megabytes;
    let limit = if megabytes.is_finite() { format!("{megabytes:.0}") } else { "any".into() };
    format!("{seconds} / {limit} {}", if met { "reached" } else { "not reached" })
}

fn build(root: &Path, words: &[&str]) -> bool {
    let status =
        Command::new("cargo").args(["build", "--release", "--quiet"]).args(words).current_dir(root).status();
    status.is_ok_and(|s| s.success())
}

/// The folder of test data that porcupine-rs brings along.
fn test_data() -> Option<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::var_os("HOME").map(|h| PathBuf::from(h).join(".cargo")))?;
    let sources = fs::read_dir(home.join("registry/src")).ok()?;
    let folders = sources.flatten().map(|e| e.path().join("porcupine-rs-0.3.0/test_data"));
    folders.into_iter().find(|f| f.is_dir())
}

/// Prints the table; with `--alone` without the peers, which take most of the time.
pub fn command(root: &Path, words: &[String]) -> ExitCode {
    let alone = match words {
        [] => false,
        [word] if word == "--alone" => true,
        _ => {
            eprintln!("usage: cargo xtask bench history [--alone]");
            return ExitCode::FAILURE;
        }
    };
    let target = target_folder(root);
    let folder = target.join("bench-history");
    eprintln!("building in {}", target.display());
    let peers_folder = target.join("peers");
    let peers = ["--manifest-path", "peers/history-peers/Cargo.toml", "--target-dir"];
    let with_peers = !alone && build(root, &[&peers[..], &[&peers_folder.display().to_string()]].concat());
    if !with_peers && !alone {
        eprintln!("the peers cannot be built and are left out");
    }
    if !build(root, &["-p", "trueline"]) || fs::create_dir_all(&folder).is_err() {
        return ExitCode::FAILURE;
    }
    let own = target.join("release/trueline");
    let peer = peers_folder.join("release/history-peers");
    println!("CPU s / MB of whole processes\n");
    println!("| history | ours | target | {} |", PEERS.join(" | "));
    println!("|---|---|---|{}", "---|".repeat(PEERS.len()));
    for row in rows() {
        let log = folder.join("log");
        if let Err(why) = generate(&row, &log) {
            eprintln!("{}: {why}", log.display());
            return ExitCode::FAILURE;
        }
        let took = best(|| {
            let mut command = Command::new(&own);
            command.args(["history", "check", "-q", "--spec", row.spec]).arg(&log);
            command.args(if row.search { &["--engine", "search"][..] } else { &[] });
            command
        });
        let others = by_peers(&peer, row.spec, &log, with_peers && row.peers);
        let violating = if row.spoiled { ", violating" } else { "" };
        let engine = if row.search { ", general engine" } else { "" };
        let values = if row.values > 0 { format!(", {} values", row.values) } else { String::new() };
        let name = format!("{} {} c={}{values}{violating}{engine}", row.spec, row.operations, row.clients);
        show(&name, took, row.target, i32::from(row.spoiled), &others);
    }
    match test_data() {
        None => println!("\nPorcupine's test data is not in cargo's folder; build the peers once"),
        Some(data) => {
            let etcd = best(|| {
                let mut command = Command::new(&own);
                command.args(["history", "check", "-q", "--jobs", "1", "--spec", "cas-register"]);
                command.args(["--format", "etcd"]).arg(data.join("jepsen"));
                command
            });
            // Some of them are violations on purpose.
            show("102 etcd logs of Porcupine, sum", etcd, Some((0.1, f64::INFINITY)), 1, &[]);
            for (name, target, code) in [("c50-ok", Some((0.05, f64::INFINITY)), 0), ("c50-bad", None, 1)] {
                let log = data.join(format!("kv/{name}.txt"));
                let kv = best(|| {
                    let mut command = Command::new(&own);
                    command.args(["history", "check", "--spec", "kv"]).arg(&log);
                    command
                });
                let others = by_peers(&peer, "kv", &log, with_peers);
                show(&format!("kv {name} of Porcupine"), kv, target, code, &others);
            }
        }
    }
    let _ = fs::remove_dir_all(&folder);
    ExitCode::SUCCESS
}

/// What each peer takes for a log.
fn by_peers(peer: &Path, spec: &str, log: &Path, wanted: bool) -> [String; 3] {
    PEERS.map(|name| {
        let run = || once(Command::new(peer).args([name, spec]).arg(log), PATIENCE);
        match wanted.then(run) {
            None => "-".to_string(),
            Some(None) => format!("over {PATIENCE} s"),
            Some(Some(t)) if t.code == Some(0) => t.show(),
            Some(Some(_)) => "-".to_string(),
        }
    })
}

/// One line of the table; `code` is the exit code of the right verdict.
fn show(name: &str, took: Option<Took>, target: Target, code: i32, others: &[String]) {
    let (ours, met) = match &took {
        None => ("gave up".to_string(), "not reached".to_string()),
        Some(t) if t.code != Some(code) => (format!("WRONG: exit code {:?}", t.code), "not reached".into()),
        Some(t) => (t.show(), reached(t, target)),
    };
    let others = if others.is_empty() { &PEERS.map(|_| "-".to_string())[..] } else { others };
    println!("| {name} | {ours} | {met} | {} |", others.join(" | "));
}

/// Containers in a format with one line per operation, as their peers read them; the others as JSON lines.
fn generate(row: &Row, log: &Path) -> Result<(), String> {
    let made = history(&Plan {
        object: row.object,
        operations: row.operations,
        clients: row.clients,
        values: row.values,
        crashes: 0,
        spoiled: row.spoiled,
        seed: 42,
    });
    let lines = matches!(row.object, ObjectKind::Kv | ObjectKind::Register);
    let format = if lines { Format::Json } else { Format::Fptlin };
    let mut file = BufWriter::new(File::create(log).map_err(|e| e.to_string())?);
    write(&made, format, Some(row.spec), &mut file).map_err(|e| e.to_string())?;
    file.flush().map_err(|e| e.to_string())
}
