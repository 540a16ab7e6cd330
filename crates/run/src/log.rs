//! What a player sends: how a run ended and what happened in it. The numbers are those of the player's `log.rs`.

use crate::kind::Kind;

/// What an access is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum AccessKind {
    Load,
    Store,
    Update,
    Read,
    Write,
    Free,
    Reuse,
    Lock,
    TryLock,
    Unlock,
    Wait,
    Notify,
    Wake,
}

impl AccessKind {
    fn of(number: u64) -> Option<AccessKind> {
        use AccessKind::*;
        let all = [Load, Store, Update, Read, Write, Free, Reuse, Lock, TryLock, Unlock, Wait, Notify, Wake];
        all.get((number as usize).wrapping_sub(1)).copied()
    }

    /// Whether it is about a lock or condition variable, whose state is the player's.
    pub fn of_player(self) -> bool {
        use AccessKind::*;
        matches!(self, Lock | TryLock | Unlock | Wait | Notify | Wake)
    }

    /// Whether it is an atomic access to memory.
    pub fn atomic(self) -> bool {
        matches!(self, AccessKind::Load | AccessKind::Store | AccessKind::Update)
    }
}

/// How an update computes what it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Op {
    None,
    Exchange,
    Add,
    Sub,
    And,
    Or,
    Xor,
    Nand,
    Compare,
    /// Replaces a part of a unit: a store that is smaller than what others access.
    Put,
}

impl Op {
    fn of(number: u64) -> Op {
        use Op::*;
        let all = [None, Exchange, Add, Sub, And, Or, Xor, Nand, Compare];
        all.get(number as usize).copied().unwrap_or(None)
    }

    /// What it stores, if it does.
    pub fn computed(self, old: u128, a: u128, b: u128) -> Option<u128> {
        match self {
            Op::None => None,
            Op::Exchange | Op::Put => Some(a),
            Op::Add => Some(old.wrapping_add(a)),
            Op::Sub => Some(old.wrapping_sub(a)),
            Op::And => Some(old & a),
            Op::Or => Some(old | a),
            Op::Xor => Some(old ^ a),
            Op::Nand => Some(!(old & a)),
            Op::Compare => (old == a).then_some(b),
        }
    }
}

/// One access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Action {
    /// What it is.
    pub kind: AccessKind,
    /// How it computes what it writes.
    pub op: Op,
    /// The memory order, as C numbers them; that of a comparison that fails sixteen times.
    pub order: u8,
    /// Bytes.
    pub size: u8,
    /// Where.
    pub address: u64,
    /// Where in the code: the return address of the hook.
    pub place: u64,
    /// The operand, or what a comparison expects.
    pub a: u128,
    /// What a comparison stores.
    pub b: u128,
}

