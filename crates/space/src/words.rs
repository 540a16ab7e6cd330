//! Words by number, in blocks of which the first may be outside of memory.

use crate::word::Word;
use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use trueline_base::{Scratch, Spill};

/// Words of a block.
const BLOCK: usize = 1 << 14;

/// Words in the order of their numbers.
pub(crate) struct Words<W> {
    /// All are full but the last; those that were spilled are empty, and that may be the last one too.
    blocks: Vec<Vec<W>>,
    len: usize,
    spilled: Option<Spilled>,
}

/// The first blocks, one after the other.
struct Spilled {
    place: Arc<dyn Spill>,
    scratch: Arc<dyn Scratch>,
    blocks: usize,
}

impl<W: Word> Words<W> {
    pub fn new() -> Words<W> {
        Words { blocks: Vec::new(), len: 0, spilled: None }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub fn get(&self, number: usize) -> W {
        match self.blocks[number / BLOCK].get(number % BLOCK) {
            Some(word) => *word,
            None => self.read(number),
        }
    }

    /// A word if it is in memory.
    #[inline]
    pub fn near(&self, number: usize) -> Option<W> {
        self.blocks.get(number / BLOCK)?.get(number % BLOCK).copied()
    }

    #[cold]
    fn read(&self, number: usize) -> W {
        let mut bytes = [0; MOST_BYTES];
        self.read_at(&mut bytes[..W::BYTES], number);
        W::from_bytes(&bytes[..W::BYTES])
    }

    fn read_at(&self, bytes: &mut [u8], number: usize) {
        let spilled = self.spilled.as_ref().filter(|spilled| number / BLOCK < spilled.blocks);
        let spilled = spilled.expect("a word that is not in memory was spilled");
        let read = spilled.scratch.read_at(bytes, (number * W::BYTES) as u64);
        read.expect("what was written outside of memory can be read");
    }

    #[inline]
    pub fn push(&mut self, word: W) {
        if self.len.is_multiple_of(BLOCK) {
            self.blocks.push(Vec::with_capacity(BLOCK));
        }
        self.len += 1;
        self.blocks.last_mut().expect("there is a block with room").push(word);
    }

    /// Every word, block by block.
    pub fn blocks(&self) -> impl Iterator<Item = Cow<'_, [W]>> {
        let spilled = self.spilled.as_ref().map_or(0, |spilled| spilled.blocks);
        (0..self.blocks.len()).map(move |at| match at < spilled {
            true => Cow::Owned(self.read_block(at)),
            false => Cow::Borrowed(&self.blocks[at][..]),
        })
    }

    fn read_block(&self, at: usize) -> Vec<W> {
        let mut bytes = vec![0; BLOCK * W::BYTES];
        self.read_at(&mut bytes, at * BLOCK);
        bytes.chunks(W::BYTES).map(W::from_bytes).collect()
    }

    /// How many words are outside of memory, and where.
    pub fn spilled(&self) -> Option<(usize, &Arc<dyn Spill>)> {
        self.spilled.as_ref().map(|spilled| (spilled.blocks * BLOCK, &spilled.place))
    }

    /// Moves full blocks of words below a number out of memory. Those that were moved before stay where they are.
    pub fn spill(&mut self, below: usize, to: &Arc<dyn Spill>) -> io::Result<()> {
        let last = (below / BLOCK).min(self.len() / BLOCK);
        let from = self.spilled.as_ref().map_or(0, |spilled| spilled.blocks);
        if from >= last {
            return Ok(());
        }
        if self.spilled.is_none() {
            self.spilled = Some(Spilled { place: to.clone(), scratch: to.open()?, blocks: 0 });
        }
        let spilled = self.spilled.as_mut().expect("it is there by now");
        let mut bytes = Vec::with_capacity(BLOCK * W::BYTES);
        for at in from..last {
            bytes.clear();
            self.blocks[at].iter().for_each(|word| word.to_bytes(&mut bytes));
            spilled.scratch.write_at(&bytes, (at * BLOCK * W::BYTES) as u64)?;
            spilled.blocks = at + 1;
            self.blocks[at] = Vec::new();
        }
        Ok(())
    }

    /// Memory in use.
    pub fn bytes(&self) -> u64 {
        let spilled = self.spilled.as_ref().map_or(0, |spilled| spilled.blocks);
        ((self.blocks.len() - spilled) * BLOCK * std::mem::size_of::<W>()) as u64
    }
}

/// Bytes of the widest word.
const MOST_BYTES: usize = <crate::word::Wide as Word>::BYTES;
