//! Recorded histories of concurrent objects: linearizable, quasi-linearizable, or why not.
//!
//! A history is read from a log or recorded in a test, held against a sequential specification, and answered
//! with a verdict that carries its evidence: an order that explains it, or a smallest part that no order
//! explains.
//!
//! In a test: record real threads with [`recorder::Recording`], or read a log with [`read::read`], [`check()`] it
//! against a specification of [`spec`] or one of your own ([`spec::Spec`]), and match the [`Verdict`].
//!
//! ```
//! use std::sync::Mutex;
//!
//! use trueline_base::{Limits, Meter, Silent};
//! use trueline_history::recorder::Recording;
//! use trueline_history::spec::Counter;
//! use trueline_history::{Options, Verdict, check};
//!
//! let (count, recording) = (Mutex::new(0), Recording::new());
//! std::thread::scope(|threads| {
//!     for _ in 0..2 {
//!         let (count, mut recorder) = (&count, recording.recorder());
//!         threads.spawn(move || {
//!             for _ in 0..10 {
//!                 recorder.record("inc", (), || {
//!                     let mut count = count.lock().unwrap();
//!                     *count += 1;
//!                     *count
//!                 });
//!             }
//!         });
//!     }
//! });
//! let history = recording.finish();
//! let meter = Meter::start(Limits::default());
//! let report = check(&Counter::default(), &history, &Options::default(), &meter, &mut Silent).unwrap();
//! match report.verdict {
//!     Verdict::Holds(_) => {}
//!     Verdict::Fails(failure) => {
//!         // A smallest part of the history that no order explains.
//!         let operations: Vec<String> = failure.operations.iter().map(|id| history.show(*id)).collect();
//!         panic!("{}: {operations:?}", failure.sentence);
//!     }
//!     Verdict::Unknown(undecided) => panic!("{}", undecided.why),
//! }
//! ```
#![forbid(unsafe_code)]

mod ask;
mod build;
pub mod check;
mod condition;
mod datum;
pub mod explain;
mod follow;
pub mod generate;
mod history;
pub mod html;
mod intervals;
mod line;
mod monitor;
#[cfg(any(test, feature = "naive"))]
pub mod naive;
#[cfg(test)]
mod property;
pub mod read;
pub mod recorder;
mod search;
mod series;
pub mod spec;
mod value;
mod verdict;
mod visible;
pub mod write;

pub use build::{Builder, Problem, Setting};
pub use check::{Options, check};
pub use condition::Condition;
pub use datum::Datum;
pub use history::{Call, History, NEVER, Note, OpId, Operation, Output, SeriesPlace};
pub use value::{Value, Values};
pub use verdict::{CheckError, Engine, Failure, Impasse, Report, Undecided, Verdict};
pub use visible::visible;
