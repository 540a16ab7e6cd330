//! The one sentence: what a programmer would see go wrong.
//!
//! A pattern is only named when the specification itself says so: a sub-history of the named
//! operations is tried on it.

use crate::confirm::Case;
use crate::history::{History, Operation};
use crate::linearize::{allowed, linearization};
use crate::points::Fault;
use crate::reasons::{Refutation, by, either, returned_at, show_results};
use crate::run::Run;
use crate::story::statement;
use trueline_base::Value;
use trueline_base::verdict::Finding;
use trueline_lang::ir::{Machine, Module, show_return, show_value};

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

    fn show(&self, operation: &Operation, value: &Value) -> String {
        show_return(&self.machine.object, operation.op, value)
    }

    /// Operations that brought a value in: they have it as an argument.
    fn put<'b>(&'b self, value: &'b Value) -> impl Iterator<Item = &'b Operation> {
        self.history.operations.iter().filter(move |o| o.args.contains(value))
    }

    /// Operations without arguments that gave a value.
    fn took<'b>(&'b self, value: &'b Value) -> impl Iterator<Item = &'b Operation> {
        self.takers().filter(move |o| o.value() == Some(value))
    }

    fn takers(&self) -> impl Iterator<Item = &Operation> {
        self.history.operations.iter().filter(|o| o.args.is_empty())
    }

    /// Results that are data.
    fn data(&self) -> Vec<(&Operation, &Value)> {
        let is_data = |v: &&Value| matches!(v, Value::Val(_) | Value::Int(_) | Value::Tid(_));
        let pair = |o| Operation::value(o).filter(is_data).map(|v| (o, v));
        self.takers().filter_map(pair).collect()
    }

    /// Whether nobody can have taken the value before this operation ended.
    fn still_there(&self, value: &Value, until: &Operation) -> bool {
        let ended = until.returned.as_ref().map_or(usize::MAX, |(at, _)| *at);
        self.takers().all(|o| {
            let other = o.called == until.called || o.called > ended;
            other || o.value().is_some_and(|v| v != value)
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
                return Some(format!(
                    "{} and {} both return {}, but {} put it in only once.",
                    by(first),
                    by(second),
                    self.show(first, value),
                    by(source)
                ));
            }
        }
        None
    }

    fn lost(&self) -> Option<String> {
        for empty in self.takers().filter(|o| o.value() == Some(&Value::None)) {
            for source in self.history.operations.iter().filter(|o| o.precedes(empty)) {
                let Some(value) = source.args.first() else {
                    continue;
                };
                if self.explained(&[empty])
                    && !self.explained(&[source, empty])
                    && self.still_there(value, empty)
                {
                    let ty = &self.machine.object.ops[source.op.0 as usize].params[0].1;
                    let shown = show_value(&self.machine.object, ty, value);
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
        let names: Vec<&str> = put.iter().map(|o| o.text.as_str()).collect();
        Some(format!(
            "{} returns none although {} had put {} values in before and at most {taken} had been taken out.",
            by(empty),
            names.join(" and "),
            put.len()
        ))
    }

    fn out_of_order(&self) -> Option<String> {
        for (taker, value) in self.data() {
            for source in self.put(value).filter(|s| s.precedes(taker)) {
                for other in self.history.operations.iter().filter(|o| o.precedes(taker)) {
                    let Some(there) = other.args.first().filter(|v| *v != value) else {
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
                            self.show(taker, value),
                            by(other),
                            by(source),
                            self.show(taker, there)
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
                let shown = self.show(taker, value);
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
        let (m, n) = (one.last().min(other.last()), one.last().max(other.last()));
        let (a, b) = (&self.history.operations[m], &self.history.operations[n]);
        let alike = a.text == b.text && a.value() == b.value() && one.expected == other.expected;
        if !alike || a.called == b.called || one.expected.is_empty() {
            return None;
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

/// The sentence about a finding.
pub fn finding(case: &Case<'_>, run: &Run, history: &History, found: Finding) -> String {
    let Some(last) = run.taken.last() else {
        return format!("The initialisation of {} {}.", case.machine.object.name, found.sentence());
    };
    let who = operation_at(history, last.thread, run.taken.len() - 1);
    let place = last.way.executed.last().map(|e| statement(case.source.text, e.span));
    match place {
        Some((line, text)) => format!("{who} {} in line {line}: `{text}`.", found.sentence()),
        None => format!("{who} {}.", found.sentence()),
    }
}

fn operation_at(history: &History, thread: u8, index: usize) -> String {
    history.at(thread, index).map_or_else(|| format!("thread {}", thread + 1), by)
}

fn last_operation(run: &Run, history: &History) -> Option<String> {
    let last = run.taken.last()?;
    Some(operation_at(history, last.thread, run.taken.len() - 1))
}

/// The sentence about an invariant.
pub fn invariant(run: &Run, history: &History, text: &str) -> String {
    match last_operation(run, history) {
        Some(who) => format!("{who} makes the invariant `{text}` false."),
        None => format!("The invariant `{text}` is false at the beginning."),
    }
}

/// The sentence about a leak.
pub fn leak(run: &Run, history: &History, name: &str) -> String {
    match last_operation(run, history) {
        Some(who) => {
            format!("{name} is lost: after this step of {who} nobody can reach it, and nobody freed it.")
        }
        None => format!("{name} is lost at the beginning: nobody can reach it, and nobody freed it."),
    }
}

/// The sentence about a trace that another object does not have.
pub fn not_refined(history: &History, at: usize, other: &str, instead: &[String]) -> String {
    let Some(operation) = history.operations.iter().find(|o| o.called == at || returned_at(o, at)) else {
        return format!("{other} does not do the same.");
    };
    let who = by(operation);
    match (operation.called == at, instead.is_empty()) {
        (true, _) => format!("{who} is called, which {other} does not offer here."),
        (false, true) => format!("{who} returns {}; in {other} it cannot return here.", operation.result),
        (false, false) => format!(
            "{who} returns {}; after the same calls and returns {other} can only return {}.",
            operation.result,
            either(instead.to_vec())
        ),
    }
}

/// The sentence about linearization points.
pub fn points(case: &Case<'_>, run: &Run, history: &History, at: usize, fault: &Fault) -> String {
    let taken = &run.taken[at];
    let operation = history.at(taken.thread, at);
    let who = operation_at(history, taken.thread, at);
    let line = |index: usize| {
        let first = run.taken[index].way.executed.first();
        first.map_or(0, |e| statement(case.source.text, e.span).0)
    };
    match fault {
        Fault::Twice { first } => {
            format!("{who} passes two linearization points, in lines {} and {}.", line(*first), line(at))
        }
        Fault::Missing => format!("{who} returns without having passed a linearization point."),
        Fault::Waits => {
            format!("{who} passes its linearization point in line {} while it would have to wait.", line(at))
        }
        Fault::Result { point, given } => {
            let result = operation.map_or("", |o| &o.result);
            let given = operation.map_or(String::new(), |o| show_results(case.machine, o, given));
            match point {
                Some(point) => format!(
                    "{who} returns {result}, but at its linearization point (line {}, step {}) \
                     the specification returns {given}.",
                    line(*point),
                    point + 1
                ),
                None => format!("{who} returns {result}, but the specification can only return {given}."),
            }
        }
    }
}
