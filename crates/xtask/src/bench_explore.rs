//! `cargo xtask bench explore`: the state spaces of a few models, by SPIN, stateright and our engines, in one run.
//!
//! Nothing is reduced on either side: every address is new, dead locals are cleared. A row counts only where both
//! sides find the same states, so SPIN neither merges statements nor clears variables by itself (`-o2 -o3`). It is Debian's
//! package; the verifier is compiled by the machine's C compiler. stateright (`peers/stateright`) has the two models without
//! a heap. Times
//! are processor seconds, the best of three; ours is a process of its own as well, so that memory can be compared. SPIN is
//! given the table that suits it best, of three sizes. The counter is explored by a program written for it alone as well.
//!
//! A second table asks both for a verdict, each as its users do: SPIN, with its partial order, whether a ghost queue
//! changed at marked points explains every result; we, with the default reductions and no points, whether the queue is
//! linearizable.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};
use std::time::{Duration, Instant};

use trueline_base::{Limits, Silent};
use trueline_check::fast::{self, Reductions};
use trueline_check::{Verdict, count_states};
use trueline_lang::compile::{Model, Ops, Overrides, Task};
use trueline_verify::{Engine, search};

/// A model on both sides.
struct Row {
    name: &'static str,
    model: &'static str,
    threads: Option<u32>,
    ops: Option<u32>,
    call: Option<&'static str>,
    roles: &'static [(&'static str, u32)],
    define: &'static [&'static str],
    /// What the program of stateright is asked for; nothing where it has no such model.
    peer: &'static [&'static str],
}

/// A search that is long enough for several workers: only they are compared.
const LONG: usize = 4;

const ROWS: [Row; 5] = [
    Row {
        name: "counter, 4 processes",
        model: "counter",
        threads: Some(4),
        ops: None,
        call: None,
        roles: &[],
        define: &["-DN=4"],
        peer: &["counter", "4"],
    },
    Row {
        name: "register, 4 processes",
        model: "register",
        threads: None,
        ops: None,
        call: None,
        roles: &[("reader", 3)],
        define: &["-DN=4", "-DK=4"],
        peer: &["register", "3"],
    },
    Row {
        name: "MS queue 2-3, 2 values",
        model: "ms_queue",
        threads: Some(2),
        ops: Some(3),
        call: Some("two values"),
        roles: &[],
        define: &["-DN=2", "-DOPS=3", "-DV=2"],
        peer: &[],
    },
    Row {
        name: "MS queue 3-2, 1 value",
        model: "ms_queue",
        threads: Some(3),
        ops: Some(2),
        call: None,
        roles: &[],
        define: &["-DN=3", "-DOPS=2", "-DV=1"],
        peer: &[],
    },
    Row {
        name: "counter, 5 processes",
        model: "counter",
        threads: Some(5),
        ops: None,
        call: None,
        roles: &[],
        define: &["-DN=5"],
        peer: &["counter", "5"],
    },
];

/// What a run took.
#[derive(Clone, Copy, Debug)]
struct Run {
    states: u64,
    /// Of processors.
    seconds: f64,
    /// From the beginning to the end.
    wall: f64,
    bytes: u64,
}

