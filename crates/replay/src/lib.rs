//! Re-executes a counterexample on the reference interpreter, confirms it with searches of its
//! own, and tells it as a story.
//!
//! A trust boundary: nothing here knows an engine. What the engines hand over is a
//! [`Schedule`] and a violation of what was asked; what cannot be confirmed is [`Unconfirmed`] and never shown.
#![forbid(unsafe_code)]

mod accessed;
mod apart;
mod canonical;
mod confirm;
pub mod endless;
pub mod enumerate;
mod file;
mod follow;
mod history;
mod leak;
mod linearize;
mod named;
mod points;
mod progress;
mod reasons;
mod refine;
mod run;
mod story;
mod summary;

pub use apart::Apart;
pub use confirm::{Case, Source, Unconfirmed, alter, confirm, confirm_within};
pub use file::{FileError, TraceFile, hash};
pub use follow::Followed;
pub use history::{History, Operation};
pub use linearize::{allowed, linearization};
pub use run::{Run, Taken, Unfit, execute, execute_evidence};
pub use story::statement;

#[doc(no_inline)]
pub use trueline_lang::ir::Schedule;
