//! Sets that are read as a whole: `add` an element, `read` all of them (Jepsen's `set` workload).

use super::{Hints, Next, Spec};
use crate::datum::Datum;
use crate::history::Call;

/// Elements: small numbers as bits, the others in order. Sets of a thousand numbers take a few words each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Elements {
    bits: Vec<u64>,
    others: Vec<Datum>,
}

/// Numbers below this are bits.
const SMALL: i64 = 1 << 20;

impl Elements {
    fn insert(&mut self, element: &Datum) {
        match element {
            Datum::Int(i) if (0..SMALL).contains(i) => {
                let at = *i as usize;
                if self.bits.len() <= at / 64 {
                    self.bits.resize(at / 64 + 1, 0);
                }
                self.bits[at / 64] |= 1 << (at % 64);
            }
            other => {
                if let Err(at) = self.others.binary_search(other) {
                    self.others.insert(at, other.clone());
                }
            }
        }
    }

    fn iter(&self) -> impl Iterator<Item = Datum> {
        let bits = self.bits.iter().enumerate().flat_map(|(w, word)| {
            (0..64).filter(move |b| word >> b & 1 == 1).map(move |b| Datum::Int(64 * w as i64 + b))
        });
        bits.chain(self.others.iter().cloned())
    }
}

/// One operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum GrowSetOp {
    /// Puts an element in.
    Add(Datum),
    /// Answers all of them; `None` when the answer is not known.
    Read(Option<Elements>),
}

/// A set, initially empty, that only grows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GrowSet;

impl Spec for GrowSet {
    type Op = GrowSetOp;
    type State = Elements;

    fn name(&self) -> String {
        "grow-set".into()
    }

    fn decode(&self, call: &Call<'_>) -> Result<GrowSetOp, String> {
        match (call.name, call.output) {
            ("add" | "insert", Some(Datum::Bool(false))) => {
                Err(format!("`{}` answered false, but this set takes every element", call.name))
            }
            ("add" | "insert", _) => Ok(GrowSetOp::Add(call.input.clone())),
            // A read without an answer tells nothing.
            ("read" | "get", None | Some(Datum::Nil)) => Ok(GrowSetOp::Read(None)),
            ("read" | "get", Some(answer)) => {
                let Some(items) = answer.as_list() else {
                    return Err(format!("`{}` answers a list of elements, not `{answer}`", call.name));
                };
                let mut elements = Elements::default();
                items.iter().for_each(|d| elements.insert(d));
                Ok(GrowSetOp::Read(Some(elements)))
            }
            (other, _) => Err(format!("a grow-set has no operation `{other}`; it has add and read")),
        }
    }

    fn initial(&self) -> Elements {
        Elements::default()
    }

    fn step(&self, state: &Elements, op: &GrowSetOp, next: &mut Next<'_, Elements>) {
        match op {
            GrowSetOp::Add(element) => {
                let mut more = state.clone();
                more.insert(element);
                next.push(more);
            }
            GrowSetOp::Read(seen) if seen.as_ref().is_none_or(|s| s == state) => next.push(state.clone()),
            GrowSetOp::Read(_) => {}
        }
    }

    fn hints(&self) -> &dyn Hints<Self::Op, Self::State> {
        self
    }

    fn expected(&self, state: &Elements, op: &GrowSetOp) -> Option<String> {
        let GrowSetOp::Read(Some(seen)) = op else { return None };
        let seen: Vec<Datum> = seen.iter().collect();
        let there: Vec<Datum> = state.iter().collect();
        let list = |items: Vec<&Datum>| {
            let shown: Vec<String> = items.iter().take(8).map(|d| d.to_string()).collect();
            format!("{}{}", shown.join(", "), if items.len() > 8 { ", …" } else { "" })
        };
        let lost: Vec<&Datum> = there.iter().filter(|d| !seen.contains(d)).collect();
        let extra: Vec<&Datum> = seen.iter().filter(|d| !there.contains(d)).collect();
        Some(match (lost.is_empty(), extra.is_empty()) {
            (false, true) => format!("must also answer {}", list(lost)),
            (true, false) => format!("must not answer {}", list(extra)),
            _ => format!("must also answer {} and not answer {}", list(lost), list(extra)),
        })
    }

    fn show(&self, state: &Elements) -> String {
        Datum::list(state.iter().collect::<Vec<_>>()).to_string()
    }
}

impl Hints<GrowSetOp, Elements> for GrowSet {
    fn observes(&self, op: &GrowSetOp) -> bool {
        matches!(op, GrowSetOp::Read(_))
    }

    fn repeatable(&self, _: &GrowSetOp) -> bool {
        true
    }

    fn heap_bytes(&self, state: &Elements) -> usize {
        8 * state.bits.len() + 16 * state.others.len()
    }
}