/// Runs the benchmark, or with `--one ENGINE ROW` one of its processes.
pub fn command(root: &Path, words: &[String]) -> ExitCode {
    if let [one, engine, row] = words
        && one == "--one"
    {
        return one_run(root, engine, row.parse().unwrap_or(0));
    }
    if !have_spin() {
        eprintln!("SPIN cannot be had here (`apt-get install spin`)");
        return ExitCode::FAILURE;
    }
    println!(
        "| model | states | SPIN | stateright | plain | by hand | fast | fast : SPIN | fast : stateright | fast : plain | fast : by hand | two workers, wall | B/state, SPIN | B/state, fast |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    let peer = stateright(root);
    if peer.is_none() {
        eprintln!("stateright cannot be built here");
        return ExitCode::FAILURE;
    }
    let folder = std::env::temp_dir().join(format!("trueline-spin-{}", std::process::id()));
    let full = Spin { define: &[], flags: &["-DNOREDUCE"] };
    let mut different = false;
    let mut found = Vec::new();
    for (at, row) in ROWS[..LONG].iter().enumerate() {
        let Some(fast) = best(|| own("fast", at)) else {
            eprintln!("{}: our own process failed", row.name);
            return ExitCode::FAILURE;
        };
        let Some(spin) = spin(root, &folder, row, full, fast.states) else {
            eprintln!("{}: SPIN failed", row.name);
            return ExitCode::FAILURE;
        };
        let Some(two) = fastest(|| own("two", at)).filter(|two| two.states == fast.states) else {
            eprintln!("{}: two workers failed, or found other states", row.name);
            return ExitCode::FAILURE;
        };
        let one = fastest(|| own("fast", at)).map_or(fast.wall, |one| one.wall);
        found.push(fast.states);
        // The plain engine knows no fresh addresses: it is compared where there is no heap.
        let plain = (row.model != "ms_queue").then(|| best(|| own("plain", at))).flatten();
        let other = peer.as_ref().filter(|_| !row.peer.is_empty()).and_then(|peer| {
            best(|| {
                let Timed { output, seconds, wall } = timed(Command::new(peer).args(row.peer))?;
                let states = text(&output)?.trim().parse().ok()?;
                Some(Run { states, seconds, wall, bytes: 0 })
            })
        });
        let hand = (row.model == "counter").then(|| best(|| own("hand", at))).flatten();
        let same =
            spin.states == fast.states && [other, hand].iter().flatten().all(|r| r.states == fast.states);
        different |= !same;
        let speed = |run: Run| run.states as f64 / run.seconds / 1e6;
        let shown =
            |run: Option<Run>| run.map_or("-".into(), |r| format!("{:.2} s, {:.2} M/s", r.seconds, speed(r)));
        let ratio = |run: Option<Run>| run.map_or("-".into(), |r| format!("{:.2}", r.seconds / fast.seconds));
        println!(
            "| {} | {}{} | {} | {} | {} | {} | {} | {:.2} | {} | {} | {} | {:.2} instead of {:.2} s: {:.2} | {:.0} | {:.0} |",
            row.name,
            fast.states,
            if same { String::new() } else { format!(" (SPIN: {})", spin.states) },
            shown(Some(spin)),
            shown(other),
            shown(plain),
            shown(hand),
            shown(Some(fast)),
            spin.seconds / fast.seconds,
            ratio(other),
            ratio(plain),
            ratio(hand),
            two.wall,
            one,
            one / two.wall,
            spin.bytes as f64 / spin.states as f64,
            fast.bytes as f64 / fast.states as f64,
        );
    }
    if !verdicts(root, &folder, &found) {
        return ExitCode::FAILURE;
    }
    let _ = std::fs::remove_dir_all(folder);
    let (Some(one), Some(two)) = (fastest(|| own("fast", LONG)), fastest(|| own("two", LONG))) else {
        eprintln!("{}: our own process failed", ROWS[LONG].name);
        return ExitCode::FAILURE;
    };
    different |= one.states != two.states;
    println!(
        "\n{}, {} states: two workers {:.2} instead of {:.2} s of wall time, {:.2} times as fast",
        ROWS[LONG].name,
        one.states,
        two.wall,
        one.wall,
        one.wall / two.wall
    );
    if different { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// How SPIN is asked: further definitions of the model, and flags of the verifier.
#[derive(Clone, Copy)]
struct Spin {
    define: &'static [&'static str],
    flags: &'static [&'static str],
}

/// How long both take to find the queue linearizable; false where one of them does not.
fn verdicts(root: &Path, folder: &Path, states: &[u64]) -> bool {
    println!("\n| linearizable | SPIN, marked points | states | trueline | states | SPIN : trueline |");
    println!("|---|---|---|---|---|---|");
    let points = Spin { define: &["-DPOINTS"], flags: &[] };
    for (at, row) in ROWS.iter().enumerate().filter(|(_, row)| row.model == "ms_queue") {
        let (Some(peer), Some(own)) =
            (spin(root, folder, row, points, states[at]), best(|| own("verdict", at)))
        else {
            eprintln!("{}: SPIN or our own process gave no verdict", row.name);
            return false;
        };
        println!(
            "| {} | {:.2} s | {} | {:.3} s | {} | {:.0} |",
            row.name,
            peer.seconds,
            peer.states,
            own.seconds,
            own.states,
            peer.seconds / own.seconds
        );
    }
    true
}

/// Builds the peer's program.
fn stateright(root: &Path) -> Option<PathBuf> {
    let folder = crate::bench_lts::target_folder(root).join("peers");
    let words =
        ["build", "--release", "--quiet", "--manifest-path", "peers/stateright/Cargo.toml", "--target-dir"];
    let built = Command::new("cargo").args(words).arg(&folder).current_dir(root).status();
    built.is_ok_and(|status| status.success()).then(|| folder.join("release/trueline-peer-stateright"))
}

fn have_spin() -> bool {
    let there = || Command::new("spin").arg("-V").output().is_ok_and(|out| out.status.success());
    if there() {
        return true;
    }
    eprintln!("installing SPIN: apt-get install spin");
    let apt =
        |words: &[&str]| Command::new("apt-get").args(words).output().is_ok_and(|out| out.status.success());
    apt(&["update", "-qq"]) && apt(&["install", "-y", "-qq", "spin"]) && there()
}

/// The least processor time of three runs.
fn best(run: impl FnMut() -> Option<Run>) -> Option<Run> {
    least(run, |run| run.seconds)
}

/// The least wall time of three runs.
fn fastest(run: impl FnMut() -> Option<Run>) -> Option<Run> {
    least(run, |run| run.wall)
}

fn least(mut run: impl FnMut() -> Option<Run>, of: impl Fn(&Run) -> f64) -> Option<Run> {
    let runs: Option<Vec<Run>> = (0..3).map(|_| run()).collect();
    runs?.into_iter().min_by(|a, b| of(a).total_cmp(&of(b)))
}

/// SPIN's verifier of a row. `states` is about how many it will find: its table is sized for them.
fn spin(root: &Path, folder: &Path, row: &Row, spin: Spin, states: u64) -> Option<Run> {
    std::fs::create_dir_all(folder).ok()?;
    let model = root.join(format!("peers/spin/{}.pml", row.model));
    let ran =
        |command: &mut Command| command.current_dir(folder).output().ok().filter(|out| out.status.success());
    ran(Command::new("spin").args(["-a", "-o2", "-o3"]).args(row.define).args(spin.define).arg(&model))?;
    let flags = ["-O2", "-DSAFETY", "-DMEMLIM=8192", "-w", "-o", "pan", "pan.c"];
    ran(Command::new("cc").args(flags).args(spin.flags))?;
    let least = states.next_power_of_two().ilog2();
    let sized = (least..least + 3).map(|bits| best(|| verifier(folder, bits)));
    sized.collect::<Option<Vec<Run>>>()?.into_iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds))
}

