//! Accounts with transfers between them, read as a whole (Jepsen's `bank` workload).
//!
//! Nobody says what the accounts hold at the start, so that the first read decides it; until then only which accounts
//! there are is known. From then on each read must find what the transfers leave, and so the total.

use super::{Hints, Next, Spec};
use crate::datum::Datum;
use crate::history::Call;

/// One operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BankOp {
    /// Moves an amount from one account to another.
    Transfer(Datum, Datum, i64),
    /// Answers what each account holds, in order; `None` when the answer is not known.
    Read(Option<Vec<(Datum, i64)>>),
}

/// What is known of the accounts: what they hold, or before the first read only which there are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Accounts {
    known: bool,
    amounts: Vec<(Datum, i64)>,
}

impl Accounts {
    fn add(&mut self, account: &Datum, amount: i64) {
        let amount = if self.known { amount } else { 0 };
        match self.amounts.binary_search_by(|(a, _)| a.cmp(account)) {
            Ok(at) => self.amounts[at].1 = self.amounts[at].1.wrapping_add(amount),
            Err(at) => self.amounts.insert(at, (account.clone(), amount)),
        }
    }
}

/// A bank with any accounts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bank;

/// JSON writes numbers as names of fields.
fn account(d: &Datum) -> Datum {
    d.as_str().and_then(|s| s.parse().ok()).map_or_else(|| d.clone(), Datum::Int)
}

impl Spec for Bank {
    type Op = BankOp;
    type State = Accounts;

    fn name(&self) -> String {
        "bank".into()
    }

    fn decode(&self, call: &Call<'_>) -> Result<BankOp, String> {
        match (call.name, call.output) {
            ("transfer", _) => {
                let Datum::Map(fields) = call.input else {
                    return Err(format!("`transfer` needs from, to and amount, not `{}`", call.input));
                };
                let get = |name: &str| {
                    fields.iter().find(|(k, _)| k.as_str() == Some(name)).map(|(_, d)| d.clone())
                };
                match (get("from"), get("to"), get("amount")) {
                    (Some(from), Some(to), Some(Datum::Int(n))) => {
                        Ok(BankOp::Transfer(account(&from), account(&to), n))
                    }
                    _ => Err(format!("`transfer` needs from, to and a whole amount, not `{}`", call.input)),
                }
            }
            ("read", None | Some(Datum::Nil)) => Ok(BankOp::Read(None)),
            ("read", Some(Datum::Map(entries))) => {
                let mut amounts = Vec::with_capacity(entries.len());
                for (name, amount) in entries.iter() {
                    match amount {
                        Datum::Int(n) => amounts.push((account(name), *n)),
                        // Not all accounts were read.
                        Datum::Nil => return Ok(BankOp::Read(None)),
                        other => return Err(format!("an account holds a whole number, not `{other}`")),
                    }
                }
                amounts.sort_unstable();
                Ok(BankOp::Read(Some(amounts)))
            }
            ("read", Some(other)) => Err(format!("`read` answers what each account holds, not `{other}`")),
            (other, _) => Err(format!("a bank has no operation `{other}`; it has transfer and read")),
        }
    }

    fn initial(&self) -> Accounts {
        Accounts::default()
    }

    fn step(&self, state: &Accounts, op: &BankOp, next: &mut Next<'_, Accounts>) {
        match op {
            BankOp::Transfer(from, to, amount) => {
                let known = |a: &Datum| state.amounts.iter().any(|(b, _)| a == b);
                // A transfer makes no account.
                if state.known && !(known(from) && known(to)) {
                    return;
                }
                let mut after = state.clone();
                after.add(from, amount.wrapping_neg());
                after.add(to, *amount);
                next.push(after);
            }
            BankOp::Read(None) => next.push(state.clone()),
            BankOp::Read(Some(seen)) if state.known => {
                if *seen == state.amounts {
                    next.push(state.clone());
                }
            }
            BankOp::Read(Some(seen)) => {
                let there = |a: &Datum| seen.iter().any(|(b, _)| a == b);
                if state.amounts.iter().all(|(a, _)| there(a)) {
                    next.push(Accounts { known: true, amounts: seen.clone() });
                }
            }
        }
    }

    fn hints(&self) -> &dyn Hints<Self::Op, Self::State> {
        self
    }

    fn expected(&self, state: &Accounts, op: &BankOp) -> Option<String> {
        match op {
            BankOp::Read(Some(seen)) if state.known => {
                let total = |all: &[(Datum, i64)]| all.iter().map(|(_, n)| n).sum::<i64>();
                let (there, seen) = (total(&state.amounts), total(seen));
                let sum =
                    if there == seen { String::new() } else { format!(", {there} in all and not {seen}") };
                Some(format!("must answer {}{sum}", self.show(state)))
            }
            _ => None,
        }
    }

    fn show(&self, state: &Accounts) -> String {
        if !state.known {
            return "not read yet".into();
        }
        let shown: Vec<String> = state.amounts.iter().map(|(a, n)| format!("{a} {n}")).collect();
        format!("{{{}}}", shown.join(", "))
    }
}

impl Hints<BankOp, Accounts> for Bank {
    fn observes(&self, op: &BankOp) -> bool {
        *op == BankOp::Read(None)
    }

    fn heap_bytes(&self, state: &Accounts) -> usize {
        state.amounts.len() * 24
    }
}
