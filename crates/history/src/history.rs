//! Recorded histories: operations with an interval each, in one order of calls and returns.
//!
//! Positions count the calls and returns of the log from 0; two operations are ordered in real time when
//! one returns at a position before the other's call. An operation that certainly did not happen (`fail`)
//! is not in the history. One whose end is not known (`info`, a timeout, the end of the log) is *pending*:
//! it may have taken effect at any time after its call, or never, with any result.

use trueline_base::Interner;

use crate::datum::Datum;
use crate::series::Series;
use crate::value::{Value, Values};

/// Index of an operation in its history, in the order of the calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OpId(pub u32);

impl OpId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The position of a return that never came.
pub const NEVER: u32 = u32::MAX;

/// What an operation answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// This result.
    Known(Datum),
    /// It took effect before its return, but the result is not known.
    Lost,
    /// It never returned: it may have taken effect or not.
    Pending,
}

/// One operation. Its data are in the history that it belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// Who called it.
    pub process: i64,
    /// Position of the call.
    pub call: u32,
    /// Position of the return, or [`NEVER`].
    pub ret: u32,
    /// Index of its name in [`History::names`].
    pub name: u32,
    /// Line of the log on which it was called, from 1; 0 when there is no log.
    pub line: u32,
    /// Argument.
    pub input: Value,
    /// Result, where it is known.
    pub output: Value,
}

impl Operation {
    /// Whether it never returned.
    pub fn pending(&self) -> bool {
        self.ret == NEVER
    }

    /// Whether it returned before `other` was called.
    pub fn before(&self, other: &Operation) -> bool {
        self.ret < other.call
    }
}

/// What a specification sees of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// Who called it.
    pub process: i64,
    /// Name of the operation.
    pub name: &'a str,
    /// The object among several.
    pub key: Option<&'a Datum>,
    /// Argument.
    pub input: &'a Datum,
    /// Result, where it is known.
    pub output: Option<&'a Datum>,
    /// Where it stands among the operations of one series, if it does.
    pub place: Option<SeriesPlace>,
}

/// A place in a series of operations that are known to follow each other, and share their interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SeriesPlace {
    /// Number of the series.
    pub series: u32,
    /// Place in it, from 0.
    pub index: u32,
}

/// An operation and its key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recorded {
    pub op: Operation,
    pub key: Value,
}

/// Something in the log that is no operation, such as a nemesis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Position before which it stands.
    pub position: u32,
    /// What it says.
    pub text: String,
}

/// A recorded history.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The operations, ascending by call.
    pub ops: Vec<Operation>,
    /// For each operation the object among several that it is about; empty when the log has no keys.
    pub keys: Vec<Value>,
    /// The data of the operations.
    pub values: Values,
    /// The names of operations that occur.
    pub names: Vec<String>,
    /// Number of positions.
    pub length: u32,
    /// Entries of the log that are no operations.
    pub notes: Vec<Note>,
    /// Operations of the log that certainly did not happen and are left out.
    pub failed: u32,
    /// Operations that share an interval and take effect in the order that they have here, ascending.
    pub(crate) series: Vec<Series>,
}

/// Equal when they say the same, however their data are numbered.
impl PartialEq for History {
    fn eq(&self, other: &History) -> bool {
        let same = |id: OpId| {
            let (a, b) = (self.op(id), other.op(id));
            (a.process, a.call, a.ret, a.line, self.name(a))
                == (b.process, b.call, b.ret, b.line, other.name(b))
                && (self.key(id), self.input(id), self.output(id))
                    == (other.key(id), other.input(id), other.output(id))
        };
        self.ops.len() == other.ops.len()
            && (self.length, self.failed, &self.notes) == (other.length, other.failed, &other.notes)
            && self.series == other.series
            && self.ids().all(same)
    }
}

impl Eq for History {}

impl History {
    /// The operation of this id.
    pub fn op(&self, id: OpId) -> &Operation {
        &self.ops[id.index()]
    }

    /// Every id, in the order of the calls.
    pub fn ids(&self) -> impl Iterator<Item = OpId> + use<> {
        (0..self.ops.len() as u32).map(OpId)
    }

    /// Name of an operation.
    pub fn name(&self, op: &Operation) -> &str {
        &self.names[op.name as usize]
    }

    /// The object among several that an operation is about.
    pub fn key(&self, id: OpId) -> Option<Datum> {
        self.keys.get(id.index()).and_then(|k| self.values.get(*k))
    }

    /// The argument of an operation.
    pub fn input(&self, id: OpId) -> Datum {
        self.values.get(self.op(id).input).unwrap_or_default()
    }

    /// What an operation answered.
    pub fn output(&self, id: OpId) -> Output {
        let op = self.op(id);
        match self.values.get(op.output) {
            _ if op.pending() => Output::Pending,
            Some(d) => Output::Known(d),
            None => Output::Lost,
        }
    }

