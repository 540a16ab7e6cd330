//! When an execution graph is consistent under the model of C11, and what happens before what in it.
//!
//! Lahav, Vafeiadis, Kang, Hur and Dreyer, "Repairing sequential consistency in C/C++11" (RC11, PLDI 2017): coherence,
//! atomicity, the acyclicity of psc, and of po with rf. Differs from the paper: a release sequence is a write and the
//! read-modify-writes that follow it, as in C++20; later stores of the same thread do not belong to it. Happens-before is
//! kept as vector clocks. A graph that is sequentially consistent is consistent here, which is looked at first. Cost:
//! O(n^2) for n events, otherwise. Oracle: `axioms`.

use crate::clock::Clock;
use crate::graph::{Event, Graph, INIT, Id, NOWHERE};
use crate::machine::Machine;
use crate::order::{PLAIN, SEQ_CST, acquires, releases};

/// What a thread knows.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// What happens before its next event.
    now: Clock,
    /// What relaxed reads have seen, for an acquire fence.
    heard: Clock,
    /// What happened before its last release fence.
    fence: Clock,
}

/// What happens before each event, with the event itself.
#[derive(Clone, Debug)]
pub struct Before {
    threads: Vec<Known>,
    /// By event.
    pub clocks: Vec<Clock>,
    /// What whoever reads a write with acquire gets to know.
    given: Vec<Clock>,
}

/// What a client of the object adds: the first so many events of a thread happen before the events of another from an index
/// on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// A thread and how many of its events.
    pub from: (u8, u16),
    /// A thread and the first of its events.
    pub to: (u8, u16),
}

impl Before {
    fn new(graph: &Graph) -> Before {
        Before {
            threads: vec![Known::default(); graph.threads.len()],
            clocks: vec![Clock::default(); graph.events.len()],
            given: vec![Clock::default(); graph.events.len()],
        }
    }

    /// Of a graph.
    pub fn of(graph: &Graph) -> Before {
        let mut before = Before::new(graph);
        for id in graph.causal_order() {
            before.add(graph, id);
        }
        before
    }

    /// The same with what a client adds; nothing when that cannot be.
    fn with(graph: &Graph, edges: &[Edge]) -> Option<Before> {
        let mut before = Before::new(graph);
        let mut next = vec![0u16; graph.threads.len()];
        let mut left = graph.events.len();
        while left > 0 {
            let so_far = left;
            for thread in 0..graph.threads.len() {
                'events: while let Some(&id) = graph.threads[thread].get(usize::from(next[thread])) {
                    let event = graph.event(id);
                    if !event.write && event.rf != INIT {
                        let from = graph.event(event.rf);
                        if next[usize::from(from.thread)] <= from.index {
                            break;
                        }
                    }
                    let here = (thread as u8, event.index);
                    for edge in edges.iter().filter(|e| e.to == here) {
                        let (other, count) = edge.from;
                        if next[usize::from(other)] < count {
                            break 'events;
                        }
                        if let Some(last) = count.checked_sub(1) {
                            let last = graph.threads[usize::from(other)][usize::from(last)];
                            let clock = before.clocks[usize::from(last)];
                            before.threads[thread].now.join(&clock);
                        }
                    }
                    before.add(graph, id);
                    next[thread] += 1;
                    left -= 1;
                }
            }
            if left == so_far {
                return None;
            }
        }
        Some(before)
    }

    /// Takes in events that were added to the graph since.
    pub fn renew(&mut self, graph: &Graph) -> std::ops::Range<usize> {
        let from = self.clocks.len();
        self.clocks.resize(graph.events.len(), Clock::default());
        self.given.resize(graph.events.len(), Clock::default());
        for id in from..graph.events.len() {
            self.add(graph, id as Id);
        }
        from..graph.events.len()
    }

    fn add(&mut self, graph: &Graph, id: Id) {
        let event = graph.event(id);
        let known = &mut self.threads[usize::from(event.thread)];
        known.now.add(event.thread, event.index);
        if event.loc == NOWHERE {
            if acquires(event.order) {
                let heard = known.heard;
                known.now.join(&heard);
            }
            if releases(event.order) {
                known.fence = known.now;
            }
        } else if event.order == PLAIN {
        } else if event.write {
            let mut given = if releases(event.order) { known.now } else { known.fence };
            if event.exclusive {
                let from = graph.event(graph.read_of(id)).rf;
                if from != INIT {
                    given.join(&self.given[usize::from(from)]);
                }
            }
            self.given[usize::from(id)] = given;
        } else if event.rf != INIT {
            let given = self.given[usize::from(event.rf)];
            known.heard.join(&given);
            if acquires(event.order) {
                known.now.join(&given);
            }
        }
        self.clocks[usize::from(id)] = known.now;
    }

    /// Whether an event happens before another.
    pub fn has(&self, graph: &Graph, first: Id, second: Id) -> bool {
        let event = graph.event(first);
        first != second && self.clocks[usize::from(second)].has(event.thread, event.index)
    }

    /// An event that races with this one: another thread's access to the same location, one of them a write and one of
    /// them plain, neither of which happens before the other.
    pub fn race(&self, graph: &Graph, id: Id) -> Option<Id> {
        let event = graph.event(id);
        let races = |other: &Event| {
            other.loc == event.loc
                && other.thread != event.thread
                && (other.write || event.write)
                && (other.order == PLAIN || event.order == PLAIN)
        };
        (0..graph.events.len() as Id).find(|&other| {
            races(graph.event(other)) && !self.has(graph, other, id) && !self.has(graph, id, other)
        })
    }
}

