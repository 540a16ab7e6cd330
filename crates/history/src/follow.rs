//! Decides a history while it grows: says at once when no extension can help.
//!
//! A prefix is explained when some order explains it with every open operation pending. The configurations of
//! `search::layers` are kept for the longest part in which all results are known; the rest is looked at again at
//! every return, with the results that are known by then. Cost: per return, the events since the oldest open call.
//! Claim: after each return exact for the prefix. Oracle: `check` on every prefix.

use std::collections::{HashMap, VecDeque};

use trueline_base::{Meter, Stop};

use crate::build::Problem;
use crate::datum::Datum;
use crate::history::{Call, NEVER};
use crate::read::Entry;
use crate::search::layers::Layers;
use crate::spec::{RegisterOp, Spec};

/// How a growing history stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Some order explains it so far.
    Possible,
    /// No order does, and none will: since the return on this line.
    Impossible {
        /// The line, from 1.
        line: u32,
    },
}

enum Stage<O> {
    /// Not returned yet; the operation with an unknown result, unless that changes nothing.
    Open(Option<O>),
    /// Settled.
    Known(Option<O>),
}

struct Raw {
    item: u32,
    name: String,
    key: Option<Datum>,
    input: Datum,
}

/// Follows a history under a condition that is linearizability to a specification.
pub struct Follower<S: Spec> {
    spec: S,
    settled: Layers<S>,
    stages: HashMap<u32, Stage<S::Op>>,
    tail: VecDeque<(u32, bool)>,
    open: HashMap<i64, Raw>,
    crashed: HashMap<i64, u32>,
    next: u32,
    status: Status,
}

impl<S: Spec> Follower<S> {
    /// Before anything happened.
    pub fn new(spec: S) -> Follower<S> {
        let settled = Layers::new(&spec);
        Follower {
            spec,
            settled,
            stages: HashMap::new(),
            tail: VecDeque::new(),
            open: HashMap::new(),
            crashed: HashMap::new(),
            next: 0,
            status: Status::Possible,
        }
    }

    /// How it stands.
    pub fn status(&self) -> Status {
        self.status
    }

    /// Operations called so far.
    pub fn operations(&self) -> u32 {
        self.next
    }

    fn decode(&self, process: i64, raw: &Raw, output: Option<&Datum>, line: u32) -> Result<S::Op, Problem> {
        let call = Call { process, name: &raw.name, key: raw.key.as_ref(), input: &raw.input, output };
        self.spec.decode(&call).map_err(|e| Problem::at(line, e))
    }

    fn pending(&self, op: S::Op) -> Option<S::Op> {
        (!self.spec.observes(&op)).then_some(op)
    }

    /// The history goes on. The outer error is a fault of the log, the inner one a limit.
    pub fn entry(&mut self, line: u32, entry: Entry, meter: &Meter) -> Result<Result<Status, Stop>, Problem> {
        match entry {
            Entry::Call { process, name, key, input } => {
                if self.open.contains_key(&process) {
                    return Err(Problem::at(
                        line,
                        format!(
                            "process {process} calls `{name}` while its `{}` is still open",
                            self.open[&process].name
                        ),
                    ));
                }
                if self.crashed.contains_key(&process) {
                    return Err(Problem::at(
                        line,
                        format!(
                            "process {process} calls `{name}` although the end of its operation before is unknown"
                        ),
                    ));
                }
                let raw = Raw { item: self.next, name, key, input };
                let op = self.decode(process, &raw, None, line)?;
                self.stages.insert(raw.item, Stage::Open(self.pending(op)));
                self.tail.push_back((raw.item, false));
                self.next += 1;
                self.open.insert(process, raw);
            }
            Entry::Return { process, output } => {
                let raw = self.close(line, process, "returns")?;
                let op = self.decode(process, &raw, output.as_ref(), line)?;
                self.stages.insert(raw.item, Stage::Known(Some(op)));
                self.tail.push_back((raw.item, true));
                if self.status == Status::Possible {
                    match self.advance(meter) {
                        Ok(true) => {}
                        Ok(false) => self.status = Status::Impossible { line },
                        Err(stop) => return Ok(Err(stop)),
                    }
                }
            }
            Entry::Fail { process } => {
                let raw = self.close(line, process, "fails")?;
                self.stages.insert(raw.item, Stage::Known(None));
            }
            Entry::Unknown { process } => {
                let raw = self.close(line, process, "loses")?;
                let op = self.decode(process, &raw, None, line)?;
                self.stages.insert(raw.item, Stage::Known(self.pending(op)));
                self.crashed.insert(process, raw.item);
            }
            Entry::Note(_) | Entry::Spec(_) => {}
        }
        Ok(Ok(self.status))
    }

