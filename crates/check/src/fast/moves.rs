//! The moves of a thread under merging and tight intervals.
//!
//! Both reductions put several moves of one thread together. That is done on the state at hand, where each is taken
//! once per pair of parts. *Tight*: a call goes on with the first step of its operation, a last step with the return;
//! an operation without steps is called and returns at once. *Merge*: a step goes on with accesses to structs that no
//! other thread can reach, as long as there is exactly one way to go on: then nothing is left out, whatever follows.
//! Preserve histories up to the order of operations, which tight intervals only extend, so that what has no
//! linearization still has none; findings, dead ends and cycles. Oracle: the same search without them.

use super::letters::Seen;
use crate::machine::state::{Phase, State};
use crate::machine::touched::Touched;
use crate::machine::{Enabled, Explorer, eval};
use trueline_base::Value;
use trueline_base::verdict::Finding;
use trueline_lang::ir::{Action, InstrKind, OpId, Pc, Place};

/// Moves merged into one at most: a bound, so that endless private loops stay cycles of the state space.
const MERGED: usize = 64;

/// A move, or several in one.
pub(super) struct Made {
    /// What the thread does.
    pub actions: Vec<Action>,
    /// What is seen of it.
    pub seen: Vec<Seen>,
    /// Where it leads.
    pub to: Result<State, Finding>,
}

/// What a thread can do.
pub(super) struct Moves {
    pub made: Vec<Made>,
    /// Nothing is left to do.
    pub done: bool,
    /// Where ways wait for others.
    pub waits: Vec<(OpId, Pc)>,
    /// What all ways read and write, those that wait included.
    pub touched: Touched,
    /// Whether a way stores into a struct that had left shared memory.
    pub rewrites: bool,
}

/// Which moves are put together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Together {
    pub merge: bool,
    pub tight: bool,
    /// Whether steps are to be seen.
    pub steps: bool,
}

/// Every move of a thread; `global` says which structs belonged to the global part before it. States are made of
/// `spare` ones as long as there are some.
pub(super) fn moves(
    explorer: &mut Explorer<'_>,
    together: Together,
    from: &State,
    t: usize,
    global: &dyn Fn(u32) -> bool,
    spare: &mut Vec<State>,
) -> Moves {
    let mut maker = Maker {
        explorer,
        together,
        global,
        spare,
        waits: Vec::new(),
        touched: Touched::default(),
        rewrites: false,
        done: false,
    };
    let first = maker.once(from, t);
    let done = maker.done;
    let idle = from.threads[t].phase == Phase::Idle;
    let mut made = Vec::new();
    for one in first {
        maker.go_on(one, t, idle, &mut made);
    }
    Moves { made, done, waits: maker.waits, touched: maker.touched, rewrites: maker.rewrites }
}

struct Maker<'e, 'm> {
    explorer: &'e mut Explorer<'m>,
    together: Together,
    global: &'e dyn Fn(u32) -> bool,
    spare: &'e mut Vec<State>,
    waits: Vec<(OpId, Pc)>,
    touched: Touched,
    rewrites: bool,
    /// Whether there was nothing to do when moves were asked for last.
    done: bool,
}

impl Maker<'_, '_> {
    /// Every single move.
    fn once(&mut self, from: &State, t: usize) -> Vec<Made> {
        let steps = self.together.steps;
        let op = from.threads[t].op;
        let mut all = Vec::new();
        let spare = &mut *self.spare;
        let enabled = self.explorer.moves(from, t, &mut |edge| {
            let action = edge.action();
            let to = edge.target.map(|to| std::mem::replace(to, spare.pop().unwrap_or_default()));
            let seen = match Seen::of(edge.label) {
                Some(seen) => vec![seen],
                None if edge.points > 0 || steps => {
                    let wrote = to.as_ref().is_ok_and(|to| {
                        to.shared != from.shared
                            || to.heap.cells[..from.heap.cells.len()] != from.heap.cells[..]
                    });
                    vec![Seen::Step { op, wrote, points: edge.points }]
                }
                None => Vec::new(),
            };
            all.push(Made { actions: vec![action], seen, to });
        });
        let touched = &self.explorer.touched;
        let left = |a: u32| from.heap.heads.get(a as usize).is_some_and(|head| head.left);
        self.rewrites |= touched.writes.iter().any(|cell| left(cell.address));
        self.touched.absorb(touched);
        if let Enabled::Blocked(op, pc) = enabled {
            self.waits.push((op, pc));
        }
        self.done = enabled == Enabled::Done;
        all
    }

