//! Reading ahead in large tables.
//!
//! Algorithms on graphs wait for memory most of the time, one place after the other, because what
//! they do with a place keeps the processor from looking further. A loop that only reads lets it
//! wait for many places at once; what follows finds them in the cache. Results never change.

/// So many nodes are read ahead together.
pub(crate) const BATCH: usize = 32;

/// Reads some words and forgets them.
#[inline]
pub(crate) fn fetch(words: impl Iterator<Item = u32>) {
    std::hint::black_box(words.fold(0, |sum, word| sum ^ word));
}
