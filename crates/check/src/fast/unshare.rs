//! Structs that shared memory no longer reaches: each thread that still holds one keeps a copy of its own.
//!
//! A struct *leaves* where a move takes it, or what leads to it, out of what shared cells reach. From then on threads know
//! it only by what they hold already. As long as nobody stores into a struct that has left, and nobody makes one shared
//! again, every thread finds in its copies what it would find in the structs: what it reaches from shared cells and its
//! own slots is the same graph, so it has the same moves, and comparing references tells it the same, since copies keep
//! apart and together what was. So states with copies are bisimilar to those without, which differ in who holds the
//! same garbage as whom. Whatever breaks this is an end of its own ([`SHARED_AGAIN`]): up to the first such move both
//! have the same executions, so it is found if there is one, and the search begins anew without copies. Orders of
//! steps: a move by which a struct leaves counts as a write to its cells, and one that stores a reference to a struct
//! as a read of them, so that both orders of these are tried. Claim: exact. Oracle: the same search without it.

use super::canon::{Canon, HELD, Holder, references};
use crate::machine::state::{Cell, SHARED, State};

/// The end of an execution in which a struct that had left is stored into or shared again.
pub(super) const SHARED_AGAIN: u32 = u32::MAX - 1;

/// Why there are no copies where [`SHARED_AGAIN`] was met.
pub(super) const REFUSED: &str = "what has left shared memory is written or shared again";

/// What moves do to structs of shared memory other than reading and storing into their cells.
#[derive(Default)]
pub(super) struct Passage {
    /// Those that leave.
    pub leaving: Vec<u32>,
    /// Those that stored values lead to.
    pub kept: Vec<u32>,
}

impl Passage {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.leaving.clear();
        self.kept.clear();
    }

    /// Notes which of the structs before `before`, those of shared memory, the values lead to that a move has stored
    /// into them and into shared cells, directly or through structs of the thread's own.
    pub fn keep(&mut self, state: &State, writes: &[Cell], before: u32) {
        let mut todo: Vec<u32> = Vec::new();
        for cell in writes.iter().filter(|cell| cell.address == SHARED || cell.address < before) {
            let cells = if cell.address == SHARED { &state.shared } else { state.heap.cells(cell.address) };
            references(&cells[cell.index as usize], &mut |a| todo.push(a));
        }
        let mut own = Vec::new();
        while let Some(address) = todo.pop() {
            if address < before {
                self.kept.push(address);
            } else if !own.contains(&address) {
                own.push(address);
                state.heap.cells(address).iter().for_each(|value| references(value, &mut |a| todo.push(a)));
            }
        }
    }
}

/// Marks what has left, with what it leads to, in a state that `canon` has just named; `was_global` says what shared
/// cells reached before. Gives the addresses that are marked now and were not before.
pub(super) fn leave(canon: &Canon<'_>, state: &mut State, was_global: &dyn Fn(u32) -> bool) -> Vec<u32> {
    let structs = 0..state.heap.heads.len() as u32;
    let mut left: Vec<u32> = structs.filter(|a| canon.map[*a as usize] == HELD && was_global(*a)).collect();
    left.iter().for_each(|a| state.heap.heads[*a as usize].left = true);
    let mut next = 0;
    while next < left.len() {
        let mut more = Vec::new();
        for value in state.heap.cells(left[next]) {
            references(value, &mut |a| more.push(a));
        }
        for address in more {
            let head = &mut state.heap.heads[address as usize];
            if canon.map[address as usize] == HELD && !std::mem::replace(&mut head.left, true) {
                left.push(address);
            }
        }
        next += 1;
    }
    left
}

/// Marks what several threads hold and shared cells never reached.
pub(super) fn begin(canon: &mut Canon<'_>, state: &mut State) {
    let holders: Vec<Holder<'_>> = state.threads.iter().map(Holder::Thread).collect();
    let several = canon.several(state, &holders);
    several.into_iter().for_each(|a| state.heap.heads[a as usize].left = true);
}
