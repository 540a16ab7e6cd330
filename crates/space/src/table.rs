//! Words stored once, numbered in the order in which they were found.
//!
//! Words stand one after the other ([`Words`]); an index with open addressing finds them. Most searches only ask
//! whether a word is known: then an entry of the index is the word itself, if it has 64 bits, and a look-up is one
//! access to memory. Once somebody asks for the numbers of words, or where words are longer, an entry is a number and a
//! tag, so that a word is read only where its tag fits. The index is divided into shards by the hash: a shard grows
//! alone, so that growth needs little memory beside what is in use, and each can be another worker's. One worker looks
//! words up in their order, a few together. Several insert batches in steps: every shard looks its words up in their
//! order, and enters those that are new, as pending where entries are numbers; the new ones are numbered in the order
//! of the batches; the shards enter the numbers. So numbers do not depend on how many workers there are. Storage is
//! exact: a word is compared as a whole. Cost: one look-up per word, about 19 bytes per word of 64 bits. Oracle: a hash
//! map, in the tests; loom tries every order in which two workers can take shards.

mod shard;

use crate::wire;
use crate::word::Word;
use crate::words::Words;
use crate::workers::Workers;
use shard::{AHEAD, PENDING, Shard, entry, shard_of, tag, tag_of_number};
use std::io::{self, Read, Write};
use std::sync::Arc;
use trueline_base::Spill;

/// Bits of a hash that choose a shard.
const SHARD_BITS: u32 = 4;
/// Parts of the index.
pub(crate) const SHARDS: usize = 1 << SHARD_BITS;
/// Words that are remembered while a batch is sorted.
const RECENT: usize = 1 << 10;
/// Words that are read at once.
const TOGETHER: usize = 1 << 14;

/// Words and their numbers.
pub(crate) struct WordTable<W> {
    words: Words<W>,
    shards: Box<[Shard; SHARDS]>,
    /// Whether entries of the index are numbers with tags; they are words otherwise.
    numbered: bool,
}

/// A word that is looked up: its hash, and the slot where the search for it begins.
#[derive(Clone, Copy, Default)]
struct Look {
    hash: u64,
    slot: u64,
}

/// A word of a batch, its tag, and its place in the batch.
#[derive(Clone, Copy)]
pub(crate) struct BatchItem<W> {
    word: W,
    tag: u32,
    at: u32,
}

/// Words of a batch by the shards that they belong to, in order. They are copied: who stores them is often another
/// worker, and then reads one line after the other.
pub(crate) struct Sorted<W> {
    items: [Vec<BatchItem<W>>; SHARDS],
    /// Places of words that came last, by some bits of their hashes.
    recent: Vec<u32>,
}

impl<W: Word> Default for Sorted<W> {
    fn default() -> Sorted<W> {
        Sorted { items: Default::default(), recent: vec![0; RECENT] }
    }
}

impl<W: Word> Sorted<W> {
    /// Sorts the words of a batch. Where nobody asks for numbers, a word that came shortly before is left out.
    pub fn sort(&mut self, words: &[W], all: bool) {
        self.items.iter_mut().for_each(Vec::clear);
        for (at, word) in words.iter().enumerate() {
            let hash = word.hash();
            if !all {
                let recent = &mut self.recent[hash as usize % RECENT];
                let before = std::mem::replace(recent, at as u32) as usize;
                if before < at && words[before] == *word {
                    continue;
                }
            }
            self.items[shard_of(hash)].push(BatchItem { word: *word, tag: tag(hash), at: at as u32 });
        }
    }
}

/// Words to be inserted, in order, and the same sorted into shards.
#[derive(Clone, Copy)]
pub(crate) struct Batch<'a, W> {
    pub words: &'a [W],
    pub sorted: &'a Sorted<W>,
}

impl<W: Word> WordTable<W> {
    pub fn new() -> WordTable<W> {
        let shards = Box::new(std::array::from_fn(|_| Shard::empty()));
        WordTable { words: Words::new(), shards, numbered: W::BITS > u64::BITS }
    }

