//! Recorded histories of concurrent objects: linearizable, quasi-linearizable, or why not.
//!
//! A history is read from a log or recorded in a test, held against a sequential specification, and answered
//! with a verdict that carries its evidence: an order that explains it, or a smallest part that no order
//! explains.
#![forbid(unsafe_code)]

pub mod ask;
pub mod build;
pub mod check;
pub mod condition;
pub mod datum;
pub mod explain;
pub mod follow;
pub mod generate;
pub mod history;
pub mod html;
pub mod intervals;
pub mod monitor;
pub mod naive;
pub mod read;
pub mod recorder;
pub mod search;
pub mod spec;
pub mod value;
pub mod verdict;
pub mod write;

pub use build::{Builder, Problem};
pub use check::{Options, check};
pub use condition::Condition;
pub use datum::Datum;
pub use history::{Call, History, NEVER, OpId, Operation, Output};
pub use verdict::{Engine, Failure, Report, Verdict};
