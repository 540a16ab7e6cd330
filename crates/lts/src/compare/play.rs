//! The play behind a formula: who moves, how the other side answers, what it cannot answer.
//!
//! Follows the levels: each round starts in two states that some level separates. The side that
//! can do more moves; the other side takes the answer that a later level separates than any other,
//! until there is none. Levels fall with every round, so the play is short. Steps are those of the
//! systems themselves.

use super::Side;
use super::distinguish::{Distinguisher, Logic};
use super::levels::{Ability, BlockId};
use crate::failure::{NoAnswer, Unconfirmed};
use crate::formula::Action;
use crate::inclusion::RunStep;
use crate::partition::states_on_tau_cycles;
use crate::system::{LabelId, Lts, Move, StateId};
use crate::watch::StageWatch;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use trueline_base::{Meter, Observer};

/// What a side does in a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Threat {
    /// A step with this action, after silent steps where the equivalence allows them.
    Step(Action),
    /// Infinitely many silent steps.
    Diverge,
}

/// One round of a play. States are those of the system that moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// Who moves.
    pub by: Side,
    /// Where both stand before, left and right.
    pub from: (StateId, StateId),
    /// What it can do.
    pub threat: Threat,
    /// Its steps. Without the last one when the answer leaves the class before it.
    pub steps: Vec<RunStep>,
    /// The best answer of the other side: its steps. `None` ends the play: no answer at all.
    pub answer: Option<Vec<RunStep>>,
}

struct Table<'a> {
    union: &'a Lts,
    /// On a tau cycle; empty unless that matters.
    cyclic: Vec<bool>,
    leaf: Vec<BlockId>,
}

/// How far a search for answers may go.
#[derive(Clone, Copy)]
struct Terms {
    logic: Logic,
    threat: Option<LabelId>,
    /// Block that silent steps stay in, and its level.
    home: BlockId,
    level: u32,
}

/// How far a search has come.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Phase {
    /// The threatened step is still to come.
    Before,
    /// It has been made.
    Made,
    /// Silent steps left the block first.
    LeftHome,
}

type Place = (StateId, Phase);

/// The ways to carry out a threat: where they end, nearest first, and how to get there.
struct Reach {
    ends: Vec<Place>,
    parents: FxHashMap<Place, Option<(Place, Option<LabelId>)>>,
}

