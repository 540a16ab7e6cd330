//! The names of labels, each once.

use crate::system::LabelId;
use trueline_base::Interner;

/// A table of label names; number 0 is tau and is never found by a name.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    /// The names of the visible ones, which are numbered from 1.
    names: Interner<Box<str>>,
}

fn visible(number: u32) -> LabelId {
    LabelId(number + 1)
}

impl Labels {
    /// Tau alone, shown as `tau`.
    pub fn new() -> Labels {
        Labels::default()
    }

    /// How many labels there are, tau included.
    pub fn len(&self) -> usize {
        self.names.len() + 1
    }

    /// Never: tau is always there.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Bytes that the names take.
    pub fn bytes(&self) -> u64 {
        self.names.bytes()
    }

    /// The name of a label; `tau` for the internal action.
    pub fn name(&self, label: LabelId) -> &str {
        match label.0.checked_sub(1) {
            None => "tau",
            Some(number) => self.names.get(number),
        }
    }

    /// The visible label with this name, if there is one.
    pub fn find(&self, name: &str) -> Option<LabelId> {
        self.names.find(name).map(visible)
    }

    /// The visible label with this name, added when it is new.
    pub fn intern(&mut self, name: &str) -> LabelId {
        let (number, new) = self.names.intern(name, || name.into());
        if new {
            self.names.owns(name.len());
        }
        visible(number)
    }

    /// The label of this table that stands for `id`, named `name` in another table.
    pub fn join(&mut self, id: LabelId, name: &str) -> LabelId {
        if id == LabelId::TAU { LabelId::TAU } else { self.intern(name) }
    }

    /// Every label with its name, tau first.
    pub fn iter(&self) -> impl Iterator<Item = (LabelId, &str)> {
        (0..self.len() as u32).map(|id| (LabelId(id), self.name(LabelId(id))))
    }

    /// The labels that stay visible, and what becomes of each label.
    pub(crate) fn hide(&self, hidden: impl Fn(&str) -> bool) -> (Labels, Vec<LabelId>) {
        let mut labels = Labels::new();
        let becomes = |(id, name): (LabelId, &str)| match id {
            LabelId::TAU => LabelId::TAU,
            _ if hidden(name) => LabelId::TAU,
            _ => labels.intern(name),
        };
        let map = self.iter().map(becomes).collect();
        (labels, map)
    }
}
