//! Linearizability by depth-first just-in-time linearization with memory.
//!
//! Papers: Wing and Gong, JPDC 1993; Lowe, "Testing for linearizability", CCPE 2017 (just-in-time order and
//! memory). A configuration is (the next return that cannot be passed, which open operations are already in
//! the order, state). Every operation that returned before is in the order and nothing called later is, so
//! this is the whole past: no set of all operations is needed. An operation is put into the order only when
//! a return waits. Of two open operations that are equal, result included, the one that returns first goes
//! first: exchanging them in any order gives another one. An open operation that changes nothing goes as soon as
//! its answer is right: it can be moved there in any order that has it later. Of configurations that differ only
//! in operations that never return, those with fewer of them in the order suffice (`search::seen`); so one that
//! changes nothing for the better, or not for the operation right after it, is left out at once.
//!
//! Invariant: a configuration in `seen` leads to no order, or is on the stack. Cost: O(n 2^c s) configurations
//! for c open operations and s states. Storage is exact. Claim: exact. Oracle: `naive::linearizable`.

use std::borrow::Cow;

use trueline_base::Stop;

use super::instance::{Instance, Shape};
use super::machine::{SpecMachine, Typed};
use super::mask::{Mask, Wide};
use super::seen::{Configurations, Key};
use super::{Control, Partial, SearchAnswer, SearchResult};
use crate::history::NEVER;
use crate::spec::Spec;

const NONE: u32 = u32::MAX;
/// Steps after which the limits are looked at, however few configurations they lead to.
const STEPS_PER_LOOK: u64 = 1 << 14;
/// Steps that a bounded search may try for each configuration that it may visit.
const STEPS_PER_CONFIGURATION: u64 = 64;
/// Partial orders of the greatest length that are kept.
const PARTIALS: usize = 4;

/// Looks for an order of the instance's operations that the specification accepts.
pub fn search<S: Spec>(
    spec: &S,
    instance: &Instance<'_, S::Op>,
    control: &mut Control<'_>,
) -> SearchAnswer<S::State> {
    let mut machine = Typed::new(spec, Cow::Borrowed(&instance.ops), control.meter);
    let answer = run(&instance.shape, 0, &mut machine, control);
    answer.with_states(|state| machine.state(state).clone())
}

pub(super) fn run(
    shape: &Shape,
    free: u32,
    machine: &mut dyn SpecMachine,
    control: &mut Control<'_>,
) -> SearchAnswer<u32> {
    match shape.slots {
        0..=64 => Search::<u64>::new(shape, free, machine, control).run(),
        65..=128 => Search::<u128>::new(shape, free, machine, control).run(),
        _ => Search::<Wide>::new(shape, free, machine, control).run(),
    }
}

struct Frame<M> {
    key: Key<M>,
    /// Next candidate to try.
    cursor: u32,
    /// Whether the operation whose return waits cannot come next.
    blocked: bool,
    /// Item that led here; a free operation counts from the number of items on.
    item: u32,
    /// Outcomes above this index of `outcomes` belong to this frame.
    base: u32,
    /// Items above this index of `eager` went right after it.
    eager: u32,
}

struct Search<'a, 'c, M> {
    shape: &'a Shape,
    /// Number of operations that may take effect at any time, any number of times.
    free: u32,
    /// Whether some operation need not be in the order.
    options: bool,
    machine: &'a mut dyn SpecMachine,
    control: &'a mut Control<'c>,
    seen: Configurations<M>,
    stack: Vec<Frame<M>>,
    /// Items with the states that they lead to, which are still to be tried.
    outcomes: Vec<(u32, u32)>,
    /// Items that changed nothing and went when they could.
    eager: Vec<u32>,
    /// The open item of each slot at the top frame's layer.
    open: Vec<u32>,
    /// Receives the outcomes of a step.
    states: Vec<u32>,
    /// Receives the outcomes of the same step without the one before.
    shorter: Vec<u32>,
    configurations: u64,
    /// Steps that were tried, and when the limits are looked at again.
    work: u64,
    next_look: u64,
    peak: u64,
    furthest: u32,
    partials: Vec<Partial<u32>>,
}

enum Entered {
    Done,
    Fresh,
    Known,
}

impl<'a, 'c, M: Mask> Search<'a, 'c, M> {
    fn new(
        shape: &'a Shape,
        free: u32,
        machine: &'a mut dyn SpecMachine,
        control: &'a mut Control<'c>,
    ) -> Self {
        Search {
            shape,
            free,
            options: free > 0 || shape.pending < shape.slots,
            machine,
            control,
            // An easy history has a configuration per operation that changes something.
            seen: Configurations::new(shape.slots, shape.pending, shape.items.len() / 2),
            stack: Vec::new(),
            outcomes: Vec::new(),
            eager: Vec::new(),
            open: vec![NONE; shape.slots as usize],
            states: Vec::new(),
            shorter: Vec::new(),
            configurations: 0,
            work: 0,
            next_look: STEPS_PER_LOOK,
            peak: 0,
            furthest: 0,
            partials: Vec::new(),
        }
    }