/// Whether a graph in which read-modify-writes are adjacent in co, and po with rf has no cycle, is consistent.
pub fn consistent(graph: &mut Graph, machine: &mut Machine) -> bool {
    machine.execute(graph) || consistent_with(graph, &[])
}

/// Whether it is when a client adds something.
pub fn consistent_with(graph: &Graph, edges: &[Edge]) -> bool {
    let Some(before) = Before::with(graph, edges) else { return false };
    let places = places(graph);
    coherent(graph, &before, &places) && ordered(graph, &before, &places)
}

/// For each event the position in co of the write that it is or reads, counted from 1; 0 for the initial one.
fn places(graph: &Graph) -> Vec<u32> {
    let mut places = vec![0; graph.events.len()];
    for (_, writes) in &graph.co {
        for (i, write) in writes.iter().enumerate() {
            places[usize::from(*write)] = i as u32 + 1;
        }
    }
    for (i, event) in graph.events.iter().enumerate() {
        if !event.write && event.rf != INIT {
            places[i] = places[usize::from(event.rf)];
        }
    }
    places
}

/// Whether the first comes before the second by rf, co and fr at their location.
fn communicates(graph: &Graph, places: &[u32], first: usize, second: usize) -> bool {
    let (a, b) = (&graph.events[first], &graph.events[second]);
    if a.loc != b.loc || a.loc == NOWHERE {
        return false;
    }
    match (a.write, b.write) {
        (true, false) => places[first] <= places[second],
        _ => places[first] < places[second],
    }
}

fn coherent(graph: &Graph, before: &Before, places: &[u32]) -> bool {
    let count = graph.events.len();
    (0..count).all(|second| {
        let (event, clock) = (&graph.events[second], &before.clocks[second]);
        event.loc == NOWHERE
            || (0..count).all(|first| {
                let other = &graph.events[first];
                other.loc != event.loc
                    || first == second
                    || !clock.has(other.thread, other.index)
                    || !communicates(graph, places, second, first)
            })
    })
}

/// A set of events as bits.
type Bits = Vec<u64>;

fn set(bits: &mut Bits, at: usize) {
    bits[at / 64] |= 1 << (at % 64);
}

fn meet(a: &Bits, b: &Bits) -> bool {
    a.iter().zip(b).any(|(a, b)| a & b != 0)
}

