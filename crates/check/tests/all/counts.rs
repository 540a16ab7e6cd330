//! Pinned numbers of states and transitions.

use crate::common::objects::*;
use trueline_base::{Limits, Silent};
use trueline_check::fast::{self, Reductions};
use trueline_check::{Verdict, check, count_states, generate_spec};
use trueline_lang::compile::{Model, Overrides};
use trueline_lang::question::Question;

/// Threads, operations; states and transitions of the object and of the specification, from an independent script.
type Known = (usize, u32, (u64, u64), (u32, u64));

const KNOWN: [Known; 4] = [
    (2, 1, (312, 558), (59, 96)),
    (2, 2, (4743, 9022), (513, 970)),
    (2, 3, (37232, 72958), (2587, 5100)),
    (3, 1, (9054, 23655), (566, 1335)),
];

#[test]
fn the_ms_queue_by_line_has_the_known_counts() {
    for (threads, ops, object, _) in KNOWN {
        let machine = queue_client(ms_queue_by_line(), threads, ops);
        assert_eq!(count_states(&machine, &Limits::default()), Ok(object), "{threads} x {ops}");
    }
}

#[test]
fn the_queue_has_the_known_counts() {
    for (threads, ops, _, (states, transitions)) in KNOWN {
        let machine = queue_client(ms_queue_by_line(), threads, ops);
        let mut found = 0;
        let sink = &mut |_, _: trueline_check::Label<'_>, _| found += 1;
        let all = generate_spec(&machine, &queue_spec(), &Limits::default(), &mut Silent, sink);
        assert_eq!((all, found), (Ok(states), transitions), "{threads} x {ops}");
    }
}

/// Pairs, sets and transitions of the product.
#[test]
fn the_product_stays_as_it_is() {
    let spec = queue_spec();
    for (threads, ops, pairs, sets, transitions) in
        [(2, 1, 340, 24, 584), (2, 2, 8051, 177, 14840), (3, 1, 12642, 205, 30147)]
    {
        let machine = queue_client(ms_queue_by_line(), threads, ops);
        let question = Question::linearizable(&spec);
        let outcome = check(&machine, &question, &Limits::default(), &mut Silent);
        assert_eq!(outcome.verdict, Verdict::Holds(()));
        let found = (outcome.states, outcome.specification, outcome.transitions);
        assert_eq!(found, (pairs, sets, transitions), "{threads} x {ops}");
    }
}

/// What the condition of a point reads is written again before it is read: it tells no states apart.
#[test]
fn points_tell_no_states_apart() {
    let text = include_str!("../../../../models/counter/counter.tl");
    let overrides = Overrides { threads: Some(3), ..Overrides::default() };
    let task = Model::parse(text.to_string()).instantiate(3, &overrides).expect("it is well formed");
    let limits = Limits::default();
    for question in [&Question::Safe, &task.asked[0].question] {
        let found = fast::check(&task.machine, question, Reductions::ALL, &limits, &mut Silent);
        assert_eq!((found.verdict, found.states), (Verdict::Holds(()), 234));
    }
}
