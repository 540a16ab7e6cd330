//! Sets of slots: which of the open operations are already in the order.

use std::hash::Hash;

/// A set of small numbers.
pub trait Mask: Clone + Eq + Hash {
    /// The empty set, for numbers below `slots`.
    fn empty(slots: u32) -> Self;
    /// Whether it contains a number.
    fn get(&self, slot: u32) -> bool;
    /// Puts a number in.
    fn set(&mut self, slot: u32);
    /// Takes a number out.
    fn clear(&mut self, slot: u32);
    /// The numbers below `at`, and the others.
    fn split(self, at: u32) -> (Self, Self);
    /// Whether every number in it is in the other.
    fn within(&self, other: &Self) -> bool;
    /// Bytes that it takes beyond its own size.
    fn heap_bytes(&self) -> usize;
}

macro_rules! word {
    ($word:ty) => {
        impl Mask for $word {
            fn empty(_: u32) -> $word {
                0
            }
            fn get(&self, slot: u32) -> bool {
                self >> slot & 1 == 1
            }
            fn set(&mut self, slot: u32) {
                *self |= 1 << slot;
            }
            fn clear(&mut self, slot: u32) {
                *self &= !(1 << slot);
            }
            fn split(self, at: u32) -> ($word, $word) {
                let below = (1 as $word).checked_shl(at).map_or(<$word>::MAX, |bit| bit - 1);
                (self & below, self & !below)
            }
            fn within(&self, other: &$word) -> bool {
                self & !other == 0
            }
            fn heap_bytes(&self) -> usize {
                0
            }
        }
    };
}

word!(u64);
word!(u128);

/// A set of any size.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Wide(Box<[u64]>);

impl Mask for Wide {
    fn empty(slots: u32) -> Wide {
        Wide(vec![0; (slots as usize).div_ceil(64)].into())
    }
    fn get(&self, slot: u32) -> bool {
        self.0[slot as usize / 64] >> (slot % 64) & 1 == 1
    }
    fn set(&mut self, slot: u32) {
        self.0[slot as usize / 64] |= 1 << (slot % 64);
    }
    fn clear(&mut self, slot: u32) {
        self.0[slot as usize / 64] &= !(1 << (slot % 64));
    }
    fn split(self, at: u32) -> (Wide, Wide) {
        let halves = self.0.iter().zip(0..).map(|(word, i)| word.split(at.saturating_sub(64 * i).min(64)));
        let (below, above): (Vec<u64>, Vec<u64>) = halves.unzip();
        (Wide(below.into()), Wide(above.into()))
    }
    fn within(&self, other: &Wide) -> bool {
        self.0.iter().zip(&other.0).all(|(own, others)| own.within(others))
    }
    fn heap_bytes(&self) -> usize {
        self.0.len() * 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::property;

    /// The same sets as lists of numbers.
    fn agrees<M: Mask + std::fmt::Debug>(slots: u32) {
        let list = |mask: &M| (0..slots).filter(|s| mask.get(*s)).collect::<Vec<u32>>();
        property::of(2000, 16, |random| {
            let (mut one, mut other) = (M::empty(slots), M::empty(slots));
            for _ in 0..random.below(6) {
                one.set(random.below(slots as usize) as u32);
            }
            if random.one_in(2) {
                other = one.clone();
            }
            for _ in 0..random.below(4) {
                other.set(random.below(slots as usize) as u32);
                other.clear(random.below(slots as usize) as u32);
            }
            let (numbers, others) = (list(&one), list(&other));
            assert_eq!(one.within(&other), numbers.iter().all(|n| others.contains(n)));
            let at = random.below(slots as usize + 1) as u32;
            let (below, above) = one.split(at);
            assert_eq!(list(&below), numbers.iter().copied().filter(|n| *n < at).collect::<Vec<_>>());
            assert_eq!(list(&above), numbers.iter().copied().filter(|n| *n >= at).collect::<Vec<_>>());
        });
    }

    #[test]
    fn sets_of_every_width() {
        agrees::<u64>(64);
        agrees::<u128>(128);
        agrees::<Wide>(200);
        agrees::<Wide>(64);
    }
}
