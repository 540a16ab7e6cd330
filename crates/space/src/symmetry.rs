//! One state for all that exchanges of threads lead to.
//!
//! Liu, Chen, Liu, Sun, Zhang, Dong, IEEE TSE 2013, algorithms 4.2 and 4.3; here without trying all exchanges. Where
//! no part names a thread, the threads of a role are sorted by the numbers of their parts. Where parts name threads,
//! threads are sorted by a key that no exchange of the others changes, and only ties are tried. Threads that the model
//! does not tell apart are told apart by the monitor's state: its least image under exchanges of them is taken. The
//! choice is the least by numbers of parts, which never change once given, so that all symmetric states have one
//! form. Preserves: whatever does not name a thread; the paper's theorem for refinement. Oracle: all permutations, in
//! the tests.

use crate::map::Map;
use crate::model::{Model, Rename, Symmetry, View};
use crate::monitor::Monitor;
use crate::parts::Parts;
use crate::permute::{IDENTITY, Perm, permutations};
use crate::record::RecordedMonitor;
use crate::space::{self, MAX_THREADS, Memo, Node};

/// More ties than this are not tried: the state then stands for fewer others, which costs states, never a verdict.
pub(crate) const TRIES: usize = 720;

/// What is not known yet.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Miss {
    Beside { beside: u32, by: Perm },
    Least { beside: u32, ties: u32 },
    Key { global: u32, local: u32, thread: usize },
    Global { global: u32, by: Perm },
    Local { local: u32, by: Perm, rename: Rename, both: u32 },
    Occurring { part: u32, local: bool },
}

/// What is remembered of exchanges.
#[derive(Default)]
pub(crate) struct Exchanges {
    beside: Map,
    least: Map,
    /// Per thread: the number of its key by global and local part.
    keys: Vec<Map>,
    pub key_parts: Parts,
    /// By global part and exchange: the part after it and how the others rename; one more than their place.
    globals: Map,
    global_list: Vec<Option<Exchanged>>,
    /// Numbers of exchanges together with renamings.
    both: Map,
    both_count: u32,
    /// By such a number and local part: the part after it.
    locals: Map,
}

/// A global part after an exchange.
#[derive(Clone, Copy)]
struct Exchanged {
    global: u32,
    /// How local parts rename on top of the exchange.
    rename: Rename,
    /// The number of the exchange together with the renaming.
    both: u32,
}

/// The numbers of keys of threads, as far as they are known.
pub(crate) type ThreadKeys = [u32; MAX_THREADS];

/// A key that is not known.
pub(crate) const NO_KEY: u32 = u32::MAX;

impl Exchanges {
    pub fn bytes(&self) -> u64 {
        let keys: u64 = self.keys.iter().map(Map::bytes).sum();
        let maps = [&self.beside, &self.least, &self.globals, &self.both, &self.locals];
        let maps: u64 = maps.into_iter().map(Map::bytes).sum();
        let list = std::mem::size_of::<Option<Exchanged>>() * self.global_list.capacity();
        maps + keys + self.key_parts.bytes() + list as u64
    }
}

impl Memo {
    /// The state that stands for all that are symmetric to this one.
    #[inline]
    pub fn canonical(&self, node: Node) -> Result<Node, Box<space::Miss>> {
        self.canonical_by(node, [NO_KEY; MAX_THREADS])
    }

    /// The same, where some keys of threads are known.
    #[inline]
    pub fn canonical_by(&self, node: Node, keys: ThreadKeys) -> Result<Node, Box<space::Miss>> {
        match self.symmetry {
            Symmetry::Off => Ok(node),
            Symmetry::Sorting => self.sorted(node).map_err(|miss| Box::new(space::Miss::Symmetry(*miss))),
            Symmetry::Permuting => {
                self.permuted(node, keys).map_err(|miss| Box::new(space::Miss::Symmetry(*miss)))
            }
        }
    }

