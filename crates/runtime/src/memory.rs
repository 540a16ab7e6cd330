//! Which memory is shared. A granule is eight aligned bytes; a unit is one or more of them that are accessed together.
//!
//! Memory that only one thread has touched in every run so far, or that nobody has written, is no scheduling point. When
//! that changes, or when an access reaches over several units, the run is spoilt: it goes on only to collect more of the kind,
//! and the explorer starts again with the units added.

use crate::state::state;

/// Size of the tables; they may be half full.
const SLOTS: usize = 1 << 16;

/// A table from granules to words that is emptied at once.
struct Table {
    keys: Vec<usize>,
    values: Vec<u32>,
    era: Vec<u32>,
    now: u32,
    used: usize,
}

impl Table {
    fn new() -> Table {
        Table { keys: vec![0; SLOTS], values: vec![0; SLOTS], era: vec![0; SLOTS], now: 1, used: 0 }
    }

    fn clear(&mut self) {
        self.now += 1;
        self.used = 0;
    }

    fn slot(&self, key: usize) -> usize {
        let mut at = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) & (SLOTS - 1);
        while self.era[at] == self.now && self.keys[at] != key {
            at = (at + 1) & (SLOTS - 1);
        }
        at
    }

    fn get(&self, key: usize) -> Option<u32> {
        let at = self.slot(key);
        (self.era[at] == self.now).then(|| self.values[at])
    }

    /// Answers whether there was room.
    fn set(&mut self, key: usize, value: u32) -> bool {
        let at = self.slot(key);
        if self.era[at] != self.now {
            if self.used * 2 >= SLOTS {
                return false;
            }
            self.used += 1;
        }
        (self.keys[at], self.values[at], self.era[at]) = (key, value, self.now);
        true
    }
}

/// Marks of granules besides their owner: somebody has written it, several threads have read it.
const WRITTEN: u32 = 1 << 8;
const SEVERAL: u32 = 1 << 9;

/// What an access touches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Touch {
    /// Memory of this thread alone.
    Own,
    /// The unit that begins at this granule, with so many granules.
    Shared(usize, usize),
}

/// The tables.
pub struct Granules {
    /// Granule to index in `list`.
    units: Table,
    list: Vec<(usize, usize)>,
    /// For each unit a bit per byte at which something begins that is accessed by itself.
    cuts: Vec<u64>,
    owners: Table,
    /// Who has touched and written granules of their own in any run since the set-up: a bit per thread each. What is new in
    /// this run is told to the explorer, which knows of all players.
    ever: Table,
    pub touched: Vec<(usize, u32)>,
    /// Ranges of granules to be made units, first and last.
    pub wanted: Vec<(usize, usize)>,
    /// Whether a table was too small.
    pub full: bool,
}

impl Granules {
    pub fn new() -> Granules {
        Granules {
            units: Table::new(),
            list: Vec::new(),
            cuts: Vec::new(),
            owners: Table::new(),
            ever: Table::new(),
            touched: Vec::new(),
            wanted: Vec::new(),
            full: false,
        }
    }

    /// Forgets the units.
    pub fn clear(&mut self) {
        self.units.clear();
        self.ever.clear();
        self.list.clear();
        self.cuts.clear();
        self.full = false;
    }

    /// Adds a unit.
    pub fn add(&mut self, first: usize, count: usize, cuts: u64) {
        for granule in first..first + count {
            self.full |= !self.units.set(granule, self.list.len() as u32);
        }
        self.list.push((first, count));
        self.cuts.push(cuts);
    }

    /// A new run begins.
    pub fn begin(&mut self) {
        self.owners.clear();
        self.wanted.clear();
        self.touched.clear();
    }

    /// The unit of a granule.
    pub fn unit(&self, granule: usize) -> Option<(usize, usize)> {
        self.units.get(granule).map(|i| self.list[i as usize])
    }

    /// Wants a range to be a unit.
    pub fn want(&mut self, first: usize, last: usize) {
        if !self.wanted.contains(&(first, last)) && self.wanted.len() < 10_000 {
            self.wanted.push((first, last));
        }
    }

    /// The parts of a range of bytes that are in one unit, or else one granule, each, and in which nothing begins that is
    /// accessed by itself.
    pub fn parts(&self, address: usize, size: usize) -> Vec<(usize, usize)> {
        let (mut at, end) = (address, address + size);
        let mut parts = Vec::new();
        while at < end {
            let (start, count, cuts) = match self.units.get(at >> 3) {
                Some(i) => (self.list[i as usize].0, self.list[i as usize].1, self.cuts[i as usize]),
                None => (at >> 3, 1, 0),
            };
            let from = at - (start << 3);
            let to = (from + 1..count * 8).find(|b| cuts >> b & 1 == 1).unwrap_or(count * 8);
            let length = (to - from).min(end - at);
            parts.push((at, length));
            at += length;
        }
        parts
    }

