//! What a search covered and how, whatever it was asked: the part of an outcome that every question shares.

use super::concrete::Fast;
use super::reduce::{Reduction, Reductions};
use crate::outcome::{DeadEnds, MEMORY_MODEL, Method, Off, Outcome, Verdict};
use trueline_space::Search;

/// How this engine searches with these reductions.
pub(super) fn method(reductions: Reductions, off: Vec<(&'static str, Off)>) -> Method {
    Method {
        engine: "fast",
        memory_model: MEMORY_MODEL,
        reductions: reductions.names(),
        storage: "exact",
        off,
    }
}

/// The outcome of a search. `off` are reductions that were wanted and that the question refused; what the model refuses is
/// added. `further` is memory that the question took beside the search.
pub(super) fn outcome(
    space: Fast<'_>,
    search: &Search,
    (verdict, dead_ends): (Verdict, DeadEnds),
    (reductions, mut off): (Reductions, Vec<(&'static str, Off)>),
    growing: Vec<String>,
    further: u64,
) -> Outcome {
    off.extend(space.model.refusal().map(|why| (Reduction::Symmetry.name(), Off::Model(why))));
    Outcome {
        verdict,
        states: search.states.len() as u64,
        specification: space.sizes().2 as u64,
        transitions: search.transitions,
        depth: search.depth(),
        frontier: search.frontier(),
        bytes: search.states.bytes() + space.bytes() + space.model.bytes() + further,
        growing,
        assumed: space.model.explorer.assumed,
        dead_ends,
        coverage: space.model.explorer.coverage,
        method: method(reductions, off),
        difference: None,
    }
}
