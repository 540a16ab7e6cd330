//! What is known of moves, looked up: a transition costs a few look-ups, and what is missed is named.

use super::*;
use std::ops::Range;

/// The number of a run of steps: where they are, how they are followed, whether the thread can move.
pub(super) fn run_number(steps: Range<usize>, special: bool, enabled: Enabled) -> u64 {
    assert!(steps.len() < 1 << 19 && steps.start < 1 << 40, "a thread has fewer than half a million moves");
    let special = if special { SPECIAL } else { 0 };
    (steps.start as u64) << 23 | (steps.len() as u64) << 4 | special | enabled as u64
}

#[inline]
fn places(run: u64) -> Range<usize> {
    let (first, count) = ((run >> 23) as usize, (run >> 4 & 0x7_ffff) as usize);
    first..first + count
}

#[inline]
fn enabled(run: u64) -> Enabled {
    match run & 7 {
        v if v == Enabled::Yes as u64 => Enabled::Yes,
        v if v == Enabled::Maybe as u64 => Enabled::Maybe,
        v if v == Enabled::Blocked as u64 => Enabled::Blocked,
        v if v == Enabled::Discarded as u64 => Enabled::Discarded,
        _ => Enabled::Done,
    }
}

impl Memo {
    pub fn intern_local<M: Model>(&mut self, model: &M, local: &[u8]) -> u32 {
        let (id, new) = self.locals.intern(local);
        if new {
            self.references.push(model.references(local));
        }
        id
    }

    pub fn note_rename<M: Model>(&mut self, model: &M, rename: Rename) {
        while self.changes.len() <= rename as usize {
            let next = self.changes.len() as Rename;
            self.changes.push(model.changes(next));
        }
    }

    /// Notes what the last steps change in words, those from `first` on, made at these parts; says whether one of them
    /// is more than that.
    pub(super) fn note_changes(&mut self, first: usize, from: (u32, u32)) -> bool {
        if !self.keeps_order() || self.order != Order::Full {
            return true;
        }
        debug_assert_eq!(self.changes_of_steps.len(), first, "each step has its change");
        let mut special = false;
        for at in first..self.steps.len() {
            let outcome = self.unseen(&self.steps[at]);
            special |= outcome.is_none();
            let change = outcome.map(|to| Change::between(from, (to.global_or(from.0), to.local)));
            self.changes_of_steps.push(change.unwrap_or_default());
        }
        special
    }

    /// The outcome of a step that nobody sees, where it changes nothing but two parts.
    #[inline]
    pub fn unseen(&self, step: &InternedMove) -> Option<Successor> {
        match step.to {
            Reach::Parts(to) if to.rename == 0 && (self.blind || step.letter == Letter::SILENT) => Some(to),
            _ => None,
        }
    }

    pub(super) fn settle(&mut self, raw: u32, holders: &[u64], outcome: Settled) {
        if holders.iter().all(|held| *held == 0) {
            self.alone[raw as usize] = Some(outcome);
        } else {
            let key: Box<[u64]> = std::iter::once(raw as u64).chain(holders.iter().copied()).collect();
            self.settled.insert(key, outcome);
        }
    }

    pub(super) fn after_key(&self, beside: u32, thread: usize, letter: Letter) -> u64 {
        (beside as u64) << 32 | (letter.0 as u64 * self.threads as u64 + thread as u64)
    }

    /// The monitor's state after a letter, or what it says instead.
    #[inline]
    pub fn after(&self, beside: u32, thread: usize, letter: Letter) -> Result<After, Box<Miss>> {
        if letter == Letter::SILENT || self.blind {
            return Ok(After::At(beside));
        }
        match self.after.get(self.after_key(beside, thread, letter)) {
            Some(value) if value & VIOLATION != 0 => Ok(After::Violation(value as u32)),
            Some(value) => Ok(After::At(value as u32)),
            None => Err(Box::new(Miss::After { beside, thread, letter })),
        }
    }

    /// The number of a run of steps; `UNKNOWN` where it is not known.
    #[inline]
    pub fn run(&self, global: u32, local: u32, thread: usize) -> u64 {
        let key = (global as u64) << 32 | local as u64;
        self.moves[self.classes[thread]].get(key).unwrap_or(UNKNOWN)
    }

    /// The same of a thread of a state.
    pub fn run_of(&self, from: &Node, thread: usize) -> u64 {
        self.run(from.global, from.locals[thread], thread)
    }

