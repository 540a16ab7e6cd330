//! Plans under a weak memory model: which write each step reads, and whether memory keeps what it writes.
//!
//! A plan is an order of po and rf. At every moment memory holds, of the writes made so far, the last in co: so that plain
//! accesses, with which nothing races, find what they must, and what comes after the plan reads and writes the last.

use crate::graph::{Event, Graph, INIT, Id, NOWHERE};
use crate::log::AccessKind;
use crate::memory::Memory;
use crate::order::PLAIN;
use crate::player::{From, Source};

/// Whether the player stops before an event. The first half of a read-modify-write comes with the second, parts of an
/// access with the first; fences come by themselves, and a thread that waits for a lock does not make its step.
pub fn is_step(memory: &Memory, event: &Event) -> bool {
    let half = !event.write && event.exclusive;
    let waits = || event.blocks > 0 && memory.actions.get(event.action).kind == AccessKind::Lock;
    !half && !event.part && event.loc != NOWHERE && !waits()
}

/// What the steps of a plan read: their events, and nothing for calls and returns.
pub fn sources(graph: &Graph, memory: &Memory, steps: &[Option<Id>]) -> Vec<Source> {
    // The step of each write.
    let mut made = vec![0u32; graph.events.len()];
    for (at, id) in steps.iter().enumerate() {
        let Some(id) = id else { continue };
        let event = graph.event(*id);
        let ids = &graph.threads[usize::from(event.thread)][usize::from(event.index)..];
        made[usize::from(*id)] = at as u32;
        for part in ids[1..].iter().take_while(|p| graph.event(**p).part) {
            made[usize::from(*part)] = at as u32;
        }
    }
    // Per location the place in co of the last write so far.
    let mut last: Vec<usize> = vec![0; graph.co.len()];
    let mut all = Vec::with_capacity(steps.len());
    for id in steps {
        let Some(id) = id else {
            all.push(Source::default());
            continue;
        };
        let event = graph.event(*id);
        let mut source = Source::default();
        if event.write {
            let at = graph.co.iter().position(|c| c.0 == event.loc).expect("a write has its place");
            let place = graph.co[at].1.iter().position(|w| w == id).expect("a write has its place") + 1;
            source.dropped = place < last[at];
            last[at] = last[at].max(place);
        } else {
            source.dropped = true;
        }
        let read = if event.write && event.exclusive { graph.event(graph.read_of(*id)) } else { event };
        let chosen = memory.actions.get(event.action).kind;
        let chosen = matches!(chosen, AccessKind::Load | AccessKind::Update | AccessKind::TryLock);
        if event.order == PLAIN {
            source = Source::default();
        } else if !read.write && chosen {
            source.from = match read.rf {
                INIT => From::Initial,
                write => From::Step(made[usize::from(write)]),
            };
        }
        all.push(source);
    }
    all
}
