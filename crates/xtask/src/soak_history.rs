//! `cargo xtask soak history`: the engines for recorded histories against the definitions, further than the tests go.
//!
//! Every history of up to five operations (four under quasi conditions), up to renaming, per specification and
//! condition; then random ones with pending operations; then larger made-up ones, monitors against the search. What
//! has been run is in `crates/xtask/soak/history.txt`.

use std::process::ExitCode;

use trueline_base::{Limits, Meter, Silent};
use trueline_history::Options;
use trueline_history::check::named;
use trueline_history::generate::{ObjectKind, Plan, history};
use trueline_history::naive::sweep::{ASKS, Ask, Count, all, random};

/// One type for all sweeps, so that they are compiled once.
type Done<'a> = &'a mut dyn FnMut(Count);

/// Runs everything, or one condition; `seeds` random histories per specification and condition.
pub fn command(seeds: u64, only: Option<&str>) -> ExitCode {
    let wanted = |ask: &Ask| only.is_none_or(|o| format!("{ask:?}").eq_ignore_ascii_case(o));
    if !ASKS.iter().any(wanted) {
        eprintln!("conditions are linearizable, quiescent, sequential, quasi and regular");
        return ExitCode::from(64);
    }
    println!("| specification | condition | histories | holds | by a monitor |");
    println!("|---|---|---|---|---|");
    let mut done: Done<'_> = &mut |count| println!("{count}");
    for ask in ASKS.into_iter().filter(wanted) {
        let most = if ask == Ask::Quasi { 4 } else { 5 };
        println!("| every history of up to {most} operations | | | | |");
        if let Err(wrong) = all(ask, most, &|_| true, &mut done) {
            println!("DISAGREEMENT: {wrong}");
            return ExitCode::FAILURE;
        }
    }
    for ask in ASKS.into_iter().filter(wanted) {
        let (most, seeds) = if ask == Ask::Quasi { (5, seeds / 10) } else { (7, seeds) };
        println!("| random histories of up to {most} operations | | | | |");
        if let Err(wrong) = random(ask, seeds, most, 1, &mut done) {
            println!("DISAGREEMENT: {wrong}");
            return ExitCode::FAILURE;
        }
    }
    if !wanted(&Ask::Linearizable) {
        return ExitCode::SUCCESS;
    }
    println!("| made-up histories, monitors against search | | | | |");
    match made_up(seeds) {
        Ok(()) => ExitCode::SUCCESS,
        Err(wrong) => {
            println!("DISAGREEMENT: {wrong}");
            ExitCode::FAILURE
        }
    }
}

/// Executions of objects with crashed clients and spoiled results.
fn made_up(seeds: u64) -> Result<(), String> {
    let objects = [
        (ObjectKind::Queue, "queue"),
        (ObjectKind::Stack, "stack"),
        (ObjectKind::PriorityQueue, "priority-queue"),
        (ObjectKind::Set, "set"),
        (ObjectKind::Register, "register"),
        (ObjectKind::Kv, "kv"),
        (ObjectKind::Counter, "counter"),
    ];
    let meter = Meter::start(Limits::default());
    for (object, name) in objects {
        let spec = named(name).map_err(|e| e.to_string())?;
        let (mut holds, mut monitored) = (0u64, 0u64);
        for seed in 0..seeds {
            let plan = Plan {
                object,
                operations: 6 + seed as usize % 12,
                clients: 2 + seed as usize % 4,
                values: [0, 0, 1_000_000, 6][seed as usize % 4],
                crashes: [0, 12, 5][seed as usize % 3],
                spoiled: seed % 2 == 1,
                seed,
            };
            let made = history(&plan);
            let ask = |monitors: bool| {
                let options = Options { monitors, reasons: false, ..Options::default() };
                spec.check(&made, &options, &meter, &mut Silent).map_err(|e| format!("{plan:?}: {e}"))
            };
            let (with, without) = (ask(true)?, ask(false)?);
            if with.verdict.word() != without.verdict.word() || (!plan.spoiled && !with.verdict.holds()) {
                return Err(format!("{plan:?}: {} and {}", with.verdict.word(), without.verdict.word()));
            }
            holds += u64::from(with.verdict.holds());
            monitored += u64::from(with.engines.iter().any(|(e, _)| e.name() != "search"));
        }
        println!("| {name} | linearizable | {seeds} | {holds} | {monitored} |");
    }
    Ok(())
}
