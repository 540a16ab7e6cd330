//! Missing synchronisation: an operation answers what another put in, and nothing makes the two happen one after the other.
//!
//! Whoever puts a pointer into a container and whoever takes it out rely on that: what was written before the one is to be
//! seen after the other. Golovin, Kokologiannakis and Vafeiadis ("Relinche", POPL 2025) report it as a finding of its own.
//! It is looked for where the specification is a container and the values of a scenario are distinct.

use trueline_history::Datum;

use crate::explore::Execution;
use crate::harness::Harness;
use crate::history::{input, output};
use crate::judge::answers;
use crate::rc11::Before;
use crate::scenario::{Call, Scenario};

/// Whether a specification hands values over from one operation to another.
pub fn hands_over(spec: &str) -> bool {
    let name: String = spec.chars().filter(char::is_ascii_alphanumeric).collect();
    let name = name.to_ascii_lowercase();
    ["queue", "fifo", "stack", "pq", "bag", "deque"].iter().any(|known| name.contains(known))
}

/// The operations of a scenario's threads by number, each with its thread and its place there, from 0.
pub fn operations(scenario: &Scenario) -> Vec<(usize, usize, &Call)> {
    let of = |(thread, calls): (usize, &'_ Vec<Call>)| (thread, calls.len());
    let counts: Vec<(usize, usize)> = scenario.threads.iter().enumerate().map(of).collect();
    counts
        .into_iter()
        .flat_map(|(thread, count)| (0..count).map(move |index| (thread, index)))
        .map(|(thread, index)| (thread, index, &scenario.threads[thread][index]))
        .collect()
}

/// Pairs of operations of different threads, by number, the second of which answers what only the first puts in; `answers`
/// are what the operations answer.
pub fn pairs(harness: &Harness, scenario: &Scenario, answers: &[Vec<u64>]) -> Vec<(usize, usize)> {
    let all = operations(scenario);
    let given = |call: &Call| match input(&harness.operations[call.operation], call) {
        Datum::Int(value) => Some(value),
        _ => None,
    };
    let calls = || scenario.prefix.iter().chain(scenario.threads.iter().flatten());
    let once = |value| calls().filter(|c| given(c) == Some(value)).count() == 1;
    let mut pairs = Vec::new();
    for (second, (thread, _, call)) in all.iter().enumerate() {
        let Datum::Int(value) = output(&harness.operations[call.operation], &answers[second]) else {
            continue;
        };
        let puts = |(t, _, c): &(usize, usize, &Call)| t != thread && given(c) == Some(value) && once(value);
        pairs.extend(all.iter().position(puts).map(|first| (first, second)));
    }
    pairs
}

/// A pair in a complete execution of which the second does not happen after the call of the first.
pub fn unsynchronised(
    harness: &Harness,
    scenario: &Scenario,
    execution: &Execution,
) -> Option<(usize, usize)> {
    let all = operations(scenario);
    let before = Before::of(&execution.graph);
    let span = |at: usize| execution.operations[all[at].0][all[at].1].0;
    let apart = |&(first, second): &(usize, usize)| {
        let (thread, (begin, end), (_, last)) = (all[second].0, span(first), span(second));
        let ids = &execution.graph.threads[thread];
        let known = last.checked_sub(1).map(|at| before.clocks[usize::from(ids[usize::from(at)])]);
        begin < end && known.is_some_and(|known| !known.has(all[first].0 as u8, begin))
    };
    pairs(harness, scenario, &answers(execution).threads).into_iter().find(apart)
}
