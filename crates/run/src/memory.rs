//! Shared memory as the explorer sees it: units of granules, locations, and what they contain.
//!
//! A granule is eight aligned bytes, a unit one to eight of them that some access touches together. As long as all
//! accesses to a unit are to the same bytes, only these bytes count. Otherwise the unit is *mixed*: its whole contents
//! count, and a store to a part of it is a read-modify-write that keeps the rest.

use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;

use crate::log::{AccessKind, Action, Op};
use crate::numbers::{Numbers, lock};

/// Granules that a unit may have.
pub const MOST_GRANULES: u64 = 8;
/// What the player fills freed memory with.
const POISON: u64 = 0xDDDD_DDDD_DDDD_DDDD;

/// A unit.
#[derive(Clone, Debug)]
struct Unit {
    first: u64,
    count: u64,
    /// The bytes that all accesses so far are to.
    access: Option<(u64, u8)>,
    /// Whether its block was freed, or used again, before these bytes were known: then all of it counted.
    freed: bool,
    mixed: bool,
    /// Under a weak model: a bit per byte at which an access begins or ended, and the bytes of atomic accesses.
    cuts: u64,
    atomic: Vec<(u8, u8)>,
}

/// What must be done before the exploration can go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The units have changed: start again.
    Again,
    /// An access is too large.
    TooLarge(u64, u64),
    /// Atomic accesses of different sizes overlap, or a plain one is to a part of one, where reads may see old writes.
    Overlap,
}

/// Where events take place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Location {
    /// Memory, by its first granule.
    Unit(u64),
    /// Under a weak model: memory, by its first byte.
    Bytes(u64),
    /// A lock or condition variable.
    Player(u64),
}

/// An access as an event or two: a read, a write, or both.
#[derive(Clone, Copy, Debug)]
pub struct MemoryStep {
    /// Where.
    pub loc: u32,
    /// What.
    pub action: u32,
    /// What was there.
    pub old: u32,
    /// What is there afterwards.
    pub new: u32,
    /// Whether it reads.
    pub reads: bool,
    /// Whether it writes whatever it reads.
    pub writes: bool,
}

/// The tables.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Whether reads may see old writes. Then locations are what is accessed by itself, plain accesses to several of them
    /// are several events, and what changes nothing is a write nevertheless.
    pub weak: bool,
    units: Vec<Unit>,
    /// Whether a unit is, or ever was, mixed.
    any_mixed: bool,
    /// Locations by number.
    pub locations: Numbers<Location>,
    /// Contents by number.
    pub values: Numbers<Box<[u64]>>,
    /// Accesses by number.
    pub actions: Numbers<Action>,
    /// What each location contains at the beginning.
    initial: Vec<Option<u32>>,
    /// What read-modify-writes write, by their number and that of what they read.
    computed: FxHashMap<(u32, u32), Option<u32>>,
    /// What several workers have seen of it.
    shared: Option<Arc<Mutex<Seen>>>,
}

/// What a worker may see of memory in its executions and another in others. The units themselves are the same for all:
/// where they change, everything begins again.
#[derive(Debug)]
struct Seen {
    units: Vec<Unit>,
    initial: Vec<Option<u32>>,
}

impl Memory {
    /// From now on copies give the same numbers, and know of each other what they have seen of memory.
    pub fn share(&mut self) {
        self.locations.share();
        self.values.share();
        self.actions.share();
        let seen = Seen { units: self.units.clone(), initial: self.initial.clone() };
        self.shared = Some(Arc::new(Mutex::new(seen)));
    }

    /// Takes in what other copies know.
    pub fn catch_up(&mut self) {
        // What is at the beginning of a location is told after the location and the value are.
        if let Some(shared) = self.shared.clone() {
            self.initial.clone_from(&lock(&shared).initial);
        }
        self.locations.catch_up();
        self.values.catch_up();
        self.actions.catch_up();
        self.initial.resize(self.initial.len().max(self.locations.len()), None);
    }

    /// The units, as the player reads them.
    pub fn words(&self) -> Vec<u64> {
        let mut words = vec![self.units.len() as u64];
        for unit in &self.units {
            words.extend([unit.first, unit.count, unit.cuts]);
        }
        words
    }

    /// The units: first granules and numbers of granules.
    pub fn units(&self) -> Vec<(u64, u64)> {
        self.units.iter().map(|u| (u.first, u.count)).collect()
    }

