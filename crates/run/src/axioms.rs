//! The twin of `rc11`: the axioms of C11 by their definitions, as relations between events.
//!
//! Lahav, Vafeiadis, Kang, Hur and Dreyer (PLDI 2017), with the release sequences of C++20. Relations are matrices, and each
//! line below is a line of the paper. Failures that need a weak memory model are confirmed by it.

use crate::order::{PLAIN, SEQ_CST, acquires, releases};

/// What an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A read.
    Read,
    /// A write.
    Write,
    /// A fence, at no location.
    Fence,
}

/// An event.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// Its thread.
    pub thread: usize,
    /// What it is.
    pub kind: EventKind,
    /// Where.
    pub loc: usize,
    /// Its memory order, as `order` numbers them.
    pub order: u8,
    /// Whether it is the write of the read-modify-write whose read is the event before it in its thread.
    pub update: bool,
}

/// A candidate execution: events in the order of their threads, what each read reads (nothing is the initial write), and
/// the writes of each location in their order.
#[derive(Clone, Debug, Default)]
pub struct Candidate {
    /// The events.
    pub events: Vec<Event>,
    /// By event.
    pub rf: Vec<Option<usize>>,
    /// By location.
    pub mo: Vec<Vec<usize>>,
    /// What a client makes happen before what.
    pub client: Vec<(usize, usize)>,
}

/// What a candidate violates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Violated {
    /// po and rf have a cycle.
    ThinAir,
    /// A read sees what it must not, or writes are ordered against happens-before.
    Coherence,
    /// Something comes between the halves of a read-modify-write.
    Atomicity,
    /// Sequentially consistent accesses and fences have no order.
    Sc,
}

/// A relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Relation(Vec<Vec<bool>>);

impl Relation {
    fn of(count: usize, holds: impl Fn(usize, usize) -> bool) -> Relation {
        Relation((0..count).map(|a| (0..count).map(|b| holds(a, b)).collect()).collect())
    }

    pub(crate) fn has(&self, a: usize, b: usize) -> bool {
        self.0[a][b]
    }

    fn or(&self, other: &Relation) -> Relation {
        Relation::of(self.0.len(), |a, b| self.has(a, b) || other.has(a, b))
    }

    /// Composition.
    fn then(&self, other: &Relation) -> Relation {
        let count = self.0.len();
        Relation::of(count, |a, b| (0..count).any(|x| self.has(a, x) && other.has(x, b)))
    }

    fn maybe(&self) -> Relation {
        Relation::of(self.0.len(), |a, b| a == b || self.has(a, b))
    }

    fn plus(&self) -> Relation {
        let (mut all, count) = (self.clone(), self.0.len());
        for middle in 0..count {
            for first in 0..count {
                if all.has(first, middle) {
                    for last in 0..count {
                        all.0[first][last] |= all.has(middle, last);
                    }
                }
            }
        }
        all
    }

    fn inverse(&self) -> Relation {
        Relation::of(self.0.len(), |a, b| self.has(b, a))
    }

    fn irreflexive(&self) -> bool {
        (0..self.0.len()).all(|a| !self.has(a, a))
    }

    fn only(&self, keep: impl Fn(usize, usize) -> bool) -> Relation {
        Relation::of(self.0.len(), |a, b| self.has(a, b) && keep(a, b))
    }
}

impl Candidate {
    fn set(&self, of: impl Fn(&Event) -> bool) -> Relation {
        Relation::of(self.events.len(), |a, b| a == b && of(&self.events[a]))
    }

