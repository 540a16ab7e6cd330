//! Records the operations of real threads.
//!
//! One atomic clock gives every call and every return a ticket; every thread writes into a buffer of its own, so
//! a thread never waits for another. There is no time stamp: stamps of several cores can disagree, and
//! reading one is not ordered with the memory accesses around it (on ARM a history recorded that way can fail
//! although the object is right).
//!
//! Claim: when one operation's return has a smaller ticket than another's call, everything that the first did
//! happens before everything that the second did, in the sense of the memory model. Argument: a call takes its
//! ticket before the operation starts and a return after it ended. A ticket is taken by an atomic increment
//! that acquires and releases. All increments of one atomic have one order, and each reads the value of the
//! one before, which heads or continues a release sequence; so an increment synchronises with every later one.
//! The first operation is sequenced before its return's increment, which releases it; the second is sequenced
//! after its call's increment, which acquires. So a history of a correct object is never recorded as a wrong
//! one. The other direction is not claimed: intervals may be recorded longer than they were, which only hides.
//! No further fence is needed, because no order is read off anything but the increments.
//!
//! Cost per event: one atomic increment and one push of 40 bytes into a vector. `cargo xtask bench recorder`
//! measures it: 14 ns with one thread, half of an `Instant::now()` on the same machine, and 30 to 90 ns when up to
//! four threads on two cores do nothing but record.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::build::Builder;
use crate::datum::Datum;
use crate::history::History;

#[derive(Debug)]
enum What {
    Call(&'static str, Datum),
    Return(Datum),
}

/// What happened, and its ticket.
type Event = (u64, What);

/// The clock, on a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Clock(AtomicU64);

impl Clock {
    /// The next ticket. The ordering is what the argument at the top of this file rests on.
    fn ticket(&self) -> u64 {
        self.0.fetch_add(1, Ordering::AcqRel)
    }
}

#[derive(Debug, Default)]
struct Shared {
    clock: Clock,
    processes: AtomicI64,
    done: Mutex<Vec<(i64, Vec<Event>)>>,
}

/// What is being recorded; gives every thread its recorder.
///
/// ```
/// use trueline_history::recorder::Recording;
///
/// let recording = Recording::new();
/// std::thread::scope(|threads| {
///     for value in [1i64, 2] {
///         let mut recorder = recording.recorder();
///         threads.spawn(move || {
///             recorder.call("enq", value);
///             // … the operation itself …
///             recorder.ret(());
///         });
///     }
/// });
/// assert_eq!(recording.finish().ops.len(), 2);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Recording {
    shared: Arc<Shared>,
}

impl Recording {
    /// Nothing recorded yet.
    pub fn new() -> Recording {
        Recording::default()
    }

    /// A recorder for one thread, with a process number of its own.
    pub fn recorder(&self) -> Recorder {
        let process = self.shared.processes.fetch_add(1, Ordering::Relaxed);
        Recorder { shared: self.shared.clone(), process, events: Vec::new(), open: false }
    }

    /// The same with room for so many operations, so that recording them allocates nothing.
    pub fn recorder_for(&self, operations: usize) -> Recorder {
        let mut recorder = self.recorder();
        recorder.events.reserve_exact(2 * operations);
        recorder
    }

    /// The history of all recorders that were dropped. What was open then is pending.
    pub fn finish(&self) -> History {
        let mut events: Vec<(u64, i64, What)> = Vec::new();
        let mut done = self.shared.done.lock().unwrap_or_else(PoisonError::into_inner);
        for (process, list) in done.drain(..) {
            events.extend(list.into_iter().map(|(time, what)| (time, process, what)));
        }
        events.sort_by_key(|(time, ..)| *time);
        let mut builder = Builder::new();
        for (_, process, what) in events {
            // A recorder pairs its events, so this cannot fail.
            match what {
                What::Call(name, input) => {
                    builder.call(0, process, name, None, input).expect("calls and returns alternate");
                }
                What::Return(output) => {
                    builder.ret(0, process, Some(output)).expect("calls and returns alternate");
                }
            }
        }
        builder.finish()
    }
}

/// Records the operations of one thread. Dropping it, also by a panic, hands its events over.
#[derive(Debug)]
pub struct Recorder {
    shared: Arc<Shared>,
    process: i64,
    events: Vec<Event>,
    open: bool,
}

impl Recorder {
    /// The number under which its operations appear.
    pub fn process(&self) -> i64 {
        self.process
    }

