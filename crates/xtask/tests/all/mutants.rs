//! The committed lists of mutants are true: every mutant of every family is listed, the cheap ones end as listed, and
//! every survivor has a reason. `cargo xtask mutants` reruns all.

use std::path::{Path, PathBuf};

use trueline_xtask::mutants::{Fate, MutantEntry, Reasons, decide, families, mutants_of, parse, subjects};

/// Mutants whose search took at most so many states are rerun.
const CHEAP: u64 = 30_000;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn list(family: &str) -> Vec<MutantEntry> {
    let path = root().join("crates/xtask/mutants").join(format!("{family}.txt"));
    parse(&std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
}

#[test]
fn lists_are_complete_and_cheap_mutants_end_as_listed() {
    let mut rerun = 0;
    for family in families(&root()) {
        let listed = list(&family);
        let mut found = Vec::new();
        for subject in subjects(&root(), &family) {
            for mutant in mutants_of(&subject) {
                found.push(mutant.key.clone());
                let Some(entry) = listed.iter().find(|e| e.key == mutant.key) else {
                    panic!("{} is not listed: run `cargo xtask mutants {family} --write`", mutant.key)
                };
                let Fate::Refuted { by, client } = &entry.outcome else { continue };
                if entry.states > CHEAP || !client.is_empty() {
                    continue;
                }
                let (outcome, states) = decide(&subject.task, &mutant.machine, CHEAP * 2);
                assert_eq!(outcome.as_ref(), Some(by), "{}", mutant.key);
                assert_eq!(states, entry.states, "{}", mutant.key);
                rerun += 1;
            }
        }
        let stale: Vec<_> = listed.iter().filter(|e| !found.contains(&e.key)).map(|e| &e.key).collect();
        assert!(stale.is_empty(), "listed but gone: {stale:?}");
    }
    assert!(rerun > 60, "only {rerun} mutants were rerun");
}

#[test]
fn survivors_have_reasons() {
    let reasons = Reasons::read(&root());
    let all: Vec<MutantEntry> = families(&root()).iter().flat_map(|f| list(f)).collect();
    let without: Vec<_> = all
        .iter()
        .filter(|e| e.outcome == Fate::Survives && reasons.get(&e.key).is_none())
        .map(|e| &e.key)
        .collect();
    assert!(without.is_empty(), "{} survivors without a reason: {without:#?}", without.len());
    let unkept: Vec<_> = all
        .iter()
        .filter(|e| e.outcome == Fate::Survives)
        .filter(|e| reasons.client(&e.key).is_some() || reasons.check(&e.key).is_some())
        .map(|e| &e.key)
        .collect();
    assert!(
        unkept.is_empty(),
        "survivors whose reason names a client or a check: it does not refute {unkept:#?}"
    );
    // A reason for a mutant that is refuted without it would be a claim that nothing holds up.
    let explained = |e: &&MutantEntry| match &e.outcome {
        Fate::Survives => true,
        Fate::Refuted { client, .. } => client.starts_with("--client") || reasons.check(&e.key).is_some(),
    };
    let explained: Vec<MutantEntry> = all.iter().filter(explained).cloned().collect();
    assert!(reasons.unused(&explained).is_empty(), "reasons for nobody: {:?}", reasons.unused(&explained));
    let refuted = all.iter().filter(|e| e.outcome != Fate::Survives).count();
    assert!(refuted * 2 > all.len(), "{refuted} of {} mutants are refuted", all.len());
}
