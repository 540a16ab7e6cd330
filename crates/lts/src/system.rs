//! Labelled transition systems: states and labels with 32-bit ids, transitions in compressed rows.
//!
//! A transition takes 8 bytes (label and target); its source is implied by the row. Label 0 is
//! always the internal action tau, whatever its name was in the file.

use crate::labels::Labels;

/// A state of one system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(pub u32);

/// A label of one system; [`LabelId::TAU`] is the internal action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LabelId(pub u32);

impl StateId {
    /// As an index into a table by state.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl LabelId {
    /// The internal action.
    pub const TAU: LabelId = LabelId(0);

    /// As an index into a table by label.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a transition does and where it leads; ordered by label, then target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(u64);

impl Move {
    /// The move with `label` to `target`.
    pub fn new(label: LabelId, target: StateId) -> Move {
        Move((label.0 as u64) << 32 | target.0 as u64)
    }

    /// Its label.
    pub fn label(self) -> LabelId {
        LabelId((self.0 >> 32) as u32)
    }

    /// Where it leads.
    pub fn target(self) -> StateId {
        StateId(self.0 as u32)
    }

    /// Whether its label is tau.
    pub fn is_tau(self) -> bool {
        self.0 >> 32 == 0
    }
}

/// A finite labelled transition system with an initial state.
#[derive(Clone, Debug)]
pub struct Lts {
    initial: StateId,
    labels: Labels,
    offsets: Vec<u32>,
    moves: Vec<Move>,
}

impl Lts {
    /// A system from its transitions `(source, label, target)`; label 0 is tau.
    ///
    /// # Panics
    /// When a state or label is out of range, or there is no state.
    pub fn from_transitions(
        states: u32,
        initial: StateId,
        labels: Labels,
        transitions: impl IntoIterator<Item = (StateId, LabelId, StateId)>,
    ) -> Lts {
        assert!(initial.0 < states, "the initial state is one of the states");
        let mut builder = Builder::new(labels);
        for (source, label, target) in transitions {
            assert!(source.0 < states && target.0 < states, "both ends of a transition are states");
            assert!(label.index() < builder.labels.len(), "every label has a name");
            builder.add(source, label, target);
        }
        builder.finish(states, initial)
    }

    /// A system from rows already in order; `offsets` has one entry more than there are states.
    pub(crate) fn from_rows(initial: StateId, labels: Labels, offsets: Vec<u32>, moves: Vec<Move>) -> Lts {
        debug_assert_eq!(*offsets.last().unwrap_or(&0) as usize, moves.len());
        debug_assert!(initial.index() + 1 < offsets.len());
        Lts { initial, labels, offsets, moves }
    }

    /// How many states there are.
    pub fn states(&self) -> usize {
        self.offsets.len() - 1
    }

    /// How many transitions there are, duplicates counted.
    pub fn transitions(&self) -> usize {
        self.moves.len()
    }

    /// Every state, ascending.
    pub fn state_ids(&self) -> impl Iterator<Item = StateId> + use<> {
        (0..self.states() as u32).map(StateId)
    }

    /// Where every run starts.
    pub fn initial(&self) -> StateId {
        self.initial
    }

    /// The names of the labels.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The moves of one state.
    pub fn moves(&self, state: StateId) -> &[Move] {
        &self.moves[self.offsets[state.index()] as usize..self.offsets[state.index() + 1] as usize]
    }

    /// Where the moves of one state stand among all.
    pub(crate) fn range(&self, state: StateId) -> std::ops::Range<u32> {
        self.offsets[state.index()]..self.offsets[state.index() + 1]
    }

    /// The moves of all states, row by row.
    pub(crate) fn all_moves(&self) -> &[Move] {
        &self.moves
    }

    /// All transitions, by source.
    pub fn iter(&self) -> impl Iterator<Item = (StateId, Move)> + '_ {
        self.state_ids().flat_map(|s| self.moves(s).iter().map(move |&m| (s, m)))
    }

    /// Bytes that the transitions and rows take.
    pub fn bytes(&self) -> u64 {
        (self.moves.capacity() * 8 + self.offsets.capacity() * 4) as u64 + self.labels.bytes()
    }

    /// How many transitions are internal.
    pub fn internal(&self) -> usize {
        self.moves.iter().filter(|m| m.is_tau()).count()
    }

    /// The same system starting elsewhere.
    pub fn starting_at(mut self, initial: StateId) -> Lts {
        assert!(initial.index() < self.states(), "the initial state is one of the states");
        self.initial = initial;
        self
    }

    /// The same system with the labels for which `hidden` holds turned into tau.
    pub fn hide(mut self, hidden: impl Fn(&str) -> bool) -> Lts {
        let (labels, map) = self.labels.hide(hidden);
        for m in &mut self.moves {
            *m = Move::new(map[m.label().index()], m.target());
        }
        self.labels = labels;
        self
    }

