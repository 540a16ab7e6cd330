//! Goes on with a graph without a run, as far as it is known what its threads do next (`recall`).
//!
//! By the rule that the player goes on after its plan: the first thread that can makes the next step. What ends with a
//! thread that waits for what another execution has needs no run at all, unless it has a data race; nor does a complete
//! execution, if it is known what comes after its threads (`after`). Everything else is played, and so are some of these, to
//! be sure that the program does what is remembered.

use super::{Execution, Explorer, Outcome, Span};
use crate::graph::{Event, Graph, INIT, MOST_EVENTS};
use crate::log::AccessKind;
use crate::memory::MemoryStep;
use crate::player::Plan;
use crate::race;
use crate::rc11::Before;
use crate::recall::{After, Next, Node};

/// One of so many graphs that need no run is run all the same.
const AUDIT: u64 = 64;

/// Where a graph leads.
pub(super) enum Way {
    /// To an execution that needs no run, with what comes of a complete one.
    Ends(Outcome, Option<After>),
    /// To a run.
    Play,
    /// To a place that a run which was begun will tell of.
    Later,
    /// Nowhere: it cannot be.
    Nowhere,
}

/// What a thread is about to do.
enum Turn {
    /// A step that it can make.
    Step(u8, MemoryStep, u64),
    /// A fence, which comes by itself after what its thread has done.
    Fence(u8, u8),
    /// It is stopped in a loop.
    Blocked(u8, usize, u64),
    /// Nobody can go on, and somebody is stopped.
    Stopped,
    /// All have ended.
    Ended,
    /// Nobody knows yet.
    Ask(Node),
    /// A run must tell.
    Play,
}

impl Explorer {
    /// Adds what is known to come next.
    pub(super) fn go_on(&mut self, graph: &mut Graph) -> Way {
        if !self.remembers || self.recall.contradicted {
            return Way::Play;
        }
        // Where reads may see old writes, a race ends its execution: nothing comes after it.
        let mut before = self.weak().then(|| Before::of(graph));
        if before.as_ref().is_some_and(|b| self.race(graph, b, 0..graph.events.len()).is_some()) {
            return Way::Play;
        }
        let (outcome, after) = loop {
            if self.recall.news {
                self.catch_up();
            }
            match self.turn(graph) {
                Turn::Play => return Way::Play,
                Turn::Ask(node) if self.recall.is_told(node) => {}
                Turn::Ask(node) if self.asked.insert(node) => return Way::Play,
                Turn::Ask(_) => return Way::Later,
                Turn::Stopped => break (self.blocked(graph), None),
                Turn::Ended => match self.after_threads(graph) {
                    None => return Way::Play,
                    after => break (Outcome::Complete, after),
                },
                Turn::Fence(thread, order) => {
                    self.add_fence(graph, thread, order);
                    before.as_mut().map(|b| b.renew(graph));
                }
                Turn::Blocked(thread, accesses, local) => {
                    self.block(graph, usize::from(thread), accesses, local);
                }
                Turn::Step(thread, step, local) => {
                    let (first, alternatives) = (graph.threads[usize::from(thread)].len(), self.stack.len());
                    let kind = self.memory.actions.get(step.action).kind;
                    if self.add(graph, thread, &step, kind).is_err() || self.late() {
                        return Way::Play;
                    }
                    if let Some(before) = &mut before {
                        let new = before.renew(graph);
                        if self.race(graph, before, new).is_some() {
                            self.stack.truncate(alternatives);
                            return Way::Play;
                        }
                    }
                    self.note_new(graph, usize::from(thread), first, alternatives, local);
                }
            }
        };
        self.recalled += 1;
        let known = matches!(outcome, Outcome::Cut | Outcome::Complete)
            && !self.recalled.is_multiple_of(AUDIT)
            && self.reaches_others(graph).is_none()
            && (self.weak() || !race::in_graph(graph, &self.memory, &mut self.lists));
        if known { Way::Ends(outcome, after) } else { Way::Play }
    }

