//! Another machine beside the implementation: the states that it can be in after the visible trace so far.
//!
//! The subset construction on the fly, as for specifications (Roscoe 1994; Liu et al., IEEE TSE 2013, section 4.1).
//! Invariant: a set is closed under silent moves. Each state of the other machine is expanded once, each (set, label)
//! computed once. An execution of the other machine that ends in a finding has the trace up to there. Claim: exact.

use crate::canonical::liveness::Liveness;
use crate::canonical::{Encoder, decode, has_reference};
use crate::label::Label;
use crate::machine::Explorer;
use crate::machine::state::State;
use crate::monitor::{Halt, LabelMonitor, MonitorInput, Reaction, SILENT, SetId};
use hashbrown::HashMap;
use std::rc::Rc;
use trueline_base::Violation;
use trueline_base::{Interner, ids};
use trueline_base::{Meter, Value};
use trueline_lang::ir::Machine;
use trueline_space::Parts;

type Hash = foldhash::fast::FixedState;

/// A visible label, kept. Operations are known by name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Visible {
    thread: u8,
    call: bool,
    name: Rc<str>,
    values: Vec<Value>,
}

ids! {
    /// A state of the other machine.
    struct OtherState;
}

/// Letters and targets, ascending.
type Moves = Rc<[(MonitorInput, OtherState)]>;

/// Sets of states of another machine.
pub(crate) struct RefinementMonitor<'m> {
    explorer: Explorer<'m>,
    live: Rc<Liveness>,
    store: Parts,
    encoder: Encoder,
    scratch: State,
    /// The moves of each state, once it is expanded.
    moves: Vec<Option<Moves>>,
    moves_bytes: u64,
    labels: Interner<Visible>,
    sets: Interner<Box<[OtherState]>, SetId>,
    memo: HashMap<(SetId, MonitorInput), SetId, Hash>,
    /// Names of the operations of this machine and of the implementation.
    names: (Vec<Rc<str>>, Vec<Rc<str>>),
    expanded: u64,
}

impl<'m> RefinementMonitor<'m> {
    /// Nothing is expanded yet.
    pub fn new(other: &'m Machine, machine: &Machine) -> RefinementMonitor<'m> {
        let explorer = Explorer::new(other, false);
        let names = |m: &Machine| m.object.ops.iter().map(|op| op.name.as_str().into()).collect();
        RefinementMonitor {
            live: explorer.live.clone(),
            explorer,
            store: Parts::default(),
            encoder: Encoder::default(),
            scratch: State::default(),
            moves: Vec::new(),
            moves_bytes: 0,
            labels: Interner::default(),
            sets: Interner::default(),
            memo: HashMap::default(),
            names: (names(other), names(machine)),
            expanded: 0,
        }
    }

    fn moves(&mut self, id: OtherState, meter: &Meter) -> Result<Moves, Halt> {
        if let Some(known) = self.moves.get(id.0 as usize).and_then(Option::as_ref) {
            return Ok(known.clone());
        }
        self.expanded += 1;
        if self.expanded.is_multiple_of(64) {
            meter.check_beyond(self.moves_bytes + self.store.bytes())?;
        }
        let machine = self.explorer.machine;
        decode(self.store.get(id.0), machine, &self.live, &mut self.scratch);
        let mut found = Vec::new();
        for t in 0..machine.threads.len() {
            let (store, encoder, labels) = (&mut self.store, &mut self.encoder, &mut self.labels);
            let (live, names) = (&self.live, &self.names.0);
            self.explorer.moves(&self.scratch, t, &mut |edge| {
                let Ok(state) = edge.target else { return };
                encoder.encode(state, live, &machine.object);
                let (target, _) = store.intern(&encoder.bytes);
                found.push((visible(labels, names, edge.label), OtherState(target)));
            });
        }
        self.explorer.goes_on()?;
        found.sort_unstable();
        found.dedup();
        self.moves_bytes += 32 + 16 * found.len() as u64;
        let found: Moves = found.into();
        self.moves.resize(self.store.len().max(self.moves.len()), None);
        self.moves[id.0 as usize] = Some(found.clone());
        Ok(found)
    }

    /// The set of these states and all that silent moves lead to.
    fn close(&mut self, mut states: Vec<OtherState>, meter: &Meter) -> Result<SetId, Halt> {
        states.sort_unstable();
        states.dedup();
        let mut seen: hashbrown::HashSet<OtherState, Hash> = states.iter().copied().collect();
        let mut at = 0;
        while at < states.len() {
            for (letter, target) in self.moves(states[at], meter)?.iter() {
                if *letter == SILENT && seen.insert(*target) {
                    states.push(*target);
                }
            }
            at += 1;
        }
        states.sort_unstable();
        let (id, new) = self.sets.intern(states.as_slice(), || states.clone().into_boxed_slice());
        if new {
            self.sets.owns(4 * states.len());
        }
        Ok(id)
    }
}

/// Visible letters count from 1.
fn visible(labels: &mut Interner<Visible>, names: &[Rc<str>], label: Label<'_>) -> MonitorInput {
    let kept = match label {
        Label::Tau => return SILENT,
        Label::Call { thread, op, args } => {
            Visible { thread, call: true, name: names[op.0 as usize].clone(), values: args.to_vec() }
        }
        Label::Return { thread, op, value } => {
            Visible { thread, call: false, name: names[op.0 as usize].clone(), values: vec![value.clone()] }
        }
    };
    let (id, new) = labels.intern(&kept, || kept.clone());
    assert!(!new || !kept.values.iter().any(has_reference), "operations do not pass references");
    MonitorInput(id as u64 + 1)
}

impl LabelMonitor for RefinementMonitor<'_> {
    fn initial(&mut self, meter: &Meter) -> Result<SetId, Halt> {
        let mut states = Vec::new();
        self.explorer.limit(meter);
        let starts = self.explorer.starts();
        self.explorer.goes_on()?;
        for start in starts {
            let Ok(state) = start.state else { continue };
            self.encoder.encode(&state, &self.live, &self.explorer.machine.object);
            states.push(OtherState(self.store.intern(&self.encoder.bytes).0));
        }
        self.close(states, meter)
    }

    fn letter(&mut self, label: Label<'_>, _: u8, _: u32) -> MonitorInput {
        visible(&mut self.labels, &self.names.1, label)
    }

    fn next(&mut self, set: SetId, letter: MonitorInput, meter: &Meter) -> Result<Reaction, Halt> {
        if letter == SILENT {
            return Ok(Reaction::At(set));
        }
        let next = match self.memo.get(&(set, letter)) {
            Some(known) => *known,
            None => {
                let mut states = Vec::new();
                for state in self.sets.get(set).clone() {
                    let moves = self.moves(state, meter)?;
                    states.extend(moves.iter().filter(|m| m.0 == letter).map(|m| m.1));
                }
                let next = self.close(states, meter)?;
                self.memo.insert((set, letter), next);
                next
            }
        };
        Ok(match self.sets.get(next).is_empty() {
            true => Reaction::Violation(Violation::NotRefined),
            false => Reaction::At(next),
        })
    }

    fn len(&self) -> u64 {
        self.sets.len() as u64
    }

    fn bytes(&self) -> u64 {
        let moves = self.moves_bytes + 16 * self.moves.capacity() as u64;
        let memo = 25 * self.memo.capacity() as u64;
        self.store.bytes() + moves + self.labels.bytes() + self.sets.bytes() + memo
    }
}
