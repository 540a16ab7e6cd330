//! Decides a history while it grows: says at once when no extension can help.
//!
//! A prefix is explained when some order explains it with every open operation pending. The configurations of
//! `search::layers` are kept for the longest part in which all results are known; the rest is looked at again at
//! every return, with the results that are known by then. Independent parts are followed each on its own. Cost: per
//! return, the events of its part since the oldest open call.
//! Claim: after each return exact for the prefix. Oracle: `check` on every prefix.

use std::collections::{HashMap, VecDeque};

use trueline_base::{Meter, Stop};

use crate::build::Problem;
use crate::datum::Datum;
use crate::history::{Call, NEVER};
use crate::read::Entry;
use crate::search::layers::Layers;
use crate::spec::{Monitored, RegisterOp, Spec};

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

/// Why a history is followed no further.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FollowError {
    /// A fault of the log.
    Log(Problem),
    /// A limit was reached.
    Limit(Stop),
}

impl From<Problem> for FollowError {
    fn from(problem: Problem) -> FollowError {
        FollowError::Log(problem)
    }
}

impl From<Stop> for FollowError {
    fn from(stop: Stop) -> FollowError {
        FollowError::Limit(stop)
    }
}

#[derive(Clone)]
enum Stage<O> {
    /// Not returned yet; the operation with an unknown result, unless that changes nothing.
    Open(Option<O>),
    /// Settled.
    Known(Option<O>),
    /// It never returns.
    Lost(Option<O>),
}

struct Raw {
    item: u32,
    part: Option<Datum>,
    name: String,
    key: Option<Datum>,
    input: Datum,
}

impl Raw {
    fn call<'a>(&'a self, process: i64, output: Option<&'a Datum>) -> Call<'a> {
        let Raw { name, key, input, .. } = self;
        Call { process, name, key: key.as_ref(), input, output, place: None }
    }
}

/// The calls and returns of one part.
struct Part<S: Spec> {
    settled: Layers<S>,
    stages: HashMap<u32, Stage<S::Op>>,
    tail: VecDeque<(u32, bool)>,
    impossible: bool,
}

impl<S: Spec> Clone for Part<S> {
    fn clone(&self) -> Self {
        Part {
            settled: self.settled.clone(),
            stages: self.stages.clone(),
            tail: self.tail.clone(),
            impossible: self.impossible,
        }
    }
}

impl<S: Spec> Part<S> {
    fn new(spec: &S) -> Part<S> {
        let settled = Layers::new(spec);
        Part { settled, stages: HashMap::new(), tail: VecDeque::new(), impossible: false }
    }

    fn call(&mut self, item: u32, op: Option<S::Op>) {
        self.stages.insert(item, Stage::Open(op));
        self.tail.push_back((item, false));
    }

    fn ret(&mut self, spec: &S, item: u32, op: S::Op, meter: &Meter) -> Result<(), Stop> {
        self.stages.insert(item, Stage::Known(Some(op)));
        self.tail.push_back((item, true));
        self.impossible = self.impossible || !self.advance(spec, meter)?;
        Ok(())
    }

    /// An operation certainly did not happen, so that nothing can be owed to it.
    fn fail(&mut self, spec: &S, item: u32, meter: &Meter) -> Result<(), Stop> {
        self.stages.insert(item, Stage::Known(None));
        self.impossible = self.impossible || !self.advance(spec, meter)?;
        Ok(())
    }

    /// Settles what can be settled, then looks at the rest.
    fn advance(&mut self, spec: &S, meter: &Meter) -> Result<bool, Stop> {
        while let Some(&(item, ret)) = self.tail.front() {
            match self.stages.get(&item) {
                Some(Stage::Open(_)) | None => break,
                Some(_) if ret => {
                    if !self.settled.ret(spec, item, meter)? {
                        return Ok(false);
                    }
                    self.stages.remove(&item);
                }
                Some(Stage::Known(Some(op))) => self.settled.call(item, op.clone()),
                Some(Stage::Lost(Some(op))) => self.settled.call_lost(op.clone()),
                Some(Stage::Known(None) | Stage::Lost(None)) => {}
            }
            self.tail.pop_front();
        }
        // What has not returned yet is, for this prefix, as good as lost.
        let mut rest = self.settled.clone();
        for (item, ret) in &self.tail {
            match (ret, self.stages.get(item)) {
                (false, Some(Stage::Known(Some(op)))) => rest.call(*item, op.clone()),
                (false, Some(Stage::Open(Some(op)) | Stage::Lost(Some(op)))) => {
                    rest.call_lost(op.clone());
                }
                (true, _) if !rest.ret(spec, *item, meter)? => return Ok(false),
                _ => {}
            }
        }
        Ok(true)
    }
}

/// Follows a history under a condition that is linearizability to a specification, part by part.
pub struct Follower<S: Spec> {
    spec: S,
    /// What belongs to no part belongs to every one, and each begins with it.
    common: Part<S>,
    parts: HashMap<Datum, Part<S>>,
    open: HashMap<i64, Raw>,
    crashed: HashMap<i64, u32>,
    next: u32,
    status: Status,
}

