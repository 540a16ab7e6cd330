//! The specification beside the implementation, as sets of generators.
//!
//! A configuration is a state of the specification and, per thread, idle, pending with its call, or linearized with
//! a result (see `spec`). Here a set holds generators only: what pending operations can lead to is computed when a
//! return asks for it. And a pending operation carries the *set of results that it may have observed* without
//! changing the state, instead of one configuration per result: observers do not influence one another, so one such
//! configuration stands for the product of their choices. Invariant: the configurations that a set stands for are
//! those of the closed set of `spec`, as far as returns can tell. A return that no configuration allows leaves
//! nothing: a violation.
//!
//! With [`Effects::Guessed`], operations take effect only at moments of their own: the last step, own writes, or any
//! own step. *Claim*: a set kept so is a subset of the full one; as long as it is not empty, each of its
//! configurations is a linearization of the history so far that can be continued. So every history is linearizable
//! if no set ever becomes empty; an empty set says nothing. Oracle: the closed sets of `spec`, on all verdicts.

use super::letters::{Letters, Seen};
use super::naming::{Naming, places};
use super::occurring;
use crate::monitor::Halt;
use crate::spec::SequentialSpec;
use crate::store::Interner;
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use std::hash::BuildHasher;
use trueline_base::{Meter, PointFault, Stop, Value, Violation};
use trueline_lang::ir::{Machine, Module, OpId};
use trueline_space::{After, Monitor, Perm, permutations};

/// When operations without marks take effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Effects {
    /// At any moment between call and return.
    Anywhere,
    /// Per operation: at its last step; also at own writes; also at any own step.
    Guessed(Vec<Moment>),
}

/// A guessed moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Moment {
    Last,
    Writes,
    Steps,
}

/// Rows computed that are always few, and rows per set that are few.
const LITTLE: u64 = 1 << 17;
const ROWS: u64 = 512;

/// More orders of values than this are not tried: the set then stands for fewer others.
const TRIES: usize = 720;

/// What is wrong where a set has no answer.
const NOT_LINEARIZABLE: u32 = 0;

/// The violation with this number.
pub(super) fn violation(code: u32) -> Violation {
    match code {
        NOT_LINEARIZABLE => Violation::NotLinearizable,
        1 => Violation::Point(PointFault::PassedTwice),
        2 => Violation::Point(PointFault::ReturnedWithout),
        3 => Violation::Point(PointFault::ResultDiffers),
        _ => Violation::Point(PointFault::Disabled),
    }
}

const IDLE: u32 = 0;

/// The state, then one code per thread: 0 when idle, odd when pending, even when linearized.
type Row = Vec<u32>;

/// What an event leaves of a set.
enum Left {
    Rows(Vec<Row>),
    /// Nothing: the number of what is wrong.
    Violation(u32),
}

/// A call, with the results that it may have observed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Pending {
    call: u32,
    observed: Vec<u32>,
}

/// Sets of generators, numbered.
pub(super) struct GeneratorSets<'m> {
    object: SequentialSpec<'m>,
    spec: &'m Module,
    letters: Letters,
    /// Per operation of the machine: it takes effect at its marks.
    marked: Vec<bool>,
    effects: Effects,
    pending: Interner<Pending>,
    sets: Interner<Vec<Row>>,
    threads: usize,
    naming: Option<Naming>,
    meter: Meter,
    /// The operation whose return emptied a set last.
    pub emptied: Option<u16>,
    work: u64,
    /// Whether to give up, as if there were too many states, where sets are large.
    pub frugal: bool,
    hasher: FixedState,
    renamed_states: HashMap<(u32, Vec<u8>), u32, FixedState>,
}

