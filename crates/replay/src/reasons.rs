//! Why no order of the operations explains a history: every order, re-run on the specification
//! up to the first operation whose result differs.

use crate::history::{History, Operation};
use crate::linearize::{next, outcomes};
use std::collections::{BTreeMap, BTreeSet};
use trueline_base::trace::{Reason, Reasons};
use trueline_base::{Value, Watch};
use trueline_lang::interp::spec_initial;
use trueline_lang::ir::{Machine, Module, show_return, show_value};

/// Orders that are enumerated before the rest is only counted as "more".
const MOST: usize = 5_000;
/// Lines that are shown before orders are grouped.
const LINES: usize = 4;
/// A story with more operations than this is long.
const LONG: usize = 3;

/// An order that the specification refutes at its last operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refutation {
    /// The operations, as indices into the history; the last is the one that differs.
    pub order: Vec<usize>,
    /// What the specification gives for the last; nothing when it has to wait.
    pub expected: BTreeSet<Value>,
}

impl Refutation {
    /// The operation that differs.
    pub fn last(&self) -> usize {
        *self.order.last().expect("an order that is refuted is not empty")
    }
}

/// All refuted orders. Orders with a common beginning that fails are one.
pub fn refutations(history: &History, spec: &Module, watch: &mut Watch) -> Vec<Refutation> {
    let states: BTreeSet<Vec<Value>> = spec_initial(spec).into_iter().flatten().collect();
    let mut found = Vec::new();
    walk(history, spec, &mut Vec::new(), &states, &mut found, watch);
    found
}

fn walk(
    history: &History,
    spec: &Module,
    order: &mut Vec<usize>,
    states: &BTreeSet<Vec<Value>>,
    found: &mut Vec<Refutation>,
    watch: &mut Watch,
) {
    let done = order.iter().fold(0u64, |done, n| done | 1 << n);
    for (n, operation) in next(history, done) {
        if found.len() >= MOST || !watch.goes_on(|| 0) {
            return;
        }
        let ways: Vec<_> = states.iter().flat_map(|state| outcomes(spec, state, operation)).collect();
        let fits = |result: &Value| operation.value().is_none_or(|v| v == result);
        let after: BTreeSet<_> = ways.iter().filter(|(_, r)| fits(r)).map(|(s, _)| s.clone()).collect();
        order.push(n);
        if !after.is_empty() {
            walk(history, spec, order, &after, found, watch);
        } else if operation.returned.is_some() {
            let expected = ways.into_iter().map(|(_, result)| result).collect();
            found.push(Refutation { order: order.clone(), expected });
        }
        order.pop();
    }
}

/// The state or states of the specification after these operations.
fn states_after(history: &History, spec: &Module, order: &[usize]) -> BTreeSet<Vec<Value>> {
    let mut states: BTreeSet<Vec<Value>> = spec_initial(spec).into_iter().flatten().collect();
    for &n in order {
        let operation = &history.operations[n];
        let ways = states.iter().flat_map(|state| outcomes(spec, state, operation));
        let fits = |result: &Value| operation.value().is_none_or(|v| v == result);
        states = ways.filter(|(_, r)| fits(r)).map(|(s, _)| s).collect();
    }
    states
}

/// `1`, `1 or 2`, `1, 2 or none`.
pub fn listing(mut words: Vec<String>, last: &str) -> String {
    match words.pop() {
        None => String::new(),
        Some(word) if words.is_empty() => word,
        Some(word) => format!("{} {last} {word}", words.join(", ")),
    }
}

/// The results as a reader sees them.
pub fn show_results(machine: &Machine, operation: &Operation, results: &BTreeSet<Value>) -> String {
    listing(results.iter().map(|v| show_return(&machine.object, operation.op, v)).collect(), "or")
}

/// `enq(1) by thread 2`
pub fn by(operation: &Operation) -> String {
    format!("{} by thread {}", operation.text, operation.thread + 1)
}

