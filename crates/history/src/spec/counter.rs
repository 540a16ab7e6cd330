//! Counters: `inc`, `dec` and `inc_and_get` answer the value after, `faa` the value before, `add` nothing.

use super::{Hints, Monitored, Next, Spec};
use crate::datum::Datum;
use crate::history::Call;

/// One operation on a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CounterOp {
    /// Reads; `None` when the result is not known.
    Read(Option<i64>),
    /// Adds, having seen this value before where that is known.
    Add {
        /// How much.
        delta: i64,
        /// The value before.
        before: Option<i64>,
    },
}

/// A counter without bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counter {
    /// Its value at the start.
    pub initial: i64,
}

impl Spec for Counter {
    type Op = CounterOp;
    type State = i64;

    fn name(&self) -> String {
        "counter".into()
    }

    fn decode(&self, call: &Call<'_>) -> Result<CounterOp, String> {
        let result = match call.output {
            None | Some(Datum::Nil) => None,
            Some(Datum::Int(i)) => Some(*i),
            Some(d) => return Err(format!("`{}` answers a number, not `{d}`", call.name)),
        };
        let by = || match call.input {
            Datum::Int(i) => Ok(*i),
            Datum::Nil => Ok(1),
            d => Err(format!("`{}` needs a number, not `{d}`", call.name)),
        };
        let after = |delta: i64| CounterOp::Add { delta, before: result.map(|r| r.wrapping_sub(delta)) };
        match call.name {
            // A counter is never nil: a log that says so does not know.
            "read" | "get" | "value" => Ok(CounterOp::Read(result)),
            "inc" | "increment" | "inc_and_get" | "add_and_get" => Ok(after(by()?)),
            "dec" | "decrement" => Ok(after(by()?.wrapping_neg())),
            "add" => Ok(CounterOp::Add { delta: by()?, before: None }),
            "faa" | "fetch_add" | "fetch_inc" | "fetch_and_add" => {
                Ok(CounterOp::Add { delta: by()?, before: result })
            }
            other => Err(format!("a counter has no operation `{other}`")),
        }
    }

    fn initial(&self) -> i64 {
        self.initial
    }

    fn step(&self, state: &i64, op: &CounterOp, next: &mut Next<'_, i64>) {
        match op {
            CounterOp::Read(seen) if seen.is_none_or(|s| s == *state) => next.push(*state),
            CounterOp::Add { delta, before } if before.is_none_or(|b| b == *state) => {
                next.push(state.wrapping_add(*delta));
            }
            _ => {}
        }
    }

    fn hints(&self) -> &dyn Hints<Self::Op, Self::State> {
        self
    }

    fn expected(&self, state: &i64, op: &CounterOp) -> Option<String> {
        match op {
            CounterOp::Read(_) => Some(format!("must answer {state}")),
            CounterOp::Add { before: Some(before), .. } => {
                Some(format!("must find {state}, and its answer says that it found {before}"))
            }
            CounterOp::Add { .. } => None,
        }
    }

    fn show(&self, state: &i64) -> String {
        state.to_string()
    }
}

impl Hints<CounterOp, i64> for Counter {
    fn observes(&self, op: &CounterOp) -> bool {
        matches!(op, CounterOp::Read(_) | CounterOp::Add { delta: 0, .. })
    }

    fn repeatable(&self, op: &CounterOp) -> bool {
        !matches!(op, CounterOp::Add { before: None, .. })
    }

    fn monitored<'a>(&self, ops: &'a [CounterOp]) -> Option<Monitored<'a>> {
        // Pending additions have no result; the monitor looks at them itself.
        let fits = ops.iter().all(|op| match op {
            CounterOp::Add { delta, before } => *delta == 1 && before.is_none_or(|b| b >= self.initial),
            CounterOp::Read(_) => true,
        });
        fits.then_some(Monitored::Counter(self.initial, ops.into()))
    }
}
