//! States as parts: who reaches a struct decides where it is kept and how it is named.
//!
//! Structs that shared cells reach belong to the global part and are named in the order of a traversal. Structs that
//! one thread alone reaches belong to its part, named in the order in which its slots lead to them. The rest, reached
//! by several threads and no shared cell, or freed and still reached, is in limbo: in the global part, ordered by
//! contents, so that the order of the threads does not matter. Only structs in limbo with equal contents are
//! ordered by who reaches them first: such a state is `tied`, and its moves are executed on the whole state. Freed
//! structs that nobody reaches and a `new` may bring back (`forgotten`) are in limbo with what they reach, as if
//! a thread of its own held them. What else nobody reaches is dropped, and was lost unless it was freed. Invariant:
//! equal states, up to addresses, have equal parts. With `unshare` ([`super::unshare`]) there is no limbo. Cost: linear
//! in the state, but for sorting what is in limbo. Preserves: whatever does not show addresses, since renaming them is
//! an automorphism. Oracle: fresh addresses (no reduction `heap`).

use crate::canonical::bytes::{links, number, put_slot, tag};
use crate::canonical::forgotten;
use crate::canonical::liveness::Liveness;
use crate::machine::state::{Head, Phase, State, Thread};
use foldhash::fast::FixedState;
use std::hash::{BuildHasher, Hasher};
use std::ops::Range;
use trueline_base::Value;
use trueline_lang::ir::Module;

/// Not reached.
pub(super) const GONE: u32 = u32::MAX;
/// Reached by one thread alone.
pub(super) const HELD: u32 = u32::MAX - 1;
/// The bit of the pool among those of the threads that reach a struct.
const POOL: u32 = 1 << 31;

/// What a thread holds.
pub(super) enum Holder<'a> {
    /// Its slots say so.
    Thread(&'a Thread),
    /// Structs by number.
    Structs(u64),
}

/// Names and encodes; keeps its buffers.
#[derive(Default)]
pub(super) struct Canon<'m> {
    /// The module, where freed structs may come back with what they held.
    pool: Option<&'m Module>,
    /// Every struct that is reached is global, because links name threads.
    all_global: bool,
    /// Addresses are their own names, nothing is dropped.
    pub fresh: bool,
    /// Global name of each address, or [`GONE`], or [`HELD`].
    pub map: Vec<u32>,
    /// Nothing is in limbo: what no shared cell reaches is kept by each thread that reaches it, as its own.
    pub unshare: bool,
    /// Whether structs in limbo have equal contents.
    pub tied: bool,
    /// Whether there is a struct that nobody reaches and nobody freed.
    pub lost: bool,
    /// Structs that only a `new` can bring back, and no other struct refers to: only what they keep counts.
    forgotten: Vec<bool>,
    /// Addresses in the order of their global names.
    order: Vec<u32>,
    /// How many of them shared cells reach.
    reached: usize,
    masks: Vec<u32>,
    hashes: Vec<u64>,
    todo: Vec<u32>,
    private: Vec<u32>,
    private_order: Vec<u32>,
    hasher: FixedState,
}

