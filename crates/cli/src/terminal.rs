//! What only a terminal sees: diagnostics, progress, Ctrl-C.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use trueline_base::{Diagnostic, Event, Limits, Observer};

use crate::args::{Color, Common};
use crate::files::ModelFile;
use crate::spill::Temporary;
use trueline_report::Problem;

/// Whether to colour what goes to a stream.
pub fn colour(common: &Common, terminal: bool) -> bool {
    match common.color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()),
    }
}

/// Nobody reads more messages about one file.
const MOST_SHOWN: usize = 100;

/// Prints diagnostics to standard error.
pub fn diagnostics(path: &str, source: &str, problems: &[Diagnostic], common: &Common) {
    let colour = colour(common, std::io::stderr().is_terminal());
    for problem in problems.iter().take(MOST_SHOWN) {
        eprintln!("{}", trueline_report::render_diagnostic(path, source, problem, colour));
        crate::annotate::diagnostic(path, source, problem);
    }
    let errors = problems.iter().filter(|d| d.is_error()).count();
    match problems.len().saturating_sub(MOST_SHOWN) {
        0 if errors < 2 => {}
        0 => eprintln!("{errors} errors in {path}"),
        more => eprintln!("{errors} errors in {path}; {more} more messages are not shown"),
    }
}

/// Prints the diagnostics of a model, each with the file that it is about; with `--json`, gives them instead.
pub fn problems(source: &ModelFile, problems: &[Diagnostic], common: &Common) -> Vec<Problem> {
    let mut all = Vec::new();
    let mut rest = problems;
    while let Some(first) = rest.first() {
        let of = first.span.source;
        let same = rest.iter().take_while(|problem| problem.span.source == of).count();
        let mut shown = rest[..same].to_vec();
        shown.iter_mut().for_each(|problem| elsewhere(source, problem));
        let (path, text) = source.model.file_of(first.span);
        let path = path.unwrap_or(&source.path);
        match common.json {
            true => all.extend(shown.iter().map(|problem| Problem::new(path, text, problem))),
            false => diagnostics(path, text, &shown, common),
        }
        rest = &rest[same..];
    }
    all
}

/// Labels in other files than the message's own cannot be shown among its lines: they become a part of the help. Those
/// in what is no file, such as an argument, are left out.
fn elsewhere(source: &ModelFile, problem: &mut Diagnostic) {
    let of = problem.span.source;
    for label in problem.labels.extract_if(.., |label| label.span.source != of) {
        let (path, text) = source.model.file_of(label.span);
        if path.is_none() && !label.span.source.is_file() {
            continue;
        }
        let (line, _) = label.span.line_column(text);
        let told = format!("{}:{line}: {}", path.unwrap_or(&source.path), label.text);
        problem.help = Some(problem.help.take().map_or(told.clone(), |help| format!("{help}; {told}")));
    }
}

/// Prints what is wrong with an argument, such as the text of `--client`; with `--json`, gives it instead.
pub fn argument(flag: &str, text: &str, problems: &[Diagnostic], common: &Common) -> Vec<Problem> {
    match common.json {
        true => problems.iter().map(|problem| Problem::new(flag, text, problem)).collect(),
        false => {
            diagnostics(flag, text, problems, common);
            Vec::new()
        }
    }
}

/// Characters in a line of standard output: `--width`, those of the terminal, `COLUMNS`, or 110.
pub fn width(common: &Common) -> usize {
    let wanted = || std::env::var("COLUMNS").ok()?.trim().parse::<usize>().ok().filter(|n| *n > 0);
    let terminal =
        || terminal_size::terminal_size_of(std::io::stdout()).map(|(w, _)| usize::from(w.0).min(160));
    match common.width {
        Some(width) => width.into(),
        None => terminal().or_else(wanted).unwrap_or(110).clamp(40, 400),
    }
}

/// As many of the parts as fit into a line, those with the highest numbers left out first.
fn fitting(parts: &[(u8, String)], width: usize) -> String {
    let line = |most: u8| {
        let kept: Vec<&str> =
            parts.iter().filter(|part| part.0 <= most).map(|part| part.1.as_str()).collect();
        format!(" {}", kept.join("  "))
    };
    let fits = |most: &u8| line(*most).chars().count() < width;
    let most = (1..=9).rev().find(fits).unwrap_or(0);
    line(most).chars().take(width.saturating_sub(1)).collect()
}

/// Processor time of this process so far.
pub fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name in parentheses may contain blanks; fields 14 and 15 count ticks of 10 ms.
    let rest = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks: u64 = rest.split_whitespace().skip(11).take(2).filter_map(|t| t.parse::<u64>().ok()).sum();
    ticks as f64 / 100.0
}