    fn bytes(&self) -> u64 {
        let wide = self.stack.first().map_or(0, |f| f.key.mask.heap_bytes());
        self.machine.bytes()
            + self.shape.bytes()
            + self.seen.bytes(wide)
            + (self.stack.capacity() * (std::mem::size_of::<Frame<M>>() + wide)
                + self.outcomes.capacity() * 8
                + self.eager.capacity() * 4) as u64
    }

    fn run(mut self) -> SearchAnswer<u32> {
        let found = match self.explore() {
            Ok(true) => SearchResult::Order(self.order()),
            Ok(false) => SearchResult::Impossible,
            Err(stop) => SearchResult::Stopped(stop),
        };
        self.peak = self.peak.max(self.bytes());
        SearchAnswer {
            found,
            configurations: self.configurations,
            bytes: self.peak,
            furthest: self.furthest,
            partials: self.partials,
        }
    }

    /// The items in the order of the stack.
    fn order(&self) -> Vec<u32> {
        let mut order = Vec::with_capacity(self.stack.len() + self.eager.len());
        for (at, frame) in self.stack.iter().enumerate() {
            let end = self.stack.get(at + 1).map_or(self.eager.len(), |f| f.eager as usize);
            order.extend((frame.item != NONE).then_some(frame.item));
            order.extend(&self.eager[frame.eager as usize..end]);
        }
        order
    }

    fn explore(&mut self) -> Result<bool, Stop> {
        self.control.meter.check(self.shape.bytes(), 0)?;
        let initial = self.machine.initial();
        if let Entered::Done = self.enter(0, M::empty(self.shape.slots), initial, NONE)? {
            return Ok(true);
        }
        while let Some(frame) = self.stack.last() {
            if self.work >= self.next_look {
                self.look()?;
                continue;
            }
            if self.outcomes.len() > frame.base as usize {
                let (item, state) = self.outcomes.pop().expect("above the base");
                let mut mask = frame.key.mask.clone();
                if let Some(item) = self.shape.items.get(item as usize) {
                    mask.set(item.slot());
                }
                let from = frame.key.layer;
                if let Entered::Done = self.enter(from, mask, state, item)? {
                    return Ok(true);
                }
            } else if !self.expand()? {
                self.leave();
            }
        }
        Ok(false)
    }

    /// Passes the events that can be passed. Answers the layer, and whether no event is left.
    fn pass(&mut self, mut layer: u32, mask: &mut M) -> (u32, bool) {
        loop {
            let Some(&event) = self.shape.events.get(layer as usize) else { return (layer, true) };
            let slot = self.shape.items[(event >> 1) as usize].slot();
            if event & 1 == 0 {
                self.open[slot as usize] = event >> 1;
            } else if mask.get(slot) {
                mask.clear(slot);
                self.open[slot as usize] = NONE;
            } else {
                return (layer, false);
            }
            layer += 1;
        }
    }

    /// Puts open operations that change nothing into the order, where their answers are right.
    fn observe(&mut self, mask: &mut M, state: u32) -> Result<bool, Stop> {
        let mut any = false;
        self.work += self.open.len() as u64 / 16;
        for slot in 0..self.open.len() {
            let item = self.open[slot];
            if item == NONE || !self.shape.items[item as usize].observes() || mask.get(slot as u32) {
                continue;
            }
            self.states.clear();
            self.work += 1;
            self.machine.step(state, item, self.peak, self.configurations, &mut self.states)?;
            if !self.states.is_empty() {
                mask.set(slot as u32);
                self.eager.push(item);
                any = true;
            }
        }
        Ok(any)
    }

    /// Passes all events that can be passed and remembers the configuration.
    fn enter(&mut self, from: u32, mut mask: M, state: u32, item: u32) -> Result<Entered, Stop> {
        let eager = self.eager.len();
        let (mut layer, mut done) = self.pass(from, &mut mask);
        while !done && self.observe(&mut mask, state)? {
            (layer, done) = self.pass(layer, &mut mask);
        }
        self.furthest = self.furthest.max(layer);
        let done = done && self.machine.accepts(state)?;
        let key = Key { mask, layer, state };
        let growth = self.seen.growth();
        if growth > 0 {
            self.control.meter.check(self.bytes() + growth, self.configurations)?;
        }
        if !done && !self.seen.insert(&key) {
            self.eager.truncate(eager);
            self.retreat(from, layer);
            return Ok(Entered::Known);
        }
        let (base, eager) = (self.outcomes.len() as u32, eager as u32);
        self.stack.push(Frame { key, cursor: 0, blocked: true, item, base, eager });
        if done {
            return Ok(Entered::Done);
        }
        self.configurations += 1;
        if self.configurations.is_multiple_of(1024) || self.configurations >= self.control.cap {
            self.look()?;
        }
        Ok(Entered::Fresh)
    }

    /// Looks at the limits.
    fn look(&mut self) -> Result<(), Stop> {
        let bytes = self.bytes();
        self.peak = self.peak.max(bytes);
        self.next_look = self.work + STEPS_PER_LOOK;
        if self.work > self.control.cap.saturating_mul(STEPS_PER_CONFIGURATION) {
            return Err(Stop::States);
        }
        let depth = u64::from(self.furthest);
        self.control.tick(depth, self.configurations, self.stack.len() as u64, bytes)
    }