/// A run of SPIN's verifier with a table of so many bits.
fn verifier(folder: &Path, bits: u32) -> Option<Run> {
    let mut command = Command::new(folder.join("pan"));
    let Timed { output, seconds, wall } = timed(command.args(["-E", "-m4000000", &format!("-w{bits}")]))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let number = |line: &str| line.split_whitespace().next()?.parse::<f64>().ok();
    let of = |what: &str| text.lines().find(|line| line.contains(what)).and_then(number);
    if !text.contains("errors: 0") {
        return None;
    }
    let states = of("states, stored")? as u64;
    // What the states take, without the stack: it depends on the depth that was asked for.
    let memory = of("actual memory usage for states").or_else(|| of("memory used for hash table"))?;
    let table = of("memory used for hash table").unwrap_or(0.0);
    let bytes = ((memory + table) * 1024.0 * 1024.0) as u64;
    Some(Run { states, seconds, wall, bytes })
}

/// What a process printed, and what it took.
struct Timed {
    output: Output,
    seconds: f64,
    wall: f64,
}

fn timed(command: &mut Command) -> Option<Timed> {
    let (before, start) = (crate::usage::children_seconds(), Instant::now());
    let output = command.output().ok()?;
    let wall = start.elapsed().as_secs_f64();
    Some(Timed { output, seconds: crate::usage::children_seconds() - before, wall })
}

