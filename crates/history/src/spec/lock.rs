//! A lock that knows its owner.

use super::{Hints, Next, Spec};
use crate::datum::Datum;
use crate::history::Call;

/// One operation on a lock, by a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LockOp {
    /// Takes the lock.
    Acquire(i64),
    /// Gives it back.
    Release(i64),
}

/// A lock, initially free. Taking it is possible only when it is free, giving it back only for its owner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lock;

impl Spec for Lock {
    type Op = LockOp;
    type State = Option<i64>;

    fn name(&self) -> String {
        "lock".into()
    }

    fn decode(&self, call: &Call<'_>) -> Result<LockOp, String> {
        if call.output == Some(&Datum::Bool(false)) {
            return Err(format!(
                "`{}` answered false, but the operations of a lock wait until they succeed",
                call.name
            ));
        }
        match call.name {
            "acquire" | "lock" => Ok(LockOp::Acquire(call.process)),
            "release" | "unlock" => Ok(LockOp::Release(call.process)),
            other => Err(format!("a lock has no operation `{other}`")),
        }
    }

    fn initial(&self) -> Option<i64> {
        None
    }

    fn step(&self, state: &Option<i64>, op: &LockOp, next: &mut Next<'_, Option<i64>>) {
        match (op, state) {
            (LockOp::Acquire(p), None) => next.push(Some(*p)),
            (LockOp::Release(p), Some(owner)) if p == owner => next.push(None),
            _ => {}
        }
    }

    fn hints(&self) -> &dyn Hints<Self::Op, Self::State> {
        self
    }

    fn expected(&self, state: &Option<i64>, op: &LockOp) -> Option<String> {
        Some(match (op, state) {
            (LockOp::Acquire(_), Some(owner)) => format!("must wait, process {owner} holds the lock"),
            (LockOp::Release(_), Some(owner)) => format!("is not possible, process {owner} holds the lock"),
            (_, None) => "is not possible, the lock is free".into(),
        })
    }

    fn show(&self, state: &Option<i64>) -> String {
        state.map_or("free".into(), |owner| format!("held by process {owner}"))
    }
}

impl Hints<LockOp, Option<i64>> for Lock {
    fn repeatable(&self, _: &LockOp) -> bool {
        true
    }
}
