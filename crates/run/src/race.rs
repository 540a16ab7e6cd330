//! Data races: two accesses to the same bytes, one of them a write and one of them plain, with nothing of the C11 model
//! between them that orders them.
//!
//! Vector clocks over the log of one run. A release store or a store after a release fence gives its clock to whoever
//! reads it with acquire; read-modify-writes continue what they read. Every order of the accesses is some execution's,
//! so that looking at each execution by itself misses none.

use rustc_hash::FxHashMap;

use crate::clock::Clock;
use crate::graph::{Graph, INIT, Id};
use crate::log::{AccessKind, Action, Op, Record, Run};
use crate::memory::Memory;
use crate::order::{PLAIN, acquires, order_of, releases};
use crate::scenario::MOST_THREADS;

/// A race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    /// The first access and its thread, from 1.
    pub first: (usize, Action),
    /// The second.
    pub second: (usize, Action),
}

#[derive(Clone, Copy)]
struct Seen {
    time: u16,
    thread: u8,
    write: bool,
    action: Action,
}

#[derive(Default)]
struct Clocks {
    now: Clock,
    /// What relaxed reads have seen, for an acquire fence.
    heard: Clock,
    /// The clock at the last release fence.
    fence: Clock,
}

/// The first race of a run.
pub fn race(run: &Run, threads: usize) -> Option<Race> {
    let mut clocks: Vec<Clocks> = (0..threads).map(|_| Clocks::default()).collect();
    let mut given: FxHashMap<u64, Clock> = FxHashMap::default();
    let mut accesses: FxHashMap<u64, Vec<Seen>> = FxHashMap::default();
    for record in run.records() {
        match record {
            Record::Fence(thread, order) if thread > 0 => {
                let mine = &mut clocks[thread - 1];
                if acquires(order) {
                    let heard = mine.heard;
                    mine.now.join(&heard);
                }
                if releases(order) {
                    mine.fence = mine.now;
                }
            }
            Record::Access { thread, action, old, new, .. } if thread > 0 => {
                let me = thread as u8 - 1;
                let mine = &mut clocks[thread - 1];
                let time = mine.now.0[usize::from(me)] + 1;
                mine.now.0[usize::from(me)] = time;
                let writes = match action.kind {
                    AccessKind::Load | AccessKind::Read => false,
                    AccessKind::Update => stores(&action, old, new),
                    AccessKind::TryLock => old[0] == 0,
                    _ => true,
                };
                if action.kind.of_player() || action.kind.atomic() {
                    synchronise(mine, &action, writes, given.entry(action.address).or_default());
                }
                if action.kind.of_player() || action.kind == AccessKind::Reuse {
                    continue;
                }
                let now = mine.now;
                for granule in action.address >> 3..=(action.address + u64::from(action.size.max(1)) - 1) >> 3
                {
                    let seen = accesses.entry(granule).or_default();
                    let unordered = |s: &&Seen| {
                        s.thread != me
                            && (s.write || writes)
                            && !(s.action.kind.atomic() && action.kind.atomic())
                            && overlap(&s.action, &action)
                            && now.0[usize::from(s.thread)] < s.time
                    };
                    if let Some(first) = seen.iter().find(unordered) {
                        return Some(Race {
                            first: (usize::from(first.thread) + 1, first.action),
                            second: (thread, action),
                        });
                    }
                    seen.push(Seen { time, thread: me, write: writes, action });
                }
            }
            _ => {}
        }
    }
    None
}

/// Lists that [`in_graph`] uses again.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    /// What each write gives to who acquires it.
    given: Vec<Clock>,
    /// Locations with plain accesses, by number.
    plain: Vec<bool>,
    /// Accesses to each of them, plain and atomic: the last, and for each the one before it.
    last: Vec<[Id; 2]>,
    earlier: Vec<Id>,
}

/// Whether an execution graph may have a race. An order of its events must be known. Fences are not looked at: they order more,
/// so that without them there are races that the execution does not have, and none that it has is missed.
///
/// The same by events as [`race`] by records. A read-modify-write that stores what was there is no write of the graph but
/// one of the program: such a graph is not decided here.
pub fn in_graph(graph: &Graph, memory: &Memory, lists: &mut Lists) -> bool {
    let Lists { given, plain, last, earlier } = lists;
    plain.clear();
    plain.resize(memory.locations.len(), false);
    graph.events.iter().filter(|e| e.order == PLAIN).for_each(|e| plain[e.loc as usize] = true);
    last.clear();
    last.resize(memory.locations.len(), [INIT; 2]);
    let mut now = [Clock::default(); MOST_THREADS];
    given.resize(graph.events.len(), Clock::default());
    earlier.resize(graph.events.len(), INIT);
    for &id in &graph.order {
        let event = graph.event(id);
        let mine = &mut now[usize::from(event.thread)];
        mine.add(event.thread, event.index);
        if event.silent {
            return true;
        }
        if event.order == PLAIN {
            if memory.actions.get(event.action).kind == AccessKind::Reuse {
                continue;
            }
        } else if event.write {
            let mut own = if releases(event.order) { *mine } else { Clock::default() };
            let from = if event.exclusive { graph.event(graph.read_of(id)).rf } else { INIT };
            if from != INIT {
                own.join(&given[usize::from(from)]);
            }
            given[usize::from(id)] = own;
        } else if event.rf != INIT && acquires(event.order) {
            mine.join(&given[usize::from(event.rf)]);
        }
        // Atomic accesses race with plain ones only.
        if !plain[event.loc as usize] {
            continue;
        }
        let heads = &mut last[event.loc as usize];
        let plain = event.order == PLAIN;
        for mut before in [heads[0], if plain { heads[1] } else { INIT }] {
            while before != INIT {
                let other = graph.event(before);
                if (other.write || event.write) && !mine.has(other.thread, other.index) {
                    return true;
                }
                before = earlier[usize::from(before)];
            }
        }
        earlier[usize::from(id)] = std::mem::replace(&mut heads[usize::from(!plain)], id);
    }
    false
}

/// Whether an update stores something, be it what was there before.
fn stores(action: &Action, old: &[u64], new: &[u64]) -> bool {
    let here = || match (old, action.size) {
        ([word], 1..=8) => {
            let bits = u64::MAX >> (64 - 8 * u32::from(action.size));
            u128::from(word >> (action.address % 8 * 8) & bits) == action.a
        }
        _ => action.a == action.b,
    };
    action.op != Op::Compare || old != new || here()
}

fn overlap(a: &Action, b: &Action) -> bool {
    a.address < b.address + u64::from(b.size) && b.address < a.address + u64::from(a.size)
}

fn synchronise(mine: &mut Clocks, action: &Action, writes: bool, given: &mut Clock) {
    let reads = !matches!(action.kind, AccessKind::Store | AccessKind::Unlock);
    let order = order_of(action, writes);
    if reads {
        mine.heard.join(given);
        if acquires(order) {
            let clock = *given;
            mine.now.join(&clock);
        }
    }
    if writes {
        let own = if releases(order) { mine.now } else { mine.fence };
        match reads {
            // A read-modify-write continues the release sequence that it reads.
            true => given.join(&own),
            false => *given = own,
        }
    }
}
