//! The tables of quotients: Yang, Katoen, Lin, Liu and Wu, Branching Bisimulation and Concurrent Object Verification
//! (DSN 2018), tables III, V, VI and VII and figure 10, beside ours.
//!
//! Quotients must have the sizes that are printed; raw systems differ, since steps are modelled differently. Every
//! lock-freedom is decided twice: by divergence from the quotient (theorem 5.9) and by cycles of the reduced state
//! space; the times stand side by side.

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use trueline_base::{Limits, Meter, Silent};
use trueline_check::Verdict;
use trueline_check::fast::{self, Reductions};
use trueline_lang::question::{Progress, Question};
use trueline_lts::{Comparison, Equivalence, Lts, compare, inclusion, quotient};

use crate::objects::{ABSTRACT, CCAS, DGLM, HEIGHT, HM, HW, LAZY, MS, ModelRow, object};

/// A row takes at most so long.
const LONGEST: Duration = Duration::from_secs(600);

/// An object at a size, and what the paper prints.
struct Row {
    name: &'static str,
    size: &'static str,
    object: ModelRow,
    states: &'static str,
    quotient: usize,
    lock_free: bool,
    /// Whether it is branching and weakly bisimilar to its specification, where the paper says so (table VII).
    bisimilar: Option<(bool, bool)>,
    large: bool,
}

const fn row(
    name: &'static str,
    size: &'static str,
    object: ModelRow,
    states: &'static str,
    quotient: usize,
) -> Row {
    Row { name, size, object, states, quotient, lock_free: true, bisimilar: None, large: false }
}

const fn large(row: Row) -> Row {
    Row { large: true, ..row }
}

const fn blocking(row: Row) -> Row {
    Row { lock_free: false, ..row }
}

const fn compared(row: Row, branching: bool, weak: bool) -> Row {
    Row { bisimilar: Some((branching, weak)), ..row }
}

/// Tables III, V, VI and VII.
const ROWS: &[Row] = &[
    row("MS queue", "2-1", object(MS, 2, 2, 1), "326", 28),
    row("MS queue", "2-2", object(MS, 2, 2, 2), "5477", 209),
    row("MS queue", "2-3", object(MS, 2, 2, 3), "49038", 863),
    row("MS queue", "2-4", object(MS, 2, 2, 4), "304049", 2648),
    compared(row("MS queue", "2-5", object(MS, 2, 2, 5), "1554292", 6765), false, false),
    large(row("MS queue", "2-6", object(MS, 2, 2, 6), "7092627", 15_820)),
    large(row("MS queue", "2-7", object(MS, 2, 2, 7), "30265728", 35_021)),
    row("MS queue", "3-1", object(MS, 2, 3, 1), "10845", 220),
    row("MS queue", "3-2", object(MS, 2, 3, 2), "1496486", 7337),
    large(row("MS queue", "3-3", object(MS, 2, 3, 3), "76157266", 74_551)),
    row("MS queue", "4-1", object(MS, 2, 4, 1), "485872", 2476),
    row("DGLM queue", "2-4", object(DGLM, 1, 2, 4), "261671", 2648),
    compared(row("DGLM queue", "2-5", object(DGLM, 1, 2, 5), "1310133", 6765), false, false),
    row("DGLM queue", "3-2", object(DGLM, 1, 3, 2), "1210014", 7337),
    row("DGLM queue", "4-1", object(DGLM, 1, 4, 1), "415329", 2476),
    blocking(row("Herlihy-Wing queue", "3-1", object(HW, 1, 3, 1), "1324", 156)),
    blocking(compared(row("Herlihy-Wing queue", "3-2", object(HW, 1, 3, 2), "89483", 4018), false, false)),
    compared(row("Harris-Michael list", "3-2", object(HM, 2, 3, 2), "472664", 12_422), false, false),
    blocking(compared(row("lazy list", "3-2", object(LAZY, 2, 3, 2), "1311915", 15_368), false, false)),
    compared(row("CCAS", "4-1", CCAS_ROLES, "1688", 195), false, false),
    compared(row("Treiber stack by height", "2-2", object(HEIGHT, 1, 2, 2), "823", 234), true, true),
];