    fn close(&mut self, line: u32, process: i64, what: &str) -> Result<Raw, Problem> {
        self.open
            .remove(&process)
            .ok_or_else(|| Problem::at(line, format!("process {process} {what} without a call")))
    }

    /// Settles what can be settled, then looks at the rest.
    fn advance(&mut self, meter: &Meter) -> Result<bool, Stop> {
        while let Some(&(item, ret)) = self.tail.front() {
            let Some(Stage::Known(op)) = self.stages.get(&item) else { break };
            if ret {
                if !self.settled.ret(&self.spec, item, meter)? {
                    return Ok(false);
                }
                self.stages.remove(&item);
            } else if let Some(op) = op {
                self.settled.call(item, op.clone());
            }
            self.tail.pop_front();
        }
        let mut rest = self.settled.clone();
        for (item, ret) in &self.tail {
            match (ret, self.stages.get(item)) {
                (false, Some(Stage::Open(Some(op)) | Stage::Known(Some(op)))) => rest.call(*item, op.clone()),
                (true, _) => {
                    if !rest.ret(&self.spec, *item, meter)? {
                        return Ok(false);
                    }
                }
                _ => {}
            }
        }
        Ok(true)
    }
}

/// Follows a register under regularity. Each read is settled when it returns.
#[derive(Debug, Default)]
pub struct RegularFollower {
    initial: Datum,
    position: u32,
    /// Positions of calls and returns of the writes of each value.
    writes: HashMap<Datum, Vec<(u32, u32)>>,
    /// Latest call among the writes that returned, by position of the return.
    returned: Vec<(u32, u32)>,
    open: HashMap<i64, (RegisterOp, u32)>,
}

impl RegularFollower {
    /// A register with this value at the start.
    pub fn new(initial: Datum) -> RegularFollower {
        RegularFollower { initial, ..RegularFollower::default() }
    }

    /// An operation is called; the result of a read is not known yet.
    pub fn call(&mut self, process: i64, op: RegisterOp) {
        self.position += 1;
        if let RegisterOp::Write(v) = &op {
            self.writes.entry(v.clone()).or_default().push((self.position, NEVER));
        }
        self.open.insert(process, (op, self.position));
    }

    /// The open operation of a process returns, a read with this value. False when no write explains it.
    pub fn ret(&mut self, process: i64, value: Option<&Datum>) -> bool {
        self.position += 1;
        let Some((op, call)) = self.open.remove(&process) else { return true };
        match op {
            RegisterOp::Write(v) => {
                let end = self.position;
                if let Some(w) = self.writes.get_mut(&v).and_then(|l| l.iter_mut().find(|w| w.0 == call)) {
                    w.1 = end;
                }
                let latest = self.returned.last().map_or(call, |(_, c)| call.max(*c));
                self.returned.push((end, latest));
                true
            }
            _ => {
                let Some(value) = value else { return true };
                let before = self.returned.partition_point(|(end, _)| *end < call);
                let last = before.checked_sub(1).map(|i| self.returned[i].1);
                let fits = |w: &(u32, u32)| last.is_none_or(|l| w.1 > l);
                let written = self.writes.get(value).is_some_and(|list| list.iter().rev().any(fits));
                written || (*value == self.initial && last.is_none())
            }
        }
    }
}
