//! Interning: a thing is kept once and known by a number from then on. Storage is exact.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};
use std::marker::PhantomData;

/// A number whose type says what it counts; [`ids`](crate::ids) declares some.
pub trait Id: Copy {
    /// The id with this number.
    fn of(number: u32) -> Self;

    /// Its number.
    fn number(self) -> u32;
}

impl Id for u32 {
    fn of(number: u32) -> u32 {
        number
    }

    fn number(self) -> u32 {
        self
    }
}

/// Declares types of numbers, which cost nothing and cannot be mistaken for one another.
#[macro_export]
macro_rules! ids {
    ($($(#[$doc:meta])* $visible:vis struct $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        $visible struct $name(pub u32);

        impl $crate::interner::Id for $name {
            fn of(number: u32) -> $name {
                $name(number)
            }

            fn number(self) -> u32 {
                self.0
            }
        }
    )*};
}

/// Things, numbered in the order of arrival.
#[derive(Clone, Debug)]
pub struct Interner<T, I = u32> {
    items: Vec<T>,
    table: HashTable<u32>,
    hasher: FixedState,
    payload: u64,
    ids: PhantomData<fn() -> I>,
}

impl<T, I> Default for Interner<T, I> {
    fn default() -> Interner<T, I> {
        Interner {
            items: Vec::new(),
            table: HashTable::new(),
            hasher: FixedState::default(),
            payload: 0,
            ids: PhantomData,
        }
    }
}

impl<T: Hash + Eq, I: Id> Interner<T, I> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The thing with this number.
    pub fn get(&self, id: I) -> &T {
        &self.items[id.number() as usize]
    }

    /// All of them, in the order of their numbers.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// The same, without their numbers.
    pub fn into_items(self) -> Vec<T> {
        self.items
    }

    /// The number of a thing that equals `item`, if there is one. `Q` must hash as `T` does.
    pub fn find<Q>(&self, item: &Q) -> Option<I>
    where
        T: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.known(self.hasher.hash_one(item), item)
    }

    /// The number of a thing that equals `item`, and whether it is new; `own` makes it then. `Q` must hash as `T` does.
    pub fn intern<Q>(&mut self, item: &Q, own: impl FnOnce() -> T) -> (I, bool)
    where
        T: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let hash = self.hasher.hash_one(item);
        match self.known(hash, item) {
            Some(id) => (id, false),
            None => (self.add(hash, own()), true),
        }
    }

    /// The number of a thing, and whether it is new; `owns` says what a new one owns outside of itself.
    pub fn insert(&mut self, item: T, owns: impl FnOnce(&T) -> usize) -> (I, bool) {
        let hash = self.hasher.hash_one(&item);
        if let Some(id) = self.known(hash, &item) {
            return (id, false);
        }
        self.owns(owns(&item));
        (self.add(hash, item), true)
    }

    fn known<Q: Eq + ?Sized>(&self, hash: u64, item: &Q) -> Option<I>
    where
        T: Borrow<Q>,
    {
        self.table.find(hash, |id| self.items[*id as usize].borrow() == item).map(|id| I::of(*id))
    }

    fn add(&mut self, hash: u64, item: T) -> I {
        let (items, hasher) = (&self.items, &self.hasher);
        let id = u32::try_from(items.len()).expect("fewer than 2^32 things");
        self.table.insert_unique(hash, id, |id| hasher.hash_one(&items[*id as usize]));
        self.items.push(item);
        I::of(id)
    }

    /// Notes memory that an item owns outside of itself.
    pub fn owns(&mut self, bytes: usize) {
        self.payload += bytes as u64;
    }

    /// Memory in use.
    pub fn bytes(&self) -> u64 {
        let items = self.items.capacity() * std::mem::size_of::<T>();
        (items + 5 * self.table.capacity() * 8 / 7) as u64 + self.payload
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::ids! {
        /// A word.
        struct WordId;
    }

    #[test]
    fn equal_things_have_one_number() {
        let mut words: Interner<String, WordId> = Interner::default();
        let (first, new) = words.intern("a", || "a".into());
        assert!(new && words.len() == 1);
        assert_eq!(words.intern("a", || unreachable!("it is known")), (first, false));
        let (second, new) = words.insert("b".into(), |word| word.len());
        assert!(new && first != second);
        assert_eq!(words.insert("b".into(), |_| unreachable!("it is known")), (second, false));
        assert_eq!((words.get(first).as_str(), words.get(second).as_str()), ("a", "b"));
        assert_eq!((words.find("b"), words.find("c")), (Some(second), None));
        // Many more, so that the table grows and every hash is computed again.
        for n in 0..1000 {
            words.insert(format!("word {n}"), String::len);
        }
        assert_eq!((words.intern("b", String::new), words.len()), ((second, false), 1002));
    }

    #[test]
    fn what_things_own_is_counted() {
        let mut words: Interner<String> = Interner::default();
        let before = words.bytes();
        words.insert("abc".into(), |_| 1000);
        assert!(words.bytes() >= before + 1000);
    }
}
