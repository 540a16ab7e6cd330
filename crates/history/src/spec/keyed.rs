//! Several objects of one kind, told apart by the keys of the log, for conditions that cannot be decided key by key.

use super::{Hints, Next, Spec};
use crate::datum::Datum;
use crate::history::Call;

/// One object of the kind per key.
#[derive(Clone, Copy, Debug)]
pub struct Keyed<'a, S>(pub &'a S);

impl<S: Spec> Spec for Keyed<'_, S> {
    type Op = (Datum, S::Op);
    /// Ascending by key; objects that nobody used are in their initial state and absent.
    type State = Vec<(Datum, S::State)>;

    fn name(&self) -> String {
        self.0.name()
    }

    fn decode(&self, call: &Call<'_>) -> Result<Self::Op, String> {
        match call.key {
            Some(key) => Ok((key.clone(), self.0.decode(call)?)),
            None => Err(format!("`{}` has no key although others have one", call.name)),
        }
    }

    fn initial(&self) -> Self::State {
        Vec::new()
    }

    fn step(&self, state: &Self::State, (key, op): &Self::Op, next: &mut Next<'_, Self::State>) {
        let at = state.binary_search_by(|(k, _)| k.cmp(key));
        let initial;
        let now = match at {
            Ok(i) => &state[i].1,
            Err(_) => {
                initial = self.0.initial();
                &initial
            }
        };
        let mut outcomes = Next::new();
        self.0.step(now, op, &mut outcomes);
        for outcome in outcomes.drain() {
            let mut after = state.clone();
            match at {
                Ok(i) => after[i].1 = outcome,
                Err(i) => after.insert(i, (key.clone(), outcome)),
            }
            next.push(after);
        }
    }

    fn hints(&self) -> &dyn Hints<Self::Op, Self::State> {
        self
    }
}

impl<S: Spec> Hints<(Datum, S::Op), Vec<(Datum, S::State)>> for Keyed<'_, S> {
    fn observes(&self, (_, op): &<Self as Spec>::Op) -> bool {
        self.0.hints().observes(op)
    }

    fn heap_bytes(&self, state: &<Self as Spec>::State) -> usize {
        let each = std::mem::size_of::<(Datum, S::State)>();
        state.iter().map(|(k, s)| each + k.heap_bytes() + self.0.hints().heap_bytes(s)).sum()
    }

    fn drain(&self, ops: &[&<Self as Spec>::Op]) -> Vec<<Self as Spec>::Op> {
        let mut keys: Vec<&Datum> = ops.iter().map(|(k, _)| k).collect();
        keys.sort();
        keys.dedup();
        let of = |key: &Datum| -> Vec<<Self as Spec>::Op> {
            let own: Vec<&S::Op> = ops.iter().filter(|(k, _)| k == key).map(|(_, op)| op).collect();
            self.0.hints().drain(&own).into_iter().map(|op| (key.clone(), op)).collect()
        };
        keys.into_iter().flat_map(of).collect()
    }

    fn drained(&self, state: &<Self as Spec>::State) -> bool {
        state.iter().all(|(_, s)| self.0.hints().drained(s))
    }
}