    fn sorted(&self, mut node: Node) -> Result<Node, Box<Miss>> {
        let mut by = IDENTITY;
        let mut moved = false;
        for from in 1..self.threads {
            let mut at = from;
            while at > 0 && self.roles[at] == self.roles[at - 1] && node.locals[at - 1] > node.locals[at] {
                node.locals.swap(at - 1, at);
                by.swap(at - 1, at);
                at -= 1;
                moved = true;
            }
        }
        if moved {
            node.beside = self.exchanged_beside(node.beside, &by)?;
        }
        let mut ties = 0;
        for at in 1..self.threads {
            let same = self.roles[at] == self.roles[at - 1] && node.locals[at] == node.locals[at - 1];
            ties |= (same as u32) << at;
        }
        node.beside = self.least_beside(node.beside, ties)?;
        Ok(node)
    }

    fn exchanged_beside(&self, beside: u32, by: &Perm) -> Result<u32, Box<Miss>> {
        if *by == IDENTITY {
            return Ok(beside);
        }
        let miss = || Box::new(Miss::Beside { beside, by: *by });
        let perm = self.perms.find(by).ok_or_else(miss)?;
        let after = self.exchanges.beside.get((beside as u64) << 32 | perm as u64);
        after.map(|after| after as u32).ok_or_else(miss)
    }

    pub fn least_beside(&self, beside: u32, ties: u32) -> Result<u32, Box<Miss>> {
        if ties == 0 {
            return Ok(beside);
        }
        let known = self.exchanges.least.get((beside as u64) << 32 | ties as u64);
        known.map(|least| least as u32).ok_or_else(|| Box::new(Miss::Least { beside, ties }))
    }

    /// Whether something that was missed is known by now.
    pub fn knows_exchange(&self, miss: &Miss) -> bool {
        match miss {
            Miss::Beside { beside, by } => self.exchanged_beside(*beside, by).is_ok(),
            Miss::Least { beside, ties } => self.least_beside(*beside, *ties).is_ok(),
            Miss::Key { global, local, thread } => self.key(*global, *local, *thread).is_some(),
            Miss::Global { global, by } => {
                let perm = self.perms.find(by);
                let key = perm.map(|perm| (*global as u64) << 32 | perm as u64);
                key.is_some_and(|key| self.exchanges.globals.get(key).is_some())
            }
            Miss::Local { local, both, .. } => {
                self.exchanges.locals.get((*both as u64) << 32 | *local as u64).is_some()
            }
            Miss::Occurring { part, local } => self.symbols.knows(*part, *local),
        }
    }

    /// The number of a thread's key.
    pub fn key(&self, global: u32, local: u32, thread: usize) -> Option<u64> {
        self.exchanges.keys.get(thread)?.get((global as u64) << 32 | local as u64)
    }

    fn permuted(&self, node: Node, mut keys: ThreadKeys) -> Result<Node, Box<Miss>> {
        let threads = self.threads;
        for (thread, key) in keys[..threads].iter_mut().enumerate().filter(|(_, key)| **key == NO_KEY) {
            let (global, local) = (node.global, node.locals[thread]);
            let known = self.key(global, local, thread);
            *key = known.ok_or_else(|| Box::new(Miss::Key { global, local, thread }))? as u32;
        }
        let mut first = IDENTITY;
        for from in 1..threads {
            let mut at = from;
            while at > 0
                && self.roles[at] == self.roles[at - 1]
                && keys[first[at - 1] as usize] > keys[first[at] as usize]
            {
                first.swap(at - 1, at);
                at -= 1;
            }
        }
        let mut groups = Vec::new();
        let mut tries = 1usize;
        let mut from = 0;
        while from < threads {
            let mut to = from + 1;
            while to < threads
                && self.roles[to] == self.roles[from]
                && keys[first[to] as usize] == keys[first[from] as usize]
            {
                to += 1;
                tries = tries.saturating_mul(to - from);
            }
            if to > from + 1 {
                groups.push((from, to));
            }
            from = to;
        }
        if !self.symbols.classes.is_empty() {
            let few = !groups.is_empty() && tries <= TRIES;
            let orders = if few { permutations(&first, &groups) } else { vec![first] };
            return self.placed(&node, &orders);
        }
        if groups.is_empty() || tries > TRIES {
            return Ok(self.exchanged(&node, &first)?.unwrap_or(node));
        }
        let mut best: Option<Node> = None;
        let order = |node: &Node| (node.global, node.locals, node.beside);
        for by in permutations(&first, &groups) {
            let next = self.exchanged(&node, &by)?.unwrap_or(node);
            if best.is_none_or(|best| order(&next) < order(&best)) {
                best = Some(next);
            }
        }
        Ok(best.expect("there is at least one exchange"))
    }

