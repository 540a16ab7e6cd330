//! The life of each value of a container: when it was inserted and when it was removed.

use super::MonitorAnswer;
use super::index::Index;
use crate::datum::Datum;
use crate::history::NEVER;
use crate::search::Interval;
use crate::spec::ContainerOp;

/// The position of the virtual removal of a value that nobody removed: after everything, also after the
/// removals that found nothing.
pub const END: u32 = NEVER - 1;

const NOBODY: u32 = u32::MAX;

/// One value.
#[derive(Clone, Copy, Debug)]
pub struct Life {
    /// Index of the insertion.
    insert: u32,
    /// Index of the removal.
    remove: u32,
    /// When it was inserted.
    pub inserting: Interval,
    /// When it was removed.
    pub removing: Interval,
}

impl Life {
    /// The gaps in which it is surely inside, from the first up to the second; none if they are not in order.
    pub fn surely(&self) -> (u32, u32) {
        (self.inserting.ret.min(self.removing.ret), self.removing.call)
    }

    /// Whether somebody removed it.
    pub fn removed(&self) -> bool {
        self.remove != NOBODY
    }

    /// Whether it need have been inside at all: a pending insertion whose value nobody saw need not.
    pub fn happened(&self) -> bool {
        self.removed() || self.inserting.ret != NEVER
    }

    /// The last gap in which it can be put in, so that nobody who saw it is too early.
    pub fn last_gap(&self, length: u32) -> u32 {
        self.surely().0.min(length) - 1
    }

    /// Index of its insertion.
    pub fn insertion(&self) -> usize {
        self.insert as usize
    }

    /// Index of its removal.
    pub fn removal(&self) -> Option<usize> {
        self.removed().then_some(self.remove as usize)
    }

    /// Its operations.
    pub fn operations(&self) -> impl Iterator<Item = usize> + use<> {
        [self.insert, self.remove].into_iter().filter(|i| *i != NOBODY).map(|i| i as usize)
    }
}

/// All values, and the operations that found nothing.
#[derive(Clone, Debug)]
pub struct ValueTable<'a> {
    ops: &'a [ContainerOp],
    /// The values that matter, in the order of their insertions in the history.
    pub lives: Vec<Life>,
    /// Removals and looks that found nothing.
    pub empties: Vec<(usize, Interval)>,
    /// Looks that saw a value, with its index in `lives`.
    pub peeks: Vec<(usize, u32, Interval)>,
    /// Removals that never returned.
    pub pending_removals: Vec<usize>,
    /// Number of positions.
    pub length: u32,
}

