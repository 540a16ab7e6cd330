//! The conditions by their definitions: every subset of the pending operations, every permutation.
//!
//! Slow on purpose and for a handful of operations; it shares with the engines only the specification. It is
//! the oracle of all of them.

pub mod compare;
pub mod engines;
pub mod kinds;
pub mod small;
pub mod sweep;

use crate::datum::Datum;
use crate::history::NEVER;
use crate::search::Interval;
use crate::spec::{Next, RegisterOp, Spec};

/// Whether running the operations in this order is legal, and the states it can end in.
pub fn run<S: Spec>(spec: &S, ops: &[&S::Op]) -> Vec<S::State> {
    ops.iter().fold(vec![spec.initial()], |now, op| after(spec, &now, op))
}

/// The states that an operation can lead to.
fn after<S: Spec>(spec: &S, states: &[S::State], op: &S::Op) -> Vec<S::State> {
    let mut next = Next::new();
    for state in states {
        spec.step(state, op, &mut next);
    }
    let mut after: Vec<S::State> = Vec::new();
    for state in next.drain() {
        if !after.contains(&state) {
            after.push(state);
        }
    }
    after
}

/// What becomes of an order that is not complete yet.
trait Growing: Sized {
    /// With one item more; nothing if no order that begins so is of interest.
    fn with(&self, item: usize) -> Option<Self>;
}

/// Every order is of interest.
impl Growing for () {
    fn with(&self, _: usize) -> Option<()> {
        Some(())
    }
}

/// Legal orders only: what is not legal is not so whatever follows.
struct Legal<'a, S: Spec> {
    spec: &'a S,
    ops: &'a [(S::Op, Interval)],
    states: Vec<S::State>,
}

impl<S: Spec> Growing for Legal<'_, S> {
    fn with(&self, item: usize) -> Option<Self> {
        let states = after(self.spec, &self.states, &self.ops[item].0);
        (!states.is_empty()).then_some(Legal { states, ..*self })
    }
}

/// Whether some order that keeps `before` is legal.
fn legal<S: Spec>(spec: &S, ops: &[(S::Op, Interval)], before: &dyn Fn(usize, usize) -> bool) -> bool {
    let start = Legal { spec, ops, states: vec![spec.initial()] };
    orders(&spans_of(ops), before, &start, &mut |_| true)
}

/// Calls `each` with every order of every choice of items (all that returned, any of the pending) in which
/// no item stands after one that `before` puts behind it, until it answers true.
fn orders<G: Growing>(
    spans: &[Interval],
    before: &dyn Fn(usize, usize) -> bool,
    start: &G,
    each: &mut dyn FnMut(&[usize]) -> bool,
) -> bool {
    fn extend<G: Growing>(
        left: &mut Vec<usize>,
        order: &mut Vec<usize>,
        spans: &[Interval],
        before: &dyn Fn(usize, usize) -> bool,
        so_far: &G,
        each: &mut dyn FnMut(&[usize]) -> bool,
    ) -> bool {
        if left.iter().all(|i| spans[*i].ret == NEVER) && each(order) {
            return true;
        }
        for at in 0..left.len() {
            let item = left[at];
            // A pending operation that is left out orders nothing, so only returned ones hold back.
            if left.iter().any(|o| *o != item && spans[*o].ret != NEVER && before(*o, item)) {
                continue;
            }
            if order.iter().any(|o| before(item, *o)) {
                continue;
            }
            let Some(longer) = so_far.with(item) else { continue };
            left.remove(at);
            order.push(item);
            if extend(left, order, spans, before, &longer, each) {
                return true;
            }
            order.pop();
            left.insert(at, item);
        }
        false
    }
    let n = spans.len();
    let table: Vec<Vec<bool>> = (0..n).map(|a| (0..n).map(|b| before(a, b)).collect()).collect();
    extend(&mut (0..n).collect(), &mut Vec::new(), spans, &|a, b| table[a][b], start, each)
}

fn spans_of<O>(ops: &[(O, Interval)]) -> Vec<Interval> {
    ops.iter().map(|(_, s)| *s).collect()
}

/// Linearizability.
pub fn linearizable<S: Spec>(spec: &S, ops: &[(S::Op, Interval)]) -> bool {
    let spans = spans_of(ops);
    legal(spec, ops, &|a, b| spans[a].ret < spans[b].call)
}

/// Linearizability where operations of one series take effect in their order as well.
pub fn linearizable_in_series<S: Spec>(
    spec: &S,
    ops: &[(S::Op, Interval)],
    places: &[Option<crate::history::SeriesPlace>],
) -> bool {
    let spans = spans_of(ops);
    let follows = |a: usize, b: usize| match (places[a], places[b]) {
        (Some(a), Some(b)) => a.series == b.series && a.index < b.index,
        _ => false,
    };
    legal(spec, ops, &|a, b| spans[a].ret < spans[b].call || follows(a, b))
}

