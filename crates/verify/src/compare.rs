//! The same question asked of several searches: what each reduction is worth.

use std::time::Instant;

use trueline_base::{Limits, Observer};
use trueline_check::fast::{Order, Reduction, Reductions};
use trueline_check::{Outcome, Verdict, Why};
use trueline_lang::ir::Machine;
use trueline_lang::question::Question;

use crate::engine::{Engine, search};

/// A search and what it found.
pub struct Compared {
    /// The engine, or the reduction that comes in addition to the row before.
    pub name: String,
    /// What it found.
    pub outcome: Outcome,
    /// Wall-clock time.
    pub seconds: f64,
}

impl Compared {
    /// `holds`, `fails`, or what ended the search.
    pub fn verdict(&self) -> String {
        match &self.outcome.verdict {
            Verdict::Holds(()) => "holds".into(),
            Verdict::Fails(_) => "fails".into(),
            Verdict::Unknown(Why::Stopped(stop)) => stop.to_string(),
            Verdict::Unknown(_) => "unknown".into(),
        }
    }
}

/// Asks the plain engine, then the fast one with more and more reductions. Those that the question does not allow are
/// left out. `order` says which orders of steps partial order reduction leaves out.
pub fn compare(
    machine: &Machine,
    question: &Question,
    order: Order,
    limits: &Limits,
    observer: &mut dyn Observer,
) -> Vec<Compared> {
    let mut all = Vec::new();
    let mut ask = |name: String, engine: Engine, reductions: Reductions| {
        let start = Instant::now();
        let outcome = search(machine, question, engine, reductions, limits, observer);
        all.push(Compared { name, outcome, seconds: start.elapsed().as_secs_f64() });
    };
    ask("plain".into(), Engine::Plain, Reductions::NONE);
    let mut reductions = Reductions::NONE.leaving_out(order);
    // Sets of generators come before the exchange of threads and values, which closed sets do not know.
    for reduction in [
        Reduction::Heap,
        Reduction::Unshare,
        Reduction::Merge,
        Reduction::Tight,
        Reduction::Factored,
        Reduction::Symmetry,
        Reduction::Values,
        Reduction::Antichain,
        Reduction::Guess,
        Reduction::Por,
    ] {
        if reduction.refused(machine, question).is_none() {
            reductions = reductions.with(reduction);
            let plus = if reduction == Reduction::Heap { "" } else { "+ " };
            ask(format!("{plus}{}", reduction.name()), Engine::Fast, reductions);
        }
    }
    all
}
