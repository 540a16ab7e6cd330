//! Atomics, locks and cells for objects that are explored without instrumentation (`trueline test --cargo --shim`).
//!
//! ```
//! use trueline_shim::sync::atomic::{AtomicI64, Ordering};
//!
//! let count = AtomicI64::new(0);
//! count.fetch_add(1, Ordering::SeqCst);
//! assert_eq!(count.load(Ordering::SeqCst), 1);
//! ```
//!
//! In a build of the tool each access calls the player. In every other build these are the types of std, so that ordinary
//! tests and users of the object notice nothing. What threads share must be in these types: nothing else is seen.

pub mod cell;
pub mod sync;

/// Threads as in std: operations of an object do not start any, ordinary tests may.
pub mod thread {
    pub use std::thread::{JoinHandle, Thread, current, park, sleep, spawn, yield_now};
}

/// Hints to the processor as in std.
pub mod hint {
    pub use std::hint::spin_loop;
}

#[cfg(trueline)]
mod player;