    /// Whether a thread can move and its steps, where they are known.
    pub(super) fn known_moves(&self, from: &Node, thread: usize) -> Option<(Enabled, &[InternedMove])> {
        self.steps_of(self.run_of(from, thread))
    }

    /// Whether a thread can move and its steps, by the number of the run.
    #[inline]
    pub fn steps_of(&self, value: u64) -> Option<(Enabled, &[InternedMove])> {
        if value == UNKNOWN {
            return None;
        }
        Some((enabled(value), &self.steps[places(value)]))
    }

    /// Whether a thread can move and what its steps change, where each is nothing but a change of a word.
    #[inline]
    pub fn changes_of(&self, value: u64) -> Option<(Enabled, &[Change])> {
        (value & SPECIAL == 0).then(|| (enabled(value), &self.changes_of_steps[places(value)]))
    }

    /// What the steps of a run touch.
    #[inline]
    pub fn accesses_of(&self, run: u64) -> Accesses {
        match (run >> 23) as usize {
            0 => Accesses::NONE,
            first => self.accesses[self.steps[first - 1].letter.0 as usize],
        }
    }

    /// Whether the parts of a state stay at their places whatever they are.
    #[inline]
    pub fn keeps_order(&self) -> bool {
        self.symmetry == Symmetry::Off
    }

    /// Whether something that was missed is known by now.
    pub(super) fn knows(&self, miss: &Miss) -> bool {
        match miss {
            Miss::Moves { node, thread } => self.known_moves(node, *thread).is_some(),
            Miss::Settled { raw, holders, .. } => match holders.iter().all(|held| *held == 0) {
                true => self.alone[*raw as usize].is_some(),
                false => {
                    let key: Vec<u64> =
                        std::iter::once(*raw as u64).chain(holders[..self.threads].iter().copied()).collect();
                    self.settled.contains_key(&key[..])
                }
            },
            Miss::Whole { node, thread } => {
                self.whole.contains_key(&(Node { beside: 0, ..*node }, *thread as u8))
            }
            Miss::Renamed { local, rename } => {
                self.renamed.get((*rename as u64) << 32 | *local as u64).is_some()
            }
            Miss::After { beside, thread, letter } => self.after(*beside, *thread, *letter).is_ok(),
            Miss::Symmetry(miss) => self.knows_exchange(miss),
        }
    }

    pub(super) fn look(&self, from: &Node, threads: u32, out: &mut Vec<Edge>) -> Result<Standing, Box<Miss>> {
        let mut standing = Standing::default();
        let mut runs = [NO_MOVE; MAX_THREADS];
        for thread in (0..self.threads).filter(|t| threads >> t & 1 == 1) {
            let Some((enabled, _)) = self.known_moves(from, thread) else {
                return Err(Box::new(Miss::Moves { node: *from, thread }));
            };
            standing.note(enabled, thread);
            runs[thread] = self.run_of(from, thread);
        }
        let mut paths = Paths::default();
        self.paths(from, &runs[..self.threads], &mut paths)?;
        for (thread, last) in paths.ends.iter().enumerate() {
            let Some(last) = last else { continue };
            self.look_at(&last.node(from, thread), thread, last.run, out)?;
        }
        Ok(standing)
    }

    /// The transitions of one run.
    pub fn look_at(
        &self,
        from: &Node,
        thread: usize,
        run: u64,
        out: &mut Vec<Edge>,
    ) -> Result<(), Box<Miss>> {
        let (_, steps) = self.steps_of(run).expect("it is known");
        for (at, step) in steps.iter().enumerate() {
            let to = self.step(from, thread, step, at, [NO_KEY; MAX_THREADS])?;
            out.push(Edge { thread: thread as u8, letter: step.letter, to });
        }
        Ok(())
    }

    /// The keys of the threads of a state, given the runs of their steps; none where threads are not permuted or a run
    /// is not known.
    #[inline]
    pub fn keys(&self, runs: &[u64]) -> ThreadKeys {
        let mut keys = [NO_KEY; MAX_THREADS];
        if self.symmetry == Symmetry::Permuting {
            for (key, run) in keys.iter_mut().zip(runs) {
                let first = (run >> 23) as usize;
                if *run != UNKNOWN && first > 0 {
                    *key = self.steps[first - 1].key;
                }
            }
        }
        keys
    }

