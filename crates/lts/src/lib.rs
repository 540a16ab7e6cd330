//! Labelled transition systems: reduce, compare, explain.
#![forbid(unsafe_code)]

pub mod compare;
pub mod draw;
pub mod failure;
pub mod formula;
pub mod inclusion;
pub mod ktrace;
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

pub use compare::{Comparison, Difference, Evidence, Side, compare};
pub use failure::{Failure, Unconfirmed};
pub use inclusion::{Inclusion, Step, inclusion};
pub use ktrace::{KTraces, k_traces};
pub use labels::Labels;
pub use partition::{ClassId, Equivalence, Partition, partition};
pub use quotient::{Quotient, quotient};
pub use system::{LabelId, Lts, Move, StateId};
