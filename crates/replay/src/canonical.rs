//! States up to the names of addresses, without garbage: what makes searches end.

use std::collections::BTreeMap;
use trueline_base::Value;
use trueline_lang::interp::{Cell, HeapStruct, Phase, State};
use trueline_lang::ir::Module;

/// The same state with addresses numbered in the order in which they are met and what nobody
/// can reach left out, unless a `new` of the module may bring it back as it was. Equal results mean
/// equal behaviour; the converse need not hold.
pub fn canonical(module: &Module, state: &State) -> State {
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
    loop {
        while let Some(&address) = names.order.get(next.heap.len()) {
            let mut object: HeapStruct = state.heap[address as usize].clone();
            object.cells.iter_mut().for_each(|v| names.rename(v));
            next.heap.push(object);
        }
        // Of the freed structs that may come back, the one that holds the least is next.
        let returns = |o: &HeapStruct| o.freed && !module.structs[o.kind.0 as usize].kept.is_empty();
        let forgotten = (0..state.heap.len() as u32)
            .filter(|a| !names.of.contains_key(a) && returns(&state.heap[*a as usize]))
            .min_by_key(|a| (names.seen(&state.heap[*a as usize]), *a));
        let Some(address) = forgotten else { break };
        names.rename(&mut Value::Ref(address));
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
    /// A struct with the names given so far; other addresses look alike.
    fn seen(&self, object: &HeapStruct) -> HeapStruct {
        let mut known = Names { of: self.of.clone(), order: self.order.clone() };
        let mut object = object.clone();
        for value in &mut object.cells {
            known.rename(value);
        }
        object
    }

    fn rename(&mut self, value: &mut Value) {
        value.change(&mut |leaf| {
            if let Value::Ref(address) = leaf {
                let fresh = self.order.len() as u32;
                let name = *self.of.entry(*address).or_insert(fresh);
                if name == fresh {
                    self.order.push(*address);
                }
                *address = name;
            }
        });
    }
}
