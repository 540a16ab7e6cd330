//! A smallest part of a history that cannot be explained.
//!
//! An operation is left out only if the rest stays impossible even when it may take effect at any time, once, or not
//! at all. Operations that change nothing, and all operations of one group of the specification, can be taken out
//! of any legal sequence and are simply gone. With some operations set free more can be explained than with
//! fewer, so that a smallest part is found by QuickXplain (Junker, AAAI 2004), over groups first, then over single
//! operations. Letting free operations take effect any number of times makes an attempt cheaper; an order that uses
//! none more often than it was left out settles the question as well, and only else are they counted. Cost:
//! O(k log(n / k)) attempts for k operations that are kept, within a budget of work; when it runs out, or an attempt
//! is too large, the result says that it need not be minimal.

use std::collections::{HashMap, HashSet, VecDeque};

use trueline_base::{Meter, Observer, Stop};

use super::choice::{smallest_choice, units};
use super::{MOST_REASONS, with_wild};
use crate::check::{DecisionAnswer, Piece, decide};
use crate::datum::Datum;
use crate::search::{Compiled, Control, SearchResult};
use crate::spec::Spec;

/// Configurations in all, before the minimiser settles for what it has.
const WORK: u64 = 5_000_000;
/// Bytes that count as much as a configuration.
const BYTES_PER_CONFIGURATION: u64 = 256;
/// Configurations of one attempt.
const CAP: u64 = 50_000;
/// Bytes of one attempt.
const CAP_BYTES: u64 = 64 << 20;
/// Kinds of operations that may be free at once.
const MOST_FREE: usize = 256;
/// Operations that may take effect once at any time.
const MOST_WILD: usize = 1024;
/// Operations up to which single ones are tried.
const MOST_SINGLES: usize = 400;

/// A smaller part.
pub(crate) struct Smaller {
    /// What is kept, ascending.
    pub kept: Vec<usize>,
    /// What else was there when the rest was found impossible.
    pub left_out: LeftOut,
    /// Whether nothing more can be left out.
    pub minimal: bool,
    /// The limit that ended the attempts, if one did.
    pub cut: Option<Stop>,
    /// For operations that are kept an order that would do if it were free too.
    pub otherwise: Vec<(usize, Vec<usize>)>,
}

/// Operations that are not kept and may still take effect.
#[derive(Clone, Default)]
pub(crate) struct LeftOut {
    /// One of each kind that may take effect any number of times.
    pub free: Vec<usize>,
    /// Those that may take effect once.
    pub wild: Vec<usize>,
}

/// What became of an attempt to explain what is kept.
enum Attempt {
    /// No order does, whatever the left out ones do.
    Impossible(LeftOut),
    /// This order does.
    Possible(Vec<usize>),
    /// Nobody knows: it was too large.
    TooLarge,
}

pub(crate) struct Minimiser<'a, S: Spec> {
    spec: &'a S,
    piece: &'a Piece<S::Op>,
    compiled: Compiled<'a, S>,
    groups: Vec<Option<Datum>>,
    monitors: bool,
    meter: &'a Meter,
    observer: &'a mut dyn Observer,
    work: u64,
    /// The limit that was reached.
    cut: Option<Stop>,
    /// The smallest part that was found impossible.
    best: (Vec<usize>, LeftOut),
}

impl<'a, S: Spec> Minimiser<'a, S> {
    pub fn new(
        spec: &'a S,
        piece: &'a Piece<S::Op>,
        grouped: bool,
        monitors: bool,
        meter: &'a Meter,
        observer: &'a mut dyn Observer,
    ) -> Self {
        let groups = if grouped {
            spec.hints().groups(&piece.ops.iter().collect::<Vec<_>>())
        } else {
            vec![None; piece.ops.len()]
        };
        let best = ((0..piece.ops.len()).collect(), LeftOut::default());
        let compiled = Compiled::new(spec, &piece.ops, meter);
        Minimiser { spec, piece, compiled, groups, monitors, meter, observer, work: 0, cut: None, best }
    }

    /// Starts from the core, or from the whole piece if the core alone does not show it.
    pub fn begin(&mut self, core: &[usize]) -> Smaller {
        if core.len() < self.piece.ops.len() {
            self.fails(core);
        }
        let (kept, left_out) = self.best.clone();
        Smaller { kept, left_out, minimal: false, cut: None, otherwise: Vec::new() }
    }

