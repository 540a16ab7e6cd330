//! Long runs of the transition systems against their twins: what the tests sample, in full.

use std::process::ExitCode;

use trueline_lts::{Lts, naive, sample};

/// Checks every system with at most three states over tau and one label, every one with four
/// states and at most six transitions (each up to renaming), and `seeds` random ones.
pub fn command(seeds: u64) -> ExitCode {
    let wrong = |lts: &Lts| {
        let defined = if lts.states() <= 5 { naive::divergence_disagreement(lts) } else { None };
        naive::disagreement(lts).or(defined)
    };
    let exhaustive = [(1, 2), (2, 8), (3, 18), (4, 6)];
    let codes = exhaustive.into_iter().flat_map(|(n, most)| {
        sample::codes_up_to_renaming(n, most)
            .map(move |code| (format!("{n} states, code {code:#x}"), sample::small_by_code(n, code)))
    });
    let random = (0..seeds).map(|seed| (format!("seed {seed}"), sample::random_small(seed, 10)));
    let mut count = 0u64;
    for (name, lts) in codes.chain(random) {
        let k_traces = if lts.states() <= 3 { naive::k_trace_disagreement(&lts) } else { None };
        if let Some(what) = wrong(&lts).or(k_traces) {
            println!("{name}: {what}");
            return ExitCode::FAILURE;
        }
        count += 1;
        if count.is_multiple_of(100_000) {
            eprintln!("{count} systems agree");
        }
    }
    println!("{count} systems agree");
    ExitCode::SUCCESS
}