impl<'m> GeneratorSets<'m> {
    /// For the operations of a machine.
    pub fn new(
        spec: &'m Module,
        machine: &Machine,
        letters: Letters,
        points: bool,
        effects: Effects,
        naming: Option<Naming>,
        meter: Meter,
    ) -> GeneratorSets<'m> {
        GeneratorSets {
            object: SequentialSpec::new(spec, machine),
            spec,
            letters,
            marked: machine.object.ops.iter().map(|op| points && op.marked()).collect(),
            effects,
            pending: Interner::default(),
            sets: Interner::default(),
            threads: machine.threads.len(),
            naming,
            meter,
            emptied: None,
            work: 0,
            frugal: false,
            hasher: FixedState::default(),
            renamed_states: HashMap::default(),
        }
    }

    /// Looks at the limits every now and then; so many rows are in hand.
    fn tick(&mut self, rows: usize) -> Result<(), Halt> {
        self.work += 1;
        if self.work.is_multiple_of(64) {
            let each = 2 * (std::mem::size_of::<Row>() + 4 * (self.threads + 1));
            self.meter.check(self.bytes() + (rows * each) as u64, 0)?;
            if self.frugal && self.work > LITTLE + ROWS * self.sets.len() as u64 {
                return Err(Halt::Stop(Stop::States));
            }
        }
        Ok(())
    }

    fn number(&mut self, pending: Pending) -> u32 {
        let owns = 4 * pending.observed.len();
        let (id, new) = self.pending.intern(&pending, || pending.clone());
        if new {
            self.pending.owns(owns);
        }
        2 * id + 1
    }

    fn call_of(&self, code: u32) -> u32 {
        self.pending.get(code / 2).call
    }

    fn op_of(&self, code: u32) -> OpId {
        self.object.op_of(self.call_of(code))
    }

    fn intern(&mut self, mut rows: Vec<Row>) -> u32 {
        rows.sort_unstable();
        rows.dedup();
        let owns = rows.len() * (24 + 4 * (self.threads + 1));
        let (id, new) = self.sets.intern(&rows, || rows.clone());
        if new {
            self.sets.owns(owns);
        }
        id
    }

    fn anywhere(&self) -> bool {
        self.effects == Effects::Anywhere
    }

    /// Whether a pending operation takes effect by itself.
    fn free(&self, code: u32) -> bool {
        code % 2 == 1 && !self.marked[self.op_of(code).0 as usize]
    }

    /// Adds what a thread's pending operation can observe now.
    fn look(&mut self, row: &mut Row, thread: usize) -> Result<(), Halt> {
        let code = row[thread + 1];
        if !self.free(code) {
            return Ok(());
        }
        let effects = self.object.effects(row[0], thread as u8, self.call_of(code), &self.meter)?;
        let mut pending = self.pending.get(code / 2).clone();
        let before = pending.observed.len();
        for (state, value) in effects.iter() {
            if *state == row[0]
                && let Err(at) = pending.observed.binary_search(value)
            {
                pending.observed.insert(at, *value);
            }
        }
        if pending.observed.len() > before {
            row[thread + 1] = self.number(pending);
        }
        Ok(())
    }

    /// What a row becomes when a pending operation changes the state, for every free one.
    fn changes(&mut self, row: &Row, out: &mut Vec<Row>) -> Result<(), Halt> {
        for thread in 0..self.threads {
            let code = row[thread + 1];
            if !self.free(code) {
                continue;
            }
            let effects = self.object.effects(row[0], thread as u8, self.call_of(code), &self.meter)?;
            for (state, value) in effects.iter() {
                if *state != row[0] {
                    let mut next = row.clone();
                    next[0] = *state;
                    next[thread + 1] = 2 * value + 2;
                    for other in 0..self.threads {
                        self.look(&mut next, other)?;
                    }
                    out.push(next);
                }
            }
        }
        Ok(())
    }

    /// Everything that changes lead to, the rows themselves first.
    fn closed(&mut self, rows: Vec<Row>) -> Result<Vec<Row>, Halt> {
        let mut seen: HashSet<Row, FixedState> = rows.iter().cloned().collect();
        let mut all = rows;
        let mut next = 0;
        let mut found = Vec::new();
        while next < all.len() {
            self.tick(all.len())?;
            let row = all[next].clone();
            self.changes(&row, &mut found)?;
            for row in found.drain(..) {
                if seen.insert(row.clone()) {
                    all.push(row);
                }
            }
            next += 1;
        }
        Ok(all)
    }

    /// Every way in which a pending operation takes effect now, whatever it changes.
    fn linearized(&mut self, row: &Row, thread: usize) -> Result<Vec<Row>, Halt> {
        let effects =
            self.object.effects(row[0], thread as u8, self.call_of(row[thread + 1]), &self.meter)?;
        let mut all = Vec::new();
        for (state, value) in effects.iter() {
            let mut next = row.clone();
            next[0] = *state;
            next[thread + 1] = 2 * value + 2;
            if *state != row[0] && self.anywhere() {
                for other in 0..self.threads {
                    self.look(&mut next, other)?;
                }
            }
            all.push(next);
        }
        Ok(all)
    }

    /// Whether all that the first row stands for, the second does as well: what has observed a result is one of the
    /// choices of what may have.
    fn within(&self, a: &Row, b: &Row) -> bool {
        let within = |(a, b): (&u32, &u32)| match (*a, *b) {
            (a, b) if a == b => true,
            (IDLE, _) | (_, IDLE) => false,
            (a, b) if b % 2 == 1 => {
                let larger = self.pending.get(b / 2);
                if a % 2 == 0 {
                    return larger.observed.binary_search(&(a / 2 - 1)).is_ok();
                }
                let smaller = self.pending.get(a / 2);
                let observed = |v: &u32| larger.observed.binary_search(v).is_ok();
                smaller.call == larger.call && smaller.observed.iter().all(observed)
            }
            _ => false,
        };
        a[0] == b[0] && a[1..].iter().zip(&b[1..]).all(within)
    }

    /// Drops what another row stands for, at once or after changes.
    fn minimal(&mut self, mut rows: Vec<Row>) -> Result<Vec<Row>, Halt> {
        rows.sort_unstable();
        rows.dedup();
        if rows.len() == 1 {
            return Ok(rows);
        }
        // A row that changes lead to has more operations settled than the one they begin with.
        let settled = |row: &Row| row[1..].iter().filter(|c| **c != IDLE && **c % 2 == 0).count();
        rows.sort_by_key(settled);
        let mut kept: Vec<Row> = Vec::new();
        let mut covered: HashMap<u32, Vec<Row>, FixedState> = HashMap::default();
        let mut in_hand = 0;
        for row in rows {
            self.tick(in_hand)?;
            let over = |rows: &Vec<Row>| rows.iter().any(|other| self.within(&row, other));
            if covered.get(&row[0]).is_some_and(over) {
                continue;
            }
            for other in self.closed(vec![row.clone()])? {
                in_hand += 1;
                covered.entry(other[0]).or_default().push(other);
            }
            kept.push(row);
        }
        // A row of as many settled operations may cover an earlier one.
        let mut least: Vec<Row> = Vec::new();
        for (at, row) in kept.iter().enumerate() {
            self.tick(kept.len())?;
            if !kept[at + 1..].iter().any(|other| self.within(row, other)) {
                least.push(row.clone());
            }
        }
        Ok(least)
    }

    fn event(&mut self, rows: Vec<Row>, thread: usize, seen: &Seen) -> Result<Left, Halt> {
        let mut next = Vec::new();
        // Before its mark an operation is pending in every row, afterwards in none.
        let code = rows[0][thread + 1];
        let waits = code % 2 == 1 && self.marked[self.op_of(code).0 as usize];
        match seen {
            Seen::Call { op, args } => {
                let call = self.object.call(OpId(*op), args);
                let code = self.number(Pending { call, observed: Vec::new() });
                for mut row in rows {
                    row[thread + 1] = code;
                    if self.anywhere() {
                        self.look(&mut row, thread)?;
                    }
                    next.push(row);
                }
            }
            Seen::Step { op, points, .. } if self.marked[*op as usize] => match points {
                0 => return Ok(Left::Rows(rows)),
                1 if waits => {
                    for row in self.closed(rows)? {
                        next.append(&mut self.linearized(&row, thread)?);
                    }
                    if next.is_empty() {
                        return Ok(Left::Violation(4));
                    }
                    next = self.minimal(next)?;
                }
                _ => return Ok(Left::Violation(1)),
            },
            Seen::Step { op, wrote, .. } => {
                let now = match &self.effects {
                    Effects::Anywhere => false,
                    Effects::Guessed(moments) => match moments[*op as usize] {
                        Moment::Last => false,
                        Moment::Writes => *wrote,
                        Moment::Steps => true,
                    },
                };
                for row in rows {
                    if now && row[thread + 1] % 2 == 1 {
                        next.append(&mut self.linearized(&row, thread)?);
                    }
                    next.push(row);
                }
            }
            Seen::Return { op, value } => {
                let value = self.object.value(value);
                if self.marked[*op as usize] {
                    if waits {
                        return Ok(Left::Violation(2));
                    }
                    next = rows.into_iter().filter(|row| row[thread + 1] == 2 * value + 2).collect();
                    next.iter_mut().for_each(|row| row[thread + 1] = IDLE);
                    return Ok(if next.is_empty() { Left::Violation(3) } else { Left::Rows(next) });
                }
                let all = if self.anywhere() { self.closed(rows)? } else { rows };
                for row in all {
                    let code = row[thread + 1];
                    let mut found = Vec::new();
                    if code == 2 * value + 2 {
                        found.push(row);
                    } else if code % 2 == 1 && self.anywhere() {
                        if self.pending.get(code / 2).observed.binary_search(&value).is_ok() {
                            found.push(row);
                        }
                    } else if code % 2 == 1 {
                        found = self.linearized(&row, thread)?;
                        found.retain(|row| row[thread + 1] == 2 * value + 2);
                    }
                    found.iter_mut().for_each(|row| row[thread + 1] = IDLE);
                    next.append(&mut found);
                }
                if next.is_empty() {
                    self.emptied = Some(*op);
                    return Ok(Left::Violation(NOT_LINEARIZABLE));
                }
                if self.anywhere() {
                    next = self.minimal(next)?;
                }
            }
        }
        next.sort_unstable();
        next.dedup();
        Ok(Left::Rows(next))
    }

    /// A code after an exchange of threads.
    fn moved(&mut self, code: u32, naming: &Naming, to: &[u8]) -> u32 {
        let value_of = |sets: &mut Self, value: u32| {
            let mut value = sets.object.value_of(value).clone();
            naming.value(&mut value, to);
            sets.object.value(&value)
        };
        match code {
            IDLE => IDLE,
            code if code % 2 == 0 => 2 * value_of(self, code / 2 - 1) + 2,
            code => {
                let pending = self.pending.get(code / 2).clone();
                let (op, mut args) = self.object.arguments(pending.call);
                args.iter_mut().for_each(|arg| naming.value(arg, to));
                let call = self.object.call(op, &args);
                let mut observed: Vec<u32> = pending.observed.iter().map(|v| value_of(self, *v)).collect();
                observed.sort_unstable();
                self.number(Pending { call, observed })
            }
        }
    }

    fn moved_state(&mut self, state: u32, naming: &Naming, to: &[u8]) -> u32 {
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
    fn least_values(&mut self, at: u32, groups: &[(usize, usize)]) -> u32 {
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
        let mut best: Option<u32> = None;
        for by in permutations(&first, &ties) {
            let next = self.permute(at, &by[..self.threads + symbols.len()]);
            if best.is_none_or(|best| self.sets.get(next) < self.sets.get(best)) {
                best = Some(next);
            }
        }
        best.expect("there is at least one order")
    }

    /// Which of these values a set holds, as bits.
    fn held(&self, at: u32, symbols: &[u32]) -> u16 {
        let mut held = 0;
        let mut meet = |value: &Value| occurring::gather(value, symbols, &mut held);
        for row in self.sets.get(at) {
            self.object.cells(row[0]).iter().for_each(&mut meet);
            for code in row[1..].iter().filter(|code| **code != IDLE) {
                if code % 2 == 0 {
                    meet(self.object.value_of(code / 2 - 1));
                    continue;
                }
                let pending = self.pending.get(code / 2);
                self.object.arguments(pending.call).1.iter().for_each(&mut meet);
                pending.observed.iter().for_each(|value| meet(self.object.value_of(*value)));
            }
        }
        held
    }

    /// Something about a place in a set that exchanges of the other places do not change.
    fn signature(&self, set: u32, place: usize) -> u64 {
        let row = |row: &Row| {
            let mut others = row[1..].to_vec();
            let mine = others.swap_remove(place);
            others.sort_unstable();
            self.hasher.hash_one((row[0], mine, others))
        };
        let mut rows: Vec<u64> = self.sets.get(set).iter().map(row).collect();
        rows.sort_unstable();
        self.hasher.hash_one(rows)
    }
}