    /// Shows an operation to a specification.
    pub fn with_call<T>(&self, id: OpId, see: impl FnOnce(&Call<'_>) -> T) -> T {
        self.with_recorded(id, &self.recorded(id), see)
    }

    /// All that is recorded of an operation, for whoever looks at operations that lie far apart.
    pub(crate) fn recorded(&self, id: OpId) -> Recorded {
        let key = self.keys.get(id.index()).copied().unwrap_or(Value::NONE);
        Recorded { op: *self.op(id), key }
    }

    /// The same as [`with_call`](History::with_call) with what is recorded of the operation.
    #[inline]
    pub(crate) fn with_recorded<T>(
        &self,
        id: OpId,
        Recorded { op, key }: &Recorded,
        see: impl FnOnce(&Call<'_>) -> T,
    ) -> T {
        let input = self.values.get(op.input).unwrap_or_default();
        let (key, output) = (self.values.get(*key), self.values.get(op.output));
        let name = self.name(op);
        let (key, output) = (key.as_ref(), output.as_ref());
        let place = self
            .series_of(id)
            .map(|series| SeriesPlace { series: series as u32, index: id.0 - self.series[series].first });
        see(&Call { process: op.process, name, key, input: &input, output, place })
    }

    /// Index of the series that an operation belongs to.
    pub(crate) fn series_of(&self, id: OpId) -> Option<usize> {
        let at = self.series.partition_point(|s| s.first <= id.0).checked_sub(1)?;
        (id.0 - self.series[at].first < self.series[at].count).then_some(at)
    }

    /// Number of operations that never returned.
    pub fn pending(&self) -> usize {
        self.ops.iter().filter(|o| o.pending()).count()
    }

    /// Largest number of operations open at once.
    pub fn concurrency(&self) -> usize {
        let mut delta = vec![0i32; self.length as usize + 1];
        for op in &self.ops {
            delta[op.call as usize] += 1;
            if !op.pending() {
                delta[op.ret as usize] -= 1;
            }
        }
        let (mut open, mut most) = (0, 0);
        for d in delta {
            open += d;
            most = most.max(open);
        }
        most as usize
    }

    /// An operation as one would write it: `enq(1)`, `deq() = 2`, `get("k") = nil`, `deq() = ?`.
    pub fn show(&self, id: OpId) -> String {
        let input = self.input(id);
        let mut text = String::from(self.name(self.op(id)));
        text.push('(');
        if let Some(key) = self.key(id) {
            text.push_str(&key.to_string());
            if input != Datum::Nil {
                text.push_str(", ");
            }
        }
        if input != Datum::Nil {
            text.push_str(&input.to_string());
        }
        text.push(')');
        match self.output(id) {
            Output::Known(Datum::Nil) if input != Datum::Nil => {}
            Output::Known(d) if d == input && input != Datum::Nil => {}
            Output::Known(d) => text.push_str(&format!(" = {d}")),
            Output::Lost | Output::Pending => text.push_str(" = ?"),
        }
        text
    }

    /// The history of some of the operations, with the positions that they have here.
    pub fn restricted(&self, ids: &[OpId]) -> History {
        let mut sorted = ids.to_vec();
        sorted.sort_by_key(|id| self.op(*id).call);
        History {
            ops: sorted.iter().map(|id| *self.op(*id)).collect(),
            keys: sorted.iter().filter_map(|id| self.keys.get(id.index()).copied()).collect(),
            values: self.values.clone(),
            names: self.names.clone(),
            length: self.length,
            ..History::default()
        }
    }

    /// The history with positions counted again from 0 without gaps.
    pub fn compacted(&self) -> History {
        let mut at: Vec<u32> = Vec::with_capacity(self.ops.len() * 2);
        for op in &self.ops {
            at.push(op.call);
            if !op.pending() {
                at.push(op.ret);
            }
        }
        at.sort_unstable();
        let rank = |p: u32| at.binary_search(&p).unwrap_or_else(|i| i) as u32;
        let mut out = self.clone();
        for op in &mut out.ops {
            op.call = rank(op.call);
            if !op.pending() {
                op.ret = rank(op.ret);
            }
        }
        for note in &mut out.notes {
            note.position = at.partition_point(|p| *p < note.position) as u32;
        }
        out.length = at.len() as u32;
        out
    }

    /// Bytes that it takes, about.
    pub fn bytes(&self) -> u64 {
        let own = self.ops.len() * std::mem::size_of::<Operation>() + self.keys.len() * 4;
        own as u64 + self.values.bytes()
    }
}

/// Names of operations, each kept once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names(Interner<String>);

impl Names {
    pub fn of(&mut self, name: &str) -> u32 {
        // Most logs have a handful of names.
        if let Some(i) = self.0.items().iter().take(6).position(|n| n == name) {
            return i as u32;
        }
        self.0.intern(name, || name.to_string()).0
    }

    /// The name with this number.
    pub fn get(&self, number: u32) -> &str {
        self.0.get(number)
    }

    /// All of them, in the order of their numbers.
    pub fn into_list(self) -> Vec<String> {
        self.0.into_items()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_takes_four_words() {
        assert_eq!(std::mem::size_of::<Operation>(), 32);
    }
}
