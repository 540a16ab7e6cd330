//! What the tests share: all small histories, limits that bound nothing, the answers of every engine.
#![allow(dead_code)]

use std::collections::BTreeSet;

use trueline_base::{Limits, Meter, Silent};
use trueline_history::NEVER;
use trueline_history::check::{DecisionAnswer, decide};
use trueline_history::search::{Control, Found, Instance, Span, layers, search};
use trueline_history::spec::Spec;

pub fn meter() -> Meter {
    Meter::start(Limits::default())
}

/// The real-time orders of `n` operations numbered by their calls, each with one history that has it.
pub fn shapes(n: usize) -> Vec<Vec<Span>> {
    fn extend(
        spans: &mut Vec<Span>,
        n: usize,
        position: u32,
        seen: &mut BTreeSet<Vec<bool>>,
        out: &mut Vec<Vec<Span>>,
    ) {
        if spans.len() == n {
            // What is still open may stay so, or return in the order of the calls: later returns order nothing.
            let open: Vec<usize> = (0..n).filter(|i| spans[*i].ret == NEVER).collect();
            for bits in 0..1u32 << open.len() {
                let mut done = spans.clone();
                for (k, i) in open.iter().enumerate() {
                    if bits >> k & 1 == 1 {
                        done[*i].ret = position + k as u32;
                    }
                }
                let mut order: Vec<bool> = Vec::new();
                for a in &done {
                    order.push(a.ret == NEVER);
                    order.extend(done.iter().map(|b| a.ret < b.call));
                }
                if seen.insert(order) {
                    out.push(done);
                }
            }
            return;
        }
        let open: Vec<usize> = (0..spans.len()).filter(|i| spans[*i].ret == NEVER).collect();
        for bits in 0..1u32 << open.len() {
            let mut next = spans.clone();
            let mut at = position;
            for (k, i) in open.iter().enumerate() {
                if bits >> k & 1 == 1 {
                    next[*i].ret = at;
                    at += 1;
                }
            }
            next.push(Span { call: at, ret: NEVER });
            extend(&mut next, n, at + 1, seen, out);
        }
    }
    let mut out = Vec::new();
    extend(&mut Vec::new(), n, 0, &mut BTreeSet::new(), &mut out);
    out
}

/// Calls `each` with every choice of operations for a shape, pending ones from their own list.
pub fn fillings<O: Clone>(shape: &[Span], known: &[O], pending: &[O], each: &mut dyn FnMut(&[(O, Span)])) {
    let kinds = |i: usize| if shape[i].ret == NEVER { pending } else { known };
    if (0..shape.len()).any(|i| kinds(i).is_empty()) {
        return;
    }
    let mut digits = vec![0; shape.len()];
    loop {
        let ops: Vec<(O, Span)> =
            shape.iter().enumerate().map(|(i, s)| (kinds(i)[digits[i]].clone(), *s)).collect();
        each(&ops);
        let mut i = 0;
        loop {
            if i == shape.len() {
                return;
            }
            digits[i] += 1;
            if digits[i] < kinds(i).len() {
                break;
            }
            digits[i] = 0;
            i += 1;
        }
    }
}

/// What the depth-first search says. An order that it finds is checked.
pub fn by_search<S: Spec>(spec: &S, ops: &[(S::Op, Span)], meter: &Meter) -> bool {
    let mut silent = Silent;
    let mut control = Control::new(meter, &mut silent);
    match search(spec, &Instance::new(ops.iter().cloned(), |o| spec.observes(o)), &mut control).found {
        Found::Order(order) => {
            let order: Vec<usize> = order.into_iter().map(|i| i as usize).collect();
            for (at, a) in order.iter().enumerate() {
                assert!(order[at + 1..].iter().all(|b| ops[*b].1.ret >= ops[*a].1.call), "real time");
            }
            let present = |i: usize| order.iter().filter(|o| **o == i).count();
            assert!((0..ops.len()).all(|i| present(i) == 1 || (present(i) == 0 && ops[i].1.ret == NEVER)));
            let run =
                trueline_history::naive::run(spec, &order.iter().map(|i| &ops[*i].0).collect::<Vec<_>>());
            assert!(!run.is_empty(), "the order is not legal");
            true
        }
        Found::Impossible => false,
        Found::Stopped(stop) => panic!("{stop}"),
    }
}

/// What the breadth-first search says.
pub fn by_layers<S: Spec>(spec: &S, ops: &[(S::Op, Span)], meter: &Meter) -> bool {
    layers::decide(spec, ops, &[], meter).expect("no limit")
}

/// What the dispatcher with its monitors says, and whether a monitor decided.
pub fn by_dispatch<S: Spec>(spec: &S, ops: &[(S::Op, Span)], meter: &Meter) -> (bool, bool) {
    let mut silent = Silent;
    let mut control = Control::new(meter, &mut silent);
    let (o, s): (Vec<S::Op>, Vec<Span>) = ops.iter().cloned().unzip();
    let decision = decide(spec, &o, &s, true, &mut control);
    let monitored = decision.engine != trueline_history::Engine::Search;
    match decision.answer {
        DecisionAnswer::Holds(_) => (true, monitored),
        DecisionAnswer::Fails(_) => (false, monitored),
        DecisionAnswer::Stopped(stop, ..) => panic!("{stop}"),
    }
}