    /// Thread `me` accesses these bytes.
    pub fn touch(&mut self, me: usize, address: usize, size: usize, write: bool) -> Touch {
        let (first, last) = (address >> 3, (address + size.max(1) - 1) >> 3);
        let unit = self.unit(first);
        if first == last {
            if let Some((start, count)) = unit {
                return Touch::Shared(start, count);
            }
            if self.foreign(me, first, write) {
                self.want(first, last);
            }
            return Touch::Own;
        }
        if let Some((start, count)) = unit
            && last < start + count
        {
            return Touch::Shared(start, count);
        }
        let mut wanted = false;
        for granule in first..=last {
            wanted |= self.unit(granule).is_some() || self.foreign(me, granule, write);
        }
        if wanted {
            self.want(first, last);
        }
        Touch::Own
    }

    /// Whether in this run a granule is touched by several threads and written by one.
    fn foreign(&mut self, me: usize, granule: usize, write: bool) -> bool {
        let mark = if write { WRITTEN } else { 0 };
        let known = self.owners.get(granule);
        if write && known.is_none_or(|k| k & WRITTEN == 0) && !crate::heap::in_arena(me, granule << 3) {
            state().threads[me].written.push(granule);
        }
        let new = match known {
            None => me as u32 | mark,
            Some(owner) if owner & (0xff | SEVERAL) == me as u32 => owner | mark,
            Some(owner) if write || owner & WRITTEN != 0 => return true,
            Some(owner) => owner | SEVERAL,
        };
        if known != Some(new) {
            self.full |= !self.owners.set(granule, new);
            self.note_touch(me, granule, write);
        }
        false
    }

    /// Keeps who touches a granule, over all runs.
    fn note_touch(&mut self, me: usize, granule: usize, write: bool) {
        // What a scripted thread does is no execution.
        if state().script.is_some() {
            return;
        }
        let known = self.ever.get(granule).unwrap_or(0);
        let new = known | 1 << me | u32::from(write) << (16 + me);
        if new != known {
            self.full |= !self.ever.set(granule, new);
            self.touched.push((granule, new));
        }
    }

    /// The units that overlap a range of bytes, each once.
    pub fn overlapping(&self, address: usize, size: usize) -> Vec<(usize, usize)> {
        let mut found: Vec<(usize, usize)> = Vec::new();
        for granule in address >> 3..=(address + size.max(1) - 1) >> 3 {
            if let Some(unit) = self.unit(granule)
                && !found.contains(&unit)
            {
                found.push(unit);
            }
        }
        found
    }
}

/// The words of a unit.
pub fn contents(start: usize, count: usize) -> [u64; 8] {
    let mut words = [0; 8];
    for (i, word) in words.iter_mut().enumerate().take(count) {
        // SAFETY: the program is about to access this unit; if it is not mapped the program crashes here instead of
        // one instruction later, and the handler takes it for the program's fault.
        *word = unsafe { std::ptr::read_volatile(((start + i) << 3) as *const u64) };
    }
    words
}

/// Notes an access to memory of the thread alone; ends what never reaches a scheduling point.
pub fn note_own(me: usize, address: usize, size: usize) {
    let thread = &mut state().threads[me];
    thread.local_accesses += 1;
    if thread.local_accesses == 100_000 {
        // A loop on memory that nobody else has touched yet: it must be a scheduling point, or the run never ends.
        let (first, last) = (address >> 3, (address + size.max(1) - 1) >> 3);
        state().granules.want(first, last);
        crate::schedule::end(crate::state::End::Steps, "");
    }
}

/// Accesses that an operation may make when it runs alone.
pub const MOST_ALONE: u32 = 50_000;

/// Counts an access outside of the threads, so that an operation that does not end there is found.
pub fn note_alone() {
    let state = state();
    let thread = &mut state.threads[state.current];
    thread.local_accesses = thread.local_accesses.saturating_add(1);
    if thread.local_accesses > state.most_alone {
        match thread.waits {
            true => crate::schedule::waits_alone("deadlock", "waits for a lock that nobody will release"),
            false => crate::schedule::waits_alone("endless", "does not end although it runs alone"),
        }
    }
}
