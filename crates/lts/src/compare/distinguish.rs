//! A formula that holds in one block and in no state of another.
//!
//! Korver, CAV 1991; Cleaveland, CAV 1990: where two blocks part, one can do what the other
//! cannot; the formula says so, with what tells the targets apart. Formulas are built once per
//! pair of blocks, so there are at most quadratically many. Conjuncts are chosen greedily: only
//! those that rule out something not ruled out yet. Claim: the formula is true on the first block
//! and false on the second; `formula::evaluate` confirms it on the systems themselves.

use super::levels::{Ability, BlockId, Levels};
use crate::formula::{Action, Connective, Formula, FormulaId, Formulas, System, Truth, node_truth};
use crate::system::{LabelId, Lts};
use crate::watch::StageWatch;
use rustc_hash::FxHashMap;
use trueline_base::{Meter, Observer, Stop};

/// The logic that fits an equivalence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Logic {
    /// Single steps.
    Strong,
    /// Silent steps that stay in the block.
    Branching,
    /// Silent steps that go anywhere; levels are those of the saturated system.
    Weak,
}

/// What one block can do and its sibling cannot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Distinction {
    /// The block that can.
    pub(crate) able: BlockId,
    /// The one that cannot.
    pub(crate) unable: BlockId,
    /// What.
    pub(crate) ability: Ability,
}

type Pair = (BlockId, BlockId);

pub(crate) struct Distinguisher<'a> {
    pub(crate) levels: &'a Levels,
    pub(crate) logic: Logic,
    system: System<'a>,
    formulas: Formulas,
    truths: Vec<Truth>,
    memo: FxHashMap<Pair, FormulaId>,
    choices: FxHashMap<Pair, Distinction>,
}

/// Beyond this many bytes of truth tables conjuncts are no longer chosen, but all taken.
const TRUTH_BYTES: usize = 1 << 28;

