//! Hash-consed signatures of one block: equal signatures get equal keys.
//!
//! Exact: a hit is confirmed word by word. The arena is reused from block to block.

use hashbrown::HashTable;

/// Signatures seen so far, each with a key counted from 0.
#[derive(Default)]
pub(crate) struct SignatureKeys {
    words: Vec<u64>,
    ends: Vec<usize>,
    table: HashTable<u32>,
    sizes: Vec<u32>,
}

/// A fast hash of a few words; quality matters only for speed.
pub(crate) fn hash_words(words: impl ExactSizeIterator<Item = u64>) -> u64 {
    let mut h = words.len() as u64;
    for w in words {
        h = (h.rotate_left(5) ^ w).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    h ^ (h >> 29)
}

impl SignatureKeys {
    pub(crate) fn clear(&mut self) {
        self.words.clear();
        self.ends.clear();
        // Clearing takes time by the room of the table, and most blocks are small.
        if self.table.capacity() > 8 * self.table.len() + 64 {
            self.table = HashTable::new();
        } else {
            self.table.clear();
        }
        self.sizes.clear();
    }

    /// How many nodes got each key.
    pub(crate) fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    pub(crate) fn signature(&self, key: u32) -> &[u64] {
        let start = if key == 0 { 0 } else { self.ends[key as usize - 1] };
        &self.words[start..self.ends[key as usize]]
    }

    /// The key of a signature (sorted, without duplicates), new if need be.
    pub(crate) fn key(&mut self, signature: &[u64]) -> u32 {
        let h = hash_words(signature.iter().copied());
        if let Some(&key) = self.table.find(h, |&key| self.signature(key) == signature) {
            return key;
        }
        let key = self.sizes.len() as u32;
        self.words.extend_from_slice(signature);
        self.ends.push(self.words.len());
        self.sizes.push(0);
        let mut table = std::mem::take(&mut self.table);
        table.insert_unique(h, key, |&key| hash_words(self.signature(key).iter().copied()));
        self.table = table;
        key
    }

    /// One more node has this key.
    pub(crate) fn count(&mut self, key: u32) {
        self.sizes[key as usize] += 1;
    }

    pub(crate) fn bytes(&self) -> u64 {
        (self.words.capacity() * 8 + self.ends.capacity() * 24) as u64
    }
}