    /// The thread is about to start an operation.
    ///
    /// # Panics
    /// When the operation before has not returned.
    pub fn call(&mut self, name: &'static str, input: impl Into<Datum>) {
        assert!(!self.open, "`{name}` is called while the operation before is open");
        self.open = true;
        let input = input.into();
        // Room for the return as well, so that nothing is allocated between the operation and its end.
        self.events.reserve(2);
        let time = self.shared.clock.ticket();
        self.events.push((time, What::Call(name, input)));
    }

    /// The operation has ended with this result.
    ///
    /// # Panics
    /// When no operation is open.
    pub fn ret(&mut self, output: impl Into<Datum>) {
        assert!(self.open, "a return without a call");
        self.open = false;
        let time = self.shared.clock.ticket();
        self.events.push((time, What::Return(output.into())));
    }

    /// Calls an operation and records it.
    pub fn record<T: Clone + Into<Datum>>(
        &mut self,
        name: &'static str,
        input: impl Into<Datum>,
        operation: impl FnOnce() -> T,
    ) -> T {
        self.call(name, input);
        let result = operation();
        self.ret(result.clone());
        result
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        let events = std::mem::take(&mut self.events);
        self.shared.done.lock().unwrap_or_else(PoisonError::into_inner).push((self.process, events));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_order_is_real_order() {
        // Each operation draws a number from a counter that orders nothing else: who was recorded to be over
        // before another began must have drawn the smaller number.
        let recording = Recording::new();
        let (numbers, start) = (AtomicI64::new(0), std::sync::Barrier::new(4));
        std::thread::scope(|threads| {
            for _ in 0..4 {
                let (mut recorder, numbers, start) = (recording.recorder_for(5_000), &numbers, &start);
                threads.spawn(move || {
                    start.wait();
                    for i in 0..5_000 {
                        recorder.record("draw", (), || {
                            let number = numbers.fetch_add(1, Ordering::Relaxed);
                            if i % 8 == 0 {
                                std::thread::yield_now();
                            }
                            number
                        });
                    }
                });
            }
        });
        let history = recording.finish();
        assert_eq!((history.ops.len(), history.pending()), (20_000, 0));
        let mut drawn: Vec<(u32, u32, i64)> = Vec::new();
        for id in history.ids() {
            let op = history.op(id);
            let number = history.with_call(id, |call| call.output.and_then(Datum::as_int)).expect("a number");
            drawn.push((op.call, op.ret, number));
        }
        let mut ended: Vec<(u32, i64)> = drawn.iter().map(|(_, ret, number)| (*ret, *number)).collect();
        ended.sort_unstable();
        let (mut next, mut most) = (0, -1);
        for (call, _, number) in drawn {
            while next < ended.len() && ended[next].0 < call {
                most = most.max(ended[next].1);
                next += 1;
            }
            assert!(most < number, "{number} was drawn after {most}");
        }
    }

    #[test]
    fn an_interval_contains_its_operation() {
        // `outer` lasts until `inner` is over, and `inner` begins when `outer` has begun.
        let recording = Recording::new();
        let step = std::sync::Barrier::new(2);
        std::thread::scope(|threads| {
            let (mut outer, mut inner) = (recording.recorder(), recording.recorder());
            let step = &step;
            threads.spawn(move || {
                outer.record("outer", (), || {
                    step.wait();
                    step.wait();
                });
            });
            threads.spawn(move || {
                step.wait();
                inner.record("inner", (), || ());
                step.wait();
            });
        });
        let history = recording.finish();
        let [outer, inner] = &history.ops[..] else { panic!("{history:?}") };
        assert_eq!((history.name(outer), history.name(inner)), ("outer", "inner"));
        assert!(outer.call < inner.call && inner.ret < outer.ret, "{history:?}");
    }

    #[test]
    fn an_event_takes_40_bytes() {
        assert_eq!(std::mem::size_of::<Event>(), 40);
    }

    #[test]
    fn a_thread_that_panics_leaves_its_operation_pending() {
        let recording = Recording::new();
        let mut recorder = recording.recorder();
        let thread = std::thread::spawn(move || {
            recorder.record("enq", 1i64, || ());
            recorder.call("enq", 2i64);
            std::panic::resume_unwind(Box::new("stopped"));
        });
        assert!(thread.join().is_err());
        let history = recording.finish();
        assert_eq!((history.ops.len(), history.pending()), (2, 1));
    }
}