    /// Makes ranges of granules units, together with the units that they overlap.
    pub fn want(&mut self, ranges: &[(u64, u64)]) -> Result<(), Change> {
        for &(first, last) in ranges {
            let (mut first, mut last, mut parts) = (first, last, 0);
            self.units.retain(|u| {
                let overlaps = u.first <= last && first < u.first + u.count;
                if overlaps {
                    (first, last) = (first.min(u.first), last.max(u.first + u.count - 1));
                    parts += 1;
                }
                !overlaps
            });
            let count = last - first + 1;
            if count > MOST_GRANULES {
                return Err(Change::TooLarge(first << 3, count * 8));
            }
            let mixed = !self.weak && (parts > 1 || (parts == 1 && count > 1));
            self.any_mixed |= mixed;
            let (access, freed) = (None, false);
            self.units.push(Unit { first, count, access, freed, mixed, cuts: 0, atomic: Vec::new() });
        }
        // Merging may have made ranges overlap units that come after them.
        self.units.sort_by_key(|u| u.first);
        Ok(())
    }

    /// What is known of contents and accesses is forgotten, but not the units.
    pub fn forget(&mut self) {
        self.locations = Numbers::default();
        self.values = Numbers::default();
        self.actions = Numbers::default();
        self.units.iter_mut().for_each(|unit| unit.freed = false);
        self.initial.clear();
        self.computed.clear();
        self.shared = None;
    }

    fn unit(&self, granule: u64) -> usize {
        let at = self.units.partition_point(|u| u.first <= granule);
        at.checked_sub(1).filter(|i| granule < self.units[*i].first + self.units[*i].count).unwrap_or_else(
            || panic!("the player reports an access to granule {granule:#x}, which is in no unit"),
        )
    }

    /// The number of a location.
    pub fn location(&mut self, location: Location) -> u32 {
        let number = self.locations.of(location);
        if self.initial.len() <= number as usize {
            self.initial.resize(number as usize + 1, None);
        }
        number
    }

    /// Whether a location is a unit whose whole contents count.
    pub fn is_mixed(&self, loc: u32) -> bool {
        self.any_mixed
            && match self.locations.get(loc) {
                Location::Unit(first) => self.units[self.unit(*first)].mixed,
                Location::Player(_) | Location::Bytes(_) => false,
            }
    }

    /// What a location contains at the beginning.
    pub fn initial(&self, loc: u32) -> Option<u32> {
        self.initial[loc as usize]
    }

    /// What a location contains, for a player: whether it is all of a unit, and the words.
    pub fn given(&self, loc: u32, value: u32) -> (bool, Box<[u64]>) {
        (self.is_mixed(loc), self.values.get(value).clone())
    }

    /// Learns it, or answers whether it is what was learnt before.
    pub fn learn(&mut self, loc: u32, value: u32) -> bool {
        let at = loc as usize;
        if let (None, Some(shared)) = (self.initial[at], &self.shared) {
            let initial = &mut lock(shared).initial;
            initial.resize(initial.len().max(at + 1), None);
            self.initial[at] = Some(*initial[at].get_or_insert(value));
        }
        *self.initial[at].get_or_insert(value) == value
    }

    /// The bytes that all accesses to a unit are to, if these are not the first. What is done to all of a block says nothing
    /// of them.
    fn accessed(&mut self, at: usize, bytes: Option<(u64, u8)>) -> Option<(u64, u8)> {
        if let (None, Some(shared)) = (self.units[at].access, &self.shared) {
            let mut seen = lock(shared);
            seen.units[at].note(bytes);
            self.units[at].clone_from(&seen.units[at]);
        }
        self.units[at].note(bytes);
        self.units[at].access
    }

    /// Notes under a weak model what is accessed by itself.
    fn cut(&mut self, at: usize, action: &Action) -> Result<(), Change> {
        match &self.shared {
            _ if self.units[at].knows(action) => Ok(()),
            None => self.units[at].cut(action),
            Some(shared) => {
                let unit = &mut lock(shared).units[at];
                let change = unit.cut(action);
                self.units[at].clone_from(unit);
                change
            }
        }
    }

