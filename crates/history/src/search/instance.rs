//! A history as the search sees it: events in order, slots for what is open, classes of equal operations.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hash};

use foldhash::fast::FixedState;
use hashbrown::hash_map::Entry;
use hashbrown::{HashMap, HashTable};

use crate::history::NEVER;

/// When an operation was open. The numbers only order the ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Position of the call.
    pub call: u32,
    /// Position of the return, or [`NEVER`].
    pub ret: u32,
}

/// One operation of an instance.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    /// Equal for operations that are equal, result included, unless they change nothing.
    pub class: u32,
    /// Index of its return among the events, or [`NEVER`].
    pub ret: u32,
    /// The slot that it holds while it is open, and the flags.
    marked: u32,
}

/// Another operation of the class exists.
const TWINNED: u32 = 1 << 31;
/// The operation changes nothing.
const OBSERVES: u32 = 1 << 30;

impl Item {
    /// The slot that it holds while it is open.
    pub fn slot(&self) -> u32 {
        self.marked & !(TWINNED | OBSERVES)
    }

    /// Whether another operation of its class exists.
    pub fn twinned(&self) -> bool {
        self.marked & TWINNED != 0
    }

    /// Whether it changes nothing.
    pub fn observes(&self) -> bool {
        self.marked & OBSERVES != 0
    }
}

/// What a search needs to know of operations besides their steps.
pub struct Shape {
    /// The operations.
    pub items: Vec<Item>,
    /// Calls (`2 i`) and returns (`2 i + 1`) in order.
    pub events: Vec<u32>,
    /// Slots in all: one for each operation that may be open at once.
    pub slots: u32,
    /// The slots from this one on belong to operations that never return, in the order of their calls.
    pub pending: u32,
    /// For each of these slots that of the equal operation called last before, or [`NEVER`].
    pub twins: Vec<u32>,
}

impl Shape {
    /// Bytes that it takes, about.
    pub fn bytes(&self) -> u64 {
        (self.items.capacity() * std::mem::size_of::<Item>() + self.events.capacity() * 4) as u64
    }

    /// Whether an item need not be in the order: it never returns, or is a free operation beyond the items.
    pub fn optional(&self, item: u32) -> bool {
        self.items.get(item as usize).is_none_or(|item| item.ret == NEVER)
    }

    /// For operations whose classes are known, each with whether it changes nothing.
    pub fn of(classes: impl Iterator<Item = (u32, bool)>, spans: &[Interval]) -> Shape {
        let mut first: HashMap<u32, u32> = HashMap::new();
        let mut items: Vec<Item> = Vec::with_capacity(spans.len());
        for (class, observes) in classes {
            let mut marked = if observes { OBSERVES } else { 0 };
            match first.entry(class) {
                Entry::Occupied(twin) => {
                    items[*twin.get() as usize].marked |= TWINNED;
                    marked |= TWINNED;
                }
                Entry::Vacant(place) => {
                    place.insert(items.len() as u32);
                }
            }
            items.push(Item { class, ret: NEVER, marked });
        }
        Shape::new(items, spans)
    }

    /// Gives slots and places of returns. What never returns keeps its slot, above those of all others.
    fn new(mut items: Vec<Item>, spans: &[Interval]) -> Shape {
        let events = in_order(spans);
        let mut unused: Vec<u32> = Vec::new();
        let mut pending = 0;
        for (at, e) in events.iter().enumerate() {
            let i = (e >> 1) as usize;
            if e & 1 == 1 {
                items[i].ret = at as u32;
                unused.push(items[i].slot());
            } else if spans[i].ret != NEVER {
                items[i].marked |= unused.pop().unwrap_or_else(|| {
                    pending += 1;
                    pending - 1
                });
            }
        }
        let mut slots = pending;
        let mut twins = Vec::new();
        let mut latest: HashMap<u32, u32> = HashMap::new();
        for e in &events {
            let item = &mut items[(e >> 1) as usize];
            if spans[(e >> 1) as usize].ret == NEVER {
                item.marked |= slots;
                let twin = if item.twinned() { latest.insert(item.class, slots) } else { None };
                twins.push(twin.unwrap_or(NEVER));
                slots += 1;
            }
        }
        Shape { items, events, slots, pending, twins }
    }
}

