//! What a front end writes: states as parts, and what a thread can do in them.
//!
//! A state is one global part and one local part per thread, each a string of bytes that its model can read back: so
//! parts can be stored once, compared, and sent to another process. The moves of a thread are a function of the
//! global part and its own local part; what is not, says so ([`To::Held`], [`To::Whole`]).

use crate::accesses::Accesses;
use std::io::{self, Read, Write};
use trueline_base::{Stop, ids};

/// A part, encoded.
pub type Part = Vec<u8>;

ids! {
    /// What is seen of a move. The same letter made by another thread is another event.
    pub struct Letter;
}

impl Letter {
    /// Nothing is seen.
    pub const SILENT: Letter = Letter(0);
}

/// The number of a way of renaming, given by the model. 0 changes nothing.
pub type Rename = u32;

/// What a thread sees.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The global part.
    pub global: &'a [u8],
    /// Its own part.
    pub local: &'a [u8],
}

/// All parts of a state.
#[derive(Clone, Copy)]
pub struct Whole<'a> {
    /// The global part.
    pub global: &'a [u8],
    /// The parts of the threads.
    pub locals: &'a [&'a [u8]],
}

/// One beginning.
pub enum Start {
    /// A state.
    At {
        /// Its global part.
        global: Part,
        /// The parts of the threads.
        locals: Vec<Part>,
    },
    /// The execution ends before it begins, for a reason that the model numbers.
    End(u32),
}

/// Whether a thread can move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enabled {
    /// It has a move.
    Yes,
    /// It has a move, but may also come to wait for somebody else without a move that is seen here.
    Maybe,
    /// It waits for somebody else.
    Blocked,
    /// Every way that it had is left out of consideration.
    Discarded,
    /// It has nothing left to do.
    Done,
}

/// A move.
#[derive(Debug, PartialEq, Eq)]
pub struct Move {
    /// What is seen of it.
    pub letter: Letter,
    /// Where it leads.
    pub to: To,
}

/// Where a move leads.
#[derive(Debug, PartialEq, Eq)]
pub enum To {
    /// To these parts; the other threads know global things by other names now.
    Parts {
        /// The global part; none when it is as before.
        global: Option<Part>,
        /// The thread's part.
        local: Part,
        /// How the others rename.
        rename: Rename,
    },
    /// It depends on which of some global things the other threads hold.
    Held(Held),
    /// It depends on everything: ask [`Model::whole`].
    Whole,
    /// The execution ends here, for a reason that the model numbers.
    End(u32),
}

/// A move whose outcome depends on who holds what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The move, as the model numbers it.
    pub raw: u32,
    /// The global things in question, by number, 0 to 63.
    pub things: u64,
}

/// The outcome of a move, once it is known who holds what.
pub enum Next {
    /// As [`To::Parts`].
    Parts {
        /// The global part.
        global: Part,
        /// The thread's part.
        local: Part,
        /// How the others rename.
        rename: Rename,
    },
    /// It still depends on everything.
    Whole,
}

/// A move made on a whole state.
pub struct WholeMove {
    /// What is seen of it.
    pub letter: Letter,
    /// The parts it leads to, or the number of what ends the execution.
    pub to: Result<(Part, Vec<Part>), u32>,
}

/// Which threads may be exchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// None.
    Off,
    /// Those of a role, and no part names a thread: exchanging threads exchanges their parts.
    Sorting,
    /// Those of a role; parts name threads, so they change as well.
    Permuting,
}

/// A system of threads.
pub trait Model {
    /// How many threads there are.
    fn threads(&self) -> usize;

    /// Threads of one class have the same moves where their parts are the same.
    fn class(&self, thread: usize) -> usize {
        thread
    }

    /// Neighbouring threads of one role may be exchanged under symmetry.
    fn role(&self, thread: usize) -> usize {
        self.class(thread)
    }

    /// Every beginning.
    fn starts(&mut self) -> Vec<Start>;

    /// Every move of a thread.
    fn moves(&mut self, at: View<'_>, thread: usize, out: &mut Vec<Move>) -> Enabled;

    /// What the moves that were asked for last read and write, all of them together, those of ways that turned out
    /// not to exist included: as long as nobody else changes what is read, the thread can do the same.
    fn accesses(&self) -> Accesses {
        Accesses::ALL
    }

    /// Whether a move of a thread is as long whatever the others do, as long as they do not change what it reads. Where
    /// moves are put together by what others can reach, it is not.
    fn exact(&self) -> bool {
        true
    }

    /// Why the model could not work any longer: what it said since then does not count.
    fn stopped(&self) -> Option<Stop> {
        None
    }

    /// Writes what the model knows beside its parts and cannot find out again: the meanings of letters.
    fn save(&self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Reads what was written.
    fn load(&mut self, _input: &mut dyn Read) -> io::Result<()> {
        Ok(())
    }

    /// The outcome of a held move; `holders` says for each thread which of the things in question it holds.
    fn settle(&mut self, raw: u32, thread: usize, holders: &[u64]) -> Next {
        unreachable!("move {raw} of thread {thread} held by {holders:?} was never given")
    }

    /// All moves of a thread in a whole state, in the order of [`Model::moves`].
    fn whole(&mut self, at: Whole<'_>, thread: usize) -> Vec<WholeMove> {
        unreachable!("no move of thread {thread} in a state of {} threads is a whole one", at.locals.len())
    }

    /// The global things that a part holds, by number; none when there are others beyond 63.
    fn references(&self, _local: &[u8]) -> Option<u64> {
        Some(0)
    }

    /// Which things a renaming changes, and whether it changes some beyond 63.
    fn changes(&self, _rename: Rename) -> (u64, bool) {
        (0, false)
    }

    /// A thread's part under new names.
    fn rename(&mut self, local: &[u8], _rename: Rename) -> Part {
        local.to_vec()
    }

    /// Which threads may be exchanged.
    fn symmetry(&self) -> Symmetry {
        Symmetry::Off
    }

    /// Data that may be exchanged, each with its class; neighbours of one class are interchangeable. With some,
    /// [`Symmetry::Permuting`] is to be said. In an exchange they stand behind the threads.
    fn symbols(&self) -> Vec<usize> {
        Vec::new()
    }

    /// The symbols in a part, in the order of their first occurrences, as sets of bits: those of one set are not told
    /// apart. Exchanging symbols does the same to the sets.
    fn occurring(&mut self, _part: &[u8], _local: bool) -> Vec<u16> {
        Vec::new()
    }

    /// The global part after an exchange: thread `by[q]` stands at place `q`, symbols behind the threads. The second is how local parts rename on
    /// top of it. None when that cannot be said of the global part alone: the state is then kept as it is.
    fn permute_global(&mut self, global: &[u8], _by: &[u8]) -> Option<(Part, Rename)> {
        Some((global.to_vec(), 0))
    }

    /// A thread's part after the same exchange and renaming.
    fn permute_local(&mut self, local: &[u8], _by: &[u8], rename: Rename) -> Part {
        self.rename(local, rename)
    }

    /// Something about a thread that no exchange of the others changes: its part, and how the global part names it.
    fn key(&mut self, at: View<'_>, _thread: usize) -> Part {
        at.local.to_vec()
    }
}