    /// Whether an access that was understood before is made again, and finds and leaves the same; nothing when that takes
    /// more than a look. `old` and `new` are what it found and left before, as far as that is known.
    pub fn same(
        &self,
        known: u32,
        action: &Action,
        before: (Option<u32>, &[u64]),
        after: (Option<u32>, &[u64]),
    ) -> Option<bool> {
        let kind = action.kind;
        if kind.of_player() || matches!(kind, AccessKind::Free | AccessKind::Reuse) || action.size > 8 {
            return None;
        }
        let (earlier, words) = (self.actions.get(known), before.1.len());
        if earlier.op == Op::Put || words != 1 {
            return None;
        }
        if earlier != action {
            return Some(false);
        }
        let bits = (u64::MAX >> (64 - 8 * u32::from(action.size))) << (action.address % 8 * 8);
        let equal = |(value, seen): (Option<u32>, &[u64])| {
            value.is_none_or(|value| self.values.get(value)[0] & bits == seen[0] & bits)
        };
        Some(equal(before) && equal(after))
    }

    /// Understands an access.
    pub fn step(&mut self, action: Action, old: &[u64], new: &[u64]) -> Result<MemoryStep, Change> {
        if action.kind.of_player() {
            return Ok(self.player_step(action, old, new));
        }
        let at = self.unit(action.address >> 3);
        let start = self.units[at].first << 3;
        if self.weak {
            self.cut(at, &action)?;
        }
        let whole = !self.weak && matches!(action.kind, AccessKind::Free | AccessKind::Reuse);
        let known = match (self.weak, whole) {
            (true, _) => Some((action.address, action.size)),
            (false, true) => self.accessed(at, None),
            (false, false) => {
                let bytes = (action.address, action.size);
                let known = self.accessed(at, Some(bytes));
                let unit = &mut self.units[at];
                if known != Some(bytes) && !unit.mixed {
                    unit.mixed = true;
                    self.any_mixed = true;
                    return Err(Change::Again);
                }
                if unit.freed && !unit.mixed && u64::from(action.size) < unit.count * 8 {
                    return Err(Change::Again);
                }
                known
            }
        };
        let loc = self.location(match self.weak {
            true => Location::Bytes(action.address),
            false => Location::Unit(self.units[at].first),
        });
        let mixed = self.units[at].mixed;
        let from = (action.address - start) as usize;
        let size = usize::from(action.size);
        // What is around the bytes that are accessed changes without being seen, as the padding of a structure does.
        let seen = |words: &[u64]| -> Box<[u64]> {
            let Some((address, size)) = known.filter(|_| !mixed) else { return words.into() };
            let (from, size) = ((address - start) as usize, usize::from(size));
            let mut kept = vec![0; words.len()].into_boxed_slice();
            put(&mut kept, from, size, field(words, from, size));
            kept
        };
        let (before, after) = (self.values.of(seen(old)), self.values.of(seen(new)));
        let mut action = action;
        let writes = matches!(
            action.kind,
            AccessKind::Store | AccessKind::Write | AccessKind::Free | AccessKind::Reuse
        );
        let part = mixed && !whole && writes && size < old.len() * 8;
        if part && size <= 16 {
            (action.op, action.a) = (Op::Put, field(new, from, size));
        }
        let after = if whole { self.values.of(seen(&vec![POISON; old.len()])) } else { after };
        let reads = !writes || part;
        Ok(MemoryStep { loc, action: self.actions.of(action), old: before, new: after, reads, writes })
    }

    /// A step on a lock or condition variable: a lock is taken by a comparison, uses of a condition variable count.
    fn player_step(&mut self, action: Action, old: &[u64], new: &[u64]) -> MemoryStep {
        let loc = self.location(Location::Player(action.address));
        let (before, after) = (self.values.of(old.into()), self.values.of(new.into()));
        let mut action = action;
        let (reads, writes) = match action.kind {
            AccessKind::Lock | AccessKind::TryLock => {
                (action.op, action.a, action.b) = (Op::Compare, 0, 1);
                (true, false)
            }
            AccessKind::Wait | AccessKind::Notify => {
                (action.op, action.a) = (Op::Add, 1);
                (true, true)
            }
            AccessKind::Wake => (true, false),
            _ => (false, true),
        };
        MemoryStep { loc, action: self.actions.of(action), old: before, new: after, reads, writes }
    }

    /// Whether a read-modify-write stores something when it reads a value, be it what was there.
    pub fn stores(&self, action: u32, read: u32) -> bool {
        let action = self.actions.get(action);
        match action.op {
            Op::None => false,
            Op::Compare => {
                let from = self.offset(action);
                field(self.values.get(read), from, usize::from(action.size)) == action.a
            }
            _ => true,
        }
    }

