//! A map from keys to values, with appending: one register per key.

use super::{Answers, Hints, Monitored, Next, RegisterOp, Spec};
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

/// What a key holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Held {
    /// This value.
    Value(Datum),
    /// Some text that no operation answers, and that no answer begins with.
    Unseen,
}

/// A map from keys to values, initially empty. An absent key reads as nil or as the empty text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kv;

impl Spec for Kv {
    type Op = KvOp;
    /// Ascending by key; a split history has at most one.
    type State = Vec<(Datum, Held)>;

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
        let store = |value: Option<Held>| {
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
                    Some(Held::Value(v)) => v == seen,
                    Some(Held::Unseen) => false,
                    None => *seen == Datum::Nil || seen.as_str() == Some(""),
                };
                if fits {
                    next.push(state.clone());
                }
            }
            KvAction::Put(v) => next.push(store(Some(Held::Value(v.clone())))),
            KvAction::Append(s) => {
                let old = match now {
                    None | Some(Held::Value(Datum::Nil)) => "",
                    Some(Held::Value(Datum::Text(old))) => old.as_str(),
                    Some(Held::Value(_)) => return,
                    Some(Held::Unseen) => return next.push(state.clone()),
                };
                let mut longer = String::with_capacity(old.len() + s.len());
                longer.push_str(old);
                longer.push_str(s);
                next.push(store(Some(Held::Value(Datum::text(longer)))));
            }
            KvAction::Delete => next.push(store(None)),
        }
    }

    fn hints(&self) -> &dyn Hints<Self::Op, Self::State> {
        self
    }

    fn expected(&self, state: &Self::State, op: &KvOp) -> Option<String> {
        let now = state.iter().find(|(k, _)| *k == op.key).map(|(_, held)| held);
        matches!(op.action, KvAction::Get(_)).then(|| match now {
            None => format!("must answer {}", Datum::Nil),
            Some(Held::Value(v)) => format!("must answer {v}"),
            Some(Held::Unseen) => "must answer another text".into(),
        })
    }

    fn show(&self, state: &Self::State) -> String {
        let shown = |held: &Held| match held {
            Held::Value(v) => v.clone(),
            Held::Unseen => Datum::word("another text"),
        };
        match state.as_slice() {
            [] => "{}".into(),
            [(_, held)] => shown(held).to_string(),
            many => Datum::map(many.iter().map(|(k, held)| (k.clone(), shown(held))).collect()).to_string(),
        }
    }
}

impl Hints<KvOp, Vec<(Datum, Held)>> for Kv {
    fn observes(&self, op: &KvOp) -> bool {
        matches!(op.action, KvAction::Get(_))
    }

    fn part(&self, op: &KvOp) -> Option<Datum> {
        Some(op.key.clone())
    }

    fn repeatable(&self, op: &KvOp) -> bool {
        !matches!(op.action, KvAction::Append(_))
    }

    fn seen(&self, ops: &mut dyn Iterator<Item = &KvOp>) -> Option<Answers> {
        let mut appends = false;
        let mut texts = Vec::new();
        for op in ops {
            match &op.action {
                KvAction::Append(_) => appends = true,
                KvAction::Get(Some(Datum::Text(text))) => texts.push(text.to_string()),
                _ => {}
            }
        }
        appends.then(|| Answers::new(texts))
    }

    /// A text with which no answer begins is never answered, however much is appended to it.
    fn forget(&self, state: &mut <Self as Spec>::State, seen: &Answers) {
        for (_, held) in state {
            if let Held::Value(Datum::Text(text)) = held
                && !seen.begins(text)
            {
                *held = Held::Unseen;
            }
        }
    }

    /// After a text that nobody answers only operations follow that follow any text.
    fn worse(&self, state: &<Self as Spec>::State, than: &<Self as Spec>::State) -> bool {
        state == than
            || match (state.as_slice(), than.as_slice()) {
                ([(_, Held::Unseen)], []) => true,
                ([(key, Held::Unseen)], [(other, held)]) => {
                    key == other && matches!(held, Held::Value(Datum::Text(_) | Datum::Nil) | Held::Unseen)
                }
                _ => false,
            }
    }

    fn heap_bytes(&self, state: &<Self as Spec>::State) -> usize {
        let held = |held: &Held| match held {
            Held::Value(v) => v.heap_bytes(),
            Held::Unseen => 0,
        };
        state.iter().map(|(k, h)| 32 + k.heap_bytes() + held(h)).sum()
    }

    fn reads_and_writes<'a>(&self, ops: &'a [KvOp]) -> Option<Monitored<'a>> {
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
        self.reads_and_writes(ops)
    }
}
