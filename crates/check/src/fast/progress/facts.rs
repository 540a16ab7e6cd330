//! What is known of the states of an explored space, and which of them show that something never completes.
//!
//! The definitions are those of [`Progress`]. On a finite graph an execution goes on for ever exactly round a cycle, and
//! a weakly fair one round a cycle on which each thread moves, or is somewhere blocked or outside of operations: where a
//! component has that for every thread, one cycle through all of it has it, and where it has not, no cycle inside has.
//! Cost: linear in the transitions, for each thread where the property is about one.

use trueline_lang::question::Progress;
use trueline_space::{Graph, NONE, Tag};

/// Kinds of transitions: bits.
pub(super) const CALL: u8 = 1;
pub(super) const RETURN: u8 = 2;

/// Bits of threads.
pub(super) type Threads = u16;

/// An explored space as far as progress is concerned. Where a list is empty, the property does not ask for it.
pub(super) struct Facts {
    pub progress: Progress,
    pub graph: Graph,
    pub states: usize,
    pub threads: u8,
    /// Threads inside an operation, the one that is asked about.
    pub inside: Vec<Threads>,
    /// Threads that wait inside an operation.
    pub blocked: Vec<Threads>,
    /// Threads that wait legitimately.
    pub excused: Vec<Threads>,
}

/// Which transitions a search for cycles takes.
#[derive(Clone, Copy, Debug)]
pub(super) enum CycleEdges {
    /// Those without a return.
    Running,
    /// Those of a thread, without its return.
    Alone(u8),
    /// All but the return of a thread.
    Without(u8),
    /// Those without a call or a return.
    Silent,
}

impl CycleEdges {
    pub fn takes(self, tag: Tag) -> bool {
        let returns = tag.kind() & RETURN != 0;
        match self {
            CycleEdges::Running => !returns,
            CycleEdges::Alone(thread) => tag.thread() == thread && !returns,
            CycleEdges::Without(thread) => tag.thread() != thread || !returns,
            CycleEdges::Silent => tag.kind() == 0,
        }
    }
}

fn has(list: &[Threads], state: u32, thread: u8) -> bool {
    list[state as usize] >> thread & 1 == 1
}

impl Facts {
    /// The threads for each of which cycles are looked for; one where it does not matter.
    pub fn subjects(&self) -> std::ops::Range<u8> {
        match self.progress {
            Progress::LockFree | Progress::DeadlockFree => 0..1,
            _ => 0..self.threads,
        }
    }

    /// Which transitions are on the cycles that are looked for.
    pub fn part(&self, thread: u8) -> CycleEdges {
        match self.progress {
            Progress::LockFree => CycleEdges::Running,
            Progress::ObstructionFree => CycleEdges::Alone(thread),
            Progress::WaitFree(_) | Progress::StarvationFree => CycleEdges::Without(thread),
            Progress::DeadlockFree => CycleEdges::Silent,
        }
    }

    /// Whether a transition of the part counts for cycles about this thread.
    fn counts(&self, thread: u8, from: u32, tag: Tag) -> bool {
        let inside = self.inside.is_empty() || !self.follows() || has(&self.inside, from, thread);
        inside && self.part(thread).takes(tag)
    }

    /// Whether cycles are about a thread that stays inside its operation while others do as they like.
    fn follows(&self) -> bool {
        matches!(self.progress, Progress::WaitFree(_) | Progress::StarvationFree)
    }

    /// For each state its component, if some cycle through all of it shows that this thread, or whoever takes part,
    /// does not complete; [`NONE`] otherwise. None when `goes_on` ends it.
    pub fn loops(&self, thread: u8, goes_on: &mut dyn FnMut() -> bool) -> Option<Vec<u32>> {
        let taken = |from: u32, tag: Tag| self.counts(thread, from, tag);
        let mut components = self.graph.components(self.states, &taken, goes_on)?;
        let count = components.iter().filter(|c| **c != NONE).max().map_or(0, |most| *most as usize + 1);
        if count == 0 || matches!(self.progress, Progress::LockFree | Progress::ObstructionFree) {
            return Some(components);
        }
        // Per component: threads that move, that need not, and whether somebody should have completed.
        let mut moved = vec![0 as Threads; count];
        let mut free = vec![0 as Threads; count];
        let mut due = vec![!self.progress.fair(); count];
        for state in 0..self.states as u32 {
            let component = components[state as usize];
            if component == NONE {
                continue;
            }
            let at = component as usize;
            for (tag, to) in self.graph.leaving(state) {
                if (to as usize) < self.states && components[to as usize] == component && taken(state, tag) {
                    moved[at] |= 1 << tag.thread();
                }
            }
            if self.progress.fair() {
                free[at] |= !self.inside[state as usize] | self.blocked[state as usize];
                due[at] |= self.due(state, thread).is_some();
            }
        }
        let all = ((1u32 << self.threads) - 1) as Threads;
        let shows = |at: usize| match self.progress.fair() {
            true => due[at] && (moved[at] | free[at]) & all == all,
            false => moved[at] >> thread & 1 == 1,
        };
        for component in &mut components {
            if *component != NONE && !shows(*component as usize) {
                *component = NONE;
            }
        }
        Some(components)
    }

    /// A thread that is inside an operation here and does not wait legitimately: the one in question, or any.
    pub fn due(&self, state: u32, thread: u8) -> Option<u8> {
        let excused = self.excused.get(state as usize).copied().unwrap_or(0);
        let due = self.inside[state as usize] & !excused;
        match self.progress {
            Progress::StarvationFree => (due >> thread & 1 == 1).then_some(thread),
            _ => (due != 0).then(|| due.trailing_zeros() as u8),
        }
    }

    /// A thread that should complete in a state in which every thread inside an operation is blocked.
    pub fn stuck(&self, state: u32) -> Option<u8> {
        let inside = self.inside[state as usize];
        if inside == 0 || inside & !self.blocked[state as usize] != 0 {
            return None;
        }
        let excused = self.excused.get(state as usize).copied().unwrap_or(0);
        let due = inside & !excused;
        (due != 0).then(|| due.trailing_zeros() as u8)
    }

    /// Whether a thread need not move here to be treated fairly.
    pub fn free(&self, state: u32, thread: u8) -> bool {
        !has(&self.inside, state, thread) || has(&self.blocked, state, thread)
    }

    /// Whether a transition stays in a component that [`Facts::loops`] gave.
    pub fn stays(&self, thread: u8, components: &[u32], from: u32, tag: Tag, to: u32) -> bool {
        let of = |state: u32| components.get(state as usize).copied().unwrap_or(NONE);
        of(from) != NONE && of(from) == of(to) && self.counts(thread, from, tag)
    }
}
