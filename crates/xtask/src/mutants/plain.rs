//! Damages to objects of plain reads and writes, where no re-check, block or compare-and-set can be spoiled: a write left
//! out or made too late, a test that always goes one way, a bound that is off by one.

use trueline_lang::ir::{BinaryOp, Expr, Instr, InstrKind, Pc};

use super::change::{Change, insert};

/// What can be done to one instruction.
pub fn changes(code: &[Instr], pc: usize) -> Vec<(&'static str, Change)> {
    let mut all: Vec<(&'static str, Change)> = Vec::new();
    match &code[pc].kind {
        InstrKind::Write { .. } => {
            all.push(("drop write", Box::new(move |code| jump(code, pc, pc as Pc + 1))));
            if movable(code, pc) {
                all.push(("write last", Box::new(move |code| last(code, pc))));
            }
        }
        InstrKind::Branch { condition, yes, no } => {
            let (yes, no) = (*yes, *no);
            all.push(("always", Box::new(move |code| jump(code, pc, yes))));
            all.push(("never", Box::new(move |code| jump(code, pc, no))));
            if let Some(other) = off_by_one(condition) {
                all.push(("off by one", Box::new(move |code| compare(code, pc, &other))));
            }
        }
        _ => {}
    }
    all
}

fn jump(code: &[Instr], pc: usize, to: Pc) -> Vec<Instr> {
    let mut code = code.to_vec();
    code[pc].kind = InstrKind::Jump(to);
    code[pc].mark = None;
    code
}

/// A write before other accesses whose operands are never set: it can be made anywhere.
fn movable(code: &[Instr], pc: usize) -> bool {
    let mut operands = Vec::new();
    code[pc].kind.uses(&mut |slot| operands.push(slot));
    let access = |i: &Instr| matches!(i.kind, InstrKind::Read { .. } | InstrKind::Write { .. });
    code[pc + 1..].iter().any(access)
        && code.iter().all(|i| {
            i.kind.defined().into_iter().chain(i.kind.changed()).all(|slot| !operands.contains(&slot))
        })
}

fn last(code: &[Instr], pc: usize) -> Vec<Instr> {
    let write = code[pc].clone();
    let mut damaged = jump(code, pc, pc as Pc + 1);
    for at in (0..damaged.len()).rev() {
        if matches!(damaged[at].kind, InstrKind::Return(_)) {
            insert(&mut damaged, at, write.clone(), true);
        }
    }
    damaged
}

fn off_by_one(condition: &Expr) -> Option<Expr> {
    let Expr::Binary(op, a, b) = condition else { return None };
    let op = match op {
        BinaryOp::Lt => BinaryOp::Le,
        BinaryOp::Le => BinaryOp::Lt,
        BinaryOp::Gt => BinaryOp::Ge,
        BinaryOp::Ge => BinaryOp::Gt,
        _ => return None,
    };
    Some(Expr::Binary(op, a.clone(), b.clone()))
}

fn compare(code: &[Instr], pc: usize, other: &Expr) -> Vec<Instr> {
    let mut code = code.to_vec();
    if let InstrKind::Branch { condition, .. } = &mut code[pc].kind {
        *condition = other.clone();
    }
    code
}