/// Sequential consistency; `process` gives who called each operation.
pub fn sequential<S: Spec>(spec: &S, ops: &[(S::Op, Interval)], process: &[i64]) -> bool {
    let spans = spans_of(ops);
    let before = |a: usize, b: usize| process[a] == process[b] && spans[a].call < spans[b].call;
    legal(spec, ops, &before)
}

/// Which operations a moment separates in which nothing is open: for each the ones that come after it.
pub fn across_quiet_moments(spans: &[Interval]) -> Vec<Vec<bool>> {
    let end = spans.iter().flat_map(|s| [s.call, if s.ret == NEVER { 0 } else { s.ret }]).max().unwrap_or(0);
    let quiet: Vec<u32> = (0..=end).filter(|p| !spans.iter().any(|s| s.call <= *p && *p < s.ret)).collect();
    let before = |a: &Interval, b: &Interval| quiet.iter().any(|q| a.ret <= *q && *q < b.call);
    spans.iter().map(|a| spans.iter().map(|b| before(a, b)).collect()).collect()
}

/// Quiescent consistency.
pub fn quiescent<S: Spec>(spec: &S, ops: &[(S::Op, Interval)]) -> bool {
    let before = across_quiet_moments(&spans_of(ops));
    legal(spec, ops, &|a, b| before[a][b])
}

/// Quasi-linearizability with one factor: an order of the history, then virtual removals of what is left
/// inside in any order, then every permutation within the factor.
pub fn quasi<S: Spec>(spec: &S, ops: &[(S::Op, Interval)], factor: usize) -> bool {
    let spans = spans_of(ops);
    let drain = spec.hints().drain(&ops.iter().map(|(o, _)| o).collect::<Vec<_>>());
    orders(&spans, &|a, b| spans[a].ret < spans[b].call, &(), &mut |order| {
        // Each number of virtual removals; which ones matters only when they differ.
        choices(&drain).into_iter().any(|chosen| {
            permutations(&chosen, &drain).into_iter().any(|removals| {
                let mut sequence: Vec<&S::Op> = order.iter().map(|i| &ops[*i].0).collect();
                sequence.extend(removals.iter().map(|i| &drain[*i]));
                displaced(spec, &sequence, factor)
            })
        })
    })
}

/// Every choice of some of the operations; of equal ones the first are chosen.
fn choices<O: Eq>(ops: &[O]) -> Vec<Vec<usize>> {
    let all = (0..1u32 << ops.len()).map(|bits| (0..ops.len()).filter(|i| bits >> i & 1 == 1).collect());
    all.filter(|chosen: &Vec<usize>| {
        chosen.iter().all(|i| (0..*i).all(|j| ops[j] != ops[*i] || chosen.contains(&j)))
    })
    .collect()
}

/// Every order of the chosen operations; equal ones are not exchanged.
fn permutations<O: Eq>(items: &[usize], ops: &[O]) -> Vec<Vec<usize>> {
    let mut out = vec![Vec::new()];
    for item in items {
        let mut longer = Vec::new();
        for p in out {
            for at in 0..=p.len() {
                let mut q: Vec<usize> = p.clone();
                q.insert(at, *item);
                let ordered =
                    q.iter().enumerate().all(|(x, i)| q[..x].iter().all(|j| j < i || ops[*j] != ops[*i]));
                if ordered {
                    longer.push(q);
                }
            }
        }
        out = longer;
    }
    out
}

/// Whether some permutation of the sequence with displacement at most `factor` is legal and leaves nothing.
pub fn displaced<S: Spec>(spec: &S, sequence: &[&S::Op], factor: usize) -> bool {
    fn extend<S: Spec>(spec: &S, sequence: &[&S::Op], factor: usize, chosen: &mut Vec<usize>) -> bool {
        let ends = run(spec, &chosen.iter().map(|i| sequence[*i]).collect::<Vec<_>>());
        if ends.is_empty() {
            return false;
        }
        if chosen.len() == sequence.len() {
            return ends.iter().any(|s| spec.hints().drained(s));
        }
        for i in 0..sequence.len() {
            if !chosen.contains(&i) && i.abs_diff(chosen.len()) <= factor {
                chosen.push(i);
                if extend(spec, sequence, factor, chosen) {
                    return true;
                }
                chosen.pop();
            }
        }
        false
    }
    extend(spec, sequence, factor, &mut Vec::new())
}

/// Regularity: each read on its own with all writes.
pub fn regular(initial: &Datum, ops: &[(RegisterOp, Interval)]) -> bool {
    let spec = crate::spec::Register { initial: initial.clone(), cas: false };
    let writes: Vec<(RegisterOp, Interval)> =
        ops.iter().filter(|(o, _)| matches!(o, RegisterOp::Write(_))).cloned().collect();
    ops.iter().filter(|(o, s)| matches!(o, RegisterOp::Read(_)) && s.ret != NEVER).all(|read| {
        let mut these = writes.clone();
        these.push(read.clone());
        linearizable(&spec, &these)
    })
}