/// What a process that succeeded printed.
fn text(output: &Output) -> Option<&str> {
    std::str::from_utf8(&output.stdout).ok().filter(|_| output.status.success())
}

fn own(engine: &str, row: usize) -> Option<Run> {
    let program: PathBuf = std::env::current_exe().ok()?;
    let mut command = Command::new(program);
    command.args(["bench", "explore", "--one", engine, &row.to_string()]);
    let Timed { output, seconds, wall } = timed(&mut command)?;
    let numbers: Vec<u64> = text(&output)?.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [states, bytes] = numbers[..] else { return None };
    Some(Run { states, seconds, wall, bytes })
}

fn task(root: &Path, row: &Row) -> Option<Task> {
    let path = root.join(format!("peers/spin/{}.tl", row.model));
    let mut text = std::fs::read_to_string(path).ok()?;
    if row.call.is_some() {
        text = text.replace("call enq(1), deq();", "call enq(1), enq(2), deq();");
    }
    let overrides = Overrides {
        threads: row.threads,
        ops: row.ops.map(Ops::Count),
        roles: row.roles.iter().map(|(name, n)| (name.to_string(), *n)).collect(),
        ..Overrides::default()
    };
    Model::parse(text).instantiate(0, &overrides).ok()
}

/// One search in this process.
fn one_run(root: &Path, engine: &str, at: usize) -> ExitCode {
    let Some(task) = ROWS.get(at).and_then(|row| task(root, row)) else { return ExitCode::FAILURE };
    let jobs = if engine == "two" { 2 } else { 1 };
    let limits =
        Limits { memory: Some(8 << 30), time: Some(Duration::from_secs(300)), jobs, ..Limits::default() };
    let (states, bytes) = match engine {
        "hand" => {
            let Some(processes) = ROWS[at].threads.filter(|_| ROWS[at].model == "counter") else {
                return ExitCode::FAILURE;
            };
            let (states, _, bytes) = crate::by_hand::counter(processes);
            (states, bytes)
        }
        "fast" | "two" => {
            let count = fast::count(&task.machine, Reductions::NONE, &limits, &mut Silent);
            if !count.complete {
                return ExitCode::FAILURE;
            }
            (count.states, count.bytes)
        }
        "verdict" => {
            let Some(asked) = task.asked.iter().find(|asked| asked.question.specification().is_some()) else {
                return ExitCode::FAILURE;
            };
            let (machine, question) = (&task.machine, &asked.question);
            let outcome = search(machine, question, Engine::Auto, Reductions::AUTO, &limits, &mut Silent);
            if !matches!(outcome.verdict, Verdict::Holds(())) {
                return ExitCode::FAILURE;
            }
            (outcome.states, outcome.bytes)
        }
        _ => match count_states(&task.machine, &limits) {
            Ok((states, _)) => (states, 0),
            Err(_) => return ExitCode::FAILURE,
        },
    };
    println!("{states} {bytes}");
    ExitCode::SUCCESS
}