/// The refuted orders as lines.
pub fn explain(machine: &Machine, history: &History, spec: &Module, refutations: &[Refutation]) -> Reasons {
    let common = common_beginning(refutations);
    let shortened = |r: &Refutation| r.order[common.len()..].to_vec();
    // In a long story an operation is known by its step.
    let long = history.operations.len() > LONG;
    let name = |n: usize| {
        let operation = &history.operations[n];
        let alike = history.operations.iter().filter(|o| o.text == operation.text).count();
        match (long, alike) {
            (true, 1) => operation.text.clone(),
            (true, _) => format!("{} @{}", operation.text.trim_end_matches("()"), operation.called + 1),
            (false, _) => by(operation),
        }
    };
    let between = if long { ", " } else { ", then " };
    let listed = |order: &[usize]| order.iter().map(|n| name(*n)).collect::<Vec<_>>().join(between);
    let mut reasons = Reasons { title: "Why no order explains it".into(), ..Reasons::default() };
    if !common.is_empty() {
        let states = states_after(history, spec, &common);
        reasons.context = format!("after {}{}", listed(&common), show_states(spec, &states));
    }
    let running = |n: &usize| history.operations[*n].returned.is_none();
    let open: BTreeSet<usize> = refutations.iter().flat_map(|r| &r.order).copied().filter(running).collect();
    if !open.is_empty() {
        let names: Vec<String> = open.iter().map(|n| name(*n)).collect();
        let verb = if names.len() == 1 { "is" } else { "are" };
        let between = if reasons.context.is_empty() { "" } else { "; " };
        let text =
            format!("{between}{} {verb} still running and may have taken effect", listing(names, "and"));
        reasons.context += &text;
    }
    let differs = |r: &Refutation, subject: &str| {
        let operation = &history.operations[r.last()];
        let here = &operation.result;
        let unit = operation.value() == Some(&Value::Unit);
        match r.expected.is_empty() {
            true if unit => format!("{subject} has to wait, here it returned"),
            true => format!("{subject} has to wait, here it returned {here}"),
            false => format!(
                "{subject} returns {}, here it returned {here}",
                show_results(machine, operation, &r.expected)
            ),
        }
    };
    if refutations.len() <= LINES {
        for r in refutations {
            let order = shortened(r);
            let subject = ["it", "the second", "the third"].get(order.len() - 1).unwrap_or(&"the last");
            let first = if order.len() == 1 && refutations.len() > 1 { " first" } else { "" };
            let case = format!("{}{first}", listed(&order));
            reasons.lines.push(Reason { case, refuted: differs(r, subject) });
        }
        return reasons;
    }
    let mut groups: BTreeMap<(usize, &BTreeSet<Value>), Vec<&Refutation>> = BTreeMap::new();
    for r in refutations {
        groups.entry((r.last(), &r.expected)).or_default().push(r);
    }
    for group in groups.values() {
        let example = group.iter().min_by_key(|r| r.order.len()).expect("a group is not empty");
        let case = match group.len() {
            1 => listed(&shortened(example)),
            many => format!("{many} orders, such as {}", listed(&shortened(example))),
        };
        reasons.lines.push(Reason { case, refuted: differs(example, "the last") });
    }
    if refutations.len() >= MOST {
        let case = "further orders".into();
        reasons.lines.push(Reason { case, refuted: "are refuted by the same search".into() });
    }
    reasons
}

/// What comes first in every order.
fn common_beginning(refutations: &[Refutation]) -> Vec<usize> {
    let Some(first) = refutations.first() else {
        return Vec::new();
    };
    let shortest = refutations.iter().map(|r| r.order.len() - 1).min().unwrap_or(0);
    let same = |n: &usize| refutations.iter().all(|r| r.order[*n] == first.order[*n]);
    (0..shortest).take_while(same).map(|n| first.order[n]).collect()
}

/// `: items = [1]`, where there is one state that a reader can take in.
fn show_states(spec: &Module, states: &BTreeSet<Vec<Value>>) -> String {
    let (Some(state), 1) = (states.first(), states.len()) else {
        return String::new();
    };
    let parts: Vec<String> = spec
        .variables
        .iter()
        .filter(|v| v.len == 1)
        .map(|v| format!("{} = {}", v.name, show_value(spec, &v.ty, &state[v.first as usize])))
        .collect();
    let text = parts.join(", ");
    if text.is_empty() || text.chars().count() > 60 { String::new() } else { format!(": {text}") }
}

/// What the other object could have done.
pub fn not_refined(history: &History, at: usize, other: &str, instead: &[String]) -> Reasons {
    let operation = history.operations.iter().find(|o| o.called == at || returned_at(o, at));
    let case = operation.map(by).unwrap_or_default();
    let refuted = match (operation.is_some_and(|o| o.called == at), instead.is_empty()) {
        (true, _) => format!("{other} offers no such call here"),
        (false, true) => format!("in {other} it cannot return here"),
        (false, false) => format!("in {other} it returns {}", listing(instead.to_vec(), "or")),
    };
    Reasons {
        title: format!("What {other} can do"),
        context: "after the same calls and returns".into(),
        lines: vec![Reason { case, refuted }],
    }
}

/// Whether the operation returned with this move.
pub fn returned_at(operation: &Operation, at: usize) -> bool {
    operation.returned.as_ref().is_some_and(|(returned, _)| *returned == at)
}
