//! Steps that can be left out of a story: it does not matter when they happen.

use crate::history::History;
use crate::run::{Run, Taken};
use std::collections::BTreeSet;
use trueline_lang::interp::{Cell, Effect, Phase, State, reachable};
use trueline_lang::ir::{Machine, Memory};

/// Whether a step changes nothing that another thread can reach, and reads nothing that another
/// thread changes while the operation runs.
pub fn quiet(machine: &Machine, run: &Run, history: &History, index: usize) -> bool {
    let taken = &run.taken[index];
    let Some(operation) = history.at(taken.thread, index) else {
        return false;
    };
    if taken.way.result.is_err() || taken.way.marks > 0 {
        return false;
    }
    let others = reachable_by_others(&taken.before, taken.thread);
    let private = |cell: &Cell| matches!(cell, Cell::Heap(address, _) if !others.contains(address));
    let alters = |effect: &Effect| match effect {
        Effect::Write { cell, .. } => !private(cell),
        Effect::New { reused, .. } => *reused && machine.object.memory != Memory::Gc,
        Effect::Free { .. } => true,
        _ => false,
    };
    if taken.way.executed.iter().flat_map(|e| &e.effects).any(alters) {
        return false;
    }
    let last = run.taken.iter().rposition(|t| t.thread == taken.thread).unwrap_or(index);
    let until = operation.returned.as_ref().map_or(last, |(at, _)| *at);
    let cells = touched(taken);
    let elsewhere = run.taken[operation.called..until].iter().filter(|t| t.thread != taken.thread);
    !elsewhere.clone().any(|other| cells.iter().any(|cell| changes(other, *cell)))
}

/// The cells that a move reads or writes.
pub fn touched(taken: &Taken) -> Vec<Cell> {
    let effects = taken.way.executed.iter().flat_map(|e| &e.effects);
    let cell = |effect: &Effect| match effect {
        Effect::Read { cell, .. } | Effect::Write { cell, .. } => Some(*cell),
        _ => None,
    };
    effects.filter_map(cell).collect()
}

/// Whether a move writes a cell, or allocates or frees the struct in which it lies.
pub fn changes(taken: &Taken, wanted: Cell) -> bool {
    taken.way.executed.iter().flat_map(|e| &e.effects).any(|effect| match effect {
        Effect::Write { cell, .. } => *cell == wanted,
        Effect::New { address, reused: true } | Effect::Free { address } => {
            matches!(wanted, Cell::Heap(a, _) if a == *address)
        }
        _ => false,
    })
}

/// What can be reached without the thread's own locals.
fn reachable_by_others(state: &State, thread: u8) -> BTreeSet<u32> {
    let mut without = state.clone();
    let own = &mut without.threads[thread as usize];
    own.persistent.clear();
    own.variables.clear();
    own.phase = Phase::Idle;
    reachable(&without, [])
}