impl<S: Spec> Follower<S> {
    /// Before anything happened.
    pub fn new(spec: S) -> Follower<S> {
        let common = Part::new(&spec);
        Follower {
            spec,
            common,
            parts: HashMap::new(),
            open: HashMap::new(),
            crashed: HashMap::new(),
            next: 0,
            status: Status::Possible,
        }
    }

    fn decode(&self, process: i64, raw: &Raw, output: Option<&Datum>, line: u32) -> Result<S::Op, Problem> {
        let call = raw.call(process, output);
        self.spec.decode(&call).map_err(|e| Problem::at(line, e))
    }

    fn pending(&self, op: S::Op) -> Option<S::Op> {
        (!self.spec.hints().observes(&op)).then_some(op)
    }

    /// Does something to the part that an operation belongs to, or to all of them.
    fn at<E>(
        &mut self,
        part: Option<&Datum>,
        mut act: impl FnMut(&S, &mut Part<S>) -> Result<(), E>,
    ) -> Result<(), E> {
        match part {
            None => {
                act(&self.spec, &mut self.common)?;
                self.parts.values_mut().try_for_each(|p| act(&self.spec, p))
            }
            Some(key) => match self.parts.get_mut(key) {
                Some(p) => act(&self.spec, p),
                None => {
                    let mut p = self.common.clone();
                    act(&self.spec, &mut p)?;
                    self.parts.insert(key.clone(), p);
                    Ok(())
                }
            },
        }
    }

    fn impossible(&self, part: Option<&Datum>) -> bool {
        match part {
            Some(key) => self.parts.get(key).is_some_and(|p| p.impossible),
            None if self.parts.is_empty() => self.common.impossible,
            None => self.parts.values().any(|p| p.impossible),
        }
    }

    /// The history goes on.
    pub fn entry(&mut self, line: u32, entry: Entry<'_>, meter: &Meter) -> Result<Status, FollowError> {
        match entry {
            Entry::Call { process, name, key, input } => {
                if let Some(open) = self.open.get(&process) {
                    let message =
                        format!("process {process} calls `{name}` while its `{}` is still open", open.name);
                    return Err(Problem::at(line, message).into());
                }
                if self.crashed.contains_key(&process) {
                    let message = format!(
                        "process {process} calls `{name}` although the end of its operation before is unknown"
                    );
                    return Err(Problem::at(line, message).into());
                }
                let mut raw = Raw { item: self.next, part: None, name: name.into_owned(), key, input };
                let op = self.decode(process, &raw, None, line)?;
                raw.part = self.spec.hints().part(&op).or_else(|| raw.key.clone());
                let op = self.pending(op);
                let Ok(()) = self.at(raw.part.as_ref(), |_, p| {
                    p.call(raw.item, op.clone());
                    Ok::<(), std::convert::Infallible>(())
                });
                self.next += 1;
                self.open.insert(process, raw);
            }
            Entry::Return { process, output } => {
                let raw = self.close(line, process, "returns")?;
                let op = self.decode(process, &raw, output.as_ref(), line)?;
                if self.status == Status::Possible {
                    self.at(raw.part.as_ref(), |spec, p| p.ret(spec, raw.item, op.clone(), meter))?;
                    if self.impossible(raw.part.as_ref()) {
                        self.status = Status::Impossible { line };
                    }
                }
            }
            Entry::Fail { process } => {
                let raw = self.close(line, process, "fails")?;
                if self.status == Status::Possible {
                    self.at(raw.part.as_ref(), |spec, p| p.fail(spec, raw.item, meter))?;
                    if self.impossible(raw.part.as_ref()) {
                        self.status = Status::Impossible { line };
                    }
                }
            }
            Entry::Unknown { process } => {
                let raw = self.close(line, process, "loses")?;
                let op = self.decode(process, &raw, None, line)?;
                let op = self.pending(op);
                self.settle(&raw, op);
                self.crashed.insert(process, raw.item);
            }
            Entry::Note(_) | Entry::Spec(_) => {}
        }
        Ok(self.status)
    }

    fn settle(&mut self, raw: &Raw, op: Option<S::Op>) {
        let Ok(()) = self.at(raw.part.as_ref(), |_, p| {
            p.stages.insert(raw.item, Stage::Lost(op.clone()));
            Ok::<(), std::convert::Infallible>(())
        });
    }

    fn close(&mut self, line: u32, process: i64, what: &str) -> Result<Raw, Problem> {
        self.open
            .remove(&process)
            .ok_or_else(|| Problem::at(line, format!("process {process} {what} without a call")))
    }
}

