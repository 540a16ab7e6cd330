//! Short transactions over registers and lists: `txn` with `[[:r x 1] [:w y 2] [:append z 3]]`.
//!
//! A transaction takes effect at one moment, so that a history of transactions is linearizable exactly when it is
//! strictly serializable (Herlihy and Wing, TOPLAS 1990; Papadimitriou, J. ACM 26(4), 1979). Transactions over several
//! keys cannot be looked at key by key, so none are.

use super::{Next, Spec};
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

/// A key that was never written reads as nil, and a list to which nothing was appended as empty.
fn reads(now: Option<&Datum>, seen: &Datum) -> bool {
    let nothing = |d: &Datum| *d == Datum::Nil || d.as_list().is_some_and(|items| items.is_empty());
    match now {
        None => nothing(seen),
        Some(now) => now == seen || (nothing(now) && nothing(seen)),
    }
}

/// The keys that have a value, in order.
type Registers = Vec<(Datum, Datum)>;

fn get<'a>(state: &'a Registers, key: &Datum) -> Option<&'a Datum> {
    state.binary_search_by(|(k, _)| k.cmp(key)).ok().map(|at| &state[at].1)
}

fn set(state: &mut Registers, key: &Datum, value: Datum) {
    match state.binary_search_by(|(k, _)| k.cmp(key)) {
        Ok(at) => state[at].1 = value,
        Err(at) => state.insert(at, (key.clone(), value)),
    }
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
        for step in op {
            match step {
                TxnStep::Read(key, Some(seen)) if !reads(get(&after, key), seen) => return,
                TxnStep::Read(..) => {}
                TxnStep::Write(key, value) => set(&mut after, key, value.clone()),
                TxnStep::Append(key, value) => {
                    let mut list = match get(&after, key) {
                        None | Some(Datum::Nil) => Vec::new(),
                        Some(now) => match now.as_list() {
                            Some(items) => items.to_vec(),
                            // Nothing is appended to what is no list.
                            None => return,
                        },
                    };
                    list.push(value.clone());
                    set(&mut after, key, Datum::list(list));
                }
            }
        }
        next.push(after);
    }

    fn observes(&self, op: &Vec<TxnStep>) -> bool {
        op.iter().all(|step| matches!(step, TxnStep::Read(..)))
    }

    fn repeatable(&self, op: &Vec<TxnStep>) -> bool {
        !op.iter().any(|step| matches!(step, TxnStep::Append(..)))
    }

    fn expected(&self, state: &Registers, op: &Vec<TxnStep>) -> Option<String> {
        let mut after = state.clone();
        for step in op {
            match step {
                TxnStep::Read(key, Some(seen)) if !reads(get(&after, key), seen) => {
                    let there = get(&after, key).cloned().unwrap_or_default();
                    return Some(format!("must read {there} from {key}"));
                }
                TxnStep::Write(key, value) => set(&mut after, key, value.clone()),
                _ => {}
            }
        }
        None
    }

    fn show(&self, state: &Registers) -> String {
        Datum::map(state.clone()).to_string()
    }

    fn heap_bytes(&self, state: &Registers) -> usize {
        state.iter().map(|(k, d)| 32 + k.heap_bytes() + d.heap_bytes()).sum()
    }
}
