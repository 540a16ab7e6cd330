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

use rustc_hash::FxHashMap;

use crate::memory::Step;

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
    Step(Step, u64),
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
    /// Operations that return before it: where they began in the thread, and what they answer.
    returns: Vec<(u16, Vec<u64>)>,
}

impl Place {
    fn new() -> Place {
        Place { next: Next::Unknown, after: Vec::new(), returns: Vec::new() }
    }
}

/// The trees of all threads.
#[derive(Clone, Debug, Default)]
pub struct Recall {
    places: Vec<Place>,
    /// Granules that one thread touches by itself: bits of who does, and of who writes from bit 16 on.
    touched: FxHashMap<u64, u64>,
    /// Whether the code frees memory or has fences.
    pub frees: bool,
    /// See `frees`.
    pub fences: bool,
    /// Whether a run did something else than the tree knows.
    pub contradicted: bool,
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

    /// Where a thread begins.
    pub fn root(&self, thread: u8) -> Node {
        Node::from(thread)
    }

    /// What comes next at a place.
    pub fn next(&self, at: Node) -> &Next {
        &self.places[at as usize].next
    }

    /// The place after a step that read this.
    pub fn after(&mut self, at: Node, read: u32) -> Node {
        let known = &self.places[at as usize].after;
        if let Some((_, node)) = known.iter().find(|(value, _)| *value == read) {
            return *node;
        }
        let node = self.places.len() as Node;
        self.places.push(Place::new());
        self.places[at as usize].after.push((read, node));
        node
    }

    /// A run shows what comes next at a place.
    pub fn learn(&mut self, at: Node, next: Next) {
        let known = &mut self.places[at as usize].next;
        match known {
            Next::Unknown => *known = next,
            Next::Hidden => {}
            known if known.same(&next) => {}
            _ => self.contradicted = true,
        }
    }

    /// A run shows the n-th operation that returns at a place.
    pub fn learn_return(&mut self, at: Node, n: usize, begun: u16, values: &[u64]) {
        let known = &mut self.places[at as usize].returns;
        match known.get(n) {
            None => known.push((begun, values.to_vec())),
            Some((from, answered)) => self.contradicted |= *from != begun || answered != values,
        }
    }

    /// The operations that return at a place.
    pub fn returns(&self, at: Node) -> &[(u16, Vec<u64>)] {
        &self.places[at as usize].returns
    }

    /// What comes next at a place depends on what is not seen.
    pub fn hide(&mut self, at: Node) {
        self.places[at as usize].next = Next::Hidden;
    }

    /// Threads touched granules by themselves. Answers those that several threads touch and one writes, if not in one run.
    pub fn touch(&mut self, pairs: &[u64]) -> Vec<(u64, u64)> {
        let mut shared = Vec::new();
        for pair in pairs.chunks_exact(2) {
            let known = self.touched.entry(pair[0]).or_default();
            *known |= pair[1];
            let (who, writes) = (*known & 0xffff, *known >> 16);
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
