//! `cargo xtask soak lts`: the fast algorithms against their twins on everything that the tests only
//! sample, and all known sizes of quotients. What came out stands in `crates/xtask/soak/lts.txt`.

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use trueline_base::{Limits, Meter, Silent};
use trueline_lts::{Equivalence, Inclusion, Lts, inclusion, naive, quotient, sample};

use crate::soak_lts_rows::ROWS;

/// Runs everything; `seeds` is the number of random systems.
pub fn command(root: &Path, seeds: u64) -> ExitCode {
    let mut report = String::new();
    let done = twins(seeds, &mut report)
        .and_then(|()| inclusions(seeds, &mut report))
        .and_then(|()| known_sizes(root, &mut report));
    print!("{report}");
    let path = root.join("crates/xtask/soak/lts.txt");
    match done.and_then(|()| std::fs::write(&path, report).map_err(|e| format!("{}: {e}", path.display()))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// Every system with at most three states over tau and one label, every one with four states and
/// at most six transitions (each up to renaming), and random ones.
fn twins(seeds: u64, report: &mut String) -> Result<(), String> {
    let mut total = 0u64;
    let mut check = |name: &dyn Fn() -> String, lts: &Lts| {
        let small = lts.states() <= 5;
        let wrong = naive::disagreement(lts)
            .or_else(|| if small { naive::divergence_disagreement(lts) } else { None })
            .or_else(|| if lts.states() <= 3 { naive::k_trace_disagreement(lts) } else { None });
        total += 1;
        if total.is_multiple_of(10_000) {
            eprintln!("{total} systems agree");
        }
        wrong.map_or(Ok(()), |what| Err(format!("{}: {what}", name())))
    };
    for (n, most) in [(1, 2), (2, 8), (3, 18), (4, 6)] {
        let mut count = 0;
        for code in sample::codes_up_to_renaming(n, most) {
            check(&|| format!("{n} states, code {code:#x}"), &sample::small_by_code(n, code))?;
            count += 1;
        }
        let _ = writeln!(report, "{n} states, at most {most} transitions: {count} systems agree");
    }
    for seed in 0..seeds {
        check(&|| format!("seed {seed}"), &sample::random_small(seed, 10))?;
    }
    let _ = writeln!(report, "random, at most 10 states: {seeds} systems agree");
    Ok(())
}

/// Trace inclusion of random systems, with the length of the shortest trace that one lacks.
fn inclusions(seeds: u64, report: &mut String) -> Result<(), String> {
    let meter = Meter::start(Limits::default());
    let mut included = 0;
    for seed in 0..seeds {
        let left = sample::random_small(2 * seed, 8);
        let right = match seed % 3 {
            0 => sample::mutant(&left, seed),
            _ => sample::random_small(2 * seed + 1, 8),
        };
        let want = naive::shortest_difference(&left, &right).map(|trace| trace.len());
        let got = match inclusion(&left, &right, &meter, &mut Silent) {
            Ok(Inclusion::Holds(_)) => None,
            Ok(Inclusion::Fails(run)) => {
                Some(run.iter().filter(|s| s.label != trueline_lts::LabelId::TAU).count())
            }
            Ok(Inclusion::Unknown(stop)) => return Err(format!("inclusion, seed {seed}: {stop}")),
            Err(unconfirmed) => return Err(format!("inclusion, seed {seed}: {unconfirmed}")),
        };
        if got != want {
            return Err(format!("inclusion, seed {seed}: {got:?}, by the twin {want:?}"));
        }
        included += u64::from(got.is_none());
    }
    let _ = writeln!(report, "trace inclusion: {seeds} pairs agree, {included} included");
    Ok(())
}

/// The quotients whose sizes are known.
fn known_sizes(root: &Path, report: &mut String) -> Result<(), String> {
    let meter = Meter::start(Limits::default());
    let _ = writeln!(report, "\nobject: states, transitions -> states of the branching quotient, as known");
    for (name, object, known) in ROWS {
        eprintln!("{name}");
        let lts = object.system(root)?;
        let small = quotient(&lts, Equivalence::Branching, &meter, &mut Silent).map_err(|e| e.to_string())?;
        let found = small.system.states();
        let _ = writeln!(report, "{name}: {}, {} -> {found}", lts.states(), lts.transitions());
        if found != *known {
            return Err(format!("{name}: the quotient has {found} states, not {known}"));
        }
    }
    Ok(())
}
