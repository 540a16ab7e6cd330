//! A smallest part of a history that cannot be explained.
//!
//! An operation is left out only if the rest stays impossible even when it may take effect at any time or not at
//! all. Three arguments allow it. Projection: operations that change nothing, and all operations of one group of
//! the specification, can be taken out of any legal sequence. Freedom: the rest stays impossible although the
//! operation may take effect any number of times. Once: the same, at most one time; this is tried for single
//! operations when few are left. Delta debugging (Zeller and Hildebrandt, IEEE TSE 2002) over groups first, then
//! over single operations. Cost: bounded by a budget of work; when it runs out, the result says that it need not
//! be minimal.

use std::collections::{BTreeMap, HashSet};

use trueline_base::{Meter, Observer};

use super::with_wild;
use crate::check::{Piece, decide};
use crate::datum::Datum;
use crate::search::{Control, Found, Instance, search};
use crate::spec::Spec;

/// Operations tested in all, before the minimiser settles for what it has.
const WORK: u64 = 20_000_000;
/// Configurations of one attempt.
const CAP: u64 = 50_000;
/// Bytes of one attempt.
const CAP_BYTES: u64 = 64 << 20;
/// Kinds of operations that may be free at once.
const MOST_FREE: usize = 256;
/// Operations that may take effect once at any time.
const MOST_WILD: usize = 10;
/// Operations up to which single ones are tried.
const MOST_SINGLES: usize = 400;

/// A smaller part.
pub(crate) struct Smaller<O> {
    /// What is kept, ascending.
    pub kept: Vec<usize>,
    /// What is left out and may take effect any number of times.
    pub free: Vec<O>,
    /// What is left out and may take effect once.
    pub wild: Vec<usize>,
    /// Whether nothing more can be left out.
    pub minimal: bool,
}

pub(crate) struct Minimiser<'a, S: Spec> {
    spec: &'a S,
    piece: &'a Piece<S::Op>,
    groups: Vec<Option<Datum>>,
    monitors: bool,
    meter: &'a Meter,
    observer: &'a mut dyn Observer,
    work: u64,
    exhausted: bool,
    /// Whether something was kept only because an attempt to leave it out was too large.
    refused: bool,
    /// What the last attempt that failed left out.
    last: (Vec<S::Op>, Vec<usize>),
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
            spec.groups(&piece.ops.iter().collect::<Vec<_>>())
        } else {
            vec![None; piece.ops.len()]
        };
        Minimiser {
            spec,
            piece,
            groups,
            monitors,
            meter,
            observer,
            work: 0,
            exhausted: false,
            refused: false,
            last: Default::default(),
        }
    }

    /// Shrinks the core, or the whole piece if the core alone does not show it.
    pub fn run(mut self, core: Vec<usize>) -> Smaller<S::Op> {
        let mut kept = core;
        if kept.len() < self.piece.ops.len() && !self.fails(&kept, false) {
            kept = (0..self.piece.ops.len()).collect();
        }
        let units = self.units(&kept);
        kept = shrink(units, |candidate| self.fails(candidate, false));
        // What was too large in chunks is tried again one by one.
        self.refused = false;
        let singles = kept.len() <= MOST_SINGLES;
        let mut again = singles;
        while again {
            again = false;
            for item in kept.clone() {
                let rest: Vec<usize> = kept.iter().copied().filter(|i| *i != item).collect();
                if self.fails(&rest, false) || self.fails(&rest, true) {
                    kept = rest;
                    again = true;
                }
            }
        }
        let (free, wild) = std::mem::take(&mut self.last);
        Smaller { kept, free, wild, minimal: singles && !self.exhausted && !self.refused }
    }

    /// Groups and single operations, in the order of their first call.
    fn units(&self, kept: &[usize]) -> Vec<Vec<usize>> {
        let mut groups: BTreeMap<&Datum, usize> = BTreeMap::new();
        let mut units: Vec<Vec<usize>> = Vec::new();
        for &i in kept {
            match &self.groups[i] {
                Some(group) => {
                    let at = *groups.entry(group).or_insert(units.len());
                    if at == units.len() {
                        units.push(Vec::new());
                    }
                    units[at].push(i);
                }
                None => units.push(vec![i]),
            }
        }
        units
    }

    /// What is left out without an argument by projection: kinds of operations that may take effect any number
    /// of times, and operations that may take effect once.
    fn left_out(&self, kept: &[usize], once: bool) -> (Vec<S::Op>, Vec<usize>) {
        let inside: HashSet<usize> = kept.iter().copied().collect();
        let groups: HashSet<&Datum> = kept.iter().filter_map(|i| self.groups[*i].as_ref()).collect();
        let (mut free, mut wild): (Vec<S::Op>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut known = HashSet::new();
        for (i, op) in self.piece.ops.iter().enumerate() {
            let gone = self.groups[i].as_ref().is_some_and(|g| !groups.contains(g));
            if inside.contains(&i) || gone || self.spec.observes(op) {
                continue;
            }
            if once || !self.spec.repeatable(op) {
                wild.push(i);
            } else if known.insert(op) {
                free.push(op.clone());
            }
            if free.len() > MOST_FREE || wild.len() > MOST_WILD {
                break;
            }
        }
        (free, wild)
    }

    /// Whether what is kept stays impossible, whatever is left out being free or, with `once`, taking effect
    /// once at most.
    fn fails(&mut self, kept: &[usize], once: bool) -> bool {
        if self.exhausted || kept.is_empty() {
            return false;
        }
        self.work += 100 + kept.len() as u64;
        if self.work > WORK || self.meter.check(0, 0).is_err() {
            self.exhausted = true;
            return false;
        }
        let (free, wild) = self.left_out(kept, once);
        if free.len() > MOST_FREE || wild.len() > MOST_WILD {
            self.refused |= once;
            return false;
        }
        let cap = CAP + 8 * kept.len() as u64;
        let mut control = Control { cap, cap_bytes: CAP_BYTES, ..Control::new(self.meter, self.observer) };
        if free.is_empty() && wild.is_empty() {
            let part = self.piece.only(kept);
            let decision = decide(self.spec, &part.ops, &part.spans, self.monitors, &mut control);
            self.work += decision.configurations;
            let fails = matches!(decision.answer, crate::check::DecisionAnswer::Fails(_));
            if fails {
                self.last = (free, wild);
            }
            return fails;
        }
        let mut instance = Instance::new(with_wild::<S>(self.piece, kept, &wild), |o| self.spec.observes(o));
        instance.free = free;
        let answer = search(self.spec, &instance, &mut control);
        self.work += answer.configurations;
        self.refused |= once && matches!(answer.found, Found::Stopped(_));
        let fails = answer.found == Found::Impossible;
        if fails {
            self.last = (instance.free, wild);
        }
        fails
    }
}

