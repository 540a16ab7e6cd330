//! Where a specification puts the outcomes of a step, under limits.

use trueline_base::{Meter, Stop};

/// Receives the outcomes of one step. A limit holds also inside a step with very many outcomes:
/// once it is reached, further outcomes are not kept and the search ends.
#[derive(Debug)]
pub struct Next<'m, T> {
    /// The first outcome; mostly it is the only one, and costs no allocation.
    first: Option<T>,
    /// The others.
    out: Vec<T>,
    meter: Option<&'m Meter>,
    base: (u64, u64),
    ticks: u32,
    stop: Option<Stop>,
}

impl<'m, T> Next<'m, T> {
    /// A receiver without limits.
    pub fn new() -> Next<'m, T> {
        Next { first: None, out: Vec::new(), meter: None, base: (0, 0), ticks: 0, stop: None }
    }

    /// A receiver under limits.
    pub fn metered(meter: &'m Meter) -> Next<'m, T> {
        Next { meter: Some(meter), ..Next::new() }
    }

    /// What the search has in use besides.
    pub(crate) fn set_base(&mut self, bytes: u64, states: u64) {
        self.base = (bytes, states);
    }

    /// Collects the outcomes of another kind of states under the same limits.
    pub(crate) fn through<U>(&mut self, into: impl Fn(U) -> T, step: impl FnOnce(&mut Next<'m, U>)) {
        let Next { meter, base, ticks, stop, .. } = *self;
        let mut inner = Next { first: None, out: Vec::new(), meter, base, ticks, stop };
        step(&mut inner);
        (self.ticks, self.stop) = (inner.ticks, inner.stop);
        inner.first.into_iter().chain(inner.out).for_each(|outcome| self.keep(into(outcome)));
    }

    /// One outcome.
    pub fn push(&mut self, state: T) {
        if self.working() {
            self.keep(state);
        }
    }

    fn keep(&mut self, state: T) {
        match self.first {
            None => self.first = Some(state),
            Some(_) => self.out.push(state),
        }
    }

    /// Whether to go on. A step that takes long without outcomes asks now and then.
    pub fn working(&mut self) -> bool {
        self.ticks = self.ticks.wrapping_add(1);
        if self.ticks.is_multiple_of(256)
            && self.stop.is_none()
            && let Some(meter) = self.meter
        {
            let own = (self.out.len() * std::mem::size_of::<T>()) as u64;
            self.stop = meter.check(self.base.0 + own, self.base.1).err();
        }
        self.stop.is_none()
    }

    /// The outcomes so far, which are taken out.
    pub fn drain(&mut self) -> impl Iterator<Item = T> {
        self.first.take().into_iter().chain(self.out.drain(..))
    }

    /// Whether there is no outcome.
    pub fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// The limit that was reached.
    pub fn stopped(&self) -> Option<Stop> {
        self.stop
    }
}

impl<T> Default for Next<'_, T> {
    fn default() -> Self {
        Next::new()
    }
}