    /// From now on, entries of the index are numbers.
    fn number(&mut self) {
        if self.numbered {
            return;
        }
        self.numbered = true;
        self.shards.iter_mut().for_each(|shard| *shard = Shard { sparing: shard.sparing, ..Shard::empty() });
        let mut number = 0;
        for block in self.words.blocks() {
            for word in block.iter() {
                let hash = word.hash();
                self.shards[shard_of(hash)].put_number(number, tag(hash));
                number += 1;
            }
        }
    }

    pub fn len(&self) -> usize {
        self.words.len()
    }

    #[inline]
    pub fn get(&self, id: usize) -> W {
        self.words.get(id)
    }

    /// The number of a word, if it is there.
    pub fn find(&mut self, word: W) -> Option<u32> {
        self.number();
        let hash = word.hash();
        let shard = &self.shards[shard_of(hash)];
        shard.look(word, tag(hash), |number| self.get(number as usize)).ok()
    }

    /// The number of one word, which is added if it is new.
    pub fn add(&mut self, word: W) -> u32 {
        self.number();
        self.add_hashed(word, word.hash())
    }

    #[inline]
    fn add_hashed(&mut self, word: W, hash: u64) -> u32 {
        let shard = &mut self.shards[shard_of(hash)];
        let words = &self.words;
        match shard.look(word, tag(hash), |number| words.get(number as usize)) {
            Ok(number) => number,
            Err(slot) => {
                let number = words.len() as u32;
                assert!(number < PENDING, "fewer than 2^32 - 2^24 states");
                shard.slots[slot] = entry(tag(hash), number);
                shard.used += 1;
                // A place is free after this one, so that the next search ends.
                shard.reserve(1, tag_of_number);
                self.words.push(word);
                number
            }
        }
    }

    /// Adds the words that are new, in their order; numbers of all are appended where they are wanted. A few are looked up
    /// together, in three passes of loads that do not depend on one another, so that the waits for memory overlap.
    pub fn extend(&mut self, words: &[W], ids: Option<&mut Vec<u32>>) {
        if ids.is_some() {
            self.number();
        }
        match self.numbered {
            true => self.extend_numbers(words, ids),
            false => self.extend_selves(words),
        }
    }

    /// The same where words stand for themselves: the second pass finds most of them.
    fn extend_selves(&mut self, words: &[W]) {
        let mut hashes = [0; AHEAD];
        let mut places = [0; AHEAD];
        for group in words.chunks(AHEAD) {
            for ((word, hash), place) in group.iter().zip(&mut hashes).zip(&mut places) {
                *hash = word.hash();
                *place = self.shards[shard_of(*hash)].place(tag(*hash));
            }
            let mut others = 0u32;
            for (at, word) in group.iter().enumerate() {
                let known = self.shards[shard_of(hashes[at])].slots[places[at]] == word.low();
                others |= (!known as u32) << at;
            }
            while others != 0 {
                let at = others.trailing_zeros() as usize;
                if self.shards[shard_of(hashes[at])].add_self(group[at].low(), tag(hashes[at])) {
                    self.words.push(group[at]);
                }
                others &= others - 1;
            }
        }
        assert!(self.len() < PENDING as usize, "fewer than 2^32 - 2^24 states");
    }

    fn extend_numbers(&mut self, words: &[W], mut ids: Option<&mut Vec<u32>>) {
        let mut looks = [Look::default(); AHEAD];
        let mut numbers = [0; AHEAD];
        for group in words.chunks(AHEAD) {
            for (word, look) in group.iter().zip(&mut looks) {
                let hash = word.hash();
                let shard = &self.shards[shard_of(hash)];
                *look = Look { hash, slot: shard.slots[shard.place(tag(hash))] };
            }
            for (look, number) in looks[..group.len()].iter().zip(&mut numbers) {
                let mut slot = look.slot;
                if tag_of_number(slot) != tag(look.hash) && slot != 0 {
                    slot = self.shards[shard_of(look.hash)].fitting(tag(look.hash));
                }
                *number = (slot as u32).wrapping_sub(1);
            }
            let mut others = 0u32;
            for (at, (word, number)) in group.iter().zip(&numbers).enumerate() {
                let known = self.words.near(*number as usize) == Some(*word);
                others |= (!known as u32) << at;
            }
            while others != 0 {
                let at = others.trailing_zeros() as usize;
                numbers[at] = self.add_hashed(group[at], looks[at].hash);
                others &= others - 1;
            }
            if let Some(ids) = &mut ids {
                ids.extend_from_slice(&numbers[..group.len()]);
            }
        }
    }

