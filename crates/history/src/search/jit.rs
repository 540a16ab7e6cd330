//! Linearizability by depth-first just-in-time linearization with memory.
//!
//! Papers: Wing and Gong, JPDC 1993; Lowe, "Testing for linearizability", CCPE 2017 (just-in-time order and
//! memory). A configuration is (the next return that cannot be passed, which open operations are already in
//! the order, state). Every operation that returned before is in the order and nothing called later is, so
//! this is the whole past: no set of all operations is needed. An operation is put into the order only when
//! a return waits. Of two open operations that are equal, result included, the one that returns first goes
//! first: exchanging them in any order gives another one.
//!
//! Invariant: a configuration in `seen` leads to no order, or is on the stack. Cost: O(n 2^c s) configurations
//! for c open operations and s states. Storage is exact. Claim: exact. Oracle: `naive::linearizable`.

use foldhash::fast::FixedState;
use hashbrown::HashSet;
use trueline_base::Stop;

use super::instance::Instance;
use super::mask::{Mask, Wide};
use super::states::Interned;
use super::{Answer, Control, Found, Partial};
use crate::spec::{Next, Spec};

const NONE: u32 = u32::MAX;
/// Partial orders of the greatest length that are kept.
const PARTIALS: usize = 4;

/// Looks for an order of the instance's operations that the specification accepts.
pub fn search<S: Spec>(spec: &S, instance: &Instance<S::Op>, control: &mut Control<'_>) -> Answer<S::State> {
    if instance.slots <= 64 {
        Search::<S, u64>::new(spec, instance, control).run()
    } else {
        Search::<S, Wide>::new(spec, instance, control).run()
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key<M> {
    mask: M,
    layer: u32,
    state: u32,
}

struct Frame<M> {
    key: Key<M>,
    /// Layer before the events that were passed on entry.
    from: u32,
    /// Next candidate to try.
    cursor: u32,
    /// Item that led here.
    item: u32,
    /// Outcomes above this index of `outcomes` belong to this frame.
    base: u32,
}

struct Search<'a, 'c, S: Spec, M> {
    spec: &'a S,
    instance: &'a Instance<S::Op>,
    control: &'a mut Control<'c>,
    states: Interned<S::State>,
    seen: HashSet<Key<M>, FixedState>,
    stack: Vec<Frame<M>>,
    outcomes: Vec<(u32, u32)>,
    /// The open item of each slot at the top frame's layer.
    open: Vec<u32>,
    configurations: u64,
    peak: u64,
    furthest: u32,
    partials: Vec<Partial<u32>>,
}

enum Entered {
    Done,
    Fresh,
    Known,
}

impl<'a, 'c, S: Spec, M: Mask> Search<'a, 'c, S, M> {
    fn new(spec: &'a S, instance: &'a Instance<S::Op>, control: &'a mut Control<'c>) -> Self {
        Search {
            spec,
            instance,
            control,
            states: Interned::new(),
            seen: HashSet::with_hasher(FixedState::default()),
            stack: Vec::new(),
            outcomes: Vec::new(),
            open: vec![NONE; instance.slots as usize],
            configurations: 0,
            peak: 0,
            furthest: 0,
            partials: Vec::new(),
        }
    }

    fn bytes(&self) -> u64 {
        let key = std::mem::size_of::<Key<M>>();
        let wide = self.stack.first().map_or(0, |f| f.key.mask.heap_bytes());
        self.states.bytes()
            + self.instance.bytes()
            + (self.seen.capacity() * (key + 1) + self.seen.len() * wide) as u64
            + (self.stack.capacity() * (std::mem::size_of::<Frame<M>>() + wide)
                + self.outcomes.capacity() * 8) as u64
    }

    fn run(mut self) -> Answer<S::State> {
        let found = match self.explore() {
            Ok(true) => Found::Order(self.stack.iter().map(|f| f.item).filter(|i| *i != NONE).collect()),
            Ok(false) => Found::Impossible,
            Err(stop) => Found::Stopped(stop),
        };
        self.peak = self.peak.max(self.bytes());
        let partials = std::mem::take(&mut self.partials)
            .into_iter()
            .map(|p| Partial { order: p.order, state: self.states.get(p.state).clone(), blocked: p.blocked })
            .collect();
        Answer {
            found,
            configurations: self.configurations,
            bytes: self.peak,
            furthest: self.furthest,
            partials,
        }
    }

    fn explore(&mut self) -> Result<bool, Stop> {
        self.control.meter.check(self.instance.bytes(), 0)?;
        let spec = self.spec;
        let initial = self.states.number(spec.initial(), |s| spec.heap_bytes(s));
        if let Entered::Done = self.enter(0, M::empty(self.instance.slots), initial, NONE)? {
            return Ok(true);
        }
        let mut next = Next::metered(self.control.meter);
        while let Some(frame) = self.stack.last() {
            if self.outcomes.len() > frame.base as usize {
                let (item, state) = self.outcomes.pop().expect("above the base");
                let mut mask = frame.key.mask.clone();
                if item != NONE {
                    mask.set(self.instance.items[item as usize].slot);
                }
                let from = frame.key.layer;
                if let Entered::Done = self.enter(from, mask, state, item)? {
                    return Ok(true);
                }
            } else if !self.expand(&mut next)? {
                self.leave();
            }
        }
        Ok(false)
    }

    /// Passes all events that can be passed and remembers the configuration.
    fn enter(&mut self, from: u32, mut mask: M, state: u32, item: u32) -> Result<Entered, Stop> {
        let mut layer = from;
        let done = loop {
            let Some(&event) = self.instance.events.get(layer as usize) else { break true };
            let slot = self.instance.items[(event >> 1) as usize].slot;
            if event & 1 == 0 {
                self.open[slot as usize] = event >> 1;
            } else if mask.get(slot) {
                mask.clear(slot);
                self.open[slot as usize] = NONE;
            } else {
                break false;
            }
            layer += 1;
        };
        self.furthest = self.furthest.max(layer);
        let done = done && {
            let mut limit = Next::metered(self.control.meter);
            let accepted = self.spec.accepts(self.states.get(state), &mut limit);
            if let Some(stop) = limit.stopped() {
                return Err(stop);
            }
            accepted
        };
        let key = Key { mask, layer, state };
        if !done && !self.seen.insert(key.clone()) {
            self.retreat(from, layer);
            return Ok(Entered::Known);
        }
        self.stack.push(Frame { key, from, cursor: 0, item, base: self.outcomes.len() as u32 });
        if done {
            return Ok(Entered::Done);
        }
        self.configurations += 1;
        if self.configurations.is_multiple_of(1024) || self.configurations >= self.control.cap {
            let bytes = self.bytes();
            self.peak = self.peak.max(bytes);
            let depth = u64::from(self.furthest);
            self.control.tick(depth, self.configurations, self.stack.len() as u64, bytes)?;
        }
        Ok(Entered::Fresh)
    }

    fn retreat(&mut self, from: u32, layer: u32) {
        for &event in self.instance.events[from as usize..layer as usize].iter().rev() {
            let slot = self.instance.items[(event >> 1) as usize].slot;
            self.open[slot as usize] = if event & 1 == 0 { NONE } else { event >> 1 };
        }
    }

    fn leave(&mut self) {
        if self.control.partials {
            self.record();
        }
        let frame = self.stack.pop().expect("a frame to leave");
        self.retreat(frame.from, frame.key.layer);
    }

    /// Adds the outcomes of the next candidate that has any; false when none is left.
    fn expand(&mut self, next: &mut Next<'_, S::State>) -> Result<bool, Stop> {
        let instance = self.instance;
        loop {
            let frame = self.stack.last_mut().expect("a frame to expand");
            let cursor = frame.cursor;
            frame.cursor += 1;
            // After the last return nothing waits, but pending operations may still take effect.
            let target = instance.events.get(frame.key.layer as usize).map(|e| e >> 1);
            let target_slot = target.map(|t| instance.items[t as usize].slot);
            // The operation whose return waits comes first, then the others, then the free ones.
            let (item, op) = match cursor {
                0 => match target {
                    Some(target) => (target, instance.op(target)),
                    None => continue,
                },
                c if c <= instance.slots => {
                    let slot = c - 1;
                    let item = self.open[slot as usize];
                    if Some(slot) == target_slot || item == NONE || frame.key.mask.get(slot) {
                        continue;
                    }
                    (item, instance.op(item))
                }
                c => match instance.free.get((c - 1 - instance.slots) as usize) {
                    Some(op) => (NONE, op),
                    None => return Ok(false),
                },
            };
            if item != NONE && self.twin_goes_first(item) {
                continue;
            }
            let state = self.stack.last().expect("a frame to expand").key.state;
            next.set_base(self.peak, self.configurations);
            self.spec.step(self.states.get(state), op, next);
            if let Some(stop) = next.stopped() {
                return Err(stop);
            }
            if next.is_empty() {
                continue;
            }
            let start = self.outcomes.len();
            for outcome in next.drain() {
                let spec = self.spec;
                let state = self.states.number(outcome, |s| spec.heap_bytes(s));
                self.outcomes.push((item, state));
            }
            self.outcomes[start..].reverse();
            return Ok(true);
        }
    }

    /// Whether an equal operation that is open and not in the order returns earlier.
    fn twin_goes_first(&self, item: u32) -> bool {
        let own = &self.instance.items[item as usize];
        if !own.twinned {
            return false;
        }
        let mask = &self.stack.last().expect("a frame to expand").key.mask;
        self.open.iter().enumerate().any(|(slot, &other)| {
            if other == NONE || other == item || mask.get(slot as u32) {
                return false;
            }
            let o = &self.instance.items[other as usize];
            o.class == own.class && (o.ret, other) < (own.ret, item)
        })
    }

    fn record(&mut self) {
        let length = self.stack.iter().filter(|f| f.item != NONE).count();
        let best = self.partials.first().map_or(0, |p| p.order.len());
        if length < best || (length == best && self.partials.len() >= PARTIALS) {
            return;
        }
        let frame = self.stack.last().expect("a frame to record");
        let Some(event) = self.instance.events.get(frame.key.layer as usize) else { return };
        let blocked = event >> 1;
        if length > best {
            self.partials.clear();
        } else if self.partials.iter().any(|p| p.state == frame.key.state && p.blocked == blocked) {
            return;
        }
        let order = self.stack.iter().map(|f| f.item).filter(|i| *i != NONE).collect();
        self.partials.push(Partial { order, state: frame.key.state, blocked });
    }
}
