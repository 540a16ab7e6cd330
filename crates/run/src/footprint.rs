//! What the steps of a run touch: which of them can be exchanged without anybody seeing it.

use crate::log::{AccessKind, Action, End, Op, Record, Run};

/// A step of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Who makes it, from 1.
    pub thread: u8,
    /// What it is.
    pub what: What,
    /// Whether the run ends with it.
    pub ends: bool,
    /// Bits of threads that go round in loops before it: until somebody writes, another round would be like the last.
    pub waiting: u64,
}

/// What a step is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// An operation is called.
    Call,
    /// An operation returns.
    Return,
    /// Memory or locks are accessed.
    Accesses(Vec<Touch>),
}

/// A range of bytes that is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    from: u64,
    to: u64,
    write: bool,
    /// Of a lock or condition variable: what is done with it.
    kind: Option<AccessKind>,
}

impl Step {
    /// A step that touches nothing.
    pub fn nothing(thread: u8) -> Step {
        Step { thread, what: What::Accesses(Vec::new()), ends: false, waiting: 0 }
    }

    /// Whether others may see that it was made, so that they look again.
    fn writes(&self) -> bool {
        match &self.what {
            What::Call | What::Return => true,
            What::Accesses(touches) => touches.iter().any(|t| t.write),
        }
    }

    fn locks(&self, kind: AccessKind) -> impl Iterator<Item = u64> + '_ {
        let touches = match &self.what {
            What::Accesses(touches) => touches.as_slice(),
            What::Call | What::Return => &[],
        };
        touches.iter().filter(move |t| t.kind == Some(kind)).map(|t| t.from)
    }

    /// Whether this step releases a lock that another takes: the other is impossible before.
    pub fn lets_go_for(&self, other: &Step) -> bool {
        self.locks(AccessKind::Unlock).any(|lock| other.locks(AccessKind::Lock).any(|taken| taken == lock))
    }
}

/// Whether the order of two steps of different threads can be seen.
pub fn depend(a: &Step, b: &Step) -> bool {
    match (&a.what, &b.what) {
        _ if a.ends || b.ends => true,
        (What::Call, What::Return) | (What::Return, What::Call) => true,
        (What::Accesses(a), What::Accesses(b)) => {
            let meet = |x: &Touch, y: &Touch| (x.write || y.write) && x.from < y.to && y.from < x.to;
            a.iter().any(|x| b.iter().any(|y| meet(x, y)))
        }
        _ => false,
    }
}

/// The steps of a run, in order; calls and returns are some of them or not. One that ends the run before it is recorded is
/// the last.
pub fn steps(run: &Run, calls: bool) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut blocked = 0u64;
    for record in run.records() {
        let (thread, what) = match record {
            Record::Block(thread, ..) => {
                // It is over with the next step that writes.
                blocked |= 1 << thread;
                continue;
            }
            Record::Call(thread, _) if calls => (thread, What::Call),
            Record::Return(thread, ..) if calls => (thread, What::Return),
            Record::Access { thread, action, old, new, part, .. } => {
                let touch = touch(&action, old, new);
                if part && let Some(What::Accesses(touches)) = steps.last_mut().map(|s| &mut s.what) {
                    touches.push(touch);
                    continue;
                }
                (thread, What::Accesses(vec![touch]))
            }
            _ => continue,
        };
        if thread > 0 {
            add(&mut steps, &mut blocked, Step { thread: thread as u8, what, ends: false, waiting: 0 });
        }
    }
    if run.end == End::Finding && run.thread > 0 {
        let last = Step { ends: true, ..Step::nothing(run.thread as u8) };
        add(&mut steps, &mut blocked, last);
    }
    steps
}

/// Adds a step. Threads that go round in loops wait since the last step before it that wrote.
fn add(steps: &mut Vec<Step>, blocked: &mut u64, step: Step) {
    let waiting = *blocked & !(1 << step.thread);
    *blocked = if step.writes() { 0 } else { waiting };
    steps.push(Step { waiting, ..step });
}

/// The locks that threads wait for in the end, as the steps that would take them.
pub fn pending(run: &Run) -> Vec<Step> {
    let mut found = Vec::new();
    for record in run.records() {
        if let Record::Pending(thread, lock, _) = record {
            let touch = Touch { from: lock, to: lock + 1, write: true, kind: Some(AccessKind::Lock) };
            let what = What::Accesses(vec![touch]);
            found.push(Step { what, ..Step::nothing(thread as u8) });
        }
    }
    found
}

fn touch(action: &Action, old: &[u64], new: &[u64]) -> Touch {
    let (from, to) = match action.kind {
        // The first step on a block frees all of it.
        AccessKind::Free | AccessKind::Reuse => (action.a as u64, action.a as u64 + (action.b as u64).max(1)),
        kind if kind.of_player() => (action.address, action.address + 1),
        _ => (action.address, action.address + u64::from(action.size)),
    };
    let write = match action.kind {
        AccessKind::Load | AccessKind::Read => false,
        // A comparison that fails is a read; so is one that stores what is there.
        AccessKind::Update => action.op != Op::Compare || old != new,
        _ => true,
    };
    Touch { from, to, write, kind: action.kind.of_player().then_some(action.kind) }
}
