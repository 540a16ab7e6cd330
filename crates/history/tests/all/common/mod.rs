//! What the tests share: all small histories, limits that bound nothing, the answers of every engine.
#![allow(dead_code)]

use trueline_base::{Limits, Meter, Silent};
use trueline_history::NEVER;
use trueline_history::generate;
use trueline_history::naive::engines::{Control, Instance, Interval, SearchResult, layers, search};
use trueline_history::naive::engines::{DecisionAnswer, decide_with_order};
use trueline_history::naive::small::{HistoryVisitor, Kinds};
use trueline_history::spec::Spec;

#[path = "../../../src/property.rs"]
mod numbers;

pub use numbers::of as property;

pub fn meter() -> Meter {
    Meter::start(Limits::default())
}

/// Calls `each` with every choice of operations for a shape, pending ones from their own list.
pub fn fillings<O: Clone + PartialEq>(
    shape: &[Interval],
    known: &[O],
    pending: &[O],
    each: &mut HistoryVisitor<'_, O>,
) {
    Kinds { known, pending, exchange: None }.fill(shape, each);
}

/// What the depth-first search says. An order that it finds is checked.
pub fn by_search<S: Spec>(spec: &S, ops: &[(S::Op, Interval)], meter: &Meter) -> bool {
    let mut silent = Silent;
    let mut control = Control::new(meter, &mut silent);
    match search(spec, &Instance::new(ops.iter().cloned(), |o| spec.hints().observes(o)), &mut control).found
    {
        SearchResult::Order(order) => {
            explains(spec, ops, &order.into_iter().map(|i| i as usize).collect::<Vec<_>>());
            true
        }
        SearchResult::Impossible => false,
        SearchResult::Stopped(stop) => panic!("{stop}"),
    }
}

/// An order has every operation that returned once and others at most once, keeps real time, and is legal.
fn explains<S: Spec>(spec: &S, ops: &[(S::Op, Interval)], order: &[usize]) {
    for (at, a) in order.iter().enumerate() {
        assert!(
            order[at + 1..].iter().all(|b| ops[*b].1.ret >= ops[*a].1.call),
            "real time {ops:?} {order:?}"
        );
    }
    let present = |i: usize| order.iter().filter(|o| **o == i).count();
    assert!((0..ops.len()).all(|i| present(i) == 1 || (present(i) == 0 && ops[i].1.ret == NEVER)));
    let run = trueline_history::naive::run(spec, &order.iter().map(|i| &ops[*i].0).collect::<Vec<_>>());
    assert!(!run.is_empty(), "the order is not legal: {ops:?} {order:?}");
}

/// What the breadth-first search says.
pub fn by_layers<S: Spec>(spec: &S, ops: &[(S::Op, Interval)], meter: &Meter) -> bool {
    layers::decide(spec, ops, &[], meter).expect("no limit")
}

/// What the dispatcher with its monitors says, and whether a monitor decided. An order that it gives is checked.
pub fn by_dispatch<S: Spec>(spec: &S, ops: &[(S::Op, Interval)], meter: &Meter) -> (bool, bool) {
    let mut silent = Silent;
    let mut control = Control::new(meter, &mut silent);
    let (o, s): (Vec<S::Op>, Vec<Interval>) = ops.iter().cloned().unzip();
    let decision = decide_with_order(spec, &o, &s, true, &mut control);
    let monitored = decision.engine != trueline_history::Engine::Search;
    match decision.answer {
        DecisionAnswer::Holds(order) => {
            explains(spec, ops, &order.expect("asked for"));
            (true, monitored)
        }
        DecisionAnswer::Wrong(why) => panic!("{why}: {ops:?}"),
        DecisionAnswer::Fails(_) => (false, monitored),
        DecisionAnswer::Stopped(stop, ..) => panic!("{stop}"),
    }
}
