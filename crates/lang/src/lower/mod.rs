//! From the tree to steps: names, types and code in one walk over each routine.

mod aggregates;
mod body;
mod calls;
pub(crate) mod client;
mod code;
pub(crate) mod env;
mod expr;
pub(crate) mod flow;
pub(crate) mod fold;
mod loops;
mod methods;
mod module;
mod operators;
mod patterns;
mod place;
pub(crate) mod specs;
mod stmt;
mod types;
