//! The naive twin: every execution, one after the other, on the reference interpreter.
//!
//! Written from the definitions (Herlihy and Wing, ACM TOPLAS 1990) and sharing nothing with the engine below the steps
//! of a machine: no canonical states, no storage, no sets of configurations. Executions are enumerated depth first;
//! each history that a return completes is decided by trying the orders of its operations. An execution that comes
//! back to a state of its own is given up: what follows also follows there, in fewer moves, and between the two
//! nothing was called or returned, as clients here make finitely many calls. Claim: exact for such clients. Cost:
//! exponential; for tests on small machines.

mod history;
mod traces;

pub use history::{History, Operation, linearizable};
pub use traces::{Visible, traces};

use std::collections::{BTreeSet, HashMap};
use trueline_base::verdict::Finding;
use trueline_lang::interp::{self, ObservableEvent, State};
use trueline_lang::ir::{Action, Machine, Module, Move, Schedule};

/// The size of an execution: threads that take part, calls, context switches, moves, and switches away from a thread
/// that is inside an operation; compared in this order.
pub type ExecutionSize = (u32, u32, u32, u32, u32);

/// The size of the execution that a schedule describes.
pub fn size(schedule: &Schedule) -> ExecutionSize {
    let after = |progress: Progress, made: &Move| {
        let (call, back) = (matches!(made.action, Action::Call(_)), made.action == Action::Return);
        progress.after(made.thread, call, back)
    };
    schedule.moves.iter().fold(Progress::default(), after).size()
}

/// What all executions together show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Enumeration {
    /// Executions that were ended by a violation or a finding, or could not go on.
    pub executions: u64,
    /// The least size at which a history is not linearizable.
    pub violation: Option<ExecutionSize>,
    /// The least size at which an execution ends in a finding.
    pub finding: Option<ExecutionSize>,
    /// The findings met.
    pub findings: BTreeSet<Finding>,
    /// The least number of moves after which nobody can go on though somebody would.
    pub dead_end: Option<u32>,
}

/// Enumerates the executions of a machine, with a specification also deciding their histories. None when there are
/// more than `most` moves in all, or an execution has more than 500.
pub fn enumerate(machine: &Machine, spec: Option<&Module>, most: u64) -> Option<Enumeration> {
    let found = Enumeration::default();
    let mut walk = Walk { machine, spec, left: most, decided: HashMap::new(), path: Vec::new(), found };
    for (_, start) in interp::initial(machine) {
        match start {
            Ok(state) => walk.extend(&state, &History::default(), Progress::default())?,
            Err(finding) => walk.finding(finding, Progress::default()),
        }
    }
    Some(walk.found)
}

/// Executions that are longer are too many.
const DEEPEST: usize = 500;

struct Walk<'a> {
    machine: &'a Machine,
    spec: Option<&'a Module>,
    left: u64,
    decided: HashMap<History, bool>,
    /// The states of the execution at hand.
    path: Vec<State>,
    found: Enumeration,
}

/// How large an execution is so far.
#[derive(Clone, Copy, Default)]
struct Progress {
    movers: u64,
    last: Option<u8>,
    calls: u32,
    switches: u32,
    moves: u32,
    /// Whether the thread that moved last is inside an operation.
    inside: bool,
    interruptions: u32,
}

impl Progress {
    fn after(mut self, thread: u8, call: bool, back: bool) -> Progress {
        self.movers |= 1 << thread;
        self.calls += call as u32;
        let switches = self.last.is_some_and(|last| last != thread);
        self.switches += switches as u32;
        self.interruptions += (switches && self.inside) as u32;
        self.moves += 1;
        self.inside = !back;
        self.last = Some(thread);
        self
    }

    fn size(self) -> ExecutionSize {
        (self.movers.count_ones(), self.calls, self.switches, self.moves, self.interruptions)
    }
}

fn least(known: &mut Option<ExecutionSize>, size: ExecutionSize) {
    *known = Some(known.map_or(size, |known| known.min(size)));
}

impl Walk<'_> {
    fn finding(&mut self, finding: Finding, progress: Progress) {
        self.found.executions += 1;
        self.found.findings.insert(finding);
        least(&mut self.found.finding, progress.size());
    }

    /// All ways to go on; None when there are too many.
    fn extend(&mut self, state: &State, history: &History, progress: Progress) -> Option<()> {
        if self.path.contains(state) {
            return Some(());
        }
        if self.path.len() == DEEPEST {
            return None;
        }
        self.path.push(state.clone());
        let mut moved = false;
        for thread in 0..self.machine.threads.len() as u8 {
            for way in interp::moves(self.machine, state, thread).ways {
                self.left = self.left.checked_sub(1)?;
                moved = true;
                let call = matches!(way.event, ObservableEvent::Call { .. });
                let back = matches!(way.event, ObservableEvent::Return { .. });
                let progress = progress.after(thread, call, back);
                let next = match way.result {
                    Ok(next) => next,
                    Err(finding) => {
                        self.finding(finding, progress);
                        continue;
                    }
                };
                let mut history = history.clone();
                match way.event {
                    ObservableEvent::Silent => {}
                    ObservableEvent::Call { op, args } => history.call(thread, op, args),
                    ObservableEvent::Return { value, .. } => {
                        history.give_back(thread, value);
                        if !self.allowed(&history) {
                            self.found.executions += 1;
                            least(&mut self.found.violation, progress.size());
                            continue;
                        }
                    }
                }
                self.extend(&next, &history, progress)?;
            }
        }
        self.path.pop();
        self.found.executions += !moved as u64;
        if !moved && !interp::dead_end(self.machine, state).is_empty() {
            let known = &mut self.found.dead_end;
            *known = Some(known.map_or(progress.moves, |known| known.min(progress.moves)));
        }
        Some(())
    }

    fn allowed(&mut self, history: &History) -> bool {
        let Some(spec) = self.spec else { return true };
        if let Some(known) = self.decided.get(history) {
            return *known;
        }
        let answer = linearizable(history, self.machine, spec);
        self.decided.insert(history.clone(), answer);
        answer
    }
}
