//! A map from keys to values, with appending: one register per key.

use super::{Monitored, Next, RegisterOp, Spec};
use crate::datum::Datum;
use crate::history::Call;

/// What is done to one key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum KvAction {
    /// Reads; `None` when the result is not known.
    Get(Option<Datum>),
    /// Stores.
    Put(Datum),
    /// Appends to the text.
    Append(String),
    /// Removes the key.
    Delete,
}

/// One operation on one key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KvOp {
    /// The key.
    pub key: Datum,
    /// What is done.
    pub action: KvAction,
}

/// A map from keys to values, initially empty. An absent key reads as nil or as the empty text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kv;

impl Spec for Kv {
    type Op = KvOp;
    /// Ascending by key; a split history has at most one.
    type State = Vec<(Datum, Datum)>;

    fn name(&self) -> String {
        "kv".into()
    }

    fn decode(&self, call: &Call<'_>) -> Result<KvOp, String> {
        let (key, value) = match (call.key, call.input.as_list()) {
            (Some(key), _) => (key.clone(), call.input.clone()),
            (None, Some([key, value])) => (key.clone(), value.clone()),
            (None, _) => (call.input.clone(), Datum::Nil),
        };
        let action = match call.name {
            "get" | "read" | "r" => KvAction::Get(call.output.cloned()),
            "put" | "set" | "write" | "w" => KvAction::Put(value),
            "append" => match value.as_str() {
                Some(s) => KvAction::Append(s.to_string()),
                None => return Err(format!("`append` needs a text, not `{value}`")),
            },
            "delete" | "del" => KvAction::Delete,
            other => return Err(format!("a kv store has no operation `{other}`")),
        };
        Ok(KvOp { key, action })
    }

    fn initial(&self) -> Self::State {
        Vec::new()
    }

    fn step(&self, state: &Self::State, op: &KvOp, next: &mut Next<'_, Self::State>) {
        let at = state.binary_search_by(|(k, _)| k.cmp(&op.key));
        let now = at.ok().map(|i| &state[i].1);
        let store = |value: Option<Datum>| {
            let mut s = state.clone();
            match (at, value) {
                (Ok(i), Some(v)) => s[i].1 = v,
                (Ok(i), None) => drop(s.remove(i)),
                (Err(i), Some(v)) => s.insert(i, (op.key.clone(), v)),
                (Err(_), None) => {}
            }
            s
        };
        match &op.action {
            KvAction::Get(None) => next.push(state.clone()),
            KvAction::Get(Some(seen)) => {
                let fits = match now {
                    Some(v) => v == seen,
                    None => *seen == Datum::Nil || seen.as_str() == Some(""),
                };
                if fits {
                    next.push(state.clone());
                }
            }
            KvAction::Put(v) => next.push(store(Some(v.clone()))),
            KvAction::Append(s) => {
                let old = match now {
                    None | Some(Datum::Nil) => "",
                    Some(Datum::Text(old)) => old.as_str(),
                    Some(_) => return,
                };
                let mut longer = String::with_capacity(old.len() + s.len());
                longer.push_str(old);
                longer.push_str(s);
                next.push(store(Some(Datum::text(longer))));
            }
            KvAction::Delete => next.push(store(None)),
        }
    }

    fn observes(&self, op: &KvOp) -> bool {
        matches!(op.action, KvAction::Get(_))
    }

    fn part(&self, op: &KvOp) -> Option<Datum> {
        Some(op.key.clone())
    }

    fn repeatable(&self, op: &KvOp) -> bool {
        !matches!(op.action, KvAction::Append(_))
    }

    fn expected(&self, state: &Self::State, op: &KvOp) -> Option<String> {
        let now = state.iter().find(|(k, _)| *k == op.key).map_or(&Datum::Nil, |(_, v)| v);
        matches!(op.action, KvAction::Get(_)).then(|| format!("must answer {now}"))
    }

    fn show(&self, state: &Self::State) -> String {
        match state.as_slice() {
            [] => "{}".into(),
            [(_, v)] => v.to_string(),
            many => Datum::map(many.to_vec()).to_string(),
        }
    }

    fn heap_bytes(&self, state: &Self::State) -> usize {
        state.iter().map(|(k, v)| 32 + k.heap_bytes() + v.heap_bytes()).sum()
    }

    fn as_register<'a>(&self, ops: &'a [KvOp]) -> Option<Monitored<'a>> {
        let one = ops.windows(2).all(|w| w[0].key == w[1].key);
        // An absent key reads as nil and as the empty text, so neither may be stored.
        let absent = |d: &Datum| *d == Datum::Nil || d.as_str() == Some("");
        let register = |op: &KvOp| match &op.action {
            KvAction::Put(v) if absent(v) => None,
            KvAction::Put(v) => Some(RegisterOp::Write(v.clone())),
            KvAction::Get(None) => Some(RegisterOp::ReadAny),
            KvAction::Get(Some(v)) if absent(v) => Some(RegisterOp::Read(Datum::Nil)),
            KvAction::Get(Some(v)) => Some(RegisterOp::Read(v.clone())),
            KvAction::Append(_) | KvAction::Delete => None,
        };
        let ops: Option<Vec<RegisterOp>> = if one { ops.iter().map(register).collect() } else { None };
        Some(Monitored::Register(Datum::Nil, ops?.into()))
    }

    fn monitored<'a>(&self, ops: &'a [KvOp]) -> Option<Monitored<'a>> {
        self.as_register(ops)
    }
}
