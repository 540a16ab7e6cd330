//! Simulation and ready simulation, by refuting pairs.
//!
//! After Celikkan and Cleaveland, and Henzinger, Henzinger and Kopke, FOCS 1995: the pairs that the initial states lead to
//! are collected; one is refuted when a step of the first state has no answer left, which takes an answer from other
//! pairs. What is never refuted is a simulation. Both systems are reduced by strong bisimulation first, which is finer.
//! The order of refutations gives the formula and the play. Cost: pairs times steps of both sides. Claim: exact.
//! Oracle: `naive::refines`; the formula is evaluated on both systems.

use super::{NotRefined, Refinement};
use crate::compare::{Difference, Evidence, Round, Side, Threat, confirm};
use crate::failure::{NoAnswer, Unconfirmed};
use crate::formula::{Action, Connective, Formulas};
use crate::inclusion::RunStep;
use crate::partition::Equivalence;
use crate::quotient::{Quotient, quotient};
use crate::system::{LabelId, Lts, Move, StateId};
use crate::watch::StageWatch;
use rustc_hash::FxHashMap;
use trueline_base::{Meter, Observer, Stop};

const NEVER: u32 = u32::MAX;

/// Why a pair is refuted.
#[derive(Clone, Copy)]
enum Cause {
    /// This step of the first has no answer that is not refuted.
    Step(Move),
    /// The second can begin with this label, the first cannot.
    Ready(LabelId),
}

struct Pair {
    states: (StateId, StateId),
    /// When it was refuted.
    rank: u32,
    cause: Option<Cause>,
    /// For each step of the first how many answers are left.
    left: Vec<u32>,
    /// The pairs that have this one as an answer, and to which step.
    asked_by: Vec<(u32, u32)>,
}

struct Game<'a> {
    system: &'a Lts,
    pairs: Vec<Pair>,
    index: FxHashMap<(StateId, StateId), u32>,
}

impl Game<'_> {
    fn pair(&mut self, states: (StateId, StateId)) -> u32 {
        let fresh = self.pairs.len() as u32;
        let id = *self.index.entry(states).or_insert(fresh);
        if id == fresh {
            let (left, asked_by) = (Vec::new(), Vec::new());
            self.pairs.push(Pair { states, rank: NEVER, cause: None, left, asked_by });
        }
        id
    }

    fn answers<'s>(
        system: &'s Lts,
        state: StateId,
        label: LabelId,
    ) -> impl Iterator<Item = StateId> + use<'s> {
        system.moves(state).iter().filter(move |m| m.label() == label).map(|m| m.target())
    }

    /// Collects the pairs and refutes those that can be.
    fn play(
        &mut self,
        start: (StateId, StateId),
        ready: bool,
        watch: &mut StageWatch<'_>,
    ) -> Result<(), Stop> {
        let system = self.system;
        self.pair(start);
        let mut refuted: Vec<u32> = Vec::new();
        let (mut at, mut links) = (0, 0u64);
        while at < self.pairs.len() {
            let (s, t) = self.pairs[at].states;
            let moves = system.moves(s);
            let mut left = Vec::with_capacity(moves.len());
            for (k, m) in moves.iter().enumerate() {
                let mut count = 0;
                for answer in Game::answers(system, t, m.label()) {
                    let id = self.pair((m.target(), answer));
                    self.pairs[id as usize].asked_by.push((at as u32, k as u32));
                    count += 1;
                }
                links += u64::from(count);
                left.push(count);
            }
            let more = |m: &&Move| !moves.iter().any(|own| own.label() == m.label());
            let extra = if ready { system.moves(t).iter().find(more) } else { None };
            let cause = match (left.iter().position(|n| *n == 0), extra) {
                (Some(k), _) => Some(Cause::Step(moves[k])),
                (None, Some(m)) => Some(Cause::Ready(m.label())),
                (None, None) => None,
            };
            self.pairs[at].left = left;
            if cause.is_some() {
                self.pairs[at].cause = cause;
                refuted.push(at as u32);
            }
            let bytes = system.bytes() + 96 * self.pairs.len() as u64 + 12 * links;
            watch.work(1 + moves.len() as u64, || bytes)?;
            at += 1;
        }
        let mut next = 0;
        while next < refuted.len() {
            let id = refuted[next] as usize;
            self.pairs[id].rank = next as u32;
            next += 1;
            for k in 0..self.pairs[id].asked_by.len() {
                let (by, step) = self.pairs[id].asked_by[k];
                let pair = &mut self.pairs[by as usize];
                let left = &mut pair.left[step as usize];
                *left -= 1;
                if *left == 0 && pair.cause.is_none() {
                    pair.cause = Some(Cause::Step(system.moves(pair.states.0)[step as usize]));
                    refuted.push(by);
                }
            }
            watch.work(1, || system.bytes())?;
        }
        Ok(())
    }
}

