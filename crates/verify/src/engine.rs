//! The one place where an engine is called, and the retry that decides who is to blame for a failure at a
//! linearization point.

use trueline_base::{Limits, Observer};
use trueline_check::fast::{self, Reductions};
use trueline_check::{Outcome, Verdict, check, quotient};
use trueline_lang::ir::Machine;
use trueline_lang::question::Question;

/// Who searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Whatever suits the question.
    #[default]
    Auto,
    /// Breadth first over stored states, nothing reduced but heaps and dead locals.
    Plain,
    /// States as parts, with reductions.
    Fast,
    /// Whole transition systems, reduced modulo branching bisimulation and compared.
    Quotient,
}

impl Engine {
    /// The engine of that name.
    pub fn named(name: &str) -> Option<Engine> {
        match name {
            "auto" => Some(Engine::Auto),
            "plain" => Some(Engine::Plain),
            "fast" => Some(Engine::Fast),
            "quotient" => Some(Engine::Quotient),
            _ => None,
        }
    }
}

/// Searches for a violation. Where one is found at a linearization point, a second search without points says
/// whether the object is wrong or only its points.
pub fn search(
    machine: &Machine,
    question: &Question,
    engine: Engine,
    reductions: Reductions,
    limits: &Limits,
    observer: &mut dyn Observer,
) -> Outcome {
    let found = run(machine, question, engine, reductions, limits, observer);
    if question.relies_on_points() && matches!(found.verdict, Verdict::Fails(_)) {
        let without = run(machine, &question.without_points(), engine, reductions, limits, observer);
        if matches!(without.verdict, Verdict::Fails(_)) {
            return without;
        }
    }
    found
}

fn run(
    machine: &Machine,
    question: &Question,
    engine: Engine,
    reductions: Reductions,
    limits: &Limits,
    observer: &mut dyn Observer,
) -> Outcome {
    match (engine, question) {
        (Engine::Quotient, _) | (_, Question::Equivalent { .. }) => {
            quotient::check(machine, question, limits, observer)
        }
        // Cycles are looked for in one way only: without reductions, then.
        (Engine::Plain, Question::Progress { .. }) => {
            fast::check(machine, question, Reductions::HEAP, limits, observer)
        }
        (Engine::Plain, _) => check(machine, question, limits, observer),
        (Engine::Auto | Engine::Fast, _) => fast::check(machine, question, reductions, limits, observer),
    }
}