    /// Puts on what belongs to a move.
    fn go_on(&mut self, made: Made, t: usize, called: bool, out: &mut Vec<Made>) {
        let Ok(state) = &made.to else { return out.push(made) };
        let phase = state.threads[t].phase;
        if self.together.tight && called && phase == Phase::Running {
            for one in self.once(state, t) {
                self.go_on(after(&made, one), t, false, out);
            }
            return;
        }
        let mut made = made;
        if self.together.merge && phase == Phase::Running {
            made = self.merged(made, t);
        }
        match &made.to {
            Ok(state) if self.together.tight && state.threads[t].phase == Phase::Returning => {
                let back = self.once(state, t).pop().expect("a thread about to return does");
                out.push(after(&made, back));
            }
            _ => out.push(made),
        }
    }

    /// Goes on with accesses to what nobody else can reach.
    fn merged(&mut self, mut made: Made, t: usize) -> Made {
        for _ in 0..MERGED {
            let Ok(state) = &made.to else { break };
            if state.threads[t].phase != Phase::Running || !self.next_is_private(state, t) {
                break;
            }
            let waits = self.waits.len();
            let mut next = self.once(state, t);
            self.waits.truncate(waits);
            let certain = next.len() == 1
                && next[0].to.is_ok()
                && next[0].actions == [Action::Step(Vec::new())]
                && next[0].seen.iter().all(|seen| matches!(seen, Seen::Step { points: 0, .. }));
            if !certain {
                break;
            }
            let mut one = next.pop().expect("there is one");
            // A private access is no occasion to take effect.
            one.seen.clear();
            let next = after(&made, one);
            self.spare.extend(std::mem::replace(&mut made, next).to);
        }
        made
    }

    /// Whether the next step is one access to a struct that only this thread can reach.
    fn next_is_private(&self, state: &State, t: usize) -> bool {
        let thread = &state.threads[t];
        let routine = &self.explorer.machine.object.ops[thread.op.0 as usize].routine;
        let Some(instr) = routine.code.get(thread.pc as usize) else { return false };
        use InstrKind::{Cas, Cmpxchg, Faa, Read, Swap, Tas, Write};
        let place = match &instr.kind {
            Read { place, .. } | Write { place, .. } | Cas { place, .. } | Cmpxchg { place, .. } => place,
            Swap { place, .. } | Faa { place, .. } | Tas { place, .. } => place,
            _ => return false,
        };
        if instr.mark.is_some() {
            return false;
        }
        let Place::Field { object, .. } = place else { return false };
        match eval(object, &thread.frame, t as u8).as_deref() {
            Ok(Value::Ref(address)) => !self.reached_by_others(state, *address),
            _ => false,
        }
    }

    /// Whether a struct can be reached through shared cells, or through what was global before the move.
    fn reached_by_others(&self, state: &State, wanted: u32) -> bool {
        let mut seen = vec![false; state.heap.heads.len()];
        let mut todo = Vec::new();
        let mut meet = |a: u32, todo: &mut Vec<u32>| {
            if !std::mem::replace(&mut seen[a as usize], true) {
                todo.push(a);
            }
        };
        for value in &state.shared {
            super::canon::references(value, &mut |a| meet(a, &mut todo));
        }
        for address in 0..state.heap.heads.len() as u32 {
            if (self.global)(address) {
                meet(address, &mut todo);
            }
        }
        while let Some(address) = todo.pop() {
            if address == wanted {
                return true;
            }
            for value in state.heap.cells(address) {
                super::canon::references(value, &mut |a| meet(a, &mut todo));
            }
        }
        false
    }
}

/// Two moves as one.
fn after(first: &Made, second: Made) -> Made {
    let actions = first.actions.iter().cloned().chain(second.actions).collect();
    let seen = first.seen.iter().cloned().chain(second.seen).collect();
    Made { actions, seen, to: second.to }
}
