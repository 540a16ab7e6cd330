//! Bytes back into a state.

use super::bytes::Reader;
use super::forgotten;
use super::liveness::Liveness;
use crate::machine::state::{Head, Heap, Phase, State, Thread};
use trueline_base::Value;
use trueline_lang::ir::{Machine, Module, NodeId, OpId, StructId};

/// Makes `state` the one that the bytes encode, reusing what is allocated.
pub(crate) fn decode(bytes: &[u8], machine: &Machine, live: &Liveness, state: &mut State) {
    let module = &machine.object;
    let mut reader = Reader::new(bytes);
    state.shared.clear();
    state.shared.extend((0..module.shared.len()).map(|_| reader.value()));
    state.threads.resize_with(machine.threads.len(), Thread::default);
    for (thread, client) in state.threads.iter_mut().zip(&machine.threads) {
        thread.phase = match reader.byte() {
            0 => Phase::Idle,
            1 => Phase::Running,
            _ => Phase::Returning,
        };
        thread.node = NodeId(reader.number());
        thread.script.clear();
        thread.script.extend(client.script.variables.iter().map(|_| reader.value()));
        thread.frame.clear();
        thread.frame.extend(module.persistent.iter().map(|_| reader.value()));
        thread.result = None;
        (thread.op, thread.into, thread.pc) = (OpId::default(), None, 0);
        if thread.phase == Phase::Idle {
            continue;
        }
        thread.op = OpId(reader.number() as u16);
        thread.into = reader.slot();
        let slots = module.ops[thread.op.0 as usize].routine.slots.len().max(thread.frame.len());
        if thread.phase == Phase::Running {
            thread.pc = reader.number();
            thread.frame.resize(slots, Value::Unit);
            for slot in live.at(thread.op, thread.pc) {
                thread.frame[slot.0 as usize] = reader.value();
            }
        } else {
            thread.result = Some(reader.value());
        }
    }
    decode_heap(&mut reader, module, &mut state.heap);
    reader.links(&mut state.links);
}

fn decode_heap(reader: &mut Reader<'_>, module: &Module, heap: &mut Heap) {
    heap.heads.clear();
    heap.cells.clear();
    let forgotten = forgotten::possible(module);
    loop {
        while (heap.heads.len() as u32) < reader.references {
            let head = reader.number();
            let (kind, freed) = (StructId((head >> 1) as u16), head & 1 == 1);
            let address = heap.push(kind, &[]);
            let len = module.structs[kind.0 as usize].cells.len() as u32;
            let head = &mut heap.heads[address as usize];
            (head.freed, head.len) = (freed, len);
            heap.cells.extend((0..len).map(|_| reader.value()));
        }
        if !forgotten {
            return;
        }
        let head = reader.number();
        if head == 0 {
            return;
        }
        let (kind, whole) = forgotten::of_head(head);
        let structure = &module.structs[kind.0 as usize];
        let address = heap.push(kind, &structure.cells);
        let Head { start, len, .. } = heap.heads[address as usize];
        heap.heads[address as usize].freed = true;
        if whole {
            heap.cells[start as usize..].fill_with(|| reader.value());
        } else {
            for at in &structure.kept {
                heap.cells[(start + at) as usize] = reader.value();
            }
        }
        reader.references = reader.references.max(heap.heads.len() as u32);
        debug_assert_eq!(start + len, heap.cells.len() as u32);
    }
}
