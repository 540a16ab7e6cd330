//! A model and a monitor, explored together: states as numbers of parts, moves computed once per pair of parts.
//!
//! Invariant: everything in [`Memo`] is a function of its key, so that [`Space::look`] only reads; what it misses is
//! named, computed by [`Space::fill`], and looked up again. A transition costs a few look-ups; the model works once
//! per pair of a global and a local part, which are few.

use crate::accesses::Accesses;
use crate::map::Map;
use crate::model::{Enabled, Letter, Model, Move, Next, Rename, Start, Symmetry, To, View, Whole};
use crate::monitor::{After, Monitor};
use crate::order::{Order, Paths};
use crate::parts::Parts;
use crate::permute::Perms;
use crate::record::{Record, RecordedMonitor, Unloaded};
use crate::symbols::Symbols;
use crate::symmetry::{NO_KEY, ThreadKeys};
use crate::wire;
use crate::word::Change;
use hashbrown::HashMap;
use std::io::{self, Read, Write};

mod checked;
mod fill;
mod memo;
mod node;

pub use node::{Edge, End, Node, Reached, Standing};

/// Most threads that a model may have.
pub const MAX_THREADS: usize = 16;

/// What is not known yet.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Miss {
    Moves { node: Node, thread: usize },
    Settled { raw: u32, thread: usize, holders: [u64; MAX_THREADS] },
    Whole { node: Node, thread: usize },
    Renamed { local: u32, rename: Rename },
    After { beside: u32, thread: usize, letter: Letter },
    Symmetry(crate::symmetry::Miss),
}

/// A move, with its parts interned.
#[derive(Clone, Copy)]
pub(crate) struct InternedMove {
    pub letter: Letter,
    /// The number of the thread's key after it, where that is known and threads are permuted.
    key: u32,
    pub to: Reach,
}

#[derive(Clone, Copy)]
pub(crate) enum Reach {
    /// A global part equal to [`SAME`] is as before.
    Parts(Successor),
    Held {
        raw: u32,
        things: u64,
    },
    Whole,
    End(u32),
}

const SAME: u32 = u32::MAX;

/// The parts after a move.
#[derive(Clone, Copy)]
pub(crate) struct Successor {
    global: u32,
    pub local: u32,
    pub rename: Rename,
}

/// The outcome of a move once it is known who holds what.
#[derive(Clone, Copy)]
pub(crate) enum Settled {
    Parts(Successor),
    /// It depends on everything.
    Whole,
}

impl Successor {
    /// The global part after the move.
    #[inline]
    pub fn global_or(&self, before: u32) -> u32 {
        if self.global == SAME { before } else { self.global }
    }
}

pub(crate) type WholeStep = (Letter, Result<Node, u32>);

/// Everything that is remembered.
pub(crate) struct Memo {
    pub threads: usize,
    pub classes: Vec<usize>,
    pub roles: Vec<usize>,
    pub symmetry: Symmetry,
    /// Which orders of steps are left out, and whether the monitor sees nothing.
    pub order: Order,
    pub blind: bool,
    pub globals: Parts,
    pub locals: Parts,
    /// Per local part what it holds; none when that takes more than 64 bits.
    references: Vec<Option<u64>>,
    /// Per class: from a global and a local part to a run of steps and whether the thread can move. Where threads are
    /// permuted or orders are left out, an entry before the run has the thread's key and where its accesses are.
    moves: Vec<Map>,
    steps: Vec<InternedMove>,
    /// What each step changes in words, where parts stay at their places.
    changes_of_steps: Vec<Change>,
    accesses: Vec<Accesses>,
    alone: Vec<Option<Settled>>,
    settled: HashMap<Box<[u64]>, Settled, foldhash::fast::FixedState>,
    pub whole: HashMap<(Node, u8), Vec<WholeStep>, foldhash::fast::FixedState>,
    /// Per renaming what it changes.
    changes: Vec<(u64, bool)>,
    renamed: Map,
    after: Map,
    /// From two states of the monitor to whether the first is below the second.
    below: Map,
    pub perms: Perms,
    pub exchanges: crate::symmetry::Exchanges,
    /// Data that is exchanged as threads are.
    pub symbols: Symbols,
}

const VIOLATION: u64 = 1 << 63;

/// The run of a thread that never moves.
pub(crate) const NO_MOVE: u64 = Enabled::Done as u64;

/// No run of steps.
const UNKNOWN: u64 = u64::MAX;