    /// An execution that needs no run. Only of complete ones is it told what operations answered.
    pub(super) fn recalled(&mut self, graph: Graph, outcome: Outcome, after: Option<After>) -> Execution {
        let mut execution = Execution {
            plan: Plan::default(),
            graph,
            operations: Vec::new(),
            alone: Vec::new(),
            ran: 0,
            waits: None,
            outcome,
            race: None,
        };
        let Some(after) = after else { return execution };
        execution.operations = self.spare.pop().unwrap_or_default();
        execution.operations.resize_with(self.threads, Vec::new);
        (execution.alone, execution.waits) = (after.0.clone(), after.1);
        for (thread, operations) in execution.operations.iter_mut().enumerate() {
            let nodes = execution.graph.threads[thread].iter().map(|id| execution.graph.event(*id).after);
            let (mut count, mut last) = (0, None);
            for (end, node) in std::iter::once(self.recall.root(thread as u8)).chain(nodes).enumerate() {
                // Both halves of a read-modify-write lead to the same place: operations return after the second.
                let returns = self.recall.returns(node);
                count -= if last == Some(node) { returns.len() } else { 0 };
                last = Some(node);
                for returned in returns {
                    note_operation(operations, count, (returned.begun, end as u16), &returned.values);
                    count += 1;
                }
            }
            operations.truncate(count);
        }
        execution
    }

    fn turn(&self, graph: &Graph) -> Turn {
        if graph.events.len() + 2 > MOST_EVENTS.min(self.most_steps) {
            return Turn::Play;
        }
        for thread in 0..graph.threads.len() as u8 {
            let stopped = graph.last(thread).is_some_and(|id| graph.event(id).blocks > 0);
            if let Next::Fence(order) = *self.recall.next(self.node(graph, thread))
                && !stopped
            {
                return Turn::Fence(thread, order);
            }
        }
        let (mut stopped, mut waits) = (false, false);
        for thread in 0..graph.threads.len() as u8 {
            let last = graph.last(thread).map(|id| graph.event(id));
            if last.is_some_and(|e| e.blocks > 0) {
                stopped = true;
                continue;
            }
            let node = last.map_or_else(|| self.recall.root(thread), |e| e.after);
            match *self.recall.next(node) {
                Next::Unknown => return Turn::Ask(node),
                Next::Hidden => return Turn::Play,
                Next::Ended | Next::Fence(_) => {}
                Next::Blocked(accesses, local) => return Turn::Blocked(thread, accesses, local),
                Next::Step(step, _) if self.waits(graph, &step) => waits = true,
                Next::Step(step, local) => {
                    return match self.foreseen(graph, thread, &step, local) {
                        true => Turn::Step(thread, step, local),
                        false => Turn::Play,
                    };
                }
            }
        }
        match (stopped, waits) {
            // Who waits for locks for ever is for the player to say.
            (_, true) => Turn::Play,
            (true, false) => Turn::Stopped,
            (false, false) => Turn::Ended,
        }
    }

    /// Whether a step takes a lock that is held.
    fn waits(&self, graph: &Graph, step: &MemoryStep) -> bool {
        let last = graph.writes(step.loc).last().copied().unwrap_or(INIT);
        let value = || match last {
            INIT => self.memory.initial(step.loc),
            write => Some(graph.event(write).value),
        };
        self.memory.actions.get(step.action).kind == AccessKind::Lock
            && value().is_none_or(|v| self.memory.values.get(v)[0] != 0)
    }

    /// Whether a step does nothing that depends on more than the graph shows.
    fn foreseen(&self, graph: &Graph, thread: u8, step: &MemoryStep, local: u64) -> bool {
        let action = self.memory.actions.get(step.action);
        let fits = match action.kind {
            AccessKind::Wait | AccessKind::Notify | AccessKind::Wake => false,
            AccessKind::Lock | AccessKind::TryLock | AccessKind::Unlock => true,
            _ => !self.memory.is_mixed(step.loc),
        };
        let freed = |event: &Event| {
            let other = self.memory.actions.get(event.action);
            let (from, to) = (other.a as u64, (other.a + other.b) as u64);
            matches!(other.kind, AccessKind::Free | AccessKind::Reuse)
                && from < action.address + u64::from(action.size)
                && action.address < to
        };
        // Where retries are not left out, the player stops a thread that has come back to the same local state.
        let again = || graph.threads[usize::from(thread)].iter().any(|id| graph.event(*id).local == local);
        fits && !(self.recall.frees && graph.events.iter().any(freed)) && (self.cut || !again())
    }
}

/// Notes the n-th operation of a thread in a list whose memory may be that of another execution.
fn note_operation(operations: &mut Vec<(Span, Vec<u64>)>, n: usize, span: Span, values: &[u64]) {
    match operations.get_mut(n) {
        Some(known) => {
            known.0 = span;
            known.1.clear();
            known.1.extend_from_slice(values);
        }
        None => operations.push((span, values.to_vec())),
    }
}
