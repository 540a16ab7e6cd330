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
//! With [`EffectTime::Guessed`], operations take effect only at moments of their own: the last step, own writes, or any
//! own step. *Claim*: a set kept so is a subset of the full one; as long as it is not empty, each of its
//! configurations is a linearization of the history so far that can be continued. So every history is linearizable
//! if no set ever becomes empty; an empty set says nothing. Oracle: the closed sets of `spec`, on all verdicts.

mod exchange;
mod generator;

use self::generator::{Code, Generator, Pending, PendingId};
use super::letters::{Letters, Seen};
use super::naming::Naming;
use crate::monitor::{Halt, SetId};
use crate::spec::{SequentialSpec, SpecCall, SpecState, ThreadStatus, unexplained};
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use trueline_base::{Interner, Meter, PointFault, Stop, Violation};
use trueline_lang::ir::{Machine, Module, OpId};
use trueline_space::{After, Letter, Monitor};

/// When operations without marks take effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum EffectTime {
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

/// What can be wrong where a set has no answer, in the order of its numbers.
const VIOLATIONS: [Violation; 5] = [
    Violation::NotLinearizable,
    Violation::Point(PointFault::PassedTwice),
    Violation::Point(PointFault::ReturnedWithout),
    Violation::Point(PointFault::ResultDiffers),
    Violation::Point(PointFault::Disabled),
];

/// The violation with this number, if there is one.
pub(super) fn violation(code: u32) -> Option<Violation> {
    VIOLATIONS.get(code as usize).copied()
}

/// A violation as a number.
fn numbered(violation: Violation) -> After<SetId> {
    let code = VIOLATIONS.iter().position(|known| *known == violation);
    After::Violation(code.expect("sets have no other violation") as u32)
}

/// What an event leaves of a set.
enum Left {
    Rows(Vec<Generator>),
    /// Nothing.
    Violation(Violation),
}

/// Sets of generators, numbered.
pub(super) struct GeneratorSets<'m> {
    object: SequentialSpec<'m>,
    spec: &'m Module,
    letters: Letters,
    /// Per operation of the machine: it takes effect at its marks.
    marked: Vec<bool>,
    effects: EffectTime,
    pending: Interner<Pending, PendingId>,
    sets: Interner<Vec<Generator>, SetId>,
    threads: usize,
    naming: Option<Naming>,
    meter: Meter,
    /// The operation whose return emptied a set last.
    pub emptied: Option<OpId>,
    work: u64,
    /// Whether to give up, as if there were too many states, where sets are large.
    pub frugal: bool,
    hasher: FixedState,
    renamed_states: HashMap<(SpecState, Vec<u8>), SpecState, FixedState>,
}

