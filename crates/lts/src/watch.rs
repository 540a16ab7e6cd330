//! Limits and progress of one long computation: looks at the clock every few thousand units.

use trueline_base::{Event, Meter, Observer, Stop};

const UNITS_PER_LOOK: u64 = 1 << 16;

/// Counts units of work for one stage and asks the meter now and then.
pub(crate) struct StageWatch<'a> {
    meter: &'a Meter,
    observer: &'a mut dyn Observer,
    what: &'static str,
    total: Option<u64>,
    done: u64,
    next_look: u64,
}

impl<'a> StageWatch<'a> {
    /// Starts a stage. Fails at once when a limit is already reached.
    pub(crate) fn new(
        meter: &'a Meter,
        observer: &'a mut dyn Observer,
        what: &'static str,
        total: Option<u64>,
        bytes: u64,
    ) -> Result<StageWatch<'a>, Stop> {
        meter.check(bytes, 0)?;
        Ok(StageWatch { meter, observer, what, total, done: 0, next_look: UNITS_PER_LOOK })
    }

    /// `units` more are done while `bytes` are in use.
    #[inline]
    pub(crate) fn work(&mut self, units: u64, bytes: impl FnOnce() -> u64) -> Result<(), Stop> {
        self.done += units;
        if self.done >= self.next_look { self.look(bytes()) } else { Ok(()) }
    }

    #[cold]
    fn look(&mut self, bytes: u64) -> Result<(), Stop> {
        self.next_look = self.done + UNITS_PER_LOOK;
        self.meter.check(bytes, 0)?;
        self.observer.event(&Event::Work { what: self.what, done: self.done, total: self.total, bytes });
        Ok(())
    }
}
