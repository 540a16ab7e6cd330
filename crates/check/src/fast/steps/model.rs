//! What a state space asks of compiled steps.

use super::{LOST, Raw, Steps, end};
use crate::coverage::Coverage;
use crate::fast::decode;
use crate::fast::letters::Seen;
use crate::fast::moves::moves;
use crate::fast::naming::places;
use crate::fast::occurring::Occurrences;
use crate::fast::unshare::SHARED_AGAIN;
use crate::machine::Explorer;
use crate::machine::state::Heap;
use std::io::{self, Read, Write};
use trueline_base::Stop;
use trueline_space::{
    Accesses, Enabled, Letter, Model, Move, Next, Part, Rename, Start, Symmetry, View, Whole, WholeMove, wire,
};

impl Model for Steps<'_> {
    fn threads(&self) -> usize {
        self.machine.threads.len()
    }

    fn class(&self, thread: usize) -> usize {
        if self.named { thread } else { self.classes[thread] }
    }

    fn role(&self, thread: usize) -> usize {
        self.roles[thread]
    }

    fn starts(&mut self) -> Vec<Start> {
        let mut found = Vec::new();
        for start in self.beginnings() {
            found.push(match start.state {
                Ok(state) => match self.parts(&state) {
                    Some((global, locals)) => Start::At { global, locals },
                    None => Start::End(LOST),
                },
                Err((thread, found)) => Start::End(end(thread as usize, found)),
            });
        }
        found
    }

    fn moves(&mut self, at: View<'_>, thread: usize, out: &mut Vec<Move>) -> Enabled {
        let class = self.class(thread);
        let recalled = self.recall.as_mut().and_then(|recall| recall.moves(at, class, out));
        let Some((enabled, accesses)) = recalled else {
            self.executed += 1;
            return self.execute(at, thread, out);
        };
        if cfg!(debug_assertions) {
            let mut executed = Vec::new();
            assert_eq!(self.execute(at, thread, &mut executed), enabled, "what is recalled is as it was");
            assert_eq!(*out, executed, "what is recalled is as it was");
            assert_eq!(self.accesses, accesses, "what is recalled is as it was");
        }
        self.accesses = accesses;
        enabled
    }

    fn accesses(&self) -> Accesses {
        self.accesses
    }

    fn exact(&self) -> bool {
        !self.together.merge
    }

    fn stopped(&self) -> Option<Stop> {
        self.explorer.goes_on().err()
    }

    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        let Explorer { coverage, assumed, .. } = &self.explorer;
        let known = (self.letters.all(), coverage, assumed);
        wire::put_bytes(out, &serde_json::to_vec(&known)?)
    }

    fn load(&mut self, input: &mut dyn Read) -> io::Result<()> {
        let (letters, coverage, assumed): (Vec<Vec<Seen>>, Coverage, bool) =
            serde_json::from_slice(&wire::get_bytes(input)?)?;
        for (number, seen) in letters.iter().enumerate() {
            if self.letters.number(seen).0 as usize != number {
                return Err(wire::damaged("a letter has another number"));
            }
        }
        (self.explorer.coverage, self.explorer.assumed) = (coverage, assumed);
        Ok(())
    }

    fn settle(&mut self, raw: u32, thread: usize, holders: &[u64]) -> Next {
        let raw = raw as usize;
        let Raw { state, thread: mover, before } = std::mem::take(&mut self.raws[raw]);
        let mut holders = holders.to_vec();
        holders.swap(mover, thread);
        self.name(&state, mover, &holders);
        let next = if self.canon.tied || self.leaks && self.canon.lost {
            Next::Whole
        } else {
            let (global, local) = self.encode(&state, mover);
            let mine = self.canon.held_by(mover);
            let rename = self.renamings.number(&self.canon.map, before, &|a| !mine[a], &state.heap);
            Next::Parts { global, local, rename }
        };
        self.raws[raw] = Raw { state, thread: mover, before };
        next
    }

    fn whole(&mut self, at: Whole<'_>, thread: usize) -> Vec<WholeMove> {
        let locals: Vec<(usize, &[u8])> = at.locals.iter().copied().enumerate().collect();
        let (state, _, before) = self.decode(at.global, &locals);
        let global = |a: u32| a < before;
        let made = moves(&mut self.explorer, self.together, &state, thread, &global, &mut self.spare);
        self.scratch = state;
        if made.rewrites {
            return vec![WholeMove { letter: Letter::SILENT, to: Err(SHARED_AGAIN) }];
        }
        let mut all = Vec::new();
        for one in made.made {
            let letter = self.letters.number(&one.seen);
            let to = match one.to {
                Ok(mut state) => self.parts_after(&mut state, &global),
                Err(found) => Err(end(thread, found)),
            };
            all.push(WholeMove { letter, to });
        }
        all
    }

    fn references(&self, local: &[u8]) -> Option<u64> {
        decode::held(local, &self.machine.object, &self.explorer.live)
    }

    fn changes(&self, rename: Rename) -> (u64, bool) {
        self.renamings.changes(rename)
    }

    fn rename(&mut self, local: &[u8], rename: Rename) -> Part {
        let (state, thread) = self.renamed(local, rename);
        let persistent = self.machine.object.persistent.len();
        let part = self.canon.local(&state, &thread, &self.explorer.live, persistent);
        self.scratch = state;
        part
    }

    fn symmetry(&self) -> Symmetry {
        match self.exchanges() {
            _ if self.exchanges_values() => Symmetry::Permuting,
            true if self.named => Symmetry::Permuting,
            true => Symmetry::Sorting,
            false => Symmetry::Off,
        }
    }

    fn permute_global(&mut self, global: &[u8], by: &[u8]) -> Option<(Part, Rename)> {
        let (mut state, reached, all) = self.decode(global, &[]);
        let naming = self.naming.as_ref().expect("threads are exchanged");
        naming.state(&mut state, &places(by));
        self.canon.name(&state, &[], reached..all);
        let permuted = (!self.canon.tied).then(|| {
            let global = self.canon.global(&state);
            let rename = self.renamings.number(&self.canon.map, all as usize, &|_| false, &state.heap);
            (global, rename)
        });
        self.scratch = state;
        permuted
    }

    fn permute_local(&mut self, local: &[u8], by: &[u8], rename: Rename) -> Part {
        let (mut state, mut thread) = self.renamed(local, rename);
        let naming = self.naming.as_ref().expect("threads are exchanged");
        let to = places(by);
        naming.structs(&mut state.heap, &to);
        let values = thread.script.iter_mut().chain(&mut thread.frame).chain(&mut thread.result);
        values.for_each(|value| naming.value(value, &to));
        let persistent = self.machine.object.persistent.len();
        let part = self.canon.local(&state, &thread, &self.explorer.live, persistent);
        self.scratch = state;
        part
    }

    fn symbols(&self) -> Vec<usize> {
        self.symbols.clone()
    }

    fn occurring(&mut self, part: &[u8], local: bool) -> Vec<u16> {
        let naming = self.naming.as_ref().expect("values are exchanged");
        let (ordered, symbols) = (!naming.unordered, naming.symbols.clone());
        if local {
            let mut heap = Heap::default();
            let thread = decode::local(part, &self.machine.object, &self.explorer.live, 0, &mut heap);
            return Occurrences::of_local(&thread, &heap.cells, ordered, &symbols).groups;
        }
        let (state, reached, _) = self.decode(part, &[]);
        let order = Occurrences::of_global(&state, if ordered { reached } else { 0 }, &symbols);
        self.scratch = state;
        order.groups
    }

    fn key(&mut self, at: View<'_>, thread: usize) -> Part {
        if !self.exchanges() {
            return Part::new();
        }
        // The thread itself becomes 0, all others 1: what remains does not depend on how the others are placed. Values
        // are known by where they occur.
        let threads = self.machine.threads.len();
        let to: Vec<u8> = (0..threads).map(|t| (t != thread) as u8).collect();
        let mut tokens = Vec::new();
        if self.exchanges_values() {
            let (first, own) = (self.occurring(at.global, false), self.occurring(at.local, true));
            let place = |groups: &[u16], at: usize| groups.iter().position(|group| group >> at & 1 == 1);
            let token = |at: usize| match (place(&first, at), place(&own, at)) {
                (Some(place), _) => place as u32,
                (None, Some(place)) => 32 + place as u32,
                (None, None) => 64,
            };
            tokens = (0..self.symbols.len()).map(token).collect();
        }
        let (state, _, all) = self.decode(at.global, &[(thread, at.local)]);
        let naming = self.naming.as_ref().expect("threads are exchanged");
        let key = naming.key(&state, thread, all, &to, &tokens);
        self.scratch = state;
        key
    }
}
