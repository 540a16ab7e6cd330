//! New events: reads of every consistent write, writes at every consistent place, and writes given to earlier reads.

use super::{Explorer, Outcome};
use crate::clock::Clock;
use crate::graph::{Event, Graph, INIT, Id, NOWHERE};
use crate::log::{AccessKind, Action, Op};
use crate::memory::{Location, MemoryStep};
use crate::recall::NOTHING;

impl Explorer {
    /// Adds what a thread does next. Answers what a read-modify-write writes.
    pub(super) fn add(
        &mut self,
        graph: &mut Graph,
        thread: u8,
        step: &MemoryStep,
        kind: AccessKind,
    ) -> Result<Option<u32>, Outcome> {
        if !step.reads {
            self.add_write(graph, thread, step.loc, step.action, step.new, false);
            return Ok(None);
        }
        if kind == AccessKind::Wake {
            // It reads from the signal that woke it, and from no other.
            let from = graph.writes(step.loc).iter().copied().find(|w| graph.event(*w).value == step.old);
            let Some(rf) = from else { return Err(Outcome::Differs("a signal".into())) };
            let order = self.order(step.action, false);
            let after = self.recall.after(self.node(graph, thread), step.old);
            let event =
                Event { fixed: true, order, after, ..read(thread, step.loc, step.action, rf, step.old) };
            let id = graph.push(event);
            graph.settle_last(id);
            return Ok(None);
        }
        let written = self.add_read(graph, thread, step.loc, step.action)?;
        if let Some(value) = written {
            self.add_write(graph, thread, step.loc, step.action, value, true);
        }
        Ok(written)
    }

    /// Adds a fence: it is at no location, and nothing comes after it yet.
    pub(super) fn add_fence(&mut self, graph: &mut Graph, thread: u8, order: u8) {
        let after = self.recall.after(self.node(graph, thread), NOTHING);
        let fence = read(thread, NOWHERE, u32::from(order), INIT, 0);
        graph.push(Event { fixed: true, order, after, ..fence });
    }

    /// Adds a read of the last write, with the alternatives. Answers what it writes if it is a read-modify-write.
    fn add_read(
        &mut self,
        graph: &mut Graph,
        thread: u8,
        loc: u32,
        action: u32,
    ) -> Result<Option<u32>, Outcome> {
        let known = self.known(graph, thread, loc, action);
        let last = graph.writes(loc).len();
        for at in known..last {
            if self.late() {
                break;
            }
            let (event, _) = self.reading(graph, thread, loc, action, at)?;
            let mut other = self.copy(graph);
            if event.exclusive {
                other.first = Some(thread);
            }
            other.push(event);
            other.order.clear();
            if !self.weak() || self.consistent(&mut other) {
                self.stack.push(other);
            }
        }
        let (event, written) = self.reading(graph, thread, loc, action, last)?;
        let id = graph.push(event);
        graph.settle_last(id);
        Ok(written)
    }

    /// A read of the write at a position of co, counted from 1.
    fn reading(
        &mut self,
        graph: &Graph,
        thread: u8,
        loc: u32,
        action: u32,
        at: usize,
    ) -> Result<(Event, Option<u32>), Outcome> {
        let rf = at.checked_sub(1).map_or(INIT, |i| graph.writes(loc)[i]);
        let value = match rf {
            INIT => self.memory.initial(loc).ok_or_else(|| Outcome::Differs("memory".into()))?,
            w => graph.event(w).value,
        };
        let written = self.memory.computed(action, value);
        let waits = written.is_none() && self.memory.actions.get(action).kind == AccessKind::Lock;
        let event = Event {
            after: self.recall.after(self.node(graph, thread), value),
            silent: written.is_none() && self.memory.stores(action, value),
            exclusive: written.is_some(),
            blocks: u16::from(waits),
            order: self.order(action, written.is_some()),
            ..read(thread, loc, action, rf, value)
        };
        Ok((event, written))
    }

    /// A thread waits for a lock and nobody can go on.
    pub(super) fn wait(&mut self, graph: &mut Graph, thread: u8, lock: u64, place: u64) {
        let action = Action {
            kind: AccessKind::Lock,
            op: Op::Compare,
            order: 5,
            size: 8,
            address: lock,
            place,
            a: 0,
            b: 1,
        };
        let loc = self.memory.location(Location::Player(lock));
        if self.memory.initial(loc).is_none() {
            let held = self.memory.values.of([1].into());
            self.memory.learn(loc, held);
        }
        let action = self.memory.actions.of(action);
        let _ = self.add_read(graph, thread, loc, action);
    }