/// Whether psc has no cycle.
fn ordered(graph: &Graph, before: &Before, places: &[u32]) -> bool {
    let strong: Vec<usize> = (0..graph.events.len()).filter(|e| graph.events[*e].order == SEQ_CST).collect();
    if strong.len() < 2 {
        return true;
    }
    let count = graph.events.len();
    let empty: Bits = vec![0; count.div_ceil(64)];
    let happens =
        |a: usize, b: usize| a != b && before.clocks[b].has(graph.events[a].thread, graph.events[a].index);
    let fence = |e: usize| graph.events[e].loc == NOWHERE;
    // What each event is before by scb, and by communication.
    let (mut scb, mut eco) = (vec![empty.clone(); count], vec![empty.clone(); count]);
    let neighbours: Vec<_> = (0..count).map(|e| neighbours(graph, e)).collect();
    for a in 0..count {
        for b in (0..count).filter(|b| *b != a) {
            let (first, second) = (&graph.events[a], &graph.events[b]);
            let sb = first.thread == second.thread && first.index < second.index;
            let same = first.loc == second.loc && first.loc != NOWHERE;
            let through = || match (neighbours[a].1, neighbours[b].0) {
                (Some(x), Some(y)) => happens(x, y),
                _ => false,
            };
            let communication = communicates(graph, places, a, b);
            // Of communication mo and rb; rf only where it is happens-before.
            let direct = same && (communication && second.write || happens(a, b));
            if sb || direct || through() {
                set(&mut scb[a], b);
            }
            if communication {
                set(&mut eco[a], b);
            }
        }
    }
    let closure = |e: usize, forward: bool| {
        let mut bits = empty.clone();
        set(&mut bits, e);
        if fence(e) {
            for other in 0..count {
                if if forward { happens(e, other) } else { happens(other, e) } {
                    set(&mut bits, other);
                }
            }
        }
        bits
    };
    let ends: Vec<Bits> = strong.iter().map(|e| closure(*e, false)).collect();
    let mut next: Vec<Vec<usize>> = Vec::new();
    for &e in &strong {
        let begin = closure(e, true);
        let (mut reach, mut talk) = (empty.clone(), empty.clone());
        for x in (0..count).filter(|x| begin[x / 64] >> (x % 64) & 1 == 1) {
            reach.iter_mut().zip(&scb[x]).for_each(|(r, s)| *r |= s);
            if fence(e) && x != e {
                talk.iter_mut().zip(&eco[x]).for_each(|(t, s)| *t |= s);
            }
        }
        let after = |(at, &other): (usize, &usize)| {
            let base = meet(&reach, &ends[at]);
            // The second part of the axiom is about fences alone; a fence is no end of communication itself.
            let fences = fence(e) && fence(other) && (happens(e, other) || meet(&talk, &ends[at]));
            (base || fences).then_some(at)
        };
        next.push(strong.iter().enumerate().filter_map(after).collect());
    }
    acyclic(&next)
}

/// The last event before an event in its thread at another location, and the first after it.
fn neighbours(graph: &Graph, e: usize) -> (Option<usize>, Option<usize>) {
    let event = &graph.events[e];
    let ids = &graph.threads[usize::from(event.thread)];
    let other = |id: &&Id| event.loc == NOWHERE || graph.event(**id).loc != event.loc;
    let at = usize::from(event.index);
    let last = ids[..at].iter().rev().find(other).map(|id| usize::from(*id));
    (last, ids[at + 1..].iter().find(other).map(|id| usize::from(*id)))
}

fn acyclic(next: &[Vec<usize>]) -> bool {
    // 0 not seen, 1 open, 2 done.
    fn visit(at: usize, next: &[Vec<usize>], state: &mut [u8]) -> bool {
        state[at] = 1;
        for &to in &next[at] {
            if state[to] == 1 || (state[to] == 0 && !visit(to, next, state)) {
                return false;
            }
        }
        state[at] = 2;
        true
    }
    let mut state = vec![0; next.len()];
    (0..next.len()).all(|at| state[at] != 0 || visit(at, next, &mut state))
}