    /// The part that the initial state reaches, with the map from old states to new ones.
    pub fn reachable(&self) -> (Lts, Vec<Option<StateId>>) {
        let mut new = vec![None; self.states()];
        let mut order = vec![self.initial];
        new[self.initial.index()] = Some(StateId(0));
        let mut next = 0;
        while next < order.len() {
            for m in self.moves(order[next]) {
                let slot = &mut new[m.target().index()];
                if slot.is_none() {
                    *slot = Some(StateId(order.len() as u32));
                    order.push(m.target());
                }
            }
            next += 1;
        }
        let mut offsets = Vec::with_capacity(order.len() + 1);
        offsets.push(0);
        let mut moves = Vec::new();
        for &s in &order {
            let row = self.moves(s).iter();
            moves.extend(row.filter_map(|m| Some(Move::new(m.label(), new[m.target().index()]?))));
            offsets.push(moves.len() as u32);
        }
        (Lts::from_rows(StateId(0), self.labels.clone(), offsets, moves), new)
    }

    /// Both systems side by side, with labels joined by name and starting where `self` starts;
    /// the states of `other` come after those of `self`. `None` when the ids do not suffice.
    pub fn disjoint_union(&self, other: &Lts) -> Option<Lts> {
        let shift = u32::try_from(self.states()).ok()?;
        u32::try_from(self.states() + other.states()).ok()?;
        u32::try_from(self.transitions() + other.transitions()).ok()?;
        let mut labels = self.labels.clone();
        let map: Vec<LabelId> = other.labels.iter().map(|(id, name)| labels.join(id, name)).collect();
        let mut moves = Vec::with_capacity(self.transitions() + other.transitions());
        moves.extend_from_slice(&self.moves);
        let shifted = |m: &Move| Move::new(map[m.label().index()], StateId(m.target().0 + shift));
        moves.extend(other.moves.iter().map(shifted));
        let mut offsets = Vec::with_capacity(self.offsets.len() + other.states());
        offsets.extend_from_slice(&self.offsets);
        let end = self.transitions() as u32;
        offsets.extend(other.offsets[1..].iter().map(|o| o + end));
        Some(Lts::from_rows(self.initial, labels, offsets, moves))
    }
}

/// Collects transitions into rows. While they come by ascending source nothing but the rows is
/// kept; the first one out of order costs four more bytes per transition.
pub(crate) struct Builder {
    pub(crate) labels: Labels,
    /// By row: where it begins; behind the row of the last move, where that one ends and room for
    /// others. Of no use once there are sources.
    offsets: Vec<u32>,
    moves: Vec<Move>,
    last_row: usize,
    sources: Option<Vec<u32>>,
}

/// The least room for more rows.
const ROOM: usize = 1 << 10;
/// In the place of the last row when there are sources: far from every row.
const NO_ROW: usize = usize::MAX / 2;

impl Builder {
    pub(crate) fn new(labels: Labels) -> Builder {
        Builder { labels, offsets: Vec::new(), moves: Vec::new(), last_row: 0, sources: None }
    }

    pub(crate) fn len(&self) -> usize {
        self.moves.len()
    }

    pub(crate) fn bytes(&self) -> u64 {
        let sources = self.sources.as_ref().map_or(0, |s| s.capacity());
        (self.moves.capacity() * 8 + (self.offsets.capacity() + sources) * 4) as u64
    }

    /// Makes room without ever failing: a wrong announcement costs nothing.
    pub(crate) fn expect(&mut self, more: usize) {
        let _ = self.moves.try_reserve_exact(more);
    }

    #[inline]
    pub(crate) fn add(&mut self, source: StateId, label: LabelId, target: StateId) {
        let (row, step) = (source.index(), Move::new(label, target));
        match self.offsets.get_mut(row + 1) {
            // In the same row or the next one: both are frequent, so there is no branch.
            Some(end) if row.wrapping_sub(self.last_row) <= 1 => {
                self.moves.push(step);
                *end = self.moves.len() as u32;
                self.last_row = row;
            }
            _ => self.add_elsewhere(row, step),
        }
    }

    #[cold]
    fn add_elsewhere(&mut self, row: usize, step: Move) {
        if self.sources.is_none() && row < self.last_row {
            let mut sources = Vec::with_capacity(self.moves.capacity());
            for row in 0..=self.last_row {
                sources.resize(self.offsets[row + 1] as usize, row as u32);
            }
            self.sources = Some(sources);
            self.last_row = NO_ROW;
        }
        match &mut self.sources {
            Some(sources) => sources.push(row as u32),
            None => {
                let known = self.last_row + 1;
                self.offsets.resize(self.offsets.len().max(row + 2 + ROOM), 0);
                self.offsets[known..=row].fill(self.moves.len() as u32);
                self.offsets[row + 1] = self.moves.len() as u32 + 1;
                self.last_row = row;
            }
        }
        self.moves.push(step);
    }