pub(super) fn refines(
    left: &Lts,
    right: &Lts,
    ready: bool,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Refinement, NoAnswer> {
    let union = left.disjoint_union(right).ok_or(Stop::Memory)?;
    let shift = left.states() as u32;
    let start = (left.initial(), StateId(right.initial().0 + shift));
    let Quotient { system, state_of } = quotient(&union, Equivalence::Strong, meter, observer)?;
    let class = |s: StateId| state_of[s.index()];
    let first = (class(start.0), class(start.1));
    let mut game = Game { system: &system, pairs: Vec::new(), index: FxHashMap::default() };
    {
        let mut watch = StageWatch::new(meter, observer, "refuting", None, union.bytes() + system.bytes())?;
        game.play(first, ready, &mut watch)?;
    }
    if game.pairs[0].rank == NEVER {
        return Ok(Refinement::Holds(()));
    }
    let formula = formula(&game);
    let rounds = rounds(&game, &union, right, shift, start, &class)?;
    let difference = Difference { holds_on: Side::Left, formula, evidence: Evidence::Play(rounds) };
    confirm(left, right, &difference, meter, observer)?;
    Ok(Refinement::Fails(NotRefined::Play(Box::new(difference))))
}

fn action(lts: &Lts, label: LabelId) -> Action {
    match label {
        LabelId::TAU => Action::Tau,
        _ => Action::Visible(lts.labels().name(label).to_string()),
    }
}

/// Holds in the first state of the first pair and not in the second: the step, and what tells each answer apart.
fn formula(game: &Game<'_>) -> crate::formula::Formula {
    let mut formulas = Formulas::default();
    let always = formulas.add(Connective::True);
    let mut done: FxHashMap<u32, crate::formula::FormulaId> = FxHashMap::default();
    let mut open = vec![0u32];
    while let Some(&id) = open.last() {
        let pair = &game.pairs[id as usize];
        let (built, missing) = match pair.cause {
            Some(Cause::Ready(label)) => {
                let can = formulas.add(Connective::Can(action(game.system, label), always));
                (Some(formulas.not(can)), Vec::new())
            }
            Some(Cause::Step(m)) => {
                let answers = Game::answers(game.system, pair.states.1, m.label());
                let answers: Vec<u32> = answers.map(|t| game.index[&(m.target(), t)]).collect();
                let missing: Vec<u32> = answers.iter().copied().filter(|a| !done.contains_key(a)).collect();
                let built = missing.is_empty().then(|| {
                    let all = formulas.and(answers.iter().map(|a| done[a]).collect());
                    formulas.add(Connective::Can(action(game.system, m.label()), all))
                });
                (built, missing)
            }
            None => (Some(always), Vec::new()),
        };
        open.extend(missing);
        if let Some(built) = built {
            done.insert(id, built);
            open.pop();
        }
    }
    formulas.extract(done[&0])
}

/// The play on the systems themselves: the second answers so that it holds out longest.
fn rounds(
    game: &Game<'_>,
    union: &Lts,
    right: &Lts,
    shift: u32,
    start: (StateId, StateId),
    class: &dyn Fn(StateId) -> StateId,
) -> Result<Vec<Round>, NoAnswer> {
    let missing = || NoAnswer::from(Unconfirmed { what: "a move of the play does not exist".into() });
    let own = |s: StateId| StateId(s.0 - shift);
    let own_label = |label: LabelId| match label {
        LabelId::TAU => label,
        _ => right.labels().find(union.labels().name(label)).unwrap_or(label),
    };
    let (mut s, mut t) = start;
    let mut rounds = Vec::new();
    loop {
        let id = *game.index.get(&(class(s), class(t))).ok_or_else(missing)?;
        let from = (s, own(t));
        match game.pairs[id as usize].cause.ok_or_else(missing)? {
            Cause::Ready(label) => {
                let to = union.moves(t).iter().find(|m| m.label() == label).ok_or_else(missing)?.target();
                let step = RunStep { source: own(t), label: own_label(label), target: own(to) };
                let threat = Threat::Step(action(union, label));
                rounds.push(Round { by: Side::Right, from, threat, steps: vec![step], answer: None });
                return Ok(rounds);
            }
            Cause::Step(m) => {
                let goes = |x: &&Move| x.label() == m.label() && class(x.target()) == m.target();
                let to = union.moves(s).iter().find(goes).ok_or_else(missing)?.target();
                let steps = vec![RunStep { source: s, label: m.label(), target: to }];
                let answers = union.moves(t).iter().filter(|x| x.label() == m.label());
                let rank = |x: &&Move| {
                    let id = game.index.get(&(m.target(), class(x.target())));
                    id.map_or(NEVER, |id| game.pairs[*id as usize].rank)
                };
                let best = answers.max_by_key(rank).map(|x| x.target());
                let threat = Threat::Step(action(union, m.label()));
                let answer = best
                    .map(|b| vec![RunStep { source: own(t), label: own_label(m.label()), target: own(b) }]);
                rounds.push(Round { by: Side::Left, from, threat, steps, answer });
                let Some(best) = best else { return Ok(rounds) };
                (s, t) = (to, best);
            }
        }
    }
}
