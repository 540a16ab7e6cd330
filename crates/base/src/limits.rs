//! Time, memory, states and cancellation: what ends a long computation early.

use crate::storage::{Checkpoints, Spill};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The bounds under which an engine works. The default bounds nothing.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Wall-clock time from the start of the computation.
    pub time: Option<Duration>,
    /// Bytes that the engine's own structures may take.
    pub memory: Option<u64>,
    /// What the process takes as the operating system sees it, in bytes: what came to it since the computation began
    /// counts for `memory` as well, where it is more than the engine knows of.
    pub resident: Option<fn() -> u64>,
    /// States that may be stored.
    pub states: Option<u64>,
    /// Set from outside (Ctrl-C) to end the computation.
    pub cancel: Option<Arc<AtomicBool>>,
    /// Threads that may work, where an engine can use more than one; 0 means one. Results do not
    /// depend on it.
    pub jobs: usize,
    /// Where searches are kept that are to go on later.
    pub checkpoints: Option<Arc<dyn Checkpoints>>,
    /// Where states go that memory has no room for.
    pub spill: Option<Arc<dyn Spill>>,
}

/// Why a computation ended before it was complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The time limit.
    Time,
    /// The memory limit.
    Memory,
    /// The limit on states.
    States,
    /// Cancelled from outside.
    Interrupted,
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Stop::Time => "the time limit was reached",
            Stop::Memory => "the memory limit was reached",
            Stop::States => "the limit on states was reached",
            Stop::Interrupted => "it was interrupted",
        })
    }
}

/// Limits in force since a moment.
#[derive(Clone, Debug)]
pub struct Meter {
    limits: Limits,
    start: Instant,
    /// Bytes in use when somebody last said so.
    known: Arc<AtomicU64>,
    /// What the process took at the beginning.
    before: u64,
    /// What it takes, and when to look again, in milliseconds from the start.
    resident: Arc<(AtomicU64, AtomicU64)>,
}

/// Milliseconds between two looks at what the process takes.
const LOOK: u64 = 10;

impl Meter {
    /// Starts the clock.
    pub fn start(limits: Limits) -> Meter {
        let before = limits.memory.and(limits.resident).map_or(0, |resident| resident());
        Meter { limits, start: Instant::now(), known: Arc::default(), before, resident: Arc::default() }
    }

    /// The same, with another limit on states.
    pub fn with_states(&self, states: u64) -> Meter {
        let mut meter = self.clone();
        meter.limits.states = Some(states);
        meter
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// The same limits with at most one of so many equal parts of the time that is left, for work that must leave
    /// time for what comes after it.
    pub fn share(&self, parts: u32) -> Meter {
        let mut limits = self.limits.clone();
        limits.time = limits.time.map(|limit| {
            let elapsed = self.elapsed();
            elapsed + limit.saturating_sub(elapsed) / parts.max(1)
        });
        Meter { limits, ..self.clone() }
    }

    /// The limits themselves.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// How many threads may work, at least one.
    pub fn jobs(&self) -> usize {
        self.limits.jobs.max(1)
    }

    /// Whether a limit is reached, given what is in use now. Reads the clock: call it every
    /// few thousand units of work, not in the innermost loop.
    pub fn check(&self, bytes: u64, states: u64) -> Result<(), Stop> {
        self.known.store(bytes, Ordering::Relaxed);
        if self.limits.states.is_some_and(|limit| states > limit) && !self.cancelled() {
            return Err(Stop::States);
        }
        self.check_beyond(0)
    }

    /// The same for work inside of work: so many bytes beside those of the last [`Meter::check`].
    pub fn check_beyond(&self, more: u64) -> Result<(), Stop> {
        let bytes = self.known.load(Ordering::Relaxed).saturating_add(more);
        if self.cancelled() {
            return Err(Stop::Interrupted);
        }
        if self.limits.memory.is_some_and(|limit| bytes.max(self.came()) > limit) {
            return Err(Stop::Memory);
        }
        if self.limits.time.is_some_and(|limit| self.start.elapsed() >= limit) {
            return Err(Stop::Time);
        }
        Ok(())
    }

    /// What came to the process since the start, as the operating system saw it a moment ago.
    fn came(&self) -> u64 {
        let Some(resident) = self.limits.resident else { return 0 };
        let (bytes, next) = &*self.resident;
        let now = self.start.elapsed().as_millis() as u64;
        if now >= next.load(Ordering::Relaxed) {
            next.store(now + LOOK, Ordering::Relaxed);
            bytes.store(resident().saturating_sub(self.before), Ordering::Relaxed);
        }
        bytes.load(Ordering::Relaxed)
    }

    fn cancelled(&self) -> bool {
        self.limits.cancel.as_ref().is_some_and(|c| c.load(Ordering::Relaxed))
    }
}

/// A meter for inner loops: looks at it every so many units of work, and remembers what stopped them. The default stops
/// nothing.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    meter: Option<Meter>,
    units: u32,
    stopped: Option<Stop>,
}

/// Units of work between two looks.
const UNITS: u32 = 64;

impl Watch {
    /// Looks at this meter.
    pub fn new(meter: &Meter) -> Watch {
        Watch { meter: Some(meter.clone()), units: 0, stopped: None }
    }

    /// Counts one unit of work, given what the work holds beside what the meter knows of; false when it is to end.
    pub fn goes_on(&mut self, bytes: impl FnOnce() -> u64) -> bool {
        self.units += 1;
        if self.units >= UNITS && self.stopped.is_none() {
            self.units = 0;
            self.stopped = self.meter.as_ref().and_then(|meter| meter.check_beyond(bytes()).err());
        }
        self.stopped.is_none()
    }

    /// What stopped the work.
    pub fn stopped(&self) -> Option<Stop> {
        self.stopped
    }

    /// An error where the work was stopped.
    pub fn result(&self) -> Result<(), Stop> {
        self.stopped.map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_operating_system_sees_counts() {
        static TAKEN: AtomicU64 = AtomicU64::new(700);
        let resident: fn() -> u64 = || TAKEN.load(Ordering::Relaxed);
        let limits = Limits { memory: Some(100), resident: Some(resident), ..Limits::default() };
        let meter = Meter::start(limits);
        assert_eq!(meter.check(99, 0), Ok(()), "what was there before does not count");
        assert_eq!(meter.check(101, 0), Err(Stop::Memory));
        TAKEN.store(801, Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(2 * LOOK));
        assert_eq!(meter.share(2).check(5, 0), Err(Stop::Memory));
    }

    #[test]
    fn a_share_leaves_the_rest() {
        let time = Some(Duration::from_secs(3600));
        let meter = Meter::start(Limits { time, ..Limits::default() });
        let half = meter.share(2).limits().time.expect("limited");
        assert!((1799..=1801).contains(&half.as_secs()), "{half:?}");
        assert_eq!(Meter::start(Limits::default()).share(2).limits().time, None);
        let over = Meter::start(Limits { time: Some(Duration::ZERO), ..Limits::default() });
        assert_eq!(over.share(2).check(0, 0), Err(Stop::Time));
    }
}
