//! The one loop of plain walks. States are numbered in the order in which they are found, and that is the order in
//! which they are expanded, so no queue is kept.
//!
//! What users run is explored by `trueline_space::explore`. This is its twin, which keeps whole states and so takes
//! any number of threads: the plain engine, its count of states, and specifications under a client.

use trueline_base::{Event, Meter, Observer, Stop};

/// States expanded between two looks at the clock, and between two reports.
const ROUND: usize = 64;
const REPORT: usize = 8192;

/// States found so far.
pub(crate) trait Walk {
    /// Why it does not go on.
    type Halt: From<Stop>;

    /// How many were found.
    fn found(&self) -> usize;

    /// Memory in use.
    fn bytes(&self) -> u64;

    /// The layer of a state that is about to be expanded, where layers are told apart.
    fn layer(&mut self, _id: u32) -> u64 {
        0
    }

    /// Finds the states that a state leads to.
    fn expand(&mut self, id: u32) -> Result<(), Self::Halt>;
}

/// Expands every state, beginning with those that are there.
pub(crate) fn walk<W: Walk>(
    states: &mut W,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<(), W::Halt> {
    let mut next = 0;
    while next < states.found() {
        let depth = states.layer(next as u32);
        let found = states.found() as u64;
        if meter.limits().states.is_some_and(|limit| found > limit) {
            return Err(Stop::States.into());
        }
        if next.is_multiple_of(ROUND) {
            let bytes = states.bytes();
            meter.check(bytes, found)?;
            if next.is_multiple_of(REPORT) {
                observer.event(&Event::Search { depth, states: found, frontier: found - next as u64, bytes });
            }
        }
        states.expand(next as u32)?;
        next += 1;
    }
    Ok(())
}
