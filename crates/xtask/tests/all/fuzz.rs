//! Every target on the saved corpus and on a fixed number of mutated files. `cargo xtask fuzz` goes on from there.

use std::path::Path;

use trueline_xtask::fuzz::{FuzzTarget, TARGETS, run, seeds, try_input};

#[test]
fn nothing_panics() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let seeds = seeds(&root);
    assert!(seeds.len() > 30);
    for (name, target) in TARGETS {
        for seed in &seeds {
            if !matches!(target, FuzzTarget::Check | FuzzTarget::History(_)) {
                try_input(target, seed).unwrap_or_else(|why| panic!("{name}: {why}\n{seed}"));
            }
        }
        let inputs = match target {
            FuzzTarget::Agree => 3_000,
            FuzzTarget::Check => 14_000,
            FuzzTarget::Types | FuzzTarget::Format => 90_000,
            FuzzTarget::History(_) => 4_000,
            _ => 160_000,
        };
        let summary = run(target, &seeds, 20, inputs, None);
        if let Some((input, why)) = summary.failures.first() {
            panic!("{name}: {why}\n{input}");
        }
        if target == FuzzTarget::Agree {
            assert!(summary.typed > 50, "{name}: {summary:?}");
        }
        // The mutations are gentle enough that the later stages see something.
        if matches!(target, FuzzTarget::Types | FuzzTarget::Check | FuzzTarget::History(_)) {
            assert!(summary.typed * 20 > summary.inputs, "{name}: {summary:?}");
        }
    }
}
