//! What the threads of a machine can ever touch, by the text of their code.
//!
//! Shared cells are known by number, as far as constant indices and the thread itself tell; cells of structs by the kind
//! of the struct and the place in it. Over-approximates every execution: each operation that a script names, each
//! instruction in it.

use crate::machine::state::{Cell, SHARED, State};
use crate::machine::touched::Touched;
use std::collections::HashSet;
use trueline_base::Value;
use trueline_lang::ir::{EffectKind, Expr, Machine, Place, ScriptNode, Stride, StructId};

/// A shared cell, or a cell of every struct of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Spot {
    Shared(u32),
    Field(StructId, u32),
}

#[derive(Debug, Default)]
struct Spots {
    reads: HashSet<Spot>,
    writes: HashSet<Spot>,
}

/// Per thread, what the others can touch.
#[derive(Debug)]
pub(super) struct Footprints {
    others: Vec<Spots>,
}

impl Footprints {
    pub fn of(machine: &Machine) -> Footprints {
        let own: Vec<Spots> = (0..machine.threads.len()).map(|t| spots(machine, t)).collect();
        let others = |t: usize| {
            let mut all = Spots::default();
            for (_, spots) in own.iter().enumerate().filter(|(other, _)| *other != t) {
                all.reads.extend(&spots.reads);
                all.writes.extend(&spots.writes);
            }
            all
        };
        Footprints { others: (0..machine.threads.len()).map(others).collect() }
    }

    /// Whether no thread but this one can ever touch these cells so that it matters; those of structs from `before` on
    /// are its own.
    pub fn alone(&self, thread: usize, touched: &Touched, state: &State, before: u32) -> bool {
        let spot = |cell: &Cell| match cell.address {
            SHARED => Some(Spot::Shared(cell.index)),
            address if address < before => {
                Some(Spot::Field(state.heap.heads[address as usize].kind, cell.index))
            }
            _ => None,
        };
        let others = &self.others[thread];
        let written = |cell: &Cell| spot(cell).is_some_and(|spot| others.writes.contains(&spot));
        let looked_at = |cell: &Cell| spot(cell).is_some_and(|spot| others.reads.contains(&spot));
        !touched.reads.iter().any(written) && !touched.writes.iter().any(|c| written(c) || looked_at(c))
    }
}

/// What one thread can touch.
fn spots(machine: &Machine, thread: usize) -> Spots {
    let mut all = Spots::default();
    if let Some(main) = machine.main {
        all.reads.insert(Spot::Shared(main.cell));
        all.writes.insert(Spot::Shared(main.cell));
    }
    for node in &machine.threads[thread].script.nodes {
        let ScriptNode::Call(alternatives) = node else { continue };
        for alternative in alternatives {
            let routine = &machine.object.ops[alternative.op.0 as usize].routine;
            for kind in routine.code.iter().map(|instr| &instr.kind) {
                for place in kind.places() {
                    for spot in places(place, thread) {
                        all.reads.insert(spot);
                        if kind.effect() != EffectKind::Read {
                            all.writes.insert(spot);
                        }
                    }
                }
            }
        }
    }
    all
}

/// The cells that a place can mean for a thread.
fn places(place: &Place, thread: usize) -> Vec<Spot> {
    let (first, index) = match place {
        Place::Shared { first, index } | Place::Field { first, index, .. } => (*first, index),
    };
    let mut cells = vec![first];
    for Stride { index, len, stride } in index {
        let options = match index {
            Expr::Const(Value::Int(at)) => *at as u32..*at as u32 + 1,
            Expr::SelfTid => thread as u32..thread as u32 + 1,
            _ => 0..*len,
        };
        cells = cells.iter().flat_map(|cell| options.clone().map(move |at| cell + at * stride)).collect();
    }
    let spot = |cell: u32| match place {
        Place::Shared { .. } => Spot::Shared(cell),
        Place::Field { kind, .. } => Spot::Field(*kind, cell),
    };
    cells.into_iter().map(spot).collect()
}