/// Plays on `union`, in which the states of `right` come from `shift` on and its labels have the
/// numbers of the other side.
#[expect(clippy::too_many_arguments, reason = "both systems and what is known of them")]
pub(super) fn play(
    union: &Lts,
    shift: u32,
    right: &Lts,
    state_of: &[StateId],
    distinguisher: &mut Distinguisher<'_>,
    start: [StateId; 2],
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Vec<Round>, NoAnswer> {
    let logic = distinguisher.logic;
    let levels = distinguisher.levels;
    let leaf: Vec<BlockId> = state_of.iter().map(|&s| levels.leaf(s)).collect();
    let cyclic =
        if logic == Logic::Weak { states_on_tau_cycles(union, meter, observer)? } else { Vec::new() };
    let table = Table { union, cyclic, leaf };
    // Labels that the right side lacks never occur in its steps.
    let right_label =
        |(id, name)| if id == LabelId::TAU { id } else { right.labels().find(name).unwrap_or(id) };
    let right_labels: Vec<LabelId> = union.labels().iter().map(right_label).collect();
    let mut watch = StageWatch::new(meter, observer, "explaining", None, union.bytes())?;
    let mut now = start;
    let mut rounds = Vec::new();
    loop {
        let (a, b) = levels.separation(table.leaf[now[0].index()], table.leaf[now[1].index()]);
        let choice = distinguisher.choice(if a <= b { (a, b) } else { (b, a) });
        let side = if choice.able == a { 0 } else { 1 };
        let (mover, answerer) = (now[side], now[1 - side]);
        let (threat, goal) = match choice.ability {
            Ability::Step(label, to) => (Some(label), Some(to)),
            Ability::Diverge => (None, None),
        };
        let terms = Terms { logic, threat, home: levels.parent(a), level: levels.level(a) - 1 };
        let at_level = |s: StateId| levels.at_level(table.leaf[s.index()], terms.level);
        let attacks = table.reach(mover, terms, &at_level);
        let attack = match goal {
            None => (mover, Phase::Before),
            Some(to) => {
                let hits = |e: &&Place| e.1 == Phase::Made && at_level(e.0) == to;
                let missing = || Unconfirmed { what: "a move of the play does not exist".into() };
                *attacks.ends.iter().find(hits).ok_or_else(missing)?
            }
        };
        let mut steps = attacks.run_to(attack);
        let before = steps.last().map_or(mover, |s| s.source);
        let answers = table.reach(answerer, terms, &at_level);
        watch.work((attacks.parents.len() + answers.parents.len()) as u64, || union.bytes())?;
        let opposite = |end: &Place| if end.1 == Phase::LeftHome { before } else { attack.0 };
        let mut best: Option<(u32, Place)> = None;
        for &end in &answers.ends {
            let (mine, theirs) = (table.leaf[opposite(&end).index()], table.leaf[end.0.index()]);
            if mine == theirs {
                return Err(Unconfirmed { what: "a move of the play has an answer".into() }.into());
            }
            let level = levels.separation_level(mine, theirs);
            if best.is_none_or(|(most, _)| level > most) {
                best = Some((level, end));
            }
        }
        let by = [Side::Left, Side::Right][side];
        let own = |x: StateId| if x.0 >= shift { StateId(x.0 - shift) } else { x };
        let own_label =
            |s: &RunStep| if s.source.0 >= shift { right_labels[s.label.index()] } else { s.label };
        let local = |steps: &[RunStep]| -> Vec<RunStep> {
            let step =
                |s: &RunStep| RunStep { source: own(s.source), label: own_label(s), target: own(s.target) };
            steps.iter().map(step).collect()
        };
        let threat = describe(union, threat, goal.is_none());
        let from = (own(now[0]), own(now[1]));
        let Some((_, answer)) = best else {
            rounds.push(Round { by, from, threat, steps: local(&steps), answer: None });
            return Ok(rounds);
        };
        if answer.1 == Phase::LeftHome {
            steps.pop();
        }
        now[side] = opposite(&answer);
        now[1 - side] = answer.0;
        let answer = Some(local(&answers.run_to(answer)));
        rounds.push(Round { by, from, threat, steps: local(&steps), answer });
    }
}

/// Replays a play: every step exists where it is made, each round begins where the last one ended,
/// a visible threat is carried out and answered by steps with its label and no other visible ones.
pub(super) fn confirm(left: &Lts, right: &Lts, rounds: &[Round]) -> Result<(), Unconfirmed> {
    let systems = [left, right];
    let mut now = [left.initial(), right.initial()];
    for (i, round) in rounds.iter().enumerate() {
        let wrong = |what: &str| Err(Unconfirmed { what: format!("round {} of the play: {what}", i + 1) });
        if round.from != (now[0], now[1]) || round.answer.is_none() != (i + 1 == rounds.len()) {
            return wrong("it is not where the play stands");
        }
        let mover = usize::from(round.by == Side::Right);
        for (side, steps) in [(mover, &round.steps[..]), (1 - mover, round.answer.as_deref().unwrap_or(&[]))]
        {
            let lts = systems[side];
            for step in steps {
                let name = (step.label.index() < lts.labels().len()).then(|| lts.labels().name(step.label));
                let fits = match (&round.threat, name) {
                    _ if step.label == LabelId::TAU => true,
                    (Threat::Step(Action::Visible(threat)), Some(name)) => threat == name,
                    _ => false,
                };
                let exists = lts.moves(now[side]).contains(&Move::new(step.label, step.target));
                if step.source != now[side] || !fits || !exists {
                    return wrong("a step does not exist or is not what was announced");
                }
                now[side] = step.target;
            }
        }
    }
    if rounds.is_empty() { Err(Unconfirmed { what: "a play without a round".into() }) } else { Ok(()) }
}

fn describe(union: &Lts, label: Option<LabelId>, diverges: bool) -> Threat {
    match label {
        Some(LabelId::TAU) => Threat::Step(Action::Tau),
        Some(label) if !diverges && label.index() < union.labels().len() => {
            Threat::Step(Action::Visible(union.labels().name(label).to_string()))
        }
        _ => Threat::Diverge,
    }
}

impl Table<'_> {
    /// Every way to carry out a threat from `start`. With single or branching steps the step ends
    /// the search; with weak ones silent steps go on behind it.
    fn reach(&self, start: StateId, terms: Terms, at_level: &dyn Fn(StateId) -> BlockId) -> Reach {
        let first = (start, Phase::Before);
        let mut parents = FxHashMap::default();
        parents.insert(first, None);
        let mut open = VecDeque::from([first]);
        let mut ends = Vec::new();
        let divergence = terms.threat.is_some_and(|l| l.index() >= self.union.labels().len());
        if terms.logic == Logic::Branching && terms.threat == Some(LabelId::TAU) {
            ends.push(first);
        }
        while let Some(here) = open.pop_front() {
            let (s, phase) = here;
            if phase != Phase::Before {
                ends.push(here);
            }
            let mut go = |next: Place, label: Option<LabelId>| {
                parents.entry(next).or_insert_with(|| {
                    open.push_back(next);
                    Some((here, label))
                });
            };
            for m in self.union.moves(s) {
                let (label, to) = (Some(m.label()), m.target());
                let threatened = label == terms.threat;
                match (terms.logic, phase) {
                    (Logic::Strong, Phase::Before) if threatened => go((to, Phase::Made), label),
                    (Logic::Branching, Phase::Before) => {
                        if m.is_tau() && at_level(to) == terms.home {
                            go((to, Phase::Before), label);
                        } else if threatened {
                            go((to, Phase::Made), label);
                        } else if m.is_tau() {
                            go((to, Phase::LeftHome), label);
                        }
                    }
                    (Logic::Weak, _) if m.is_tau() => go((to, phase), label),
                    (Logic::Weak, Phase::Before) if threatened => go((to, Phase::Made), label),
                    _ => {}
                }
            }
            let now = terms.threat == Some(LabelId::TAU) || divergence && self.cyclic[s.index()];
            if terms.logic == Logic::Weak && phase == Phase::Before && now {
                go((s, Phase::Made), None);
            }
        }
        Reach { ends, parents }
    }
}

impl Reach {
    fn run_to(&self, end: Place) -> Vec<RunStep> {
        let mut steps = Vec::new();
        let mut at = end;
        while let Some(Some((before, label))) = self.parents.get(&at) {
            if let Some(label) = *label {
                steps.push(RunStep { source: before.0, label, target: at.0 });
            }
            at = *before;
        }
        steps.reverse();
        steps
    }
}