/// Leaves out units in ever smaller chunks while the rest still fails.
fn shrink(mut units: Vec<Vec<usize>>, mut fails: impl FnMut(&[usize]) -> bool) -> Vec<usize> {
    let flat = |units: &[Vec<usize>]| {
        let mut items: Vec<usize> = units.iter().flatten().copied().collect();
        items.sort_unstable();
        items
    };
    let mut chunk = units.len().div_ceil(2);
    while chunk > 0 && units.len() > 1 {
        let mut at = 0;
        let mut changed = false;
        while at < units.len() && units.len() > 1 {
            let end = (at + chunk).min(units.len());
            let rest: Vec<Vec<usize>> = units[..at].iter().chain(&units[end..]).cloned().collect();
            if !rest.is_empty() && fails(&flat(&rest)) {
                units = rest;
                changed = true;
            } else {
                at = end;
            }
        }
        if !(chunk == 1 && changed) {
            chunk = if chunk == 1 { 0 } else { chunk.div_ceil(2) };
        }
    }
    flat(&units)
}

/// A smaller part by projection alone, for conditions that know no free operations.
pub(crate) fn projected<S: Spec>(
    spec: &S,
    piece: &Piece<S::Op>,
    all: Vec<usize>,
    mut fails: impl FnMut(&[usize]) -> bool,
) -> Vec<usize> {
    let groups = spec.groups(&piece.ops.iter().collect::<Vec<_>>());
    let mut units: Vec<Vec<usize>> = Vec::new();
    let mut index: BTreeMap<&Datum, usize> = BTreeMap::new();
    let mut fixed: Vec<usize> = Vec::new();
    for i in all {
        match &groups[i] {
            Some(group) => {
                let at = *index.entry(group).or_insert(units.len());
                if at == units.len() {
                    units.push(Vec::new());
                }
                units[at].push(i);
            }
            None if spec.observes(&piece.ops[i]) => units.push(vec![i]),
            None => fixed.push(i),
        }
    }
    let with_fixed = |items: &[usize]| {
        let mut items: Vec<usize> = items.iter().chain(&fixed).copied().collect();
        items.sort_unstable();
        items
    };
    let kept = shrink(units, |items| fails(&with_fixed(items)));
    with_fixed(&kept)
}