/// The ends of the spans in order; where they share a position, calls come first.
fn in_order(spans: &[Interval]) -> Vec<u32> {
    let last = |s: &Interval| if s.ret == NEVER { s.call } else { s.ret };
    let length = spans.iter().map(|s| last(s) as usize + 1).max().unwrap_or(0);
    if length <= 8 * spans.len() + 64
        && let Some(events) = by_place(spans, length)
    {
        return events;
    }
    let mut ends: Vec<(u32, u32)> = Vec::with_capacity(2 * spans.len());
    for (i, span) in spans.iter().enumerate() {
        ends.push((span.call, i as u32 * 2));
        if span.ret != NEVER {
            ends.push((span.ret, i as u32 * 2 + 1));
        }
    }
    ends.sort_unstable_by_key(|(p, e)| (*p, e & 1, *e));
    ends.into_iter().map(|(_, e)| e).collect()
}

/// The same without sorting, when no position is shared.
fn by_place(spans: &[Interval], length: usize) -> Option<Vec<u32>> {
    const FREE: u32 = u32::MAX;
    let mut places = vec![FREE; length];
    let mut put = |position: u32, event: u32| {
        let place = &mut places[position as usize];
        let free = *place == FREE;
        *place = event;
        free
    };
    for (i, span) in (0u32..).zip(spans) {
        if !put(span.call, 2 * i) || (span.ret != NEVER && !put(span.ret, 2 * i + 1)) {
            return None;
        }
    }
    places.retain(|e| *e != FREE);
    Some(places)
}

/// Operations with intervals. Items are numbered as they were given.
pub struct Instance<'a, O: Clone> {
    /// Everything but the operations themselves.
    pub shape: Shape,
    /// The operations.
    pub ops: Cow<'a, [O]>,
}

impl<'a, O: Clone + Eq + Hash> Instance<'a, O> {
    /// From operations and the spans in which they were open. Positions of different ends are
    /// different, except that calls may share one. `observes` says which operations change nothing.
    pub fn new(
        ops: impl IntoIterator<Item = (O, Interval)>,
        observes: impl Fn(&O) -> bool,
    ) -> Instance<'a, O> {
        let (ops, spans): (Vec<O>, Vec<Interval>) = ops.into_iter().unzip();
        let shape = Shape::new(classified(&ops, observes), &spans);
        Instance { shape, ops: Cow::Owned(ops) }
    }

    /// The same from what is there already.
    pub fn borrowed(ops: &'a [O], spans: &[Interval], observes: impl Fn(&O) -> bool) -> Instance<'a, O> {
        let shape = Shape::new(classified(ops, observes), spans);
        Instance { shape, ops: Cow::Borrowed(ops) }
    }
}

/// Items without slots: only which are equal, and which change nothing.
pub(super) fn classified<O: Eq + Hash>(ops: &[O], observes: impl Fn(&O) -> bool) -> Vec<Item> {
    let hasher = FixedState::default();
    let mut index: HashTable<u32> = HashTable::with_capacity(ops.iter().filter(|op| !observes(op)).count());
    let mut items: Vec<Item> = Vec::with_capacity(ops.len());
    for (i, op) in ops.iter().enumerate() {
        // What changes nothing goes when it can, whatever is equal to it.
        if observes(op) {
            items.push(Item { class: i as u32, ret: NEVER, marked: OBSERVES });
            continue;
        }
        let hash = hasher.hash_one(op);
        let mut marked = 0;
        let class = match index.find(hash, |&j| ops[j as usize] == *op) {
            Some(&first) => {
                items[first as usize].marked |= TWINNED;
                marked |= TWINNED;
                first
            }
            None => {
                index.insert_unique(hash, i as u32, |&j| hasher.hash_one(&ops[j as usize]));
                i as u32
            }
        };
        items.push(Item { class, ret: NEVER, marked });
    }
    items
}
