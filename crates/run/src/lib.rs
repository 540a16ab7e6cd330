//! Real C, C++ and Rust objects under every execution.
//!
//! A source file with a harness is compiled with the compiler's own instrumentation and linked with the *player* (crate
//! `trueline-runtime`), which runs it by a plan and returns a log. The explorer holds execution graphs, reads logs and
//! makes plans; it never runs the code under test itself. Histories of complete executions are decided by
//! `trueline-history`.
#![forbid(unsafe_code)]

pub mod arrange;
mod assembly;
pub mod axioms;
pub mod boundary;
pub mod bounded;
pub mod cargo;
pub mod client;
pub mod clock;
pub mod compile;
pub mod confirm;
pub mod debugger;
pub mod dpor;
pub mod explain;
pub mod explore;
pub mod footprint;
pub mod generate;
pub mod graph;
pub mod handover;
pub mod harness;
pub mod history;
pub mod judge;
pub mod kind;
pub mod log;
pub mod machine;
pub mod memory;
pub mod naive;
pub mod numbers;
pub mod order;
pub mod places;
pub mod player;
mod process;
pub mod program;
pub mod race;
pub mod rc11;
pub mod recall;
pub mod replay;
pub mod retry;
pub mod scenario;
pub mod search;
pub mod sequential;
pub mod story;
pub mod test;
pub mod together;
mod unseen;
pub mod weak;
pub mod witness;
