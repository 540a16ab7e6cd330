//! Concurrent objects in Rust, after the literature; some with known errors.

pub mod bounded;
pub mod cell;
pub mod freed;
pub mod gate;
pub mod locked;
pub mod lossy;
pub mod ms_queue;
pub mod shim_mailbox;
pub mod transfer;
pub mod treiber;