/// Set in a run where a step is more than a change of a word, and in [`UNKNOWN`].
pub(crate) const SPECIAL: u64 = 1 << 3;

/// Most whole moves that are remembered.
const WHOLES: usize = 1 << 14;

/// A model, a monitor beside it, and all that is known of both.
pub struct Space<M, B> {
    /// The model.
    pub model: M,
    /// What runs beside it.
    pub beside: B,
    pub(crate) memo: Memo,
    moves: Vec<Move>,
    /// Moves executed on whole states.
    pub wholes: u64,
    /// Whether every move is executed on the whole state as well and compared: what a model claims of its parts is
    /// verified, at the price of what they save.
    pub checked: bool,
    /// Whether states above known ones, as the monitor compares them, are left out. Visitors then see no edges.
    pub antichain: bool,
    /// What the monitor was asked, where the search may be kept.
    record: Option<Record>,
}

impl<M: Model, B: Monitor> Space<M, B> {
    /// Nothing is known yet.
    pub fn new(model: M, beside: B) -> Space<M, B> {
        let threads = model.threads();
        assert!(threads <= MAX_THREADS, "at most {MAX_THREADS} threads");
        let classes: Vec<usize> = (0..threads).map(|t| model.class(t)).collect();
        let class_count = classes.iter().max().map_or(0, |most| most + 1);
        let roles = (0..threads).map(|t| model.role(t)).collect();
        let symmetry = model.symmetry();
        assert!(threads + model.symbols().len() <= MAX_THREADS, "an exchange has room for {MAX_THREADS}");
        let memo = Memo {
            threads,
            classes,
            roles,
            symmetry,
            order: Order::Full,
            blind: beside.blind(),
            globals: Parts::default(),
            locals: Parts::default(),
            references: Vec::new(),
            moves: (0..class_count).map(|_| Map::default()).collect(),
            steps: Vec::new(),
            changes_of_steps: Vec::new(),
            accesses: Vec::new(),
            alone: Vec::new(),
            settled: HashMap::default(),
            whole: HashMap::default(),
            changes: vec![(0, false)],
            renamed: Map::default(),
            after: Map::default(),
            below: Map::default(),
            perms: Perms::default(),
            exchanges: Default::default(),
            symbols: Symbols::new(model.symbols()),
        };
        Space {
            model,
            beside,
            memo,
            moves: Vec::new(),
            wholes: 0,
            checked: false,
            antichain: false,
            record: None,
        }
    }

    /// From now on a search can be kept: what the monitor is asked is noted.
    pub fn record(&mut self) {
        self.record.get_or_insert_default();
    }

