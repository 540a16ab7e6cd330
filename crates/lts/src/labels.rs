//! The names of labels, each once.

use crate::system::LabelId;
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// A table of label names; number 0 is tau and is never found by a name.
#[derive(Clone, Debug)]
pub struct Labels {
    names: Vec<Box<str>>,
    ids: HashTable<u32>,
    text: u64,
}

fn hash(name: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(name.as_bytes());
    hasher.finish()
}

impl Default for Labels {
    fn default() -> Labels {
        Labels::new()
    }
}

impl Labels {
    /// Tau alone, shown as `tau`.
    pub fn new() -> Labels {
        Labels { names: vec!["tau".into()], ids: HashTable::new(), text: 0 }
    }

    /// How many labels there are, tau included.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Never: tau is always there.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Bytes that the names take.
    pub fn bytes(&self) -> u64 {
        self.text + self.names.len() as u64 * 24
    }

    /// The name of a label; `tau` for the internal action.
    pub fn name(&self, label: LabelId) -> &str {
        &self.names[label.index()]
    }

    /// The visible label with this name, if there is one.
    pub fn find(&self, name: &str) -> Option<LabelId> {
        let found = self.ids.find(hash(name), |&id| *self.names[id as usize] == *name);
        found.map(|&id| LabelId(id))
    }

    /// The visible label with this name, added when it is new.
    pub fn intern(&mut self, name: &str) -> LabelId {
        if let Some(id) = self.find(name) {
            return id;
        }
        let id = self.names.len() as u32;
        self.names.push(name.into());
        self.text += name.len() as u64;
        let names = &self.names;
        self.ids.insert_unique(hash(name), id, |&id| hash(&names[id as usize]));
        LabelId(id)
    }

    /// The label of this table that stands for `id`, named `name` in another table.
    pub fn join(&mut self, id: LabelId, name: &str) -> LabelId {
        if id == LabelId::TAU { LabelId::TAU } else { self.intern(name) }
    }

    /// Every label with its name, tau first.
    pub fn iter(&self) -> impl Iterator<Item = (LabelId, &str)> {
        self.names.iter().enumerate().map(|(id, name)| (LabelId(id as u32), &**name))
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
