//! `cargo xtask bench lts`: reduction and inclusion of transition systems against merc_reduction.
//!
//! Both tools read the same generated files, each in a process of its own, in one run; seconds are
//! CPU seconds of whole processes with one thread, on average over so many that they take a second
//! together; peak memory is the kernel's. Targets: four times merc's speed on structured systems,
//! never slower on any; twenty times for inclusion. What lies after reading is shown beside.

use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use crate::usage::{children_seconds, own_seconds, peak_bytes, thread_seconds};
use trueline_base::{Limits, Meter, Silent};
use trueline_lts::{Equivalence, inclusion, quotient, read, write};

use crate::bench_lts_huge;
use crate::bench_lts_rows::{BISIMULATIONS, INCLUSIONS, REDUCTIONS, System};

/// A run that takes longer by the clock on the wall is given up.
const PATIENCE: Duration = Duration::from_secs(300);

/// Short runs are repeated until they have taken so many CPU seconds.
const ENOUGH: f64 = 1.0;

/// How the runs of a command ended.
enum Ending {
    Done(Outcome),
    /// After so many CPU seconds.
    GivenUp(f64),
    Failed,
}

/// What one run printed and took; or several, on average.
struct Outcome {
    sizes: (u64, u64),
    seconds: f64,
    after_reading: f64,
    peak: u64,
}

/// Runs the benchmark. `words` are what follows `bench lts`: nothing, `--huge [TRANSITIONS]`, or
/// files to reduce by branching bisimulation in addition.
pub fn command(root: &Path, words: &[String]) -> ExitCode {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["--one", ref rest @ ..] => one(rest),
        ["--huge"] => bench_lts_huge::command(200_000_000),
        ["--huge", count] => match count.parse() {
            Ok(count) => bench_lts_huge::command(count),
            Err(_) => usage(),
        },
        ref files if files.iter().all(|f| !f.starts_with('-')) => table(root, files),
        _ => usage(),
    }
}

fn usage() -> ExitCode {
    eprintln!("usage: cargo xtask bench lts [FILE.aut …] | --huge [TRANSITIONS]");
    ExitCode::from(64)
}

