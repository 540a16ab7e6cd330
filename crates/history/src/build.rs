//! Puts a history together from calls and returns, or from intervals, and says what does not fit.

use std::collections::HashMap;
use std::fmt;

use crate::datum::Datum;
use crate::history::{History, NEVER, Names, Note, OpId, Operation, Output};

/// What is wrong with a recording, and on which line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Line of the log, from 1; 0 when there is none.
    pub line: u32,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// The way out, where one is known.
    pub help: Option<String>,
}

impl Problem {
    /// A problem on a line.
    pub fn at(line: u32, message: impl Into<String>) -> Problem {
        Problem { line, message: message.into(), help: None }
    }

    /// The same with a way out.
    pub fn help(mut self, help: impl Into<String>) -> Problem {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "line {}: ", self.line)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

/// How a process stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Open(OpId),
    /// Its last operation has an unknown end, so it cannot call again.
    Crashed(OpId),
}

/// Builds a history from calls and returns in their order.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    ops: Vec<Operation>,
    dropped: Vec<bool>,
    names: Names,
    standing: HashMap<i64, Standing>,
    position: u32,
    notes: Vec<Note>,
    failed: u32,
}

impl Builder {
    /// An empty recording.
    pub fn new() -> Builder {
        Builder::default()
    }

    /// Number of operations called so far.
    pub fn len(&self) -> usize {
        self.ops.len()
    }

    /// Whether nothing was called yet.
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// The open operation of a process.
    pub fn open(&self, process: i64) -> Option<&Operation> {
        match self.standing.get(&process) {
            Some(Standing::Open(id)) => Some(&self.ops[id.index()]),
            _ => None,
        }
    }

    /// Name of an operation that `open` gave.
    pub fn name_of(&self, op: &Operation) -> &str {
        &self.names.list[op.name as usize]
    }

    fn next(&mut self, line: u32) -> Result<u32, Problem> {
        if self.position >= NEVER - 2 {
            return Err(Problem::at(line, "the history has more than 4,294,967,292 calls and returns"));
        }
        self.position += 1;
        Ok(self.position - 1)
    }

    /// A process calls an operation.
    pub fn call(
        &mut self,
        line: u32,
        process: i64,
        name: &str,
        key: Option<Datum>,
        input: Datum,
    ) -> Result<OpId, Problem> {
        match self.standing.get(&process) {
            Some(Standing::Open(id)) => {
                let op = &self.ops[id.index()];
                return Err(Problem::at(
                    line,
                    format!(
                        "process {process} calls `{name}` while its `{}` of line {} is still open",
                        self.names.list[op.name as usize], op.line
                    ),
                )
                .help("a process has at most one open operation; give each thread a number of its own"));
            }
            Some(Standing::Crashed(id)) => {
                let op = &self.ops[id.index()];
                return Err(Problem::at(
                    line,
                    format!(
                        "process {process} calls `{name}` although the end of its `{}` of line {} is unknown",
                        self.names.list[op.name as usize], op.line
                    ),
                )
                .help("after an unknown end the client goes on under a new process number"));
            }
            None => {}
        }
        let call = self.next(line)?;
        let id = OpId(self.ops.len() as u32);
        let name = self.names.of(name);
        self.ops.push(Operation {
            process,
            call,
            ret: NEVER,
            name,
            line,
            key,
            input,
            output: Output::Pending,
        });
        self.dropped.push(false);
        self.standing.insert(process, Standing::Open(id));
        Ok(id)
    }

    fn close(&mut self, line: u32, process: i64, what: &str) -> Result<OpId, Problem> {
        match self.standing.get(&process) {
            Some(Standing::Open(id)) => Ok(*id),
            Some(Standing::Crashed(_)) => Err(Problem::at(
                line,
                format!("process {process} {what} an operation whose end was already given as unknown"),
            )),
            None => Err(Problem::at(line, format!("process {process} {what} without a call"))
                .help("is the beginning of the log missing, or are its lines out of order?")),
        }
    }

    /// The open operation of a process returns; `None` when the result is not known.
    pub fn ret(&mut self, line: u32, process: i64, output: Option<Datum>) -> Result<OpId, Problem> {
        let id = self.close(line, process, "returns")?;
        let ret = self.next(line)?;
        let op = &mut self.ops[id.index()];
        op.ret = ret;
        op.output = output.map_or(Output::Lost, Output::Known);
        self.standing.remove(&process);
        Ok(id)
    }

    /// The open operation of a process certainly did not happen.
    pub fn fail(&mut self, line: u32, process: i64) -> Result<OpId, Problem> {
        let id = self.close(line, process, "fails")?;
        self.dropped[id.index()] = true;
        self.failed += 1;
        self.standing.remove(&process);
        Ok(id)
    }

    /// Nobody knows whether the open operation of a process happened.
    pub fn unknown(&mut self, line: u32, process: i64) -> Result<OpId, Problem> {
        let id = self.close(line, process, "loses")?;
        self.standing.insert(process, Standing::Crashed(id));
        Ok(id)
    }

    /// An entry that is no operation.
    pub fn note(&mut self, text: String) {
        self.notes.push(Note { position: self.position, text });
    }

    /// The key of the operation that a process has open, for formats that give it only at the return.
    pub fn set_key(&mut self, id: OpId, key: Datum) {
        self.ops[id.index()].key = Some(key);
    }

    /// The history; what is still open is pending.
    pub fn finish(self) -> History {
        let Builder { ops, dropped, names, position, notes, failed, .. } = self;
        let any = dropped.iter().any(|d| *d);
        let ops = if any {
            ops.into_iter().zip(dropped).filter(|(_, d)| !d).map(|(o, _)| o).collect()
        } else {
            ops
        };
        History { ops, names: names.list, length: position, notes, failed }
    }
}

/// One operation of a log that gives intervals.
#[derive(Clone, Debug)]
pub struct Interval {
    /// Line of the log.
    pub line: u32,
    /// Who, where the log says so.
    pub process: Option<i64>,
    /// Name of the operation.
    pub name: String,
    /// Argument.
    pub input: Datum,
    /// Result.
    pub output: Datum,
    /// Time of the call.
    pub start: i64,
    /// Time of the return.
    pub end: i64,
}

/// A history from intervals. They are closed: where a call and a return have the same time, the
/// call comes first. Without process numbers the smallest free one is given.
pub fn from_intervals(intervals: Vec<Interval>) -> Result<History, Problem> {
    let mut events: Vec<(i64, bool, u32)> = Vec::with_capacity(intervals.len() * 2);
    for (i, v) in intervals.iter().enumerate() {
        if v.end < v.start {
            return Err(Problem::at(
                v.line,
                format!("the operation ends at {} before it starts at {}", v.end, v.start),
            ));
        }
        events.push((v.start, false, i as u32));
        events.push((v.end, true, i as u32));
    }
    events.sort_unstable();
    let mut builder = Builder::new();
    let mut free = std::collections::BTreeSet::new();
    let mut next = 0i64;
    let mut process = vec![0i64; intervals.len()];
    for (_, ret, i) in events {
        let v = &intervals[i as usize];
        if !ret {
            let p = v.process.unwrap_or_else(|| {
                free.pop_first().unwrap_or_else(|| {
                    next += 1;
                    next - 1
                })
            });
            process[i as usize] = p;
            builder.call(v.line, p, &v.name, None, v.input.clone())?;
        } else {
            let p = process[i as usize];
            builder.ret(v.line, p, Some(v.output.clone()))?;
            if v.process.is_none() {
                free.insert(p);
            }
        }
    }
    Ok(builder.finish())
}
