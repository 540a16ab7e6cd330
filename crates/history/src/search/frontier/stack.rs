//! Stacks with repeated values.
//!
//! An order of a stack is a path through frontiers on which each removal takes what the last open insertion put in. That
//! is reachability in a pushdown system whose states are frontiers (Reps, Horwitz, Sagiv, POPL 1995): a *stretch* leads
//! from a frontier right after an insertion to another with as much on the stack, and whoever comes to the same
//! frontier with the same value on top shares all stretches from there, however the rest of the stack looks. The
//! removal that ends a stretch leads every caller on. What changes nothing goes as soon as it fits, and of equal
//! operations the one that returns first goes first, as in `search::jit`. Cost: O(f^2) stretches for f frontiers, of
//! which there are O(n 2^c); most are never reached. The history is explained when a stretch passes its last return.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use trueline_base::Stop;

use super::super::Control;
use super::track::{Frontier, Track};
use super::{Act, Acts, Bounded};

/// The bottom of the stack.
const ROOT: u32 = 0;
const NO_VALUE: u32 = u32::MAX;

/// How a stretch came about.
#[derive(Clone, Copy)]
enum Cause {
    /// It begins.
    Begins,
    /// An operation that leaves the stack as it is.
    Step(u32, u32),
    /// A stretch, an insertion, a stretch of that entry and the removal that ends it.
    Around { before: u32, put: u32, inner: u32, removal: u32 },
}

#[derive(Clone, Copy)]
struct Stretch {
    entry: u32,
    at: Frontier,
    cause: Cause,
}

/// A frontier right after an insertion.
struct Entry {
    value: u32,
    /// Stretches that end with the insertion, and the insertion.
    callers: Vec<(u32, u32)>,
    /// Frontiers after a removal, with the stretch before it and the removal.
    exits: Vec<(Frontier, u32, u32)>,
}

struct Search<'a, 'c> {
    track: Track,
    control: &'a mut Control<'c>,
    entries: Vec<Entry>,
    entry_of: HashMap<(Frontier, u32), u32, FixedState>,
    stretches: Vec<Stretch>,
    known: HashMap<(u32, Frontier), (), FixedState>,
    todo: Vec<u32>,
    links: usize,
    furthest: Frontier,
    bytes: u64,
}

pub(super) fn search(acts: &Acts, control: &mut Control<'_>) -> Option<Bounded> {
    let track = Track::new(acts.acts.clone(), acts.spans.clone())?;
    let root = Entry { value: NO_VALUE, callers: Vec::new(), exits: Vec::new() };
    let mut search = Search {
        track,
        control,
        entries: vec![root],
        entry_of: HashMap::default(),
        stretches: Vec::new(),
        known: HashMap::default(),
        todo: Vec::new(),
        links: 0,
        furthest: Frontier::default(),
        bytes: 0,
    };
    let found = search.run();
    let until = search.track.waiting(search.furthest);
    Some(Bounded { found, configurations: search.stretches.len() as u64, bytes: search.bytes, until })
}

impl Search<'_, '_> {
    fn run(&mut self) -> Result<Option<Vec<usize>>, Stop> {
        self.look()?;
        self.add(ROOT, self.track.start(), Cause::Begins);
        let mut looked = 0;
        while let Some(id) = self.todo.pop() {
            let Stretch { entry, at, .. } = self.stretches[id as usize];
            if at.layer > self.furthest.layer {
                self.furthest = at;
            }
            if self.track.done(at) {
                return Ok(Some(self.order(id)));
            }
            if self.stretches.len() + self.links >= looked + 1024
                || self.stretches.len() as u64 >= self.control.cap
            {
                looked = self.stretches.len() + self.links;
                self.look()?;
            }
            self.extend(id, entry, at);
        }
        Ok(None)
    }

    fn look(&mut self) -> Result<(), Stop> {
        let stretch = std::mem::size_of::<Stretch>() + std::mem::size_of::<(u32, Frontier)>() + 1;
        let entry = std::mem::size_of::<Entry>() + std::mem::size_of::<(Frontier, u32, u32)>();
        let own = 2 * stretch * self.stretches.len() + 2 * entry * self.entries.len() + 48 * self.links;
        self.bytes = own as u64 + self.track.bytes();
        let count = self.stretches.len() as u64;
        self.control.tick(u64::from(self.furthest.layer), count, self.todo.len() as u64, self.bytes)
    }

