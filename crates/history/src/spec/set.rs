//! Sets whose operations say whether they changed something; every element is a part of its own.

use super::{Hints, Monitored, Next, Spec};
use crate::datum::Datum;
use crate::history::Call;

/// What is done to one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SetAction {
    /// Puts it in; true when it was absent.
    Add,
    /// Takes it out; true when it was present.
    Remove,
    /// Looks; true when it is present.
    Contains,
}

/// One operation on one element.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SetOp {
    /// The element.
    pub element: Datum,
    /// What is done.
    pub action: SetAction,
    /// The answer, where it is known.
    pub answer: Option<bool>,
}

/// A set, initially empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Set;

/// The answer of an operation that may leave a success unsaid.
pub(super) fn answer(call: &Call<'_>) -> Result<Option<bool>, String> {
    match call.output {
        None => Ok(None),
        Some(Datum::Bool(b)) => Ok(Some(*b)),
        Some(Datum::Nil) => Ok(Some(true)),
        Some(d) if d == call.input => Ok(Some(true)),
        Some(d) => Err(format!("`{}` answers true or false, not `{d}`", call.name)),
    }
}

/// The element that an operation is about. A key with an argument tells several objects apart, a key alone is the
/// element.
pub(super) fn element(call: &Call<'_>) -> Datum {
    match (call.key, call.input) {
        (None, input) => input.clone(),
        (Some(key), Datum::Nil) => key.clone(),
        (Some(key), input) => Datum::list(vec![key.clone(), input.clone()]),
    }
}

impl Spec for Set {
    type Op = SetOp;
    /// Ascending; a split history has at most one.
    type State = Vec<Datum>;

    fn name(&self) -> String {
        "set".into()
    }

    fn decode(&self, call: &Call<'_>) -> Result<SetOp, String> {
        let action = match call.name {
            "add" | "insert" => SetAction::Add,
            "remove" | "delete" => SetAction::Remove,
            "contains" | "member" => SetAction::Contains,
            other => return Err(format!("a set has no operation `{other}`")),
        };
        if action == SetAction::Contains && !matches!(call.output, None | Some(Datum::Bool(_))) {
            return Err("`contains` answers true or false".into());
        }
        Ok(SetOp { element: element(call), action, answer: answer(call)? })
    }

    fn initial(&self) -> Vec<Datum> {
        Vec::new()
    }

    fn step(&self, state: &Vec<Datum>, op: &SetOp, next: &mut Next<'_, Vec<Datum>>) {
        let at = state.binary_search(&op.element);
        let said = match op.action {
            SetAction::Add => at.is_err(),
            SetAction::Remove | SetAction::Contains => at.is_ok(),
        };
        if op.answer.is_some_and(|a| a != said) {
            return;
        }
        let mut s = state.clone();
        match (op.action, at) {
            (SetAction::Add, Err(i)) => s.insert(i, op.element.clone()),
            (SetAction::Remove, Ok(i)) => drop(s.remove(i)),
            _ => {}
        }
        next.push(s);
    }

    fn hints(&self) -> &dyn Hints<Self::Op, Self::State> {
        self
    }

    fn expected(&self, state: &Vec<Datum>, op: &SetOp) -> Option<String> {
        let present = state.binary_search(&op.element).is_ok();
        let said = (op.action == SetAction::Add) != present;
        Some(format!("must answer {said}, {} is {}", op.element, if present { "in" } else { "not in" }))
    }

    fn show(&self, state: &Vec<Datum>) -> String {
        Datum::list(state.clone()).to_string()
    }
}

impl Hints<SetOp, Vec<Datum>> for Set {
    fn observes(&self, op: &SetOp) -> bool {
        op.action == SetAction::Contains || op.answer == Some(false)
    }

    fn part(&self, op: &SetOp) -> Option<Datum> {
        Some(op.element.clone())
    }

    fn repeatable(&self, _: &SetOp) -> bool {
        true
    }

    fn heap_bytes(&self, state: &Vec<Datum>) -> usize {
        state.len() * 16
    }

    fn drain(&self, ops: &[&SetOp]) -> Vec<SetOp> {
        ops.iter()
            .filter(|o| o.action == SetAction::Add && o.answer != Some(false))
            .map(|o| SetOp { element: o.element.clone(), action: SetAction::Remove, answer: Some(true) })
            .collect()
    }

    fn drained(&self, state: &Vec<Datum>) -> bool {
        state.is_empty()
    }

    fn monitored<'a>(&self, ops: &'a [SetOp]) -> Option<Monitored<'a>> {
        let one = ops.windows(2).all(|w| w[0].element == w[1].element);
        one.then_some(Monitored::Set(ops.into()))
    }
}
