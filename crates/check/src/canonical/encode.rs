//! A state as bytes: equal states, up to the names of addresses, are equal bytes.
//!
//! Structs are renumbered in the order in which one traversal meets them: the shared cells, then the threads in
//! their order, then what the structs found so far refer to. What the traversal does not meet is dropped, together
//! with links into it: no code can name it again, unless a `new` brings it back (`forgotten`). Dead slots are left out. Sets, multisets and maps that hold
//! references are put into the order of the new numbers; states that differ only there may be kept apart, which
//! costs states, never verdicts. Cost: linear in the state.

use super::bytes::{links, number, put_slot, tag};
use super::forgotten;
use super::liveness::Liveness;
use crate::machine::state::{Phase, State};
use trueline_base::Value;
use trueline_lang::ir::Module;

/// The new number of a struct that was not met.
pub(super) const UNSEEN: u32 = u32::MAX;

/// Encodes states; keeps its buffers.
#[derive(Debug, Default)]
pub(crate) struct Encoder {
    /// The bytes of the state encoded last.
    pub bytes: Vec<u8>,
    /// Whether it had a struct that nobody can reach and nobody freed.
    pub leaked: bool,
    /// New number of each address.
    map: Vec<u32>,
    /// Addresses in the order of their new numbers.
    order: Vec<u32>,
}

impl Encoder {
    /// Fills `bytes` and `leaked`.
    pub fn encode(&mut self, state: &State, live: &Liveness, module: &Module) {
        let persistent = module.persistent.len();
        self.bytes.clear();
        self.order.clear();
        self.map.clear();
        self.map.resize(state.heap.heads.len(), UNSEEN);
        state.shared.iter().for_each(|value| self.put(value));
        for thread in &state.threads {
            self.bytes.push(thread.phase as u8);
            number(&mut self.bytes, thread.node.0);
            thread.script.iter().for_each(|value| self.put(value));
            thread.frame[..persistent].iter().for_each(|value| self.put(value));
            if thread.phase == Phase::Idle {
                continue;
            }
            number(&mut self.bytes, thread.op.0 as u32);
            put_slot(&mut self.bytes, thread.into);
            match thread.phase {
                Phase::Running => {
                    number(&mut self.bytes, thread.pc);
                    for slot in live.at(thread.op, thread.pc) {
                        self.put(&thread.frame[slot.0 as usize]);
                    }
                }
                _ => {
                    self.put(thread.result.as_ref().expect("a returning thread has a result"));
                }
            }
        }
        self.put_structs(state, 0);
        let lost = |(a, n): (usize, &u32)| *n == UNSEEN && !state.heap.heads[a].freed;
        self.leaked = self.map.iter().enumerate().any(lost);
        if forgotten::possible(module) {
            self.put_forgotten(state, module);
        }
        let map = &self.map;
        links(&mut self.bytes, &state.links, |a| Some(map[a as usize]).filter(|name| *name != UNSEEN));
    }

    /// The structs met, from this number on, and what they refer to.
    fn put_structs(&mut self, state: &State, mut next: usize) {
        while next < self.order.len() {
            let address = self.order[next];
            let head = &state.heap.heads[address as usize];
            number(&mut self.bytes, (head.kind.0 as u32) << 1 | head.freed as u32);
            state.heap.cells(address).iter().for_each(|value| self.put(value));
            next += 1;
        }
    }

    /// The freed structs that were not met and may come back, least contents first, each with what it refers to.
    fn put_forgotten(&mut self, state: &State, module: &Module) {
        let unmet = |a: &u32| self.map[*a as usize] == UNSEEN;
        let mut left = forgotten::among(state, module, (0..state.heap.heads.len() as u32).filter(unmet));
        while let Some(least) = forgotten::least(state, &left, &self.map) {
            let met = self.order.len();
            self.rename(least.address);
            number(&mut self.bytes, least.head());
            least.contents(state).for_each(|value| self.put(value));
            self.put_structs(state, met + 1);
            left.retain(|other| self.map[other.address as usize] == UNSEEN);
        }
        number(&mut self.bytes, 0);
    }

    fn rename(&mut self, address: u32) -> u32 {
        let known = self.map[address as usize];
        if known != UNSEEN {
            return known;
        }
        let new = self.order.len() as u32;
        self.map[address as usize] = new;
        self.order.push(address);
        new
    }

    fn put(&mut self, value: &Value) {
        match value {
            Value::Ref(address) => {
                let new = self.rename(*address);
                tag::reference(&mut self.bytes, new);
            }
            Value::Variant(..) | Value::Tuple(_) | Value::Array(_) | Value::Seq(_) => {
                tag::open(&mut self.bytes, value);
                value.children().for_each(|child| self.put(child));
            }
            Value::Set(_) | Value::Bag(_) | Value::Map(_) if has_reference(value) => {
                let renamed = self.renamed(value);
                tag::whole(&mut self.bytes, &renamed);
            }
            _ => tag::whole(&mut self.bytes, value),
        }
    }

    /// The value with new numbers, in canonical order again.
    fn renamed(&mut self, value: &Value) -> Value {
        let mut renamed = value.clone();
        renamed.change(&mut |leaf| {
            if let Value::Ref(address) = leaf {
                *address = self.rename(*address);
            }
        });
        renamed
    }
}

/// Whether a heap cell occurs in a value.
pub(crate) fn has_reference(value: &Value) -> bool {
    matches!(value, Value::Ref(_)) || value.children().any(has_reference)
}
