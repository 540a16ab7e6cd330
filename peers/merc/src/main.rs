//! merc_reduction on the systems of the benchmark and of the fixtures.
//!
//! `reduce MODE FILE` and `include IMPLEMENTATION SPECIFICATION` print one line with sizes, seconds
//! and peak memory for `cargo xtask bench lts`; `fixtures FROM TO LARGEST` prints the quotient sizes
//! of random systems, which the tests of `trueline-lts` compare with their own.

use merc_lts::{LTS, LabelledTransitionSystem, read_mcrl2_aut};
use merc_reduction::{Equivalence, reduce_lts};
use merc_refinement::{ExplorationStrategy, RefinementType, refines};
use merc_utilities::Timing;
use std::fs::File;
use trueline_lts::{sample, write};

fn equivalence(name: &str) -> Equivalence {
    match name {
        "strong" => Equivalence::StrongBisim,
        "branching" => Equivalence::BranchingBisim,
        "dpbranching" => Equivalence::BranchingBisimDivergencePreserving,
        "weak" => Equivalence::WeakBisim,
        "dpweak" => Equivalence::WeakBisimDivergencePreserving,
        other => panic!("`{other}` is not an equivalence"),
    }
}

fn read(path: &str) -> LabelledTransitionSystem<String> {
    let file = File::open(path).unwrap_or_else(|e| panic!("{path}: {e}"));
    read_mcrl2_aut(file).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Peak resident memory in bytes, as the kernel counts it.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap_or("0 kB");
    line.trim().trim_end_matches("kB").trim().parse::<u64>().unwrap_or(0) * 1024
}

/// CPU time of this process, which has one thread.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["reduce", mode, file] => {
            let lts = read(file);
            let start = cpu_seconds();
            let small = reduce_lts(lts, equivalence(mode), false, &Timing::new());
            let seconds = cpu_seconds() - start;
            let (n, m) = (small.num_of_states(), small.num_of_transitions());
            println!("{n} {m} {start:.4} {seconds:.4} {}", peak());
        }
        ["include", implementation, specification] => {
            let (left, right) = (read(implementation), read(specification));
            let start = cpu_seconds();
            let (weak, order) = (RefinementType::Weaktrace, ExplorationStrategy::BFS);
            let (holds, _) = refines(left, right, weak, order, false, false, &mut Timing::new());
            let seconds = cpu_seconds() - start;
            println!("{} 0 {start:.4} {seconds:.4} {}", u8::from(holds), peak());
        }
        ["fixtures", from, to, largest] => {
            let number = |text: &str| text.parse::<u64>().expect("a number");
            println!("# seed, then states and transitions of merc_reduction 2.0.0's quotient by each of");
            println!("# strong, branching, dpbranching, weak, dpweak; systems: random_small(seed, {largest})");
            for seed in number(from)..number(to) {
                let mut text = Vec::new();
                let lts = sample::random_small(seed, number(largest));
                write::aut(&lts, "tau", &mut text).expect("written to memory");
                let mut line = seed.to_string();
                for mode in ["strong", "branching", "dpbranching", "weak", "dpweak"] {
                    let lts = read_mcrl2_aut(&text[..]).expect("readable");
                    let small = reduce_lts(lts, equivalence(mode), false, &Timing::new());
                    line += &format!(" {} {}", small.num_of_states(), small.num_of_transitions());
                }
                println!("{line}");
            }
        }
        _ => {
            eprintln!("reduce MODE FILE | include IMPLEMENTATION SPECIFICATION | fixtures FROM TO LARGEST");
            std::process::exit(64);
        }
    }
}
