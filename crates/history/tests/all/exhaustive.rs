//! Every small history, up to renaming, of every specification under every condition, against the definition.

use trueline_history::naive::sweep::{ASKS, Ask, Count, all, random};

/// One type for all sweeps, so that they are compiled once.
type Done<'a> = &'a mut dyn FnMut(Count);

fn both(counts: &[Count]) {
    for c in counts {
        assert!(c.hold > 0 && c.hold < c.histories, "{c}");
    }
}

fn sweep(ask: Ask, most: usize) -> Vec<Count> {
    let mut counts = Vec::new();
    let mut done: Done<'_> = &mut |count| counts.push(count);
    assert_eq!(all(ask, most, &|_| true, &mut done), Ok(()));
    both(&counts);
    counts
}

/// Longer ones, with operations that never return, at random.
#[test]
fn random_histories() {
    for ask in ASKS {
        let mut counts = Vec::new();
        let mut done: Done<'_> = &mut |count| counts.push(count);
        let (cases, most) = if ask == Ask::Quasi { (60, 4) } else { (300, 6) };
        assert_eq!(random(ask, cases, most, 5, &mut done), Ok(()));
        both(&counts);
    }
}

fn monitored(counts: &[Count], spec: &str) -> u64 {
    counts.iter().find(|c| c.spec == spec).map_or(0, |c| c.monitored)
}

#[test]
fn linearizable() {
    let counts = sweep(Ask::Linearizable, 4);
    assert_eq!(counts.len(), 28);
    for spec in [
        "queue",
        "stack",
        "priority-queue",
        "max-priority-queue",
        "bag",
        "register",
        "kv",
        "set",
        "multiset",
        "counter",
        "counter that only counts",
        "queue with peek",
        "priority-queue with peek",
    ] {
        assert!(monitored(&counts, spec) > 1000, "{spec}: {}", monitored(&counts, spec));
    }
}

#[test]
fn quiescent() {
    assert_eq!(sweep(Ask::Quiescent, 4).len(), 28);
}

#[test]
fn sequential() {
    assert_eq!(sweep(Ask::Sequential, 4).len(), 28);
}

#[test]
fn quasi() {
    assert_eq!(sweep(Ask::Quasi, 3).len(), 28);
}

#[test]
fn regular() {
    assert_eq!(sweep(Ask::Regular, 4).len(), 1);
}
