//! Labelled transition systems: reduce, compare, explain.
#![forbid(unsafe_code)]

pub mod labels;
pub mod naive;
pub mod partition;
pub mod quotient;
pub mod read;
pub mod sample;
mod sets;
pub mod system;
mod watch;
pub mod write;

pub use labels::Labels;
pub use partition::{ClassId, Equivalence, Partition, partition};
pub use quotient::{Quotient, quotient};
pub use system::{LabelId, Lts, Move, StateId};
