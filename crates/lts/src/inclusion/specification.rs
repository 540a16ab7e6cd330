//! A specification made deterministic as far as it is asked for: its sets of states and their steps.

use crate::sets::Sets;
use crate::system::{LabelId, Lts, Move, StateId};
use rustc_hash::FxHashMap;
use trueline_base::Stop;

/// No set.
pub(super) const NONE: u32 = u32::MAX;
/// More sets than this are not numbered.
pub(super) const SETS: u32 = 1 << 31;

/// The sets of states that a specification may be in, by number.
pub(super) struct Specification {
    lts: Lts,
    sets: Sets,
    steps: Memo,
    initial: u32,
}

impl Specification {
    pub(super) fn new(lts: Lts) -> Specification {
        let mut sets = Sets::new(&lts);
        let initial = sets.closed(&lts, [lts.initial()]);
        let steps = Memo::new(lts.labels().len());
        Specification { lts, sets, steps, initial }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.lts.bytes() + self.sets.bytes() + self.steps.bytes()
    }

    pub(super) fn sets(&self) -> &Sets {
        &self.sets
    }

    /// Where it may be before any visible label.
    pub(super) fn initial(&self) -> u32 {
        self.initial
    }

    /// The set after a label, if it is not empty; tau leads nowhere else.
    #[inline]
    pub(super) fn after(&mut self, set: u32, label: LabelId) -> Result<Option<u32>, Stop> {
        match self.steps.get(set, label) {
            UNKNOWN => self.compute(set, label),
            known => Ok((known != NONE).then_some(known)),
        }
    }

    #[cold]
    fn compute(&mut self, set: u32, label: LabelId) -> Result<Option<u32>, Stop> {
        if self.sets.len() >= SETS {
            return Err(Stop::Memory);
        }
        let next = if label == LabelId::TAU {
            Some(set)
        } else {
            let moves = self.sets.get(set).iter().flat_map(|&s| with_label(self.lts.moves(s), label));
            let targets: Vec<StateId> = moves.map(|m| m.target()).collect();
            (!targets.is_empty()).then(|| self.sets.closed(&self.lts, targets))
        };
        self.steps.set(set, label, next.unwrap_or(NONE));
        Ok(next)
    }
}

/// The moves of a row, which is in order, that have a label.
fn with_label(row: &[Move], label: LabelId) -> impl Iterator<Item = &Move> {
    let from = row.partition_point(|m| m.label() < label);
    row[from..].iter().take_while(move |m| m.label() == label)
}

/// A step that was not computed yet.
const UNKNOWN: u32 = NONE - 1;

/// The steps of sets computed so far: a table while labels are few, a map otherwise.
enum Memo {
    Table { labels: usize, next: Vec<u32> },
    Map(FxHashMap<(u32, LabelId), u32>),
}

impl Memo {
    fn new(labels: usize) -> Memo {
        if labels <= 256 { Memo::Table { labels, next: Vec::new() } } else { Memo::Map(FxHashMap::default()) }
    }

    fn bytes(&self) -> u64 {
        match self {
            Memo::Table { next, .. } => next.capacity() as u64 * 4,
            Memo::Map(map) => map.capacity() as u64 * 14,
        }
    }

    #[inline]
    fn get(&self, set: u32, label: LabelId) -> u32 {
        let entry = match self {
            Memo::Table { labels, next } => next.get(set as usize * labels + label.index()),
            Memo::Map(map) => map.get(&(set, label)),
        };
        entry.copied().unwrap_or(UNKNOWN)
    }

    fn set(&mut self, set: u32, label: LabelId, value: u32) {
        match self {
            Memo::Table { labels, next } => {
                let rows = (set as usize + 1) * *labels;
                if next.len() < rows {
                    next.resize(rows, UNKNOWN);
                }
                next[set as usize * *labels + label.index()] = value;
            }
            Memo::Map(map) => {
                map.insert((set, label), value);
            }
        }
    }
}
