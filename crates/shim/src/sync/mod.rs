//! What threads share: atomics, locks, and reference counts.

pub mod atomic;
#[cfg(trueline)]
mod lock;

pub use std::sync::Arc;

#[cfg(trueline)]
pub use lock::{Condvar, Mutex, MutexGuard};
#[cfg(not(trueline))]
pub use std::sync::{Condvar, Mutex, MutexGuard};
pub use std::sync::{LockResult, PoisonError};
