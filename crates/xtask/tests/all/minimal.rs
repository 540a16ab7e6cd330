//! Counterexamples are minimal: on small models an enumeration of all violations, on the reference interpreter alone,
//! finds none with fewer threads, operations, context switches, steps, in this order.

use std::path::Path;

use trueline_base::{Limits, Silent, Violation};
use trueline_check::{Verdict, check};
use trueline_lang::compile::{Expectation, Model, Overrides};
use trueline_lang::question::Question;
use trueline_replay::{Case, Source, confirm, enumerate};

/// Enough for the checks below; larger ones are passed over.
const MOST: usize = 60_000;

#[test]
fn an_enumeration_finds_nothing_smaller() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let files = [
        "counter/lost_update.tl",
        "lock/peterson.tl",
        "lock/seqlock.tl",
        "lock/mcs.tl",
        "queue/iqueue.tl",
        "queue/sl_queue.tl",
        "queue/lamport_ring.tl",
        "queue/herlihy_wing.tl",
        "queue/vyukov_ring.tl",
        "register/k_register.tl",
        "register/snapshot.tl",
        "deque/chase_lev.tl",
        "relaxed/quasi_stack.tl",
        "relaxed/quasi_priority_queue.tl",
        "relaxed/lazy_priority_queue.tl",
        "cas/ccas.tl",
    ];
    let mut compared = 0;
    for file in files {
        let path = root.join(file);
        let model = Model::parse(std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{file}: {e}")));
        for index in 0..model.checks() {
            let Ok(task) = model.instantiate(index, &Overrides::default()) else { continue };
            for asked in task.asked.iter().filter(|a| a.expect != Expectation::Holds) {
                let question = asked.question.without_points();
                let executions = matches!(
                    question,
                    Question::Safe
                        | Question::Linearizable { .. }
                        | Question::Invariant { .. }
                        | Question::LeakFree
                );
                if !executions {
                    continue;
                }
                let outcome = check(&task.machine, &question, &Limits::default(), &mut Silent);
                let Verdict::Fails(found) = outcome.verdict else {
                    panic!("{file}: {} does not fail", asked.name)
                };
                let violation = found.violation;
                let source = Source { path: file, text: model.source() };
                let case = Case { machine: &task.machine, question: &question, violation, source };
                let story = confirm(&case, &found.evidence.prefix).unwrap_or_else(|e| panic!("{file}: {e}"));
                let Ok(smallest) = enumerate::smallest(&task.machine, &question, violation, MOST) else {
                    continue;
                };
                let (counts, _) =
                    smallest.unwrap_or_else(|| panic!("{file}: the enumeration finds no violation"));
                assert!(found.minimal, "{file}: {}", asked.name);
                // `safe` asks for any finding: the smallest of this kind may be larger, never smaller.
                assert!(
                    story.counts <= counts,
                    "{file} {}: {:?} against {counts:?}",
                    asked.name,
                    story.counts
                );
                if !matches!(violation, Violation::Finding { .. }) {
                    assert_eq!(story.counts, counts, "{file} {}", asked.name);
                }
                compared += 1;
            }
        }
    }
    assert!(compared >= 10, "only {compared} counterexamples were compared");
}
