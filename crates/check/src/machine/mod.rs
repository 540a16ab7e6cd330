//! Executes the steps of a machine.

mod access;
mod collect;
mod eval;
mod explore;
pub(crate) mod run;
pub(crate) mod start;
pub(crate) mod state;
pub(crate) mod touched;
pub(crate) mod ways;

pub(crate) use eval::{can_fail, eval, list as evaluate};
pub(crate) use explore::{Edge, Enabled, Explorer, resolve_tests};
