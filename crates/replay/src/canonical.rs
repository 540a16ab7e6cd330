//! States up to the names of addresses, without garbage: what makes searches end.

use std::collections::BTreeMap;
use trueline_base::Value;
use trueline_lang::interp::{Cell, Object, Phase, State};

/// The same state with addresses numbered in the order in which they are met and what nobody
/// can reach left out. Equal results mean equal behaviour; the converse need not hold.
pub fn canonical(state: &State) -> State {
    let mut names = Names { of: BTreeMap::new(), order: Vec::new() };
    let mut next = state.clone();
    for value in &mut next.shared {
        names.rename(value);
    }
    for thread in &mut next.threads {
        thread.persistent.iter_mut().chain(&mut thread.variables).for_each(|v| names.rename(v));
        match &mut thread.phase {
            Phase::Idle => {}
            Phase::Running { frame, .. } => frame.iter_mut().for_each(|v| names.rename(v)),
            Phase::Returning { value, frame, .. } => {
                names.rename(value);
                frame.iter_mut().for_each(|v| names.rename(v));
            }
        }
    }
    next.heap = Vec::new();
    while let Some(&address) = names.order.get(next.heap.len()) {
        let mut object: Object = state.heap[address as usize].clone();
        object.cells.iter_mut().for_each(|v| names.rename(v));
        next.heap.push(object);
    }
    for thread in &mut next.threads {
        let links = std::mem::take(&mut thread.links);
        thread.links = links
            .into_iter()
            .filter_map(|cell| match cell {
                Cell::Heap(address, at) => names.of.get(&address).map(|name| Cell::Heap(*name, at)),
                shared => Some(shared),
            })
            .collect();
    }
    next
}

struct Names {
    of: BTreeMap<u32, u32>,
    order: Vec<u32>,
}

impl Names {
    fn rename(&mut self, value: &mut Value) {
        match value {
            Value::Ref(address) => {
                let fresh = self.order.len() as u32;
                let name = *self.of.entry(*address).or_insert(fresh);
                if name == fresh {
                    self.order.push(*address);
                }
                *address = name;
            }
            Value::Variant(_, parts) | Value::Tuple(parts) | Value::Array(parts) | Value::Seq(parts) => {
                parts.iter_mut().for_each(|v| self.rename(v))
            }
            Value::Set(parts) | Value::Bag(parts) => {
                parts.iter_mut().for_each(|v| self.rename(v));
                parts.sort();
            }
            Value::Map(entries) => {
                for (key, item) in entries.iter_mut() {
                    self.rename(key);
                    self.rename(item);
                }
                entries.sort();
            }
            _ => {}
        }
    }
}
