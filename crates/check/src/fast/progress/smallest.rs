//! A smallest execution that does not complete: fewest threads that take part, then calls, context switches and moves
//! until it repeats or waits; the cycle behind it is short.
//!
//! For growing sets of threads the space without reductions is explored, and the states that show a violation are
//! found as in the whole space; a shortest-path search (Dijkstra 1959) over states and the thread that moved last leads
//! to the nearest of them.

use super::Asking;
use super::facts::{CALL, Facts};
use super::tour;
use super::watch::Watcher;
use crate::fast::concrete;
use crate::fast::reduce::Reductions;
use crate::minimise::{Cut, subsets};
use crate::outcome::Counterexample;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use trueline_base::{Observer, Violation};
use trueline_lang::ir::Evidence;
use trueline_lang::question::Progress;
use trueline_space::{Answer, Explored, NONE, Node, Search, explore_with};

/// Calls, context switches and moves, most significant first, 20 bits each.
type Cost = u64;

const MOVE: Cost = 1;
const SWITCH: Cost = 1 << 20;
const CALLS: Cost = 1 << 40;
const NOBODY: u8 = u8::MAX;

/// Per state what it shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shows {
    Nothing,
    Blocked(u8),
    Stuck(u8),
    /// Which of the lists of components.
    Loop(u8),
}

/// What ends the search for a smallest one.
struct LimitReached;

impl<'q> Asking<'q> {
    /// The smallest counterexample, or how far the search for it came.
    pub(super) fn smallest(&self, most: u64, observer: &mut dyn Observer) -> Result<Counterexample, Cut> {
        let threads = self.machine.threads.len();
        let mut left = most;
        let cut = |size: usize, left: u64| Cut {
            threads: size as u32,
            settled: most - left,
            stop: self.meter.check_beyond(0).err(),
        };
        for size in 1..=threads {
            let mut best: Option<(Cost, Counterexample)> = None;
            for members in subsets(threads, size) {
                let found =
                    self.among(&members, &mut left, observer).map_err(|LimitReached| cut(size, left))?;
                if let Some(found) = found
                    && best.as_ref().is_none_or(|best| found.0 < best.0)
                {
                    best = Some(found);
                }
            }
            if let Some((_, found)) = best {
                return Ok(found);
            }
        }
        Err(cut(threads, left))
    }

    /// The smallest among executions of these threads.
    fn among(
        &self,
        members: &[usize],
        left: &mut u64,
        observer: &mut dyn Observer,
    ) -> Result<Option<(Cost, Counterexample)>, LimitReached> {
        let mut space = self.space(None, Reductions::HEAP);
        let (threads, letters) = (self.machine.threads.len(), space.model.letters.clone());
        let mut watcher = Watcher::new(self.progress, threads, None, letters, self.meter.clone());
        watcher.patient();
        let meter = self.meter.with_states(*left);
        let set = members.iter().fold(0, |set, t| set | 1 << t);
        let Explored { search, answer } = explore_with(&mut space, set, &meter, observer, &mut watcher);
        *left = left.saturating_sub(search.states.len() as u64);
        if answer != Answer::Complete {
            return Err(LimitReached);
        }
        self.learn(&mut space, &search, &mut watcher.facts).map_err(|_| LimitReached)?;
        let facts = &watcher.facts;
        let mut shows = vec![Shows::Nothing; facts.states];
        let mut components = vec![Vec::new(); self.machine.threads.len()];
        for thread in facts.subjects() {
            components[thread as usize] =
                facts.loops(thread, &mut || meter.check_beyond(0).is_ok()).ok_or(LimitReached)?;
            for (state, component) in components[thread as usize].iter().enumerate() {
                if *component != NONE {
                    shows[state] = Shows::Loop(thread);
                }
            }
        }
        self.waits_and_stuck(&mut space, &search, &watcher, set, &mut shows);
        let facts = &watcher.facts;
        let enters = |state: u32| match shows[state as usize] {
            Shows::Loop(thread) => {
                let round = tour::cycle(facts, thread, &components[thread as usize], state);
                round.first().map(|(tag, _)| tag.thread())
            }
            _ => None,
        };
        let Some((cost, way)) = nearest(facts, search.beginnings(), &shows, &enters) else {
            return Ok(None);
        };
        let at = way.last().expect("it ends somewhere").1;
        let mut cycle = Vec::new();
        let violation = match shows[at as usize] {
            Shows::Nothing => unreachable!("the way leads to what shows something"),
            Shows::Blocked(thread) => Violation::Blocked { thread },
            Shows::Stuck(thread) => Violation::Stuck { thread },
            Shows::Loop(thread) => {
                let round = tour::cycle(facts, thread, &components[thread as usize], at);
                cycle.extend(round.into_iter().map(|(tag, to)| (tag.thread(), to)));
                let thread = match self.progress {
                    Progress::LockFree => cycle[0].0,
                    Progress::DeadlockFree => facts.due(at, thread).expect("somebody should complete"),
                    _ => thread,
                };
                Violation::Forever { thread }
            }
        };
        let all = || way.iter().chain(&cycle);
        let nodes: Vec<Node> = all().map(|(_, id)| search.states.get(*id as usize)).collect();
        let movers: Vec<u8> = all().skip(1).map(|(thread, _)| *thread).collect();
        let (mut prefix, _) =
            concrete::schedule(&mut space, &nodes, None, Some(&movers)).map_err(|_| LimitReached)?;
        // Without reductions every transition is one move.
        let cycle = prefix.moves.split_off(way.len() - 1);
        let evidence = Evidence { prefix, cycle };
        Ok(Some((cost, Counterexample { evidence, violation, minimal: true, cut: None })))
    }

