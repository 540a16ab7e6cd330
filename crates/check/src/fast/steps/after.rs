//! States as parts, and what moves lead to.

use super::{LOST, Raw, Steps};
use crate::fast::canon::{HELD, Holder};
use crate::fast::decode;
use crate::fast::unshare::{self, Passage, SHARED_AGAIN};
use crate::machine::state::{Cell, Head, SHARED, State, Thread};
use crate::machine::touched::Touched;
use trueline_space::{Accesses, Held, Part, Rename, To};

impl Steps<'_> {
    /// The parts of a whole state; none where a struct is lost and executions end there.
    pub(in crate::fast) fn parts(&mut self, state: &State) -> Option<(Part, Vec<Part>)> {
        let holders: Vec<Holder<'_>> = state.threads.iter().map(Holder::Thread).collect();
        self.canon.name(state, &holders, 0..0);
        if self.leaks && self.canon.lost {
            return None;
        }
        let persistent = self.machine.object.persistent.len();
        let live = &self.explorer.live;
        let canon = &mut self.canon;
        let locals =
            state.threads.iter().map(|thread| canon.local(state, thread, live, persistent)).collect();
        Some((canon.global(state), locals))
    }

    /// The same without copies of what has left shared memory.
    pub(in crate::fast) fn shared_parts(&mut self, state: &State) -> Option<(Part, Vec<Part>)> {
        let unshare = std::mem::take(&mut self.canon.unshare);
        let parts = self.parts(state);
        self.canon.unshare = unshare;
        parts
    }

    /// The parts after a move on a whole state, or why the execution ends there.
    pub(super) fn parts_after(
        &mut self,
        state: &mut State,
        was_global: &dyn Fn(u32) -> bool,
    ) -> Result<(Part, Vec<Part>), u32> {
        if self.canon.unshare {
            self.canon.name(state, &[], 0..0);
            if self.canon.published(state) {
                return Err(SHARED_AGAIN);
            }
            unshare::leave(&self.canon, state, was_global);
        }
        self.parts(state).ok_or(LOST)
    }

    /// The threads hold what they hold; the global structs come first.
    pub(super) fn decode(&mut self, global: &[u8], locals: &[(usize, &[u8])]) -> (State, u32, u32) {
        let mut state = std::mem::take(&mut self.scratch);
        let (reached, all) = decode::global(global, self.machine, &mut state);
        for (t, local) in locals {
            let base = state.heap.heads.len() as u32;
            let module = &self.machine.object;
            let State { heap, threads, .. } = &mut state;
            decode::local_into(local, module, &self.explorer.live, base, heap, &mut threads[*t]);
        }
        (state, reached, all)
    }

    /// The global part, and the part of the thread that moved.
    pub(super) fn encode(&mut self, state: &State, thread: usize) -> (Part, Part) {
        let persistent = self.machine.object.persistent.len();
        let global = self.canon.global(state);
        let thread = &state.threads[thread];
        (global, self.canon.local(state, thread, &self.explorer.live, persistent))
    }

    /// Names the structs after a move, given what the other threads hold.
    pub(super) fn name(&mut self, state: &State, thread: usize, holders: &[u64]) {
        let held = |t: usize| match t == thread {
            true => Holder::Thread(&state.threads[t]),
            false => Holder::Structs(holders.get(t).copied().unwrap_or(0)),
        };
        let holders: Vec<Holder<'_>> = (0..self.machine.threads.len()).map(held).collect();
        self.canon.name(state, &holders, 0..0);
    }

    pub(super) fn reached(&mut self, mut state: State, thread: usize, before: usize, was: &[u8]) -> To {
        if self.canon.unshare {
            self.canon.name(&state, &[], 0..0);
            if self.canon.published(&state) {
                return To::End(SHARED_AGAIN);
            }
            let left = unshare::leave(&self.canon, &mut state, &|a| a < before as u32);
            let (global, local) = self.encode(&state, thread);
            let rename = self.renamings.leaving(&self.canon.map, before, &left, &state.heap);
            self.passage.leaving.extend(left.into_iter().filter(|a| *a < before as u32));
            self.spare.push(state);
            return To::Parts { global: (global != was).then_some(global), local, rename };
        }
        self.name(&state, thread, &[]);
        if self.canon.fresh {
            let (global, local) = self.encode(&state, thread);
            self.spare.push(state);
            return To::Parts { global: (global != was).then_some(global), local, rename: 0 };
        }
        let shared = self.canon.globals().0 as u32;
        let doubtful = |a: &usize| self.canon.map[*a] >= shared && !state.heap.heads[*a].forgotten;
        let mut things = 0;
        for a in (0..before).filter(doubtful) {
            if a >= 64 {
                return To::Whole;
            }
            things |= 1 << a;
        }
        if things != 0 {
            self.raw_bytes += (40 * state.heap.cells.len() + 200 + 80 * state.threads.len()) as u64;
            self.raws.push(Raw { state, thread, before });
            return To::Held(Held { raw: self.raws.len() as u32 - 1, things });
        }
        if self.leaks && self.canon.lost {
            return To::End(LOST);
        }
        if self.canon.tied {
            return To::Whole;
        }
        let (global, local) = self.encode(&state, thread);
        let rename = self.renamings.number(&self.canon.map, before, &|_| false, &state.heap);
        self.spare.push(state);
        To::Parts { global: (global != was).then_some(global), local, rename }
    }

    /// A thread's part, decoded where its own structs stand behind those of a renaming, with the names in `canon`.
    pub(super) fn renamed(&mut self, local: &[u8], rename: Rename) -> (State, Thread) {
        let renaming = self.renamings.get(rename);
        let mut state = std::mem::take(&mut self.scratch);
        state.heap.heads.clear();
        state.heap.cells.clear();
        let map = &mut self.canon.map;
        map.clear();
        map.extend_from_slice(&renaming.map);
        match &renaming.heap {
            Some(heap) => {
                state.heap.heads.extend_from_slice(&heap.heads);
                state.heap.cells.extend_from_slice(&heap.cells);
            }
            None => {
                let names = decode::names(local, &self.machine.object, &self.explorer.live);
                let structs = map.len().max(names as usize);
                map.extend(map.len() as u32..structs as u32);
                state.heap.heads.resize(structs, Head::default());
            }
        }
        let base = state.heap.heads.len() as u32;
        let thread = decode::local(local, &self.machine.object, &self.explorer.live, base, &mut state.heap);
        self.canon.map.resize(state.heap.heads.len(), HELD);
        (state, thread)
    }

    /// What moves touch, as others can tell: cells of structs from `before` on are the thread's own.
    pub(super) fn note_accesses(
        &mut self,
        state: &State,
        thread: usize,
        before: u32,
        touched: &Touched,
        returns: bool,
    ) {
        let Some(footprints) = &self.footprints else { return };
        let number = |cell: &Cell| match cell.address {
            SHARED => Some(cell.index),
            address if address < before => {
                let start = state.heap.heads[address as usize].start;
                Some(state.shared.len() as u32 + start + cell.index)
            }
            _ => None,
        };
        let bits = |cells: &[Cell]| {
            let numbers = cells.iter().filter_map(number);
            numbers.fold(0, |bits, cell| bits | Accesses::bit(cell as usize))
        };
        let cells = |a: &u32| {
            let Head { start, len, .. } = state.heap.heads[*a as usize];
            let first = state.shared.len() + start as usize;
            (first..first + len as usize).fold(0, |bits, cell| bits | Accesses::bit(cell))
        };
        let whole = |structs: &[u32]| structs.iter().map(cells).fold(0, |all, bits| all | bits);
        let Passage { leaving, kept } = &self.passage;
        self.accesses = Accesses {
            reads: bits(&touched.reads) | whole(kept),
            writes: bits(&touched.writes) | whole(leaving),
            alone: leaving.is_empty() && kept.is_empty() && footprints.alone(thread, touched, state, before),
            returns,
        };
    }
}