    fn retreat(&mut self, from: u32, layer: u32) {
        for &event in self.shape.events[from as usize..layer as usize].iter().rev() {
            let slot = self.shape.items[(event >> 1) as usize].slot();
            self.open[slot as usize] = if event & 1 == 0 { NONE } else { event >> 1 };
        }
    }

    fn leave(&mut self) {
        if self.control.partials {
            self.record();
        }
        let frame = self.stack.pop().expect("a frame to leave");
        self.eager.truncate(frame.eager as usize);
        let from = self.stack.last().map_or(0, |f| f.key.layer);
        self.retreat(from, frame.key.layer);
    }

    /// Adds the outcomes of the next candidate that has any; false when none is left.
    fn expand(&mut self) -> Result<bool, Stop> {
        let shape = self.shape;
        loop {
            let frame = self.stack.last_mut().expect("a frame to expand");
            let cursor = frame.cursor;
            frame.cursor += 1;
            let state = frame.key.state;
            // After the last return nothing waits, but pending operations may still take effect.
            let target = shape.events.get(frame.key.layer as usize).map(|e| e >> 1);
            let target_slot = target.map(|t| shape.items[t as usize].slot());
            // The operation whose return waits comes first, then the others, then the free ones.
            let item = match cursor {
                0 => match target {
                    Some(target) => target,
                    None => continue,
                },
                c if c <= shape.slots => {
                    let slot = c - 1;
                    let item = self.open[slot as usize];
                    if Some(slot) == target_slot || item == NONE || frame.key.mask.get(slot) {
                        continue;
                    }
                    item
                }
                c => match c - 1 - shape.slots {
                    free if free < self.free => shape.items.len() as u32 + free,
                    _ => return Ok(false),
                },
            };
            // Where it fits, an operation that changes nothing went already.
            if shape.items.get(item as usize).is_some_and(|own| own.observes() || self.twin_goes_first(item))
            {
                continue;
            }
            self.states.clear();
            self.work += 1;
            self.machine.step(state, item, self.peak, self.configurations, &mut self.states)?;
            if cursor == 0 {
                self.stack.last_mut().expect("a frame to expand").blocked = self.states.is_empty();
            }
            let machine = &mut *self.machine;
            if self.options && shape.optional(item) {
                self.states.retain(|outcome| !machine.worse(*outcome, state));
            }
            if self.options
                && let Some(before) = self.before_optional()
            {
                self.shorter.clear();
                let machine = &mut *self.machine;
                machine.step(before, item, self.peak, self.configurations, &mut self.shorter)?;
                self.states.retain(|outcome| !self.shorter.iter().any(|s| machine.worse(*outcome, *s)));
            }
            if self.states.is_empty() {
                continue;
            }
            self.outcomes.extend(self.states.iter().rev().map(|state| (item, *state)));
            return Ok(true);
        }
    }

    /// The state before the last operation, if the order goes on right after it and it need not have happened.
    fn before_optional(&self) -> Option<u32> {
        let [.., before, frame] = self.stack.as_slice() else { return None };
        let directly = before.key.layer == frame.key.layer && frame.eager as usize == self.eager.len();
        (directly && self.shape.optional(frame.item)).then_some(before.key.state)
    }

    /// Whether an equal operation that is open and not in the order returns earlier, or was called earlier when
    /// neither returns.
    fn twin_goes_first(&self, item: u32) -> bool {
        let own = &self.shape.items[item as usize];
        if !own.twinned() {
            return false;
        }
        let mask = &self.stack.last().expect("a frame to expand").key.mask;
        if let Some(&twin) =
            own.slot().checked_sub(self.shape.pending).map(|at| &self.shape.twins[at as usize])
            && twin != NEVER
            && !mask.get(twin)
        {
            return true;
        }
        let returning = self.open[..self.shape.pending as usize].iter().enumerate();
        returning.into_iter().any(|(slot, &other)| {
            if other == NONE || other == item || mask.get(slot as u32) {
                return false;
            }
            let o = &self.shape.items[other as usize];
            o.class == own.class && (o.ret, other) < (own.ret, item)
        })
    }

    fn record(&mut self) {
        let own = self.stack.iter().filter(|f| (f.item as usize) < self.shape.items.len());
        let length = own.count() + self.eager.len();
        let own =
            |p: &Partial<u32>| p.order.iter().filter(|i| (**i as usize) < self.shape.items.len()).count();
        let best = self.partials.first().map_or(0, own);
        if length < best || (length == best && self.partials.len() >= PARTIALS) {
            return;
        }
        let frame = self.stack.last().expect("a frame to record");
        if !frame.blocked {
            return;
        }
        let Some(event) = self.shape.events.get(frame.key.layer as usize) else { return };
        let (blocked, state) = (event >> 1, frame.key.state);
        if length > best {
            self.partials.clear();
        } else if self.partials.iter().any(|p| p.state == state && p.blocked == blocked) {
            return;
        }
        let order = self.order();
        self.partials.push(Partial { order, state, blocked });
    }
}
