//! Whether one state satisfies a formula, looking only at the states that matter for it.
//!
//! From the whole to its parts it is collected in which states each part is asked for; then the parts are evaluated
//! there and nowhere else. A formula about a long run asks for few states per part, so that confirming it costs as
//! much as walking the run. Cost: the sum over the parts of the states asked for, with their steps; where that gets
//! larger than a bound, `evaluate` does it for all states. Oracle: `evaluate`.

use super::eval::{System, evaluate};
use super::{Action, Connective, Formula, FormulaId};
use crate::failure::NoAnswer;
use crate::system::{Lts, StateId};
use crate::watch::StageWatch;
use trueline_base::{Meter, Observer};

/// States asked for in all, before all states are evaluated instead.
const MOST_ASKED: usize = 1 << 25;

/// States in order, and in which of them a part holds.
struct Local {
    states: Vec<StateId>,
    truth: Vec<bool>,
}

impl Local {
    fn none() -> Local {
        Local { states: Vec::new(), truth: Vec::new() }
    }

    fn of(states: Vec<StateId>, holds: impl Fn(StateId) -> bool) -> Local {
        let truth = states.iter().map(|s| holds(*s)).collect();
        Local { states, truth }
    }

    fn holds(&self, state: StateId) -> bool {
        self.states.binary_search(&state).is_ok_and(|at| self.truth[at])
    }

    fn set(&mut self, state: StateId) -> bool {
        match self.states.binary_search(&state) {
            Ok(at) => !std::mem::replace(&mut self.truth[at], true),
            Err(_) => false,
        }
    }
}

