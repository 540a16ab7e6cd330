//! `cargo xtask bench papers`: instances of published tables, whole runs, beside what the papers report.
//!
//! Each instance is a process of its own: the model is read, checked and decided with the default reductions. The
//! papers' figures are for other machines and other numbers of states; verdicts must agree, times only show where we
//! are. Sources: Liu, Chen, Liu, Sun, Zhang, Dong, IEEE TSE 2013, table 1 (`TSE`); Yang, Katoen, Lin, Wu, ICDCS 2017
//! (`ICDCS`).

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use trueline_base::{Limits, Silent};
use trueline_check::Decision;
use trueline_check::fast::{self, Reductions};
use trueline_lang::compile::{Model, Ops, Overrides};

/// A row that takes longer is not known.
const LONGEST: Duration = Duration::from_secs(300);

struct Row {
    name: &'static str,
    /// States and seconds of the paper; nothing where it has no such row.
    paper: &'static str,
    model: &'static str,
    check: usize,
    threads: Option<u32>,
    ops: Option<Ops>,
    set: &'static [(&'static str, &'static str)],
    roles: &'static [(&'static str, u32)],
}

const fn row(name: &'static str, paper: &'static str, model: &'static str, check: usize) -> Row {
    Row { name, paper, model, check, threads: None, ops: None, set: &[], roles: &[] }
}

const fn register(name: &'static str, paper: &'static str, roles: &'static [(&'static str, u32)]) -> Row {
    Row { roles, set: &[("K", "4")], ..row(name, paper, "register/k_register.tl", 0) }
}

const fn counter(name: &'static str, paper: &'static str, check: usize, threads: u32) -> Row {
    let base = row(name, paper, "counter/counter.tl", check);
    Row { threads: Some(threads), ops: Some(Ops::Forever), set: &[("SIZE", "4")], ..base }
}

const fn queue(name: &'static str, paper: &'static str, check: usize, threads: u32, ops: u32) -> Row {
    Row { threads: Some(threads), ops: Some(Ops::Count(ops)), ..row(name, paper, "queue/ms_queue.tl", check) }
}

const ROWS: [Row; 15] = [
    register("4-valued register, 5 processes", "-", &[("reader", 4)]),
    register("4-valued register, 7 processes", "TSE: 484,723 states, 53,110 s", &[("reader", 6)]),
    register("4-valued register, 8 processes", "-", &[("reader", 7)]),
    register("4-valued register, 9 processes", "-", &[("reader", 8)]),
    counter("counter of size 4, 4 processes", "-", 1, 4),
    counter("counter of size 4, 6 processes", "TSE: 636,815 states, 53,010 s", 1, 6),
    counter("counter of size 4, 8 processes", "-", 1, 8),
    counter("counter of size 4, 9 processes", "-", 1, 9),
    counter("counter with points, 7 processes", "TSE: 28,652 states, 27,593 s", 3, 7),
    counter("counter with points, 9 processes", "-", 3, 9),
    queue("MS queue 3-2, two values", "-", 0, 3, 2),
    queue("MS queue 3-2, enq(self)", "-", 1, 3, 2),
    queue("MS queue 3-3, enq(self)", "ICDCS: 76,157,266 states, 55 s after generation", 1, 3, 3),
    row(
        "mailbox, 3 rounds of calls",
        "TSE 2009: 4 operations, 3,696,700 states, 954 s",
        "mailbox/mailbox.tl",
        1,
    ),
    row("time-stamped stack", "-", "stack/time_stamped.tl", 0),
];

/// Runs all rows, or with `--one N` one of them in this process.
pub fn command(root: &Path, words: &[String]) -> ExitCode {
    if let [one, at] = words
        && one == "--one"
    {
        return one_row(root, at.parse().unwrap_or(usize::MAX));
    }
    println!("| instance | paper | verdict | states | sets | CPU s | MB | reductions |");
    println!("|---|---|---|---|---|---|---|---|");
    let Ok(program) = std::env::current_exe() else { return ExitCode::FAILURE };
    let mut failed = false;
    for (at, row) in ROWS.iter().enumerate() {
        let before = crate::bench_lts::children_seconds();
        let output = Command::new(&program).args(["bench", "papers", "--one", &at.to_string()]).output();
        let seconds = crate::bench_lts::children_seconds() - before;
        let text =
            output.map(|out| String::from_utf8_lossy(&out.stdout).trim().to_string()).unwrap_or_default();
        let Some((verdict, rest)) = text.split_once('|') else {
            failed = true;
            println!("| {} | {} | failed | | | | | |", row.name, row.paper);
            continue;
        };
        failed |= verdict != "holds";
        let parts: Vec<&str> = rest.split('|').collect();
        let [states, sets, megabytes, reductions] = parts[..] else { continue };
        println!(
            "| {} | {} | {verdict} | {states} | {sets} | {seconds:.2} | {megabytes} | {reductions} |",
            row.name, row.paper
        );
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn one_row(root: &Path, at: usize) -> ExitCode {
    let Some(row) = ROWS.get(at) else { return ExitCode::from(64) };
    let Ok(text) = std::fs::read_to_string(root.join("models").join(row.model)) else {
        return ExitCode::FAILURE;
    };
    let overrides = Overrides {
        threads: row.threads,
        ops: row.ops,
        set: row.set.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect(),
        roles: row.roles.iter().map(|(k, n)| (k.to_string(), *n)).collect(),
        ..Overrides::default()
    };
    let task = match Model::parse(text).instantiate(row.check, &overrides) {
        Ok(task) => task,
        Err(refusal) => {
            eprintln!("{}: {refusal:?}", row.name);
            return ExitCode::FAILURE;
        }
    };
    let Some(asked) = task.asked.iter().find(|asked| asked.question.specification().is_some()) else {
        eprintln!("{}: no specification", row.name);
        return ExitCode::FAILURE;
    };
    let limits = Limits { memory: Some(8 << 30), time: Some(LONGEST), ..Limits::default() };
    let start = Instant::now();
    let outcome = fast::check(&task.machine, &asked.question, Reductions::ALL, &limits, &mut Silent);
    let verdict = match outcome.decision {
        Decision::Holds => "holds".to_string(),
        Decision::Fails(_) => "fails".to_string(),
        Decision::Unknown(_) => format!("unknown after {:.0} s", start.elapsed().as_secs_f64()),
    };
    println!(
        "{verdict}|{}|{}|{}|{}",
        outcome.states,
        outcome.specification,
        outcome.bytes / 1_000_000,
        outcome.method.reductions.join(", ")
    );
    ExitCode::SUCCESS
}