    fn monitor(&mut self) -> RecordedMonitor<'_, B> {
        RecordedMonitor { monitor: &mut self.beside, record: &mut self.record }
    }

    /// Writes the parts, and what the monitor was asked. What is known of moves is not kept, but learnt anew.
    pub(crate) fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        self.model.save(out)?;
        self.memo.globals.save(out)?;
        self.memo.locals.save(out)?;
        self.memo.exchanges.key_parts.save(out)?;
        wire::put(out, self.wholes)?;
        self.record.as_ref().expect("what the monitor was asked is noted").save(out)
    }

    /// Reads what was written, before anything else is asked.
    pub(crate) fn load(&mut self, input: &mut dyn Read) -> Result<(), Unloaded<B::Halt>> {
        self.model.load(input)?;
        let memo = &mut self.memo;
        Parts::read(input, |part| memo.globals.intern(part).1)?;
        Parts::read(input, |part| {
            let before = memo.locals.len();
            memo.intern_local(&self.model, part) as usize == before
        })?;
        Parts::read(input, |part| memo.exchanges.key_parts.intern(part).1)?;
        self.wholes = wire::get(input)?;
        let record = Record::load(input)?;
        record.replay(&mut self.beside, self.memo.threads + self.memo.symbols.classes.len())?;
        self.record = Some(record);
        Ok(())
    }

    /// Leaves out orders of steps. To be said before anything else.
    pub fn leave_out(&mut self, order: Order) {
        assert!(self.memo.steps.is_empty(), "moves are known already");
        self.memo.order = order;
    }

    /// The states between a state and the last step of a thread's path from it, as they would be stored, where nobody
    /// but these threads (a set of bits) moves; none where a path is a single step.
    pub fn between(&mut self, from: &Node, threads: u32, thread: usize) -> Result<Vec<Node>, B::Halt> {
        if self.memo.order == Order::Full {
            return Ok(Vec::new());
        }
        self.moves(from, threads, &mut Vec::new())?;
        let mut on_the_way = self.memo.on_the_way(from, threads, thread);
        for node in &mut on_the_way {
            *node = self.canonical(*node)?;
        }
        Ok(on_the_way)
    }

    /// Every beginning.
    pub fn starts(&mut self) -> Result<Vec<Reached>, B::Halt> {
        let beside = self.monitor().initial()?;
        let mut found = Vec::new();
        for start in self.model.starts() {
            found.push(match start {
                Start::At { global, locals } => {
                    let node = self.place(&global, &locals, beside);
                    Reached::At(self.canonical(node)?)
                }
                Start::End(code) => Reached::End(End::Model(code)),
            });
        }
        Ok(found)
    }

    /// The state with these parts, as it is.
    pub fn place(&mut self, global: &[u8], locals: &[Vec<u8>], beside: u32) -> Node {
        let mut node = Node { global: self.memo.globals.intern(global).0, beside, locals: [0; MAX_THREADS] };
        for (place, local) in node.locals.iter_mut().zip(locals) {
            *place = self.memo.intern_local(&self.model, local);
        }
        node
    }

    /// The state that stands for all that are symmetric to this one.
    pub fn canonical(&mut self, node: Node) -> Result<Node, B::Halt> {
        loop {
            match self.memo.canonical(node) {
                Ok(node) => return Ok(node),
                Err(miss) => self.fill(*miss)?,
            }
        }
    }

    /// The monitor's state after a letter, and whether it is a violation.
    pub fn after(&mut self, beside: u32, thread: usize, letter: Letter) -> Result<After, B::Halt> {
        loop {
            match self.memo.after(beside, thread, letter) {
                Ok(after) => return Ok(after),
                Err(miss) => self.fill(*miss)?,
            }
        }
    }

    /// Whether one state of the monitor is below another.
    pub(crate) fn below(&mut self, smaller: u32, larger: u32) -> Result<bool, B::Halt> {
        let key = (smaller as u64) << 32 | larger as u64;
        if let Some(known) = self.memo.below.get(key) {
            return Ok(known != 0);
        }
        let below = self.monitor().below(smaller, larger)?;
        self.memo.below.set(key, below as u64);
        Ok(below)
    }

    /// The parts of a state.
    pub fn parts(&self, node: &Node) -> (&[u8], Vec<&[u8]>) {
        let locals = &node.locals[..self.memo.threads];
        (self.memo.globals.get(node.global), locals.iter().map(|l| self.memo.locals.get(*l)).collect())
    }

    /// Appends every move of the given threads (a set of bits); gives for each thread that was asked whether it can move.
    pub fn moves(&mut self, from: &Node, threads: u32, out: &mut Vec<Edge>) -> Result<Standing, B::Halt> {
        let before = out.len();
        loop {
            match self.memo.look(from, threads, out) {
                Ok(standing) => {
                    if self.checked && self.memo.order == Order::Full {
                        self.check(from, threads, &out[before..])?;
                    } else if self.checked {
                        self.check_paths(from, threads)?;
                    }
                    self.forget();
                    return Ok(standing);
                }
                Err(miss) => {
                    out.truncate(before);
                    self.fill(*miss)?;
                }
            }
        }
    }

    /// Forgets moves on whole states when they are many.
    pub(crate) fn forget(&mut self) {
        if self.memo.whole.len() >= WHOLES {
            self.memo.whole.clear();
        }
    }

    /// The model, the global and the local parts, in the order in which they were found.
    pub fn model_and_parts(&mut self) -> (&mut M, &Parts, &Parts) {
        (&mut self.model, &self.memo.globals, &self.memo.locals)
    }

    /// How many global parts, local parts and states of the monitor there are.
    pub fn sizes(&self) -> (usize, usize, usize) {
        (self.memo.globals.len(), self.memo.locals.len(), self.beside.len())
    }

    /// What the growth of the largest table needs for a moment beside what is in use.
    pub fn growth(&self) -> u64 {
        let memo = &self.memo;
        let maps = memo.moves.iter().chain([&memo.renamed, &memo.after, &memo.below]).map(Map::bytes);
        let parts = [&memo.globals, &memo.locals].map(Parts::bytes);
        2 * maps.chain(parts).max().unwrap_or(0)
    }

    /// Memory in use, the monitor's included.
    pub fn bytes(&self) -> u64 {
        self.memo.bytes() + self.beside.bytes() + self.record.as_ref().map_or(0, Record::bytes)
    }
}
