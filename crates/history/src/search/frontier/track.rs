//! Operations in the order of time, and the frontiers between those that are in an order and those that are not.

use super::super::instance::{Interval, Shape};
use super::Act;
use crate::history::NEVER;

/// Open operations that a frontier can tell apart.
const MOST_SLOTS: u32 = 128;

/// How many events were passed, and which of the open operations are in the order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Frontier {
    pub layer: u32,
    pub mask: u128,
}

/// Some operations, numbered as they were given.
pub(super) struct Track {
    pub acts: Vec<Act>,
    pub spans: Vec<Interval>,
    shape: Shape,
    /// The operations that are open at each return and will return, and where they begin for each event.
    open: Vec<u32>,
    begins: Vec<u32>,
    /// The operations that never return, by their calls, with the event of the call.
    pending: Vec<(u32, u32)>,
    /// The latest call among the operations that returned before each event.
    latest: Vec<u32>,
}

impl Track {
    /// Nothing where too much is open at once.
    pub fn new(acts: Vec<Act>, spans: Vec<Interval>) -> Option<Track> {
        let classes = acts.iter().map(|act| (act.class(), act.observes()));
        let shape = Shape::of(classes, &spans);
        if shape.slots > MOST_SLOTS {
            return None;
        }
        let mut track = Track {
            open: Vec::new(),
            begins: Vec::with_capacity(shape.events.len() + 1),
            pending: Vec::new(),
            latest: Vec::with_capacity(shape.events.len() + 1),
            acts,
            spans,
            shape,
        };
        let (mut now, mut latest): (Vec<u32>, u32) = (Vec::new(), 0);
        for (at, &event) in track.shape.events.iter().enumerate() {
            let item = event >> 1;
            track.begins.push(track.open.len() as u32);
            track.latest.push(latest);
            if event & 1 == 1 {
                track.open.extend(&now);
                now.retain(|i| *i != item);
                latest = latest.max(track.spans[item as usize].call);
            } else if track.spans[item as usize].ret == NEVER {
                track.pending.push((at as u32, item));
            } else {
                now.push(item);
            }
        }
        track.begins.push(track.open.len() as u32);
        track.latest.push(latest);
        Some(track)
    }

    pub fn start(&self) -> Frontier {
        self.pass(Frontier::default())
    }

    /// Passes the events that can be passed.
    fn pass(&self, mut at: Frontier) -> Frontier {
        while let Some(&event) = self.shape.events.get(at.layer as usize) {
            if event & 1 == 1 {
                let bit = 1 << self.shape.items[(event >> 1) as usize].slot();
                if at.mask & bit == 0 {
                    break;
                }
                at.mask &= !bit;
            }
            at.layer += 1;
        }
        at
    }

    /// With one operation more in the order.
    pub fn with(&self, at: Frontier, item: u32) -> Frontier {
        self.pass(Frontier { mask: at.mask | 1 << self.shape.items[item as usize].slot(), ..at })
    }

    /// Whether nothing waits any more.
    pub fn done(&self, at: Frontier) -> bool {
        at.layer as usize == self.shape.events.len()
    }

    /// The position of the return that waits.
    pub fn waiting(&self, at: Frontier) -> Option<u32> {
        self.shape.events.get(at.layer as usize).map(|event| self.spans[(event >> 1) as usize].ret)
    }

    fn within(&self, at: Frontier, item: u32) -> bool {
        at.mask >> self.shape.items[item as usize].slot() & 1 == 1
    }

    fn returning(&self, at: Frontier) -> &[u32] {
        match self.begins.get(at.layer as usize..at.layer as usize + 2) {
            Some(ends) => &self.open[ends[0] as usize..ends[1] as usize],
            None => &[],
        }
    }

    /// The open operations that are not in the order.
    pub fn open(&self, at: Frontier) -> impl Iterator<Item = u32> {
        let pending = self.pending.iter().take_while(move |(call, _)| *call < at.layer).map(|(_, i)| *i);
        self.returning(at).iter().copied().chain(pending).filter(move |i| !self.within(at, *i))
    }

    /// The latest call among the operations that are in the order.
    pub fn latest(&self, at: Frontier) -> u32 {
        let open = self.returning(at).iter().copied().chain(self.pending.iter().map(|(_, i)| *i));
        let open = open.filter(|i| self.within(at, *i)).map(|i| self.spans[i as usize].call);
        open.fold(self.latest[at.layer as usize], u32::max)
    }

    /// Whether another open operation does the same, returns no later and was called no later: then that one goes first.
    pub fn follows(&self, at: Frontier, item: u32) -> bool {
        let (own, class) = (self.spans[item as usize], self.shape.items[item as usize].class);
        self.shape.items[item as usize].twinned()
            && self.open(at).any(|other| {
                let span = self.spans[other as usize];
                self.shape.items[other as usize].class == class
                    && (span.ret, span.call, other) < (own.ret, own.call, item)
                    && span.call <= own.call
            })
    }

    pub fn bytes(&self) -> u64 {
        let events = self.shape.events.len();
        self.shape.bytes() + (4 * self.open.len() + 8 * events + 32 * self.acts.len()) as u64
    }
}
