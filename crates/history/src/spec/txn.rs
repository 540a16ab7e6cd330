//! Short transactions over registers and lists: `txn` with `[[:r x 1] [:w y 2] [:append z 3]]`.
//!
//! A transaction takes effect at one moment, so that a history of transactions is linearizable exactly when it is
//! strictly serializable (Herlihy and Wing, TOPLAS 1990; Papadimitriou, J. ACM 26(4), 1979). Transactions over several
//! keys cannot be looked at key by key; those that no chain of transactions links to others can.

use std::sync::Arc;

use super::{Answers, Hints, Monitored, Next, Ran, Spec};
use crate::datum::Datum;
use crate::history::Call;

/// One step of a transaction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TxnStep {
    /// Reads a key; `None` when what it read is not known.
    Read(Datum, Option<Datum>),
    /// Writes a key.
    Write(Datum, Datum),
    /// Puts a value at the end of the list of a key.
    Append(Datum, Datum),
}

impl TxnStep {
    /// The key that it is about.
    fn key(&self) -> &Datum {
        match self {
            TxnStep::Read(key, _) | TxnStep::Write(key, _) | TxnStep::Append(key, _) => key,
        }
    }
}

/// Registers and lists by key, all nil at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Txn;

fn step(d: &Datum, known: bool) -> Result<TxnStep, String> {
    let (name, key, value) = match d.as_list() {
        Some([name, key]) => (name, key, &Datum::Nil),
        Some([name, key, value]) => (name, key, value),
        _ => {
            return Err(format!(
                "`{d}` is no step of a transaction; one is [:r key value] or [:w key value]"
            ));
        }
    };
    match name.as_str() {
        Some("r" | "read") => Ok(TxnStep::Read(key.clone(), known.then(|| value.clone()))),
        Some("w" | "write") => Ok(TxnStep::Write(key.clone(), value.clone())),
        Some("append") => Ok(TxnStep::Append(key.clone(), value.clone())),
        _ => Err(format!("a transaction has no step `{name}`; steps are r, w and append")),
    }
}

/// What a key holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Stored {
    /// This.
    Value(Datum),
    /// Something that no transaction read, and of which nothing that one read begins.
    Unseen,
}

/// A list, where one has nothing in it or is not there.
pub(crate) fn as_list(d: &Datum) -> Option<&[Datum]> {
    if *d == Datum::Nil { Some(&[]) } else { d.as_list() }
}

/// A key that was never written reads as nil, and a list to which nothing was appended as empty.
fn reads(now: Option<&Stored>, seen: &Datum) -> bool {
    let nothing = |d: &Datum| as_list(d).is_some_and(|items| items.is_empty());
    match now {
        None => nothing(seen),
        Some(Stored::Value(now)) => now == seen || (nothing(now) && nothing(seen)),
        Some(Stored::Unseen) => false,
    }
}

/// The keys that have a value, in order.
type Registers = Vec<(Datum, Stored)>;

fn get<'a>(state: &'a Registers, key: &Datum) -> Option<&'a Stored> {
    state.binary_search_by(|(k, _)| k.cmp(key)).ok().map(|at| &state[at].1)
}

fn entry<'a>(state: &'a mut Registers, key: &Datum) -> &'a mut Stored {
    let at = state.binary_search_by(|(k, _)| k.cmp(key)).unwrap_or_else(|at| {
        state.insert(at, (key.clone(), Stored::Value(Datum::Nil)));
        at
    });
    &mut state[at].1
}

/// One step; false when it is not allowed.
fn take(state: &mut Registers, step: &TxnStep) -> bool {
    match step {
        TxnStep::Read(key, Some(seen)) => return reads(get(state, key), seen),
        TxnStep::Read(_, None) => {}
        TxnStep::Write(key, value) => *entry(state, key) = Stored::Value(value.clone()),
        TxnStep::Append(key, value) => match entry(state, key) {
            Stored::Unseen => {}
            Stored::Value(Datum::List(items)) => Arc::make_mut(items).push(value.clone()),
            now @ Stored::Value(Datum::Nil) => *now = Stored::Value(Datum::list([value.clone()])),
            // Nothing is appended to what is no list.
            Stored::Value(_) => return false,
        },
    }
    true
}

impl Spec for Txn {
    type Op = Vec<TxnStep>;
    type State = Registers;

    fn name(&self) -> String {
        "txn".into()
    }