    /// Where a step leads, the one at this place among those of its thread. `keys` are those of the threads before it,
    /// as far as they are known.
    #[inline]
    pub fn step(
        &self,
        from: &Node,
        thread: usize,
        step: &InternedMove,
        at: usize,
        keys: ThreadKeys,
    ) -> Result<Reached, Box<Miss>> {
        if let Reach::End(code) = step.to {
            return Ok(Reached::End(End::Model(code)));
        }
        let beside = match self.after(from.beside, thread, step.letter)? {
            After::At(beside) => beside,
            After::Violation(code) => return Ok(Reached::End(End::Monitor(code))),
        };
        let outcome = match step.to {
            Reach::Parts(outcome) => Settled::Parts(outcome),
            Reach::Held { raw, things } => self.held(from, thread, raw, things)?,
            Reach::Whole => Settled::Whole,
            Reach::End(_) => unreachable!("answered above"),
        };
        let Settled::Parts(outcome) = outcome else {
            let key = (Node { beside: 0, ..*from }, thread as u8);
            let Some(steps) = self.whole.get(&key) else {
                return Err(Box::new(Miss::Whole { node: *from, thread }));
            };
            return match steps[at].1 {
                Ok(node) => Ok(Reached::At(self.canonical(Node { beside, ..node })?)),
                Err(code) => Ok(Reached::End(End::Model(code))),
            };
        };
        let mut to = Node { beside, ..*from };
        to.global = outcome.global_or(from.global);
        if outcome.rename != 0 {
            let (changed, beyond) = self.changes[outcome.rename as usize];
            for place in (0..self.threads).filter(|q| *q != thread) {
                let local = from.locals[place];
                let touched = match self.references[local as usize] {
                    Some(held) => held & changed != 0,
                    None => changed != 0 || beyond,
                };
                if touched {
                    let key = (outcome.rename as u64) << 32 | local as u64;
                    let renamed = self.renamed.get(key);
                    to.locals[place] = renamed
                        .ok_or_else(|| Box::new(Miss::Renamed { local, rename: outcome.rename }))?
                        as u32;
                }
            }
        }
        to.locals[thread] = outcome.local;
        if self.symmetry == Symmetry::Off {
            return Ok(Reached::At(to));
        }
        // The keys of the others stay where nothing but the thread's own part changes.
        let same = to.global == from.global && outcome.rename == 0;
        let mut keys = if same { keys } else { [NO_KEY; MAX_THREADS] };
        keys[thread] = step.key;
        Ok(Reached::At(self.canonical_by(to, keys)?))
    }

    /// The outcome of a held move.
    fn held(&self, from: &Node, thread: usize, raw: u32, things: u64) -> Result<Settled, Box<Miss>> {
        let mut key = [0; MAX_THREADS + 1];
        let mut any = 0;
        for place in (0..self.threads).filter(|q| *q != thread) {
            let Some(held) = self.references[from.locals[place] as usize] else { return Ok(Settled::Whole) };
            key[place + 1] = held & things;
            any |= held & things;
        }
        let known = if any == 0 {
            self.alone[raw as usize]
        } else {
            key[0] = raw as u64;
            self.settled.get(&key[..self.threads + 1]).copied()
        };
        known.ok_or_else(|| {
            let mut holders = [0; MAX_THREADS];
            holders.copy_from_slice(&key[1..]);
            Box::new(Miss::Settled { raw, thread, holders })
        })
    }

    pub(super) fn bytes(&self) -> u64 {
        let maps: u64 = self.moves.iter().map(Map::bytes).sum::<u64>()
            + self.renamed.bytes()
            + self.after.bytes()
            + self.below.bytes();
        let steps = self.steps.capacity() * std::mem::size_of::<InternedMove>()
            + self.changes_of_steps.capacity() * std::mem::size_of::<Change>()
            + self.accesses.capacity() * std::mem::size_of::<Accesses>();
        let settled = self.settled.capacity() * (8 * (self.threads + 1) + 48);
        let whole: usize =
            self.whole.len() * (128 + 4 * std::mem::size_of::<WholeStep>()) + 16 * self.references.capacity();
        self.globals.bytes()
            + self.locals.bytes()
            + maps
            + (steps + settled + whole) as u64
            + self.exchanges.bytes()
            + self.symbols.bytes()
    }
}