    /// Adds the words of some batches that are new, in their order. The numbers of all words go
    /// to `ids` where they are wanted. The same as [`WordTable::extend`] with one batch after the other.
    pub fn insert(&mut self, batches: &[Batch<'_, W>], workers: &Workers, ids: Option<&mut Vec<u32>>) {
        if ids.is_some() {
            self.number();
        }
        if !self.numbered {
            workers.each(&mut self.shards[..], |at, shard| shard.insert_selves(batches, at));
            self.number_new(batches);
            return;
        }
        let (words, wanted) = (&self.words, ids.is_some());
        workers.each(&mut self.shards[..], |at, shard| shard.insert(words, batches, at, wanted));
        let numbers = self.number_new(batches);
        workers.each(&mut self.shards[..], |_, shard| {
            for (batch, at, slot) in &shard.new {
                let number = numbers.number(*batch, *at);
                let slot = &mut shard.slots[*slot as usize];
                *slot = entry(tag_of_number(*slot), number);
            }
        });
        let Some(ids) = ids else { return };
        ids.clear();
        let mut starts = Vec::with_capacity(batches.len());
        for batch in batches {
            starts.push(ids.len());
            ids.resize(ids.len() + batch.words.len(), 0);
        }
        for (at, shard) in self.shards.iter().enumerate() {
            let items = batches.iter().zip(&starts);
            let items = items
                .flat_map(|(batch, start)| batch.sorted.items[at].iter().map(|i| *start + i.at as usize));
            for (place, found) in items.zip(&shard.found) {
                ids[place] = match *found {
                    found if found > PENDING => {
                        let (batch, at, _) = shard.new[(u32::MAX - 1 - found) as usize];
                        numbers.number(batch, at)
                    }
                    known => known,
                };
            }
        }
    }

    /// Stores what is new in the order of the batches.
    fn number_new(&mut self, batches: &[Batch<'_, W>]) -> NewNumbers {
        let mut numbers = NewNumbers::default();
        let mut places = 0;
        for batch in batches {
            numbers.starts.push(places);
            places += batch.words.len().next_multiple_of(64);
        }
        numbers.marks.resize(places / 64, 0);
        for (batch, at, _) in self.shards.iter().flat_map(|shard| &shard.new) {
            let place = numbers.starts[*batch as usize] + *at as usize;
            numbers.marks[place / 64] |= 1 << (place % 64);
        }
        for (batch, start) in batches.iter().zip(&numbers.starts) {
            for (at, words) in batch.words.chunks(64).enumerate() {
                numbers.before.push(self.len() as u32);
                let mut marks = numbers.marks[start / 64 + at];
                while marks != 0 {
                    self.words.push(words[marks.trailing_zeros() as usize]);
                    marks &= marks - 1;
                }
            }
        }
        assert!(self.len() < PENDING as usize, "fewer than 2^32 - 2^24 states");
        numbers
    }

    /// The same words in another form. What was outside of memory is again, as far as there is room.
    pub fn repacked<V: Word>(&self, repack: impl Fn(W) -> V) -> WordTable<V> {
        let mut table = WordTable::new();
        if self.numbered {
            table.number();
        }
        for block in self.words.blocks() {
            let block: Vec<V> = block.iter().map(|word| repack(*word)).collect();
            table.extend(&block, None);
            if let Some((below, place)) = self.words.spilled() {
                // What stays in memory counts against the limit, which ends the search if it must.
                let _ = table.spill(below, place);
            }
        }
        table
    }

    /// Moves words below a number out of memory, which is short: the index grows by less from now on.
    pub fn spill(&mut self, below: usize, to: &Arc<dyn Spill>) -> io::Result<()> {
        self.shards.iter_mut().for_each(|shard| shard.sparing = true);
        self.words.spill(below, to)
    }

    pub fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        wire::put(out, self.len() as u64)?;
        let mut bytes = Vec::new();
        for block in self.words.blocks() {
            bytes.clear();
            block.iter().for_each(|word| word.to_bytes(&mut bytes));
            out.write_all(&bytes)?;
        }
        Ok(())
    }

    pub fn load(input: &mut dyn Read) -> io::Result<WordTable<W>> {
        let len: usize = wire::get_small(input)?;
        let mut table = WordTable::new();
        let mut bytes = vec![0; TOGETHER * W::BYTES];
        while table.len() < len {
            let more = TOGETHER.min(len - table.len());
            let bytes = &mut bytes[..more * W::BYTES];
            input.read_exact(bytes)?;
            let words: Vec<W> = bytes.chunks(W::BYTES).map(W::from_bytes).collect();
            let before = table.len();
            table.extend(&words, None);
            if table.len() != before + more {
                return Err(wire::damaged("a state is there twice"));
            }
        }
        Ok(table)
    }

    pub fn bytes(&self) -> u64 {
        let shard = |shard: &Shard| {
            8 * shard.slots.capacity() + 12 * shard.new.capacity() + 4 * shard.found.capacity()
        };
        let index: usize = self.shards.iter().map(shard).sum();
        self.words.bytes() + index as u64
    }

    /// What the growth of one shard needs for a moment beside what is in use.
    pub fn growth(&self) -> u64 {
        self.shards.iter().map(Shard::growth).max().unwrap_or(0)
    }
}

/// Which words of some batches are new, and their numbers.
#[derive(Default)]
struct NewNumbers {
    /// Per batch its first place, a multiple of 64.
    starts: Vec<usize>,
    /// A bit per place: the word there is new.
    marks: Vec<u64>,
    /// Per 64 places the number that comes next.
    before: Vec<u32>,
}

impl NewNumbers {
    fn number(&self, batch: u32, at: u32) -> u32 {
        let place = self.starts[batch as usize] + at as usize;
        let earlier = self.marks[place / 64] & ((1 << (place % 64)) - 1);
        self.before[place / 64] + earlier.count_ones()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workers::work_off;
    use proptest::collection::vec;
    use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
    use std::collections::HashMap;

    /// Adds the words of a round, by one worker for 0 jobs, and gives their numbers where they are wanted.
    fn add(table: &mut WordTable<u64>, batches: &[Vec<u64>], jobs: usize, ids: Option<&mut Vec<u32>>) {
        if jobs == 0 {
            return table.extend(&batches.concat(), ids);
        }
        let sorted = batches.iter().map(|words| {
            let mut sorted = Sorted::default();
            sorted.sort(words, ids.is_some());
            (words, sorted)
        });
        let sorted: Vec<_> = sorted.collect();
        let batches: Vec<_> = sorted.iter().map(|(words, sorted)| Batch { words, sorted }).collect();
        table.insert(&batches, &Workers::new(jobs), ids);
    }

    /// Holds a table against a hash map, given words in rounds of several batches. Numbers are asked for from one of the
    /// rounds on.
    fn numbers_are_those_of_the_first_occurrence(rounds: &[Vec<Vec<u64>>], jobs: usize, asked: usize) {
        let mut table = WordTable::new();
        let mut known: HashMap<u64, u32> = HashMap::new();
        for (round, batches) in rounds.iter().enumerate() {
            let mut ids = Vec::new();
            add(&mut table, batches, jobs, (round >= asked).then_some(&mut ids));
            assert_eq!(table.numbered, round >= asked, "entries are words until numbers are asked for");
            let mut wanted = Vec::new();
            for word in batches.iter().flatten() {
                let next = known.len() as u32;
                wanted.push(*known.entry(*word).or_insert(next));
            }
            assert!(ids.is_empty() || ids == wanted, "{jobs} workers");
            assert_eq!(table.len(), known.len());
            assert!(known.iter().all(|(word, id)| table.get(*id as usize) == *word), "{jobs} workers");
        }
        for (word, id) in &known {
            assert_eq!((table.get(*id as usize), table.find(*word)), (*word, Some(*id)));
        }
        assert_eq!(table.find(u64::MAX), None);
        let next = table.len() as u32;
        assert_eq!((table.add(u64::MAX), table.add(u64::MAX)), (next, next));
        let wide = table.repacked(|word| (word as u128) << 40);
        assert!((0..table.len()).all(|id| wide.get(id) == (table.get(id) as u128) << 40));
        assert_eq!(wide.len(), table.len());
    }

    /// Two workers take the last shards from both ends, in every order that a lock allows.
    #[test]
    fn every_way_to_hand_out_shards_gives_the_same_table() {
        const HANDED_OUT: usize = 4;
        let batches: [Vec<u64>; 2] = [(1..90).collect(), (60..120).rev().collect()];
        let schedules = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let counted = schedules.clone();
        loom::model(move || {
            counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let sorted = loom::sync::Arc::new(batches.clone().map(|words| {
                let mut sorted = Sorted::default();
                sorted.sort(&words, false);
                (words, sorted)
            }));
            let handed_out: Vec<_> = (SHARDS - HANDED_OUT..SHARDS).map(|at| (at, Shard::empty())).collect();
            let left = loom::sync::Arc::new(loom::sync::Mutex::new(handed_out.into_iter()));
            let done = loom::sync::Arc::new(loom::sync::Mutex::new(Vec::new()));
            let worker = |front: bool| {
                let (sorted, left, done) = (sorted.clone(), left.clone(), done.clone());
                move || {
                    let batches = sorted.each_ref().map(|(words, sorted)| Batch { words, sorted });
                    let next = || {
                        let mut left = left.lock().expect("no panic");
                        if front { left.next() } else { left.next_back() }
                    };
                    work_off(next, |at, mut shard: Shard| {
                        shard.insert_selves(&batches, at);
                        done.lock().expect("no panic").push((at, shard));
                    });
                }
            };
            let other = loom::thread::spawn(worker(false));
            worker(true)();
            other.join().expect("no panic");

            let mut table: WordTable<u64> = WordTable::new();
            let batches = sorted.each_ref().map(|(words, sorted)| Batch { words, sorted });
            for (at, shard) in table.shards.iter_mut().enumerate().take(SHARDS - HANDED_OUT) {
                shard.insert_selves(&batches, at);
            }
            let done = std::mem::take(&mut *done.lock().expect("no panic"));
            assert_eq!(done.len(), HANDED_OUT, "each shard has its turn, once");
            done.into_iter().for_each(|(at, shard)| table.shards[at] = shard);
            table.number_new(&batches);
            let words: Vec<u64> = (0..table.len()).map(|id| table.get(id)).collect();
            assert_eq!(words, (1..90).chain((90..120).rev()).collect::<Vec<u64>>());
        });
        assert!(schedules.load(std::sync::atomic::Ordering::Relaxed) > 8, "there is more than one order");
    }

    #[test]
    fn numbers_do_not_depend_on_workers() {
        // Few different words, so that many are there already, in the same round or an earlier one.
        let rounds = vec(vec(vec(1..20_000u64, 0..700), 0..5), 0..20);
        let config = Config { cases: 12, failure_persistence: None, ..Config::default() };
        let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
        let tried = TestRunner::new_with_rng(config, rng).run(&rounds, |rounds| {
            for (jobs, asked) in [(0, 0), (0, 3), (0, 20), (1, 0), (1, 20), (2, 0), (2, 5), (5, 20)] {
                numbers_are_those_of_the_first_occurrence(&rounds, jobs, asked);
            }
            Ok(())
        });
        if let Err(failure) = tried {
            panic!("{failure}");
        }
    }
}