fn table(root: &Path, files: &[&str]) -> ExitCode {
    let folder = target_folder(root).join("bench-lts");
    let Some(peer) = build_peer(root) else { return ExitCode::FAILURE };
    let Ok(own) = std::env::current_exe() else { return ExitCode::FAILURE };
    if let Err(e) = std::fs::create_dir_all(&folder) {
        eprintln!("{}: {e}", folder.display());
        return ExitCode::FAILURE;
    }
    println!(
        "| system | states / transitions | question | result | ours, CPU s (after reading) / MB | merc, the same | ratio (after reading) | target |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let bench = Bench { own, peer };
    let mut good = true;
    for row in REDUCTIONS {
        let Some((file, size)) = generate(root, &folder, &row.system) else { return ExitCode::FAILURE };
        for &(by, known) in row.by {
            let title = format!("{} | {size} | {by}", row.system.name);
            good &= bench.line(&title, &["reduce", by, &file], row.target(by), known);
        }
    }
    for file in files {
        for by in BISIMULATIONS {
            let target = if *by == "strong" { 1.0 } else { 4.0 };
            good &= bench.line(&format!("{file} | | {by}"), &["reduce", by, file], target, None);
        }
    }
    for (left, right) in INCLUSIONS {
        let files = (generate(root, &folder, left), generate(root, &folder, right));
        let (Some((a, size)), Some((b, _))) = files else { return ExitCode::FAILURE };
        let title = format!("{} | {size} | included in {}", left.name, right.name);
        good &= bench.line(&title, &["include", &a, &b], 20.0, Some(1));
    }
    println!(
        "\n| system | threads | branching quotient | reading, wall s | reducing, wall s | inclusion in the quotient, wall s | all, CPU s |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (left, _) in &INCLUSIONS[..2] {
        good &= bench.threads(left.name, &folder.join(format!("{}.aut", left.name)).display().to_string());
    }
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

struct Bench {
    own: PathBuf,
    peer: PathBuf,
}

impl Bench {
    /// What more threads are good for: wall times with one and with two on one file. Whether the
    /// results agree.
    fn threads(&self, name: &str, file: &str) -> bool {
        let mut sizes = Vec::new();
        for jobs in ["1", "2"] {
            let output =
                Command::new(&self.own).args(["bench", "lts", "--one", "threads", jobs, file]).output();
            let text = output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
            let words: Vec<&str> = text.split_whitespace().collect();
            let [states, transitions, ref seconds @ ..] = words[..] else { return false };
            println!("| {name} | {jobs} | {states} / {transitions} | {} |", seconds.join(" | "));
            sizes.push((states.to_string(), transitions.to_string()));
        }
        sizes.windows(2).all(|w| w[0] == w[1])
    }

    /// One line of the table; whether the results agree and the target is met.
    fn line(&self, title: &str, words: &[&str], target: f64, known: Option<u64>) -> bool {
        let ours = outcome(Command::new(&self.own).args(["bench", "lts", "--one"]).args(words));
        let theirs = outcome(Command::new(&self.peer).args(words));
        let show = |ending: &Ending| match ending {
            Ending::Done(o) => format!("{:.3} ({:.3}) / {}", o.seconds, o.after_reading, o.peak >> 20),
            Ending::GivenUp(seconds) => format!("given up after {seconds:.0} CPU s"),
            Ending::Failed => "failed".to_string(),
        };
        let (result, ratio, met) = match (&ours, &theirs) {
            (Ending::Done(ours), theirs) => {
                let (ratio, shown) = match theirs {
                    Ending::Done(o) => {
                        let (whole, after) = (o.seconds / ours.seconds, o.after_reading / ours.after_reading);
                        (whole, format!("{whole:.1} ({after:.1})"))
                    }
                    Ending::GivenUp(seconds) => {
                        (seconds / ours.seconds, format!("over {:.1}", seconds / ours.seconds))
                    }
                    Ending::Failed => (0.0, "-".to_string()),
                };
                let met = match theirs {
                    Ending::Done(theirs) if theirs.sizes != ours.sizes => "DIFFERENT RESULTS",
                    _ if known.is_some_and(|known| known != ours.sizes.0) => "NOT THE KNOWN SIZE",
                    _ if ratio >= target => "met",
                    _ => "missed",
                };
                (format!("{} / {}", ours.sizes.0, ours.sizes.1), shown, met)
            }
            _ => ("-".to_string(), "-".to_string(), "missed"),
        };
        println!(
            "| {title} | {result} | {} | {} | {ratio} | {target:.0} {met} |",
            show(&ours),
            show(&theirs)
        );
        met == "met"
    }
}

/// Runs a command until it has taken enough time.
fn outcome(command: &mut Command) -> Ending {
    let start = children_seconds();
    let (mut runs, mut after_reading) = (0.0, 0.0);
    loop {
        let (text, in_time) = run(command);
        let spent = children_seconds() - start;
        if !in_time {
            return Ending::GivenUp(spent);
        }
        let Some(last) = printed(&text) else { return Ending::Failed };
        after_reading += last.after_reading;
        runs += 1.0;
        if spent >= ENOUGH {
            return Ending::Done(Outcome {
                seconds: spent / runs,
                after_reading: after_reading / runs,
                ..last
            });
        }
    }
}

/// What a command prints, and whether it ended before patience did.
fn run(command: &mut Command) -> (String, bool) {
    let mut text = String::new();
    let Ok(mut child) = command.stdout(Stdio::piped()).spawn() else { return (text, true) };
    let start = Instant::now();
    while let Ok(None) = child.try_wait() {
        if start.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            return (text, false);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    if let Some(mut out) = child.stdout {
        let _ = out.read_to_string(&mut text);
    }
    (text, true)
}

/// Reads the line of one run; its seconds are measured from outside.
fn printed(text: &str) -> Option<Outcome> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [states, transitions, _, after_reading, peak] = words[..] else { return None };
    Some(Outcome {
        sizes: (states.parse().ok()?, transitions.parse().ok()?),
        seconds: 0.0,
        after_reading: after_reading.parse().ok()?,
        peak: peak.parse().ok()?,
    })
}

/// Where cargo builds.
pub(crate) fn target_folder(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}

fn build_peer(root: &Path) -> Option<PathBuf> {
    let folder = target_folder(root).join("peers");
    eprintln!("building the peer in {}", folder.display());
    let status = Command::new("cargo")
        .args(["build", "--release", "--quiet", "--manifest-path"])
        .arg(root.join("peers/merc/Cargo.toml"))
        .arg("--target-dir")
        .arg(&folder)
        .status();
    match status {
        Ok(status) if status.success() => Some(folder.join("release/trueline-peer-merc")),
        other => {
            eprintln!("the peer cannot be built: {other:?}");
            None
        }
    }
}

/// Writes a system; where, and how large it is.
fn generate(root: &Path, folder: &Path, system: &System) -> Option<(String, String)> {
    let path = folder.join(format!("{}.aut", system.name));
    let written = system.make(root).and_then(|lts| {
        let file = File::create(&path).map_err(|e| e.to_string())?;
        let mut out = BufWriter::new(file);
        write::aut(&lts, "tau", &mut out).and_then(|()| out.flush()).map_err(|e| e.to_string())?;
        Ok(format!("{} / {}", lts.states(), lts.transitions()))
    });
    match written {
        Ok(size) => Some((path.display().to_string(), size)),
        Err(e) => {
            eprintln!("{}: {e}", path.display());
            None
        }
    }
}

/// One measurement of ours, in the form that the peer prints too.
fn one(words: &[&str]) -> ExitCode {
    if let ["threads", jobs, file] = *words {
        return match in_threads(jobs, file) {
            Ok(line) => {
                println!("{line}");
                ExitCode::SUCCESS
            }
            Err(why) => {
                eprintln!("{why}");
                ExitCode::FAILURE
            }
        };
    }
    let meter = Meter::start(Limits::default());
    let load = |path: &str| {
        let file = File::open(path).map_err(|e| e.to_string())?;
        read::any(file, &read::Options::default(), &meter, &mut Silent).map_err(|e| e.to_string())
    };
    let result = match *words {
        ["reduce", by, file] => (|| {
            let by: Equivalence = by.parse()?;
            let lts = load(file)?;
            let start = thread_seconds();
            let small = quotient(&lts, by, &meter, &mut Silent).map_err(|e| e.to_string())?.system;
            Ok((small.states() as u64, small.transitions() as u64, start))
        })(),
        ["include", left, right] => (|| {
            let (left, right) = (load(left)?, load(right)?);
            let start = thread_seconds();
            let answer = inclusion(&left, &right, &meter, &mut Silent).map_err(|e| e.to_string())?;
            Ok((u64::from(answer.holds()), 0, start))
        })(),
        _ => Err("--one reduce BY FILE | --one include LEFT RIGHT".to_string()),
    };
    match result {
        Ok((states, transitions, start)) => {
            let seconds = thread_seconds() - start;
            println!("{states} {transitions} {start:.4} {seconds:.4} {}", peak_bytes());
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// Sizes of the quotient, wall seconds of reading, reducing and inclusion in the quotient, CPU
/// seconds of all.
fn in_threads(jobs: &str, file: &str) -> Result<String, String> {
    let jobs = jobs.parse().map_err(|_| "a number of threads".to_string())?;
    let meter = Meter::start(Limits { jobs, ..Limits::default() });
    let input = File::open(file).map_err(|e| e.to_string())?;
    let lts = read::any(input, &read::Options::default(), &meter, &mut Silent).map_err(|e| e.to_string())?;
    let reading = meter.elapsed().as_secs_f64();
    let small =
        quotient(&lts, Equivalence::Branching, &meter, &mut Silent).map_err(|e| e.to_string())?.system;
    let reducing = meter.elapsed().as_secs_f64() - reading;
    let answer = inclusion(&lts, &small, &meter, &mut Silent).map_err(|e| e.to_string())?;
    if !answer.holds() {
        return Err("a system is not included in its quotient".into());
    }
    let including = meter.elapsed().as_secs_f64() - reading - reducing;
    let (states, transitions) = (small.states(), small.transitions());
    Ok(format!("{states} {transitions} {reading:.2} {reducing:.2} {including:.2} {:.2}", own_seconds()))
}
