//! The life of each value of a container: when it was inserted and when it was removed.

use std::collections::HashMap;

use super::Outcome;
use crate::datum::Datum;
use crate::history::NEVER;
use crate::search::Span;
use crate::spec::ContainerOp;

/// The position of the virtual removal of a value that nobody removed: after everything, also after the
/// removals that found nothing.
pub const END: u32 = NEVER - 1;

/// One value.
#[derive(Clone, Debug)]
pub struct Life<'a> {
    /// The value.
    pub value: &'a Datum,
    /// Index of the insertion.
    pub insert: usize,
    /// Index of the removal.
    pub remove: Option<usize>,
    /// When it was inserted.
    pub inserting: Span,
    /// When it was removed.
    pub removing: Span,
}

impl Life<'_> {
    /// The gaps in which it is surely inside, from the first up to the second; none if they are not in order.
    pub fn surely(&self) -> (u32, u32) {
        (self.inserting.ret.min(self.removing.ret), self.removing.call)
    }

    /// Its operations.
    pub fn operations(&self) -> impl Iterator<Item = usize> + use<> {
        std::iter::once(self.insert).chain(self.remove)
    }
}

/// All values, and the operations that found nothing.
#[derive(Clone, Debug)]
pub struct Table<'a> {
    /// The values that matter, in the order of their insertions in the history.
    pub lives: Vec<Life<'a>>,
    /// Removals and looks that found nothing.
    pub empties: Vec<(usize, Span)>,
    /// Removals that never returned.
    pub pending_removals: Vec<usize>,
    /// Number of positions.
    pub length: u32,
}

impl<'a> Table<'a> {
    /// Sorts operations by value. The error is an outcome that is already clear.
    pub fn new(ops: &'a [ContainerOp], spans: &[Span]) -> Result<Table<'a>, Outcome> {
        let mut index: HashMap<&Datum, usize> = HashMap::with_capacity(ops.len() / 2);
        let mut lives: Vec<Life<'a>> = Vec::with_capacity(ops.len() / 2);
        let mut length = 0;
        for (i, (op, span)) in ops.iter().zip(spans).enumerate() {
            length = length.max(span.call + 1).max(if span.ret == NEVER { 0 } else { span.ret + 1 });
            if let ContainerOp::Insert(v) = op {
                if index.insert(v, lives.len()).is_some() {
                    return Err(Outcome::Unsuited);
                }
                let removing = Span { call: END, ret: NEVER };
                lives.push(Life { value: v, insert: i, remove: None, inserting: *span, removing });
            }
        }
        let mut empties = Vec::new();
        let mut pending_removals = Vec::new();
        for (i, (op, span)) in ops.iter().zip(spans).enumerate() {
            match op {
                ContainerOp::Insert(_) | ContainerOp::PeekAny => {}
                ContainerOp::Remove(v) => {
                    let Some(&at) = index.get(v) else { return Err(Outcome::Fails(vec![i])) };
                    let life = &mut lives[at];
                    if life.remove.is_some() || span.ret == NEVER {
                        return Err(Outcome::Unsuited);
                    }
                    life.remove = Some(i);
                    life.removing = *span;
                    if span.ret < life.inserting.call {
                        return Err(Outcome::Fails(vec![life.insert, i]));
                    }
                }
                ContainerOp::RemoveEmpty | ContainerOp::PeekEmpty => empties.push((i, *span)),
                ContainerOp::RemoveAny if span.ret == NEVER => pending_removals.push(i),
                ContainerOp::RemoveAny | ContainerOp::RemoveSome | ContainerOp::Peek(_) => {
                    return Err(Outcome::Unsuited);
                }
            }
        }
        // An insertion that never returned and whose value nobody saw need not have happened.
        let mut table = Table { lives, empties, pending_removals, length };
        if table.pending_removals.is_empty() {
            table.lives.retain(|l| l.remove.is_some() || l.inserting.ret != NEVER);
        }
        Ok(table)
    }

    /// The values that nobody removed, as indices of `lives`.
    pub fn unremoved(&self) -> impl Iterator<Item = usize> {
        self.lives.iter().enumerate().filter(|(_, l)| l.remove.is_none()).map(|(i, _)| i)
    }

    /// The same where a pending removal took this value.
    pub fn with_removal(&self, value: usize, removal: usize, spans: &[Span]) -> Table<'a> {
        let mut table = self.clone();
        table.lives[value].remove = Some(removal);
        table.lives[value].removing = spans[removal];
        table
    }
}
