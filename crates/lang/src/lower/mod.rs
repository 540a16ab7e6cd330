//! From the typed tree to steps: parameters have values, threads a number, helpers are inlined, variables become slots
//! and cells.
//!
//! Names and types are right here. What can still be wrong depends on values (sizes), on how far helpers unfold, or on
//! steps (what takes several, what takes none).

mod aggregates;
mod body;
mod calls;
pub(crate) mod client;
mod code;
mod conditions;
mod expr;
mod fit;
mod fold;
mod instance;
mod layout;
mod loops;
mod methods;
mod module;
mod patterns;
mod place;
mod primitives;
mod stmt;

pub(crate) use fit::comparable;
pub(crate) use instance::Instance;
pub(crate) use module::{invariant, module};
