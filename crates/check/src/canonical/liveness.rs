//! Which slots of a frame can still be read.
//!
//! The classical backward analysis (Kildall, POPL 1973) per routine, iterated to a fixpoint over instructions:
//! O(instructions x slots) per pass, few passes. Invariant: a slot that is not live at a stop is written before it
//! is read on every way from there, so that clearing it changes no behaviour. The condition of a mark is read at the
//! end of the step that executes the access. Claim: exact on code, hence safe on executions.

use crate::machine::can_fail;
use trueline_lang::ir::{InstrKind, Module, Op, Pc, Routine};

/// The live slots of each operation, per instruction, without the persistent ones, ascending.
#[derive(Debug)]
pub(crate) struct Liveness {
    ops: Vec<Vec<Box<[u16]>>>,
}

impl Liveness {
    /// Analyses every operation. With `marks`, all conditions of marks count as reads, without
    /// only those that can end in a finding.
    pub fn of(module: &Module, marks: bool) -> Liveness {
        let persistent = module.persistent.len();
        Liveness { ops: module.ops.iter().map(|op| analyse(op, persistent, marks)).collect() }
    }

    /// What is live before an instruction.
    pub fn at(&self, op: u16, pc: Pc) -> &[u16] {
        &self.ops[op as usize][pc as usize]
    }
}

type Bits = Vec<bool>;

fn analyse(op: &Op, persistent: usize, marks: bool) -> Vec<Box<[u16]>> {
    let routine = &op.routine;
    let slots = routine.slots.len();
    let len = routine.code.len();
    // What the conditions of marks read, at the place where they are evaluated at the earliest.
    let mut behind: Vec<Bits> = vec![vec![false; slots]; len];
    for (pc, instr) in routine.code.iter().enumerate() {
        let Some(condition) = instr.mark.as_ref().filter(|c| marks || can_fail(c)) else { continue };
        let places = if matches!(instr.kind, InstrKind::Enter) { exits(routine, pc) } else { vec![pc] };
        for place in places {
            condition.slots(&mut |slot| behind[place][slot.0 as usize] = true);
        }
    }
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
    let listed = |bits: &Bits| (persistent..slots).filter(|s| bits[*s]).map(|s| s as u16).collect();
    live.iter().map(listed).collect()
}

/// Where the step of a block that begins at `enter` leaves the block.
fn exits(routine: &Routine, enter: usize) -> Vec<usize> {
    let mut seen = vec![false; routine.code.len() + 1];
    let mut todo = successors(routine, enter);
    let mut found = Vec::new();
    while let Some(pc) = todo.pop() {
        if std::mem::replace(&mut seen[pc], true) || pc == routine.code.len() {
            continue;
        }
        match routine.code[pc].kind {
            InstrKind::Leave | InstrKind::Return(_) => found.push(pc),
            _ => todo.extend(successors(routine, pc)),
        }
    }
    found
}

fn successors(routine: &Routine, pc: usize) -> Vec<usize> {
    routine.code[pc].kind.successors(pc as Pc).into_iter().map(|pc| pc as usize).collect()
}
