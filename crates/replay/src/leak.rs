//! Structs that nobody can reach and nobody freed.
//!
//! A local that is never read again reaches nothing: the slots that count are the live ones.

use std::collections::BTreeSet;
use trueline_base::Value;
use trueline_lang::interp::{Phase, State, reachable};
use trueline_lang::ir::{InstrKind, Machine, Pc, Routine, ScriptNode, Slot, block_ends};

/// The addresses that are lost in a state.
pub fn leaked(machine: &Machine, state: &State) -> Vec<u32> {
    let state = without_dead(machine, state);
    let held = reachable(&state, []);
    let lost = |address: &u32| !state.heap[*address as usize].freed && !held.contains(address);
    (0..state.heap.len() as u32).filter(lost).collect()
}

/// The state with every slot cleared that nobody reads again: it behaves as before.
pub fn without_dead(machine: &Machine, state: &State) -> State {
    let mut state = state.clone();
    for (thread, script) in state.threads.iter_mut().zip(&machine.threads) {
        let ScriptNode::Call(alternatives) = script.script.node(thread.node) else {
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
    state
}

/// The slots that may still be read from an instruction on. The persistent ones are read by
/// whatever comes after the return.
fn live(routine: &Routine, at: Pc, persistent: usize) -> BTreeSet<Slot> {
    let kept: BTreeSet<Slot> = (0..persistent as u16).map(Slot).collect();
    let conditions = conditions(routine);
    let mut live: Vec<BTreeSet<Slot>> = vec![BTreeSet::new(); routine.code.len()];
    loop {
        let mut changed = false;
        for (pc, instr) in routine.code.iter().enumerate().rev() {
            let mut now = conditions[pc].clone();
            for next in instr.kind.successors(pc as Pc) {
                now.extend(live.get(next as usize).into_iter().flatten().copied());
            }
            if matches!(instr.kind, InstrKind::Return(_)) {
                now.extend(&kept);
            }
            if let Some(slot) = instr.kind.defined() {
                now.remove(&slot);
            }
            instr.kind.uses(&mut |slot| {
                now.insert(slot);
            });
            changed |= now != live[pc];
            live[pc] = now;
        }
        if !changed {
            return live.get(at as usize).cloned().unwrap_or(kept);
        }
    }
}

/// The slots that conditions of marks read right behind each instruction: behind a marked access, or at the ends of a
/// marked block.
fn conditions(routine: &Routine) -> Vec<BTreeSet<Slot>> {
    let mut read = vec![BTreeSet::new(); routine.code.len()];
    for (pc, instr) in routine.code.iter().enumerate() {
        let Some(condition) = &instr.mark else { continue };
        let ends = match instr.kind {
            InstrKind::Enter => block_ends(&routine.code, pc as Pc),
            _ => BTreeSet::from([pc as Pc]),
        };
        for end in ends {
            condition.slots(&mut |slot| {
                read[end as usize].insert(slot);
            });
        }
    }
    read
}
