//! States as words: the numbers of their parts side by side, each in as many bits as it needs.

use crate::map::mix;
use crate::space::{MAX_THREADS, Node};
use crate::wire;
use std::io::{self, Read, Write};

/// A fixed number of bits.
pub(crate) trait Word: Copy + Eq + Send + Sync + 'static {
    const ZERO: Self;
    fn put(&mut self, at: u32, bits: u32);
    fn get(self, at: u32, width: u32) -> u32;
    /// Exchanges what is there for something that differs from it in these bits.
    fn flip(self, at: u32, bits: u32) -> Self;
    fn hash(self) -> u64;
    /// Some of its bits.
    fn low(self) -> u64;
    /// How many bits it has.
    const BITS: u32;
    /// How many bytes it is outside of memory.
    const BYTES: usize = Self::BITS as usize / 8;
    fn to_bytes(self, out: &mut Vec<u8>);
    /// From as many bytes as it has.
    fn from_bytes(bytes: &[u8]) -> Self;
}

impl Word for u64 {
    const ZERO: u64 = 0;

    #[inline]
    fn put(&mut self, at: u32, bits: u32) {
        *self |= (bits as u64) << at;
    }

    #[inline]
    fn get(self, at: u32, width: u32) -> u32 {
        (self >> at & ((1u64 << width) - 1)) as u32
    }

    #[inline]
    fn flip(self, at: u32, bits: u32) -> u64 {
        self ^ (bits as u64) << at
    }

    #[inline]
    fn hash(self) -> u64 {
        mix(self)
    }

    #[inline]
    fn low(self) -> u64 {
        self
    }

    const BITS: u32 = u64::BITS;

    fn to_bytes(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }

    fn from_bytes(bytes: &[u8]) -> u64 {
        u64::from_le_bytes(bytes.try_into().expect("as many bytes as it has"))
    }
}

impl Word for u128 {
    const ZERO: u128 = 0;

    #[inline]
    fn put(&mut self, at: u32, bits: u32) {
        *self |= (bits as u128) << at;
    }

    #[inline]
    fn get(self, at: u32, width: u32) -> u32 {
        (self >> at & ((1u128 << width) - 1)) as u32
    }

    #[inline]
    fn flip(self, at: u32, bits: u32) -> u128 {
        self ^ (bits as u128) << at
    }

    #[inline]
    fn hash(self) -> u64 {
        mix(self as u64 ^ mix((self >> 64) as u64))
    }

    #[inline]
    fn low(self) -> u64 {
        self as u64
    }

    const BITS: u32 = u128::BITS;

    fn to_bytes(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }

    fn from_bytes(bytes: &[u8]) -> u128 {
        u128::from_le_bytes(bytes.try_into().expect("as many bytes as it has"))
    }
}

/// The widest state: every part in 32 bits.
pub(crate) type Wide = [u32; MAX_THREADS + 2];

impl Word for Wide {
    const ZERO: Wide = [0; MAX_THREADS + 2];

    #[inline]
    fn put(&mut self, at: u32, bits: u32) {
        self[(at / 32) as usize] = bits;
    }

    #[inline]
    fn get(self, at: u32, width: u32) -> u32 {
        debug_assert_eq!(width, 32, "wide words have wide fields");
        self[(at / 32) as usize]
    }

    #[inline]
    fn flip(mut self, at: u32, bits: u32) -> Wide {
        self[(at / 32) as usize] ^= bits;
        self
    }

    #[inline]
    fn hash(self) -> u64 {
        self.chunks(2).fold(0, |hash, pair| mix(hash ^ (pair[0] as u64) << 32 ^ pair[1] as u64))
    }

    #[inline]
    fn low(self) -> u64 {
        self[0] as u64
    }

    const BITS: u32 = 32 * (MAX_THREADS as u32 + 2);

    fn to_bytes(self, out: &mut Vec<u8>) {
        self.iter().for_each(|part| out.extend_from_slice(&part.to_le_bytes()));
    }

    fn from_bytes(bytes: &[u8]) -> Wide {
        let part = |at: usize| bytes[4 * at..4 * at + 4].try_into().expect("four bytes");
        std::array::from_fn(|at| u32::from_le_bytes(part(at)))
    }
}

/// What a move changes in a word, wherever its parts stand: the bits in which they differ.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Change {
    global: u32,
    local: u32,
}

impl Change {
    /// From these parts to those, each a global and a local one.
    pub fn between(from: (u32, u32), to: (u32, u32)) -> Change {
        Change { global: (from.0 + 1) ^ (to.0 + 1), local: from.1 ^ to.1 }
    }
}

/// How many bits each part takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WordLayout {
    threads: u32,
    global: u32,
    local: u32,
    beside: u32,
}

impl WordLayout {
    /// As narrow as these numbers of parts allow, with room to grow; what is constant takes no bit.
    pub fn for_parts(threads: usize, globals: usize, locals: usize, sets: usize) -> WordLayout {
        let room = |parts: usize| (usize::BITS - parts.leading_zeros() + 1).min(32);
        let beside = if sets <= 1 { 0 } else { room(sets) };
        let narrow =
            WordLayout { threads: threads as u32, global: room(globals), local: room(locals), beside };
        narrow.spread()
    }

