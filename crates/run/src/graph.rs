//! Execution graphs: events in the order in which they were added, the order of each thread (po), from which write each
//! read reads (rf), and the order of the writes of each location (co).
//!
//! A successful read-modify-write is a read and a write, adjacent. Under sequential consistency a graph is consistent
//! when po, rf, co and fr (a read before the writes after the one it reads) have no cycle together; `rc11` says when it is
//! under the model of C11. Fences are events there, at no location.

use crate::clock::Clock;
use crate::recall::Node;

/// Number of an event in its graph.
pub type Id = u16;
/// The write that every location begins with.
pub const INIT: Id = u16::MAX;
/// The location of fences.
pub const NOWHERE: u32 = u32::MAX;
/// Events that a graph may have.
pub const MOST_EVENTS: usize = 4000;

/// An event.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// Thread, from 0.
    pub thread: u8,
    /// Whether it is a write.
    pub write: bool,
    /// Whether it is a half of a successful read-modify-write.
    pub exclusive: bool,
    /// Whether it reads what it must, and no other write may take its place.
    pub fixed: bool,
    /// Whether it comes with the step of the event before it in its thread, as a part of one access.
    pub part: bool,
    /// Its memory order, as `order` numbers them.
    pub order: u8,
    /// Position in its thread.
    pub index: u16,
    /// What a read reads.
    pub rf: Id,
    /// Its thread does not go on: so many of its last reads would have to change. 0 when it goes on.
    pub blocks: u16,
    /// The location.
    pub loc: u32,
    /// The local state of the thread before it; 0 when it is not known.
    pub local: u64,
    /// What it does, as a number of the explorer.
    pub action: u32,
    /// What it reads or writes, as a number of the explorer.
    pub value: u32,
    /// Where its thread is after it in what is remembered.
    pub after: Node,
    /// Whether it is a read-modify-write that stores what was there.
    pub silent: bool,
    /// Events before it by po and rf, with itself.
    pub causes: Clock,
    /// Events before it by po, rf, co and fr, with itself.
    pub past: Clock,
}

/// An execution graph.
#[derive(Debug, Default)]
pub struct Graph {
    /// The events, in the order in which they were added.
    pub events: Vec<Event>,
    /// The events of each thread.
    pub threads: Vec<Vec<Id>>,
    /// The writes of each location.
    pub co: Vec<(u32, Vec<Id>)>,
    /// An order in which the events can be played, as long as it has all of them; otherwise none is known.
    pub order: Vec<Id>,
    /// A read-modify-write of this thread whose write is to be added first.
    pub first: Option<u8>,
    /// The part of all executions that it stands for, if all choices were alike.
    pub weight: f64,
}

impl Clone for Graph {
    fn clone(&self) -> Graph {
        let mut new = Graph::default();
        new.clone_from(self);
        new
    }

    /// Keeps the memory of lists: most graphs are short-lived.
    fn clone_from(&mut self, other: &Graph) {
        self.events.clone_from(&other.events);
        self.threads.clone_from(&other.threads);
        self.co.truncate(other.co.len());
        for (mine, theirs) in self.co.iter_mut().zip(&other.co) {
            mine.0 = theirs.0;
            mine.1.clone_from(&theirs.1);
        }
        let known = self.co.len();
        self.co.extend_from_slice(&other.co[known..]);
        self.order.clone_from(&other.order);
        (self.first, self.weight) = (other.first, other.weight);
    }
}

impl Graph {
    /// Without events.
    pub fn new(threads: usize) -> Graph {
        Graph { threads: vec![Vec::new(); threads], weight: 1.0, ..Graph::default() }
    }

    /// The event of a number.
    pub fn event(&self, id: Id) -> &Event {
        &self.events[usize::from(id)]
    }

    /// The writes of a location.
    pub fn writes(&self, loc: u32) -> &[Id] {
        self.co.iter().find(|c| c.0 == loc).map_or(&[], |c| &c.1)
    }

    /// The same, to be changed.
    pub fn writes_mut(&mut self, loc: u32) -> &mut Vec<Id> {
        let at = match self.co.iter().position(|c| c.0 == loc) {
            Some(at) => at,
            None => {
                self.co.push((loc, Vec::new()));
                self.co.len() - 1
            }
        };
        &mut self.co[at].1
    }

    /// The last event of a thread.
    pub fn last(&self, thread: u8) -> Option<Id> {
        self.threads[usize::from(thread)].last().copied()
    }

    /// The events of the iteration in which a thread was stopped; none when it was not.
    pub fn iteration(&self, thread: u8) -> &[Id] {
        let ids = &self.threads[usize::from(thread)];
        let blocks = ids.last().map_or(0, |id| usize::from(self.event(*id).blocks));
        &ids[ids.len() - blocks.min(ids.len())..]
    }

    /// What came before the next event of a thread.
    pub fn before(&self, thread: u8) -> (Clock, Clock) {
        self.last(thread).map_or_else(Default::default, |id| (self.event(id).causes, self.event(id).past))
    }

