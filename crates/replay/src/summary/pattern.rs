//! Sentences about histories that are not linearizable.
//!
//! A pattern is only named when the specification itself says so: the sub-history of the named
//! operations is tried on it.

use crate::history::{History, Operation};
use crate::linearize::{allowed, linearization};
use crate::reasons::{Refutation, by, listing, show_results};
use trueline_base::Value;
use trueline_lang::ir::{Machine, Module, Ty, show_value};

/// The sentence about a history that is not linearizable.
pub fn not_linearizable(
    machine: &Machine,
    history: &History,
    spec: &Module,
    refutations: &[Refutation],
) -> String {
    let told = Told { machine, history, spec };
    told.twice()
        .or_else(|| told.lost())
        .or_else(|| told.out_of_order())
        .or_else(|| told.nobody_put())
        .or_else(|| told.same_result(refutations))
        .unwrap_or_else(|| told.last_return())
}

struct Told<'a> {
    machine: &'a Machine,
    history: &'a History,
    spec: &'a Module,
}

impl Told<'_> {
    /// Whether these operations alone, with their order in time, are linearizable.
    fn explained(&self, operations: &[&Operation]) -> bool {
        let mut operations: Vec<Operation> = operations.iter().map(|o| (*o).clone()).collect();
        operations.sort_by_key(|o| o.called);
        linearization(&History { operations }, self.spec).is_some()
    }

    /// Operations that brought a value in: they have it as an argument.
    fn put<'b>(&'b self, value: &'b Value) -> impl Iterator<Item = &'b Operation> {
        self.history.operations.iter().filter(move |o| o.args.contains(value))
    }

    /// Operations without arguments that gave a value.
    fn took<'b>(&'b self, value: &'b Value) -> impl Iterator<Item = &'b Operation> {
        self.takers().filter(move |o| data(o) == Some(value))
    }

    fn takers(&self) -> impl Iterator<Item = &Operation> {
        self.history.operations.iter().filter(|o| o.args.is_empty())
    }

    /// The operations that gave data, with what they gave.
    fn data(&self) -> Vec<(&Operation, &Value)> {
        self.takers().filter_map(|o| data(o).map(|v| (o, v))).collect()
    }

    /// An argument or result as a reader sees it.
    fn value(&self, value: &Value) -> String {
        show_value(&self.machine.object, &Ty::Val, value)
    }

    /// Whether nobody can have taken the value before this operation ended.
    fn still_there(&self, value: &Value, until: &Operation) -> bool {
        let ended = until.returned.as_ref().map_or(usize::MAX, |(at, _)| *at);
        self.takers().all(|o| {
            let other = o.called == until.called || o.called > ended;
            other || o.returned.is_some() && data(o) != Some(value)
        })
    }

    fn twice(&self) -> Option<String> {
        for (first, value) in self.data() {
            let Some(second) = self.took(value).find(|o| o.called > first.called) else {
                continue;
            };
            let mut put = self.put(value);
            let (Some(source), None) = (put.next(), put.next()) else {
                continue;
            };
            let alone = self.explained(&[source, first]) && self.explained(&[source, second]);
            if alone && !self.explained(&[source, first, second]) {
                let shown = self.value(value);
                let both = match first.text == second.text && first.thread == second.thread {
                    true => format!("{} returns {shown} twice", by(first)),
                    false => format!("{} and {} both return {shown}", by(first), by(second)),
                };
                return Some(format!("{both}, but {} put it in only once.", by(source)));
            }
        }
        None
    }

    fn lost(&self) -> Option<String> {
        for empty in self.takers().filter(|o| o.value() == Some(&Value::None)) {
            for source in self.history.operations.iter().filter(|o| o.precedes(empty)) {
                let Some(value) = source.args.last() else {
                    continue;
                };
                if self.explained(&[empty])
                    && !self.explained(&[source, empty])
                    && self.still_there(value, empty)
                {
                    let shown = self.value(value);
                    return Some(format!(
                        "{} returns none although {} had put {shown} in before and nobody had taken it out.",
                        by(empty),
                        by(source)
                    ));
                }
            }
            if let Some(told) = self.more_in_than_out(empty) {
                return Some(told);
            }
        }
        None
    }

    /// More was put in before an operation began than others can have taken out before it ended.
    fn more_in_than_out(&self, empty: &Operation) -> Option<String> {
        let ended = empty.returned.as_ref().map_or(usize::MAX, |(at, _)| *at);
        let fills = |o: &&Operation| !o.args.is_empty() && o.precedes(empty) && !self.explained(&[*o, empty]);
        let put: Vec<&Operation> = self.history.operations.iter().filter(fills).collect();
        let took = |o: &&Operation| {
            let other = o.called != empty.called && o.called < ended;
            other && o.value().is_none_or(|v| *v != Value::None)
        };
        let taken = self.takers().filter(took).count();
        if put.len() <= taken || !self.explained(&[empty]) {
            return None;
        }
        let names = listing(put.iter().map(|o| o.text.clone()).collect(), "and");
        Some(format!(
            "{} returns none although {names} had put {} values in before and at most {taken} had been taken out.",
            by(empty),
            put.len()
        ))
    }

    fn out_of_order(&self) -> Option<String> {
        for (taker, value) in self.data() {
            for source in self.put(value).filter(|s| !taker.precedes(s)) {
                for other in self.history.operations.iter().filter(|o| o.precedes(taker)) {
                    let Some(there) = other.args.last().filter(|v| *v != value) else {
                        continue;
                    };
                    if (other.precedes(source) || source.precedes(other))
                        && self.explained(&[source, taker])
                        && !self.explained(&[source, other, taker])
                        && self.still_there(there, taker)
                    {
                        let when = if other.precedes(source) { "before" } else { "after" };
                        return Some(format!(
                            "{} returns {} out of order: {} came {when} {}, and nobody had taken {} out.",
                            by(taker),
                            self.value(value),
                            by(other),
                            by(source),
                            self.value(there)
                        ));
                    }
                }
            }
        }
        None
    }

    fn nobody_put(&self) -> Option<String> {
        for (taker, value) in self.data() {
            let ended = taker.returned.as_ref().map_or(usize::MAX, |(at, _)| *at);
            let puts = self.history.operations.iter().any(|o| !o.args.is_empty());
            if puts && self.put(value).all(|s| s.called > ended) && !self.explained(&[taker]) {
                let shown = self.value(value);
                return Some(format!("{} returns {shown}, which nobody had put in.", by(taker)));
            }
        }
        None
    }

    /// Two operations alike that overlap and give the same result.
    fn same_result(&self, refutations: &[Refutation]) -> Option<String> {
        let [one, other] = refutations else {
            return None;
        };
        let (mut a, mut b) = (&self.history.operations[one.last()], &self.history.operations[other.last()]);
        if a.thread > b.thread {
            std::mem::swap(&mut a, &mut b);
        }
        let alike = a.text == b.text && a.value() == b.value() && one.expected == other.expected;
        if !alike || a.called == b.called {
            return None;
        }
        if one.expected.is_empty() {
            let (a, b) = (by(a), by(b));
            return Some(format!("{a} and {b} both return; whichever comes second would have to wait."));
        }
        Some(format!(
            "{} and {} overlap and both return {}; whichever comes second must return {}.",
            by(a),
            by(b),
            a.result,
            show_results(self.machine, a, &one.expected)
        ))
    }

    /// What the last return could have been.
    fn last_return(&self) -> String {
        let ended = |o: &&Operation| o.returned.as_ref().map(|(at, _)| *at);
        let Some(last) = self.history.operations.iter().max_by_key(ended) else {
            return "The specification has no initial state.".into();
        };
        let index = self.history.operations.iter().position(|o| o.called == last.called);
        let results = allowed(self.history, self.spec, index.unwrap_or_default());
        let returns = match last.value() {
            Some(Value::Unit) => "returns".to_string(),
            _ => format!("returns {}", last.result),
        };
        if results.is_empty() {
            let pending = {
                let mut open = self.history.clone();
                open.operations[index.unwrap_or_default()].returned = None;
                linearization(&open, self.spec).is_some()
            };
            return match pending {
                true => format!("{} {returns} although it would have to wait.", by(last)),
                false => "The results contradict each other already before the last return.".into(),
            };
        }
        let fitting = show_results(self.machine, last, &results);
        format!("{} {returns}; only {fitting} would fit what happened before.", by(last))
    }
}

/// The data that an operation gave, alone or as all that a variant carries.
fn data(operation: &Operation) -> Option<&Value> {
    match operation.value()? {
        Value::Variant(_, payload) => match payload.as_slice() {
            [value] => Some(value),
            _ => None,
        },
        value @ (Value::Val(_) | Value::Int(_) | Value::Tid(_)) => Some(value),
        _ => None,
    }
}
