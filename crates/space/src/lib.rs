//! State spaces: what engines, reductions and properties share.
//!
//! A [`Model`] says what the threads of a system can do, as parts: one global part, and one local part per thread.
//! A [`Space`] remembers the moves of each pair of parts, puts a [`Monitor`] beside the model, and takes symmetric
//! states together. [`explore`] visits every state, breadth first. Nothing here knows what a part means.
#![forbid(unsafe_code)]

mod accesses;
mod antichain;
mod commute;
mod explore;
mod graph;
mod map;
mod model;
mod monitor;
mod order;
mod parts;
mod permute;
mod record;
mod round;
mod space;
mod states;
mod symbols;
mod symmetry;
mod table;
mod targets;
pub mod wire;
mod word;
mod words;
mod workers;

pub use accesses::Accesses;
pub use explore::{Answer, Explored, Found, Search, Visit, explore, explore_with};
pub use graph::{Graph, NONE, Tag};
pub use model::{
    Enabled, Held, Letter, Model, Move, Next, Part, Rename, Start, Symmetry, To, View, Whole, WholeMove,
};
pub use monitor::{After, Always, Monitor};
pub use order::Order;
pub use parts::Parts;
pub use permute::{Perm, permutations};
pub use record::Unloaded;
pub use space::{Edge, End, MAX_THREADS, Node, Reached, Space, Standing};
pub use states::States;