    fn add(&mut self, entry: u32, at: Frontier, cause: Cause) {
        if self.known.insert((entry, at), ()).is_none() {
            self.todo.push(self.stretches.len() as u32);
            self.stretches.push(Stretch { entry, at, cause });
        }
    }

    /// Takes every step that can follow a stretch.
    fn extend(&mut self, id: u32, entry: u32, at: Frontier) {
        let top = self.entries[entry as usize].value;
        let fits = |act: Act| match act {
            Act::Peek(v) => v == top,
            Act::FindEmpty => entry == ROOT,
            _ => false,
        };
        let look = self.track.open(at).find(|i| fits(self.track.acts[*i as usize]));
        if let Some(look) = look {
            return self.add(entry, self.track.with(at, look), Cause::Step(id, look));
        }
        let open: Vec<u32> = self.track.open(at).filter(|i| !self.follows(at, *i)).collect();
        for item in open {
            let next = self.track.with(at, item);
            match self.track.acts[item as usize] {
                Act::Insert(v) => self.enter(id, item, next, v),
                Act::Remove(v) if v == top && entry != ROOT => self.exit(id, entry, item, next),
                Act::RemoveAny | Act::RemoveSome if entry != ROOT => self.exit(id, entry, item, next),
                Act::RemoveAny => self.add(entry, next, Cause::Step(id, item)),
                _ => {}
            }
        }
    }

    /// Whether an equal open operation returns earlier.
    fn follows(&self, at: Frontier, item: u32) -> bool {
        let (own, act) = (self.track.spans[item as usize], self.track.acts[item as usize]);
        self.track.open(at).any(|other| {
            self.track.acts[other as usize] == act
                && (self.track.spans[other as usize].ret, other) < (own.ret, item)
        })
    }

    fn enter(&mut self, id: u32, put: u32, at: Frontier, value: u32) {
        let fresh = self.entries.len() as u32;
        let entry = *self.entry_of.entry((at, value)).or_insert(fresh);
        if entry == fresh {
            self.entries.push(Entry { value, callers: Vec::new(), exits: Vec::new() });
        }
        self.entries[entry as usize].callers.push((id, put));
        self.links += 1;
        let caller = self.stretches[id as usize].entry;
        for k in 0..self.entries[entry as usize].exits.len() {
            let (after, inner, removal) = self.entries[entry as usize].exits[k];
            self.add(caller, after, Cause::Around { before: id, put, inner, removal });
        }
        self.add(entry, at, Cause::Begins);
    }

    fn exit(&mut self, id: u32, entry: u32, removal: u32, after: Frontier) {
        let own = &mut self.entries[entry as usize];
        if own.exits.iter().any(|(known, ..)| *known == after) {
            return;
        }
        own.exits.push((after, id, removal));
        self.links += 1;
        for k in 0..self.entries[entry as usize].callers.len() {
            let (before, put) = self.entries[entry as usize].callers[k];
            let caller = self.stretches[before as usize].entry;
            self.add(caller, after, Cause::Around { before, put, inner: id, removal });
        }
    }

    /// The operations on the way to the end of a stretch, from the bottom of the stack on.
    fn order(&self, last: u32) -> Vec<usize> {
        enum Piece {
            Item(u32),
            Way(u32),
        }
        // From the end to the beginning: what is taken from the stack comes before what was taken already.
        let mut order = Vec::new();
        let mut open = vec![Piece::Way(last)];
        let mut below = self.stretches[last as usize].entry;
        loop {
            while let Some(piece) = open.pop() {
                let id = match piece {
                    Piece::Item(item) => {
                        order.push(item as usize);
                        continue;
                    }
                    Piece::Way(id) => id,
                };
                match self.stretches[id as usize].cause {
                    Cause::Begins => {}
                    Cause::Step(before, item) => open.extend([Piece::Way(before), Piece::Item(item)]),
                    Cause::Around { before, put, inner, removal } => {
                        open.extend([
                            Piece::Way(before),
                            Piece::Item(put),
                            Piece::Way(inner),
                            Piece::Item(removal),
                        ]);
                    }
                }
            }
            let Some(&(before, put)) = self.entries[below as usize].callers.first() else { break };
            below = self.stretches[before as usize].entry;
            open.extend([Piece::Way(before), Piece::Item(put)]);
        }
        order.reverse();
        order
    }
}