    fn waits_and_stuck(
        &self,
        space: &mut concrete::Fast<'q>,
        search: &Search,
        watcher: &Watcher,
        members: u32,
        shows: &mut [Shows],
    ) {
        let facts = &watcher.facts;
        for id in 0..facts.states as u32 {
            if self.progress.fair() {
                if let Some(thread) = facts.stuck(id) {
                    shows[id as usize] = Shows::Stuck(thread);
                }
                continue;
            }
            let node = search.states.get(id as usize);
            let waits = |t: &u8| {
                let at = (node.global, node.locals[*t as usize], *t);
                members >> t & 1 == 1 && watcher.waiting.contains_key(&at)
            };
            let thread = (0..facts.threads).filter(waits).find(|t| {
                let (global, local) = (node.global, node.locals[*t as usize]);
                self.waits(space, global, local, *t)
            });
            if let Some(thread) = thread {
                shows[id as usize] = Shows::Blocked(thread);
            }
        }
    }
}

/// The cheapest way from a beginning to a state that shows something: who moves and where to; the first has no mover.
/// `enters` says who moves first in the cycle that begins in a state.
fn nearest(
    facts: &Facts,
    beginnings: usize,
    shows: &[Shows],
    enters: &dyn Fn(u32) -> Option<u8>,
) -> Option<(Cost, Vec<(u8, u32)>)> {
    type At = (u32, u8);
    let mut known: HashMap<At, (Cost, At), FixedState> = HashMap::default();
    let mut queue = BinaryHeap::new();
    let mut best: Option<(Cost, At)> = None;
    for state in 0..beginnings as u32 {
        known.insert((state, NOBODY), (0, (state, NOBODY)));
        queue.push(Reverse((0, state, NOBODY)));
    }
    while let Some(Reverse((cost, state, last))) = queue.pop() {
        if best.is_some_and(|(best, _)| best <= cost) {
            break;
        }
        if known[&(state, last)].0 < cost {
            continue;
        }
        if shows[state as usize] != Shows::Nothing {
            let switches = last != NOBODY && enters(state).is_some_and(|first| first != last);
            let cost = cost + if switches { SWITCH } else { 0 };
            if best.is_none_or(|(best, _)| cost < best) {
                best = Some((cost, (state, last)));
            }
        }
        for (tag, to) in facts.graph.leaving(state) {
            let switches = last != NOBODY && last != tag.thread();
            let calls = tag.kind() & CALL != 0;
            let next = cost + MOVE + if switches { SWITCH } else { 0 } + if calls { CALLS } else { 0 };
            let at = (to, tag.thread());
            if known.get(&at).is_none_or(|(known, _)| next < *known) {
                known.insert(at, (next, (state, last)));
                queue.push(Reverse((next, to, tag.thread())));
            }
        }
    }
    let (cost, mut at) = best?;
    let mut way = vec![(at.1, at.0)];
    while at.1 != NOBODY {
        at = known[&at].1;
        way.push((at.1, at.0));
    }
    way.reverse();
    Some((cost, way))
}
