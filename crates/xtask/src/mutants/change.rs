//! The damages, on the steps of a machine: a re-check dropped, two steps swapped, an atomic block split, a
//! compare-and-set weakened to a write. Objects of plain reads and writes, to which none of these applies, get others
//! (`plain`).

use trueline_base::Value;
use trueline_lang::ir::{BinaryOp, Expr, Instr, InstrKind, Machine, Pc, Slot, block};

use super::{Subject, plain};

/// A damaged machine.
pub struct Mutant {
    /// File, check, operation, place and damage: unique, and stable while the model does not change.
    pub key: String,
    /// The machine.
    pub machine: Machine,
    /// The damage again, for the same object under another client.
    pub apply: Box<dyn Fn(&mut Machine)>,
}

/// Every mutant of a subject, in the order of the code.
pub fn mutants_of(subject: &Subject) -> Vec<Mutant> {
    let machine = &subject.task.machine;
    let mut all: Vec<Mutant> = Vec::new();
    let codes = || machine.object.ops.iter().map(|op| &op.routine.code);
    let usual = codes().any(|code| (0..code.len()).any(|pc| !changes(code, pc).is_empty()));
    let of = if usual { changes } else { plain::changes };
    for (op, decl) in machine.object.ops.iter().enumerate() {
        for pc in 0..decl.routine.code.len() {
            for (what, change) in of(&decl.routine.code, pc) {
                let mut damaged = machine.clone();
                damaged.object.ops[op].routine.code = change(&decl.routine.code);
                let (line, column) = decl.routine.code[pc].span.line_column(subject.model.source());
                let base = format!("{}#{} {} {line}:{column} {what}", subject.file, subject.check, decl.name);
                let same =
                    all.iter().filter(|m| m.key == base || m.key.starts_with(&format!("{base} ("))).count();
                let key = if same == 0 { base } else { format!("{base} ({})", same + 1) };
                let apply: Box<dyn Fn(&mut Machine)> = Box::new(move |machine: &mut Machine| {
                    let code = change(&machine.object.ops[op].routine.code);
                    machine.object.ops[op].routine.code = code;
                });
                all.push(Mutant { key, machine: damaged, apply });
            }
        }
    }
    all
}

/// Code into damaged code.
pub(super) type Change = Box<dyn Fn(&[Instr]) -> Vec<Instr>>;

fn changes(code: &[Instr], pc: usize) -> Vec<(&'static str, Change)> {
    let mut all: Vec<(&'static str, Change)> = Vec::new();
    match &code[pc].kind {
        InstrKind::Branch { condition, .. } => {
            if let Some(equal) = rechecks(condition, code) {
                all.push(("drop re-check", Box::new(move |code| drop_check(code, pc, equal))));
            }
        }
        InstrKind::Cas { .. } => all.push(("cas to write", Box::new(move |code| weaken(code, pc)))),
        InstrKind::Enter if splittable(code, pc) => {
            all.push(("split atomic", Box::new(move |code| split(code, pc))));
        }
        _ => {}
    }
    if swappable(code, pc) {
        all.push(("swap steps", Box::new(move |code| swap(code, pc))));
    }
    all
}

/// A comparison of a local with what an access has just found: which branch is taken when nothing changed.
fn rechecks(condition: &Expr, code: &[Instr]) -> Option<bool> {
    let Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), a, b) = condition else { return None };
    let (Expr::Slot(a), Expr::Slot(b)) = (&**a, &**b) else { return None };
    let found = |slot: &Slot| code.iter().any(|i| touches(&i.kind).is_some_and(|t| t.writes.contains(slot)));
    (found(a) || found(b)).then_some(*op == BinaryOp::Eq)
}

fn drop_check(code: &[Instr], pc: usize, equal: bool) -> Vec<Instr> {
    let mut code = code.to_vec();
    if let InstrKind::Branch { yes, no, .. } = code[pc].kind {
        code[pc].kind = InstrKind::Jump(if equal { yes } else { no });
    }
    code
}