impl<'m> GeneratorSets<'m> {
    /// For the operations of a machine.
    pub fn new(
        spec: &'m Module,
        machine: &Machine,
        letters: Letters,
        points: bool,
        effects: EffectTime,
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
            let each = 2 * (std::mem::size_of::<Generator>() + Generator::owns(self.threads));
            self.meter.check(self.bytes() + (rows * each) as u64, 0)?;
            if self.frugal && self.work > LITTLE + ROWS * self.sets.len() as u64 {
                return Err(Halt::Stop(Stop::States));
            }
        }
        Ok(())
    }

    fn number(&mut self, pending: Pending) -> Code {
        let owns = 4 * pending.observed.len();
        let (id, new) = self.pending.intern(&pending, || pending.clone());
        if new {
            self.pending.owns(owns);
        }
        Code::pending(id)
    }

    fn call_of(&self, pending: PendingId) -> SpecCall {
        self.pending.get(pending).call
    }

    /// Whether a pending operation takes effect at its marks.
    fn is_marked(&self, pending: PendingId) -> bool {
        self.marked[self.object.op_of(self.call_of(pending)).0 as usize]
    }

    fn intern(&mut self, mut rows: Vec<Generator>) -> SetId {
        rows.sort_unstable();
        rows.dedup();
        let owns = rows.len() * (24 + Generator::owns(self.threads));
        let (id, new) = self.sets.intern(&rows, || rows.clone());
        if new {
            self.sets.owns(owns);
        }
        id
    }

    fn anywhere(&self) -> bool {
        self.effects == EffectTime::Anywhere
    }

    /// An operation that is pending, and takes effect by itself.
    fn free(&self, code: Code) -> Option<PendingId> {
        code.is_pending().filter(|pending| !self.is_marked(*pending))
    }

    /// Adds what a thread's pending operation can observe now.
    fn look(&mut self, row: &mut Generator, thread: usize) -> Result<(), Halt> {
        let Some(pending) = self.free(row.code(thread)) else { return Ok(()) };
        let here = row.state();
        let effects = self.object.effects(here, thread as u8, self.call_of(pending), &self.meter)?;
        let mut pending = self.pending.get(pending).clone();
        let before = pending.observed.len();
        for (state, value) in effects.iter() {
            if *state == here
                && let Err(at) = pending.observed.binary_search(value)
            {
                pending.observed.insert(at, *value);
            }
        }
        if pending.observed.len() > before {
            row.set(thread, self.number(pending));
        }
        Ok(())
    }

    /// What a row becomes when a pending operation changes the state, for every free one.
    fn changes(&mut self, row: &Generator, out: &mut Vec<Generator>) -> Result<(), Halt> {
        for thread in 0..self.threads {
            let Some(pending) = self.free(row.code(thread)) else { continue };
            let here = row.state();
            let effects = self.object.effects(here, thread as u8, self.call_of(pending), &self.meter)?;
            for (state, value) in effects.iter() {
                if *state != here {
                    let mut next = row.linearized(*state, thread, *value);
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
    fn closed(&mut self, rows: Vec<Generator>) -> Result<Vec<Generator>, Halt> {
        let mut seen: HashSet<Generator, FixedState> = rows.iter().cloned().collect();
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
    fn linearized(
        &mut self,
        row: &Generator,
        thread: usize,
        pending: PendingId,
    ) -> Result<Vec<Generator>, Halt> {
        let effects = self.object.effects(row.state(), thread as u8, self.call_of(pending), &self.meter)?;
        let mut all = Vec::new();
        for (state, value) in effects.iter() {
            let mut next = row.linearized(*state, thread, *value);
            if *state != row.state() && self.anywhere() {
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
    fn within(&self, a: &Generator, b: &Generator) -> bool {
        let within = |(a, b): (Code, Code)| {
            if a == b {
                return true;
            }
            let ThreadStatus::Pending(larger) = b.status() else { return false };
            let larger = self.pending.get(larger);
            match a.status() {
                ThreadStatus::Idle => false,
                ThreadStatus::Linearized(value) => larger.observed.binary_search(&value).is_ok(),
                ThreadStatus::Pending(smaller) => {
                    let smaller = self.pending.get(smaller);
                    let observed = |value| larger.observed.binary_search(value).is_ok();
                    smaller.call == larger.call && smaller.observed.iter().all(observed)
                }
            }
        };
        a.state() == b.state() && a.codes().zip(b.codes()).all(within)
    }

    /// Drops what another row stands for, at once or after changes.
    fn minimal(&mut self, mut rows: Vec<Generator>) -> Result<Vec<Generator>, Halt> {
        rows.sort_unstable();
        rows.dedup();
        if rows.len() == 1 {
            return Ok(rows);
        }
        // A row that changes lead to has more operations settled than the one they begin with.
        let settled = |code: &Code| matches!(code.status(), ThreadStatus::Linearized(_));
        rows.sort_by_key(|row| row.codes().filter(settled).count());
        let mut kept: Vec<Generator> = Vec::new();
        let mut covered: HashMap<SpecState, Vec<Generator>, FixedState> = HashMap::default();
        let mut in_hand = 0;
        for row in rows {
            self.tick(in_hand)?;
            let over = |rows: &Vec<Generator>| rows.iter().any(|other| self.within(&row, other));
            if covered.get(&row.state()).is_some_and(over) {
                continue;
            }
            for other in self.closed(vec![row.clone()])? {
                in_hand += 1;
                covered.entry(other.state()).or_default().push(other);
            }
            kept.push(row);
        }
        // A row of as many settled operations may cover an earlier one.
        let mut least: Vec<Generator> = Vec::new();
        for (at, row) in kept.iter().enumerate() {
            self.tick(kept.len())?;
            if !kept[at + 1..].iter().any(|other| self.within(row, other)) {
                least.push(row.clone());
            }
        }
        Ok(least)
    }

    fn event(&mut self, rows: Vec<Generator>, thread: usize, seen: &Seen) -> Result<Left, Halt> {
        let mut next = Vec::new();
        // Before its mark an operation is pending in every row, afterwards in none.
        let waits = rows[0].code(thread).is_pending().filter(|pending| self.is_marked(*pending));
        match seen {
            Seen::Call { op, args } => {
                let call = self.object.call(*op, args);
                let code = self.number(Pending { call, observed: Vec::new() });
                for mut row in rows {
                    row.set(thread, code);
                    if self.anywhere() {
                        self.look(&mut row, thread)?;
                    }
                    next.push(row);
                }
            }
            Seen::Step { op, points, .. } if self.marked[op.0 as usize] => match (points, waits) {
                (0, _) => return Ok(Left::Rows(rows)),
                (1, Some(pending)) => {
                    for row in self.closed(rows)? {
                        next.append(&mut self.linearized(&row, thread, pending)?);
                    }
                    if next.is_empty() {
                        return Ok(Left::Violation(Violation::Point(PointFault::Disabled)));
                    }
                    next = self.minimal(next)?;
                }
                _ => return Ok(Left::Violation(Violation::Point(PointFault::PassedTwice))),
            },
            Seen::Step { op, wrote, .. } => {
                let now = match &self.effects {
                    EffectTime::Anywhere => false,
                    EffectTime::Guessed(moments) => match moments[op.0 as usize] {
                        Moment::Last => false,
                        Moment::Writes => *wrote,
                        Moment::Steps => true,
                    },
                };
                for row in rows {
                    if let Some(pending) = row.code(thread).is_pending().filter(|_| now) {
                        next.append(&mut self.linearized(&row, thread, pending)?);
                    }
                    next.push(row);
                }
            }
            Seen::Return { op, value } => {
                let value = self.object.value(value);
                let returns = |row: &Generator| row.code(thread) == Code::linearized(value);
                if self.marked[op.0 as usize] {
                    if waits.is_some() {
                        return Ok(Left::Violation(Violation::Point(PointFault::ReturnedWithout)));
                    }
                    next = rows.into_iter().filter(returns).collect();
                    next.iter_mut().for_each(|row| row.set(thread, Code::IDLE));
                    return Ok(match next.is_empty() {
                        true => Left::Violation(unexplained(&self.marked)),
                        false => Left::Rows(next),
                    });
                }
                let all = if self.anywhere() { self.closed(rows)? } else { rows };
                for row in all {
                    let mut found = match row.code(thread).is_pending() {
                        None if returns(&row) => vec![row],
                        None => continue,
                        Some(pending) if self.anywhere() => {
                            match self.pending.get(pending).observed.binary_search(&value) {
                                Ok(_) => vec![row],
                                Err(_) => continue,
                            }
                        }
                        Some(pending) => {
                            let mut found = self.linearized(&row, thread, pending)?;
                            found.retain(returns);
                            found
                        }
                    };
                    found.iter_mut().for_each(|row| row.set(thread, Code::IDLE));
                    next.append(&mut found);
                }
                if next.is_empty() {
                    self.emptied = Some(*op);
                    return Ok(Left::Violation(unexplained(&self.marked)));
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
}

impl Monitor for GeneratorSets<'_> {
    type Halt = Halt;
    type State = SetId;

    fn initial(&mut self) -> Result<SetId, Halt> {
        let states = self.object.initial(&self.meter)?;
        let idle = || std::iter::repeat_n(Code::IDLE, self.threads);
        let rows = states.into_iter().map(|state| Generator::new(state, idle())).collect();
        Ok(self.intern(rows))
    }

    fn after(&mut self, at: SetId, thread: usize, letter: Letter) -> Result<After<SetId>, Halt> {
        let mut rows = self.sets.get(at).clone();
        if rows.is_empty() {
            return Ok(numbered(Violation::NotLinearizable));
        }
        for seen in self.letters.get(letter) {
            match self.event(rows, thread, &seen)? {
                Left::Rows(next) => rows = next,
                Left::Violation(violation) => return Ok(numbered(violation)),
            }
        }
        Ok(After::At(self.intern(rows)))
    }

    fn permute(&mut self, at: SetId, by: &[u8]) -> SetId {
        self.exchanged(at, by)
    }

    fn least(&mut self, at: SetId, groups: &[(usize, usize)]) -> SetId {
        self.least_image(at, groups)
    }

    fn below(&mut self, smaller: SetId, larger: SetId) -> Result<bool, Halt> {
        let (a, b) = (self.sets.get(smaller), self.sets.get(larger));
        let mut open = a.iter().filter(|row| !b.iter().any(|other| self.within(row, other))).peekable();
        if open.peek().is_none() || !self.anywhere() {
            return Ok(open.peek().is_none());
        }
        let open: Vec<Generator> = open.cloned().collect();
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