    /// Adds an event to its thread. `past` must be known by the caller; a write is in no co yet.
    pub fn push(&mut self, mut event: Event) -> Id {
        let id = self.events.len() as Id;
        event.index = self.threads[usize::from(event.thread)].len() as u16;
        let (mut causes, past) = self.before(event.thread);
        if !event.write && event.rf != INIT {
            causes.join(&self.event(event.rf).causes);
        }
        causes.add(event.thread, event.index);
        event.causes = causes;
        event.past = past;
        event.past.add(event.thread, event.index);
        self.threads[usize::from(event.thread)].push(id);
        if self.order.len() == self.events.len() {
            self.order.push(id);
        }
        self.events.push(event);
        id
    }

    /// Position in co of the last write of a location in a set, counted from 1; 0 for none.
    pub fn known(&self, loc: u32, set: &Clock) -> usize {
        let writes = self.writes(loc);
        let inside = |w: &Id| set.has(self.event(*w).thread, self.event(*w).index);
        writes.iter().rposition(inside).map_or(0, |i| i + 1)
    }

    /// Whether a write of a read-modify-write stands at this position of co and belongs right after its predecessor.
    pub fn attached(&self, loc: u32, at: usize) -> bool {
        self.writes(loc).get(at).is_some_and(|w| self.event(*w).exclusive)
    }

    /// The read of the same read-modify-write as a write.
    pub fn read_of(&self, write: Id) -> Id {
        let event = self.event(write);
        self.threads[usize::from(event.thread)][usize::from(event.index) - 1]
    }

    /// Whether an event is a fence.
    pub fn is_fence(&self, id: Id) -> bool {
        self.event(id).loc == NOWHERE
    }

    /// An order of all events in which each comes after what it reads and what is before it in its thread.
    pub fn causal_order(&self) -> Vec<Id> {
        let mut order = Vec::with_capacity(self.events.len());
        let mut next = vec![0usize; self.threads.len()];
        let mut known = vec![false; self.events.len()];
        while order.len() < self.events.len() {
            let before = order.len();
            for (ids, next) in self.threads.iter().zip(&mut next) {
                while let Some(&id) = ids.get(*next) {
                    let event = self.event(id);
                    if !event.write && event.rf != INIT && !known[usize::from(event.rf)] {
                        break;
                    }
                    known[usize::from(id)] = true;
                    order.push(id);
                    *next += 1;
                }
            }
            assert!(order.len() > before, "po and rf have a cycle");
        }
        order
    }

    /// Makes the past of the newest event right after it was added so that nothing comes after it: a read of the last
    /// write, or the last write.
    pub fn settle_last(&mut self, id: Id) {
        let event = *self.event(id);
        let mut past = event.past;
        if event.write {
            let writes = self.writes(event.loc);
            let before = writes.len().checked_sub(2).map_or(INIT, |i| writes[i]);
            if before != INIT {
                past.join(&self.event(before).past);
            }
            for other in &self.events {
                if !other.write && other.loc == event.loc && other.rf == before {
                    past.join(&other.past);
                }
            }
        } else if event.rf != INIT {
            past.join(&self.event(event.rf).past);
        }
        self.events[usize::from(id)].past = past;
    }

    /// Whether every write of a read-modify-write comes right after what it read.
    pub fn atomic(&self, loc: u32) -> bool {
        let writes = self.writes(loc);
        writes.iter().enumerate().all(|(i, w)| {
            !self.event(*w).exclusive
                || self.event(self.read_of(*w)).rf == i.checked_sub(1).map_or(INIT, |i| writes[i])
        })
    }

    /// Makes this the events of another graph without those of a set, with their numbers closed up. `new` becomes the new
    /// number of each event.
    pub fn become_without(&mut self, other: &Graph, deleted: &[bool], new: &mut Vec<Id>) {
        new.clear();
        let mut next = 0;
        for gone in deleted {
            new.push(if *gone { INIT } else { next });
            next += Id::from(!*gone);
        }
        let kept = |ids: &[Id], to: &mut Vec<Id>| {
            to.clear();
            to.extend(ids.iter().map(|i| new[usize::from(*i)]).filter(|i| *i != INIT));
        };
        self.events.clear();
        for (event, gone) in other.events.iter().zip(deleted) {
            if !gone {
                let rf = if event.write || event.rf == INIT { event.rf } else { new[usize::from(event.rf)] };
                self.events.push(Event { rf, ..*event });
            }
        }
        self.threads.resize_with(other.threads.len(), Vec::new);
        for (mine, theirs) in self.threads.iter_mut().zip(&other.threads) {
            kept(theirs, mine);
        }
        self.co.resize_with(other.co.len(), Default::default);
        for (mine, theirs) in self.co.iter_mut().zip(&other.co) {
            mine.0 = theirs.0;
            kept(&theirs.1, &mut mine.1);
        }
        self.order.clear();
        (self.first, self.weight) = (None, other.weight);
    }

    /// Computes the causes of a read again, after which nothing comes by po and rf.
    pub fn renew_causes(&mut self, id: Id) {
        let event = *self.event(id);
        let mut causes = match event.index.checked_sub(1) {
            Some(i) => self.event(self.threads[usize::from(event.thread)][usize::from(i)]).causes,
            None => Clock::default(),
        };
        if event.rf != INIT {
            causes.join(&self.event(event.rf).causes);
        }
        causes.add(event.thread, event.index);
        self.events[usize::from(id)].causes = causes;
    }
}
