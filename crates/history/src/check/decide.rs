//! One piece of a history: by a monitor where one applies, else by search.

use trueline_base::Stop;

use super::order;
use crate::monitor::{self, MonitorAnswer};
use crate::search::{Control, Instance, Interval, SearchResult, frontier, search};
use crate::spec::{ContainerOp, Monitored, Spec};
use crate::verdict::Engine;

/// The answer for one piece.
#[derive(Clone, Debug)]
pub struct PieceDecision {
    /// Who decided.
    pub engine: Engine,
    /// What.
    pub answer: DecisionAnswer,
    /// Configurations visited.
    pub configurations: u64,
    /// Bytes in use at most.
    pub bytes: u64,
    /// Where it fails, the position of a return that no order passes, if that is known.
    pub until: Option<u32>,
}

impl PieceDecision {
    fn by(engine: Engine, answer: DecisionAnswer, bytes: u64) -> PieceDecision {
        PieceDecision { engine, answer, configurations: 0, bytes, until: None }
    }
}

/// Holds, fails, or stopped.
#[derive(Clone, Debug)]
pub enum DecisionAnswer {
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
    spans: &[Interval],
    monitors: bool,
    control: &mut Control<'_>,
) -> PieceDecision {
    settle(spec, ops, spans, monitors, false, control)
}

/// The same with an order, which has been run again, if they are explained.
pub fn decide_with_order<S: Spec>(
    spec: &S,
    ops: &[S::Op],
    spans: &[Interval],
    monitors: bool,
    control: &mut Control<'_>,
) -> PieceDecision {
    let mut decision = settle(spec, ops, spans, monitors, true, control);
    let why = match &decision.answer {
        DecisionAnswer::Holds(None) => Some("none was constructed".into()),
        DecisionAnswer::Holds(Some(order)) if decision.engine == Engine::Search => {
            // The search has run the specification on it already.
            order::in_time(spans, order).err()
        }
        DecisionAnswer::Holds(Some(order)) => order::explains(spec, ops, spans, order).err(),
        _ => None,
    };
    if let Some(why) = why {
        let engine = decision.engine.name();
        decision.answer = DecisionAnswer::Wrong(format!("the order that the {engine} found is none: {why}"));
    }
    decision
}

fn settle<S: Spec>(
    spec: &S,
    ops: &[S::Op],
    spans: &[Interval],
    monitors: bool,
    wanted: bool,
    control: &mut Control<'_>,
) -> PieceDecision {
    if monitors && let Some(monitored) = spec.hints().monitored(ops) {
        let bytes = (ops.len() * (std::mem::size_of::<S::Op>() + std::mem::size_of::<Interval>())) as u64;
        match monitor::run(&monitored, spans, wanted, control.meter) {
            Ok((engine, MonitorAnswer::Holds(order))) => {
                return PieceDecision::by(engine, DecisionAnswer::Holds(order), bytes);
            }
            Ok((engine, MonitorAnswer::Fails(mut core))) => {
                core.sort_unstable();
                core.dedup();
                return PieceDecision::by(engine, DecisionAnswer::Fails(core), bytes);
            }
            Ok((_, MonitorAnswer::Unsuited)) => {
                if let Monitored::Container(discipline, ops) = monitored
                    && let Some(bounded) = frontier::search(discipline, &ops, spans, control)
                {
                    return by_frontiers(bounded, &ops, spans);
                }
            }
            Err(stop) => {
                let answer = DecisionAnswer::Stopped(stop, 0, spans.len() as u32);
                return PieceDecision::by(Engine::Search, answer, bytes);
            }
        }
    }
    let instance = Instance::borrowed(ops, spans, |o| spec.hints().observes(o));
    let result = search(spec, &instance, control);
    let answer = match result.found {
        SearchResult::Order(order) => {
            DecisionAnswer::Holds(Some(order.into_iter().map(|i| i as usize).collect()))
        }
        SearchResult::Impossible => DecisionAnswer::Fails((0..ops.len()).collect()),
        SearchResult::Stopped(stop) => {
            DecisionAnswer::Stopped(stop, result.furthest, instance.shape.events.len() as u32)
        }
    };
    let waiting = instance.shape.events.get(result.furthest as usize);
    let until = waiting.map(|event| spans[(event >> 1) as usize].ret);
    let (configurations, bytes) = (result.configurations, result.bytes);
    PieceDecision { engine: Engine::Search, answer, configurations, bytes, until }
}

/// What a search over frontiers says of a container.
fn by_frontiers(bounded: frontier::Bounded, ops: &[ContainerOp], spans: &[Interval]) -> PieceDecision {
    let answer = match bounded.found {
        Ok(Some(order)) => DecisionAnswer::Holds(Some(monitor::with_blind_looks(order, ops, spans))),
        Ok(None) => DecisionAnswer::Fails((0..ops.len()).collect()),
        Err(stop) => DecisionAnswer::Stopped(stop, 0, 2 * spans.len() as u32),
    };
    let frontier::Bounded { configurations, bytes, until, .. } = bounded;
    PieceDecision { engine: Engine::FrontierSearch, answer, configurations, bytes, until }
}