/// Follows a register under regularity. Each read is settled when it returns, unless the write that explains it
/// turns out not to have happened.
#[derive(Clone, Debug, Default)]
pub struct RegularFollower {
    initial: Datum,
    position: u32,
    /// Positions of calls and returns of the writes of each value.
    writes: HashMap<Datum, Vec<(u32, u32)>>,
    /// Latest call among the writes that returned, by position of the return.
    returned: Vec<(u32, u32)>,
    /// Positions of calls and returns of the reads of each value.
    reads: HashMap<Datum, Vec<(u32, u32)>>,
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
        let end = self.position;
        let Some((op, call)) = self.open.remove(&process) else { return true };
        match op {
            RegisterOp::Write(v) => {
                if let Some(w) = self.writes.get_mut(&v).and_then(|l| l.iter_mut().find(|w| w.0 == call)) {
                    w.1 = end;
                }
                let latest = self.returned.last().map_or(call, |(_, c)| call.max(*c));
                self.returned.push((end, latest));
                true
            }
            _ => {
                let Some(value) = value else { return true };
                self.reads.entry(value.clone()).or_default().push((call, end));
                self.explained(value, (call, end))
            }
        }
    }

    /// The open operation of a process did not happen. False when a read of its value is no longer explained.
    pub fn fail(&mut self, process: i64) -> bool {
        let Some((RegisterOp::Write(v), call)) = self.open.remove(&process) else { return true };
        if let Some(list) = self.writes.get_mut(&v) {
            list.retain(|w| w.0 != call);
        }
        self.reads.get(&v).is_none_or(|list| {
            let after = list.iter().rev().take_while(|(_, end)| *end > call);
            after.into_iter().all(|span| self.explained(&v, *span))
        })
    }

    /// Whether a read with this value and these positions of its call and return may answer it.
    fn explained(&self, value: &Datum, (call, end): (u32, u32)) -> bool {
        let before = self.returned.partition_point(|(end, _)| *end < call);
        let last = before.checked_sub(1).map(|i| self.returned[i].1);
        let fits = |w: &(u32, u32)| w.0 < end && last.is_none_or(|l| w.1 > l);
        let written = self.writes.get(value).is_some_and(|list| list.iter().rev().any(fits));
        written || (*value == self.initial && last.is_none())
    }
}

/// Follows a log under regularity, a register per part.
pub struct RegularLog<S> {
    spec: S,
    /// What belongs to no part belongs to every one, and each begins with it.
    common: RegularFollower,
    parts: HashMap<Datum, RegularFollower>,
    open: HashMap<i64, Raw>,
}

impl<S: Spec> RegularLog<S> {
    /// Before anything happened.
    pub fn new(spec: S) -> RegularLog<S> {
        let initial = match spec.hints().reads_and_writes(&[]) {
            Some(Monitored::Register(initial, _)) => initial,
            _ => Datum::Nil,
        };
        let common = RegularFollower::new(initial);
        RegularLog { spec, common, parts: HashMap::new(), open: HashMap::new() }
    }

    /// Does something to the register of a part, or to all of them; whether all of them say yes.
    fn at(&mut self, part: Option<&Datum>, mut act: impl FnMut(&mut RegularFollower) -> bool) -> bool {
        match part {
            Some(key) => {
                let common = &self.common;
                act(self.parts.entry(key.clone()).or_insert_with(|| common.clone()))
            }
            None => {
                let alone = act(&mut self.common);
                let mut all = true;
                for register in self.parts.values_mut() {
                    all &= act(register);
                }
                all && (alone || !self.parts.is_empty())
            }
        }
    }

    /// An operation as one of a register, and its part.
    fn decode(
        &self,
        line: u32,
        process: i64,
        raw: &Raw,
        output: Option<&Datum>,
    ) -> Result<(RegisterOp, Option<Datum>), Problem> {
        let call = raw.call(process, output);
        let op = self.spec.decode(&call).map_err(|e| Problem::at(line, e))?;
        let part = self.spec.hints().part(&op).or_else(|| raw.key.clone());
        match self.spec.hints().reads_and_writes(std::slice::from_ref(&op)) {
            Some(Monitored::Register(_, ops)) if ops.len() == 1 => Ok((ops[0].clone(), part)),
            _ => Err(Problem::at(line, "regular is about registers with reads and writes")),
        }
    }

    /// The history goes on. The error is a fault of the log.
    pub fn entry(&mut self, line: u32, entry: Entry<'_>) -> Result<Status, Problem> {
        let possible = match entry {
            Entry::Call { process, name, key, input } => {
                let mut raw = Raw { item: 0, part: None, name: name.into_owned(), key, input };
                let (op, part) = self.decode(line, process, &raw, None)?;
                self.at(part.as_ref(), |register| {
                    register.call(process, op.clone());
                    true
                });
                raw.part = part;
                self.open.insert(process, raw);
                true
            }
            Entry::Return { process, output } => match self.open.remove(&process) {
                Some(raw) => {
                    let value = match self.decode(line, process, &raw, output.as_ref())?.0 {
                        RegisterOp::Read(value) => Some(value),
                        _ => None,
                    };
                    self.at(raw.part.as_ref(), |register| register.ret(process, value.as_ref()))
                }
                None => true,
            },
            Entry::Fail { process } => match self.open.remove(&process) {
                Some(raw) => self.at(raw.part.as_ref(), |register| register.fail(process)),
                None => true,
            },
            Entry::Unknown { .. } | Entry::Note(_) | Entry::Spec(_) => true,
        };
        Ok(if possible { Status::Possible } else { Status::Impossible { line } })
    }
}
