//! The engines against the definitions, condition by condition.

use trueline_base::{Meter, Silent};

use super::{linearizable, quasi, quiescent, regular, sequential};
use crate::check::decide::{DecisionAnswer, decide_with_order};
use crate::check::quasi_ops;
use crate::condition::{Quasi, quiescent_spans, regular as by_reads};
use crate::datum::Datum;
use crate::history::NEVER;
use crate::search::{Control, Instance, Interval, SearchResult, layers, search, sequential as by_positions};
use crate::spec::{RegisterOp, Spec};
use crate::verdict::Engine;

/// What the engines and the definition agree on, and whether a monitor was asked; or what they do not.
pub type Agreed = Result<(bool, bool), String>;

fn same(truth: bool, answers: &[(&str, bool)], monitored: bool) -> Agreed {
    match answers.iter().find(|(_, a)| *a != truth) {
        Some((name, answer)) => Err(format!("{name} says {answer}, the definition {truth}")),
        None => Ok((truth, monitored)),
    }
}

fn holds(found: &SearchResult) -> Result<bool, String> {
    match found {
        SearchResult::Order(_) => Ok(true),
        SearchResult::Impossible => Ok(false),
        SearchResult::Stopped(stop) => Err(stop.to_string()),
    }
}

/// What both searches and the dispatcher say, and whether a monitor decided. An order is run.
fn engines<S: Spec>(spec: &S, ops: &[(S::Op, Interval)], meter: &Meter) -> Result<([bool; 3], bool), String> {
    let mut silent = Silent;
    let mut control = Control::new(meter, &mut silent);
    let found =
        search(spec, &Instance::new(ops.iter().cloned(), |o| spec.hints().observes(o)), &mut control).found;
    if let SearchResult::Order(order) = &found {
        explains(spec, ops, &order.iter().map(|i| *i as usize).collect::<Vec<_>>())?;
    }
    let layers = layers::decide(spec, ops, &[], meter).map_err(|s| s.to_string())?;
    let (own, spans): (Vec<S::Op>, Vec<Interval>) = ops.iter().cloned().unzip();
    let decision = decide_with_order(spec, &own, &spans, true, &mut control);
    let dispatched = match decision.answer {
        DecisionAnswer::Holds(order) => {
            explains(spec, ops, &order.ok_or("there is no order")?)?;
            true
        }
        DecisionAnswer::Wrong(why) => return Err(why),
        DecisionAnswer::Fails(_) => false,
        DecisionAnswer::Stopped(stop, ..) => return Err(stop.to_string()),
    };
    Ok(([holds(&found)?, layers, dispatched], decision.engine != Engine::Search))
}

/// Whether an order is one: every operation that returned once, the others at most once, real time kept, legal.
fn explains<S: Spec>(spec: &S, ops: &[(S::Op, Interval)], order: &[usize]) -> Result<(), String> {
    let kept =
        order.iter().enumerate().all(|(at, a)| order[at..].iter().all(|b| ops[*b].1.ret >= ops[*a].1.call));
    let times = |i: usize| order.iter().filter(|o| **o == i).count();
    let whole = (0..ops.len()).all(|i| times(i) == 1 || (times(i) == 0 && ops[i].1.ret == NEVER));
    let legal = !super::run(spec, &order.iter().map(|i| &ops[*i].0).collect::<Vec<_>>()).is_empty();
    if kept && whole && legal { Ok(()) } else { Err(format!("{order:?} was found, which is no order")) }
}

/// Linearizability.
pub fn on_linearizable<S: Spec>(spec: &S, ops: &[(S::Op, Interval)], meter: &Meter) -> Agreed {
    let ([depth, breadth, dispatched], monitored) = engines(spec, ops, meter)?;
    let answers = [("search", depth), ("layers", breadth), ("the dispatcher", dispatched)];
    same(linearizable(spec, ops), &answers, monitored)
}

/// Quiescent consistency.
pub fn on_quiescent<S: Spec>(spec: &S, ops: &[(S::Op, Interval)], meter: &Meter) -> Agreed {
    let spans = quiescent_spans(&ops.iter().map(|(_, s)| *s).collect::<Vec<_>>());
    let stretched: Vec<(S::Op, Interval)> = ops.iter().zip(spans).map(|((o, _), s)| (o.clone(), s)).collect();
    let ([depth, breadth, dispatched], monitored) = engines(spec, &stretched, meter)?;
    let answers = [("search", depth), ("layers", breadth), ("the dispatcher", dispatched)];
    same(quiescent(spec, ops), &answers, monitored)
}

/// Sequential consistency. Nothing follows a pending operation of a process.
pub fn on_sequential<S: Spec>(spec: &S, ops: &[(S::Op, Interval)], process: &[i64], meter: &Meter) -> Agreed {
    let mut silent = Silent;
    let mut control = Control::new(meter, &mut silent);
    let count = process.iter().max().map_or(0, |m| m + 1);
    let steps = |p: i64| {
        let own = (0..ops.len()).filter(move |i| process[*i] == p);
        own.map(|i| (i as u32, ops[i].0.clone(), ops[i].1.ret == NEVER)).collect()
    };
    let processes: Vec<Vec<(u32, S::Op, bool)>> = (0..count).map(steps).collect();
    let found = by_positions(spec, &processes, &mut control).found;
    same(sequential(spec, ops, process), &[("search", holds(&found)?)], false)
}

/// Quasi-linearizability with one factor.
pub fn on_quasi<S: Spec>(spec: &S, ops: &[(S::Op, Interval)], factor: u32, meter: &Meter) -> Agreed {
    let (own, spans): (Vec<S::Op>, Vec<Interval>) = ops.iter().cloned().unzip();
    let all = quasi_ops(spec, &own, &spans);
    let relaxed = Quasi { spec, factor };
    let mut silent = Silent;
    let mut control = Control::new(meter, &mut silent);
    let found = search(&relaxed, &Instance::new(all.iter().cloned(), |_| false), &mut control).found;
    let breadth = layers::decide(&relaxed, &all, &[], meter).map_err(|s| s.to_string())?;
    same(quasi(spec, ops, factor as usize), &[("search", holds(&found)?), ("layers", breadth)], false)
}

/// Regularity.
pub fn on_regular(initial: &Datum, ops: &[(RegisterOp, Interval)]) -> Agreed {
    same(regular(initial, ops), &[("the check of reads", by_reads::check(initial, ops).is_none())], true)
}