    /// Shrinks it as far as the limits allow.
    pub fn run(mut self) -> Smaller {
        let grouped = units(self.best.0.iter().copied(), &self.groups);
        let alone = grouped.iter().all(|unit| unit.len() == 1);
        self.choose(grouped);
        if !alone && self.best.0.len() <= MOST_SINGLES {
            let singles = self.best.0.iter().map(|i| vec![*i]).collect();
            self.choose(singles);
        }
        let (minimal, otherwise) = self.settle();
        let (kept, left_out) = self.best;
        let cut = self.cut.filter(|_| !minimal);
        Smaller { kept, left_out, minimal, cut, otherwise }
    }

    /// Makes a smallest choice of these units the best part, if it turns out to be impossible.
    fn choose(&mut self, mut units: Vec<Vec<usize>>) {
        // What comes first is rather kept: few answers that need explaining make the simplest story.
        units.sort_by_key(|unit| unit.iter().all(|i| self.compiled.observes(*i)));
        let chosen = smallest_choice(&units, &mut |items| self.fails(items));
        if chosen.len() < self.best.0.len() {
            self.fails(&chosen);
        }
    }

    /// Tries each operation that is kept a last time. Whether all are needed, and what would do without each.
    fn settle(&mut self) -> (bool, Vec<(usize, Vec<usize>)>) {
        if self.best.0.len() > MOST_SINGLES {
            return (false, Vec::new());
        }
        'again: loop {
            let kept = self.best.0.clone();
            if let [only] = kept.as_slice() {
                return (true, vec![(*only, Vec::new())]);
            }
            let mut minimal = true;
            let mut otherwise = Vec::new();
            for &item in &kept {
                let rest: Vec<usize> = kept.iter().copied().filter(|i| *i != item).collect();
                match self.attempt(&rest) {
                    Attempt::Impossible(left_out) => {
                        self.best = (rest, left_out);
                        continue 'again;
                    }
                    Attempt::Possible(order) => otherwise.push((item, self.told(&rest, item, order))),
                    Attempt::TooLarge => minimal = false,
                }
            }
            return (minimal, otherwise);
        }
    }

    /// An order in which one of several equal operations that are left out may stand for all, with each of them at
    /// most once, the `item` first.
    fn told(&self, kept: &[usize], item: usize, mut order: Vec<usize>) -> Vec<usize> {
        let left_out = |i: &usize| kept.binary_search(i).is_err();
        let class = |i: usize| self.compiled.class(i);
        let mut equal: HashMap<u32, VecDeque<usize>> =
            order.iter().filter(|i| left_out(i)).map(|i| (class(*i), VecDeque::new())).collect();
        for i in [item].into_iter().chain(self.outside(kept).map(|(i, _)| i).filter(|i| *i != item)) {
            if let Some(list) = equal.get_mut(&class(i)) {
                list.push_back(i);
            }
        }
        for place in order.iter_mut().filter(|i| left_out(i)) {
            let next = equal.get_mut(&class(*place)).and_then(VecDeque::pop_front);
            *place = next.unwrap_or(*place);
        }
        order
    }

    /// Whether what is kept is found impossible.
    fn fails(&mut self, kept: &[usize]) -> bool {
        match self.attempt(kept) {
            Attempt::Impossible(left_out) => {
                if kept.len() < self.best.0.len() {
                    self.best = (kept.to_vec(), left_out);
                }
                true
            }
            _ => false,
        }
    }

    /// What is left out besides what can be taken out of every legal sequence: kinds of operations with how often
    /// each was left out, and operations that must be counted.
    fn left_out(&self, kept: &[usize]) -> (Vec<(usize, u32)>, Vec<usize>) {
        let groups: HashSet<&Datum> = kept.iter().filter_map(|i| self.groups[*i].as_ref()).collect();
        let (mut free, mut wild): (Vec<(usize, u32)>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut known: HashMap<u32, usize> = HashMap::new();
        for (i, op) in self.outside(kept) {
            let gone = self.groups[i].as_ref().is_some_and(|g| !groups.contains(g));
            if gone || self.compiled.observes(i) {
                continue;
            }
            if !self.spec.hints().repeatable(op) {
                wild.push(i);
            } else {
                let at = *known.entry(self.compiled.class(i)).or_insert(free.len());
                match free.get_mut(at) {
                    Some((_, count)) => *count += 1,
                    None => free.push((i, 1)),
                }
            }
            if free.len() > MOST_FREE || wild.len() > MOST_WILD {
                break;
            }
        }
        (free, wild)
    }

    /// The operations that are not kept.
    fn outside(&self, kept: &[usize]) -> impl Iterator<Item = (usize, &'a S::Op)> + use<'a, S> {
        let mut inside = vec![false; self.piece.ops.len()];
        kept.iter().for_each(|i| inside[*i] = true);
        self.piece.ops.iter().enumerate().filter(move |(i, _)| !inside[*i])
    }

    /// Tries to explain what is kept, with everything else free.
    fn attempt(&mut self, kept: &[usize]) -> Attempt {
        self.work += 100 + kept.len() as u64;
        if let Err(stop) = self.meter.check(0, 0) {
            self.cut = Some(stop);
        }
        if kept.is_empty() || self.work > WORK || self.cut.is_some() {
            return Attempt::TooLarge;
        }
        let (kinds, wild) = self.left_out(kept);
        if kinds.len() > MOST_FREE || wild.len() > MOST_WILD {
            return Attempt::TooLarge;
        }
        if kinds.is_empty() && wild.is_empty() {
            return self.alone(kept);
        }
        let free = kinds.iter().map(|(i, _)| *i).collect();
        let any = self.search(kept, LeftOut { free, wild: wild.clone() });
        let Attempt::Possible(order) = &any else { return any };
        let often = |kind: &(usize, u32)| order.iter().filter(|i| **i == kind.0).count() > kind.1 as usize;
        if !kinds.iter().any(often) {
            return any;
        }
        let classes: HashSet<u32> = kinds.iter().map(|(i, _)| self.compiled.class(*i)).collect();
        let counted = self.outside(kept).map(|(i, _)| i);
        let counted = counted.filter(|i| classes.contains(&self.compiled.class(*i)));
        let wild: Vec<usize> = wild.into_iter().chain(counted).take(MOST_WILD + 1).collect();
        if wild.len() > MOST_WILD {
            return Attempt::TooLarge;
        }
        self.search(kept, LeftOut { free: Vec::new(), wild })
    }

    /// Decides what is kept when nothing else matters: by search where the order is wanted, else by a monitor if
    /// there is one.
    fn alone(&mut self, kept: &[usize]) -> Attempt {
        if kept.len() <= MOST_REASONS {
            let searched = self.search(kept, LeftOut::default());
            if !matches!(searched, Attempt::TooLarge) {
                return searched;
            }
        }
        let part = self.piece.only(kept);
        let mut control = bounded(kept.len(), self.meter, self.observer);
        let decision = decide(self.spec, &part.ops, &part.spans, self.monitors, &mut control);
        self.work += decision.configurations + decision.bytes / BYTES_PER_CONFIGURATION;
        match decision.answer {
            DecisionAnswer::Fails(_) => Attempt::Impossible(LeftOut::default()),
            DecisionAnswer::Holds(order) => {
                Attempt::Possible(order.into_iter().flatten().map(|i| kept[i]).collect())
            }
            DecisionAnswer::Stopped(..) | DecisionAnswer::Wrong(_) => Attempt::TooLarge,
        }
    }

    fn search(&mut self, kept: &[usize], left_out: LeftOut) -> Attempt {
        let ops = with_wild(self.piece, kept, &left_out.wild);
        let mut control = bounded(kept.len(), self.meter, self.observer);
        let answer = self.compiled.search(ops, &left_out.free, &mut control);
        self.work += answer.configurations + answer.bytes / BYTES_PER_CONFIGURATION;
        match answer.found {
            SearchResult::Impossible => Attempt::Impossible(left_out),
            SearchResult::Order(order) => {
                let items: Vec<usize> =
                    kept.iter().chain(&left_out.wild).chain(&left_out.free).copied().collect();
                Attempt::Possible(order.into_iter().map(|i| items[i as usize]).collect())
            }
            SearchResult::Stopped(_) => Attempt::TooLarge,
        }
    }
}

/// The bounds of one attempt.
fn bounded<'a>(kept: usize, meter: &'a Meter, observer: &'a mut dyn Observer) -> Control<'a> {
    let cap = CAP + 8 * kept as u64;
    Control { cap, cap_bytes: CAP_BYTES, ..Control::new(meter, observer) }
}
