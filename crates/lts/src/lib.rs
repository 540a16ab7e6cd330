//! Labelled transition systems: reduce, compare, explain.
#![forbid(unsafe_code)]

pub mod labels;
pub mod read;
pub mod sample;
pub mod system;
pub mod write;

pub use labels::Labels;
pub use system::{LabelId, Lts, Move, StateId};
