//! Structs that nobody can reach and nobody freed.
//!
//! A local that is never read again reaches nothing: the slots that count are the live ones.

use std::collections::BTreeSet;
use trueline_base::Value;
use trueline_lang::interp::{Phase, State, reachable};
use trueline_lang::ir::{Expr, InstrKind, Machine, Node, Pc, Place, Routine, Slot, Stride};

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

/// The slots that an instruction overwrites whole.
fn defined(kind: &InstrKind) -> Vec<Slot> {
    match kind {
        InstrKind::Set { slot, .. }
        | InstrKind::Choose { slot, .. }
        | InstrKind::New { slot, .. }
        | InstrKind::Read { slot, .. }
        | InstrKind::Cas { slot, .. }
        | InstrKind::Cmpxchg { slot, .. }
        | InstrKind::Swap { slot, .. }
        | InstrKind::Faa { slot, .. }
        | InstrKind::Tas { slot, .. }
        | InstrKind::Dcas { slot, .. }
        | InstrKind::LoadLinked { slot, .. }
        | InstrKind::StoreConditional { slot, .. }
        | InstrKind::Validate { slot, .. } => vec![*slot],
        InstrKind::Collect { result, .. } => result.iter().copied().collect(),
        _ => Vec::new(),
    }
}

fn used(kind: &InstrKind, found: &mut BTreeSet<Slot>) {
    match kind {
        InstrKind::Set { value, .. } => slots(value, found),
        InstrKind::SetElement { slot, path, value } => {
            found.insert(*slot);
            path.iter().chain([value]).for_each(|e| slots(e, found));
        }
        InstrKind::Collect { slot, args, .. } => {
            found.insert(*slot);
            args.iter().for_each(|e| slots(e, found));
        }
        InstrKind::Branch { condition: e, .. }
        | InstrKind::Assume(e)
        | InstrKind::Assert(e)
        | InstrKind::Return(e)
        | InstrKind::Free(e)
        | InstrKind::Await(e) => slots(e, found),
        InstrKind::Choose { low, high, .. } => [low, high].into_iter().for_each(|e| slots(e, found)),
        InstrKind::New { cells, .. } => cells.iter().for_each(|(_, e)| slots(e, found)),
        InstrKind::Read { place, .. }
        | InstrKind::Tas { place, .. }
        | InstrKind::LoadLinked { place, .. }
        | InstrKind::Validate { place, .. }
        | InstrKind::Lock(place)
        | InstrKind::Unlock(place) => place_slots(place, found),
        InstrKind::Write { place, value }
        | InstrKind::Swap { place, value, .. }
        | InstrKind::Faa { place, amount: value, .. }
        | InstrKind::StoreConditional { place, value, .. } => {
            place_slots(place, found);
            slots(value, found);
        }
        InstrKind::Cas { place, old, new, .. } | InstrKind::Cmpxchg { place, old, new, .. } => {
            place_slots(place, found);
            [old, new].into_iter().for_each(|e| slots(e, found));
        }
        InstrKind::Dcas { first, second, .. } => {
            for (place, old, new) in [first, second] {
                place_slots(place, found);
                [old, new].into_iter().for_each(|e| slots(e, found));
            }
        }
        InstrKind::Jump(_)
        | InstrKind::Either(_)
        | InstrKind::Fail(_)
        | InstrKind::Enter
        | InstrKind::Leave => {}
    }
}

fn place_slots(place: &Place, found: &mut BTreeSet<Slot>) {
    let index = match place {
        Place::Shared { index, .. } => index,
        Place::Field { object, index, .. } => {
            slots(object, found);
            index
        }
    };
    index.iter().for_each(|Stride { index, .. }| slots(index, found));
}

fn slots(expr: &Expr, found: &mut BTreeSet<Slot>) {
    match expr {
        Expr::Slot(slot) => {
            found.insert(*slot);
        }
        Expr::Const(_) | Expr::SelfTid => {}
        Expr::Not(e)
        | Expr::Neg(e)
        | Expr::Component(e, _)
        | Expr::IsVariant(e, _)
        | Expr::Payload(e, _)
        | Expr::Present(e)
        | Expr::NonNull(e)
        | Expr::InRange(e, ..)
        | Expr::Repeat(e, _)
        | Expr::TidToInt(e)
        | Expr::TidToVal(e) => slots(e, found),
        Expr::Binary(_, a, b) | Expr::Element(a, b) => {
            slots(a, found);
            slots(b, found);
        }
        Expr::If(a, b, c) => [a, b, c].into_iter().for_each(|e| slots(e, found)),
        Expr::Tuple(es)
        | Expr::Variant(_, es)
        | Expr::Array(es)
        | Expr::Seq(es)
        | Expr::Set(es)
        | Expr::Bag(es) => es.iter().for_each(|e| slots(e, found)),
        Expr::Query(_, e, es) => {
            slots(e, found);
            es.iter().for_each(|e| slots(e, found));
        }
    }
}
