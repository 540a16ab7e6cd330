//! Sets of generators under exchanges of threads and of values: the image, and the least of all images.

use super::GeneratorSets;
use super::generator::{Code, Generator, Pending};
use crate::fast::naming::{Naming, places};
use crate::fast::occurring;
use crate::monitor::SetId;
use crate::spec::{SpecState, SpecValue, ThreadStatus};
use std::hash::BuildHasher;
use trueline_base::Value;
use trueline_space::{Perm, permutations};

/// More orders of values than this are not tried: the set then stands for fewer others.
const TRIES: usize = 720;

impl GeneratorSets<'_> {
    /// A set after an exchange.
    pub(super) fn exchanged(&mut self, at: SetId, by: &[u8]) -> SetId {
        let rows = self.sets.get(at).clone();
        let naming = self.naming.clone().filter(Naming::renames);
        let to = places(by);
        let mut moved = Vec::with_capacity(rows.len());
        for row in rows {
            let codes = by[..self.threads].iter().map(|t| row.code(*t as usize));
            moved.push(match &naming {
                None => Generator::new(row.state(), codes),
                Some(naming) => {
                    let state = self.moved_state(row.state(), naming, &to);
                    Generator::new(state, codes.map(|code| self.moved(code, naming, &to)))
                }
            });
        }
        self.intern(moved)
    }

    /// The least image of a set under exchanges within these groups.
    pub(super) fn least_image(&mut self, at: SetId, groups: &[(usize, usize)]) -> SetId {
        if groups.iter().any(|(from, _)| *from >= self.threads) {
            return self.least_values(at, groups);
        }
        let mut by: Vec<u8> = (0..self.threads as u8).collect();
        let signatures: Vec<u64> = (0..self.threads).map(|place| self.signature(at, place)).collect();
        for (from, to) in groups {
            by[*from..*to].sort_by_key(|place| signatures[*place as usize]);
        }
        let base = self.exchanged(at, &by);
        // What signatures do not tell apart; exchanges that change nothing need not be tried.
        let mut ties = Vec::new();
        for (from, to) in groups {
            let mut at = *from;
            while at < *to {
                let same = |q: usize| signatures[by[q] as usize] == signatures[by[at] as usize];
                let end = (at..*to).take_while(|q| same(*q)).count() + at;
                let swapped = |q: usize| {
                    let mut swap: Vec<u8> = (0..self.threads as u8).collect();
                    swap.swap(q, q + 1);
                    swap
                };
                let swaps: Vec<Vec<u8>> = (at..end - 1).map(swapped).collect();
                if swaps.into_iter().any(|swap| self.exchanged(base, &swap) != base) {
                    ties.push((at, end));
                }
                at = end;
            }
        }
        let mut first: Perm = Perm::default();
        first.iter_mut().enumerate().for_each(|(q, t)| *t = q as u8);
        let mut best = base;
        if !ties.is_empty() {
            for by in permutations(&first, &ties) {
                let next = self.exchanged(base, &by[..self.threads]);
                if self.sets.get(next) < self.sets.get(best) {
                    best = next;
                }
            }
        }
        best
    }

    /// A code after an exchange of threads.
    fn moved(&mut self, code: Code, naming: &Naming, to: &[u8]) -> Code {
        let value_of = |sets: &mut Self, value: SpecValue| {
            let mut value = sets.object.value_of(value).clone();
            naming.value(&mut value, to);
            sets.object.value(&value)
        };
        match code.status() {
            ThreadStatus::Idle => Code::IDLE,
            ThreadStatus::Linearized(value) => Code::linearized(value_of(self, value)),
            ThreadStatus::Pending(pending) => {
                let pending = self.pending.get(pending).clone();
                let (op, mut args) = self.object.arguments(pending.call);
                args.iter_mut().for_each(|arg| naming.value(arg, to));
                let call = self.object.call(op, &args);
                let mut observed: Vec<SpecValue> =
                    pending.observed.iter().map(|value| value_of(self, *value)).collect();
                observed.sort_unstable();
                self.number(Pending { call, observed })
            }
        }
    }

    fn moved_state(&mut self, state: SpecState, naming: &Naming, to: &[u8]) -> SpecState {
        if let Some(known) = self.renamed_states.get(&(state, to.to_vec())) {
            return *known;
        }
        let mut cells = self.object.cells(state).clone();
        naming.variables(self.spec, &mut cells, to);
        let after = self.object.state(cells);
        self.renamed_states.insert((state, to.to_vec()), after);
        after
    }

    /// The least image under exchanges of values that no part of the state holds. Those that the set does not hold
    /// either come last; few are left, and all orders of these are tried.
    fn least_values(&mut self, at: SetId, groups: &[(usize, usize)]) -> SetId {
        let symbols = self.naming.as_ref().map_or(Vec::new(), |naming| naming.symbols.clone());
        let held = self.held(at, &symbols);
        let mut first: Perm = std::array::from_fn(|q| q as u8);
        let mut ties = Vec::new();
        for (from, to) in groups {
            let held = |place: &u8| held >> (*place as usize - self.threads) & 1 == 1;
            first[*from..*to].sort_by_key(|place| !held(place));
            ties.push((*from, from + first[*from..*to].iter().filter(|place| held(place)).count()));
        }
        let tries = ties.iter().flat_map(|(from, to)| 1..=to - from);
        if tries.fold(1usize, usize::saturating_mul) > TRIES {
            return at;
        }
        let mut best: Option<SetId> = None;
        for by in permutations(&first, &ties) {
            let next = self.exchanged(at, &by[..self.threads + symbols.len()]);
            if best.is_none_or(|best| self.sets.get(next) < self.sets.get(best)) {
                best = Some(next);
            }
        }
        best.expect("there is at least one order")
    }

    /// Which of these values a set holds, as bits.
    fn held(&self, at: SetId, symbols: &[u32]) -> u16 {
        let mut held = 0;
        let mut meet = |value: &Value| occurring::gather(value, symbols, &mut held);
        for row in self.sets.get(at) {
            self.object.cells(row.state()).iter().for_each(&mut meet);
            for code in row.codes() {
                match code.status() {
                    ThreadStatus::Idle => {}
                    ThreadStatus::Linearized(value) => meet(self.object.value_of(value)),
                    ThreadStatus::Pending(pending) => {
                        let pending = self.pending.get(pending);
                        self.object.arguments(pending.call).1.iter().for_each(&mut meet);
                        pending.observed.iter().for_each(|value| meet(self.object.value_of(*value)));
                    }
                }
            }
        }
        held
    }

    /// Something about a place in a set that exchanges of the other places do not change.
    fn signature(&self, set: SetId, place: usize) -> u64 {
        let row = |row: &Generator| {
            let mut others: Vec<Code> = row.codes().collect();
            let mine = others.swap_remove(place);
            others.sort_unstable();
            self.hasher.hash_one((row.state(), mine, others))
        };
        let mut rows: Vec<u64> = self.sets.get(set).iter().map(row).collect();
        rows.sort_unstable();
        self.hasher.hash_one(rows)
    }
}
