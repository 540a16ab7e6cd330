//! Parts back into states.

use super::canon::{map_references, references};
use crate::canonical::bytes::Reader;
use crate::canonical::liveness::Liveness;
use crate::machine::state::{Head, Heap, Phase, State, Thread};
use trueline_base::Value;
use trueline_lang::ir::{Machine, Module, NodeId, OpId, StructId};

/// Fills in the shared cells, global structs and links; says how many structs shared cells reach, and how many there
/// are. All threads are idle and hold nothing.
pub(super) fn global(bytes: &[u8], machine: &Machine, state: &mut State) -> (u32, u32) {
    let module = &machine.object;
    let mut reader = Reader::new(bytes);
    let reached = reader.number();
    let all = reached + reader.number();
    state.shared.clear();
    state.shared.extend((0..module.shared.len()).map(|_| reader.value()));
    state.heap.heads.clear();
    state.heap.cells.clear();
    for _ in 0..all {
        structure(&mut reader, module, &mut state.heap);
    }
    reader.links(&mut state.links);
    state.threads.resize_with(machine.threads.len(), Thread::default);
    for thread in &mut state.threads {
        (thread.phase, thread.op, thread.pc, thread.node, thread.into) =
            (Phase::Idle, OpId::default(), 0, NodeId::default(), None);
        thread.frame.clear();
        thread.script.clear();
        thread.result = None;
    }
    (reached, all)
}

/// A thread, whose own structs are appended to the heap; their addresses begin at `base`.
pub(super) fn local(bytes: &[u8], module: &Module, live: &Liveness, base: u32, heap: &mut Heap) -> Thread {
    let mut thread = Thread::default();
    local_into(bytes, module, live, base, heap, &mut thread);
    thread
}

/// The same, into an idle thread that holds nothing.
pub(super) fn local_into(
    bytes: &[u8],
    module: &Module,
    live: &Liveness,
    base: u32,
    heap: &mut Heap,
    thread: &mut Thread,
) {
    let address = |name: u32| if name.is_multiple_of(2) { name / 2 } else { base + name / 2 };
    let mut reader = Reader::new(bytes);
    let value = |reader: &mut Reader<'_>| {
        let mut value = reader.value();
        map_references(&mut value, &mut { address });
        value
    };
    thread.phase = match reader.byte() {
        0 => Phase::Idle,
        1 => Phase::Running,
        _ => Phase::Returning,
    };
    thread.node = NodeId(reader.number());
    let variables = reader.number();
    thread.script.extend((0..variables).map(|_| value(&mut reader)));
    thread.frame.extend((0..module.persistent.len()).map(|_| value(&mut reader)));
    if thread.phase != Phase::Idle {
        thread.op = OpId(reader.number() as u16);
        thread.into = reader.slot();
        if thread.phase == Phase::Running {
            let slots = module.ops[thread.op.0 as usize].routine.slots.len().max(thread.frame.len());
            thread.pc = reader.number();
            thread.frame.resize(slots, Value::Unit);
            for slot in live.at(thread.op, thread.pc) {
                thread.frame[slot.0 as usize] = value(&mut reader);
            }
        } else {
            thread.result = Some(value(&mut reader));
        }
    }
    while !reader.done() {
        let first = heap.cells.len();
        structure(&mut reader, module, heap);
        heap.cells[first..].iter_mut().for_each(|value| map_references(value, &mut { address }));
    }
}

/// The global structs that a local part refers to, by name; none when a name exceeds 63.
pub(super) fn held(bytes: &[u8], module: &Module, live: &Liveness) -> Option<u64> {
    let mut names = Some(0);
    global_names(bytes, module, live, &mut |name| {
        names = names.filter(|_| name < 64).map(|held: u64| held | 1 << name);
    });
    names
}

fn structure(reader: &mut Reader<'_>, module: &Module, heap: &mut Heap) {
    let head = reader.number();
    let kind = StructId((head >> 2) as u16);
    let (freed, forgotten, left) = (head & 1 != 0, head & 3 == 3, head & 3 == 2);
    let len = module.structs[kind.0 as usize].cells.len();
    let start = heap.cells.len() as u32;
    heap.heads.push(Head { kind, freed, forgotten, left, start, len: len as u32 });
    heap.cells.extend((0..len).map(|_| reader.value()));
}

/// One more than the largest global name in a local part.
pub(super) fn names(bytes: &[u8], module: &Module, live: &Liveness) -> u32 {
    let mut most = 0;
    global_names(bytes, module, live, &mut |name| most = most.max(name + 1));
    most
}

fn global_names(bytes: &[u8], module: &Module, live: &Liveness, meet: &mut dyn FnMut(u32)) {
    /// Beyond every global name.
    const OWN: u32 = 1 << 30;
    let mut heap = Heap::default();
    let thread = local(bytes, module, live, OWN, &mut heap);
    let values = thread.script.iter().chain(&thread.frame).chain(&thread.result).chain(&heap.cells);
    values.for_each(|value| {
        references(value, &mut |name| {
            if name < OWN {
                meet(name);
            }
        });
    });
}
