//! A map between numbers, for what is looked up at every transition: open addressing, two words an entry.

const EMPTY: u64 = u64::MAX;

/// From 64-bit keys other than `u64::MAX` to 64-bit values.
pub(crate) struct Map {
    slots: Vec<(u64, u64)>,
    len: usize,
}

impl Default for Map {
    fn default() -> Map {
        Map { slots: vec![(EMPTY, 0); 64], len: 0 }
    }
}

/// Spreads the bits of a word: both halves of a product depend on all of them.
#[inline]
pub(crate) fn mix(x: u64) -> u64 {
    let product = (x ^ 0x9E37_79B9_7F4A_7C15) as u128 * 0xBF58_476D_1CE4_E5B9_u128;
    product as u64 ^ (product >> 64) as u64
}

impl Map {
    #[inline]
    pub fn get(&self, key: u64) -> Option<u64> {
        let mask = self.slots.len() - 1;
        let mut at = (mix(key) >> 20) as usize & mask;
        loop {
            let (found, value) = self.slots[at];
            if found == key {
                return Some(value);
            }
            if found == EMPTY {
                return None;
            }
            at = (at + 1) & mask;
        }
    }

    pub fn set(&mut self, key: u64, value: u64) {
        debug_assert_ne!(key, EMPTY, "this key marks empty places");
        if (self.len + 1) * 4 > self.slots.len() * 3 {
            let larger = vec![(EMPTY, 0); 2 * self.slots.len()];
            let old = std::mem::replace(&mut self.slots, larger);
            self.len = 0;
            for (key, value) in old.into_iter().filter(|slot| slot.0 != EMPTY) {
                self.set(key, value);
            }
        }
        let mask = self.slots.len() - 1;
        let mut at = (mix(key) >> 20) as usize & mask;
        while self.slots[at].0 != EMPTY && self.slots[at].0 != key {
            at = (at + 1) & mask;
        }
        self.len += (self.slots[at].0 == EMPTY) as usize;
        self.slots[at] = (key, value);
    }

    pub fn bytes(&self) -> u64 {
        16 * self.slots.capacity() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_set_is_found() {
        let mut map = Map::default();
        for key in 0..10_000u64 {
            map.set((key << 32) | (key % 7), key);
        }
        for key in 0..10_000u64 {
            assert_eq!(map.get((key << 32) | (key % 7)), Some(key));
            assert_eq!(map.get(key << 32 | 8), None);
        }
    }
}
