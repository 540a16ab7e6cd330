//! What threads do next, remembered by what they have read.
//!
//! What a thread does depends on what it has read so far and on nothing else: its memory, its blocks, time and random
//! numbers are its own. So what it did once after the same reads need not be played again. For each thread there is a
//! tree of its steps, with a branch per value that a step reads; runs add to it, and the explorer goes on with a graph as
//! far as the tree knows (`explore::ahead`).
//!
//! Two things are not seen in one run when runs are left out, and are looked for over all of them: memory that one thread
//! touches in one run and another thread in another, and code whose behaviour depends on what is not seen, such as that of
//! libraries without instrumentation. For the latter every run is compared with the tree. Oracle: the same search with
//! every run played (tests).
//!
//! Workers that explore at the same time have a copy of the trees each, and a log of what any of them has learnt: places
//! have the same numbers everywhere since all copies take in the same log.

use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;

use crate::kind::Kind;
use crate::memory::MemoryStep;
use crate::numbers::lock;

/// A place in the tree.
pub type Node = u32;
/// The branch of a step that reads nothing.
pub const NOTHING: u32 = u32::MAX;

/// What a thread does next.
#[derive(Clone, Copy, Debug)]
pub enum Next {
    /// Not known yet.
    Unknown,
    /// A step, in a local state.
    Step(MemoryStep, u64),
    /// A fence with a memory order, where those are events.
    Fence(u8),
    /// It goes round in a loop of so many accesses that changes nothing, and is in this local state.
    Blocked(usize, u64),
    /// Nothing: it has ended.
    Ended,
    /// That depends on what is not seen.
    Hidden,
}

impl Next {
    fn same(&self, other: &Next) -> bool {
        match (self, other) {
            (Next::Step(a, _), Next::Step(b, _)) => {
                a.loc == b.loc && a.action == b.action && (a.reads || a.new == b.new)
            }
            (Next::Fence(a), Next::Fence(b)) => a == b,
            (Next::Blocked(a, _), Next::Blocked(b, _)) => a == b,
            (Next::Ended, Next::Ended) => true,
            _ => false,
        }
    }
}

#[derive(Clone, Debug)]
struct Place {
    next: Next,
    /// By what its step read.
    after: Vec<(u32, Node)>,
    /// Operations that return before it.
    returns: Vec<Returned>,
}

/// An operation that returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Returned {
    /// Where it began in the thread.
    pub begun: u16,
    /// What it answers.
    pub values: Vec<u64>,
    /// A number for the memory of the thread then; nothing when that is not always the same.
    pub kept: Option<u64>,
}

impl Returned {
    fn same(&self, begun: u16, values: &[u64]) -> bool {
        self.begun == begun && self.values == values
    }
}

/// What comes of a complete execution after its threads: what operations outside of them answer, and how one waits.
pub type After = Arc<(Vec<Vec<u64>>, Option<Kind>)>;

impl Place {
    fn new() -> Place {
        Place { next: Next::Unknown, after: Vec::new(), returns: Vec::new() }
    }
}

/// Something that was learnt.
#[derive(Clone, Debug)]
enum Fact {
    /// A place has another after a step that read this.
    Branch(Node, u32),
    /// What comes next at a place.
    Next(Node, Next),
    /// The n-th operation that returns at a place.
    Return(Node, usize, Returned),
    /// The memory of the thread is not always the same when it returns.
    Varies(Node, usize),
    /// What comes of executions that end with this memory.
    After(Arc<[u64]>, After),
    /// What comes next at a place depends on what is not seen.
    Hidden(Node),
    /// Bits of who touches a granule by itself, and of who writes it.
    Touched(u64, u64),
    /// The code frees memory.
    Frees,
}

/// The trees of all threads.
#[derive(Clone, Debug, Default)]
pub struct Recall {
    places: Vec<Place>,
    /// Granules that one thread touches by itself: bits of who does, and of who writes from bit 16 on.
    touched: FxHashMap<u64, u64>,
    /// By what memory contains when all threads have ended (`explore::after`).
    ends: FxHashMap<Arc<[u64]>, After>,
    /// Whether the code frees memory.
    pub frees: bool,
    /// Whether a run did something else than the tree knows.
    pub contradicted: bool,
    /// What all workers have learnt since they share it, and how much of that is in this copy.
    shared: Option<Arc<Mutex<Vec<Fact>>>>,
    taken: usize,
    /// Whether something of another worker was taken in. Numbers in it may be new here.
    pub news: bool,
}

impl Recall {
    /// Forgets everything; so many threads.
    pub fn start(&mut self, threads: usize) {
        *self = Recall {
            places: vec![Place::new(); threads],
            contradicted: self.contradicted,
            ..Recall::default()
        };
    }

    /// From now on copies learn from each other.
    pub fn share(&mut self) {
        (self.shared, self.taken) = (Some(Arc::default()), 0);
    }

    /// Takes in what other copies have learnt.
    pub fn catch_up(&mut self) {
        if let Some(shared) = self.shared.clone() {
            self.take_in(&lock(&shared));
        }
    }

    fn take_in(&mut self, facts: &[Fact]) {
        for fact in &facts[self.taken..] {
            self.apply(fact);
            self.news = true;
        }
        self.taken = facts.len();
    }

    /// Something was learnt here.
    fn learnt(&mut self, fact: Fact) {
        let Some(shared) = self.shared.clone() else {
            self.apply(&fact);
            return;
        };
        let mut facts = lock(&shared);
        self.take_in(&facts);
        if self.apply(&fact) {
            facts.push(fact);
            self.taken = facts.len();
        }
    }

