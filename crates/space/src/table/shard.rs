//! A part of the index of a table: open addressing, entries in an order that their hashes tell.

use super::{Batch, SHARD_BITS};
use crate::word::Word;
use crate::words::Words;

/// Numbers above this one are pending: places in the list of new words of a shard, counted from the end.
pub(super) const PENDING: u32 = u32::MAX - (1 << 24);
/// Slots of a shard that is small: it doubles, where memory is not short.
const SMALL: usize = 1 << 18;
/// Words looked up together: as many as a set of bits has room for.
pub(super) const AHEAD: usize = u32::BITS as usize;

/// The shard that a word with this hash belongs to.
#[inline]
pub(super) fn shard_of(hash: u64) -> usize {
    (hash >> (64 - SHARD_BITS)) as usize
}

/// What tells words of a shard apart, as a rule, and where each belongs in it.
#[inline]
pub(super) fn tag(hash: u64) -> u32 {
    (hash >> (32 - SHARD_BITS)) as u32
}

/// The tag in an entry that is a number.
#[inline]
pub(super) fn tag_of_number(slot: u64) -> u32 {
    (slot >> 32) as u32
}

/// The tag of an entry that is a word.
#[inline]
fn tag_of_word(slot: u64) -> u32 {
    tag(slot.hash())
}

/// An entry for a number that was found by its tag.
#[inline]
pub(super) fn entry(tag: u32, number: u32) -> u64 {
    (tag as u64) << 32 | (number + 1) as u64
}

/// A part of the index, and what it did with the last batches. Two workers never write to the same line of a cache.
#[repr(align(128))]
pub(super) struct Shard {
    /// A word, or a tag above a number plus one; 0 is empty.
    pub slots: Vec<u64>,
    pub used: usize,
    /// Whether memory is short.
    pub sparing: bool,
    /// Batch, place in it and slot of each word that was new.
    pub new: Vec<(u32, u32, u32)>,
    /// What was found for each word, where that was asked for: a number, or a place in `new` counted from the end.
    pub found: Vec<u32>,
}

/// So many empty slots. They are written, which zeroed memory is not: a page that is read before it is written takes two
/// faults, and with several workers the second interrupts all of them.
fn written(len: usize) -> Vec<u64> {
    let mut slots = std::hint::black_box(Vec::with_capacity(len));
    slots.resize(len, 0);
    slots
}

impl Shard {
    pub fn empty() -> Shard {
        Shard { slots: vec![0; 64], used: 0, sparing: false, new: Vec::new(), found: Vec::new() }
    }

    /// Where a tag begins to look.
    #[inline]
    pub fn place(&self, tag: u32) -> usize {
        ((tag as u64 * self.slots.len() as u64) >> 32) as usize
    }

    /// Makes room for so many more. `tag_of` gives the tag of what is in a slot.
    #[inline]
    pub fn reserve(&mut self, more: usize, tag_of: impl Fn(u64) -> u32) {
        let needed = self.used + more;
        if needed * 4 > self.slots.len() * 3 {
            self.grow(needed, tag_of);
        }
    }

    #[cold]
    fn grow(&mut self, needed: usize, tag_of: impl Fn(u64) -> u32) {
        let len = self.larger().max(needed * 3 / 2);
        assert!(len < 1 << 32, "a shard has fewer than 2^32 slots");
        let old = std::mem::replace(&mut self.slots, written(len));
        for slot in old.into_iter().filter(|slot| *slot != 0) {
            self.put(slot, tag_of(slot));
        }
    }

    /// How many slots there are to be next.
    fn larger(&self) -> usize {
        let len = self.slots.len();
        if self.sparing || len >= SMALL { len * 3 / 2 } else { len * 2 }
    }

    /// What growing needs for a moment beside what is in use.
    pub fn growth(&self) -> u64 {
        8 * self.larger() as u64
    }

    /// Enters what is not there yet.
    fn put(&mut self, entry: u64, tag: u32) {
        let mut at = self.place(tag);
        while self.slots[at] != 0 {
            at = self.after(at);
        }
        self.slots[at] = entry;
    }

    /// Enters the number of a word that is not there yet.
    pub fn put_number(&mut self, number: u32, tag: u32) {
        self.put(entry(tag, number), tag);
        self.used += 1;
        self.reserve(1, tag_of_number);
    }

