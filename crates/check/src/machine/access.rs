//! Accesses: what touches a cell or the allocator.

use super::eval::{eval, index, number};
use super::run::{Context, RunEnd};
use super::state::{Cell, Link, SHARED, State};
use super::touched::Touched;
use super::ways::Ways;
use crate::canonical::forgotten;
use trueline_base::Value;
use trueline_base::verdict::Finding;
use trueline_lang::ir::{Choice, Expr, InstrKind, Memory, Place, Slot, Stride, StructId};

/// Why the way does not go on behind an access.
pub(crate) enum AccessEnd {
    Finding(Finding),
    /// The way does not exist: somebody else has to act first.
    Blocked,
}

impl From<Finding> for AccessEnd {
    fn from(finding: Finding) -> AccessEnd {
        AccessEnd::Finding(finding)
    }
}

impl From<AccessEnd> for RunEnd {
    fn from(halt: AccessEnd) -> RunEnd {
        match halt {
            AccessEnd::Finding(finding) => RunEnd::Finding(finding),
            AccessEnd::Blocked => RunEnd::Blocked,
        }
    }
}

/// Executes an access.
pub(crate) fn access(
    cx: &Context<'_>,
    kind: &InstrKind,
    state: &mut State,
    frame: &mut [Value],
    ways: &mut Ways,
    touched: &mut Touched,
) -> Result<(), AccessEnd> {
    let me = cx.me;
    let owned = |e: &Expr, frame: &[Value]| eval(e, frame, me).map(|v| v.into_owned());
    match kind {
        InstrKind::Read { slot, place } => {
            let cell = cx.locate(place, state, frame)?;
            frame[slot.0 as usize] = cx.read(state, cell, touched)?.clone();
        }
        InstrKind::Write { place, value } => {
            let cell = cx.locate(place, state, frame)?;
            let value = owned(value, frame)?;
            cx.write(state, cell, value, touched)?;
        }
        InstrKind::Cas { slot, place, old, new } => {
            let cell = cx.locate(place, state, frame)?;
            let (old, new) = (owned(old, frame)?, owned(new, frame)?);
            let equal = *cx.read(state, cell, touched)? == old;
            if equal {
                cx.write(state, cell, new, touched)?;
            }
            frame[slot.0 as usize] = Value::Bool(equal);
        }
        InstrKind::Cmpxchg { slot, place, old, new } => {
            let cell = cx.locate(place, state, frame)?;
            let (old, new) = (owned(old, frame)?, owned(new, frame)?);
            let before = cx.read(state, cell, touched)?.clone();
            if before == old {
                cx.write(state, cell, new, touched)?;
            }
            frame[slot.0 as usize] = before;
        }
        InstrKind::Swap { slot, place, value } => {
            let cell = cx.locate(place, state, frame)?;
            let value = owned(value, frame)?;
            let before = cx.read(state, cell, touched)?.clone();
            cx.write(state, cell, value, touched)?;
            frame[slot.0 as usize] = before;
        }
        InstrKind::Faa { slot, place, amount, low, high } => {
            let cell = cx.locate(place, state, frame)?;
            let amount = number(amount, frame, me)?;
            let Value::Int(before) = *cx.read(state, cell, touched)? else {
                panic!("faa on what is no number")
            };
            let sum = before as i64 + amount as i64;
            if sum < *low as i64 || sum > *high as i64 {
                let all = (*low, *high) == (i32::MIN, i32::MAX);
                return Err(if all { Finding::Overflow } else { Finding::Range }.into());
            }
            cx.write(state, cell, Value::Int(sum as i32), touched)?;
            frame[slot.0 as usize] = Value::Int(before);
        }
        InstrKind::Tas { slot, place } => {
            let cell = cx.locate(place, state, frame)?;
            let before = cx.read(state, cell, touched)?.clone();
            cx.write(state, cell, Value::Bool(true), touched)?;
            frame[slot.0 as usize] = before;
        }
        InstrKind::Dcas { slot, first, second } => {
            let (p1, o1, n1) = first;
            let (p2, o2, n2) = second;
            let one = cx.locate(p1, state, frame)?;
            let (old_one, new_one) = (owned(o1, frame)?, owned(n1, frame)?);
            let two = cx.locate(p2, state, frame)?;
            let (old_two, new_two) = (owned(o2, frame)?, owned(n2, frame)?);
            let equal_one = *cx.read(state, one, touched)? == old_one;
            let equal_two = *cx.read(state, two, touched)? == old_two;
            if equal_one && equal_two {
                cx.write(state, one, new_one, touched)?;
                cx.write(state, two, new_two, touched)?;
            }
            frame[slot.0 as usize] = Value::Bool(equal_one && equal_two);
        }
        InstrKind::LoadLinked { slot, place } => {
            let cell = cx.locate(place, state, frame)?;
            frame[slot.0 as usize] = cx.read(state, cell, touched)?.clone();
            let link = Link { thread: me, cell };
            if let Err(at) = state.links.binary_search(&link) {
                state.links.insert(at, link);
            }
        }
        InstrKind::StoreConditional { slot, place, value, weak } => {
            let cell = cx.locate(place, state, frame)?;
            let value = owned(value, frame)?;
            cx.read(state, cell, touched)?;
            let spurious = *weak && ways.pick(2, |option| Choice::Branch(option as u16)) == Some(1);
            let linked = state.links.binary_search(&Link { thread: me, cell });
            if let Ok(at) = linked {
                state.links.remove(at);
            }
            let stores = linked.is_ok() && !spurious;
            if stores {
                cx.write(state, cell, value, touched)?;
            }
            frame[slot.0 as usize] = Value::Bool(stores);
        }
        InstrKind::Validate { slot, place } => {
            let cell = cx.locate(place, state, frame)?;
            cx.read(state, cell, touched)?;
            let linked = state.links.binary_search(&Link { thread: me, cell }).is_ok();
            frame[slot.0 as usize] = Value::Bool(linked);
        }
        InstrKind::Lock(place) => {
            let cell = cx.locate(place, state, frame)?;
            match *cx.read(state, cell, touched)? {
                Value::Lock(None) => cx.write(state, cell, Value::Lock(Some(me)), touched)?,
                Value::Lock(Some(_)) => return Err(AccessEnd::Blocked),
                ref other => panic!("{other:?} is no lock"),
            }
        }
        InstrKind::Unlock(place) => {
            let cell = cx.locate(place, state, frame)?;
            if *cx.read(state, cell, touched)? != Value::Lock(Some(me)) {
                return Err(Finding::Lock.into());
            }
            cx.write(state, cell, Value::Lock(None), touched)?;
        }
        InstrKind::Free(reference) => match *eval(reference, frame, me)? {
            Value::Ref(address) => {
                let head = &mut state.heap.heads[address as usize];
                if std::mem::replace(&mut head.freed, true) {
                    return Err(Finding::DoubleFree.into());
                }
            }
            Value::Null => return Err(Finding::Null.into()),
            ref other => panic!("free of {other:?}"),
        },
        InstrKind::New { slot, kind, .. } => cx.allocate(*slot, *kind, state, frame, ways),
        other => panic!("{other:?} is no access"),
    }
    Ok(())
}

