//! Freed structs that nobody holds and a `new` may still bring back, with what their kept cells hold.
//!
//! Under `pool`, a `new` that leaves a cell unnamed finds there what the struct held before it was freed
//! (`ir::Struct::kept`). Such structs belong to the state, as a multiset: of each the kept cells, or all its cells
//! where another one refers to it, since code that got hold of that one may look into it. References among them are
//! followed; an order between structs that look alike wherever one follows references from them is that of their
//! addresses. Cost: as many steps as there are ways along references, so linear for lists and trees.

use super::bytes::{number, tag};
use super::encode::UNSEEN;
use crate::machine::state::State;
use trueline_base::Value;
use trueline_lang::ir::{Memory, Module, StructId};

/// Whether the module has structs that may come back with old contents.
pub(crate) fn possible(module: &Module) -> bool {
    module.memory == Memory::Pool && module.structs.iter().any(|s| !s.kept.is_empty())
}

/// A freed struct that nobody holds.
pub(crate) struct Forgotten<'m> {
    pub address: u32,
    kind: StructId,
    /// Its kept cells; none when all its cells count, because another one refers to it.
    kept: Option<&'m [u32]>,
}

impl Forgotten<'_> {
    /// What stands before its contents; never 0.
    pub fn head(&self) -> u32 {
        ((self.kind.0 as u32) << 1 | self.kept.is_none() as u32) + 1
    }

    /// Whether no other one refers to it.
    pub fn alone(&self) -> bool {
        self.kept.is_some()
    }

    /// The cells that count.
    pub fn contents<'s>(&'s self, state: &'s State) -> impl Iterator<Item = &'s Value> {
        let cells = state.heap.cells(self.address);
        let kept = self.kept.into_iter().flatten().map(|at| &cells[*at as usize]);
        let all = cells.iter().filter(|_| self.kept.is_none());
        kept.chain(all)
    }
}

/// The kind of a head read back, and whether all cells follow.
pub(super) fn of_head(head: u32) -> (StructId, bool) {
    (StructId(((head - 1) >> 1) as u16), (head - 1) & 1 == 1)
}

/// Those among the unheld structs that may come back.
pub(crate) fn among<'m>(
    state: &State,
    module: &'m Module,
    unheld: impl Iterator<Item = u32>,
) -> Vec<Forgotten<'m>> {
    let mut found = Vec::new();
    for address in unheld {
        let head = &state.heap.heads[address as usize];
        let kept = &module.structs[head.kind.0 as usize].kept;
        if head.freed && !kept.is_empty() {
            found.push(Forgotten { address, kind: head.kind, kept: Some(kept) });
        }
    }
    let met = state.reachable_from(found.iter().flat_map(|f| f.contents(state)));
    for forgotten in &mut found {
        if met[forgotten.address as usize] {
            forgotten.kept = None;
        }
    }
    found
}

/// The one with the least contents, once the structs that `map` numbers are known by their numbers.
pub(super) fn least<'l, 'm>(
    state: &State,
    left: &'l [Forgotten<'m>],
    map: &[u32],
) -> Option<&'l Forgotten<'m>> {
    let key = |forgotten: &Forgotten<'_>| {
        let mut bytes = Vec::new();
        links(&mut bytes, state, forgotten.address);
        let mut open = vec![forgotten.address];
        forgotten.contents(state).for_each(|value| numbered(&mut bytes, value, state, map, &mut open));
        (forgotten.head(), bytes, forgotten.address)
    };
    left.iter().min_by_key(|forgotten| key(forgotten))
}

/// The links into a struct.
fn links(out: &mut Vec<u8>, state: &State, address: u32) {
    for link in state.links.iter().filter(|link| link.cell.address == address) {
        out.push(link.thread);
        number(out, link.cell.index);
    }
}

/// A value with known references by number, unknown ones by what the struct holds; those that lead back to a struct
/// that is `open` by how far back it is.
fn numbered(out: &mut Vec<u8>, value: &Value, state: &State, map: &[u32], open: &mut Vec<u32>) {
    match value {
        Value::Ref(address) if map[*address as usize] == UNSEEN => {
            out.push(u8::MAX);
            let back = open.iter().rev().position(|a| a == address);
            number(out, back.map_or(0, |back| back as u32 + 1));
            if back.is_none() {
                let head = &state.heap.heads[*address as usize];
                number(out, (head.kind.0 as u32) << 1 | head.freed as u32);
                links(out, state, *address);
                open.push(*address);
                state.heap.cells(*address).iter().for_each(|cell| numbered(out, cell, state, map, open));
                open.pop();
            }
        }
        Value::Ref(address) => tag::reference(out, map[*address as usize]),
        _ if value.children().next().is_some() => {
            tag::open(out, value);
            value.children().for_each(|child| numbered(out, child, state, map, open));
        }
        _ => tag::whole(out, value),
    }
}

/// Whether a freed struct is one that nobody holds and no other forgotten one refers to.
pub(crate) fn alone(state: &State, module: &Module, held: &[bool], address: u32) -> bool {
    let unheld = (0..held.len() as u32).filter(|a| !held[*a as usize]);
    among(state, module, unheld).iter().any(|f| f.address == address && f.alone())
}

/// Leaves one of several addresses that `new` could give out where the choice makes no difference.
pub(crate) fn distinct(state: &State, module: &Module, held: &[bool], offers: &mut Vec<u32>) {
    if !state.links.is_empty() {
        return;
    }
    let unheld = (0..held.len() as u32).filter(|a| !held[*a as usize]);
    let alone = among(state, module, unheld);
    let alone = |a: u32| alone.iter().find(|f| f.address == a && f.alone());
    let mut seen: Vec<Vec<&Value>> = Vec::new();
    offers.retain(|address| {
        let Some(forgotten) = alone(*address) else { return true };
        let contents: Vec<&Value> = forgotten.contents(state).collect();
        let new = !seen.contains(&contents);
        if new {
            seen.push(contents);
        }
        new
    });
}
