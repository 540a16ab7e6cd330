//! A history as the search sees it: events in order, slots for what is open, classes of equal operations.

use std::hash::Hash;

use super::states::Interned;
use crate::history::NEVER;

/// When an operation was open. The numbers only order the ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Position of the call.
    pub call: u32,
    /// Position of the return, or [`NEVER`].
    pub ret: u32,
}

/// One operation of an instance.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    /// Which operation it is, as an index of [`Instance::classes`].
    pub class: u32,
    /// The slot that it holds while it is open.
    pub slot: u32,
    /// Index of its return among the events, or [`NEVER`].
    pub ret: u32,
    /// Whether another operation of its class exists.
    pub twinned: bool,
}

/// Operations with intervals. Items are numbered as they were given.
pub struct Instance<O> {
    /// The operations.
    pub items: Vec<Item>,
    /// The distinct operations with their results.
    pub classes: Vec<O>,
    /// Calls (`2 i`) and returns (`2 i + 1`) in order.
    pub events: Vec<u32>,
    /// How many operations are open at once, at most.
    pub slots: u32,
    /// Operations that may take effect at any time, any number of times.
    pub free: Vec<O>,
}

impl<O: Clone + Eq + Hash> Instance<O> {
    /// From operations and the spans in which they were open. Positions of different ends are
    /// different, except that calls may share one.
    pub fn new(ops: impl IntoIterator<Item = (O, Span)>) -> Instance<O> {
        let ops = ops.into_iter();
        let mut classes = Interned::new();
        let mut counts: Vec<u32> = Vec::new();
        let mut items = Vec::with_capacity(ops.size_hint().0);
        let mut ends: Vec<(u32, u32)> = Vec::with_capacity(2 * ops.size_hint().0);
        for (i, (op, span)) in ops.enumerate() {
            let class = classes.number(op, |_| 0);
            if class as usize == counts.len() {
                counts.push(0);
            }
            counts[class as usize] += 1;
            items.push(Item { class, slot: 0, ret: NEVER, twinned: false });
            ends.push((span.call, i as u32 * 2));
            if span.ret != NEVER {
                ends.push((span.ret, i as u32 * 2 + 1));
            }
        }
        ends.sort_unstable_by_key(|(p, e)| (*p, e & 1, *e));
        let events: Vec<u32> = ends.into_iter().map(|(_, e)| e).collect();
        let mut unused = std::collections::BTreeSet::new();
        let mut slots = 0;
        for (at, e) in events.iter().enumerate() {
            let item = &mut items[(e >> 1) as usize];
            if e & 1 == 0 {
                item.slot = unused.pop_first().unwrap_or_else(|| {
                    slots += 1;
                    slots - 1
                });
                item.twinned = counts[item.class as usize] > 1;
            } else {
                item.ret = at as u32;
                unused.insert(item.slot);
            }
        }
        Instance { items, classes: classes.into_items(), events, slots, free: Vec::new() }
    }

    /// The operation of an item.
    pub fn op(&self, item: u32) -> &O {
        &self.classes[self.items[item as usize].class as usize]
    }

    /// Bytes that it takes, about.
    pub fn bytes(&self) -> u64 {
        (self.items.capacity() * std::mem::size_of::<Item>()
            + self.classes.capacity() * std::mem::size_of::<O>()
            + self.events.capacity() * 4) as u64
    }
}
