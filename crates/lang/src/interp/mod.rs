//! The reference interpreter: what a [`Machine`] means, executed literally.
//!
//! Small, slow and meant to be read next to the documentation of [`crate::ir`]. It knows no
//! canonical heaps, clears no dead slot and collects no garbage: addresses count allocations.
//! `replay` confirms every counterexample here, and every faster engine is tested against it.

mod access;
mod client;
mod collection;
mod eval;
mod exec;
mod memory;
mod spec;
#[cfg(test)]
mod tests;

pub use memory::reachable;
pub use spec::{eval_invariant, spec_initial, spec_step};

use crate::ir::{Action, Choice, Machine, Move, NodeId, OpId, Pc, Slot, StructId};
use std::collections::BTreeSet;
use trueline_base::verdict::Finding;
use trueline_base::{Span, Value};

/// A state of a machine between two moves.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    /// The shared cells.
    pub shared: Vec<Value>,
    /// The heap, by address.
    pub heap: Vec<HeapStruct>,
    /// The threads.
    pub threads: Vec<ThreadState>,
}

/// A struct on the heap.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HeapStruct {
    /// Its type.
    pub kind: StructId,
    /// Its cells.
    pub cells: Vec<Value>,
    /// Whether it was freed and not allocated again since.
    pub freed: bool,
}

/// A thread between two moves.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadState {
    /// Its persistent slots while it is idle; they are the first of its frame otherwise.
    pub persistent: Vec<Value>,
    /// Where its script stands.
    pub node: NodeId,
    /// The script's variables.
    pub variables: Vec<Value>,
    /// The cells to which it holds an unbroken link.
    pub links: BTreeSet<Cell>,
    /// What it is doing.
    pub phase: Phase,
}

/// What a thread is doing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// Between two operations, or done.
    Idle,
    /// Inside an operation, at a stop.
    Running {
        /// The alternative of its script's node that it called.
        alternative: u16,
        /// The next instruction.
        pc: Pc,
        /// Its locals.
        frame: Vec<Value>,
    },
    /// About to return.
    Returning {
        /// The alternative of its script's node that it called.
        alternative: u16,
        /// What it returns.
        value: Value,
        /// Its locals.
        frame: Vec<Value>,
    },
}

/// The name of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cell {
    /// A shared cell, by its number.
    Shared(u32),
    /// A cell of a struct on the heap: address, number.
    Heap(u32, u32),
}

/// What an observer of calls and returns sees of a move.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ObservableEvent {
    /// The thread calls an operation.
    Call {
        /// The operation.
        op: OpId,
        /// Its arguments.
        args: Vec<Value>,
    },
    /// Nothing.
    Silent,
    /// The thread's operation returns.
    Return {
        /// The operation.
        op: OpId,
        /// Its result.
        value: Value,
    },
}

/// One instruction that a move executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executed {
    /// Its place in the operation's code.
    pub pc: Pc,
    /// Where it came from.
    pub span: Span,
    /// What it did, in order; of an instruction that failed, what it did before.
    pub effects: Vec<Effect>,
}

/// What an instruction does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It reads a cell.
    Read {
        /// The cell.
        cell: Cell,
        /// What it holds.
        value: Value,
    },
    /// It writes a cell.
    Write {
        /// The cell.
        cell: Cell,
        /// What it held.
        old: Value,
        /// What it holds now.
        new: Value,
    },
    /// It assigns a local.
    Assign {
        /// The local.
        slot: Slot,
        /// What it holds now.
        value: Value,
    },
    /// It allocates a struct.
    New {
        /// The address.
        address: u32,
        /// Whether the address had been used before.
        reused: bool,
    },
    /// It frees a struct.
    Free {
        /// The address.
        address: u32,
    },
    /// It is a branch that goes this way.
    Branch(bool),
}

/// One way to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// The decision that leads here.
    pub action: Action,
    /// What is seen of it.
    pub event: ObservableEvent,
    /// How many linearization marks were passed.
    pub marks: u32,
    /// What was executed; where the result is a finding, the last one failed.
    pub executed: Vec<Executed>,
    /// Where it leads.
    pub result: Result<State, Finding>,
}

/// All moves of one thread.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Moves {
    /// Every way, in the order of the choices.
    pub ways: Vec<Way>,
    /// Where ways wait that do not exist because of an `await` or a `lock`.
    pub waits: Vec<Executed>,
    /// Whether a way does not exist because of an `assume`.
    pub discarded: bool,
}

impl Moves {
    /// Whether the thread cannot move before another one acts.
    pub fn blocked(&self) -> bool {
        self.ways.is_empty() && !self.waits.is_empty()
    }
}

/// A move that the state does not offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The move.
    pub wanted: Move,
    /// What the thread can do instead.
    pub offered: Vec<Action>,
}

impl std::fmt::Display for Misfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let thread = self.wanted.thread + 1;
        write!(f, "thread {thread} cannot {}", self.wanted.action)?;
        match self.offered.as_slice() {
            [] => write!(f, "; it cannot move at all"),
            offered => {
                let offered: Vec<String> = offered.iter().map(Action::to_string).collect();
                write!(f, "; it can {}", offered.join(", or "))
            }
        }
    }
}

/// Every way through `init` and the threads' initialisers, with its choices.
pub fn initial(machine: &Machine) -> Vec<(Vec<Choice>, Result<State, Finding>)> {
    client::initial(machine)
}

/// Every move of a thread.
pub fn moves(machine: &Machine, state: &State, thread: u8) -> Moves {
    let Some(of) = state.threads.get(thread as usize) else {
        return Moves::default();
    };
    match of.phase {
        Phase::Idle => client::calls(machine, state, thread),
        Phase::Running { .. } => exec::steps(machine, state, thread),
        Phase::Returning { .. } => client::returns(machine, state, thread),
    }
}

/// The threads that wait in a dead end: a state in which nobody can move, somebody waits for another to act, and of
/// nobody else all ways are left out. Each with the first place where it waits; empty in every other state.
pub fn dead_end(machine: &Machine, state: &State) -> Vec<(u8, Executed)> {
    let mut waiting = Vec::new();
    for thread in 0..machine.threads.len() as u8 {
        let moves = moves(machine, state, thread);
        match moves.blocked() {
            true => waiting.extend(moves.waits.into_iter().next().map(|at| (thread, at))),
            false if moves.ways.is_empty() && !moves.discarded => {}
            false => return Vec::new(),
        }
    }
    waiting
}

/// Executes one move. A move that runs into `endless` matches whatever its choices are.
pub fn apply(machine: &Machine, state: &State, wanted: &Move) -> Result<Way, Misfit> {
    let moves = moves(machine, state, wanted.thread);
    let endless = |w: &Way| {
        w.result == Err(Finding::Endless)
            && matches!((&w.action, &wanted.action), (Action::Step(_), Action::Step(_)))
    };
    let offered = || moves.ways.iter().map(|w| w.action.clone()).collect();
    let found = moves.ways.iter().find(|w| w.action == wanted.action || endless(w));
    found.cloned().ok_or_else(|| Misfit { wanted: wanted.clone(), offered: offered() })
}