impl<'m> Canon<'m> {
    pub fn new(module: &'m Module, all_global: bool, fresh: bool) -> Canon<'m> {
        let pool = forgotten::possible(module).then_some(module);
        Canon { pool, all_global, fresh, ..Canon::default() }
    }

    /// The structs that several threads reach and no shared cell does.
    pub fn several(&mut self, state: &State, holders: &[Holder<'_>]) -> Vec<u32> {
        self.map.clear();
        self.order.clear();
        self.name_shared(state);
        self.reach(state, holders);
        let several = |a: &u32| self.masks[*a as usize].count_ones() > 1;
        (0..state.heap.heads.len() as u32).filter(several).collect()
    }

    /// Whether a shared cell reaches a struct that had left.
    pub fn published(&self, state: &State) -> bool {
        self.order[..self.reached].iter().any(|a| state.heap.heads[*a as usize].left)
    }

    /// Names every struct. `kept` are in limbo whoever holds them, those apart that are known to be forgotten.
    pub fn name(&mut self, state: &State, holders: &[Holder<'_>], kept: Range<u32>) {
        let structs = state.heap.heads.len();
        self.map.clear();
        self.masks.clear();
        self.order.clear();
        (self.tied, self.lost) = (false, false);
        self.forgotten.clear();
        self.forgotten.resize(structs, false);
        if self.fresh {
            self.map.extend(0..structs as u32);
            self.order.extend(0..structs as u32);
            self.reached = structs;
            return;
        }
        self.name_shared(state);
        if self.unshare {
            self.map.iter_mut().filter(|name| **name == GONE).for_each(|name| *name = HELD);
        } else if self.reached < structs {
            self.reach(state, holders);
            let lost = |a: u32| self.masks[a as usize] == 0 && self.map[a as usize] == GONE;
            let unheld = (0..structs as u32).filter(|a| lost(*a) && !kept.contains(a));
            let unheld: Vec<u32> = unheld.collect();
            self.lost = unheld.iter().any(|a| !state.heap.heads[*a as usize].freed);
            if let Some(module) = self.pool {
                self.forget(state, module, &unheld, &kept);
            }
            self.limbo(state, holders, kept);
        }
    }

    /// Names what shared cells reach.
    fn name_shared(&mut self, state: &State) {
        self.map.resize(state.heap.heads.len(), GONE);
        let (map, order) = (&mut self.map, &mut self.order);
        let mut meet = |address: u32| {
            if map[address as usize] == GONE {
                map[address as usize] = order.len() as u32;
                order.push(address);
            }
        };
        state.shared.iter().for_each(|value| references(value, &mut meet));
        let mut next = 0;
        while next < self.order.len() {
            let (map, order) = (&mut self.map, &mut self.order);
            let address = order[next];
            let mut meet = |address: u32| {
                if map[address as usize] == GONE {
                    map[address as usize] = order.len() as u32;
                    order.push(address);
                }
            };
            state.heap.cells(address).iter().for_each(|value| references(value, &mut meet));
            next += 1;
        }
        self.reached = self.order.len();
    }

    /// Which threads reach each struct that is not global.
    fn reach(&mut self, state: &State, holders: &[Holder<'_>]) {
        self.masks.clear();
        self.masks.resize(state.heap.heads.len(), 0);
        for (t, holder) in holders.iter().enumerate() {
            let (map, masks, todo) = (&self.map, &mut self.masks, &mut self.todo);
            let mut meet = |address: u32| {
                let (a, bit) = (address as usize, 1 << t);
                if map[a] == GONE && masks[a] & bit == 0 {
                    masks[a] |= bit;
                    todo.push(address);
                }
            };
            match holder {
                Holder::Thread(thread) => roots(thread, &mut meet),
                Holder::Structs(structs) => (0..64).filter(|a| structs >> a & 1 == 1).for_each(&mut meet),
            }
            self.spread(state, 1 << t);
        }
    }

    /// Marks what the structs in `todo` lead to.
    fn spread(&mut self, state: &State, bit: u32) {
        while let Some(address) = self.todo.pop() {
            let (map, masks, todo) = (&self.map, &mut self.masks, &mut self.todo);
            let mut meet = |address: u32| {
                let a = address as usize;
                if map[a] == GONE && masks[a] & bit == 0 {
                    masks[a] |= bit;
                    todo.push(address);
                }
            };
            state.heap.cells(address).iter().for_each(|value| references(value, &mut meet));
        }
    }

    /// Lets the pool hold those of the structs that nobody holds which may come back, and what these refer to.
    fn forget(&mut self, state: &State, module: &Module, unheld: &[u32], kept: &Range<u32>) {
        for address in kept.clone() {
            self.forgotten[address as usize] = state.heap.heads[address as usize].forgotten;
        }
        for one in forgotten::among(state, module, unheld.iter().copied()) {
            self.forgotten[one.address as usize] = one.alone();
            self.masks[one.address as usize] |= POOL;
            let (map, masks, todo) = (&self.map, &mut self.masks, &mut self.todo);
            for value in one.contents(state) {
                references(value, &mut |address| {
                    let a = address as usize;
                    if map[a] == GONE && masks[a] & POOL == 0 {
                        masks[a] |= POOL;
                        todo.push(address);
                    }
                });
            }
            self.spread(state, POOL);
        }
    }

    /// The cells of a struct; where only what it keeps counts, the others as they are in a fresh one.
    fn cells<'s>(&'s self, state: &'s State, address: u32) -> impl Iterator<Item = &'s Value> {
        let module = self.pool.filter(|_| self.forgotten[address as usize]);
        let kind = module.map(|module| &module.structs[state.heap.heads[address as usize].kind.0 as usize]);
        state.heap.cells(address).iter().enumerate().map(move |(at, value)| match kind {
            Some(kind) if !kind.kept.contains(&(at as u32)) => &kind.cells[at],
            _ => value,
        })
    }

    /// The kind of a struct and what is known of it.
    fn head(&self, head: &Head, address: u32) -> u32 {
        (head.kind.0 as u32) << 2 | (self.forgotten[address as usize] as u32) << 1 | head.freed as u32
    }

    fn limbo(&mut self, state: &State, holders: &[Holder<'_>], kept: Range<u32>) {
        let mut limbo: Vec<u32> = Vec::new();
        for address in 0..self.map.len() as u32 {
            let a = address as usize;
            if self.map[a] != GONE || (self.masks[a] == 0 && !kept.contains(&address)) {
                continue;
            }
            let several = self.masks[a].count_ones() > 1 || kept.contains(&address);
            let pool = self.masks[a] & POOL != 0;
            let global = several || pool || self.all_global || state.heap.heads[a].freed;
            self.map[a] = HELD;
            if global {
                limbo.push(address);
            }
        }
        // What limbo reaches is in limbo.
        let mut member = vec![false; self.map.len()];
        limbo.iter().for_each(|a| member[*a as usize] = true);
        let mut next = 0;
        while next < limbo.len() {
            let map = &self.map;
            let mut more = Vec::new();
            for value in self.cells(state, limbo[next]) {
                references(value, &mut |a| {
                    if map[a as usize] == HELD && !std::mem::replace(&mut member[a as usize], true) {
                        more.push(a);
                    }
                });
            }
            limbo.append(&mut more);
            next += 1;
        }
        if limbo.is_empty() {
            return;
        }
        self.hash(state, &limbo);
        limbo.sort_unstable_by_key(|a| self.hashes[*a as usize]);
        let same = |pair: &&[u32]| self.hashes[pair[0] as usize] == self.hashes[pair[1] as usize];
        let alike = limbo.windows(2).filter(same).count();
        // Two that only the pool holds, and that are alike, can stand for one another with what they lead to.
        let pooled = |a: u32| self.forgotten[a as usize] || self.masks[a as usize] == POOL;
        let pooled = |pair: &&[u32]| same(pair) && pooled(pair[0]) && pooled(pair[1]);
        let follow = alike > 0 && limbo.windows(2).any(|pair| pooled(&pair));
        self.tied = limbo.windows(2).filter(pooled).count() < alike;
        if self.tied {
            let met = first_met(state, holders, self.map.len());
            limbo.sort_unstable_by_key(|a| (self.hashes[*a as usize], met[*a as usize]));
        }
        for address in limbo {
            if self.map[address as usize] != HELD {
                continue;
            }
            let mut next = self.order.len();
            self.map[address as usize] = next as u32;
            self.order.push(address);
            while follow && next < self.order.len() {
                let mut met = Vec::new();
                for value in self.cells(state, self.order[next]) {
                    references(value, &mut |a| met.push(a));
                }
                for a in met {
                    if self.map[a as usize] == HELD && member[a as usize] {
                        self.map[a as usize] = self.order.len() as u32;
                        self.order.push(a);
                    }
                }
                next += 1;
            }
        }
    }

    /// Hashes of the contents of structs in limbo, refined until what they refer to is told apart.
    fn hash(&mut self, state: &State, limbo: &[u32]) {
        self.hashes.clear();
        self.hashes.resize(self.map.len(), 0);
        for _ in 0..limbo.len().min(8) {
            let mut next = Vec::with_capacity(limbo.len());
            for address in limbo {
                let head = &state.heap.heads[*address as usize];
                let mut hasher = self.hasher.build_hasher();
                hasher.write_u32(self.head(head, *address));
                for value in self.cells(state, *address) {
                    hasher.write_u64(self.contents(value));
                }
                for link in state.links.iter().filter(|link| link.cell.address == *address) {
                    hasher.write_u64((link.thread as u64) << 32 | link.cell.index as u64);
                }
                next.push(hasher.finish());
            }
            for (address, hash) in limbo.iter().zip(next) {
                self.hashes[*address as usize] = hash;
            }
        }
    }

    fn contents(&self, value: &Value) -> u64 {
        let one = |tag: u64, x: u64| {
            let mut hasher = self.hasher.build_hasher();
            hasher.write_u64(tag);
            hasher.write_u64(x);
            hasher.finish()
        };
        match value {
            Value::Ref(a) => match self.map[*a as usize] {
                HELD => one(1, self.hashes[*a as usize]),
                name => one(2, name as u64),
            },
            // The order of these depends on addresses.
            Value::Set(items) | Value::Bag(items) => {
                one(3, items.iter().fold(0, |sum, item| self.contents(item).wrapping_add(sum)))
            }
            Value::Map(entries) => {
                let pair = |(k, v): &(Value, Value)| one(self.contents(k), self.contents(v));
                one(4, entries.iter().fold(0, |sum, entry| pair(entry).wrapping_add(sum)))
            }
            Value::Variant(variant, items) => {
                items.iter().fold(one(5, *variant as u64), |hash, item| one(hash, self.contents(item)))
            }
            Value::Tuple(items) | Value::Array(items) | Value::Seq(items) => {
                items.iter().fold(one(6, items.len() as u64), |hash, item| one(hash, self.contents(item)))
            }
            scalar => self.hasher.hash_one(scalar),
        }
    }

    /// Which structs this thread alone reaches.
    pub fn held_by(&self, thread: usize) -> Vec<bool> {
        self.masks.iter().map(|mask| *mask == 1 << thread).collect()
    }

    /// How many global structs there are: those that shared cells reach, and all.
    pub fn globals(&self) -> (usize, usize) {
        (self.reached, self.order.len())
    }

    /// The global part.
    pub fn global(&mut self, state: &State) -> Vec<u8> {
        let mut out = Vec::with_capacity(64);
        number(&mut out, self.reached as u32);
        number(&mut out, (self.order.len() - self.reached) as u32);
        let rename = |a: u32| self.map[a as usize];
        state.shared.iter().for_each(|value| put(&mut out, value, &mut { rename }));
        for address in &self.order {
            let head = &state.heap.heads[*address as usize];
            number(&mut out, self.head(head, *address));
            self.cells(state, *address).for_each(|value| put(&mut out, value, &mut { rename }));
        }
        links(&mut out, &state.links, |a| Some(self.map[a as usize]).filter(|name| *name != GONE));
        out
    }

    /// The part of a thread.
    pub fn local(&mut self, state: &State, thread: &Thread, live: &Liveness, persistent: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(32);
        self.private.clear();
        self.private.resize(self.map.len(), GONE);
        self.private_order.clear();
        let mut own = Own { map: &self.map, names: &mut self.private, order: &mut self.private_order };
        let mut rename = |address: u32| own.rename(address);
        out.push(thread.phase as u8);
        number(&mut out, thread.node.0);
        number(&mut out, thread.script.len() as u32);
        thread.script.iter().for_each(|value| put(&mut out, value, &mut rename));
        thread.frame[..persistent].iter().for_each(|value| put(&mut out, value, &mut rename));
        if thread.phase != Phase::Idle {
            number(&mut out, thread.op.0 as u32);
            put_slot(&mut out, thread.into);
            if thread.phase == Phase::Running {
                number(&mut out, thread.pc);
                let slots = live.at(thread.op, thread.pc);
                slots.iter().for_each(|slot| put(&mut out, &thread.frame[slot.0 as usize], &mut rename));
            } else {
                put(&mut out, thread.result.as_ref().expect("a returning thread has a result"), &mut rename);
            }
        }
        let mut next = 0;
        while let Some(address) = own.order.get(next).copied() {
            let head = &state.heap.heads[address as usize];
            number(&mut out, (head.kind.0 as u32) << 2 | (head.left as u32) << 1 | head.freed as u32);
            let cells = state.heap.cells(address).iter();
            cells.for_each(|value| put(&mut out, value, &mut |address| own.rename(address)));
            next += 1;
        }
        out
    }
}

/// A thread's own structs, named in the order in which they are met.
struct Own<'c> {
    /// Global names.
    map: &'c [u32],
    names: &'c mut [u32],
    order: &'c mut Vec<u32>,
}

impl Own<'_> {
    /// The name of a struct: even where it is global, odd where it is the thread's own.
    fn rename(&mut self, address: u32) -> u32 {
        let a = address as usize;
        match self.map[a] {
            HELD => {
                if self.names[a] == GONE {
                    self.names[a] = self.order.len() as u32;
                    self.order.push(address);
                }
                2 * self.names[a] + 1
            }
            GONE => panic!("a live slot refers to what nobody reaches"),
            name => 2 * name,
        }
    }
}

/// When each struct is met first on a walk from thread to thread.
fn first_met(state: &State, holders: &[Holder<'_>], structs: usize) -> Vec<u32> {
    let mut met = vec![GONE; structs];
    let mut count = 0;
    for holder in holders {
        let mut order = Vec::new();
        let mut meet = |a: u32, order: &mut Vec<u32>| {
            if met[a as usize] == GONE {
                met[a as usize] = count;
                count += 1;
                order.push(a);
            }
        };
        match holder {
            Holder::Thread(thread) => roots(thread, &mut |a| meet(a, &mut order)),
            Holder::Structs(structs) => {
                (0..64).filter(|a| structs >> a & 1 == 1).for_each(|a| meet(a, &mut order));
            }
        }
        let mut next = 0;
        while next < order.len() {
            let address = order[next];
            for value in state.heap.cells(address) {
                references(value, &mut |a| meet(a, &mut order));
            }
            next += 1;
        }
    }
    met
}

/// The references that a thread holds itself, in order.
fn roots(thread: &Thread, meet: &mut dyn FnMut(u32)) {
    for value in thread.script.iter().chain(&thread.frame).chain(&thread.result) {
        references(value, meet);
    }
}

/// The references inside a value, in order.
pub(super) fn references(value: &Value, meet: &mut dyn FnMut(u32)) {
    match value {
        Value::Ref(address) => meet(*address),
        Value::Unit | Value::Bool(_) | Value::Int(_) | Value::Tid(_) | Value::Val(_) => {}
        Value::None | Value::Null | Value::Lock(_) => {}
        _ => value.children().for_each(|child| references(child, meet)),
    }
}

fn put(out: &mut Vec<u8>, value: &Value, rename: &mut dyn FnMut(u32) -> u32) {
    match value {
        Value::Ref(address) => tag::reference(out, rename(*address)),
        Value::Variant(..) | Value::Tuple(_) | Value::Array(_) | Value::Seq(_) => {
            tag::open(out, value);
            value.children().for_each(|child| put(out, child, rename));
        }
        Value::Set(_) | Value::Bag(_) | Value::Map(_) => {
            let mut renamed = value.clone();
            map_references(&mut renamed, rename);
            tag::whole(out, &renamed);
        }
        _ => tag::whole(out, value),
    }
}

/// Replaces the references inside a value and puts collections in order again.
pub(super) fn map_references(value: &mut Value, map: &mut dyn FnMut(u32) -> u32) {
    value.change(&mut |leaf| {
        if let Value::Ref(address) = leaf {
            *address = map(*address);
        }
    });
}