    /// Where in its unit an access begins.
    fn offset(&self, action: &Action) -> usize {
        match action.kind.of_player() {
            true => 0,
            false => (action.address - (self.units[self.unit(action.address >> 3)].first << 3)) as usize,
        }
    }

    /// What a read-modify-write writes when it reads a value; nothing when it changes nothing and the model is sequential
    /// consistency: it is then as good as a read.
    pub fn computed(&mut self, action: u32, read: u32) -> Option<u32> {
        if self.actions.get(action).op == Op::None {
            return None;
        }
        if let Some(&known) = self.computed.get(&(action, read)) {
            return known;
        }
        let new = self.compute(*self.actions.get(action), read);
        self.computed.insert((action, read), new);
        new
    }

    fn compute(&mut self, action: Action, read: u32) -> Option<u32> {
        let from = self.offset(&action);
        let size = usize::from(action.size);
        let mut words = self.values.get(read).clone();
        let new = action.op.computed(field(&words, from, size), action.a, action.b)?;
        put(&mut words, from, size, new);
        Some(self.values.of(words)).filter(|new| self.weak || *new != read)
    }
}

impl Unit {
    /// An access to these bytes, or to all of its block.
    fn note(&mut self, bytes: Option<(u64, u8)>) {
        self.freed |= self.access.is_none() && bytes.is_none();
        self.access = self.access.or(bytes);
    }

    /// The bytes of an access in it.
    fn bytes(&self, action: &Action) -> (u8, u8) {
        let from = (action.address - (self.first << 3)) as u8;
        (from, from + action.size)
    }

    /// Whether an access by itself is nothing new.
    fn knows(&self, action: &Action) -> bool {
        let bytes = self.bytes(action);
        let inner = |end: &u8| *end > 0 && u64::from(*end) < self.count * 8;
        (!action.kind.atomic() || self.atomic.contains(&bytes))
            && [bytes.0, bytes.1].iter().filter(|e| inner(e)).all(|end| self.cuts >> end & 1 == 1)
    }

    /// Notes what is accessed by itself. The units must be told to the player again when that is new.
    fn cut(&mut self, action: &Action) -> Result<(), Change> {
        let bytes = self.bytes(action);
        let known = self.cuts;
        if action.kind.atomic() && !self.atomic.contains(&bytes) {
            self.atomic.push(bytes);
        }
        for end in [bytes.0, bytes.1] {
            if end > 0 && u64::from(end) < self.count * 8 {
                self.cuts |= 1 << end;
            }
        }
        let inside = |(from, to): &(u8, u8)| (from + 1..*to).any(|b| self.cuts >> b & 1 == 1);
        if self.atomic.iter().any(inside) {
            return Err(Change::Overlap);
        }
        if self.cuts == known { Ok(()) } else { Err(Change::Again) }
    }
}

fn byte(words: &[u64], at: usize) -> u8 {
    (words[at / 8] >> (at % 8 * 8)) as u8
}

/// Up to sixteen bytes.
fn field(words: &[u64], from: usize, size: usize) -> u128 {
    let end = (from + size.min(16)).min(words.len() * 8);
    (from..end).rev().fold(0, |n, at| n << 8 | u128::from(byte(words, at)))
}

fn put(words: &mut [u64], from: usize, size: usize, value: u128) {
    for i in 0..size.min(16) {
        let (at, shift) = ((from + i) / 8, (from + i) % 8 * 8);
        if at < words.len() {
            words[at] = words[at] & !(0xff << shift) | ((value >> (i * 8)) as u64 & 0xff) << shift;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_of_a_large_unit_are_told_apart() {
        let mut unit = Unit {
            first: 8,
            count: MOST_GRANULES,
            access: None,
            freed: false,
            mixed: false,
            cuts: 0,
            atomic: Vec::new(),
        };
        let write = |address| {
            let (kind, op) = (AccessKind::Write, Op::None);
            Action { kind, op, order: 0, size: 8, address, place: 0, a: 0, b: 0 }
        };
        assert_eq!(unit.cut(&write(64 + 40)), Err(Change::Again));
        assert!(unit.knows(&write(64 + 40)) && !unit.knows(&write(64 + 8)));
        assert_eq!(unit.cut(&write(64 + 48)), Err(Change::Again), "a border is new");
        assert_eq!(unit.cut(&write(64 + 40)), Ok(()));
    }
}
