//! Cells: where they are, who may touch them, what can be reached.

use super::eval::{Environment, eval, index_of};
use super::{Cell, Effect, HeapStruct, Phase, State};
use crate::ir::{Memory, Module, Place, Stride, StructId};
use std::collections::BTreeSet;
use trueline_base::Value;
use trueline_base::verdict::Finding;

/// The cell that a place names.
pub fn locate(place: &Place, scope: Environment<'_>) -> Result<Cell, Finding> {
    let offset = |index: &[Stride]| -> Result<u32, Finding> {
        let mut sum = 0;
        for Stride { index, len, stride } in index {
            let at = index_of(&eval(index, scope)?);
            if !(0..i64::from(*len)).contains(&at) {
                return Err(Finding::Bounds);
            }
            sum += at as u32 * stride;
        }
        Ok(sum)
    };
    match place {
        Place::Shared { first, index } => Ok(Cell::Shared(first + offset(index)?)),
        Place::Field { object, first, index, .. } => match eval(object, scope)? {
            Value::Ref(address) => Ok(Cell::Heap(address, first + offset(index)?)),
            Value::Null => Err(Finding::Null),
            other => panic!("field of {other:?}"),
        },
    }
}

/// What a cell holds, whoever asks.
pub fn peek(state: &State, cell: Cell) -> &Value {
    match cell {
        Cell::Shared(at) => &state.shared[at as usize],
        Cell::Heap(address, at) => &state.heap[address as usize].cells[at as usize],
    }
}

fn freed(state: &State, cell: Cell) -> bool {
    matches!(cell, Cell::Heap(address, _) if state.heap[address as usize].freed)
}

/// Reads a cell: under `manual` it must not be freed.
pub fn read(memory: Memory, state: &State, cell: Cell, effects: &mut Vec<Effect>) -> Result<Value, Finding> {
    if memory == Memory::Manual && freed(state, cell) {
        return Err(Finding::UseAfterFree);
    }
    let value = peek(state, cell).clone();
    effects.push(Effect::Read { cell, value: value.clone() });
    Ok(value)
}

/// Writes a cell, which must not be freed, and breaks all links to it.
pub fn write(state: &mut State, cell: Cell, new: Value, effects: &mut Vec<Effect>) -> Result<(), Finding> {
    if freed(state, cell) {
        return Err(Finding::UseAfterFree);
    }
    let place = match cell {
        Cell::Shared(at) => &mut state.shared[at as usize],
        Cell::Heap(address, at) => &mut state.heap[address as usize].cells[at as usize],
    };
    let old = std::mem::replace(place, new.clone());
    effects.push(Effect::Write { cell, old, new });
    for thread in &mut state.threads {
        thread.links.remove(&cell);
    }
    Ok(())
}

/// The addresses that a `new` under `manual` or `pool` offers: the freed ones of this type that
/// somebody still holds, or all of them where some cell keeps what it held; and one other.
pub fn offered(module: &Module, state: &State, frame: &[Value], kind: StructId) -> Vec<u32> {
    let keeps = !module.structs[kind.0 as usize].kept.is_empty();
    let held = reachable(state, frame);
    let fresh = state.heap.len() as u32;
    (0..fresh)
        .filter(|a| {
            let object = &state.heap[*a as usize];
            object.freed && object.kind == kind && (keeps || held.contains(a))
        })
        .chain([fresh])
        .collect()
}

/// Takes an address for a struct, fresh or freed before. Under `pool` a reused struct keeps what
/// its cells held; under `manual` they are as new.
pub fn allocate(module: &Module, state: &mut State, kind: StructId, address: u32) -> Effect {
    let cells = || module.structs[kind.0 as usize].cells.clone();
    let reused = (address as usize) < state.heap.len();
    if reused {
        let object = &mut state.heap[address as usize];
        object.freed = false;
        if module.memory == Memory::Manual {
            object.cells = cells();
            for thread in &mut state.threads {
                thread.links.retain(|cell| !matches!(cell, Cell::Heap(a, _) if *a == address));
            }
        }
    } else {
        state.heap.push(HeapStruct { kind, cells: cells(), freed: false });
    }
    Effect::New { address, reused }
}

/// Every address that can be reached from the shared cells, the threads and further values,
/// through live and freed structs.
pub fn reachable<'a>(state: &'a State, further: impl IntoIterator<Item = &'a Value>) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&Value> = state.shared.iter().chain(further).collect();
    for thread in &state.threads {
        open.extend(thread.persistent.iter().chain(&thread.variables));
        match &thread.phase {
            Phase::Idle => {}
            Phase::Running { frame, .. } => open.extend(frame),
            Phase::Returning { value, frame, .. } => open.extend(frame.iter().chain([value])),
        }
    }
    while let Some(value) = open.pop() {
        open.extend(value.children());
        if let Value::Ref(address) = value
            && found.insert(*address)
        {
            open.extend(&state.heap[*address as usize].cells);
        }
    }
    found
}