impl<'a> ValueTable<'a> {
    /// Sorts operations by value. The error is an outcome that is already clear.
    pub fn new(ops: &'a [ContainerOp], spans: &[Interval]) -> Result<ValueTable<'a>, MonitorAnswer> {
        let mut index = Index::new(ops.len());
        let mut lives: Vec<Life> = Vec::new();
        let mut length = 0;
        let mut repeated = false;
        for (i, (op, span)) in ops.iter().zip(spans).enumerate() {
            length = length.max(span.call + 1).max(if span.ret == NEVER { 0 } else { span.ret + 1 });
            if let ContainerOp::Insert(v) = op {
                if !index.insert(v, lives.len() as u32) {
                    repeated = true;
                    continue;
                }
                let removing = Interval { call: END, ret: NEVER };
                lives.push(Life { insert: i as u32, remove: NOBODY, inserting: *span, removing });
            }
        }
        if repeated {
            return Err(surplus(ops, spans, &index, lives.len()));
        }
        let mut empties = Vec::new();
        let mut peeks = Vec::new();
        let mut pending_removals = Vec::new();
        for (i, (op, span)) in ops.iter().zip(spans).enumerate() {
            match op {
                ContainerOp::Insert(_) | ContainerOp::PeekAny => {}
                ContainerOp::Remove(v) => {
                    let Some(at) = index.get(v) else { return Err(MonitorAnswer::Fails(vec![i])) };
                    let life = &mut lives[at as usize];
                    if span.ret == NEVER {
                        return Err(MonitorAnswer::Unsuited);
                    }
                    // Delivered twice: whatever happens to other values, it was there once.
                    if life.removed() {
                        return Err(MonitorAnswer::Fails(life.operations().chain([i]).collect()));
                    }
                    life.remove = i as u32;
                    life.removing = *span;
                    if span.ret < life.inserting.call {
                        return Err(MonitorAnswer::Fails(life.operations().collect()));
                    }
                }
                ContainerOp::RemoveEmpty | ContainerOp::PeekEmpty => empties.push((i, *span)),
                ContainerOp::RemoveAny if span.ret == NEVER => pending_removals.push(i),
                ContainerOp::Peek(v) => match index.get(v) {
                    None => return Err(MonitorAnswer::Fails(vec![i])),
                    Some(at) if span.ret < lives[at as usize].inserting.call => {
                        let insert = lives[at as usize].insert as usize;
                        return Err(MonitorAnswer::Fails(vec![insert, i]));
                    }
                    Some(at) => peeks.push((i, at, *span)),
                },
                ContainerOp::RemoveAny | ContainerOp::RemoveSome => return Err(MonitorAnswer::Unsuited),
            }
        }
        let mut table = ValueTable { ops, lives, empties, peeks, pending_removals, length };
        table.tighten()?;
        // An insertion that never returned and whose value nobody saw need not have happened.
        if table.pending_removals.is_empty() && table.peeks.is_empty() {
            table.lives.retain(|l| l.removed() || l.inserting.ret != NEVER);
        }
        Ok(table)
    }

    /// A value was inside when somebody saw it: it was inserted before that ended and removed after that began.
    fn tighten(&mut self) -> Result<(), MonitorAnswer> {
        for &(i, at, span) in &self.peeks {
            let life = &mut self.lives[at as usize];
            if life.removing.ret < span.call {
                return Err(MonitorAnswer::Fails(life.operations().chain([i]).collect()));
            }
            life.inserting.ret = life.inserting.ret.min(span.ret);
            life.removing.call = life.removing.call.max(span.call);
        }
        Ok(())
    }

    /// The value of a life.
    pub fn value(&self, life: &Life) -> &'a Datum {
        match &self.ops[life.insert as usize] {
            ContainerOp::Insert(v) => v,
            other => unreachable!("{other:?} inserts nothing"),
        }
    }

    /// A pending removal took this value; the answer undoes it.
    pub fn take(&mut self, value: usize, removal: usize, spans: &[Interval]) -> Life {
        let before = self.lives[value];
        let life = &mut self.lives[value];
        life.remove = removal as u32;
        life.removing = spans[removal];
        // Nobody sees it after it was taken.
        for (.., span) in self.peeks.iter().filter(|(_, at, _)| *at as usize == value) {
            life.removing.call = life.removing.call.max(span.call);
        }
        before
    }
}

/// Values that are put in more than once cannot be told apart, but one that comes out more often than anybody put it
/// in is wrong whatever else happens.
fn surplus(ops: &[ContainerOp], spans: &[Interval], index: &Index<'_>, values: usize) -> MonitorAnswer {
    let mut balance = vec![0i64; values];
    for op in ops {
        if let ContainerOp::Insert(v) = op
            && let Some(at) = index.get(v)
        {
            balance[at as usize] += 1;
        }
    }
    for (i, (op, span)) in ops.iter().zip(spans).enumerate() {
        let ContainerOp::Remove(v) = op else { continue };
        if span.ret == NEVER {
            continue;
        }
        let Some(at) = index.get(v) else { return MonitorAnswer::Fails(vec![i]) };
        balance[at as usize] -= 1;
        if balance[at as usize] < 0 {
            let of_value =
                |op: &ContainerOp| matches!(op, ContainerOp::Insert(w) | ContainerOp::Remove(w) if w == v);
            return MonitorAnswer::Fails((0..ops.len()).filter(|i| of_value(&ops[*i])).collect());
        }
    }
    MonitorAnswer::Unsuited
}
