//! Multisets; every element is a part of its own.

use super::set::{answer, element};
use super::{Hints, Monitored, Next, Spec};
use crate::datum::Datum;
use crate::history::Call;

/// What is done to one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MultisetAction {
    /// Puts one more in.
    Add,
    /// Takes one out and says whether there was one.
    Remove(Option<bool>),
    /// Says whether there is one.
    Contains(Option<bool>),
    /// Says how many there are.
    Count(Option<i64>),
}

/// One operation on one element.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MultisetOp {
    /// The element.
    pub element: Datum,
    /// What is done.
    pub action: MultisetAction,
}

/// A multiset, initially empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Multiset;

impl Spec for Multiset {
    type Op = MultisetOp;
    /// Ascending, with how many there are (at least one).
    type State = Vec<(Datum, u32)>;

    fn name(&self) -> String {
        "multiset".into()
    }

    fn decode(&self, call: &Call<'_>) -> Result<MultisetOp, String> {
        let action = match call.name {
            "add" | "insert" => MultisetAction::Add,
            "remove" | "delete" => MultisetAction::Remove(answer(call)?),
            "contains" | "member" => match call.output {
                None | Some(Datum::Bool(_)) => MultisetAction::Contains(answer(call)?),
                Some(d) => return Err(format!("`contains` answers true or false, not `{d}`")),
            },
            "count" => match call.output {
                None => MultisetAction::Count(None),
                Some(Datum::Int(n)) => MultisetAction::Count(Some(*n)),
                Some(d) => return Err(format!("`count` answers a number, not `{d}`")),
            },
            other => return Err(format!("a multiset has no operation `{other}`")),
        };
        Ok(MultisetOp { element: element(call), action })
    }

    fn initial(&self) -> Self::State {
        Vec::new()
    }

    fn step(&self, state: &Self::State, op: &MultisetOp, next: &mut Next<'_, Self::State>) {
        let at = state.binary_search_by(|(e, _)| e.cmp(&op.element));
        let count = at.map_or(0, |i| state[i].1);
        let fits = match op.action {
            MultisetAction::Add => true,
            MultisetAction::Remove(a) | MultisetAction::Contains(a) => a.is_none_or(|a| a == (count > 0)),
            MultisetAction::Count(n) => n.is_none_or(|n| n == i64::from(count)),
        };
        if !fits {
            return;
        }
        let mut s = state.clone();
        match (op.action, at) {
            (MultisetAction::Add, Ok(i)) => s[i].1 += 1,
            (MultisetAction::Add, Err(i)) => s.insert(i, (op.element.clone(), 1)),
            (MultisetAction::Remove(_), Ok(i)) if count == 1 => drop(s.remove(i)),
            (MultisetAction::Remove(_), Ok(i)) => s[i].1 -= 1,
            _ => {}
        }
        next.push(s);
    }

    fn hints(&self) -> &dyn Hints<Self::Op, Self::State> {
        self
    }

    fn expected(&self, state: &Self::State, op: &MultisetOp) -> Option<String> {
        let count = state.iter().find(|(e, _)| *e == op.element).map_or(0, |(_, n)| *n);
        match op.action {
            MultisetAction::Add => None,
            MultisetAction::Count(_) => Some(format!("must answer {count}")),
            _ => Some(format!("must answer {}, {} is in {count} times", count > 0, op.element)),
        }
    }

    fn show(&self, state: &Self::State) -> String {
        let pairs = state.iter().map(|(e, n)| (e.clone(), Datum::Int(i64::from(*n))));
        Datum::map(pairs.collect()).to_string()
    }
}

impl Hints<MultisetOp, Vec<(Datum, u32)>> for Multiset {
    fn observes(&self, op: &MultisetOp) -> bool {
        !matches!(op.action, MultisetAction::Add | MultisetAction::Remove(Some(true) | None))
    }

    fn part(&self, op: &MultisetOp) -> Option<Datum> {
        Some(op.element.clone())
    }

    fn repeatable(&self, op: &MultisetOp) -> bool {
        op.action != MultisetAction::Add
    }

    fn heap_bytes(&self, state: &<Self as Spec>::State) -> usize {
        state.len() * 24
    }

    fn drain(&self, ops: &[&MultisetOp]) -> Vec<MultisetOp> {
        ops.iter()
            .filter(|o| o.action == MultisetAction::Add)
            .map(|o| MultisetOp { element: o.element.clone(), action: MultisetAction::Remove(Some(true)) })
            .collect()
    }

    fn drained(&self, state: &<Self as Spec>::State) -> bool {
        state.is_empty()
    }

    fn monitored<'a>(&self, ops: &'a [MultisetOp]) -> Option<Monitored<'a>> {
        let one = ops.windows(2).all(|w| w[0].element == w[1].element);
        let positive = ops.iter().all(|o| {
            !matches!(
                o.action,
                MultisetAction::Remove(Some(false))
                    | MultisetAction::Contains(Some(false))
                    | MultisetAction::Count(Some(_))
            )
        });
        (one && positive).then_some(Monitored::Multiset(ops.into()))
    }
}
