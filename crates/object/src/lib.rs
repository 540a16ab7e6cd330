//! The harness of Rust objects, for `trueline test --cargo`.
//!
//! A test target says what can be called; the tool builds it, calls the operations from several threads in every order
//! of their steps, and tells what goes wrong:
//!
//! ```
//! use std::sync::atomic::{AtomicI64, Ordering};
//!
//! trueline::object! {
//!     new: AtomicI64::new(0),
//!     fn inc(count) -> i64 { count.fetch_add(1, Ordering::SeqCst) + 1 }
//! }
//! ```
//!
//! Nothing of this runs in an ordinary `cargo test`, which only compiles it.

mod object;
#[cfg(trueline)]
mod player;
#[cfg(trueline)]
mod std_sync;

#[doc(hidden)]
pub use object::{Slot, bytes, operation};