    pub(crate) fn finish(mut self, states: u32, initial: StateId) -> Lts {
        let states = states as usize;
        if let Some(mut sources) = self.sources.take() {
            self.offsets.clear();
            self.offsets.resize(states + 1, 0);
            for &s in &sources {
                self.offsets[s as usize + 1] += 1;
            }
            for row in 0..states {
                self.offsets[row + 1] += self.offsets[row];
            }
            sort_by_source(&mut sources, &mut self.moves, &self.offsets);
        } else {
            let known = if self.moves.is_empty() { 0 } else { self.last_row + 2 };
            self.offsets.truncate(known.max(1));
            self.offsets.resize(states + 1, self.moves.len() as u32);
        }
        Lts::from_rows(initial, self.labels, self.offsets, self.moves)
    }
}

/// Puts every move into its row in place: each swap brings one move home.
fn sort_by_source(sources: &mut [u32], moves: &mut [Move], offsets: &[u32]) {
    let mut next: Vec<u32> = offsets[..offsets.len() - 1].to_vec();
    for row in 0..next.len() {
        while next[row] < offsets[row + 1] {
            let here = next[row] as usize;
            let home = sources[here] as usize;
            let there = next[home] as usize;
            next[home] += 1;
            sources.swap(here, there);
            moves.swap(here, there);
        }
    }
    // The swaps leave each row in an order that depends on the others.
    for row in 0..next.len() {
        moves[offsets[row] as usize..offsets[row + 1] as usize].sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triple(s: u32, l: u32, t: u32) -> (StateId, LabelId, StateId) {
        (StateId(s), LabelId(l), StateId(t))
    }

    fn labels() -> Labels {
        let mut labels = Labels::new();
        labels.intern("a");
        labels.intern("b");
        labels
    }

    #[test]
    fn rows_in_any_order() {
        let mut all = vec![triple(0, 1, 1), triple(0, 2, 3), triple(2, 0, 0), triple(3, 1, 2)];
        let want: Vec<_> = Lts::from_transitions(5, StateId(0), labels(), all.clone()).iter().collect();
        for _ in 0..all.len() {
            all.rotate_left(1);
            let lts = Lts::from_transitions(5, StateId(0), labels(), all.clone());
            assert_eq!(lts.iter().collect::<Vec<_>>(), want);
            assert_eq!((lts.states(), lts.transitions(), lts.internal()), (5, 4, 1));
        }
    }

    #[test]
    fn rows_with_gaps_in_any_order() {
        for code in 0..5u32.pow(5) {
            let sources: Vec<u32> = (0..5).map(|i| code / 5u32.pow(i) % 5).filter(|&s| s < 4).collect();
            for scale in [2, 3, 2000] {
                let all = (0..).zip(&sources).map(|(i, s)| triple(s * scale, 1, i));
                let lts = Lts::from_transitions(4 * scale, StateId(0), labels(), all);
                assert_eq!(lts.transitions(), sources.len());
                for row in 0..4 {
                    let want = (0..).zip(&sources).filter(|&(_, &source)| source == row);
                    let want: Vec<Move> = want.map(|(i, _)| Move::new(LabelId(1), StateId(i))).collect();
                    assert_eq!(lts.moves(StateId(row * scale)), want, "{sources:?} times {scale}");
                }
            }
        }
    }

    #[test]
    fn hiding_renumbers_labels() {
        let all = [triple(0, 1, 1), triple(1, 2, 0)];
        let lts = Lts::from_transitions(2, StateId(0), labels(), all).hide(|name| name == "a");
        assert_eq!(lts.labels().len(), 2);
        assert!(lts.moves(StateId(0))[0].is_tau());
        assert_eq!(lts.labels().name(lts.moves(StateId(1))[0].label()), "b");
    }

    #[test]
    fn union_and_reachable_part() {
        let left = Lts::from_transitions(2, StateId(1), labels(), [triple(0, 1, 1)]);
        let right = Lts::from_transitions(2, StateId(0), labels(), [triple(0, 2, 1)]);
        let both = left.disjoint_union(&right).unwrap();
        assert_eq!((both.states(), both.transitions()), (4, 2));
        assert_eq!(both.moves(StateId(2))[0].target(), StateId(3));
        let (part, map) = both.starting_at(StateId(2)).reachable();
        assert_eq!((part.states(), part.transitions()), (2, 1));
        assert_eq!(map, [None, None, Some(StateId(0)), Some(StateId(1))]);
    }
}
