//! Puts a history together from operations that are given with the times of their call and return.
//!
//! At the same time returns come before calls, as the owners of these formats order them: an operation that ends when
//! another starts precedes it. One that ends when it starts is called, and then returns. Without process numbers the
//! smallest free one is given. Times that lie close together are put into order by counting, others by
//! sorting.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use crate::build::{Problem, ProcessStanding, Standings};
use crate::datum::Datum;
use crate::history::{History, NEVER, Names, OpId, Operation};
use crate::value::Values;

/// One operation of a log that gives intervals.
#[derive(Clone, Debug)]
pub struct Interval<'a> {
    /// Line of the log.
    pub line: u32,
    /// Who, where the log says so.
    pub process: Option<i64>,
    /// Name of the operation.
    pub name: &'a str,
    /// Argument.
    pub input: Datum,
    /// Result.
    pub output: Datum,
    /// Time of the call.
    pub start: i64,
    /// Time of the return.
    pub end: i64,
}

/// Builds a history from intervals in any order.
#[derive(Clone, Debug, Default)]
pub struct Intervals {
    /// With times for positions while all of them fit.
    ops: Vec<Operation>,
    /// Whether a time did not fit; then all are here.
    wide: bool,
    times: Vec<(i64, i64)>,
    latest: u32,
    /// Whether the log does not say who called.
    nameless: bool,
    values: Values,
    names: Names,
}

impl Intervals {
    /// Bytes that it takes, about.
    pub fn bytes(&self) -> u64 {
        let own = self.ops.len() * std::mem::size_of::<Operation>() + self.times.len() * 16;
        own as u64 + self.values.bytes()
    }

    /// One operation more.
    pub fn push(&mut self, v: Interval<'_>) -> Result<(), Problem> {
        if v.end < v.start {
            let message = format!("the operation ends at {} before it starts at {}", v.end, v.start);
            return Err(Problem::at(v.line, message));
        }
        if self.ops.len() as u32 >= NEVER / 2 - 1 {
            return Err(Problem::at(v.line, "the history has more than 2,147,483,646 operations"));
        }
        let fit = |t: i64| u32::try_from(t).ok().filter(|t| *t < NEVER - 1);
        if !self.wide && (fit(v.start).is_none() || fit(v.end).is_none()) {
            self.wide = true;
            self.times = self.ops.iter().map(|o| (i64::from(o.call), i64::from(o.ret))).collect();
        }
        if self.wide {
            self.times.push((v.start, v.end));
        }
        let (call, ret) = (fit(v.start).unwrap_or(0), fit(v.end).unwrap_or(0));
        self.latest = self.latest.max(ret);
        self.nameless |= v.process.is_none();
        let (input, output) = (self.values.number(v.input), self.values.number(v.output));
        let (process, name) = (v.process.unwrap_or(0), self.names.of(v.name));
        self.ops.push(Operation { process, call, ret, name, line: v.line, input, output });
        Ok(())
    }

    /// The history.
    pub fn finish(mut self) -> Result<History, Problem> {
        let length = 2 * self.ops.len() as u32;
        if !self.wide && u64::from(self.latest) <= 8 * u64::from(length) + 1024 {
            self.rank_by_counting();
        } else {
            self.rank_by_sorting();
        }
        self.times = Vec::new();
        if !self.ops.is_sorted_by_key(|o| o.call) {
            self.ops.sort_unstable_by_key(|o| o.call);
        }
        self.processes()?;
        let Intervals { ops, values, names, .. } = self;
        Ok(History { ops, values, names: names.into_list(), length, ..History::default() })
    }

    /// Times into positions: at each time the returns in the order of the log, then the calls, then the returns of
    /// what was called at that time.
    fn rank_by_counting(&mut self) {
        let at_once: Vec<bool> = self.ops.iter().map(|op| op.call == op.ret).collect();
        let mut next = vec![0u32; self.latest as usize + 2];
        for op in &self.ops {
            next[op.call as usize + 1] += 1;
            next[op.ret as usize + 1] += 1;
        }
        for t in 1..next.len() {
            next[t] += next[t - 1];
        }
        let mut place = |time: &mut u32| {
            let at = &mut next[*time as usize];
            *time = *at;
            *at += 1;
        };
        let returns = |ops: &mut [Operation], wanted: bool, place: &mut dyn FnMut(&mut u32)| {
            let these = ops.iter_mut().zip(&at_once).filter(|(_, at_once)| **at_once == wanted);
            these.for_each(|(op, _)| place(&mut op.ret));
        };
        returns(&mut self.ops, false, &mut place);
        self.ops.iter_mut().for_each(|op| place(&mut op.call));
        returns(&mut self.ops, true, &mut place);
    }

    fn rank_by_sorting(&mut self) {
        let mut ends: Vec<(i64, u8, u32)> = Vec::with_capacity(2 * self.ops.len());
        let n = self.ops.len() as u32;
        for (i, op) in self.ops.iter().enumerate() {
            let (start, end) = self.times.get(i).copied().unwrap_or((i64::from(op.call), i64::from(op.ret)));
            ends.push((start, 1, i as u32));
            ends.push((end, if start == end { 2 } else { 0 }, n + i as u32));
        }
        ends.sort_unstable();
        for (position, (.., end)) in ends.into_iter().enumerate() {
            if end < n {
                self.ops[end as usize].call = position as u32;
            } else {
                self.ops[(end - n) as usize].ret = position as u32;
            }
        }
    }

    /// Gives numbers to processes without one, and refuses two open operations of one process.
    fn processes(&mut self) -> Result<(), Problem> {
        if self.nameless {
            let mut open: BinaryHeap<Reverse<(u32, i64)>> = BinaryHeap::new();
            let mut free = BTreeSet::new();
            let mut next = 0i64;
            for op in &mut self.ops {
                while let Some(&Reverse((_, process))) = open.peek().filter(|o| o.0.0 < op.call) {
                    open.pop();
                    free.insert(process);
                }
                op.process = free.pop_first().unwrap_or_else(|| {
                    next += 1;
                    next - 1
                });
                open.push(Reverse((op.ret, op.process)));
            }
            return Ok(());
        }
        let mut latest = Standings::default();
        for (i, op) in (0u32..).zip(&self.ops) {
            if let ProcessStanding::Open(other) = latest.get(op.process)
                && let other = &self.ops[other.index()]
                && other.ret > op.call
            {
                let name = |op: &Operation| self.names.get(op.name);
                return Err(Problem::at(
                    op.line,
                    format!(
                        "process {} calls `{}` while its `{}` of line {} is still open",
                        op.process,
                        name(op),
                        name(other),
                        other.line
                    ),
                )
                .help("a process has at most one open operation; give each thread a number of its own"));
            }
            latest.set(op.process, ProcessStanding::Open(OpId(i)));
        }
        Ok(())
    }
}