    /// The slot behind one.
    #[inline]
    fn after(&self, at: usize) -> usize {
        if at + 1 == self.slots.len() { 0 } else { at + 1 }
    }

    /// Adds a word that stands for itself; says whether it is new.
    #[inline]
    pub fn add_self(&mut self, word: u64, tag: u32) -> bool {
        debug_assert_ne!(word, 0, "zero marks what is empty");
        let mut at = self.place(tag);
        while self.slots[at] != 0 {
            if self.slots[at] == word {
                return false;
            }
            at = self.after(at);
        }
        self.slots[at] = word;
        self.used += 1;
        // A place is free after this one, so that the next search ends.
        self.reserve(1, tag_of_word);
        true
    }

    /// Looks up every word of some batches that belongs here, where words stand for themselves.
    pub fn insert_selves<W: Word>(&mut self, batches: &[Batch<'_, W>], shard: usize) {
        self.new.clear();
        for (number, batch) in batches.iter().enumerate() {
            for group in batch.sorted.items[shard].chunks(AHEAD) {
                let mut others = 0u32;
                for (at, item) in group.iter().enumerate() {
                    let known = self.slots[self.place(item.tag)] == item.word.low();
                    others |= (!known as u32) << at;
                }
                while others != 0 {
                    let item = group[others.trailing_zeros() as usize];
                    if self.add_self(item.word.low(), item.tag) {
                        self.new.push((number as u32, item.at, 0));
                    }
                    others &= others - 1;
                }
            }
        }
    }

    /// The first slot with a tag; 0 if there is none.
    pub fn fitting(&self, tag: u32) -> u64 {
        let mut at = self.place(tag);
        loop {
            let slot = self.slots[at];
            if slot == 0 || tag_of_number(slot) == tag {
                return slot;
            }
            at = self.after(at);
        }
    }

    /// Either the number of a word, or the slot where it belongs.
    #[inline]
    pub fn look<W: Word>(&self, word: W, tag: u32, words: impl Fn(u32) -> W) -> Result<u32, usize> {
        let mut at = self.place(tag);
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return Err(at);
            }
            let number = slot as u32 - 1;
            if tag_of_number(slot) == tag && words(number) == word {
                return Ok(number);
            }
            at = self.after(at);
        }
    }

    /// Looks up every word of some batches that belongs here.
    pub fn insert<W: Word>(
        &mut self,
        words: &Words<W>,
        batches: &[Batch<'_, W>],
        shard: usize,
        wanted: bool,
    ) {
        self.new.clear();
        self.found.clear();
        let more: usize = batches.iter().map(|batch| batch.sorted.items[shard].len()).sum();
        self.reserve(more, tag_of_number);
        for (number, batch) in batches.iter().enumerate() {
            for group in batch.sorted.items[shard].chunks(AHEAD) {
                // The sum is never used for anything: it makes the loads independent of one another and of what
                // follows, so that the waits for memory overlap.
                let mut ahead = 0u64;
                for item in group {
                    let slot = self.slots[self.place(item.tag)];
                    if tag_of_number(slot) == item.tag && (slot as u32).wrapping_sub(1) <= PENDING {
                        let word = words.near((slot as u32 - 1) as usize);
                        ahead = ahead.wrapping_add(word.map_or(0, W::low));
                    }
                }
                std::hint::black_box(ahead);
                for item in group {
                    let word = item.word;
                    let known = self.look(word, item.tag, |number| {
                        if number > PENDING {
                            let (batch, at, _) = self.new[(u32::MAX - 1 - number) as usize];
                            return batches[batch as usize].words[at as usize];
                        }
                        words.get(number as usize)
                    });
                    let found = known.unwrap_or_else(|slot| {
                        let pending = u32::MAX - 1 - self.new.len() as u32;
                        assert!(pending > PENDING, "fewer than 2^24 new words at once");
                        self.slots[slot] = entry(item.tag, pending);
                        self.new.push((number as u32, item.at, slot as u32));
                        self.used += 1;
                        pending
                    });
                    if wanted {
                        self.found.push(found);
                    }
                }
            }
        }
    }
}