/// A record of a log.
#[derive(Clone, Copy, Debug)]
pub enum Record<'a> {
    /// An access, with the contents of its unit before and after.
    Access {
        /// Who.
        thread: usize,
        /// What.
        action: Action,
        /// A number for the local state of the thread before it; 0 when it is not known.
        local: u64,
        /// Before.
        old: &'a [u64],
        /// After.
        new: &'a [u64],
        /// Whether it comes with the step of the access before it.
        part: bool,
        /// Whether what comes next depends on more than what is read.
        hidden: bool,
    },
    /// A call of the thread's n-th operation.
    Call(usize, usize),
    /// Its return, with the result and the outputs, and a number for the memory of the thread then.
    Return(usize, usize, &'a [u64], u64),
    /// A thread goes round in a loop of so many accesses that changes nothing; its local state now.
    Block(usize, usize, u64),
    /// A thread waits for a lock at the end: the lock, and the place in the code.
    Pending(usize, u64, u64),
    /// A fence with a memory order.
    Fence(usize, u8),
    /// A block is allocated: address, size, place in the code and in the calls around it. Only in runs for stories.
    Allocate(u64, u64, &'a [u64]),
    /// The return addresses of the calls that a thread is in, the innermost first, before what it does next. Only in
    /// runs for stories.
    Frames(usize, &'a [u64]),
    /// Granules that threads have touched by themselves, each with bits of who has, and of who wrote it from bit 16 on.
    Touched(&'a [u64]),
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Everything ended.
    Complete,
    /// Nobody could go on.
    Stuck,
    /// A finding.
    Finding,
    /// The bound on steps.
    Steps,
    /// The plan could not be followed.
    Departed,
    /// The code needs something that the player does not have.
    Unsupported,
}

/// The answer to a plan.
#[derive(Clone, Debug)]
pub struct Run {
    /// How it ended.
    pub end: End,
    /// Who ran last.
    pub thread: usize,
    /// Ranges of granules that must be made units, first and last.
    pub wanted: Vec<(u64, u64)>,
    /// A text: of a finding its word, its place and a sentence.
    pub text: String,
    words: Vec<u64>,
    /// Where the log begins.
    from: usize,
}

/// A kind, a place, and a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Found {
    /// What kind of finding.
    pub kind: Kind,
    /// Where in the code.
    pub place: u64,
    /// A predicate: `reads memory that was freed`.
    pub sentence: String,
}

impl Run {
    /// From the words of one answer. One that names a kind of failure that nobody knows is none: it must not be passed over.
    pub fn decode(words: Vec<u64>) -> Option<Run> {
        let [end, thread, wanted, text, rest @ ..] = &words[..] else { return None };
        let end = match end {
            0 => End::Complete,
            1 => End::Stuck,
            2 => End::Finding,
            3 => End::Steps,
            4 => End::Departed,
            5 => End::Unsupported,
            _ => return None,
        };
        let (ranges, rest) = rest.split_at_checked(*wanted as usize * 2)?;
        let (bytes, log) = rest.split_at_checked((*text as usize).div_ceil(8))?;
        let bytes: Vec<u8> = bytes.iter().flat_map(|w| w.to_le_bytes()).take(*text as usize).collect();
        let run = Run {
            end,
            thread: *thread as usize,
            wanted: ranges.chunks_exact(2).map(|r| (r[0], r[1])).collect(),
            text: String::from_utf8_lossy(&bytes).into_owned(),
            from: words.len() - log.len(),
            words,
        };
        let told = match run.end {
            End::Finding => run.found().is_some(),
            End::Complete => run.text.is_empty() || run.waits().is_some(),
            _ => true,
        };
        told.then_some(run)
    }

    /// What was found, when the run ended with it.
    pub fn found(&self) -> Option<Found> {
        let mut lines = self.text.splitn(3, '\n');
        match (self.end, lines.next(), lines.next(), lines.next()) {
            (End::Finding, Some(word), Some(place), Some(sentence)) => Some(Found {
                kind: Kind::of(word)?,
                place: place.parse().unwrap_or(0),
                sentence: sentence.to_string(),
            }),
            _ => None,
        }
    }

    /// How a call after the threads waits, where the run is complete all the same.
    pub fn waits(&self) -> Option<Kind> {
        Kind::of(&self.text).filter(|_| self.end == End::Complete)
    }

    /// Threads that go round in loops, in order, and whether each waits for a lock there.
    pub fn loops(&self) -> Vec<(usize, bool)> {
        let of = |(record, words): (Record<'_>, &[u64])| match record {
            Record::Block(thread, ..) => Some((thread, words.get(9) == Some(&1))),
            _ => None,
        };
        self.with_words().filter_map(of).collect()
    }

    /// The calls that a program with its own `main` tells of: thread, and what the player says of the call.
    pub fn calls(&self) -> Vec<(usize, &[u64])> {
        let mut found = Vec::new();
        for (record, words) in self.with_words() {
            if let Record::Call(thread, _) = record {
                let count = (words[0] >> 40 & 0xff) as usize;
                found.push((thread, &words[8..8 + count]));
            }
        }
        found
    }

    /// The records with the words that each begins with.
    fn with_words(&self) -> impl Iterator<Item = (Record<'_>, &[u64])> {
        let mut records = self.records();
        std::iter::from_fn(move || {
            let words = records.words;
            records.next().map(|record| (record, words))
        })
    }

    /// The records in order.
    pub fn records(&self) -> Records<'_> {
        Records { words: &self.words[self.from..] }
    }
}

/// Goes through the records of a run.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    words: &'a [u64],
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        let (head, rest) = self.words.split_at_checked(8)?;
        let byte = |n: u32| (head[0] >> (n * 8) & 0xff) as usize;
        let (thread, count) = (byte(1), byte(5));
        if let Some(kind) = AccessKind::of(byte(0) as u64) {
            let (old, rest) = rest.split_at_checked(count)?;
            let (new, rest) = rest.split_at_checked(count)?;
            self.words = rest;
            let wide = |at: usize| u128::from(head[at]) | u128::from(head[at + 1]) << 64;
            let action = Action {
                kind,
                op: Op::of(byte(4) as u64),
                order: byte(3) as u8,
                size: byte(2) as u8,
                address: head[2],
                place: head[1],
                a: wide(4),
                b: wide(6),
            };
            let (part, hidden) = (byte(6) & 1 == 1, byte(6) & 2 == 2);
            return Some(Record::Access { thread, action, local: head[3], old, new, part, hidden });
        }
        let (values, rest) = rest.split_at_checked(count)?;
        self.words = rest;
        let what = head[2] as usize;
        Some(match byte(0) {
            20 => Record::Call(thread, what),
            21 => Record::Return(thread, what, values, head[3]),
            22 => Record::Block(thread, what, values.first().copied().unwrap_or(0)),
            23 => Record::Pending(thread, head[2], values.first().copied().unwrap_or(0)),
            24 => Record::Fence(thread, what as u8),
            25 => Record::Allocate(head[2], values[0], &values[1..]),
            26 => Record::Frames(thread, values),
            27 => Record::Touched(values),
            other => unreachable!("a player sent a record of kind {other}"),
        })
    }
}