/// The client of the paper's row: one call each.
const CCAS_ROLES: ModelRow =
    object(CCAS, 2, 4, 1).client("ccas(1, 2) || ccas(2, 1) || setflag(false) || setflag(true)");

/// Prints the tables; `--large` also those of minutes, `--svg FILE` draws figure 10.
pub fn command(root: &Path, words: &[String]) -> ExitCode {
    let with_large = words.iter().any(|word| word == "--large");
    println!(
        "| object | size | states, paper | states | quotient, paper | quotient | ~ specification | weakly | lock-free | by quotient, s | by cycles, s | states for cycles |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let mut wrong = 0;
    for row in ROWS.iter().filter(|row| with_large || !row.large) {
        match one(root, row) {
            Ok(text) => println!("{text}"),
            Err(why) => {
                wrong += 1;
                println!(
                    "| {} | {} | {} | {why} | {} | | | | | | | |",
                    row.name, row.size, row.states, row.quotient
                );
            }
        }
    }
    if let Some(at) = words.iter().position(|word| word == "--svg") {
        let Some(path) = words.get(at + 1) else {
            eprintln!("--svg takes a file");
            return ExitCode::from(64);
        };
        if let Err(why) = std::fs::write(path, figure(root)) {
            eprintln!("{path}: {why}");
            return ExitCode::FAILURE;
        }
        println!("\nfigure 10: {path}");
    }
    wrong += queues(root, with_large);
    println!(
        "\n{} rows, {wrong} differ from the paper",
        ROWS.iter().filter(|r| with_large || !r.large).count()
            + QUEUES.iter().filter(|r| with_large || !r.large).count()
    );
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn one(root: &Path, row: &Row) -> Result<String, String> {
    let limits = Limits { time: Some(LONGEST), memory: Some(12 << 30), ..Limits::default() };
    let meter = Meter::start(limits.clone());
    let start = Instant::now();
    let lts = row.object.system(root)?;
    let stopped = |stop: trueline_base::Stop| stop.to_string();
    let small = quotient(&lts, Equivalence::Branching, &meter, &mut Silent).map_err(stopped)?.system;
    let same = |left: &Lts, right: &Lts, by: Equivalence| match compare(left, right, by, &meter, &mut Silent)
    {
        Ok(Comparison::Unknown(stop)) => Err(stop.to_string()),
        Ok(verdict) => Ok(verdict.holds()),
        Err(unconfirmed) => Err(unconfirmed.to_string()),
    };
    let converges = same(&lts, &small, Equivalence::DpBranching)?;
    let by_quotient = start.elapsed().as_secs_f64();
    let task = row.object.task(root)?;
    let question = Question::Progress { progress: Progress::LockFree, spec: None };
    let start = Instant::now();
    let found = fast::decide(&task.machine, &question, Reductions::ALL, &limits, &mut Silent);
    let by_cycles = start.elapsed().as_secs_f64();
    let lock_free = match &found.verdict {
        Verdict::Holds(()) => true,
        Verdict::Fails(_) => false,
        Verdict::Unknown(why) => return Err(format!("{why:?}")),
    };
    let mut problems = String::new();
    if small.states() != row.quotient {
        let _ = write!(problems, "quotient {} instead of {}; ", small.states(), row.quotient);
    }
    // Where threads wait for locks, a system has no silent cycle, and is not lock-free all the same.
    if lock_free != row.lock_free || (!task.machine.object.can_wait() && converges != lock_free) {
        let _ = write!(problems, "lock-free by cycles {lock_free}, by quotient {converges}; ");
    }
    let mut columns = ["-".to_string(), "-".to_string()];
    if let Some((branching, weak)) = row.bisimilar {
        let spec = quotient(&row.object.spec().system(root)?, Equivalence::Branching, &meter, &mut Silent);
        let spec = spec.map_err(stopped)?.system;
        let ours = (same(&small, &spec, Equivalence::Branching)?, same(&small, &spec, Equivalence::Weak)?);
        if ours != (branching, weak) {
            let _ = write!(problems, "bisimilar to the specification: {ours:?}; ");
        }
        columns = [word(ours.0).to_string(), word(ours.1).to_string()];
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(format!(
        "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {by_quotient:.2} | {by_cycles:.2} | {} |",
        row.name,
        row.size,
        row.states,
        lts.states(),
        row.quotient,
        small.states(),
        columns[0],
        columns[1],
        word(lock_free),
        found.states
    ))
}

/// A row of table VI: threads, operations, and the quotients of the specification and of the queues.
struct Queues {
    threads: u32,
    ops: u32,
    spec: usize,
    queue: usize,
    large: bool,
}

const fn queues_of(threads: u32, ops: u32, spec: usize, queue: usize) -> Queues {
    Queues { threads, ops, spec, queue, large: spec > 15_000 }
}

/// Table VI.
const QUEUES: &[Queues] = &[
    queues_of(2, 1, 28, 28),
    queues_of(2, 2, 209, 209),
    queues_of(2, 3, 817, 863),
    queues_of(2, 4, 2_471, 2_648),
    queues_of(2, 5, 6_347, 6_765),
    queues_of(2, 6, 15_041, 15_820),
    queues_of(2, 7, 33_739, 35_021),
    queues_of(3, 1, 220, 220),
    queues_of(3, 2, 6_152, 7_337),
    queues_of(3, 3, 62_808, 74_551),
    queues_of(4, 1, 2_040, 2_476),
];

/// Prints table VI: the queues against the abstract one (theorem 5.8) and against the specification (theorem 5.3). Gives
/// how many rows differ from the paper.
fn queues(root: &Path, with_large: bool) -> usize {
    println!(
        "\nTable VI: theorem 5.8 compares with the abstract queue, theorem 5.3 the quotients' traces; both after generation\n"
    );
    println!(
        "| size | MS | DGLM | specification | abstract | quotient of the specification | of the queues | 5.8 MS, s | 5.8 DGLM, s | result | 5.3 MS, s | 5.3 DGLM, s | result |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    let mut wrong = 0;
    for row in QUEUES.iter().filter(|row| with_large || !row.large) {
        let text = queues_row(root, row).unwrap_or_else(|why| {
            wrong += 1;
            format!(
                "| {}-{} | {why} | | | | {} | {} | | | | | | |",
                row.threads, row.ops, row.spec, row.queue
            )
        });
        println!("{text}");
    }
    wrong
}

fn queues_row(root: &Path, row: &Queues) -> Result<String, String> {
    let limits = Limits { time: Some(LONGEST), memory: Some(12 << 30), ..Limits::default() };
    let meter = Meter::start(limits);
    let reduced = |lts: &Lts| {
        let small = quotient(lts, Equivalence::Branching, &meter, &mut Silent);
        small.map(|small| small.system).map_err(|stop| stop.to_string())
    };
    let sized = |model, check| object(model, check, row.threads, row.ops);
    let spec = sized(MS, 2).spec().system(root)?;
    let coarse = sized(ABSTRACT, 3).system(root)?;
    let spec_quotient = reduced(&spec)?;
    let (mut sizes, mut equivalent, mut included) = (Vec::new(), Vec::new(), Vec::new());
    for model in [sized(MS, 2), sized(DGLM, 1)] {
        let lts = model.system(root)?;
        let start = Instant::now();
        let same = compare(&lts, &coarse, Equivalence::DpBranching, &meter, &mut Silent);
        let same = same.map_err(|unconfirmed| unconfirmed.to_string())?.holds();
        equivalent.push((same, start.elapsed().as_secs_f64()));
        let start = Instant::now();
        let small = reduced(&lts)?;
        let inclusion = inclusion(&small, &spec_quotient, &meter, &mut Silent);
        let holds = inclusion.map_err(|unconfirmed| unconfirmed.to_string())?.holds();
        included.push((holds, start.elapsed().as_secs_f64()));
        sizes.push((lts.states(), small.states()));
    }
    let quotients = (spec_quotient.states(), sizes[0].1, sizes[1].1);
    if quotients != (row.spec, row.queue, row.queue) {
        return Err(format!("quotients {quotients:?}"));
    }
    let all = equivalent.iter().chain(&included).all(|(yes, _)| *yes);
    if !all {
        return Err(format!("equivalent to the abstract queue {equivalent:?}, linearizable {included:?}"));
    }
    Ok(format!(
        "| {}-{} | {} | {} | {} | {} | {} | {} | {:.2} | {:.2} | yes | {:.2} | {:.2} | yes |",
        row.threads,
        row.ops,
        sizes[0].0,
        sizes[1].0,
        spec.states(),
        coarse.states(),
        row.spec,
        row.queue,
        equivalent[0].1,
        equivalent[1].1,
        included[0].1,
        included[1].1
    ))
}

fn word(yes: bool) -> &'static str {
    if yes { "yes" } else { "no" }
}

/// Objects of figure 10: two threads, more and more operations.
const FIGURE: &[(&str, &str, usize)] = &[
    ("MS queue", MS, 2),
    ("DGLM queue", DGLM, 1),
    ("Herlihy-Wing queue", HW, 1),
    ("Harris-Michael list", HM, 2),
    ("lazy list", LAZY, 2),
    ("Treiber stack", HEIGHT, 1),
];

/// States that a point of the figure may have.
const MOST: usize = 2_000_000;

/// Figure 10: sizes of systems and of their quotients, both logarithmic.
fn figure(root: &Path) -> String {
    let meter = Meter::start(Limits::default());
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" height=\"520\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"720\" height=\"520\" fill=\"white\"/>\n",
    );
    let place = |n: usize, length: f64| (n.max(1) as f64).log10() / 7.0 * length;
    for power in 0..=7 {
        let (x, y) = (60.0 + power as f64 / 7.0 * 460.0, 480.0 - power as f64 / 7.0 * 440.0);
        let _ = writeln!(svg, "<line x1=\"{x:.0}\" y1=\"40\" x2=\"{x:.0}\" y2=\"480\" stroke=\"#ddd\"/>");
        let _ = writeln!(svg, "<line x1=\"60\" y1=\"{y:.0}\" x2=\"520\" y2=\"{y:.0}\" stroke=\"#ddd\"/>");
        let _ = writeln!(svg, "<text x=\"{x:.0}\" y=\"498\" text-anchor=\"middle\">10^{power}</text>");
        let _ = writeln!(svg, "<text x=\"54\" y=\"{:.0}\" text-anchor=\"end\">10^{power}</text>", y + 4.0);
    }
    let colours = ["#1b6ca8", "#c1440e", "#2e7d32", "#7b1fa2", "#b8860b", "#444444"];
    for (at, (name, model, check)) in FIGURE.iter().enumerate() {
        let mut points = String::new();
        for ops in 1..=10 {
            let Ok(lts) = object(model, *check, 2, ops).system(root) else { break };
            let Ok(small) = quotient(&lts, Equivalence::Branching, &meter, &mut Silent) else { break };
            let (x, y) = (60.0 + place(lts.states(), 460.0), 480.0 - place(small.system.states(), 440.0));
            let _ = write!(points, "{x:.1},{y:.1} ");
            let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{}\"/>", colours[at]);
            if lts.states() * 6 > MOST {
                break;
            }
        }
        let y = 60 + 20 * at;
        let _ = writeln!(svg, "<polyline points=\"{points}\" fill=\"none\" stroke=\"{}\"/>", colours[at]);
        let _ = writeln!(
            svg,
            "<rect x=\"540\" y=\"{}\" width=\"12\" height=\"12\" fill=\"{}\"/>",
            y - 10,
            colours[at]
        );
        let _ = writeln!(svg, "<text x=\"558\" y=\"{y}\">{name}</text>");
    }
    svg += "<text x=\"290\" y=\"516\" text-anchor=\"middle\">states</text>\n\
            <text x=\"16\" y=\"260\" text-anchor=\"middle\" transform=\"rotate(-90 16 260)\">classes modulo branching bisimulation</text>\n</svg>\n";
    svg
}
