//! Strongly connected components of the tau steps.
//!
//! Tarjan, SIAM J. Comput. 1(2), 1972, without recursion, in the form of Pearce, Inf. Process. Lett.
//! 116(1), 2016: one number per state. Invariant: components are numbered as they are completed, so
//! every tau step that leaves a component leads to a smaller number. Cost: O(n + m).
//! Oracle: the twins in `naive` use plain reachability instead.

use crate::fetch::fetch;
use crate::system::{Lts, StateId};
use crate::watch::StageWatch;
use trueline_base::{Meter, Observer, Stop};

/// The components of a system.
pub(crate) struct Components {
    /// The component of each state.
    pub(crate) of: Vec<u32>,
    /// How many there are.
    pub(crate) count: u32,
    /// The states of each; taken away when nobody needs them any more.
    pub(crate) members: Members,
}

/// The states of each component.
#[derive(Default)]
pub(crate) struct Members {
    states: Vec<u32>,
    /// Where those of each component end.
    ends: Vec<u32>,
}

impl Members {
    /// The states of one component.
    pub(crate) fn of(&self, component: usize) -> &[u32] {
        self.between(component, component + 1)
    }

    /// The states of the components from `first` up to `end`.
    pub(crate) fn between(&self, first: usize, end: usize) -> &[u32] {
        let at = |component: usize| component.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.states[at(first)..at(end)]
    }
}

/// Not seen yet.
const NEW: u32 = 0;

/// A state on the current path: its moves from the next one on, when it was entered, the earliest
/// open state found below it.
struct Frame {
    state: u32,
    at: u32,
    end: u32,
    rank: u32,
    low: u32,
}

impl Components {
    /// Each state for itself.
    pub(crate) fn trivial(lts: &Lts) -> Components {
        let n = lts.states() as u32;
        let members = Members { states: (0..n).collect(), ends: (1..=n).collect() };
        Components { of: (0..n).collect(), count: n, members }
    }

    /// The components of the tau steps.
    pub(crate) fn silent(lts: &Lts, meter: &Meter, observer: &mut dyn Observer) -> Result<Components, Stop> {
        let n = lts.states();
        let bytes = lts.bytes() + n as u64 * 20;
        let mut watch = StageWatch::new(meter, observer, "finding tau cycles", Some(n as u64), bytes)?;
        // Open states are counted from 1 up, complete ones have their component counted from the top
        // down: fewer than 2^32 - 1 states keep them apart, and the lower one of two is the open one.
        let mut rank = vec![NEW; n];
        let mut members = Members { states: Vec::with_capacity(n), ends: Vec::with_capacity(n) };
        let (mut count, mut next) = (0, 1);
        let mut open: Vec<u32> = Vec::new();
        let mut path: Vec<Frame> = Vec::new();
        for root in 0..n as u32 {
            if rank[root as usize] != NEW {
                continue;
            }
            let mut enter = Some(root);
            loop {
                if let Some(state) = enter.take() {
                    rank[state as usize] = next;
                    let row = lts.range(StateId(state));
                    fetch(lts.moves(StateId(state)).iter().map(|m| rank[m.target().index()]));
                    path.push(Frame { state, at: row.start, end: row.end, rank: next, low: next });
                    next += 1;
                    watch.work(1, || bytes)?;
                }
                let Some(frame) = path.last_mut() else { break };
                for m in &lts.all_moves()[frame.at as usize..frame.end as usize] {
                    frame.at += 1;
                    if !m.is_tau() {
                        continue;
                    }
                    match rank[m.target().index()] {
                        NEW => {
                            enter = Some(m.target().0);
                            break;
                        }
                        other => frame.low = frame.low.min(other),
                    }
                }
                if enter.is_some() {
                    continue;
                }
                let Frame { state, rank: own, low, .. } = *frame;
                path.pop();
                if low == own {
                    next -= 1;
                    rank[state as usize] = u32::MAX - count;
                    members.states.push(state);
                    while let Some(member) = open.pop_if(|s| rank[*s as usize] >= own) {
                        next -= 1;
                        rank[member as usize] = u32::MAX - count;
                        members.states.push(member);
                    }
                    members.ends.push(members.states.len() as u32);
                    count += 1;
                } else {
                    rank[state as usize] = low;
                    open.push(state);
                }
                if let Some(parent) = path.last_mut() {
                    parent.low = parent.low.min(low);
                }
            }
        }
        rank.iter_mut().for_each(|r| *r = u32::MAX - *r);
        Ok(Components { of: rank, count, members })
    }
}
