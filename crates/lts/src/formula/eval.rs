//! Which states satisfy a formula. Knows nothing of partitions: it is what confirms them.
//!
//! Invariant: nodes are evaluated in order, so parts come before the whole. Cost: O(nodes * m).

use super::{Action, Connective, Formula, FormulaId};
use crate::failure::NoAnswer;
use crate::system::{Lts, StateId};
use crate::watch::StageWatch;
use trueline_base::{Meter, Observer};

/// The states in which a formula holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Truth(Vec<u64>);

impl Truth {
    pub(crate) fn new(states: usize, value: bool) -> Truth {
        Truth(vec![if value { u64::MAX } else { 0 }; states.div_ceil(64)])
    }

    /// Whether it holds in a state.
    pub fn holds(&self, state: StateId) -> bool {
        self.0[state.index() / 64] >> (state.index() % 64) & 1 == 1
    }

    fn set(&mut self, state: StateId) {
        self.0[state.index() / 64] |= 1 << (state.index() % 64);
    }

    fn clear(&mut self, state: StateId) {
        self.0[state.index() / 64] &= !(1 << (state.index() % 64));
    }
}

/// A system with the sources of its silent steps by target.
pub(crate) struct System<'a> {
    pub(crate) lts: &'a Lts,
    offsets: Vec<u32>,
    back: Vec<StateId>,
}

impl<'a> System<'a> {
    pub(crate) fn new(lts: &'a Lts) -> System<'a> {
        let mut offsets = vec![0u32; lts.states() + 1];
        for (_, m) in lts.iter().filter(|(_, m)| m.is_tau()) {
            offsets[m.target().index() + 1] += 1;
        }
        for s in 0..lts.states() {
            offsets[s + 1] += offsets[s];
        }
        let mut next = offsets.clone();
        let mut back = vec![StateId(0); offsets[lts.states()] as usize];
        for (s, m) in lts.iter().filter(|(_, m)| m.is_tau()) {
            back[next[m.target().index()] as usize] = s;
            next[m.target().index()] += 1;
        }
        System { lts, offsets, back }
    }

    pub(super) fn silent_sources(&self, state: StateId) -> &[StateId] {
        &self.back[self.offsets[state.index()] as usize..self.offsets[state.index() + 1] as usize]
    }

    /// States with a step `action` into `then`.
    fn before(&self, action: &Action, then: &Truth) -> Truth {
        let mut truth = Truth::new(self.lts.states(), false);
        if let Some(label) = action.label(self.lts) {
            for s in self.lts.state_ids() {
                if self.lts.moves(s).iter().any(|m| m.label() == label && then.holds(m.target())) {
                    truth.set(s);
                }
            }
        }
        truth
    }

    /// States with silent steps into `goal` through states with `hold`.
    fn silently(&self, goal: Truth, hold: &Truth) -> Truth {
        let mut truth = goal;
        let mut open: Vec<StateId> = self.lts.state_ids().filter(|&s| truth.holds(s)).collect();
        while let Some(s) = open.pop() {
            for &p in self.silent_sources(s) {
                if hold.holds(p) && !truth.holds(p) {
                    truth.set(p);
                    open.push(p);
                }
            }
        }
        truth
    }

    /// States with an infinite run of silent steps through states with `hold`.
    fn forever(&self, hold: &Truth) -> Truth {
        let mut truth = hold.clone();
        let onward = |truth: &Truth, s: StateId| {
            self.lts.moves(s).iter().filter(|m| m.is_tau() && truth.holds(m.target())).count()
        };
        let mut left: Vec<u32> = self.lts.state_ids().map(|s| onward(&truth, s) as u32).collect();
        let stuck = |s: &StateId| hold.holds(*s) && left[s.index()] == 0;
        let mut open: Vec<StateId> = self.lts.state_ids().filter(stuck).collect();
        while let Some(s) = open.pop() {
            truth.clear(s);
            for &p in self.silent_sources(s) {
                left[p.index()] -= 1;
                if left[p.index()] == 0 && truth.holds(p) {
                    open.push(p);
                }
            }
        }
        truth
    }
}

/// Where one node holds, given where its parts do.
pub(crate) fn node_truth<'t>(
    system: &System<'_>,
    node: &Connective,
    part: impl Fn(FormulaId) -> &'t Truth,
) -> Truth {
    let n = system.lts.states();
    let everywhere = Truth::new(n, true);
    match node {
        Connective::True => everywhere,
        Connective::Not(f) => Truth(part(*f).0.iter().map(|w| !w).collect()),
        Connective::And(all) => {
            let mut truth = everywhere;
            for f in all {
                truth.0.iter_mut().zip(&part(*f).0).for_each(|(w, v)| *w &= v);
            }
            truth
        }
        Connective::Can(action, f) => system.before(action, part(*f)),
        Connective::Until(hold, Action::Tau, f) => system.silently(part(*f).clone(), part(*hold)),
        Connective::Until(hold, action, f) => {
            let mut start = system.before(action, part(*f));
            start.0.iter_mut().zip(&part(*hold).0).for_each(|(w, v)| *w &= v);
            system.silently(start, part(*hold))
        }
        Connective::Weak(Action::Tau, f) => system.silently(part(*f).clone(), &everywhere),
        Connective::Weak(action, f) => {
            let after = system.silently(part(*f).clone(), &everywhere);
            system.silently(system.before(action, &after), &everywhere)
        }
        Connective::Diverges(hold) => system.forever(part(*hold)),
    }
}

/// Where a formula holds.
pub fn evaluate(
    formula: &Formula,
    lts: &Lts,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Truth, NoAnswer> {
    let system = System::new(lts);
    let mut last_use = vec![0; formula.size()];
    for (at, node) in formula.nodes().iter().enumerate() {
        node.parts().iter().for_each(|f| last_use[f.index()] = at);
    }
    let each = lts.transitions() as u64 + lts.states() as u64;
    let total = Some(each * formula.size() as u64);
    let mut watch = StageWatch::new(meter, observer, "confirming", total, lts.bytes() * 2)?;
    let mut truths: Vec<Truth> = Vec::with_capacity(formula.size());
    for (at, node) in formula.nodes().iter().enumerate() {
        let truth = node_truth(&system, node, |f| &truths[f.index()]);
        for f in node.parts() {
            if last_use[f.index()] == at {
                truths[f.index()] = Truth(Vec::new());
            }
        }
        truths.push(truth);
        watch.work(each, || lts.bytes() * 2)?;
    }
    Ok(truths.pop().unwrap_or(Truth(Vec::new())))
}
