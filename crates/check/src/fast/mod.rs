//! The fast engine: steps as a model of parts, sets of the specification beside it, reductions by name.
//!
//! A state is the numbers of its parts (`trueline_space`): the shared cells with the structs that they reach, and per
//! thread its control, live slots and the structs that only it reaches. The steps themselves are executed by
//! `machine`, at most once per pair of a global and a local part: most are recalled.

mod answer;
mod bare;
mod beside;
mod canon;
mod concrete;
mod covered;
mod decode;
mod footprint;
mod guess;
mod judge;
mod keep;
mod letters;
mod moves;
mod naming;
mod occurring;
#[cfg(test)]
mod orbits;
mod other;
mod progress;
mod recall;
mod reduce;
mod renaming;
mod sets;
mod stage;
mod steps;
mod system;
mod unshare;
mod values;

pub use answer::{Count, check, count, decide, decide_checked};
pub use reduce::{Reduction, Reductions};
pub use system::MachineSystem;
pub(crate) use system::generate;
pub use trueline_space::Order;