    /// Adds a write: gives it to earlier reads, and places it in co. Answers whether it could be placed.
    pub(super) fn add_write(
        &mut self,
        graph: &mut Graph,
        thread: u8,
        loc: u32,
        action: u32,
        value: u32,
        exclusive: bool,
    ) -> bool {
        let known = self.known(graph, thread, loc, action);
        let order = self.order(action, true);
        let node = self.node(graph, thread);
        let after = if exclusive { node } else { self.recall.after(node, NOTHING) };
        let event = Event { write: true, exclusive, order, after, ..read(thread, loc, action, INIT, value) };
        let id = graph.push(event);
        self.revisit(graph, id);
        let last = graph.writes(loc).len();
        if exclusive {
            let from = graph.event(graph.read_of(id)).rf;
            let at = graph.writes(loc).iter().position(|w| *w == from).map_or(0, |i| i + 1);
            if graph.attached(loc, at) {
                return false;
            }
            graph.writes_mut(loc).insert(at, id);
            match at == last {
                true => graph.settle_last(id),
                false => graph.order.clear(),
            }
            return true;
        }
        for at in known..last {
            if self.late() {
                break;
            }
            if !graph.attached(loc, at) {
                let mut other = self.copy(graph);
                other.writes_mut(loc).insert(at, id);
                other.order.clear();
                if !self.weak() || self.consistent(&mut other) {
                    self.stack.push(other);
                }
            }
        }
        graph.writes_mut(loc).push(id);
        graph.settle_last(id);
        true
    }

    /// Gives a new write, which is in no co yet, to the reads that could have waited for it.
    fn revisit(&mut self, graph: &Graph, write: Id) {
        let new = *graph.event(write);
        let (mut deleted, mut numbers) = std::mem::take(&mut self.renumbering);
        for read in 0..write {
            let event = graph.event(read);
            if self.late() {
                break;
            }
            if event.write || event.fixed || event.loc != new.loc || new.causes.has(event.thread, event.index)
            {
                continue;
            }
            let gone = |id: Id| {
                id > read && id < write && {
                    let other = graph.event(id);
                    !new.causes.has(other.thread, other.index)
                }
            };
            if !(read..write)
                .all(|id| (id != read && !gone(id)) || added_maximally(graph, id, write, &new.causes))
            {
                continue;
            }
            deleted.clear();
            deleted.extend((0..graph.events.len() as Id).map(gone));
            let mut other = self.unused.pop().unwrap_or_default();
            other.become_without(graph, &deleted, &mut numbers);
            let (read, write) = (numbers[usize::from(read)], numbers[usize::from(write)]);
            let written = self.memory.computed(event.action, new.value);
            let waits = written.is_none() && self.memory.actions.get(event.action).kind == AccessKind::Lock;
            let silent = written.is_none() && self.memory.stores(event.action, new.value);
            let before = match event.index.checked_sub(1) {
                Some(at) => other.event(other.threads[usize::from(event.thread)][usize::from(at)]).after,
                None => self.recall.root(event.thread),
            };
            let after = self.recall.after(before, new.value);
            let changed = &mut other.events[usize::from(read)];
            (changed.after, changed.silent) = (after, silent);
            (changed.rf, changed.value) = (write, new.value);
            (changed.exclusive, changed.blocks) = (written.is_some(), u16::from(waits));
            changed.order = self.order(event.action, written.is_some());
            other.first = written.is_some().then_some(changed.thread);
            other.renew_causes(read);
            // A read-modify-write has its place; others come after what they know.
            let last = other.writes(new.loc).len();
            for at in (0..=last).rev() {
                if self.late() {
                    break;
                }
                other.writes_mut(new.loc).insert(at, write);
                if other.atomic(new.loc) && self.consistent(&mut other) {
                    let placed = self.copy(&other);
                    self.stack.push(placed);
                }
                other.writes_mut(new.loc).remove(at);
            }
            self.discard(other);
        }
        self.renumbering = (deleted, numbers);
    }
}

/// A read with nothing else known of it.
pub(super) fn read(thread: u8, loc: u32, action: u32, rf: Id, value: u32) -> Event {
    Event {
        thread,
        write: false,
        exclusive: false,
        fixed: false,
        part: false,
        order: 0,
        index: 0,
        rf,
        blocks: 0,
        loc,
        local: 0,
        action,
        value,
        after: 0,
        silent: false,
        causes: Clock::default(),
        past: Clock::default(),
    }
}

/// Whether an event was added so that, of what was there before it or is in the past of the new write, it reads the last
/// write, or is the last write and nobody reads it.
fn added_maximally(graph: &Graph, id: Id, write: Id, causes: &Clock) -> bool {
    let event = graph.event(id);
    if event.fixed {
        return true;
    }
    let there = |other: Id| {
        other <= id || (other != write && causes.has(graph.event(other).thread, graph.event(other).index))
    };
    if event.write {
        let mut reads = graph.events.iter().enumerate().filter(|(_, e)| !e.write && e.rf == id);
        if reads.any(|(i, _)| there(i as Id)) {
            return false;
        }
    } else if event.rf != INIT && !there(event.rf) {
        return false;
    }
    let from = if event.write { id } else { event.rf };
    let writes = graph.writes(event.loc);
    let after = writes.iter().position(|w| *w == from).map_or(0, |i| i + 1);
    !writes[after..].iter().any(|w| there(*w))
}