    /// Takes something in. Answers whether it was new.
    fn apply(&mut self, fact: &Fact) -> bool {
        match fact {
            Fact::Branch(at, read) => {
                if self.branch(*at, *read).is_some() {
                    return false;
                }
                let node = self.places.len() as Node;
                self.places.push(Place::new());
                self.places[*at as usize].after.push((*read, node));
            }
            Fact::Next(at, next) => {
                let known = &mut self.places[*at as usize].next;
                match known {
                    Next::Unknown => *known = *next,
                    Next::Hidden => return false,
                    known => {
                        self.contradicted |= !known.same(next);
                        return false;
                    }
                }
            }
            Fact::Return(at, n, returned) => {
                let known = &mut self.places[*at as usize].returns;
                match known.get(*n) {
                    None => known.push(returned.clone()),
                    Some(earlier) => {
                        self.contradicted |= !earlier.same(returned.begun, &returned.values);
                        return false;
                    }
                }
            }
            Fact::Varies(at, n) => self.places[*at as usize].returns[*n].kept = None,
            Fact::After(memory, after) => {
                if let Some(known) = self.ends.get(memory) {
                    self.contradicted |= known != after;
                    return false;
                }
                self.ends.insert(memory.clone(), after.clone());
            }
            Fact::Hidden(at) => self.places[*at as usize].next = Next::Hidden,
            Fact::Touched(granule, who) => *self.touched.entry(*granule).or_default() |= who,
            Fact::Frees => self.frees = true,
        }
        true
    }

    /// Where a thread begins.
    pub fn root(&self, thread: u8) -> Node {
        Node::from(thread)
    }

    /// What comes next at a place.
    pub fn next(&self, at: Node) -> &Next {
        &self.places[at as usize].next
    }

    /// Whether another worker has learnt what comes next at a place.
    pub fn is_told(&mut self, at: Node) -> bool {
        self.catch_up();
        !matches!(self.next(at), Next::Unknown)
    }

    fn branch(&self, at: Node, read: u32) -> Option<Node> {
        let known = &self.places[at as usize].after;
        known.iter().find(|(value, _)| *value == read).map(|(_, node)| *node)
    }

    /// The place after a step that read this.
    pub fn after(&mut self, at: Node, read: u32) -> Node {
        if let Some(node) = self.branch(at, read) {
            return node;
        }
        self.learnt(Fact::Branch(at, read));
        self.branch(at, read).expect("it was just learnt")
    }

    /// A run shows what comes next at a place.
    pub fn learn(&mut self, at: Node, next: Next) {
        match self.next(at) {
            Next::Unknown => self.learnt(Fact::Next(at, next)),
            Next::Hidden => {}
            known if known.same(&next) => {}
            _ => self.contradicted = true,
        }
    }

    /// A run shows the n-th operation that returns at a place, and a number for the memory of its thread.
    pub fn learn_return(&mut self, at: Node, n: usize, begun: u16, values: &[u64], kept: u64) {
        if self.returns(at).len() <= n {
            let returned = Returned { begun, values: values.to_vec(), kept: Some(kept) };
            self.learnt(Fact::Return(at, n, returned));
        }
        let known = &self.places[at as usize].returns[n];
        self.contradicted |= !known.same(begun, values);
        if known.kept.is_some_and(|k| k != kept) {
            self.learnt(Fact::Varies(at, n));
        }
    }

    /// The operations that return at a place.
    pub fn returns(&self, at: Node) -> &[Returned] {
        &self.places[at as usize].returns
    }

    /// What comes of executions that end with this memory.
    pub fn at_end(&self, memory: &[u64]) -> Option<&After> {
        self.ends.get(memory)
    }

    /// A run shows it.
    pub fn learn_end(&mut self, memory: &[u64], after: After) {
        match self.at_end(memory) {
            None => self.learnt(Fact::After(memory.into(), after)),
            Some(known) => self.contradicted |= *known != after,
        }
    }

    /// What comes next at a place depends on what is not seen.
    pub fn hide(&mut self, at: Node) {
        if !matches!(self.next(at), Next::Hidden) {
            self.learnt(Fact::Hidden(at));
        }
    }

    /// The code frees memory.
    pub fn note_free(&mut self) {
        if !self.frees {
            self.learnt(Fact::Frees);
        }
    }

    /// Threads touched granules by themselves. Answers those that several threads touch and one writes, if not in one run.
    pub fn touch(&mut self, pairs: &[u64]) -> Vec<(u64, u64)> {
        let mut shared = Vec::new();
        for pair in pairs.chunks_exact(2) {
            let known = self.touched.get(&pair[0]).copied().unwrap_or(0);
            if known | pair[1] != known {
                self.learnt(Fact::Touched(pair[0], pair[1]));
            }
            let all = self.touched[&pair[0]];
            let (who, writes) = (all & 0xffff, all >> 16);
            if writes != 0 && who.count_ones() > 1 {
                shared.push((pair[0], pair[0]));
            }
        }
        shared
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_threads_touch_in_different_runs_is_shared_when_one_writes_it() {
        let mut recall = Recall::default();
        let (reads, writes) = (|thread: u64| 1 << thread, |thread: u64| 1 << thread | 1 << (16 + thread));
        assert_eq!(recall.touch(&[7, reads(1), 8, writes(1)]), []);
        assert_eq!(recall.touch(&[7, reads(2), 9, writes(2)]), []);
        assert_eq!(recall.touch(&[8, reads(2)]), [(8, 8)]);
        assert_eq!(recall.touch(&[7, writes(2)]), [(7, 7)]);
    }
}
