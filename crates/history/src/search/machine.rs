//! A specification as the searches see it: states and operations are numbers.
//!
//! The searches are compiled once, not once per specification; what is left per specification is one step.

use std::borrow::Cow;

use trueline_base::{Interner, Meter, Stop};

use crate::spec::{Answers, Next, Spec};

/// States by number, and the steps between them. Operations are numbered by whoever asks.
pub trait SpecMachine {
    /// The state in which a history starts.
    fn initial(&mut self) -> u32;

    /// Adds the states that an operation leads to. `bytes` and `states` are what the search has in use besides.
    fn step(&mut self, state: u32, op: u32, bytes: u64, states: u64, out: &mut Vec<u32>) -> Result<(), Stop>;

    /// Whether all that can follow one state can follow the other.
    fn worse(&self, state: u32, than: u32) -> bool;

    /// Whether a history may end in this state.
    fn accepts(&mut self, state: u32) -> Result<bool, Stop>;

    /// Bytes that the states take.
    fn bytes(&self) -> u64;
}

/// A specification with the operations of one search.
pub struct Typed<'a, S: Spec> {
    spec: &'a S,
    ops: Cow<'a, [S::Op]>,
    states: Interner<S::State>,
    next: Next<'a, S::State>,
    meter: &'a Meter,
    /// What states need not be told apart.
    seen: Option<Answers>,
    /// Outcomes that are known already, by state and operation.
    known: Vec<u32>,
}

/// Operations up to which outcomes are kept.
const MOST_OPS: usize = 4096;
/// Outcomes that are kept.
const MOST_KNOWN: usize = 1 << 20;
/// Not known yet, or more than one.
const ASK: u32 = u32::MAX;
/// No outcome.
const NO_OUTCOME: u32 = u32::MAX - 1;

impl<'a, S: Spec> Typed<'a, S> {
    pub fn new(spec: &'a S, ops: Cow<'a, [S::Op]>, meter: &'a Meter) -> Typed<'a, S> {
        let seen = spec.hints().seen(&mut ops.iter());
        Typed {
            spec,
            ops,
            states: Interner::default(),
            next: Next::metered(meter),
            meter,
            seen,
            known: Vec::new(),
        }
    }

    /// Whether there are states that the operations do not tell apart.
    pub fn forgets(&self) -> bool {
        self.seen.is_some()
    }

    /// Where the outcome of an operation is kept, if it is.
    fn place(&mut self, state: u32, op: usize) -> Option<usize> {
        let ops = self.ops.len();
        let place = state as usize * ops + op;
        // A history that is searched once asks little twice.
        if ops > MOST_OPS || place >= MOST_KNOWN {
            return None;
        }
        if place >= self.known.len() {
            self.known.resize((state as usize + 1) * ops, ASK);
        }
        Some(place)
    }

    /// A state by its number.
    pub fn state(&self, number: u32) -> &S::State {
        self.states.get(number)
    }
}

impl<S: Spec> SpecMachine for Typed<'_, S> {
    fn initial(&mut self) -> u32 {
        self.states.insert(self.spec.initial(), |s| self.spec.hints().heap_bytes(s)).0
    }

    fn step(&mut self, state: u32, op: u32, bytes: u64, states: u64, out: &mut Vec<u32>) -> Result<(), Stop> {
        let op = op as usize;
        let place = self.place(state, op);
        match place.map(|at| self.known[at]) {
            None | Some(ASK) => {}
            Some(NO_OUTCOME) => return Ok(()),
            Some(outcome) => {
                out.push(outcome);
                return Ok(());
            }
        }
        let before = out.len();
        self.next.set_base(bytes, states);
        self.spec.step(self.states.get(state), &self.ops[op], &mut self.next);
        if let Some(stop) = self.next.stopped() {
            return Err(stop);
        }
        for mut outcome in self.next.drain() {
            if let Some(seen) = &self.seen {
                self.spec.hints().forget(&mut outcome, seen);
            }
            // Most operations that answer something leave the state as it is.
            let same = outcome == *self.states.get(state);
            out.push(if same {
                state
            } else {
                self.states.insert(outcome, |s| self.spec.hints().heap_bytes(s)).0
            });
        }
        if let Some(at) = place {
            self.known[at] = match &out[before..] {
                [] => NO_OUTCOME,
                [only] => *only,
                _ => ASK,
            };
        }
        Ok(())
    }

    fn worse(&self, state: u32, than: u32) -> bool {
        state == than || self.spec.hints().worse(self.states.get(state), self.states.get(than))
    }

    fn accepts(&mut self, state: u32) -> Result<bool, Stop> {
        let mut limit = Next::metered(self.meter);
        let accepted = self.spec.hints().accepts(self.states.get(state), &mut limit);
        limit.stopped().map_or(Ok(accepted), Err)
    }

    fn bytes(&self) -> u64 {
        self.states.bytes() + self.known.capacity() as u64 * 4
    }
}

/// Some of the operations of a machine, numbered anew.
pub struct Chosen<'a> {
    pub machine: &'a mut dyn SpecMachine,
    pub ops: &'a [u32],
}

impl SpecMachine for Chosen<'_> {
    fn initial(&mut self) -> u32 {
        self.machine.initial()
    }

    fn step(&mut self, state: u32, op: u32, bytes: u64, states: u64, out: &mut Vec<u32>) -> Result<(), Stop> {
        self.machine.step(state, self.ops[op as usize], bytes, states, out)
    }

    fn worse(&self, state: u32, than: u32) -> bool {
        self.machine.worse(state, than)
    }

    fn accepts(&mut self, state: u32) -> Result<bool, Stop> {
        self.machine.accepts(state)
    }

    fn bytes(&self) -> u64 {
        self.machine.bytes()
    }
}
