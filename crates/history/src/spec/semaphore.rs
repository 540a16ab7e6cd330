//! Semaphores, and locks that anybody may give back.

use super::{Hints, Next, Spec};
use crate::datum::Datum;
use crate::history::Call;

/// One operation on a semaphore, and whether it succeeded, where that is known. Giving back always does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SemaphoreOp {
    /// Takes a permit; when it failed, there was none.
    Acquire(Option<bool>),
    /// Gives one back.
    Release,
}

/// Permits. With `most`, giving back is possible only below that: a mutex without owner has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Semaphore {
    /// Permits at the start.
    pub initial: u64,
    /// The largest number of permits.
    pub most: Option<u64>,
}

impl Semaphore {
    /// A lock of which nobody knows the owner.
    pub const MUTEX: Semaphore = Semaphore { initial: 1, most: Some(1) };
}

impl Spec for Semaphore {
    type Op = SemaphoreOp;
    type State = u64;

    fn name(&self) -> String {
        if self.most == Some(1) { "mutex".into() } else { "semaphore".into() }
    }

    fn decode(&self, call: &Call<'_>) -> Result<SemaphoreOp, String> {
        let done = match call.output {
            None => None,
            Some(Datum::Bool(done)) => Some(*done),
            Some(Datum::Nil) => Some(true),
            Some(d) if d == call.input => Some(true),
            Some(d) => return Err(format!("`{}` answers true or false, not `{d}`", call.name)),
        };
        match call.name {
            "acquire" | "lock" | "wait" | "down" | "p" | "decr" | "try_acquire" | "try_lock" => {
                Ok(SemaphoreOp::Acquire(done))
            }
            "release" | "unlock" | "signal" | "up" | "v" | "incr" if done != Some(false) => {
                Ok(SemaphoreOp::Release)
            }
            "release" | "unlock" | "signal" | "up" | "v" | "incr" => {
                Err(format!("`{}` answered false, but giving back does not fail", call.name))
            }
            other => Err(format!("a {} has no operation `{other}`", self.name())),
        }
    }

    fn initial(&self) -> u64 {
        self.initial
    }

    fn step(&self, state: &u64, op: &SemaphoreOp, next: &mut Next<'_, u64>) {
        match op {
            SemaphoreOp::Acquire(done) => {
                if *state > 0 && *done != Some(false) {
                    next.push(state - 1);
                }
                if *state == 0 && *done != Some(true) {
                    next.push(0);
                }
            }
            SemaphoreOp::Release if self.most.is_none_or(|most| *state < most) => {
                next.push(state.saturating_add(1))
            }
            SemaphoreOp::Release => {}
        }
    }

    fn hints(&self) -> &dyn Hints<Self::Op, Self::State> {
        self
    }

    fn expected(&self, state: &u64, op: &SemaphoreOp) -> Option<String> {
        Some(match (op, *state) {
            (SemaphoreOp::Acquire(_), 0) => "must wait or fail, nothing is left".into(),
            (SemaphoreOp::Acquire(_), n) => format!("must succeed, {n} left"),
            (SemaphoreOp::Release, _) => "must not happen, nothing is taken".into(),
        })
    }

    fn show(&self, state: &u64) -> String {
        match (self.most, *state) {
            (Some(1), 0) => "taken".into(),
            (Some(1), _) => "free".into(),
            (_, n) => n.to_string(),
        }
    }
}

impl Hints<SemaphoreOp, u64> for Semaphore {
    fn observes(&self, op: &SemaphoreOp) -> bool {
        *op == SemaphoreOp::Acquire(Some(false))
    }

    fn repeatable(&self, op: &SemaphoreOp) -> bool {
        self.most.is_some() || matches!(op, SemaphoreOp::Acquire(_))
    }
}
