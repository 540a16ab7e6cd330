//! Queues with two ends.

use super::{Hints, Next, Spec};
use crate::datum::Datum;
use crate::history::Call;

/// An end of a deque.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DequeEnd {
    /// The front, or left end.
    Front,
    /// The back, or right end.
    Back,
}

/// One operation on a deque.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DequeOp {
    /// Puts a value in at an end.
    Push(DequeEnd, Datum),
    /// Takes the value at an end; `None` when what it took is not known, and nil when nothing was there.
    Pop(DequeEnd, Option<Datum>),
    /// Looks at the value at an end.
    Peek(DequeEnd, Option<Datum>),
}

/// A deque, initially empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deque;

fn end(name: &str) -> Option<(&str, DequeEnd)> {
    let ends = [
        ("_front", DequeEnd::Front),
        ("_left", DequeEnd::Front),
        ("Left", DequeEnd::Front),
        ("First", DequeEnd::Front),
        ("_back", DequeEnd::Back),
        ("_right", DequeEnd::Back),
        ("Right", DequeEnd::Back),
        ("Last", DequeEnd::Back),
    ];
    ends.into_iter().find_map(|(suffix, end)| Some((name.strip_suffix(suffix)?, end)))
}

impl Spec for Deque {
    type Op = DequeOp;
    type State = Vec<Datum>;

    fn name(&self) -> String {
        "deque".into()
    }

    fn decode(&self, call: &Call<'_>) -> Result<DequeOp, String> {
        let unknown =
            || format!("a deque has no operation `{}`; it has push_front, pop_back and so on", call.name);
        let (action, end) = end(call.name).ok_or_else(unknown)?;
        let answer = call.output.map(|d| if d.is_empty_answer() { Datum::Nil } else { d.clone() });
        match action {
            "push" | "add" | "offer" | "put" if call.output == Some(&Datum::Bool(false)) => {
                Err(format!("`{}` answered false, but a deque is never full", call.name))
            }
            "push" | "add" | "offer" | "put" if call.input.is_empty_answer() => Err(format!(
                "`{}` puts in `{}`, which as an answer says that the deque is empty",
                call.name, call.input
            )),
            "push" | "add" | "offer" | "put" => Ok(DequeOp::Push(end, call.input.clone())),
            "pop" | "poll" | "remove" | "take" => Ok(DequeOp::Pop(end, answer)),
            "peek" | "get" => Ok(DequeOp::Peek(end, answer)),
            _ => Err(unknown()),
        }
    }

    fn initial(&self) -> Vec<Datum> {
        Vec::new()
    }

    fn step(&self, state: &Vec<Datum>, op: &DequeOp, next: &mut Next<'_, Vec<Datum>>) {
        let at = |end: &DequeEnd| match end {
            DequeEnd::Front => state.first(),
            DequeEnd::Back => state.last(),
        };
        let fits = |end: &DequeEnd, answer: &Option<Datum>| {
            answer.as_ref().is_none_or(|d| at(end).map_or(*d == Datum::Nil, |there| there == d))
        };
        match op {
            DequeOp::Push(end, v) => {
                let mut longer = state.clone();
                longer.insert(if *end == DequeEnd::Front { 0 } else { state.len() }, v.clone());
                next.push(longer);
            }
            DequeOp::Pop(end, answer) if fits(end, answer) => {
                let mut shorter = state.clone();
                match end {
                    DequeEnd::Front if !shorter.is_empty() => drop(shorter.remove(0)),
                    _ => drop(shorter.pop()),
                }
                next.push(shorter);
            }
            DequeOp::Peek(end, answer) if fits(end, answer) => next.push(state.clone()),
            DequeOp::Pop(..) | DequeOp::Peek(..) => {}
        }
    }

    fn hints(&self) -> &dyn Hints<Self::Op, Self::State> {
        self
    }

    fn expected(&self, state: &Vec<Datum>, op: &DequeOp) -> Option<String> {
        let (DequeOp::Pop(end, _) | DequeOp::Peek(end, _)) = op else { return None };
        let there = if *end == DequeEnd::Front { state.first() } else { state.last() };
        Some(there.map_or("must find nothing, the object is empty".into(), |v| format!("must answer {v}")))
    }

    fn show(&self, state: &Vec<Datum>) -> String {
        Datum::list(state.clone()).to_string()
    }
}

impl Hints<DequeOp, Vec<Datum>> for Deque {
    fn observes(&self, op: &DequeOp) -> bool {
        matches!(op, DequeOp::Peek(..) | DequeOp::Pop(_, Some(Datum::Nil)))
    }

    fn groups(&self, ops: &[&DequeOp]) -> Vec<Option<Datum>> {
        let group = |op: &&DequeOp| match op {
            DequeOp::Push(_, v) => Some(v.clone()),
            DequeOp::Pop(_, v) | DequeOp::Peek(_, v) => v.clone().filter(|v| *v != Datum::Nil),
        };
        ops.iter().map(group).collect()
    }

    fn repeatable(&self, op: &DequeOp) -> bool {
        !matches!(op, DequeOp::Push(..))
    }

    fn heap_bytes(&self, state: &Vec<Datum>) -> usize {
        state.len() * 16
    }
}
