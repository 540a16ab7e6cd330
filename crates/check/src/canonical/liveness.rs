//! Which slots of a frame can still be read.
//!
//! The classical backward analysis (Kildall, POPL 1973) per routine, iterated to a fixpoint over instructions:
//! O(instructions x slots) per pass, few passes. Invariant: a slot that is not live at a stop is written before it
//! is read on every way from there, so that clearing it changes no behaviour. The condition of a mark is read at the
//! end of the step that executes the access. Claim: exact on code, hence safe on executions.

use crate::machine::can_fail;
use trueline_lang::ir::{Expr, InstrKind, Module, Op, Pc, Place, Routine, Slot, Stride};

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

    /// No slot is ever dead.
    pub fn everything(module: &Module) -> Liveness {
        let persistent = module.persistent.len() as u16;
        let all = |op: &Op| {
            let slots: Box<[u16]> = (persistent..op.routine.slots.len() as u16).collect();
            vec![slots; op.routine.code.len() + 1]
        };
        Liveness { ops: module.ops.iter().map(all).collect() }
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
            reads(condition, &mut behind[place]);
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
            for slot in written(kind) {
                now[slot.0 as usize] = false;
            }
            instruction_reads(kind, &mut now);
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
    match &routine.code[pc].kind {
        InstrKind::Jump(target) => vec![*target as usize],
        InstrKind::Branch { yes, no, .. } => vec![*yes as usize, *no as usize],
        InstrKind::Either(targets) => targets.iter().map(|t| *t as usize).collect(),
        InstrKind::Fail(_) | InstrKind::Return(_) => Vec::new(),
        _ => vec![pc + 1],
    }
}

/// The slots that an instruction overwrites entirely, whenever it completes.
fn written(kind: &InstrKind) -> Vec<Slot> {
    use InstrKind::*;
    match kind {
        Set { slot, .. } | Choose { slot, .. } | New { slot, .. } | Read { slot, .. } => vec![*slot],
        Cas { slot, .. } | Cmpxchg { slot, .. } | Swap { slot, .. } | Faa { slot, .. } => vec![*slot],
        Tas { slot, .. } | Dcas { slot, .. } | LoadLinked { slot, .. } => vec![*slot],
        StoreConditional { slot, .. } | Validate { slot, .. } => vec![*slot],
        Collect { result: Some(slot), .. } => vec![*slot],
        SetElement { .. } | Collect { result: None, .. } | Jump(_) | Branch { .. } | Either(_) => Vec::new(),
        Assume(_) | Assert(_) | Fail(_) | Return(_) | Write { .. } | Lock(_) | Unlock(_) => Vec::new(),
        Free(_) | Enter | Leave | Await(_) => Vec::new(),
    }
}

fn instruction_reads(kind: &InstrKind, out: &mut Bits) {
    use InstrKind::*;
    match kind {
        Set { value, .. } => reads(value, out),
        SetElement { slot, path, value } => {
            out[slot.0 as usize] = true;
            path.iter().for_each(|e| reads(e, out));
            reads(value, out);
        }
        Collect { slot, args, .. } => {
            out[slot.0 as usize] = true;
            args.iter().for_each(|e| reads(e, out));
        }
        Jump(_) | Either(_) | Fail(_) | Enter | Leave => {}
        Branch { condition, .. } => reads(condition, out),
        Choose { low, high, .. } => {
            reads(low, out);
            reads(high, out);
        }
        Assume(e) | Assert(e) | Return(e) | Free(e) | Await(e) => reads(e, out),
        New { cells, .. } => cells.iter().for_each(|(_, e)| reads(e, out)),
        Read { place, .. } | Tas { place, .. } | LoadLinked { place, .. } | Validate { place, .. } => {
            place_reads(place, out);
        }
        Lock(place) | Unlock(place) => place_reads(place, out),
        Write { place, value } | Swap { place, value, .. } | StoreConditional { place, value, .. } => {
            place_reads(place, out);
            reads(value, out);
        }
        Cas { place, old, new, .. } | Cmpxchg { place, old, new, .. } => {
            place_reads(place, out);
            reads(old, out);
            reads(new, out);
        }
        Faa { place, amount, .. } => {
            place_reads(place, out);
            reads(amount, out);
        }
        Dcas { first, second, .. } => {
            for (place, old, new) in [first, second] {
                place_reads(place, out);
                reads(old, out);
                reads(new, out);
            }
        }
    }
}

fn place_reads(place: &Place, out: &mut Bits) {
    let strides = |index: &[Stride], out: &mut Bits| index.iter().for_each(|s| reads(&s.index, out));
    match place {
        Place::Shared { index, .. } => strides(index, out),
        Place::Field { object, index, .. } => {
            reads(object, out);
            strides(index, out);
        }
    }
}

fn reads(expr: &Expr, out: &mut Bits) {
    match expr {
        Expr::Const(_) | Expr::SelfTid => {}
        Expr::Slot(slot) => out[slot.0 as usize] = true,
        Expr::Not(e) | Expr::Neg(e) | Expr::Component(e, _) | Expr::IsVariant(e, _) => reads(e, out),
        Expr::Payload(e, _) | Expr::Present(e) | Expr::NonNull(e) | Expr::InRange(e, _, _) => reads(e, out),
        Expr::Repeat(e, _) | Expr::TidToInt(e) | Expr::TidToVal(e) => reads(e, out),
        Expr::Binary(_, a, b) | Expr::Element(a, b) => {
            reads(a, out);
            reads(b, out);
        }
        Expr::If(a, b, c) => {
            reads(a, out);
            reads(b, out);
            reads(c, out);
        }
        Expr::Tuple(es) | Expr::Variant(_, es) | Expr::Array(es) | Expr::Seq(es) => {
            es.iter().for_each(|e| reads(e, out));
        }
        Expr::Set(es) | Expr::Bag(es) => es.iter().for_each(|e| reads(e, out)),
        Expr::Query(_, e, es) => {
            reads(e, out);
            es.iter().for_each(|e| reads(e, out));
        }
    }
}