impl Monitor for GeneratorSets<'_> {
    type Halt = Halt;

    fn initial(&mut self) -> Result<u32, Halt> {
        let states = self.object.initial(&self.meter)?;
        let mut rows = Vec::new();
        for state in states {
            let mut row = vec![IDLE; self.threads + 1];
            row[0] = state;
            rows.push(row);
        }
        Ok(self.intern(rows))
    }

    fn after(&mut self, at: u32, thread: usize, letter: u32) -> Result<After, Halt> {
        let mut rows = self.sets.get(at).clone();
        if rows.is_empty() {
            return Ok(After::Violation(NOT_LINEARIZABLE));
        }
        for seen in self.letters.get(letter) {
            match self.event(rows, thread, &seen)? {
                Left::Rows(next) => rows = next,
                Left::Violation(code) => return Ok(After::Violation(code)),
            }
        }
        Ok(After::At(self.intern(rows)))
    }

    fn permute(&mut self, at: u32, by: &[u8]) -> u32 {
        let rows = self.sets.get(at).clone();
        let naming = self.naming.clone().filter(Naming::renames);
        let to = places(by);
        let mut moved = Vec::with_capacity(rows.len());
        for row in rows {
            let mut next = vec![row[0]];
            next.extend(by[..self.threads].iter().map(|t| row[*t as usize + 1]));
            if let Some(naming) = &naming {
                next[0] = self.moved_state(row[0], naming, &to);
                for code in &mut next[1..] {
                    *code = self.moved(*code, naming, &to);
                }
            }
            moved.push(next);
        }
        self.intern(moved)
    }

    fn least(&mut self, at: u32, groups: &[(usize, usize)]) -> u32 {
        if groups.iter().any(|(from, _)| *from >= self.threads) {
            return self.least_values(at, groups);
        }
        let mut by: Vec<u8> = (0..self.threads as u8).collect();
        let signatures: Vec<u64> = (0..self.threads).map(|place| self.signature(at, place)).collect();
        for (from, to) in groups {
            by[*from..*to].sort_by_key(|place| signatures[*place as usize]);
        }
        let base = self.permute(at, &by);
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
                if swaps.into_iter().any(|swap| self.permute(base, &swap) != base) {
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
                let next = self.permute(base, &by[..self.threads]);
                if self.sets.get(next) < self.sets.get(best) {
                    best = next;
                }
            }
        }
        best
    }

    fn below(&mut self, smaller: u32, larger: u32) -> Result<bool, Halt> {
        let (a, b) = (self.sets.get(smaller), self.sets.get(larger));
        let mut open = a.iter().filter(|row| !b.iter().any(|other| self.within(row, other))).peekable();
        if open.peek().is_none() || !self.anywhere() {
            return Ok(open.peek().is_none());
        }
        let open: Vec<Row> = open.cloned().collect();
        // What changes lead to is in the larger set as well.
        let closed = self.closed(self.sets.get(larger).clone())?;
        Ok(open.iter().all(|row| closed.iter().any(|other| self.within(row, other))))
    }

    fn len(&self) -> usize {
        self.sets.len()
    }

    fn bytes(&self) -> u64 {
        self.object.bytes() + self.sets.bytes() + self.pending.bytes() + 64 * self.renamed_states.len() as u64
    }
}
