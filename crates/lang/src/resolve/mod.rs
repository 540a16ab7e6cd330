//! From the tree as written to the typed tree: what names mean, which types things have, and everything that is wrong
//! with either.
//!
//! An object or a specification is looked at once, whatever its checks are. What depends on the values of parameters,
//! on the number of threads or on steps is left to `lower`.

mod aggregates;
mod calls;
pub(crate) mod client;
mod constants;
mod expr;
pub(crate) mod file;
pub(crate) mod flow;
mod loops;
mod members;
mod methods;
mod operators;
mod patterns;
mod place;
pub(crate) mod reach;
mod routine;
pub(crate) mod scope;
pub(crate) mod specs;
mod stmt;
mod types;
mod words;

pub(crate) use file::{Resolved, Typed, file};
pub(crate) use members::invariant;
pub(crate) use types::LONGEST_ARRAY;
pub(crate) use words::close;
