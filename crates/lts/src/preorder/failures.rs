//! Failures and failures-divergences refinement, on the fly.
//!
//! Laveaux, Groote and Willemse, LMCS 17(1), 2021: pairs of a state of the first system and the set of states that the
//! second may be in after the same visible labels. A stable state must offer all that some stable state of the set
//! offers; with divergences, a set that may diverge allows everything and a state that diverges needs one. The second
//! system is reduced by branching bisimulation with explicit divergence, which keeps both. Breadth first, so that the
//! run is a shortest one. Cost: transitions of the first times sets of the second; exponential at worst. Claim: exact.
//! Oracle: `naive::refines`.

use super::{BadRun, Broken, NotRefined, Refinement};
use crate::failure::{NoAnswer, Unconfirmed};
use crate::inclusion::{RunStep, silently, with_labels_of};
use crate::partition::{Equivalence, states_on_tau_cycles};
use crate::quotient::quotient;
use crate::sets::Sets;
use crate::system::{LabelId, Lts, Move, StateId};
use crate::watch::StageWatch;
use rustc_hash::FxHashMap;
use trueline_base::{Meter, Observer};

/// What is known of a set of states of the second system.
struct Known {
    diverges: bool,
    /// What its stable states offer; none twice.
    offers: Vec<Vec<LabelId>>,
}

/// The visible labels of a stable state, in order; nothing of an unstable one.
fn offer(lts: &Lts, state: StateId) -> Option<Vec<LabelId>> {
    let moves = lts.moves(state);
    if moves.iter().any(|m| m.is_tau()) {
        return None;
    }
    let mut labels: Vec<LabelId> = moves.iter().map(|m| m.label()).collect();
    labels.sort_unstable();
    labels.dedup();
    Some(labels)
}

fn within(one: &[LabelId], other: &[LabelId]) -> bool {
    one.iter().all(|label| other.binary_search(label).is_ok())
}

struct Second {
    lts: Lts,
    sets: Sets,
    diverging: Vec<bool>,
    /// Offers that contain a label which the first system does not know are never within one of its own.
    offers: Vec<Option<Vec<LabelId>>>,
    known: FxHashMap<u32, Known>,
    steps: FxHashMap<(u32, LabelId), Option<u32>>,
}

impl Second {
    fn known(&mut self, set: u32) -> &Known {
        let Second { sets, diverging, offers, .. } = self;
        self.known.entry(set).or_insert_with(|| {
            let states = sets.get(set);
            let mut own: Vec<Vec<LabelId>> =
                states.iter().filter_map(|s| offers[s.index()].clone()).collect();
            own.sort_unstable();
            own.dedup();
            Known { diverges: states.iter().any(|s| diverging[s.index()]), offers: own }
        })
    }

    fn after(&mut self, set: u32, label: LabelId) -> Option<u32> {
        let Second { lts, sets, steps, .. } = self;
        *steps.entry((set, label)).or_insert_with(|| {
            let moves = sets.get(set).iter().flat_map(|&s| lts.moves(s)).filter(|m| m.label() == label);
            let targets: Vec<StateId> = moves.map(|m| m.target()).collect();
            (!targets.is_empty()).then(|| sets.closed(lts, targets))
        })
    }
}

