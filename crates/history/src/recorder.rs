//! Records the operations of real threads.
//!
//! One atomic clock orders all calls and returns; every thread writes into a buffer of its own, so a thread
//! never waits for another. A call takes its time before the operation starts and a return after it ended, with
//! sequentially consistent fences on both sides, so that the recorded interval contains the real one on every
//! processor. Cost per event: one atomic increment, one fence and one push into a vector.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering, fence};
use std::sync::{Arc, Mutex, PoisonError};

use crate::build::Builder;
use crate::datum::Datum;
use crate::history::History;

#[derive(Debug)]
enum What {
    Call(&'static str, Datum),
    Return(Datum),
}

#[derive(Debug, Default)]
struct Shared {
    clock: AtomicU64,
    processes: AtomicI64,
    done: Mutex<Vec<(i64, Vec<(u64, What)>)>>,
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
    events: Vec<(u64, What)>,
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
        let time = self.shared.clock.fetch_add(1, Ordering::SeqCst);
        self.events.push((time, What::Call(name, input)));
        fence(Ordering::SeqCst);
    }

    /// The operation has ended with this result.
    ///
    /// # Panics
    /// When no operation is open.
    pub fn ret(&mut self, output: impl Into<Datum>) {
        assert!(self.open, "a return without a call");
        self.open = false;
        fence(Ordering::SeqCst);
        let time = self.shared.clock.fetch_add(1, Ordering::SeqCst);
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
