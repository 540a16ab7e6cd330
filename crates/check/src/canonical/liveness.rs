//! Which slots of a frame can still be read.
//!
//! The classical backward analysis (Kildall, POPL 1973) per routine, iterated to a fixpoint over instructions:
//! O(instructions x slots) per pass, few passes. Invariant: a slot that is not live at a stop is written before it
//! is read on every way from there, so that clearing it changes no behaviour. The condition of a mark is read at the
//! end of the step that executes the access. Claim: exact on code, hence safe on executions.

use crate::machine::can_fail;
use std::collections::BTreeSet;
use trueline_lang::ir::{InstrKind, Memory, Module, Op, OpId, Pc, Routine, Slot, block_ends};

/// The live slots of each operation, per instruction, without the persistent ones, ascending.
#[derive(Debug)]
pub(crate) struct Liveness {
    ops: Vec<Vec<Box<[Slot]>>>,
}

impl Liveness {
    /// Analyses every operation. With `marks`, all conditions of marks count as reads, without
    /// only those that can end in a finding.
    pub fn of(module: &Module, marks: bool) -> Liveness {
        let behind = |op: &Op| behind(&op.routine, module.memory, marks);
        let live = |op: &Op| analyse(&op.routine, module.persistent.len(), &behind(op));
        Liveness { ops: module.ops.iter().map(live).collect() }
    }

    /// The same as what is lost is defined by: all conditions of marks count as reads right behind their access.
    pub fn for_leaks(module: &Module) -> Liveness {
        let live = |op: &Op| analyse(&op.routine, module.persistent.len(), &early(&op.routine, true));
        Liveness { ops: module.ops.iter().map(live).collect() }
    }

    /// What is live before an instruction.
    pub fn at(&self, op: OpId, pc: Pc) -> &[Slot] {
        &self.ops[op.0 as usize][pc as usize]
    }
}

type Bits = Vec<bool>;

/// What the conditions of marks read behind each instruction, at the place where they are evaluated at the earliest.
fn early(routine: &Routine, marks: bool) -> Vec<Bits> {
    let mut behind: Vec<Bits> = vec![vec![false; routine.slots.len()]; routine.code.len()];
    for (pc, instr) in routine.code.iter().enumerate() {
        let Some(condition) = instr.mark.as_ref().filter(|c| marks || can_fail(c)) else { continue };
        let places = match instr.kind {
            InstrKind::Enter => block_ends(&routine.code, pc as Pc),
            _ => BTreeSet::from([pc as Pc]),
        };
        for place in places {
            condition.slots(&mut |slot| behind[place as usize][slot.0 as usize] = true);
        }
    }
    behind
}

/// The same, without what the local code between a marked access and the end of its step writes. Blocks, whose steps
/// have several accesses, are left as they are.
fn behind(routine: &Routine, memory: Memory, marks: bool) -> Vec<Bits> {
    let mut behind = early(routine, marks);
    if routine.code.iter().any(|instr| matches!(instr.kind, InstrKind::Enter)) {
        return behind;
    }
    for (pc, read) in behind.iter_mut().enumerate().filter(|(_, read)| read.contains(&true)) {
        *read = from_the_end(routine, memory, pc, read);
    }
    behind
}

/// Which of the slots that are read at the end of a step must be there behind the access at `pc`, going back through
/// the local code between.
fn from_the_end(routine: &Routine, memory: Memory, pc: usize, read: &Bits) -> Bits {
    let code = &routine.code;
    let ends = |pc: usize| match code.get(pc).map(|instr| &instr.kind) {
        None | Some(InstrKind::Return(_) | InstrKind::Await(_)) => true,
        Some(kind) => kind.is_access(memory),
    };
    let mut before: Vec<Bits> = vec![vec![false; read.len()]; code.len()];
    let behind = |pc: usize, before: &[Bits]| {
        let mut all = vec![false; read.len()];
        for next in successors(routine, pc) {
            let needed = if ends(next) { read } else { &before[next] };
            all.iter_mut().zip(needed).for_each(|(a, b)| *a |= b);
        }
        all
    };
    loop {
        let mut changed = false;
        for at in (0..code.len()).rev().filter(|at| !ends(*at)) {
            let mut now = behind(at, &before);
            if let Some(slot) = code[at].kind.defined() {
                now[slot.0 as usize] = false;
            }
            changed |= now != before[at];
            before[at] = now;
        }
        if !changed {
            return behind(pc, &before);
        }
    }
}

fn analyse(routine: &Routine, persistent: usize, behind: &[Bits]) -> Vec<Box<[Slot]>> {
    let slots = routine.slots.len();
    let len = routine.code.len();
    let mut live: Vec<Bits> = vec![vec![false; slots]; len + 1];
    let mut changed = true;
    while changed {
        changed = false;
        for pc in (0..len).rev() {
            let mut now = behind[pc].clone();
            for next in successors(routine, pc) {
                now.iter_mut().zip(&live[next]).for_each(|(a, b)| *a |= b);
            }
            let kind = &routine.code[pc].kind;
            if let Some(slot) = kind.defined() {
                now[slot.0 as usize] = false;
            }
            kind.uses(&mut |slot| now[slot.0 as usize] = true);
            if now != live[pc] {
                live[pc] = now;
                changed = true;
            }
        }
    }
    let listed = |bits: &Bits| (persistent..slots).filter(|s| bits[*s]).map(|s| Slot(s as u16)).collect();
    live.iter().map(listed).collect()
}

fn successors(routine: &Routine, pc: usize) -> Vec<usize> {
    routine.code[pc].kind.successors(pc as Pc).into_iter().map(|pc| pc as usize).collect()
}
