//! The twin of the explorer: every interleaving, one after the other, with calls and returns as steps.

use crate::kind::Kind;
use std::collections::BTreeSet;

use crate::explore::Explorer;
use crate::footprint::{self, Step};
use crate::harness::Harness;
use crate::history::Answers;
use crate::log::{End, Record, Run};
use crate::player::{Plan, Player};
use crate::scenario::Scenario;
use crate::search::{Settings, set_up};

/// What all interleavings together show.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Histories: who returned before whom was called, and what was answered.
    pub histories: BTreeSet<(Vec<u64>, Vec<Vec<u64>>)>,
    /// Kinds of findings.
    pub findings: BTreeSet<Kind>,
    /// Whether some interleaving gets stuck.
    pub stuck: bool,
    /// Interleavings.
    pub runs: u64,
}

/// Plans that are sent at once.
const BATCH: usize = 64;

/// Runs every interleaving; nothing when there are more than so many.
pub fn every(
    player: &mut Player,
    harness: &Harness,
    scenario: &Scenario,
    settings: Settings,
    most: u64,
) -> Option<Seen> {
    let mut explorer = Explorer::default();
    'again: loop {
        player.set_up(set_up(harness, scenario, &explorer, settings, true));
        let mut seen = Seen::default();
        let mut work = vec![Vec::<u8>::new()];
        while !work.is_empty() {
            let steps = work.split_off(work.len().saturating_sub(BATCH));
            let plans: Vec<Plan> = steps.into_iter().map(|steps| Plan { steps, ..Plan::default() }).collect();
            let runs = player.play(&plans).expect("the player answers");
            for (plan, run) in plans.iter().zip(&runs) {
                if !run.wanted.is_empty() {
                    explorer.memory.want(&run.wanted).expect("small accesses");
                    continue 'again;
                }
                if run.end == End::Departed {
                    continue;
                }
                // A finding may end a run within a step, which its schedule does not have then.
                let all = footprint::steps(run, !settings.quiet);
                let steps: Vec<u8> = all.iter().map(|s| s.thread).collect();
                if !steps.starts_with(&plan.steps) {
                    // It ended before the last step of its plan.
                    continue;
                }
                seen.runs += 1;
                if seen.runs > most {
                    return None;
                }
                for at in plan.steps.len()..steps.len() {
                    for other in others(run, &all[at..], scenario) {
                        work.push([&steps[..at], &[other]].concat());
                    }
                }
                match run.end {
                    End::Complete => drop(seen.histories.insert(history(scenario, run))),
                    End::Stuck => seen.stuck = true,
                    End::Finding => seen.findings.extend(run.found().map(|f| f.kind)),
                    other => panic!("a run ends with {other:?}: {}", run.text),
                }
            }
        }
        return Some(seen);
    }
}

/// Who might make another step in place of the first of these, which are the last of a run: whoever makes a later one. In a
/// run that is not complete also those who never do, since they may wait for something that was free before. Who goes round
/// in a loop there would only do so once more.
pub(crate) fn others(run: &Run, steps: &[Step], scenario: &Scenario) -> impl Iterator<Item = u8> {
    let all = if run.end == End::Complete { 0 } else { scenario.threads.len() as u8 };
    let threads = steps.iter().map(|s| s.thread).chain(1..=all);
    let later = threads.fold(0u64, |bits, thread| bits | 1 << thread);
    let bits = later & !(1 << steps[0].thread) & !steps[0].waiting;
    (0..64).filter(move |t| bits >> t & 1 == 1)
}

/// A history as tests compare it.
pub(crate) fn history(scenario: &Scenario, run: &Run) -> (Vec<u64>, Vec<Vec<u64>>) {
    let (before, answers) = recorded(scenario, run);
    (before, [answers.threads, answers.alone].concat())
}

/// The history of a complete run by the order of its calls and returns: for each operation those that returned before it
/// was called, and what was answered.
pub fn recorded(scenario: &Scenario, run: &Run) -> (Vec<u64>, Answers) {
    let mut first = vec![0];
    for thread in &scenario.threads {
        first.push(first[first.len() - 1] + thread.len());
    }
    let count = first[first.len() - 1];
    let (mut before, mut answers, mut returned) = (vec![0; count], vec![Vec::new(); count], 0u64);
    let mut alone = Vec::new();
    for record in run.records() {
        match record {
            Record::Call(thread, index) if thread > 0 => before[first[thread - 1] + index] = returned,
            Record::Return(0, _, words, _) => alone.push(words.to_vec()),
            Record::Return(thread, index, words, _) => {
                answers[first[thread - 1] + index] = words.to_vec();
                returned |= 1 << (first[thread - 1] + index);
            }
            _ => {}
        }
    }
    (before, Answers { threads: answers, alone })
}
