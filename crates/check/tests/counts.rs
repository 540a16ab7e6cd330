//! Pinned numbers of states and transitions.

mod common;

use common::objects::*;
use common::*;
use trueline_base::Limits;
use trueline_check::count_states;

fn states(machine: &trueline_lang::ir::Machine) -> u64 {
    count_states(machine, &Limits::default()).unwrap().0
}

/// The counts of an independent script.
#[test]
fn ms_queue_by_line_has_the_known_counts() {
    for (threads, ops, known) in [(2, 1, 312), (2, 2, 4743), (2, 3, 37232), (3, 1, 9054)] {
        assert_eq!(states(&queue_client(ms_queue_by_line(), threads, ops)), known, "{threads} x {ops}");
    }
}
