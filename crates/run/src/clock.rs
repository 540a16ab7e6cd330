//! Sets of events that contain with an event all before it in its thread: a number per thread.

use crate::scenario::MOST_THREADS;

/// How many events of each thread are in the set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Clock(pub [u16; MOST_THREADS]);

impl Clock {
    /// The union.
    pub fn join(&mut self, other: &Clock) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine = (*mine).max(theirs);
        }
    }

    /// Whether the set has the event of this index (from 0) of a thread.
    pub fn has(&self, thread: u8, index: u16) -> bool {
        self.0[usize::from(thread)] > index
    }

    /// Adds it.
    pub fn add(&mut self, thread: u8, index: u16) {
        let mine = &mut self.0[usize::from(thread)];
        *mine = (*mine).max(index + 1);
    }
}