    fn decode(&self, call: &Call<'_>) -> Result<Vec<TxnStep>, String> {
        if !matches!(call.name, "txn" | "transaction") {
            return Err(format!("transactions are operations `txn`, not `{}`", call.name));
        }
        // What returned says what was read, if it says anything.
        let answer = call.output.filter(|d| **d != Datum::Nil);
        let (steps, known) = (answer.unwrap_or(call.input), answer.is_some());
        let Some(items) = steps.as_list() else {
            return Err(format!("a transaction is a list of steps, not `{steps}`"));
        };
        items.iter().map(|d| step(d, known)).collect()
    }

    fn initial(&self) -> Registers {
        Vec::new()
    }

    fn step(&self, state: &Registers, op: &Vec<TxnStep>, next: &mut Next<'_, Registers>) {
        let mut after = state.clone();
        if op.iter().all(|step| take(&mut after, step)) {
            next.push(after);
        }
    }

    fn hints(&self) -> &dyn Hints<Self::Op, Self::State> {
        self
    }

    fn expected(&self, state: &Registers, op: &Vec<TxnStep>) -> Option<String> {
        let mut after = state.clone();
        for step in op {
            if let TxnStep::Read(key, Some(seen)) = step
                && !reads(get(&after, key), seen)
            {
                return Some(match get(&after, key) {
                    None => format!("must read {} from {key}", Datum::Nil),
                    Some(Stored::Value(there)) => format!("must read {there} from {key}"),
                    Some(Stored::Unseen) => format!("must read something else from {key}"),
                });
            }
            take(&mut after, step);
        }
        None
    }

    fn show(&self, state: &Registers) -> String {
        let shown = |stored: &Stored| match stored {
            Stored::Value(d) => d.clone(),
            Stored::Unseen => Datum::word("something else"),
        };
        Datum::map(state.iter().map(|(key, stored)| (key.clone(), shown(stored))).collect()).to_string()
    }
}

impl Hints<Vec<TxnStep>, Registers> for Txn {
    fn run(&self, ops: &[&Vec<TxnStep>]) -> Option<Ran> {
        let mut state = Vec::new();
        let refused = ops.iter().position(|op| !op.iter().all(|step| take(&mut state, step)));
        Some(refused.map_or(Ran::Through, Ran::Refused))
    }

    fn observes(&self, op: &Vec<TxnStep>) -> bool {
        op.iter().all(|step| matches!(step, TxnStep::Read(..)))
    }

    fn touches(&self, op: &Vec<TxnStep>) -> Vec<Datum> {
        op.iter().map(TxnStep::key).cloned().collect()
    }

    fn restricted(&self, op: &Vec<TxnStep>, keys: &[Datum]) -> Option<Vec<TxnStep>> {
        let steps: Vec<TxnStep> = op.iter().filter(|step| keys.contains(step.key())).cloned().collect();
        (!steps.is_empty()).then_some(steps)
    }

    fn repeatable(&self, op: &Vec<TxnStep>) -> bool {
        !op.iter().any(|step| matches!(step, TxnStep::Append(..)))
    }

    fn seen(&self, ops: &mut dyn Iterator<Item = &Vec<TxnStep>>) -> Option<Answers> {
        let mut seen = Answers::default();
        for step in ops.flatten() {
            match step {
                TxnStep::Read(key, Some(value)) => seen.read(key, value),
                TxnStep::Append(key, _) => seen.grows(key),
                _ => {}
            }
        }
        Some(seen.sorted())
    }

    /// What nobody read is like anything else that nobody read; a list also counts as read when a longer one was.
    fn forget(&self, state: &mut Registers, seen: &Answers) {
        for (key, stored) in state {
            if let Stored::Value(value) = stored
                && !seen.saw(key, value)
            {
                *stored = Stored::Unseen;
            }
        }
    }

    fn heap_bytes(&self, state: &Registers) -> usize {
        let each = |(key, stored): &(Datum, Stored)| match stored {
            Stored::Value(d) => key.heap_bytes() + d.heap_bytes(),
            Stored::Unseen => key.heap_bytes(),
        };
        std::mem::size_of_val(state.as_slice()) + state.iter().map(each).sum::<usize>()
    }

    fn monitored<'a>(&self, ops: &'a [Vec<TxnStep>]) -> Option<Monitored<'a>> {
        Some(Monitored::Transactions(ops.into()))
    }
}
