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

const NONE: u32 = u32::MAX;

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
        let mut index = vec![NONE; n];
        let mut low = vec![0u32; n];
        let mut of = vec![NONE; n];
        let (mut count, mut next) = (0, 0);
        let mut open: Vec<u32> = Vec::new();
        let mut path: Vec<(u32, u32)> = Vec::new();
        for root in 0..n as u32 {
            if index[root as usize] != NONE {
                continue;
            }
            let mut enter = Some(root);
            loop {
                if let Some(s) = enter.take() {
                    index[s as usize] = next;
                    low[s as usize] = next;
                    next += 1;
                    open.push(s);
                    path.push((s, 0));
                    watch.work(1, || bytes)?;
                }
                let Some((s, at)) = path.last_mut() else { break };
                let s = *s as usize;
                for m in &lts.moves(StateId(s as u32))[*at as usize..] {
                    *at += 1;
                    if !m.is_tau() {
                        continue;
                    }
                    let t = m.target().index();
                    if index[t] == NONE {
                        enter = Some(t as u32);
                        break;
                    }
                    if of[t] == NONE {
                        low[s] = low[s].min(index[t]);
                    }
                }
                if enter.is_some() {
                    continue;
                }
                path.pop();
                if low[s] == index[s] {
                    while let Some(member) = open.pop() {
                        of[member as usize] = count;
                        if member as usize == s {
                            break;
                        }
                    }
                    count += 1;
                }
                if let Some(&(parent, _)) = path.last() {
                    low[parent as usize] = low[parent as usize].min(low[s]);
                }
            }
        }
        Ok(Components { of, count })
    }
}