fn weaken(code: &[Instr], pc: usize) -> Vec<Instr> {
    let mut code = code.to_vec();
    if let InstrKind::Cas { slot, place, new, .. } = code[pc].kind.clone() {
        code[pc].kind = InstrKind::Write { place, value: new };
        let set = InstrKind::Set { slot, value: Expr::Const(Value::Bool(true)) };
        let instr = Instr { kind: set, span: code[pc].span, mark: None };
        insert(&mut code, pc + 1, instr, false);
    }
    code
}

/// A block without `await` or `lock`: its accesses become steps of their own.
fn splittable(code: &[Instr], pc: usize) -> bool {
    let end = code[pc..].iter().position(|i| i.kind == InstrKind::Leave);
    let Some(end) = end else { return false };
    !code[pc..pc + end].iter().any(|i| matches!(i.kind, InstrKind::Await(_)))
}

fn split(code: &[Instr], pc: usize) -> Vec<Instr> {
    let mut damaged = code.to_vec();
    let next = |pc: usize| InstrKind::Jump(pc as Pc + 1);
    damaged[pc].kind = next(pc);
    damaged[pc].mark = None;
    for at in block(code, pc as Pc).into_iter().map(|at| at as usize) {
        if code[at].kind == InstrKind::Leave {
            damaged[at].kind = next(at);
        }
    }
    damaged
}

/// Whether the instruction is part of a block, where order within the step does not show.
fn in_block(code: &[Instr], pc: usize) -> bool {
    let enters = (0..code.len()).filter(|at| code[*at].kind == InstrKind::Enter);
    enters.into_iter().any(|enter| block(code, enter as Pc).contains(&(pc as Pc)))
}

/// Two accesses in a row, neither of which uses what the other finds, in a straight line.
fn swappable(code: &[Instr], pc: usize) -> bool {
    let Some(second) = code.get(pc + 1) else { return false };
    let (Some(a), Some(b)) = (touches(&code[pc].kind), touches(&second.kind)) else { return false };
    let independent = a.writes.iter().all(|w| !b.reads.contains(w) && !b.writes.contains(w))
        && b.writes.iter().all(|w| !a.reads.contains(w));
    independent
        && !in_block(code, pc)
        && !is_target(code, pc + 1)
        && code[pc].mark.is_none()
        && second.mark.is_none()
}

fn swap(code: &[Instr], pc: usize) -> Vec<Instr> {
    let mut code = code.to_vec();
    code.swap(pc, pc + 1);
    code
}

fn is_target(code: &[Instr], pc: usize) -> bool {
    code.iter().any(|i| i.kind.targets().contains(&(pc as Pc)))
}

#[derive(Default)]
struct Touches {
    reads: Vec<Slot>,
    writes: Vec<Slot>,
}

/// The slots that an access uses and sets; `None` for what is no access.
fn touches(kind: &InstrKind) -> Option<Touches> {
    use InstrKind::{Cas, Free, Lock, Read, Swap, Unlock, Write};
    if !matches!(kind, Read { .. } | Write { .. } | Cas { .. } | Swap { .. } | Lock(_) | Unlock(_) | Free(_))
    {
        return None;
    }
    let mut t = Touches::default();
    t.writes.extend(kind.defined());
    kind.uses(&mut |slot| t.reads.push(slot));
    Some(t)
}

/// Puts an instruction at `at`; jumps to what stood there go to it if it is to be `met`, or to what follows it now, as
/// before.
pub(super) fn insert(code: &mut Vec<Instr>, at: usize, instr: Instr, met: bool) {
    let shift = |to: &mut Pc| {
        if *to as usize >= at + usize::from(met) {
            *to += 1;
        }
    };
    for i in code.iter_mut() {
        i.kind.targets_mut(shift);
    }
    code.insert(at, instr);
}
