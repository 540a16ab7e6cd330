//! The states found so far, in the order in which they were found, each once.
//!
//! Words stand one after the other; an index of 32-bit numbers with open addressing finds them. That is 8 bytes and
//! about 5 per state where 64 bits suffice. Storage is exact: a state is compared as a whole. When a part's number no
//! longer fits, all words are packed again, into wider fields or wider words.

use crate::space::Node;
use crate::word::{Layout, Wide, Word};

/// States, numbered from 0.
pub struct States {
    layout: Layout,
    threads: usize,
    store: Store,
}

enum Store {
    Narrow(Table<u64>),
    Double(Table<u128>),
    Wide(Table<Wide>),
}

macro_rules! with {
    ($store:expr, $table:ident => $body:expr) => {
        match $store {
            Store::Narrow($table) => $body,
            Store::Double($table) => $body,
            Store::Wide($table) => $body,
        }
    };
}

impl States {
    /// None yet.
    pub fn new(threads: usize) -> States {
        let layout = Layout::for_parts(threads, 64, 64, 0);
        let store = Store::Narrow(Table::default());
        let mut states = States { layout, threads, store };
        states.widen(64, 64, 0);
        states
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        with!(&self.store, table => table.words.len())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The state with this number.
    pub fn get(&self, id: usize) -> Node {
        with!(&self.store, table => self.layout.unpack(table.words[id]))
    }

    /// Makes room for parts with numbers below these.
    pub fn reserve(&mut self, globals: usize, locals: usize, sets: usize) {
        if !self.layout.fits(globals, locals, sets) {
            self.widen(globals, locals, sets);
        }
    }

    fn widen(&mut self, globals: usize, locals: usize, sets: usize) {
        let mut layout = Layout::for_parts(self.threads, globals, locals, sets);
        if layout.bits() > u128::BITS {
            layout = Layout::wide(self.threads);
        }
        let old = self.layout;
        let words = layout.bits();
        self.store = with!(&self.store, table => {
            if words <= u64::BITS {
                Store::Narrow(table.repacked(old, layout))
            } else if words <= u128::BITS {
                Store::Double(table.repacked(old, layout))
            } else {
                Store::Wide(table.repacked(old, layout))
            }
        });
        self.layout = layout;
    }

    /// Adds the states of a batch that are new, in their order; `ids` are the numbers of all. Looking ahead at all
    /// places of the index at once lets the waits for memory overlap.
    pub fn insert<'n>(&mut self, batch: impl Iterator<Item = &'n Node>, ids: &mut Vec<u32>) {
        let layout = self.layout;
        ids.clear();
        with!(&mut self.store, table => table.insert(batch.map(|node| layout.pack(node)), ids));
    }

    /// The number of a state, if it is stored.
    pub fn find(&self, node: &Node) -> Option<u32> {
        with!(&self.store, table => table.find(self.layout.pack(node)))
    }

    /// Memory in use.
    pub fn bytes(&self) -> u64 {
        with!(&self.store, table => table.bytes())
    }

    /// What the next growth of the index needs for a moment beside what is in use.
    pub fn growth(&self) -> u64 {
        with!(&self.store, table => table.words.len() as u64 * 4)
    }
}

struct Table<W> {
    words: Vec<W>,
    /// Numbers plus one; 0 is empty.
    index: Vec<u32>,
    batch: Vec<(W, u64)>,
}

impl<W> Default for Table<W> {
    fn default() -> Table<W> {
        Table { words: Vec::new(), index: vec![0; 1024], batch: Vec::new() }
    }
}

impl<W: Word> Table<W> {
    fn repacked<V: Word>(&self, old: Layout, new: Layout) -> Table<V> {
        let words: Vec<V> = self.words.iter().map(|word| new.pack(&old.unpack(*word))).collect();
        let mut table = Table { words, index: vec![0; self.index.len()], batch: Vec::new() };
        table.fill();
        table
    }

