//! Known verdicts of small objects.

use crate::common::objects::*;
use crate::common::*;
use trueline_base::{Limits, Silent, Violation};
use trueline_check::{Outcome, Verdict, check};
use trueline_lang::ir::{Machine, Memory, Module};
use trueline_lang::question::Question;

fn ask(machine: &Machine, question: &Question) -> Outcome {
    check(machine, question, &Limits::default(), &mut Silent)
}

fn linearizable(machine: &Machine, spec: &Module) -> Outcome {
    ask(machine, &Question::linearizable(spec))
}

fn violation(outcome: &Outcome) -> Violation {
    match &outcome.verdict {
        Verdict::Fails(counterexample) => counterexample.violation,
        other => panic!("{other:?}"),
    }
}

#[test]
fn counters() {
    let spec = counter_spec();
    let calls = [(0, vec![])];
    let lossy = linearizable(&client(lossy_counter(), 2, 1, &calls), &spec);
    assert_eq!(violation(&lossy), Violation::NotLinearizable);
    for object in [cas_counter(), locked_counter()] {
        let outcome = linearizable(&client(object, 2, 2, &calls), &spec);
        assert_eq!(outcome.verdict, Verdict::Holds(()));
    }
}

#[test]
fn stacks() {
    let spec = stack_spec();
    let calls = [(0, vec![val(1)]), (0, vec![val(2)]), (1, vec![])];
    assert_eq!(linearizable(&client(treiber(), 2, 2, &calls), &spec).verdict, Verdict::Holds(()));
    let queue = {
        let mut queue = queue_spec();
        queue.ops[0].name = "push".into();
        queue.ops[1].name = "pop".into();
        queue
    };
    assert_eq!(
        violation(&linearizable(&client(treiber(), 1, 3, &calls), &queue)),
        Violation::NotLinearizable
    );
}

#[test]
fn reuse_brings_aba() {
    let spec = stack_spec();
    let machine = client(treiber_freeing(Memory::Pool), 2, 3, &[(0, vec![val(1)]), (1, vec![])]);
    let outcome = linearizable(&machine, &spec);
    assert!(matches!(outcome.verdict, Verdict::Fails(_)));
}

#[test]
fn queue() {
    let spec = queue_spec();
    let outcome = linearizable(&queue_client(ms_queue_by_line(), 2, 3), &spec);
    assert_eq!(outcome.verdict, Verdict::Holds(()));
}
