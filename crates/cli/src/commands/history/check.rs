//! `trueline history check LOG… --spec NAME`

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use trueline_base::{Limits, Meter, Observer, Silent};
use trueline_history::read::{Format, Problem as Misfit, Reading, told_format};
use trueline_history::{CheckError, Options, Report, Verdict, html, visible};
use trueline_report::Problem;
use trueline_report::history::{HistoryDocument, LogAnswer, Shown, render_log};

use super::answer::answer;
use super::{EngineChoice, HistoryCheckArgs, enough, located, read_log, thin, wanted};
use crate::args::Common;
use crate::exit::Exit;
use crate::terminal;

/// The answer for one log.
pub(super) struct Answered {
    pub path: String,
    pub reading: Reading,
    pub report: Report,
    pub elapsed: Duration,
}

/// The exit code of a verdict.
pub(super) fn exit(verdict: &Verdict) -> Exit {
    match verdict {
        Verdict::Holds(_) => Exit::Expected,
        Verdict::Fails(_) => Exit::Unexpected,
        Verdict::Unknown(_) => Exit::Unknown,
    }
}

/// The logs that are meant, folders in order.
fn logs(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut all = Vec::new();
    for path in paths {
        if !path.is_dir() {
            all.push(path.clone());
            continue;
        }
        let entries = std::fs::read_dir(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let mut inside: Vec<PathBuf> = entries.flatten().map(|e| e.path()).filter(|p| p.is_file()).collect();
        inside.retain(|p| !p.file_name().is_some_and(|n| n.to_string_lossy().starts_with('.')));
        inside.sort();
        if inside.is_empty() {
            return Err(format!("{}: there is no log in this folder", path.display()));
        }
        all.extend(inside);
    }
    Ok(all)
}

fn one(path: &Path, args: &HistoryCheckArgs, limits: &Limits, observer: &mut dyn Observer) -> Checked {
    let start = Instant::now();
    let meter = Meter::start(limits.clone());
    let mut reading = read_log(path, &args.read, limits.memory).map_err(|m| (m, Exit::Input))?;
    enough(path, &reading.history, args.require)?;
    let spec = wanted(&args.read, reading.spec.as_deref(), Some(&reading.history))
        .map_err(|(m, exit)| (format!("{}: {m}", path.display()), exit))?;
    let options = Options {
        condition: args.condition.clone(),
        // A page draws it.
        witness: args.witness || args.html.is_some(),
        monitors: args.engine == EngineChoice::Auto,
        ..Options::default()
    };
    spec.allows(&args.condition)?;
    let asked = spec.asked()?;
    // A log that was taken for another format than it has may be understood, and fit nothing.
    let misfit = |problem: Misfit, format: Format| {
        let told = match args.read.format {
            None => told_format(problem, format),
            Some(_) => problem,
        };
        (located(path, &told), Exit::Input)
    };
    let series = asked.expanded(&reading.history).map_err(|p| misfit(p, reading.format))?;
    reading.history = series.unwrap_or(reading.history);
    let report = asked.check(&reading.history, &options, &meter, observer);
    let report = report.map_err(|error| match error {
        CheckError::Problem(problem) => misfit(problem, reading.format),
        CheckError::Unconfirmed(why) => unconfirmed(path, &why),
    })?;
    spec.sound(&report.verdict)?;
    if report.verdict.holds() {
        reading.remarks.extend(thin(&reading.history).map(str::to_string));
    }
    Ok(Answered { path: path.display().to_string(), reading, report, elapsed: start.elapsed() })
}

/// A result that could not be confirmed is a fault of the tool, and no verdict.
pub(super) fn unconfirmed(path: &Path, why: &str) -> (String, Exit) {
    (format!("{}: {why}; please report it with the log", path.display()), Exit::Internal)
}

/// The answer for a log, or why there is none.
type Checked = Result<Answered, (String, Exit)>;

/// Checks all logs, several at once.
pub(super) fn run(args: &HistoryCheckArgs, common: &Common) -> Exit {
    let paths = match logs(&args.logs) {
        Ok(paths) => paths,
        Err(message) => return show(&[Err((message, Exit::Input))], args, common),
    };
    if args.html.is_some() && paths.len() > 1 {
        return show(&[Err(("--html is for one log".into(), Exit::Usage))], args, common);
    }
    let cancel = terminal::cancel_on_interrupt();
    let mut limits = terminal::limits(common, None, &cancel);
    let cpus = std::thread::available_parallelism().map_or(1, |n| n.get());
    let workers = common.jobs.map_or(cpus, |n| n as usize).clamp(1, paths.len());
    limits.memory = limits.memory.map(|m| m / workers as u64);
    let slots: Vec<OnceLock<Checked>> = paths.iter().map(|_| OnceLock::new()).collect();
    if workers == 1 {
        for (path, slot) in paths.iter().zip(&slots) {
            let mut progress = terminal::ProgressLine::new(path.display().to_string(), common, limits.memory);
            slot.get_or_init(|| one(path, args, &limits, &mut progress));
        }
    } else {
        let next = AtomicUsize::new(0);
        std::thread::scope(|threads| {
            for _ in 0..workers {
                threads.spawn(|| {
                    loop {
                        let i = next.fetch_add(1, Ordering::Relaxed);
                        let Some(path) = paths.get(i) else { break };
                        slots[i].get_or_init(|| one(path, args, &limits, &mut Silent));
                    }
                });
            }
        });
    }
    let answers: Vec<Checked> = slots.into_iter().filter_map(OnceLock::into_inner).collect();
    show(&answers, args, common)
}

/// Shows the answers in the order of the logs.
pub(super) fn show(answers: &[Checked], args: &HistoryCheckArgs, common: &Common) -> Exit {
    let mut exit_code = Exit::Expected;
    let mut problems = Vec::new();
    let mut trouble = |file: &str, message: &str, exit: Exit| match (common.json, exit) {
        (true, _) => problems.push(Problem::of_file(file, message)),
        (false, Exit::Internal) => eprintln!("internal error: {message}"),
        (false, _) => eprintln!("error: {message}"),
    };
    for answered in answers {
        match answered {
            Ok(a) => {
                exit_code = exit_code.and(exit(&a.report.verdict));
                for remark in a.reading.remarks.iter().filter(|_| !common.quiet && !common.json) {
                    eprintln!("note: {}: {}", a.path, visible(remark));
                }
                if let Some(file) = &args.html {
                    let page = html::page(&a.path, &a.reading.history, &a.report);
                    if let Err(e) = std::fs::write(file, page) {
                        trouble(
                            &file.display().to_string(),
                            &format!("{}: {e}", file.display()),
                            Exit::Input,
                        );
                        exit_code = exit_code.and(Exit::Input);
                    }
                }
            }
            Err((message, e)) => {
                trouble("", message, *e);
                exit_code = exit_code.and(*e);
            }
        }
    }
    let told: Vec<LogAnswer> = answers.iter().flatten().map(|a| answer(a, args.witness)).collect();
    if common.json {
        print!("{}", HistoryDocument::new(told, problems).write());
    } else {
        let shown = Shown { witness: args.witness, scope: told.len() == 1 || common.verbose };
        for log in told.iter().filter(|log| !(common.quiet && log.verdict.holds())) {
            print!("{}", visible(&render_log(log, shown)));
        }
    }
    exit_code
}
