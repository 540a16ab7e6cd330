//! Puts a history together from calls and returns, and says what does not fit.

use std::collections::HashMap;
use std::fmt;

use foldhash::fast::FixedState;

use crate::datum::Datum;
use crate::history::{History, NEVER, Names, Note, OpId, Operation};
use crate::value::{Value, Values};

/// What is wrong with a recording, and on which line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Line of the log, from 1; 0 when there is none.
    pub line: u32,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// The way out, where one is known.
    pub help: Option<String>,
    /// What whoever asked can ask otherwise.
    pub settings: Vec<Setting>,
}

/// What can be asked otherwise, so that a log is read or judged. How this is said is up to whoever asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// More memory may be used, or the log split.
    Memory,
    /// The format of the log can be named.
    Format,
    /// The log was taken for this format, and another one can be named.
    OtherFormat(String),
    /// Values are no pairs of keys and values, and were said to be.
    OneObject,
    /// The specification can be that of a register, with reads and writes only.
    Register,
}

impl Problem {
    /// A problem on a line.
    pub fn at(line: u32, message: impl Into<String>) -> Problem {
        Problem { line, message: message.into(), help: None, settings: Vec::new() }
    }

    /// The same with a way out.
    pub fn help(mut self, help: impl Into<String>) -> Problem {
        self.help = Some(help.into());
        self
    }

    /// The same with something that can be asked otherwise.
    pub fn setting(mut self, setting: Setting) -> Problem {
        self.settings.push(setting);
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ProcessStanding {
    #[default]
    Idle,
    Open(OpId),
    /// Its last operation has an unknown end, so it cannot call again.
    Crashed(OpId),
}

/// Process numbers below this have a place of their own.
const DENSE: i64 = 1 << 16;

/// How every process stands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Standings {
    dense: Vec<ProcessStanding>,
    others: HashMap<i64, ProcessStanding, FixedState>,
}

impl Standings {
    pub fn get(&self, process: i64) -> ProcessStanding {
        let found = match usize::try_from(process) {
            Ok(p) if process < DENSE => self.dense.get(p),
            _ => self.others.get(&process),
        };
        found.copied().unwrap_or_default()
    }

    pub fn set(&mut self, process: i64, standing: ProcessStanding) {
        match usize::try_from(process) {
            Ok(p) if process < DENSE => {
                if p >= self.dense.len() {
                    self.dense.resize(p + 1, ProcessStanding::Idle);
                }
                self.dense[p] = standing;
            }
            _ if standing == ProcessStanding::Idle => drop(self.others.remove(&process)),
            _ => drop(self.others.insert(process, standing)),
        }
    }
}

/// The name of an operation that certainly did not happen, until it is taken out.
const DROPPED: u32 = u32::MAX;

/// Builds a history from calls and returns in their order.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    ops: Vec<Operation>,
    keys: Vec<Value>,
    values: Values,
    names: Names,
    standing: Standings,
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

    /// Bytes that it takes, about.
    pub fn bytes(&self) -> u64 {
        (self.ops.len() * std::mem::size_of::<Operation>() + self.keys.len() * 4) as u64 + self.values.bytes()
    }

    fn next(&mut self, line: u32) -> Result<u32, Problem> {
        if self.position >= NEVER - 2 {
            return Err(Problem::at(line, "the history has more than 4,294,967,292 calls and returns"));
        }
        self.position += 1;
        Ok(self.position - 1)
    }

    /// The data of the history.
    pub(crate) fn values(&mut self) -> &mut Values {
        &mut self.values
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
        let input = self.values.number(input);
        let key = key.map_or(Value::NONE, |d| self.values.number(d));
        self.begin(line, process, name, key, input)
    }

