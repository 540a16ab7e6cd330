//! In which order interchangeable values occur in a part.
//!
//! Where a value occurs first names it, whatever its number: that is the same for all states that exchanges of values
//! lead between, if the places are. Places in collections without an order and in structs in limbo, which are ordered
//! by their contents, are not: values that occur first among those are not told apart.

use crate::machine::state::{State, Thread};
use trueline_base::Value;

/// Symbols in the order in which they are met; each entry is a set of bits of those that are not told apart.
#[derive(Debug, Default)]
pub(super) struct Occurrences {
    seen: u16,
    pub groups: Vec<u16>,
}

impl Occurrences {
    /// The order of the global part of a state, in which the names of the first `ordered` structs do not depend on what
    /// they hold.
    pub fn of_global(state: &State, ordered: u32, symbols: &[u32]) -> Occurrences {
        let mut order = Occurrences::default();
        state.shared.iter().for_each(|value| order.meet(value, symbols));
        let structs = state.heap.heads.len() as u32;
        let reached = ordered.min(structs);
        for address in 0..reached {
            state.heap.cells(address).iter().for_each(|value| order.meet(value, symbols));
        }
        let limbo = (reached..structs).flat_map(|address| state.heap.cells(address));
        order.together(limbo, symbols);
        order
    }

    /// The order of a thread's part, whose own structs are these cells; `ordered` says whether the names of structs do
    /// not depend on what they hold.
    pub fn of_local(thread: &Thread, own: &[Value], ordered: bool, symbols: &[u32]) -> Occurrences {
        let mut order = Occurrences::default();
        let values = thread.script.iter().chain(&thread.frame).chain(&thread.result);
        values.for_each(|value| order.meet(value, symbols));
        match ordered {
            true => own.iter().for_each(|value| order.meet(value, symbols)),
            false => order.together(own.iter(), symbols),
        }
        order
    }

    fn meet(&mut self, value: &Value, symbols: &[u32]) {
        match value {
            Value::Val(_) => self.together(std::iter::once(value), symbols),
            Value::Variant(_, items) | Value::Tuple(items) | Value::Array(items) | Value::Seq(items) => {
                items.iter().for_each(|item| self.meet(item, symbols));
            }
            Value::Set(_) | Value::Bag(_) | Value::Map(_) => {
                self.together(std::iter::once(value), symbols);
            }
            Value::Unit | Value::Bool(_) | Value::Int(_) | Value::Tid(_) | Value::None => {}
            Value::Null | Value::Ref(_) | Value::Lock(_) => {}
        }
    }

    /// Meets values whose order says nothing.
    fn together<'v>(&mut self, values: impl Iterator<Item = &'v Value>, symbols: &[u32]) {
        let mut group = 0;
        values.for_each(|value| gather(value, symbols, &mut group));
        group &= !self.seen;
        if group != 0 {
            self.seen |= group;
            self.groups.push(group);
        }
    }
}

/// Adds the symbols inside a value to a set of bits.
pub(super) fn gather(value: &Value, symbols: &[u32], group: &mut u16) {
    match value {
        Value::Val(v) => {
            if let Some(at) = symbols.iter().position(|symbol| symbol == v) {
                *group |= 1 << at;
            }
        }
        _ => value.children().for_each(|child| gather(child, symbols, group)),
    }
}
