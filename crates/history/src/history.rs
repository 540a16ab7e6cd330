//! Recorded histories: operations with an interval each, in one order of calls and returns.
//!
//! Positions count the calls and returns of the log from 0; two operations are ordered in real time when
//! one returns at a position before the other's call. An operation that certainly did not happen (`fail`)
//! is not in the history. One whose end is not known (`info`, a timeout, the end of the log) is *pending*:
//! it may have taken effect at any time after its call, or never, with any result.

use std::collections::HashMap;

use crate::datum::Datum;

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

/// One operation.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// The object among several that the log is about.
    pub key: Option<Datum>,
    /// Argument.
    pub input: Datum,
    /// Result.
    pub output: Output,
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// The operations, ascending by call.
    pub ops: Vec<Operation>,
    /// The names of operations that occur.
    pub names: Vec<String>,
    /// Number of positions.
    pub length: u32,
    /// Entries of the log that are no operations.
    pub notes: Vec<Note>,
    /// Operations of the log that certainly did not happen and are left out.
    pub failed: u32,
}

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

    /// What a specification sees of an operation.
    pub fn call<'a>(&'a self, op: &'a Operation) -> Call<'a> {
        Call {
            process: op.process,
            name: self.name(op),
            key: op.key.as_ref(),
            input: &op.input,
            output: match &op.output {
                Output::Known(d) => Some(d),
                Output::Lost | Output::Pending => None,
            },
        }
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
        let op = self.op(id);
        let mut text = String::from(self.name(op));
        text.push('(');
        if let Some(key) = &op.key {
            text.push_str(&key.to_string());
            if op.input != Datum::Nil {
                text.push_str(", ");
            }
        }
        if op.input != Datum::Nil {
            text.push_str(&op.input.to_string());
        }
        text.push(')');
        match &op.output {
            Output::Known(Datum::Nil) if op.input != Datum::Nil => {}
            Output::Known(d) if *d == op.input && op.input != Datum::Nil => {}
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
            ops: sorted.iter().map(|id| self.op(*id).clone()).collect(),
            names: self.names.clone(),
            length: self.length,
            notes: Vec::new(),
            failed: 0,
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
        let own = self.ops.capacity() * std::mem::size_of::<Operation>();
        let data: usize = self
            .ops
            .iter()
            .map(|o| {
                o.input.heap_bytes()
                    + o.key.as_ref().map_or(0, Datum::heap_bytes)
                    + match &o.output {
                        Output::Known(d) => d.heap_bytes(),
                        _ => 0,
                    }
            })
            .sum();
        (own + data) as u64
    }
}

/// Names of operations, each kept once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    pub list: Vec<String>,
    index: HashMap<String, u32>,
}

impl Names {
    pub fn of(&mut self, name: &str) -> u32 {
        if let Some(&i) = self.index.get(name) {
            return i;
        }
        let i = self.list.len() as u32;
        self.list.push(name.to_string());
        self.index.insert(name.to_string(), i);
        i
    }
}