    fn same_location(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.events[a], &self.events[b]);
        a.kind != EventKind::Fence && b.kind != EventKind::Fence && a.loc == b.loc
    }

    fn sb(&self) -> Relation {
        Relation::of(self.events.len(), |a, b| a < b && self.events[a].thread == self.events[b].thread)
    }

    fn reads(&self) -> Relation {
        Relation::of(self.events.len(), |a, b| {
            self.events[b].kind == EventKind::Read && self.rf[b] == Some(a)
        })
    }

    /// The read and the write of read-modify-writes.
    fn rmw(&self) -> Relation {
        let sb = self.sb();
        sb.only(|a, b| {
            self.events[b].update
                && self.events[a].kind == EventKind::Read
                && !(0..self.events.len()).any(|x| sb.has(a, x) && sb.has(x, b))
        })
    }

    /// The order of writes, and of reads before the writes after the one that they read.
    fn orders(&self) -> (Relation, Relation) {
        let place = |e: usize| self.mo[self.events[e].loc].iter().position(|w| *w == e);
        let write = |e: usize| self.events[e].kind == EventKind::Write;
        let count = self.events.len();
        let mo = Relation::of(count, |a, b| {
            write(a) && write(b) && self.same_location(a, b) && place(a) < place(b)
        });
        let first = Relation::of(count, |a, b| {
            self.events[a].kind == EventKind::Read
                && self.rf[a].is_none()
                && write(b)
                && self.same_location(a, b)
        });
        let rb = self.reads().inverse().then(&mo).or(&first);
        (mo, rb.only(|a, b| a != b))
    }

    /// What happens before what.
    pub(crate) fn hb(&self) -> Relation {
        let (sb, rf) = (self.sb(), self.reads());
        let fence_before = self.set(|e| e.kind == EventKind::Fence).then(&sb).maybe();
        let fence_after = sb.then(&self.set(|e| e.kind == EventKind::Fence)).maybe();
        let atomic = |kind| self.set(move |e: &Event| e.kind == kind && e.order != PLAIN);
        let continued = rf.then(&self.rmw()).plus().maybe();
        let sequence = atomic(EventKind::Write).then(&continued);
        let sw = self
            .set(|e| releases(e.order))
            .then(&fence_before)
            .then(&sequence)
            .then(&rf)
            .then(&atomic(EventKind::Read))
            .then(&fence_after)
            .then(&self.set(|e| acquires(e.order)));
        let client = Relation::of(self.events.len(), |a, b| self.client.contains(&(a, b)));
        sb.or(&sw).or(&client).plus()
    }

    /// Which axiom it violates.
    pub fn violates(&self) -> Option<Violated> {
        let (sb, rf) = (self.sb(), self.reads());
        if !sb.or(&rf).or(&self.hb()).plus().irreflexive() {
            return Some(Violated::ThinAir);
        }
        let (mo, rb) = self.orders();
        let (rmw, between) = (self.rmw(), rb.then(&mo));
        if !rmw.only(|r, w| between.has(r, w)).0.concat().iter().all(|both| !both) {
            return Some(Violated::Atomicity);
        }
        let (hb, eco) = (self.hb(), rf.or(&mo).or(&rb).plus());
        if !hb.then(&eco.maybe()).irreflexive() {
            return Some(Violated::Coherence);
        }
        let elsewhere = sb.only(|a, b| !self.same_location(a, b));
        let scb = sb
            .or(&elsewhere.then(&hb).then(&elsewhere))
            .or(&hb.only(|a, b| self.same_location(a, b)))
            .or(&mo)
            .or(&rb);
        let strong = self.set(|e| e.order == SEQ_CST);
        let fences = self.set(|e| e.order == SEQ_CST && e.kind == EventKind::Fence);
        let base =
            strong.or(&fences.then(&hb.maybe())).then(&scb).then(&strong.or(&hb.maybe().then(&fences)));
        let of_fences = fences.then(&hb.or(&hb.then(&eco).then(&hb))).then(&fences);
        (!base.or(&of_fences).plus().irreflexive()).then_some(Violated::Sc)
    }

    /// Two accesses that race: the first two, by their numbers.
    pub fn race(&self) -> Option<(usize, usize)> {
        let hb = self.hb();
        let count = self.events.len();
        let races = |a: usize, b: usize| {
            let (x, y) = (&self.events[a], &self.events[b]);
            x.thread != y.thread
                && self.same_location(a, b)
                && (x.kind == EventKind::Write || y.kind == EventKind::Write)
                && (x.order == PLAIN || y.order == PLAIN)
                && !hb.has(a, b)
                && !hb.has(b, a)
        };
        (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b))).find(|&(a, b)| races(a, b))
    }
}