pub(super) fn refines(
    left: &Lts,
    right: &Lts,
    divergence: bool,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Refinement, NoAnswer> {
    let reduced = quotient(right, Equivalence::DpBranching, meter, observer)?.system;
    // A set closed under silent steps may diverge when one of its states is on a cycle, and who diverges comes to one.
    let diverging = states_on_tau_cycles(&reduced, meter, observer)?;
    let mine = if divergence { states_on_tau_cycles(left, meter, observer)? } else { Vec::new() };
    // Labels that only the second system has keep a number beyond all others, so that they are offered still.
    let unknown = LabelId(left.labels().len() as u32);
    let number = |label: LabelId| match label {
        LabelId::TAU => LabelId::TAU,
        _ => left.labels().find(reduced.labels().name(label)).unwrap_or(unknown),
    };
    let offers = reduced.state_ids().map(|s| {
        let mut own: Vec<LabelId> = offer(&reduced, s)?.into_iter().map(number).collect();
        own.sort_unstable();
        own.dedup();
        Some(own)
    });
    let offers = offers.collect();
    let lts = with_labels_of(&reduced, left);
    let mut sets = Sets::new(&lts);
    let first = sets.closed(&lts, [lts.initial()]);
    let mut second =
        Second { lts, sets, diverging, offers, known: FxHashMap::default(), steps: FxHashMap::default() };
    let mut watch = StageWatch::new(meter, observer, "refining", None, left.bytes() + second.lts.bytes())?;
    // Each pair with the one that it was reached from, and the step.
    let mut pairs: Vec<(StateId, u32, u32, LabelId)> = vec![(left.initial(), first, u32::MAX, LabelId::TAU)];
    let mut seen: rustc_hash::FxHashSet<(StateId, u32)> = [(left.initial(), first)].into_iter().collect();
    let mut at = 0;
    while let Some(&(state, set, ..)) = pairs.get(at) {
        let bytes = left.bytes() + second.lts.bytes() + second.sets.bytes() + 40 * pairs.len() as u64;
        watch.work(1 + left.moves(state).len() as u64, || bytes)?;
        let known = second.known(set);
        if divergence && known.diverges {
            at += 1;
            continue;
        }
        if divergence && mine[state.index()] {
            return told(left, right, divergence, run(&pairs, at), Broken::Divergence);
        }
        if let Some(own) = offer(left, state)
            && !known.offers.iter().any(|theirs| within(theirs, &own))
        {
            let names = own.iter().map(|l| left.labels().name(*l).to_string()).collect();
            return told(left, right, divergence, run(&pairs, at), Broken::Refusal(names));
        }
        for m in left.moves(state) {
            let next = if m.is_tau() { Some(set) } else { second.after(set, m.label()) };
            let Some(next) = next else {
                let mut run = run(&pairs, at);
                run.push(RunStep { source: state, label: m.label(), target: m.target() });
                return told(left, right, divergence, run, Broken::Trace);
            };
            if seen.insert((m.target(), next)) {
                pairs.push((m.target(), next, at as u32, m.label()));
            }
        }
        at += 1;
    }
    Ok(Refinement::Holds(()))
}

/// The steps that lead to a pair.
fn run(pairs: &[(StateId, u32, u32, LabelId)], mut at: usize) -> Vec<RunStep> {
    let mut steps = Vec::new();
    while let (target, _, before, label) = pairs[at]
        && before != u32::MAX
    {
        steps.push(RunStep { source: pairs[before as usize].0, label, target });
        at = before as usize;
    }
    steps.reverse();
    steps
}

/// The answer, after the run was looked at on both systems again.
fn told(
    left: &Lts,
    right: &Lts,
    divergence: bool,
    run: Vec<RunStep>,
    why: Broken,
) -> Result<Refinement, NoAnswer> {
    confirm(left, right, divergence, &run, &why).map_err(|what| Unconfirmed { what })?;
    Ok(Refinement::Fails(NotRefined::Run(Box::new(BadRun { run, why }))))
}

/// Replays a run on the systems themselves. Shares nothing with the search.
fn confirm(left: &Lts, right: &Lts, divergence: bool, run: &[RunStep], why: &Broken) -> Result<(), String> {
    let mut at = left.initial();
    let mut now = silently(right, vec![right.initial()]);
    for (i, step) in run.iter().enumerate() {
        let exists = left.moves(at).contains(&Move::new(step.label, step.target));
        if step.source != at || !exists || now.is_empty() {
            return Err(format!("step {i} of the run does not exist"));
        }
        if divergence && now.iter().any(|s| goes_on(right, *s)) {
            return Err(format!("the second system may diverge before step {i}"));
        }
        at = step.target;
        if step.label != LabelId::TAU {
            let label = right.labels().find(left.labels().name(step.label));
            let moves = now.iter().flat_map(|&s| right.moves(s));
            now = silently(right, moves.filter(|m| Some(m.label()) == label).map(|m| m.target()).collect());
        }
    }
    let name = |lts: &Lts, label: LabelId| lts.labels().name(label).to_string();
    let right_thing = match why {
        Broken::Trace => now.is_empty() && !run.is_empty(),
        Broken::Divergence => divergence && goes_on(left, at) && !now.iter().any(|s| goes_on(right, *s)),
        Broken::Refusal(offered) => {
            let own = offer(left, at).map(|own| own.iter().map(|l| name(left, *l)).collect::<Vec<_>>());
            let allowed = now
                .iter()
                .filter_map(|s| offer(right, *s))
                .any(|theirs| theirs.iter().all(|l| offered.contains(&name(right, *l))));
            own.as_ref() == Some(offered)
                && !allowed
                && !(divergence && now.iter().any(|s| goes_on(right, *s)))
        }
    };
    if right_thing { Ok(()) } else { Err(format!("the run does not end in {why:?}")) }
}

/// Whether a state has an infinite run of silent steps: some state that it reaches silently reaches itself again.
fn goes_on(lts: &Lts, state: StateId) -> bool {
    let silent = |s: StateId| lts.moves(s).iter().filter(|m| m.is_tau()).map(|m| m.target());
    // Depth first; a state that is met while it is on the way closes a cycle.
    let mut on_the_way = FxHashMap::default();
    let mut stack = vec![(state, false)];
    while let Some((s, done)) = stack.pop() {
        if done {
            on_the_way.insert(s, false);
            continue;
        }
        if on_the_way.contains_key(&s) {
            continue;
        }
        on_the_way.insert(s, true);
        stack.push((s, true));
        for t in silent(s) {
            match on_the_way.get(&t) {
                Some(true) => return true,
                Some(false) => {}
                None => stack.push((t, false)),
            }
        }
    }
    false
}