    /// The place where a hash begins to look: hashes are spread over the index, whatever its length.
    #[inline]
    fn place(&self, hash: u64) -> usize {
        ((hash as u128 * self.index.len() as u128) >> 64) as usize
    }

    fn fill(&mut self) {
        for id in 0..self.words.len() {
            let mut at = self.place(self.words[id].hash());
            while self.index[at] != 0 {
                at = if at + 1 == self.index.len() { 0 } else { at + 1 };
            }
            self.index[at] = id as u32 + 1;
        }
    }

    /// Either the number of a word or the place where it belongs.
    #[inline]
    fn look(&self, word: W, hash: u64) -> Result<u32, usize> {
        let mut at = self.place(hash);
        loop {
            match self.index[at] {
                0 => return Err(at),
                id if self.words[id as usize - 1] == word => return Ok(id - 1),
                _ => at = if at + 1 == self.index.len() { 0 } else { at + 1 },
            }
        }
    }

    fn find(&self, word: W) -> Option<u32> {
        self.look(word, word.hash()).ok()
    }

    fn insert(&mut self, words: impl Iterator<Item = W>, ids: &mut Vec<u32>) {
        let mut batch = std::mem::take(&mut self.batch);
        batch.clear();
        batch.extend(words.map(|word| (word, word.hash())));
        let needed = self.words.len() + batch.len();
        if needed * 6 > self.index.len() * 5 {
            let larger = (self.index.len() * 3 / 2).max(needed * 3 / 2);
            self.index = Vec::new();
            self.index = vec![0; larger];
            self.fill();
        }
        for group in batch.chunks(32) {
            // The sum is never used for anything: it makes the loads independent of one another and of what follows.
            let mut ahead = 0u64;
            for (_, hash) in group {
                ahead = ahead.wrapping_add(self.index[self.place(*hash)] as u64);
            }
            std::hint::black_box(ahead);
            for (word, hash) in group {
                let id = self.look(*word, *hash).unwrap_or_else(|at| {
                    self.words.push(*word);
                    self.index[at] = u32::try_from(self.words.len()).expect("fewer than 2^32 states");
                    self.index[at] - 1
                });
                ids.push(id);
            }
        }
        self.batch = batch;
    }

    fn bytes(&self) -> u64 {
        (std::mem::size_of::<W>() * self.words.capacity() + 4 * self.index.capacity()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::MAX_THREADS;

    fn node(n: u32) -> Node {
        let mut locals = [0; MAX_THREADS];
        (locals[0], locals[1]) = (n % 91, n / 91 % 77);
        Node { global: n % 13, beside: n / 91 / 77, locals }
    }

    #[test]
    fn states_keep_their_numbers_when_words_grow() {
        let mut states = States::new(2);
        states.reserve(13, 91, 0);
        let few: Vec<Node> = (0..5000).map(node).collect();
        let mut ids = Vec::new();
        states.insert(few.iter(), &mut ids);
        assert_eq!(ids, (0..5000).collect::<Vec<u32>>());
        for (globals, locals, sets) in [(13, 91, 10), (1 << 20, 1 << 25, 10), (1 << 30, 1 << 30, 1 << 31)] {
            states.reserve(globals, locals, sets);
            assert_eq!(states.len(), 5000);
            states.insert(few.iter(), &mut ids);
            assert_eq!(states.len(), 5000);
            for (id, node) in few.iter().enumerate() {
                assert_eq!(states.get(id), *node);
                assert_eq!(states.find(node), Some(id as u32));
            }
        }
        let more: Vec<Node> = (4000..90_000).map(node).collect();
        states.insert(more.iter(), &mut ids);
        assert_eq!((ids[0], states.len()), (4000, 90_000));
        assert_eq!(states.get(89_999), node(89_999));
        assert_eq!(states.find(&node(90_000)), None);
    }
}
