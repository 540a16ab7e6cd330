//! All small systems: up to three states over tau and one label, and four states with at most six
//! transitions, one of each set that differs in the numbering of states alone.

use trueline_lts::{Lts, naive, sample};

/// How many systems there are, each of them checked.
fn check(states: u32, most: u32, wrong: impl Fn(usize, &Lts) -> Option<String>) -> usize {
    let mut count = 0;
    for code in sample::codes_up_to_renaming(states, most) {
        let lts = sample::small_by_code(states, code);
        assert_eq!(wrong(count, &lts), None, "{states} states, code {code:#x}");
        count += 1;
    }
    count
}

fn all(lts: &Lts) -> Option<String> {
    naive::disagreement(lts)
        .or_else(|| naive::divergence_disagreement(lts))
        .or_else(|| naive::k_trace_disagreement(lts))
}

/// Partitions always, all the rest for every so many systems; `xtask soak lts` leaves out nothing.
fn partly(every: usize) -> impl Fn(usize, &Lts) -> Option<String> {
    move |i, lts| if i % every == 0 { all(lts) } else { naive::partition_disagreement(lts) }
}

#[test]
fn one_and_two_states() {
    assert_eq!(check(1, 2, |_, lts| all(lts)), 4);
    assert_eq!(check(2, 8, |_, lts| all(lts)), 136);
}

#[test]
fn three_states() {
    assert_eq!(check(3, 18, partly(12)), 44224);
}

#[test]
fn four_states_with_at_most_six_transitions() {
    let wrong = |i: usize, lts: &Lts| match i % 24 {
        0 => naive::disagreement(lts).or_else(|| naive::divergence_disagreement(lts)),
        _ => naive::partition_disagreement(lts),
    };
    assert_eq!(check(4, 6, wrong), 49211);
}