    /// The state after an exchange; none where the model cannot say.
    pub fn exchanged(&self, node: &Node, by: &Perm) -> Result<Option<Node>, Box<Miss>> {
        if *by == IDENTITY {
            return Ok(Some(*node));
        }
        let miss = || Box::new(Miss::Global { global: node.global, by: *by });
        let perm = self.perms.find(by).ok_or_else(miss)?;
        let at = self.exchanges.globals.get((node.global as u64) << 32 | perm as u64).ok_or_else(miss)?;
        let Some(Exchanged { global, rename, both }) = self.exchanges.global_list[at as usize] else {
            return Ok(None);
        };
        let mut to = Node { global, beside: node.beside, locals: [0; MAX_THREADS] };
        for place in 0..self.threads {
            let local = node.locals[by[place] as usize];
            let known = self.exchanges.locals.get((both as u64) << 32 | local as u64);
            let miss = || Box::new(Miss::Local { local, by: *by, rename, both });
            to.locals[place] = known.ok_or_else(miss)? as u32;
        }
        to.beside = self.exchanged_beside(node.beside, by)?;
        Ok(Some(to))
    }
}

/// Computes what was missed.
pub(crate) fn fill<M: Model, B: Monitor>(
    memo: &mut Memo,
    model: &mut M,
    mut monitor: RecordedMonitor<'_, B>,
    miss: Miss,
) {
    let threads = memo.threads;
    let names = threads + memo.symbols.classes.len();
    match miss {
        Miss::Beside { beside, by } => {
            let perm = memo.perms.intern(&by);
            let after = monitor.permute(beside, &by[..names]);
            memo.exchanges.beside.set((beside as u64) << 32 | perm as u64, after as u64);
        }
        Miss::Least { beside, ties } => {
            let least = monitor.least(beside, ties, names);
            memo.exchanges.least.set((beside as u64) << 32 | ties as u64, least as u64);
        }
        Miss::Key { global, local, thread } => {
            let view = View { global: memo.globals.get(global), local: memo.locals.get(local) };
            let key = model.key(view, thread);
            let id = memo.exchanges.key_parts.intern(&key).0;
            let keys = &mut memo.exchanges.keys;
            keys.resize_with(keys.len().max(threads), Map::default);
            keys[thread].set((global as u64) << 32 | local as u64, id as u64);
        }
        Miss::Global { global, by } => {
            let perm = memo.perms.intern(&by);
            let after = model.permute_global(memo.globals.get(global), &by[..names]);
            let after = after.map(|(part, rename)| {
                memo.note_rename(model, rename);
                let exchanges = &mut memo.exchanges;
                let key = (perm as u64) << 32 | rename as u64;
                let both = exchanges.both.get(key).unwrap_or_else(|| {
                    exchanges.both.set(key, exchanges.both_count as u64);
                    exchanges.both_count += 1;
                    exchanges.both_count as u64 - 1
                });
                Exchanged { global: memo.globals.intern(&part).0, rename, both: both as u32 }
            });
            let at = memo.exchanges.global_list.len() as u64;
            memo.exchanges.global_list.push(after);
            memo.exchanges.globals.set((global as u64) << 32 | perm as u64, at);
        }
        Miss::Local { local, by, rename, both } => {
            let part = model.permute_local(memo.locals.get(local), &by[..names], rename);
            let after = memo.intern_local(model, &part);
            memo.exchanges.locals.set((both as u64) << 32 | local as u64, after as u64);
        }
        Miss::Occurring { part, local } => memo.fill_occurring(model, part, local),
    }
}
