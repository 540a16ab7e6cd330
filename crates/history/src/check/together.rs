//! Which keys belong together: those that some operation touches at once, and what hangs together through them.
//!
//! Keys that no chain of operations links are objects of their own, and linearizability is local (Herlihy and Wing, TOPLAS
//! 1990, theorem 1), so that transactions over them are decided apart. Cost: almost linear (union by path halving).

use std::collections::HashMap;

use crate::datum::Datum;
use crate::value::{Value, Values};

/// Keys that are told of a part.
const MOST_TOLD: usize = 6;

/// Sets of keys that belong together.
#[derive(Debug, Default)]
pub(super) struct KeysTogether {
    above: HashMap<Value, Value>,
}

impl KeysTogether {
    /// These keys belong together. Answers one that stands for them so far.
    pub fn join(&mut self, keys: impl IntoIterator<Item = Value>) -> Value {
        let mut all = Value::NONE;
        for key in keys {
            let root = self.root(key);
            if all.is_some() && root != all {
                self.above.insert(root, all);
            } else {
                all = root;
            }
        }
        all
    }

    /// The key that stands for all that belong together with this one.
    pub fn root(&mut self, mut key: Value) -> Value {
        while let Some(&above) = self.above.get(&key)
            && above != key
        {
            let next = self.above.get(&above).copied().unwrap_or(above);
            self.above.insert(key, next);
            key = next;
        }
        self.above.entry(key).or_insert(key);
        key
    }

    /// Names for all sets: a key that is alone is its own, several are a list.
    pub fn names(mut self, keys: &mut Values) -> HashMap<Value, Value> {
        let mut sets: HashMap<Value, Vec<Datum>> = HashMap::new();
        let all: Vec<Value> = self.above.keys().copied().collect();
        for key in all {
            sets.entry(self.root(key)).or_default().extend(keys.get(key));
        }
        let names: HashMap<Value, Value> =
            sets.into_iter().map(|(root, set)| (root, keys.number(name(set)))).collect();
        let all: Vec<Value> = self.above.keys().copied().collect();
        all.into_iter().map(|key| (key, names[&self.root(key)])).collect()
    }
}

/// One name for several keys: a key that is alone is its own, several are a list.
pub(super) fn name(mut keys: Vec<Datum>) -> Datum {
    keys.sort();
    let more = keys.len() > MOST_TOLD;
    keys.truncate(MOST_TOLD);
    keys.extend(more.then(|| Datum::word("…")));
    if keys.len() == 1 { keys.remove(0) } else { Datum::list(keys) }
}
