//! Explores the steps of an object and decides its properties.
//!
//! `fast` is the engine that users run: the machine as a model of parts, which `trueline_space` explores. The plain engine is
//! its twin: `machine` executes, `canonical` gives every state one form, `spec` and `refine` run beside the
//! implementation, `search` explores the product breadth first.
#![forbid(unsafe_code)]

mod canonical;
mod coverage;
pub mod fast;
mod generate;
mod growth;
mod label;
mod machine;
mod minimise;
mod monitor;
pub mod naive;
mod outcome;
mod path;
mod product;
pub mod quotient;
mod refine;
mod search;
mod spec;
mod walk;

pub use coverage::Coverage;
pub use generate::{NoSystem, Sink, count_states, generate, generate_spec, system};
pub use label::Label;
pub use minimise::Cut;
pub use outcome::{Counterexample, DeadEnds, Difference, Method, Off, Outcome, Verdict, Why};
pub use search::{check, decide};
/// Most threads of the fast engine and of transition systems; beyond them the plain engine searches.
pub use trueline_space::MAX_THREADS;
