//! The reads that the failure comes from: what the last operation returned, or failed on, followed back to memory.
//!
//! A dynamic slice (Korel and Laski, IPL 1988) of one operation: backwards over what it executed, from the value that
//! it ends with and the last branch before that.

use crate::history::History;
use crate::run::Run;
use std::collections::BTreeSet;
use trueline_lang::interp::Effect;
use trueline_lang::ir::{InstrKind, Machine, Slot};

/// The moves that read a value on which the end of the execution depends.
pub fn reads(machine: &Machine, run: &Run, history: &History) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let Some(last) = run.taken.len().checked_sub(1) else { return found };
    let thread = run.taken[last].thread;
    let Some(operation) = history.at(thread, last) else { return found };
    let code = &machine.object.ops[operation.op.0 as usize].routine.code;
    let mut wanted: BTreeSet<Slot> = BTreeSet::new();
    let (mut end, mut branch) = (false, false);
    for index in (operation.called..=last).rev().filter(|index| run.taken[*index].thread == thread) {
        for executed in run.taken[index].way.executed.iter().rev() {
            let Some(instr) = code.get(executed.pc as usize) else { continue };
            let assigned = executed.effects.iter().filter_map(|effect| match effect {
                Effect::Assign { slot, .. } => Some(*slot),
                _ => None,
            });
            let assigned: Vec<Slot> = assigned.filter(|slot| wanted.contains(slot)).collect();
            let decides = !assigned.is_empty();
            let is_branch = matches!(instr.kind, InstrKind::Branch { .. });
            if decides || !end || is_branch && !branch {
                assigned.iter().for_each(|slot| _ = wanted.remove(slot));
                instr.kind.uses(&mut |slot| _ = wanted.insert(slot));
                if decides && executed.effects.iter().any(|e| matches!(e, Effect::Read { .. })) {
                    found.insert(index);
                }
            }
            end = true;
            branch |= is_branch;
        }
    }
    found
}
