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
    /// Bytes that it takes beyond its own size.
    fn heap_bytes(&self) -> usize;
}

impl Mask for u64 {
    fn empty(_: u32) -> u64 {
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
    fn heap_bytes(&self) -> usize {
        0
    }
}

/// A set of any size.
#[derive(Clone, PartialEq, Eq, Hash)]
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
    fn heap_bytes(&self) -> usize {
        self.0.len() * 8
    }
}
