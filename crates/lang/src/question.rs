//! What can be asked of a machine: one type from the checked source to the trace file.

use std::sync::Arc;

use trueline_base::{Equivalence, Violation};

use crate::ir::{InstrKind, Machine, Module, OpId, Pc, Routine, ScriptNode};

/// A property of a machine, with all that is needed to decide it. Cheap to clone.
#[derive(Clone, Debug)]
pub enum Question {
    /// No finding can be reached.
    Safe,
    /// Every history is linearizable to a specification; its operations are found by name.
    Linearizable {
        /// The specification.
        spec: Arc<Module>,
        /// Operations with marks take effect at their marks.
        points: bool,
    },
    /// Its visible traces are traces of the other machine too; operations correspond by name.
    Refines {
        /// The other object under the same client.
        other: Arc<Machine>,
    },
    /// In every state the routine, run at once, returns true on every way; a finding in it counts as false.
    Invariant {
        /// Gives the condition.
        routine: Arc<Routine>,
        /// The condition as the user wrote it.
        text: String,
    },
    /// No struct becomes unreachable without having been freed; always so under garbage collection.
    LeakFree,
    /// Operations complete.
    Progress {
        /// Which, and under which schedulers.
        progress: Progress,
        /// What says when an operation may wait; only where some operation of it can.
        spec: Option<Arc<Module>>,
    },
    /// The transition systems of the two are equivalent; operations correspond by name.
    Equivalent {
        /// The other object under the same client.
        other: Arc<Machine>,
        /// In which sense.
        by: Equivalence,
    },
    /// Not built yet.
    Unavailable,
}

/// Which operations complete, under which schedulers.
///
/// A thread is *inside* from its call to its return, and *blocked* when it is inside and each of its ways waits
/// (`await`, `lock`). Under every scheduler, a blocked thread counts as taking silent steps for ever, whatever the
/// others do: they may never be scheduled again. A weakly fair scheduler lets every thread go on that is inside and, from
/// some moment on, never blocked; nobody has to call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Progress {
    /// Under every scheduler some operation completes: no execution goes on for ever without a return.
    LockFree,
    /// Under every scheduler every operation, or this one, completes in finitely many of its own steps.
    WaitFree(Option<OpId>),
    /// A thread that runs alone completes its operation.
    ObstructionFree,
    /// Under a weakly fair scheduler some operation completes, unless all that are running wait legitimately: in no order of
    /// the operations so far that explains the results could one of them take effect.
    DeadlockFree,
    /// Under a weakly fair scheduler every operation completes, unless it waits legitimately from some moment on.
    StarvationFree,
}

impl Progress {
    /// Whether schedulers are weakly fair.
    pub fn fair(self) -> bool {
        matches!(self, Progress::DeadlockFree | Progress::StarvationFree)
    }

    /// Whether it speaks of others that go on for ever, so that a client that ends cannot show it.
    pub fn needs_endless_clients(self) -> bool {
        matches!(self, Progress::WaitFree(_) | Progress::StarvationFree)
    }

    /// Whether some thread calls an operation in question that could go on for ever, and somebody else stops calling:
    /// then that no operation went on for ever says little.
    pub fn outlives_client(self, machine: &Machine) -> bool {
        if !self.needs_endless_clients() {
            return false;
        }
        let ops = &machine.object.ops;
        let asked = |op: OpId| !matches!(self, Progress::WaitFree(Some(only)) if only != op);
        let long = |op: OpId| asked(op) && may_go_on(&ops[op.0 as usize].routine);
        let calls =
            |node: &ScriptNode| matches!(node, ScriptNode::Call(all) if all.iter().any(|a| long(a.op)));
        let endless: Vec<bool> = machine.threads.iter().map(|t| !t.script.ends()).collect();
        (0..endless.len()).any(|t| {
            let others = || (0..endless.len()).filter(|other| *other != t);
            machine.threads[t].script.nodes.iter().any(calls) && others().any(|other| !endless[other])
        })
    }
}

/// Whether code has a loop or waits.
fn may_go_on(routine: &Routine) -> bool {
    let waits = |kind: &InstrKind| matches!(kind, InstrKind::Await(_) | InstrKind::Lock(_));
    let back =
        |(pc, kind): (usize, &InstrKind)| kind.successors(pc as Pc).iter().any(|next| *next <= pc as Pc);
    let kinds = || routine.code.iter().map(|instr| &instr.kind);
    kinds().any(waits) || kinds().enumerate().any(back)
}

impl Question {
    /// Whether every history is linearizable, wherever operations take effect.
    pub fn linearizable(spec: &Module) -> Question {
        Question::Linearizable { spec: Arc::new(spec.clone()), points: false }
    }

    /// Whether every visible trace is one of this machine.
    pub fn refines(other: &Machine) -> Question {
        Question::Refines { other: Arc::new(other.clone()) }
    }

    /// The specification that it is about.
    pub fn specification(&self) -> Option<&Module> {
        match self {
            Question::Linearizable { spec, .. } => Some(spec),
            _ => None,
        }
    }

    /// Whether the answer depends on linearization points.
    pub fn relies_on_points(&self) -> bool {
        matches!(self, Question::Linearizable { points: true, .. })
    }

    /// The same question, with operations that take effect at any moment.
    pub fn without_points(&self) -> Question {
        match self {
            Question::Linearizable { spec, .. } => {
                Question::Linearizable { spec: spec.clone(), points: false }
            }
            other => other.clone(),
        }
    }

    /// Whether that is a way in which the answer can be no.
    pub fn fails_by(&self, violation: Violation) -> bool {
        match violation {
            Violation::Finding { .. } => matches!(self, Question::Safe),
            Violation::NotLinearizable | Violation::Point(_) => matches!(self, Question::Linearizable { .. }),
            Violation::NotRefined => matches!(self, Question::Refines { .. }),
            Violation::Invariant => matches!(self, Question::Invariant { .. }),
            Violation::Leak => matches!(self, Question::LeakFree),
            Violation::NotEquivalent => matches!(self, Question::Equivalent { .. }),
            Violation::Blocked { .. } => {
                matches!(self, Question::Progress { progress, .. } if !progress.fair())
            }
            Violation::Stuck { .. } => matches!(self, Question::Progress { progress, .. } if progress.fair()),
            Violation::Forever { .. } => matches!(self, Question::Progress { .. }),
            // A warning of every check; nobody asks for it.
            Violation::Deadlock => false,
        }
    }
}