/// Whether a formula holds in a state.
pub fn holds_in(
    formula: &Formula,
    lts: &Lts,
    state: StateId,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<bool, NoAnswer> {
    let Some(asked) = asked(formula, lts, state, meter, observer)? else {
        return Ok(evaluate(formula, lts, meter, observer)?.holds(state));
    };
    let system = System::new(lts);
    let mut last_use = vec![0; formula.size()];
    for (at, node) in formula.nodes().iter().enumerate() {
        node.parts().iter().for_each(|f| last_use[f.index()] = at);
    }
    let mut watch = StageWatch::new(meter, observer, "confirming", None, lts.bytes() * 2)?;
    let mut known: Vec<Local> = Vec::with_capacity(formula.size());
    for (at, (node, states)) in formula.nodes().iter().zip(asked).enumerate() {
        watch.work(1 + states.len() as u64, || lts.bytes() * 2)?;
        let local = node_locally(&system, node, states, |f| &known[f.index()]);
        for f in node.parts().into_iter().filter(|f| last_use[f.index()] == at) {
            known[f.index()] = Local::none();
        }
        known.push(local);
    }
    Ok(known.last().is_some_and(|whole| whole.holds(state)))
}

/// For each part the states in which it is asked for, in order; nothing where they are too many.
fn asked(
    formula: &Formula,
    lts: &Lts,
    state: StateId,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Option<Vec<Vec<StateId>>>, NoAnswer> {
    let mut asked: Vec<Vec<StateId>> = vec![Vec::new(); formula.size()];
    asked[formula.root().index()].push(state);
    let mut watch = StageWatch::new(meter, observer, "confirming", None, lts.bytes())?;
    let mut total = 0;
    for at in (0..formula.size()).rev() {
        let states = sorted(std::mem::take(&mut asked[at]));
        let mut ask = |f: FormulaId, states: &[StateId]| asked[f.index()].extend_from_slice(states);
        let around = || closure(lts, &states);
        let mut seen = states.len();
        match &formula.nodes()[at] {
            Connective::True => {}
            Connective::Not(f) => ask(*f, &states),
            Connective::And(all) => all.iter().for_each(|f| ask(*f, &states)),
            Connective::Can(action, f) => ask(*f, &after(lts, &states, action)),
            Connective::Until(hold, action, f) => {
                let around = around();
                seen += around.len();
                ask(*hold, &around);
                if *action == Action::Tau { ask(*f, &around) } else { ask(*f, &after(lts, &around, action)) }
            }
            Connective::Weak(action, f) => {
                let mut around = around();
                if *action != Action::Tau {
                    around = closure(lts, &after(lts, &around, action));
                }
                seen += around.len();
                ask(*f, &around);
            }
            Connective::Diverges(hold) => ask(*hold, &around()),
        }
        asked[at] = states;
        total += seen;
        watch.work(1 + seen as u64, || lts.bytes() + 4 * total as u64)?;
        if total > MOST_ASKED {
            return Ok(None);
        }
    }
    Ok(Some(asked))
}

fn sorted(mut states: Vec<StateId>) -> Vec<StateId> {
    states.sort_unstable();
    states.dedup();
    states
}

/// Where a step leads from these states.
fn after(lts: &Lts, states: &[StateId], action: &Action) -> Vec<StateId> {
    let Some(label) = action.label(lts) else { return Vec::new() };
    let steps = states.iter().flat_map(|s| lts.moves(*s)).filter(|m| m.label() == label);
    sorted(steps.map(|m| m.target()).collect())
}

/// Where silent steps lead from these states, these included.
fn closure(lts: &Lts, states: &[StateId]) -> Vec<StateId> {
    let mut seen: rustc_hash::FxHashSet<StateId> = states.iter().copied().collect();
    let mut open = states.to_vec();
    let mut all = states.to_vec();
    while let Some(s) = open.pop() {
        for m in lts.moves(s).iter().filter(|m| m.is_tau()) {
            if seen.insert(m.target()) {
                open.push(m.target());
                all.push(m.target());
            }
        }
    }
    sorted(all)
}

/// Where one part holds among some states, given where its own parts do.
fn node_locally<'t>(
    system: &System<'_>,
    node: &Connective,
    states: Vec<StateId>,
    part: impl Fn(FormulaId) -> &'t Local,
) -> Local {
    let lts = system.lts;
    let steps_to = |s: StateId, action: &Action, goal: &dyn Fn(StateId) -> bool| {
        let label = action.label(lts);
        lts.moves(s).iter().any(|m| Some(m.label()) == label && goal(m.target()))
    };
    match node {
        Connective::True => Local::of(states, |_| true),
        Connective::Not(f) => Local::of(states, |s| !part(*f).holds(s)),
        Connective::And(all) => Local::of(states, |s| all.iter().all(|f| part(*f).holds(s))),
        Connective::Can(action, f) => Local::of(states, |s| steps_to(s, action, &|t| part(*f).holds(t))),
        Connective::Until(hold, action, f) => {
            let (hold, then) = (part(*hold), part(*f));
            let goal = Local::of(closure(lts, &states), |s| match action {
                Action::Tau => then.holds(s),
                _ => hold.holds(s) && steps_to(s, action, &|t| then.holds(t)),
            });
            let found = silently(system, goal, |s| hold.holds(s));
            Local::of(states, |s| found.holds(s))
        }
        Connective::Weak(action, f) => {
            let then = part(*f);
            let around = closure(lts, &states);
            let goal = match action {
                Action::Tau => Local::of(around, |s| then.holds(s)),
                _ => {
                    let ends = closure(lts, &after(lts, &around, action));
                    let behind = silently(system, Local::of(ends, |s| then.holds(s)), |_| true);
                    Local::of(around, |s| steps_to(s, action, &|t| behind.holds(t)))
                }
            };
            let found = silently(system, goal, |_| true);
            Local::of(states, |s| found.holds(s))
        }
        Connective::Diverges(hold) => {
            let found = forever(system, Local::of(closure(lts, &states), |s| part(*hold).holds(s)));
            Local::of(states, |s| found.holds(s))
        }
    }
}

/// Where silent steps lead into the goal, through states that are allowed.
fn silently(system: &System<'_>, mut goal: Local, allowed: impl Fn(StateId) -> bool) -> Local {
    let mut open: Vec<StateId> = goal.states.iter().copied().filter(|s| goal.holds(*s)).collect();
    while let Some(s) = open.pop() {
        for &p in system.silent_sources(s) {
            if allowed(p) && goal.set(p) {
                open.push(p);
            }
        }
    }
    goal
}

/// Where silent steps go on for ever through the states that are given as true; these are closed under silent steps.
fn forever(system: &System<'_>, mut hold: Local) -> Local {
    let lts = system.lts;
    let onward = |hold: &Local, s: StateId| {
        lts.moves(s).iter().filter(|m| m.is_tau() && hold.holds(m.target())).count() as u32
    };
    let mut left: Vec<u32> = hold.states.iter().map(|s| onward(&hold, *s)).collect();
    let mut open: Vec<usize> = (0..hold.states.len()).filter(|i| hold.truth[*i] && left[*i] == 0).collect();
    while let Some(i) = open.pop() {
        hold.truth[i] = false;
        for p in system.silent_sources(hold.states[i]) {
            let Ok(p) = hold.states.binary_search(p) else { continue };
            left[p] = left[p].saturating_sub(1);
            if left[p] == 0 && hold.truth[p] {
                open.push(p);
            }
        }
    }
    hold
}
