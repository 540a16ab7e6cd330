//! `cargo xtask soak engine`: every combination of reductions against the plain engine, on all models.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use trueline_base::{Limits, Silent};
use trueline_check::fast::{self, Reduction, Reductions};
use trueline_check::{Decision, Outcome, Why};
use trueline_lang::compile::{Model, Overrides};

/// Searches that take longer are told, not compared.
const LONGEST: Duration = Duration::from_secs(20);

/// Compares verdicts and sizes of counterexamples; prints a line per property and a tally.
pub fn command(root: &Path) -> ExitCode {
    let start = Instant::now();
    let (mut compared, mut skipped, mut different) = (0u64, 0u64, 0u64);
    for path in models(root) {
        let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let model = Model::parse(text);
        for index in 0..model.checks() {
            let Ok(task) = model.instantiate(index, &Overrides::default()) else { continue };
            for asked in &task.asked {
                let limits = Limits { time: Some(LONGEST), memory: Some(4 << 30), ..Limits::default() };
                let (machine, question) = (&task.machine, &asked.question);
                let plain = trueline_check::decide(machine, question, &limits, &mut Silent);
                let Some(wanted) = gist(&plain) else {
                    skipped += 1;
                    continue;
                };
                let mut counts = Vec::new();
                for reductions in combinations() {
                    let reductions = reductions.allowed(machine, question);
                    if counts.iter().any(|(known, _)| *known == reductions) {
                        continue;
                    }
                    let found = fast::decide(machine, question, reductions, &limits, &mut Silent);
                    counts.push((reductions, found.states));
                    match gist(&found) {
                        None => skipped += 1,
                        Some(gist) if gist == wanted => compared += 1,
                        Some(gist) => {
                            different += 1;
                            let names = reductions.names().join(",");
                            println!(
                                "DIFFERENT {name} check {} {}: {wanted}, with {names} {gist}",
                                index + 1,
                                asked.name
                            );
                        }
                    }
                }
                let least = counts.iter().map(|(_, states)| *states).min().unwrap_or(0);
                println!(
                    "{name} check {} {}: {wanted}, {} states, least {least}",
                    index + 1,
                    asked.name,
                    plain.states
                );
            }
        }
    }
    println!(
        "{compared} compared, {skipped} not decided in time, {different} different; {:.0} s",
        start.elapsed().as_secs_f64()
    );
    if different == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// All models, in order.
fn models(root: &Path) -> Vec<PathBuf> {
    let entries = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path());
    let families = entries(&root.join("models")).filter(|path| path.is_dir());
    let mut all: Vec<PathBuf> = families.flat_map(|family| entries(&family).collect::<Vec<_>>()).collect();
    all.sort();
    all
}

/// Every set of reductions.
fn combinations() -> impl Iterator<Item = Reductions> {
    (0..1u32 << Reduction::ALL.len()).map(|bits| {
        let members = Reduction::ALL.into_iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1);
        members.fold(Reductions::NONE, |all, (_, reduction)| all.with(reduction))
    })
}

/// What must not depend on the engine; none where a limit ended the search.
fn gist(outcome: &Outcome) -> Option<&'static str> {
    match &outcome.decision {
        Decision::Holds => Some("holds"),
        Decision::Fails(_) => Some("fails"),
        Decision::Unknown(Why::Stopped(_)) => None,
        Decision::Unknown(_) => Some("unknown"),
    }
}
