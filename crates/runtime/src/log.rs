//! The log of a run, as words that `trueline-run` reads. Both sides number the kinds alike.

/// What a record is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Kind {
    Load = 1,
    Store = 2,
    Update = 3,
    Read = 4,
    Write = 5,
    Free = 6,
    Reuse = 7,
    Lock = 8,
    TryLock = 9,
    Unlock = 10,
    Wait = 11,
    Notify = 12,
    Wake = 13,
    Call = 20,
    Return = 21,
    Block = 22,
    Pending = 23,
    Fence = 24,
    Allocate = 25,
    Frames = 26,
    Touched = 27,
}

/// How an update computes what it writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Op {
    None = 0,
    Exchange = 1,
    Add = 2,
    Sub = 3,
    And = 4,
    Or = 5,
    Xor = 6,
    Nand = 7,
    Compare = 8,
}

/// One access, as it is about to happen.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    pub kind: Kind,
    pub op: Op,
    pub order: u8,
    pub address: usize,
    pub size: usize,
    pub place: usize,
    /// The operand, or what a comparison expects.
    pub a: u128,
    /// What a comparison stores.
    pub b: u128,
    /// The local state before it.
    pub local: u64,
}

/// Words before the old and new contents.
pub const HEAD: usize = 8;

/// The records of a run, one after the other.
#[derive(Default)]
pub struct Log {
    /// All words.
    pub words: Vec<u64>,
}

impl Log {
    /// Adds an access to a unit of `len` words with these contents before it; those after it follow.
    pub fn access(&mut self, thread: usize, access: &Access, old: &[u64]) -> usize {
        let at = self.words.len();
        let head = access.kind as u64
            | (thread as u64) << 8
            | (access.size as u64) << 16
            | u64::from(access.order) << 24
            | (access.op as u64) << 32
            | (old.len() as u64) << 40;
        self.words.extend([head, access.place as u64, access.address as u64, access.local]);
        self.words.extend([
            access.a as u64,
            (access.a >> 64) as u64,
            access.b as u64,
            (access.b >> 64) as u64,
        ]);
        self.words.extend(old);
        self.words.extend(old);
        at
    }

    /// Says that an access belongs to the step of the one before it.
    pub fn mark_part(&mut self, at: usize) {
        self.words[at] |= 1 << 48;
    }

    /// Says that what comes after the newest access depends on more than what it read: on memory that is no part of the log.
    pub fn mark_hidden(&mut self, at: usize) {
        self.words[at] |= 1 << 49;
    }

    /// Says what a unit contains after an access.
    pub fn finish(&mut self, at: usize, new: &[u64]) {
        let from = at + HEAD + new.len();
        self.words[from..from + new.len()].copy_from_slice(new);
    }

    /// The address and the number of words of the unit of a record.
    pub fn unit(&self, at: usize) -> (usize, usize) {
        (self.words[at + 2] as usize, (self.words[at] >> 40 & 0xff) as usize)
    }

    /// The contents that a record saw.
    pub fn old(&self, at: usize, len: usize) -> &[u64] {
        &self.words[at + HEAD..at + HEAD + len]
    }

    /// Adds the calls that a thread is in, the innermost first.
    pub fn frames(&mut self, thread: usize, frames: &[usize]) {
        let frames: Vec<u64> = frames.iter().rev().take(16).map(|f| *f as u64).collect();
        self.note(Kind::Frames, thread, 0, &frames);
    }

    /// Adds a return, with a number for the memory of the thread then.
    pub fn returned(&mut self, thread: usize, index: u64, values: &[u64], local: u64) {
        let at = self.words.len();
        self.note(Kind::Return, thread, index, values);
        self.words[at + 3] = local;
    }

    /// Adds a record that is no access: a call, a block.
    pub fn note(&mut self, kind: Kind, thread: usize, what: u64, values: &[u64]) {
        let head = kind as u64 | (thread as u64) << 8 | (values.len() as u64) << 40;
        self.words.extend([head, 0, what, 0, 0, 0, 0, 0]);
        self.words.extend(values);
    }
}