impl Context<'_> {
    /// The cell that a place means now.
    fn locate(&self, place: &Place, state: &State, frame: &[Value]) -> Result<Cell, Finding> {
        match place {
            Place::Shared { first, index } => {
                Ok(Cell { address: SHARED, index: first + self.offset(index, frame)? })
            }
            Place::Field { object, kind, first, index } => {
                let address = match *eval(object, frame, self.me)? {
                    Value::Ref(address) => address,
                    Value::Null => return Err(Finding::Null),
                    ref other => panic!("{other:?} is no reference"),
                };
                debug_assert_eq!(state.heap.heads[address as usize].kind, *kind, "a place of another struct");
                Ok(Cell { address, index: first + self.offset(index, frame)? })
            }
        }
    }

    fn offset(&self, strides: &[Stride], frame: &[Value]) -> Result<u32, Finding> {
        let mut offset = 0;
        for stride in strides {
            let at = index(&*eval(&stride.index, frame, self.me)?);
            let at = at.filter(|at| *at < stride.len as usize).ok_or(Finding::Bounds)?;
            offset += at as u32 * stride.stride;
        }
        Ok(offset)
    }

    /// Looks at a cell: under `manual` it must not be freed.
    fn read<'s>(&self, state: &'s State, cell: Cell, touched: &mut Touched) -> Result<&'s Value, Finding> {
        touched.reads.push(cell);
        if self.module.memory == Memory::Manual && freed(state, cell) {
            return Err(Finding::UseAfterFree);
        }
        Ok(state.cell(cell))
    }

    /// A write that takes effect: the cell must not be freed.
    fn write(
        &self,
        state: &mut State,
        cell: Cell,
        value: Value,
        touched: &mut Touched,
    ) -> Result<(), Finding> {
        touched.writes.push(cell);
        if freed(state, cell) {
            return Err(Finding::UseAfterFree);
        }
        state.write(cell, value);
        Ok(())
    }

    /// `new` under `manual` and `pool`: a freed address of this struct that somebody can still reach, or one other;
    /// where cells keep what they held, one address per different contents of those that nobody can reach.
    fn allocate(&self, slot: Slot, kind: StructId, state: &mut State, frame: &mut [Value], ways: &mut Ways) {
        let reachable = state.reachable(frame);
        let keeps = !self.module.structs[kind.0 as usize].kept.is_empty();
        let fits = |a: &u32| {
            let head = &state.heap.heads[*a as usize];
            head.freed && head.kind == kind && (keeps || reachable[*a as usize])
        };
        let fresh = state.heap.heads.len() as u32;
        let mut offers: Vec<u32> = (0..fresh).filter(fits).chain([fresh]).collect();
        if keeps {
            forgotten::distinct(state, self.module, &reachable, &mut offers);
        }
        let option = ways.pick(offers.len() as u32, |option| Choice::Address(offers[option as usize]));
        let address = offers[option.expect("a fresh address is always offered") as usize];
        let defaults = &self.module.structs[kind.0 as usize].cells;
        if address == fresh {
            state.heap.push(kind, defaults);
        } else {
            // A pool keeps what the struct held; elsewhere it begins as a fresh one does. So do the cells of a forgotten
            // struct that are not kept: they are written before anybody can look.
            let alone = keeps && forgotten::alone(state, self.module, &reachable, address);
            let kept = &self.module.structs[kind.0 as usize].kept;
            for (index, value) in (0..).zip(defaults) {
                if self.module.memory != Memory::Pool || (alone && !kept.contains(&index)) {
                    state.write(Cell { address, index }, value.clone());
                }
            }
            let head = &mut state.heap.heads[address as usize];
            (head.freed, head.forgotten) = (false, false);
        }
        frame[slot.0 as usize] = Value::Ref(address);
    }
}

fn freed(state: &State, cell: Cell) -> bool {
    cell.address != SHARED && state.heap.heads[cell.address as usize].freed
}