    /// The same with data of the history.
    pub(crate) fn begin(
        &mut self,
        line: u32,
        process: i64,
        name: &str,
        key: Value,
        input: Value,
    ) -> Result<OpId, Problem> {
        match self.standing.get(process) {
            ProcessStanding::Idle => {}
            busy => return Err(self.busy(line, process, name, busy)),
        }
        let call = self.next(line)?;
        let id = OpId(self.ops.len() as u32);
        let name = self.names.of(name);
        self.ops.push(Operation { process, call, ret: NEVER, name, line, input, output: Value::NONE });
        if key.is_some() {
            self.keys.resize(self.ops.len() - 1, Value::NONE);
            self.keys.push(key);
        }
        self.standing.set(process, ProcessStanding::Open(id));
        Ok(id)
    }

    /// What is wrong when a process that is not idle calls.
    #[cold]
    fn busy(&self, line: u32, process: i64, name: &str, standing: ProcessStanding) -> Problem {
        let before = |id: OpId| {
            let op = &self.ops[id.index()];
            format!("its `{}` of line {}", self.names.get(op.name), op.line)
        };
        let calls = format!("process {process} calls `{name}`");
        match standing {
            ProcessStanding::Open(id) => {
                Problem::at(line, format!("{calls} while {} is still open", before(id)))
                    .help("a process has at most one open operation; give each thread a number of its own")
            }
            ProcessStanding::Crashed(id) => {
                Problem::at(line, format!("{calls} although the end of {} is unknown", before(id)))
                    .help("after an unknown end the client goes on under a new process number")
            }
            ProcessStanding::Idle => unreachable!("an idle process may call"),
        }
    }

    fn close(&mut self, line: u32, process: i64, what: &str) -> Result<OpId, Problem> {
        match self.standing.get(process) {
            ProcessStanding::Open(id) => Ok(id),
            ProcessStanding::Crashed(_) => Err(Problem::at(
                line,
                format!("process {process} {what} an operation whose end was already given as unknown"),
            )),
            ProcessStanding::Idle => {
                Err(Problem::at(line, format!("process {process} {what} without a call"))
                    .help("is the beginning of the log missing, or are its lines out of order?"))
            }
        }
    }

    /// The open operation of a process returns; `None` when the result is not known.
    pub fn ret(&mut self, line: u32, process: i64, output: Option<Datum>) -> Result<OpId, Problem> {
        let output = output.map_or(Value::NONE, |d| self.values.number(d));
        self.end(line, process, output)
    }

    /// The same with a datum of the history.
    pub(crate) fn end(&mut self, line: u32, process: i64, output: Value) -> Result<OpId, Problem> {
        let id = self.close(line, process, "returns")?;
        let ret = self.next(line)?;
        let op = &mut self.ops[id.index()];
        (op.ret, op.output) = (ret, output);
        self.standing.set(process, ProcessStanding::Idle);
        Ok(id)
    }

    /// The open operation of a process certainly did not happen.
    pub fn fail(&mut self, line: u32, process: i64) -> Result<OpId, Problem> {
        let id = self.close(line, process, "fails")?;
        self.ops[id.index()].name = DROPPED;
        self.failed += 1;
        self.standing.set(process, ProcessStanding::Idle);
        Ok(id)
    }

    /// Nobody knows whether the open operation of a process happened.
    pub fn unknown(&mut self, line: u32, process: i64) -> Result<OpId, Problem> {
        let id = self.close(line, process, "loses")?;
        self.standing.set(process, ProcessStanding::Crashed(id));
        Ok(id)
    }

    /// An entry that is no operation.
    pub fn note(&mut self, text: String) {
        self.notes.push(Note { position: self.position, text });
    }

    /// The history; what is still open is pending.
    pub fn finish(self) -> History {
        let Builder { mut ops, mut keys, values, names, position, notes, failed, .. } = self;
        if !keys.is_empty() {
            keys.resize(ops.len(), Value::NONE);
        }
        if failed > 0 {
            let mut at = 0;
            keys.retain(|_| {
                at += 1;
                ops[at - 1].name != DROPPED
            });
            ops.retain(|op| op.name != DROPPED);
        }
        History {
            ops,
            keys,
            values,
            names: names.into_list(),
            length: position,
            notes,
            failed,
            ..History::default()
        }
    }
}
