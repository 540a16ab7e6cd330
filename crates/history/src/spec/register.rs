//! Registers, with and without compare-and-set.

use super::{Hints, Monitored, Next, Spec};
use crate::datum::Datum;
use crate::history::Call;

/// One operation on a register.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RegisterOp {
    /// Reads this value.
    Read(Datum),
    /// Reads; the result is not known.
    ReadAny,
    /// Writes this value.
    Write(Datum),
    /// Replaces the first value by the second, and says whether it did.
    Cas(Datum, Datum, Option<bool>),
    /// Writes this value and answers the one before, where that is known.
    Swap(Datum, Option<Datum>),
}

/// A register.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Register {
    /// Its value at the start.
    pub initial: Datum,
    /// Whether it knows compare-and-set.
    pub cas: bool,
}

impl Spec for Register {
    type Op = RegisterOp;
    type State = Datum;

    fn name(&self) -> String {
        if self.cas { "cas-register".into() } else { "register".into() }
    }

    fn decode(&self, call: &Call<'_>) -> Result<RegisterOp, String> {
        match call.name {
            "read" | "r" | "get" | "load" => {
                Ok(call.output.map_or(RegisterOp::ReadAny, |d| RegisterOp::Read(d.clone())))
            }
            "write" | "w" | "set" | "put" | "store" => Ok(RegisterOp::Write(call.input.clone())),
            "cas" if self.cas => match call.input.as_list() {
                Some([from, to]) => {
                    let done = match call.output {
                        None => None,
                        Some(Datum::Bool(done)) => Some(*done),
                        Some(Datum::Nil) => Some(true),
                        // A log that repeats the argument at the return says that it succeeded.
                        Some(d) if d == call.input => Some(true),
                        Some(d) => return Err(format!("`cas` answers true or false, not `{d}`")),
                    };
                    Ok(RegisterOp::Cas(from.clone(), to.clone(), done))
                }
                _ => Err(format!("`cas` needs a pair [old new], not `{}`", call.input)),
            },
            "swap" | "exchange" | "rmw" | "get_and_set" if self.cas => {
                Ok(RegisterOp::Swap(call.input.clone(), call.output.cloned()))
            }
            "cas" | "swap" | "exchange" | "rmw" | "get_and_set" => {
                Err(format!("a register has no operation `{}`; use cas-register", call.name))
            }
            other => Err(format!("a {} has no operation `{other}`", self.name())),
        }
    }

    fn initial(&self) -> Datum {
        self.initial.clone()
    }

    fn step(&self, state: &Datum, op: &RegisterOp, next: &mut Next<'_, Datum>) {
        match op {
            RegisterOp::Read(v) if v != state => {}
            RegisterOp::Read(_) | RegisterOp::ReadAny => next.push(state.clone()),
            RegisterOp::Write(v) => next.push(v.clone()),
            RegisterOp::Cas(from, to, done) => match (from == state, done) {
                (true, Some(true) | None) => next.push(to.clone()),
                (false, Some(false) | None) => next.push(state.clone()),
                _ => {}
            },
            RegisterOp::Swap(v, before) => {
                if before.as_ref().is_none_or(|b| b == state) {
                    next.push(v.clone());
                }
            }
        }
    }

    fn hints(&self) -> &dyn Hints<Self::Op, Self::State> {
        self
    }

    fn expected(&self, state: &Datum, op: &RegisterOp) -> Option<String> {
        match op {
            RegisterOp::Read(_) | RegisterOp::Swap(_, Some(_)) => Some(format!("must answer {state}")),
            RegisterOp::Cas(from, ..) => {
                let outcome = if from == state { "succeed" } else { "fail" };
                Some(format!("must {outcome}, the value is {state}"))
            }
            _ => None,
        }
    }

    fn show(&self, state: &Datum) -> String {
        state.to_string()
    }

    fn sentence(&self, ops: &[&RegisterOp], all: &[&RegisterOp]) -> Option<String> {
        let makes = |v: &Datum| {
            *v == self.initial
                || all.iter().any(|o| matches!(o, RegisterOp::Write(w) | RegisterOp::Cas(_, w, _) | RegisterOp::Swap(w, _) if w == v))
        };
        for op in ops {
            if let RegisterOp::Read(v) = op
                && !makes(v)
            {
                return Some(format!("{v} is read, but nobody wrote it"));
            }
        }
        let read = ops.iter().find_map(|o| match o {
            RegisterOp::Read(v) => Some(v),
            _ => None,
        })?;
        Some(format!("{read} is read when it cannot be the value: overwritten before, or written after"))
    }
}

impl Hints<RegisterOp, Datum> for Register {
    fn observes(&self, op: &RegisterOp) -> bool {
        matches!(op, RegisterOp::Read(_) | RegisterOp::ReadAny | RegisterOp::Cas(_, _, Some(false)))
    }

    fn groups(&self, ops: &[&RegisterOp]) -> Vec<Option<Datum>> {
        if ops.iter().any(|op| matches!(op, RegisterOp::Cas(..) | RegisterOp::Swap(..))) {
            return vec![None; ops.len()];
        }
        ops.iter()
            .map(|op| match op {
                RegisterOp::Read(v) | RegisterOp::Write(v) => Some(v.clone()),
                _ => None,
            })
            .collect()
    }

    fn repeatable(&self, _: &RegisterOp) -> bool {
        true
    }

    fn heap_bytes(&self, state: &Datum) -> usize {
        state.heap_bytes()
    }

    fn reads_and_writes<'a>(&self, ops: &'a [RegisterOp]) -> Option<Monitored<'a>> {
        let plain = !ops.iter().any(|op| matches!(op, RegisterOp::Cas(..) | RegisterOp::Swap(..)));
        plain.then(|| Monitored::Register(self.initial.clone(), ops.into()))
    }

    fn monitored<'a>(&self, ops: &'a [RegisterOp]) -> Option<Monitored<'a>> {
        self.reads_and_writes(ops)
    }
}
