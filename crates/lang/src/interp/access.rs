//! Instructions that touch a cell.

use super::eval::{Environment, eval, int};
use super::exec::{Code, Next, Path, assign};
use super::memory::{locate, read, write};
use super::{Cell, Effect};
use crate::ir::{Choice, Expr, InstrKind, Place};
use trueline_base::Value;
use trueline_base::verdict::Finding;

impl Code<'_> {
    /// The instructions that touch a cell.
    pub(super) fn access(
        self,
        kind: &InstrKind,
        path: &mut Path,
        effects: &mut Vec<Effect>,
    ) -> Result<Next, Finding> {
        let go = Ok(Next::Go(path.pc + 1));
        let memory = self.module.memory;
        let scope = Environment { frame: &path.frame, thread: self.thread };
        let at = |place: &Place| locate(place, scope);
        let ev = |e: &Expr| eval(e, scope);
        match kind {
            InstrKind::Read { slot, place } => {
                let value = read(memory, &path.state, at(place)?, effects)?;
                assign(path, *slot, value, effects);
            }
            InstrKind::Write { place, value } => {
                let (cell, value) = (at(place)?, ev(value)?);
                write(&mut path.state, cell, value, effects)?;
            }
            InstrKind::Cas { slot, place, old, new } | InstrKind::Cmpxchg { slot, place, old, new } => {
                let (cell, old, new) = (at(place)?, ev(old)?, ev(new)?);
                let found = read(memory, &path.state, cell, effects)?;
                let success = found == old;
                if success {
                    write(&mut path.state, cell, new, effects)?;
                }
                let tells = matches!(kind, InstrKind::Cas { .. });
                assign(path, *slot, if tells { Value::Bool(success) } else { found }, effects);
            }
            InstrKind::Swap { slot, place, value } => {
                let (cell, value) = (at(place)?, ev(value)?);
                let found = read(memory, &path.state, cell, effects)?;
                write(&mut path.state, cell, value, effects)?;
                assign(path, *slot, found, effects);
            }
            InstrKind::Faa { slot, place, amount, low, high } => {
                let (cell, amount) = (at(place)?, int(&ev(amount)?));
                let found = read(memory, &path.state, cell, effects)?;
                let sum = i64::from(int(&found)) + i64::from(amount);
                if !(i64::from(*low)..=i64::from(*high)).contains(&sum) {
                    let whole = (*low, *high) == (i32::MIN, i32::MAX);
                    return Err(if whole { Finding::Overflow } else { Finding::Range });
                }
                write(&mut path.state, cell, Value::Int(sum as i32), effects)?;
                assign(path, *slot, found, effects);
            }
            InstrKind::Tas { slot, place } => {
                let cell = at(place)?;
                let found = read(memory, &path.state, cell, effects)?;
                write(&mut path.state, cell, Value::Bool(true), effects)?;
                assign(path, *slot, found, effects);
            }
            InstrKind::Dcas { slot, first, second } => {
                let (cell1, old1, new1) = (at(&first.0)?, ev(&first.1)?, ev(&first.2)?);
                let (cell2, old2, new2) = (at(&second.0)?, ev(&second.1)?, ev(&second.2)?);
                let found1 = read(memory, &path.state, cell1, effects)?;
                let found2 = read(memory, &path.state, cell2, effects)?;
                let success = found1 == old1 && found2 == old2;
                if success {
                    write(&mut path.state, cell1, new1, effects)?;
                    write(&mut path.state, cell2, new2, effects)?;
                }
                assign(path, *slot, Value::Bool(success), effects);
            }
            InstrKind::LoadLinked { slot, place } => {
                let cell = at(place)?;
                let value = read(memory, &path.state, cell, effects)?;
                path.state.threads[self.thread as usize].links.insert(cell);
                assign(path, *slot, value, effects);
            }
            InstrKind::StoreConditional { slot, place, value, weak } => {
                let (cell, value) = (at(place)?, ev(value)?);
                if !weak {
                    let success = self.conditional(path, cell, value, effects)?;
                    assign(path, *slot, Value::Bool(success), effects);
                    return go;
                }
                self.touch(path, cell)?;
                let attempt = self.fork(path, path.pc + 1, Choice::Branch(0), |way, effects| {
                    match self.conditional(way, cell, value, effects) {
                        Ok(success) => assign(way, *slot, Value::Bool(success), effects),
                        Err(finding) => way.failed = Some(finding),
                    }
                });
                let spurious = self.fork(path, path.pc + 1, Choice::Branch(1), |way, effects| {
                    way.state.threads[self.thread as usize].links.remove(&cell);
                    assign(way, *slot, Value::Bool(false), effects);
                });
                return Ok(Next::Fork(vec![attempt, spurious]));
            }
            InstrKind::Validate { slot, place } => {
                let cell = at(place)?;
                self.touch(path, cell)?;
                let linked = path.state.threads[self.thread as usize].links.contains(&cell);
                assign(path, *slot, Value::Bool(linked), effects);
            }
            InstrKind::Lock(place) => {
                let cell = at(place)?;
                match read(memory, &path.state, cell, effects)? {
                    Value::Lock(None) => {
                        write(&mut path.state, cell, Value::Lock(Some(self.thread)), effects)?;
                    }
                    Value::Lock(Some(_)) => return Ok(Next::Wait),
                    other => panic!("lock of {other:?}"),
                }
            }
            InstrKind::Unlock(place) => {
                let cell = at(place)?;
                if read(memory, &path.state, cell, effects)? != Value::Lock(Some(self.thread)) {
                    return Err(Finding::Lock);
                }
                write(&mut path.state, cell, Value::Lock(None), effects)?;
            }
            other => panic!("{other:?} touches no cell"),
        }
        go
    }

    /// A true attempt to store: whether it did.
    fn conditional(
        self,
        path: &mut Path,
        cell: Cell,
        value: Value,
        effects: &mut Vec<Effect>,
    ) -> Result<bool, Finding> {
        self.touch(path, cell)?;
        let linked = path.state.threads[self.thread as usize].links.remove(&cell);
        if linked {
            write(&mut path.state, cell, value, effects)?;
        }
        Ok(linked)
    }

    /// The check of `read`, where nothing is read.
    fn touch(self, path: &Path, cell: Cell) -> Result<(), Finding> {
        read(self.module.memory, &path.state, cell, &mut Vec::new()).map(drop)
    }
}