    /// Gives the bits that a word has left to its fields: the fewer times words are packed again.
    fn spread(mut self) -> WordLayout {
        let word = if self.bits() <= u64::BITS { u64::BITS } else { u128::BITS };
        let fields = self.threads + 1 + (self.beside > 0) as u32;
        let more = word.saturating_sub(self.bits()) / fields;
        self.global = (self.global + more).min(32);
        self.local = (self.local + more).min(32);
        if self.beside > 0 {
            self.beside = (self.beside + more).min(32);
        }
        self
    }

    /// Every part in 32 bits.
    pub fn wide(threads: usize) -> WordLayout {
        WordLayout { threads: threads as u32, global: 32, local: 32, beside: 32 }
    }

    pub fn threads(&self) -> usize {
        self.threads as usize
    }

    pub fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        let fields = [self.threads, self.global, self.local, self.beside];
        fields.into_iter().try_for_each(|field| wire::put(out, field as u64))
    }

    pub fn load(input: &mut dyn Read) -> io::Result<WordLayout> {
        let mut field = || wire::get_small(input);
        let (threads, global, local, beside) = (field()?, field()?, field()?, field()?);
        match threads as usize <= MAX_THREADS && global <= 32 && local <= 32 && beside <= 32 {
            true => Ok(WordLayout { threads, global, local, beside }),
            false => Err(wire::damaged("no words have this form")),
        }
    }

    pub fn bits(&self) -> u32 {
        self.global + self.threads * self.local + self.beside
    }

    /// Whether parts with numbers below these fit.
    pub fn fits(&self, globals: usize, locals: usize, sets: usize) -> bool {
        let fits = |parts: usize, width: u32| (parts as u64) < 1u64 << width;
        fits(globals, self.global) && fits(locals, self.local) && (sets <= 1 || fits(sets, self.beside))
    }

    /// The global part counts from one, so that no word is zero: zero marks what is empty.
    #[inline]
    pub fn pack<W: Word>(&self, node: &Node) -> W {
        let mut word = W::ZERO;
        word.put(0, node.global + 1);
        let mut at = self.global;
        for local in &node.locals[..self.threads as usize] {
            word.put(at, *local);
            at += self.local;
        }
        if self.beside > 0 {
            word.put(at, node.beside);
        }
        word
    }

    /// The word after a move of one thread.
    #[inline]
    pub fn moved<W: Word>(&self, word: W, thread: usize, change: Change) -> W {
        word.flip(0, change.global).flip(self.place(thread), change.local)
    }

    /// The word with another state of the monitor.
    #[inline]
    pub fn beside_moved<W: Word>(&self, word: W, from: u32, to: u32) -> W {
        match self.beside {
            0 => word,
            _ => word.flip(self.place(self.threads as usize), from ^ to),
        }
    }

    /// Where a thread's part begins; behind the last thread is the monitor's state.
    #[inline]
    fn place(&self, thread: usize) -> u32 {
        self.global + thread as u32 * self.local
    }

    /// The global part.
    #[inline]
    pub fn global<W: Word>(&self, word: W) -> u32 {
        word.get(0, self.global) - 1
    }

    /// A thread's part.
    #[inline]
    pub fn local<W: Word>(&self, word: W, thread: usize) -> u32 {
        word.get(self.place(thread), self.local)
    }

    /// The monitor's state.
    #[inline]
    pub fn beside<W: Word>(&self, word: W) -> u32 {
        match self.beside {
            0 => 0,
            width => word.get(self.place(self.threads as usize), width),
        }
    }

    /// Without the monitor's state.
    #[inline]
    pub fn pack_alone<W: Word>(&self, node: &Node) -> W {
        self.pack(&Node { beside: 0, ..*node })
    }

    #[inline]
    pub fn unpack<W: Word>(&self, word: W) -> Node {
        let (global, beside) = (self.global(word), self.beside(word));
        let mut node = Node { global, beside, locals: [0; MAX_THREADS] };
        for (thread, local) in node.locals[..self.threads as usize].iter_mut().enumerate() {
            *local = self.local(word, thread);
        }
        node
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_survive_packing() {
        let mut node = Node { global: 1000, beside: 77, locals: [0; MAX_THREADS] };
        for (t, local) in node.locals[..3].iter_mut().enumerate() {
            *local = 500 + t as u32;
        }
        let narrow = WordLayout::for_parts(3, 1001, 503, 78);
        assert!(narrow.fits(1001, 503, 78) && !narrow.fits(1001, 500_300, 78) && narrow.bits() <= 64);
        assert_eq!(narrow.unpack(narrow.pack::<u64>(&node)), node);
        assert_eq!(narrow.unpack(narrow.pack::<u128>(&node)), node);
        let after = Node {
            global: 3,
            beside: 9,
            locals: {
                let mut l = node.locals;
                l[1] = 44;
                l
            },
        };
        fn moved<W: Word>(layout: &WordLayout, node: &Node) -> Node {
            let change = Change::between((node.global, node.locals[1]), (3, 44));
            let word: W = layout.moved(layout.pack(node), 1, change);
            layout.unpack(layout.beside_moved(word, node.beside, 9))
        }
        assert_eq!(moved::<u64>(&narrow, &node), after);
        assert_eq!(moved::<u128>(&narrow, &node), after);
        let wide = WordLayout::wide(3);
        assert_eq!(moved::<Wide>(&wide, &node), after);
        assert_eq!(wide.unpack(wide.pack::<Wide>(&node)), node);
    }
}