impl<'a> Distinguisher<'a> {
    /// `small` is the system whose states `levels` refines (before saturation).
    pub(crate) fn new(levels: &'a Levels, logic: Logic, small: &'a Lts) -> Distinguisher<'a> {
        Distinguisher {
            levels,
            logic,
            system: System::new(small),
            formulas: Formulas::default(),
            truths: Vec::new(),
            memo: FxHashMap::default(),
            choices: FxHashMap::default(),
        }
    }

    /// A formula that holds in all states of `a` and in none of `b`.
    pub(crate) fn formula(
        &mut self,
        a: BlockId,
        b: BlockId,
        meter: &Meter,
        observer: &mut dyn Observer,
    ) -> Result<Formula, Stop> {
        let mut watch = StageWatch::new(meter, observer, "explaining", None, 0)?;
        let mut open = vec![self.key(a, b).0];
        while let Some(&pair) = open.last() {
            if self.memo.contains_key(&pair) {
                open.pop();
                continue;
            }
            let choice = self.choice(pair);
            let (then, stay) = self.needs(&choice);
            let missing = then.iter().chain(&stay).map(|&(x, y)| self.key(x, y).0);
            let missing: Vec<Pair> = missing.filter(|p| !self.memo.contains_key(p)).collect();
            watch.work(1024 + (then.len() + stay.len()) as u64, || self.bytes())?;
            if missing.is_empty() {
                let formula = self.build(&choice, &then, &stay);
                let formula = if choice.able == pair.0 { formula } else { self.formulas.not(formula) };
                self.memo.insert(pair, formula);
                open.pop();
            } else {
                open.extend(missing);
            }
        }
        let root = self.distinction(a, b);
        Ok(self.formulas.extract(root))
    }

    fn bytes(&self) -> u64 {
        (self.truths.len() * self.system.lts.states() / 8 + self.memo.len() * 32) as u64
    }

    /// The siblings that two blocks came from, smaller first, and whether that swapped them.
    fn key(&self, a: BlockId, b: BlockId) -> (Pair, bool) {
        let (a, b) = self.levels.separation(a, b);
        if a <= b { ((a, b), false) } else { ((b, a), true) }
    }

    /// The formula of a pair whose siblings have one.
    fn distinction(&mut self, a: BlockId, b: BlockId) -> FormulaId {
        let (pair, swapped) = self.key(a, b);
        let formula = self.memo[&pair];
        if swapped { self.formulas.not(formula) } else { formula }
    }

    /// What tells two siblings apart: the ability that takes the fewest words to explain.
    pub(crate) fn choice(&mut self, pair: Pair) -> Distinction {
        if let Some(&known) = self.choices.get(&pair) {
            return known;
        }
        let abilities = [self.levels.abilities(pair.0), self.levels.abilities(pair.1)];
        let mut best: Option<(usize, Distinction)> = None;
        for (able, unable, mine, theirs) in
            [(pair.0, pair.1, &abilities[0], &abilities[1]), (pair.1, pair.0, &abilities[1], &abilities[0])]
        {
            for &ability in mine.iter().filter(|x| theirs.binary_search(x).is_err()) {
                let choice = Distinction { able, unable, ability };
                let (then, stay) = self.needs_given(&choice, theirs);
                let cost = 2 * (then.len() + stay.len()) + usize::from(able != pair.0);
                if best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, choice));
                }
            }
        }
        let choice = best.expect("siblings differ in what they can do").1;
        self.choices.insert(pair, choice);
        choice
    }

    fn needs(&self, choice: &Distinction) -> (Vec<Pair>, Vec<Pair>) {
        self.needs_given(choice, &self.levels.abilities(choice.unable))
    }

    /// Which pairs must be told apart to say what a choice says: targets first, then the places
    /// where silent steps leave the block.
    fn needs_given(&self, choice: &Distinction, theirs: &[Ability]) -> (Vec<Pair>, Vec<Pair>) {
        let home = self.levels.parent(choice.able);
        let targets = |label: LabelId| {
            theirs.iter().filter_map(move |x| match *x {
                Ability::Step(l, block) if l == label => Some(block),
                _ => None,
            })
        };
        let mut then = Vec::new();
        if let Ability::Step(label, to) = choice.ability {
            then.extend(targets(label).map(|block| (to, block)));
            if self.logic == Logic::Branching && label == LabelId::TAU {
                then.push((to, home));
            }
        }
        let stay = match self.logic {
            Logic::Branching => targets(LabelId::TAU).map(|block| (home, block)).collect(),
            _ => Vec::new(),
        };
        (then, stay)
    }

    fn build(&mut self, choice: &Distinction, then: &[Pair], stay: &[Pair]) -> FormulaId {
        let then = self.conjunction(then);
        let always = self.formulas.add(Connective::True);
        if stay.is_empty() {
            return self.say(choice.ability, always, then);
        }
        let short = self.say(choice.ability, always, then);
        if self.fails_on(short, choice.unable) == Some(true) {
            return short;
        }
        let hold = self.conjunction(stay);
        self.say(choice.ability, hold, then)
    }

    fn say(&mut self, ability: Ability, hold: FormulaId, then: FormulaId) -> FormulaId {
        let action = |label: LabelId| match label {
            LabelId::TAU => Action::Tau,
            _ => Action::Visible(self.system.lts.labels().name(label).to_string()),
        };
        let node = match (self.logic, ability) {
            (Logic::Strong, Ability::Step(label, _)) => Connective::Can(action(label), then),
            (Logic::Branching, Ability::Step(label, _)) => Connective::Until(hold, action(label), then),
            (Logic::Weak, Ability::Step(label, _)) if label.index() < self.system.lts.labels().len() => {
                Connective::Weak(action(label), then)
            }
            (Logic::Weak, Ability::Step(..)) => {
                Connective::Diverges(self.formulas.add(Connective::Weak(Action::Tau, then)))
            }
            (_, Ability::Diverge) => Connective::Diverges(hold),
        };
        self.formulas.add(node)
    }

    /// A conjunction that holds in the first block of every pair and nowhere in the second ones.
    fn conjunction(&mut self, pairs: &[Pair]) -> FormulaId {
        let mut candidates: Vec<FormulaId> = pairs.iter().map(|&(a, b)| self.distinction(a, b)).collect();
        candidates.sort_unstable();
        candidates.dedup();
        let mut open: Vec<BlockId> = pairs.iter().map(|p| p.1).collect();
        let mut chosen = Vec::new();
        while !open.is_empty() && candidates.len() > 1 {
            let rules_out = |this: &mut Self, f: FormulaId| {
                open.iter().map(|&b| this.fails_on(f, b)).try_fold(0, |n, x| Some(n + usize::from(x?)))
            };
            let scores: Option<Vec<usize>> = candidates.iter().map(|&f| rules_out(self, f)).collect();
            let Some(scores) = scores else { return self.formulas.and(candidates) };
            let best = (0..candidates.len()).max_by_key(|&i| (scores[i], std::cmp::Reverse(i)));
            let best = candidates[best.expect("there are candidates")];
            chosen.push(best);
            open.retain(|&b| self.fails_on(best, b) != Some(true));
        }
        if chosen.is_empty() {
            chosen = candidates;
        }
        self.formulas.and(chosen)
    }

    /// Whether a formula fails in all states of a block; unknown when tables grow too large.
    fn fails_on(&mut self, formula: FormulaId, block: BlockId) -> Option<bool> {
        if self.formulas.nodes().len() * self.system.lts.states() / 8 > TRUTH_BYTES {
            return None;
        }
        for at in self.truths.len()..=formula.index() {
            let node = &self.formulas.nodes()[at];
            let truth = node_truth(&self.system, node, |f| &self.truths[f.index()]);
            self.truths.push(truth);
        }
        let truth = &self.truths[formula.index()];
        Some(self.levels.members(block).iter().all(|&s| !truth.holds(s)))
    }
}
