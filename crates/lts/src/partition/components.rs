//! Strongly connected components of the tau steps.
//!
//! Tarjan, SIAM J. Comput. 1(2), 1972, without recursion. Invariant: components are numbered as
//! they are completed, so every tau step that leaves a component leads to a smaller number.
//! Cost: O(n + m). Oracle: the twins in `naive` use plain reachability instead.

use crate::system::{Lts, StateId};
use crate::watch::Watch;
use trueline_base::{Meter, Observer, Stop};

/// The components of a system.
pub(crate) struct Components {
    /// The component of each state.
    pub(crate) of: Vec<u32>,
    /// How many there are.
    pub(crate) count: u32,
}

/// Not seen yet. A system has fewer states than this.
const NEW: u32 = u32::MAX;
/// Its component is complete.
const DONE: u32 = u32::MAX - 1;

/// A state on the current path: its next move, when it was entered, the earliest open state found
/// below it.
struct Frame {
    state: u32,
    at: u32,
    index: u32,
    low: u32,
}

impl Components {
    /// Each state for itself.
    pub(crate) fn trivial(lts: &Lts) -> Components {
        Components { of: (0..lts.states() as u32).collect(), count: lts.states() as u32 }
    }

    /// The components of the tau steps.
    pub(crate) fn silent(lts: &Lts, meter: &Meter, observer: &mut dyn Observer) -> Result<Components, Stop> {
        let n = lts.states();
        let bytes = lts.bytes() + n as u64 * 20;
        let mut watch = Watch::new(meter, observer, "finding tau cycles", Some(n as u64), bytes)?;
        let mut index = vec![NEW; n];
        let mut of = vec![0u32; n];
        let (mut count, mut next) = (0, 0);
        let mut open: Vec<u32> = Vec::new();
        let mut path: Vec<Frame> = Vec::new();
        for root in 0..n as u32 {
            if index[root as usize] != NEW {
                continue;
            }
            let mut enter = Some(root);
            loop {
                if let Some(state) = enter.take() {
                    index[state as usize] = next;
                    open.push(state);
                    path.push(Frame { state, at: 0, index: next, low: next });
                    next += 1;
                    watch.work(1, || bytes)?;
                }
                let Some(frame) = path.last_mut() else { break };
                for m in &lts.moves(StateId(frame.state))[frame.at as usize..] {
                    frame.at += 1;
                    if !m.is_tau() {
                        continue;
                    }
                    match index[m.target().index()] {
                        DONE => {}
                        NEW => {
                            enter = Some(m.target().0);
                            break;
                        }
                        open => frame.low = frame.low.min(open),
                    }
                }
                if enter.is_some() {
                    continue;
                }
                let Frame { state, index: own, low, .. } = *frame;
                path.pop();
                if low == own {
                    while let Some(member) = open.pop() {
                        of[member as usize] = count;
                        index[member as usize] = DONE;
                        if member == state {
                            break;
                        }
                    }
                    count += 1;
                }
                if let Some(parent) = path.last_mut() {
                    parent.low = parent.low.min(low);
                }
            }
        }
        Ok(Components { of, count })
    }
}
