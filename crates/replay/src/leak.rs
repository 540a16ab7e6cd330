//! Structs that nobody can reach and nobody freed.
//!
//! A local that is never read again reaches nothing: the slots that count are the live ones.

use crate::slots::{defined, slots, used};
use std::collections::BTreeSet;
use trueline_base::Value;
use trueline_lang::interp::{Phase, State, reachable};
use trueline_lang::ir::{InstrKind, Machine, Node, Pc, Routine, Slot};

/// The addresses that are lost in a state.
pub fn leaked(machine: &Machine, state: &State) -> Vec<u32> {
    let mut state = state.clone();
    for (thread, script) in state.threads.iter_mut().zip(&machine.threads) {
        let Node::Call(alternatives) = &script.script.nodes[thread.node as usize] else {
            continue;
        };
        let persistent = machine.object.persistent.len();
        match &mut thread.phase {
            Phase::Idle => {}
            Phase::Running { alternative, pc, frame } => {
                let op = alternatives[*alternative as usize].op;
                let live = live(&machine.object.ops[op.0 as usize].routine, *pc, persistent);
                for (n, value) in frame.iter_mut().enumerate() {
                    if !live.contains(&Slot(n as u16)) {
                        *value = Value::Unit;
                    }
                }
            }
            Phase::Returning { frame, .. } => frame.truncate(persistent),
        }
    }
    let held = reachable(&state, []);
    let lost = |address: &u32| !state.heap[*address as usize].freed && !held.contains(address);
    (0..state.heap.len() as u32).filter(lost).collect()
}

/// The slots that may still be read from an instruction on. The persistent ones are read by
/// whatever comes after the return.
fn live(routine: &Routine, at: Pc, persistent: usize) -> BTreeSet<Slot> {
    let kept: BTreeSet<Slot> = (0..persistent as u16).map(Slot).collect();
    let mut live: Vec<BTreeSet<Slot>> = vec![BTreeSet::new(); routine.code.len()];
    loop {
        let mut changed = false;
        for (pc, instr) in routine.code.iter().enumerate().rev() {
            let mut now = BTreeSet::new();
            for next in successors(&instr.kind, pc as Pc) {
                now.extend(live.get(next as usize).into_iter().flatten().copied());
            }
            if matches!(instr.kind, InstrKind::Return(_)) {
                now.extend(&kept);
            }
            for slot in defined(&instr.kind) {
                now.remove(&slot);
            }
            used(&instr.kind, &mut now);
            if let Some(mark) = &instr.mark {
                slots(mark, &mut now);
            }
            changed |= now != live[pc];
            live[pc] = now;
        }
        if !changed {
            return live.get(at as usize).cloned().unwrap_or(kept);
        }
    }
}

fn successors(kind: &InstrKind, pc: Pc) -> Vec<Pc> {
    match kind {
        InstrKind::Jump(target) => vec![*target],
        InstrKind::Branch { yes, no, .. } => vec![*yes, *no],
        InstrKind::Either(targets) => targets.clone(),
        InstrKind::Return(_) | InstrKind::Fail(_) => Vec::new(),
        _ => vec![pc + 1],
    }
}
