//! `cargo xtask soak engine`: every combination of reductions against the plain engine, on all models.
//!
//! There are hundreds of combinations: those of a property are tried in an order of their own, spread over all of them,
//! until its time is over. So a short run looks everywhere, and a long one at everything. The last run is kept in
//! `peers/engine/RESULTS.md`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use trueline_base::{Limits, Silent};
use trueline_check::fast::{self, Order, Reduction, Reductions};
use trueline_check::{Outcome, Verdict, Why};
use trueline_lang::compile::{Asked, Model, Overrides};
use trueline_lang::ir::Machine;
use trueline_lang::question::Question;

/// Searches that take longer are counted, not compared.
const LONGEST: Duration = Duration::from_secs(20);

/// What came of the properties of a model, or of all.
#[derive(Default)]
struct Tally {
    properties: u64,
    /// Combinations that said the same.
    compared: u64,
    /// Those that the property allows.
    combinations: u64,
    undecided: u64,
    different: u64,
    plain: u64,
    /// The fewest states of any combination.
    least: u64,
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.properties += other.properties;
        self.compared += other.compared;
        self.combinations += other.combinations;
        self.undecided += other.undecided;
        self.different += other.different;
        self.plain += other.plain;
        self.least += other.least;
    }

    fn print(&self, name: &str) {
        let Tally { properties, compared, combinations, undecided, different, plain, least } = self;
        println!(
            "| {name} | {properties} | {compared} of {combinations} | {undecided} | {different} | {plain} | {least} |"
        );
    }
}

/// Compares verdicts, for so long per property; prints a table with a row per model.
pub fn command(root: &Path, each: Duration, only: Option<&str>) -> ExitCode {
    let start = Instant::now();
    println!(
        "| model | properties | combinations compared | not decided | different | states, plain | least |"
    );
    println!("|---|---|---|---|---|---|---|");
    let mut all = Tally::default();
    for path in models(root) {
        let name = path.strip_prefix(root.join("models")).unwrap_or(&path).display().to_string();
        if only.is_some_and(|only| !name.contains(only)) {
            continue;
        }
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let model = Model::parse(text);
        let mut tally = Tally::default();
        for index in 0..model.checks() {
            let Ok(task) = model.instantiate(index, &Overrides::default()) else { continue };
            for asked in &task.asked {
                let turn = all.properties + tally.properties;
                let what = format!("{name} check {} {}", index + 1, asked.name);
                tally.add(&property(&task.machine, asked, &what, turn, each));
            }
        }
        if tally.properties > 0 {
            tally.print(&name);
            all.add(&tally);
        }
    }
    all.print("all");
    println!("\n{:.0} s", start.elapsed().as_secs_f64());
    if all.different == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Asks about one property, beginning with a combination that depends on its turn.
fn property(machine: &Machine, asked: &Asked, what: &str, turn: u64, each: Duration) -> Tally {
    let start = Instant::now();
    let question = &asked.question;
    let limits = Limits { time: Some(LONGEST), memory: Some(4 << 30), ..Limits::default() };
    let plain = match question {
        // Cycles are looked for in one way only: without reductions, then.
        Question::Progress { .. } => fast::decide(machine, question, Reductions::HEAP, &limits, &mut Silent),
        Question::Equivalent { .. } | Question::Unavailable => return Tally::default(),
        _ => trueline_check::decide(machine, question, &limits, &mut Silent),
    };
    let mut tally = Tally { properties: 1, ..Tally::default() };
    let Some(wanted) = gist(&plain) else {
        tally.undecided += 1;
        return tally;
    };
    let combinations = combinations(machine, question);
    let count = combinations.len();
    (tally.combinations, tally.plain, tally.least) = (count as u64, plain.states, plain.states);
    // A step that has no divisor in common with the number visits all.
    let divides = |step: &usize| (2..=*step).all(|d| !step.is_multiple_of(d) || !count.is_multiple_of(d));
    let step = (count * 5 / 13 + 1..).find(divides).expect("there are primes");
    let everything = Reductions::ALL.allowed(machine, question);
    let rest = (0..count).map(|n| combinations[(turn as usize + n * step) % count]);
    for reductions in std::iter::once(everything).chain(rest.filter(|r| *r != everything)) {
        if start.elapsed() > each && tally.compared > 0 {
            break;
        }
        let found = fast::decide(machine, question, reductions, &limits, &mut Silent);
        match gist(&found) {
            None => tally.undecided += 1,
            Some(gist) if gist == wanted => {
                tally.compared += 1;
                tally.least = tally.least.min(found.states);
            }
            Some(gist) => {
                tally.different += 1;
                println!("DIFFERENT {what}: {wanted}, with {} {gist}", reductions.names().join(","));
            }
        }
    }
    tally
}

/// All models, in order.
fn models(root: &Path) -> Vec<PathBuf> {
    let entries = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path());
    let families = entries(&root.join("models")).filter(|path| path.is_dir());
    let mut all: Vec<PathBuf> = families.flat_map(|family| entries(&family).collect::<Vec<_>>()).collect();
    all.sort();
    all
}

/// Every set of reductions that a question allows, with every kind of partial order.
fn combinations(machine: &Machine, question: &Question) -> Vec<Reductions> {
    let mut all: Vec<Reductions> = Vec::new();
    for bits in 0..1u32 << Reduction::ALL.len() {
        let members = Reduction::ALL.into_iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1);
        let set = members.fold(Reductions::NONE, |all, (_, reduction)| all.with(reduction));
        for order in [Order::Cartesian, Order::Static, Order::Visible] {
            let allowed = set.leaving_out(order).allowed(machine, question);
            if !all.contains(&allowed) {
                all.push(allowed);
            }
        }
    }
    all
}

/// What must not depend on the engine; none where a limit ended the search.
fn gist(outcome: &Outcome) -> Option<&'static str> {
    match &outcome.verdict {
        Verdict::Holds(()) => Some("holds"),
        Verdict::Fails(_) => Some("fails"),
        Verdict::Unknown(Why::Stopped(_)) => None,
        Verdict::Unknown(_) => Some("unknown"),
    }
}