/// The limits of the command line. Without `--memory`, three quarters of what is available now.
pub fn limits(common: &Common, states: Option<u64>, cancel: &Arc<AtomicBool>) -> Limits {
    let memory = common.memory_limit().or_else(|| available_memory().map(|m| m / 4 * 3));
    let jobs = common.jobs.map_or_else(cpus, |n| n as usize);
    let resident: Option<fn() -> u64> = Some(resident_memory);
    let (cancel, spill): (_, Arc<dyn trueline_base::Spill>) = (Some(cancel.clone()), Arc::new(Temporary));
    Limits {
        time: common.time,
        memory,
        resident,
        states,
        cancel,
        jobs,
        checkpoints: None,
        spill: Some(spill),
    }
}

/// What this process takes, as the operating system sees it; 0 where that cannot be read.
fn resident_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

fn cpus() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|l| l.starts_with("MemAvailable:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// A flag that Ctrl-C sets; the second Ctrl-C ends the process.
pub fn cancel_on_interrupt() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let seen = flag.clone();
    let _ = ctrlc::set_handler(move || {
        if seen.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    flag
}

/// A line on standard error that follows the search, on a terminal only.
pub struct ProgressLine {
    title: String,
    shown: bool,
    enabled: bool,
    /// Characters in a line of the terminal.
    width: usize,
    start: Instant,
    last: Instant,
    last_states: u64,
    last_frontier: u64,
    limit: Option<u64>,
}

impl ProgressLine {
    /// Progress of one property.
    pub fn new(title: String, common: &Common, limit: Option<u64>) -> ProgressLine {
        let enabled = !common.quiet && std::io::stderr().is_terminal();
        let now = Instant::now();
        ProgressLine {
            title,
            shown: false,
            enabled,
            width: terminal_size::terminal_size_of(std::io::stderr()).map_or(80, |(w, _)| usize::from(w.0)),
            start: now,
            last: now,
            last_states: 0,
            last_frontier: 0,
            limit,
        }
    }

    fn line(&mut self, event: &Event) -> String {
        let seconds = self.start.elapsed().as_secs();
        let clock = format!("{:02}:{:02}", seconds / 60, seconds % 60);
        let memory = |bytes: u64| match self.limit {
            Some(limit) => format!("{} of {}", size(bytes), size(limit)),
            None => size(bytes),
        };
        match event {
            Event::Search { depth, states, frontier, bytes } => {
                let rate = (states - self.last_states.min(*states)) as f64
                    / self.last.elapsed().as_secs_f64().max(1e-3);
                let arrow = if *frontier < self.last_frontier { "↓" } else { "↑" };
                self.last_states = *states;
                self.last_frontier = *frontier;
                let parts = [
                    (0, format!("checking {}", self.title)),
                    (4, format!("depth {depth}")),
                    (1, format!("{} states", count(*states))),
                    (3, format!("{}/s", count(rate as u64))),
                    (5, format!("frontier {} {arrow}", count(*frontier))),
                    (2, memory(*bytes)),
                    (1, clock),
                ];
                fitting(&parts, self.width)
            }
            Event::Work { what, done, total, bytes } => {
                let of = total.map_or(String::new(), |t| format!(" of {}", count(t)));
                let parts = [
                    (0, format!("{what} {}", self.title)),
                    (1, format!("{}{of}", count(*done))),
                    (2, memory(*bytes)),
                    (1, clock),
                ];
                fitting(&parts, self.width)
            }
        }
    }

    /// Removes the line.
    pub fn clear(&mut self) {
        if self.shown {
            eprint!("\r\x1b[2K");
            let _ = std::io::stderr().flush();
            self.shown = false;
        }
    }
}

impl Observer for ProgressLine {
    fn event(&mut self, event: &Event) {
        // The first line waits a little: short checks show nothing.
        let due = if self.shown { Duration::from_millis(200) } else { Duration::from_millis(500) };
        if !self.enabled || self.last.elapsed() < due {
            return;
        }
        let line = self.line(event);
        self.last = Instant::now();
        self.shown = true;
        eprint!("\r\x1b[2K{line}");
        let _ = std::io::stderr().flush();
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.clear();
    }
}

fn count(n: u64) -> String {
    match n {
        0..10_000 => n.to_string(),
        10_000..1_000_000 => format!("{:.0} k", n as f64 / 1e3),
        _ => format!("{:.1} M", n as f64 / 1e6),
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_progress_line_fits() {
        let parts =
            [(0, "checking linearizable of MSQueue".into()), (2, "depth 12".into()), (1, "00:03".into())];
        assert_eq!(fitting(&parts, 80), " checking linearizable of MSQueue  depth 12  00:03");
        assert_eq!(fitting(&parts, 48), " checking linearizable of MSQueue  00:03");
        assert_eq!(fitting(&parts, 36), " checking linearizable of MSQueue");
        assert_eq!(fitting(&parts, 20), " checking lineariza");
    }
}
