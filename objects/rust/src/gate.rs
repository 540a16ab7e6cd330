//! A gate that threads wait at by `park` until another opens it; one variant tells who waits only after it has looked.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread::{self, Thread};

/// A gate that stays open.
#[derive(Default)]
pub struct Gate {
    open: AtomicBool,
    waiting: Mutex<Vec<Thread>>,
    late: bool,
}

impl Gate {
    /// A gate that loses signals.
    pub fn late() -> Gate {
        Gate { late: true, ..Gate::default() }
    }

    /// Opens it.
    pub fn open(&self) {
        self.open.store(true, SeqCst);
        for thread in self.waiting.lock().unwrap().drain(..) {
            thread.unpark();
        }
    }

    /// Waits until it is open.
    pub fn pass(&self) {
        if self.late {
            if !self.open.load(SeqCst) {
                // Wrong: it may have been opened in the meantime, and nobody will say so.
                self.waiting.lock().unwrap().push(thread::current());
                thread::park();
            }
            return;
        }
        self.waiting.lock().unwrap().push(thread::current());
        while !self.open.load(SeqCst) {
            thread::park();
        }
    }
}
