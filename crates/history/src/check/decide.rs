//! One piece of a history: by a monitor where one applies, else by search.

use trueline_base::Stop;

use super::order;
use crate::monitor::{self, Outcome};
use crate::search::{Control, Found, Instance, Span, search};
use crate::spec::Spec;
use crate::verdict::Engine;

/// The answer for one piece.
#[derive(Clone, Debug)]
pub struct Decision {
    /// Who decided.
    pub engine: Engine,
    /// What.
    pub answer: Answer,
    /// Configurations visited.
    pub configurations: u64,
    /// Bytes in use at most.
    pub bytes: u64,
}

/// Holds, fails, or stopped.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Explained, by this order if the search decided or the order was wanted.
    Holds(Option<Vec<usize>>),
    /// Not explained; these operations already show it.
    Fails(Vec<usize>),
    /// A limit was reached after passing so many of so many events.
    Stopped(Stop, u32, u32),
    /// An order was found that does not explain them after all, and why. This is a fault of the engine.
    Wrong(String),
}

/// Decides whether some order explains the operations.
pub fn decide<S: Spec>(
    spec: &S,
    ops: &[S::Op],
    spans: &[Span],
    monitors: bool,
    control: &mut Control<'_>,
) -> Decision {
    settle(spec, ops, spans, monitors, false, control)
}

/// The same with an order, which has been run again, if they are explained.
pub fn decide_with_order<S: Spec>(
    spec: &S,
    ops: &[S::Op],
    spans: &[Span],
    monitors: bool,
    control: &mut Control<'_>,
) -> Decision {
    let mut decision = settle(spec, ops, spans, monitors, true, control);
    let why = match &decision.answer {
        Answer::Holds(None) => Some("none was constructed".into()),
        Answer::Holds(Some(order)) if decision.engine == Engine::Search => {
            // The search has run the specification on it already.
            order::in_time(spans, order).err()
        }
        Answer::Holds(Some(order)) => order::explains(spec, ops, spans, order).err(),
        _ => None,
    };
    if let Some(why) = why {
        let engine = decision.engine.name();
        decision.answer = Answer::Wrong(format!("the order that the {engine} found is none: {why}"));
    }
    decision
}

fn settle<S: Spec>(
    spec: &S,
    ops: &[S::Op],
    spans: &[Span],
    monitors: bool,
    wanted: bool,
    control: &mut Control<'_>,
) -> Decision {
    if monitors && let Some(monitored) = spec.monitored(ops) {
        let bytes = (ops.len() * (std::mem::size_of::<S::Op>() + std::mem::size_of::<Span>())) as u64;
        match monitor::run(&monitored, spans, wanted, control.meter) {
            Ok((engine, Outcome::Holds(order))) => {
                return Decision { engine, answer: Answer::Holds(order), configurations: 0, bytes };
            }
            Ok((engine, Outcome::Fails(mut core))) => {
                core.sort_unstable();
                core.dedup();
                return Decision { engine, answer: Answer::Fails(core), configurations: 0, bytes };
            }
            Ok((_, Outcome::Unsuited)) => {}
            Err(stop) => {
                let answer = Answer::Stopped(stop, 0, spans.len() as u32);
                return Decision { engine: Engine::Search, answer, configurations: 0, bytes };
            }
        }
    }
    let instance = Instance::borrowed(ops, spans, |o| spec.observes(o));
    let result = search(spec, &instance, control);
    let answer = match result.found {
        Found::Order(order) => Answer::Holds(Some(order.into_iter().map(|i| i as usize).collect())),
        Found::Impossible => Answer::Fails((0..ops.len()).collect()),
        Found::Stopped(stop) => Answer::Stopped(stop, result.furthest, instance.shape.events.len() as u32),
    };
    Decision { engine: Engine::Search, answer, configurations: result.configurations, bytes: result.bytes }
}
