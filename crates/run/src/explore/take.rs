//! Logs into graphs: what a run did beyond its plan is added, and the alternatives wait.

use super::{Execution, Explorer, Outcome};
use crate::graph::{Event, Graph, INIT, Id, MOST_EVENTS, NOWHERE};
use crate::log::{AccessKind, Action, End, Record, Run};
use crate::memory::{Change, MemoryStep};
use crate::player::Plan;
use crate::race::race;
use crate::rc11::Before;
use crate::recall::Next;
use crate::retry::returned;
use crate::search::trap;

impl Explorer {
    /// Takes in the log of a run of a graph's plan: adds what is new, and keeps the alternatives.
    pub fn extend(&mut self, graph: Graph, plan: Plan, run: &Run) -> Execution {
        let mut execution = Execution {
            graph,
            plan,
            operations: vec![Vec::new(); self.threads],
            alone: Vec::new(),
            ran: run.thread,
            waits: run.waits(),
            outcome: Outcome::Complete,
            race: None,
        };
        if !self.weak() {
            execution.race = race(run, self.threads);
        }
        let (waiting, weight) = (self.stack.len(), execution.graph.weight);
        execution.outcome = match self.take(&mut execution, run) {
            // What is remembered is not what the program does: everything again, with every run.
            Err(Outcome::Differs(_)) if self.recalled > 0 && !self.recall.contradicted => {
                self.recall.contradicted = true;
                Outcome::Again
            }
            Ok(()) => self.judge(&execution.graph, run),
            Err(outcome) => outcome,
        };
        self.longest = self.longest.max(execution.graph.events.len());
        self.learn_after(&execution);
        if self.recall.contradicted && self.recalled > 0 {
            execution.outcome = Outcome::Again;
        }
        self.wake();
        let held = usize::from(execution.outcome == Outcome::Held);
        let share = weight / (self.stack.len() - waiting + 1 - held) as f64;
        self.stack[waiting..].iter_mut().for_each(|graph| graph.weight = share);
        self.done += if held == 1 { 0.0 } else { share };
        execution
    }

    fn take(&mut self, execution: &mut Execution, run: &Run) -> Result<(), Outcome> {
        if !run.wanted.is_empty() && self.off >> trap::SHARED & 1 == 0 {
            return Err(match self.memory.want(&run.wanted) {
                Ok(()) => Outcome::Again,
                Err(change) => changed(change),
            });
        }
        match run.end {
            End::Departed => return Err(Outcome::Differs(run.text.clone())),
            End::Unsupported => return Err(Outcome::Unsupported(run.text.clone())),
            _ => {}
        }
        let graph = &mut execution.graph;
        let mut before = self.weak().then(|| Before::of(graph));
        if let Some(before) = &before {
            // What is planned is read all the same: it says which operations have returned.
            execution.race = self.race(graph, before, 0..graph.events.len());
        }
        let raced = before.is_some() && execution.race.is_some();
        let planned: Vec<usize> = graph.threads.iter().map(Vec::len).collect();
        let mut next = vec![0usize; self.threads];
        let mut begun = vec![0u16; self.threads];
        let mut touched: Vec<u32> = Vec::new();
        let mut returns = vec![(u32::MAX, 0); self.threads];
        let mut last: Vec<Option<(u64, u32)>> = vec![None; self.threads];
        for record in run.records() {
            match record {
                Record::Access { thread, action, old, new, .. }
                    if next[thread - 1] + 3 < planned[thread - 1]
                        && let Some(events) =
                            self.again(graph, thread - 1, next[thread - 1], &action, old, new) =>
                {
                    let loc = graph.event(graph.threads[thread - 1][next[thread - 1]]).loc;
                    if !touched.contains(&loc) {
                        touched.push(loc);
                    }
                    next[thread - 1] += events;
                }
                Record::Access { thread, action, local, old, new, part, hidden } => {
                    let step = self.memory.step(action, old, new).map_err(changed)?;
                    if !touched.contains(&step.loc) {
                        touched.push(step.loc);
                        if !self.memory.learn(step.loc, step.old) {
                            return Err(Outcome::Differs("memory at the beginning".into()));
                        }
                    }
                    let thread = thread - 1;
                    if self.cut {
                        if let Some(before) = last[thread] {
                            self.retries.follow(before, local);
                        }
                        // What comes before is known from the runs that added it.
                        let new = next[thread] + 3 >= planned[thread];
                        last[thread] = new.then(|| self.retries.step(local, &step));
                    }
                    if next[thread] < planned[thread] {
                        let same = self.compare(graph, thread, next[thread], &step);
                        next[thread] += if raced { same.map_err(|_| Outcome::Raced)? } else { same? };
                    } else if raced {
                        return Err(Outcome::Raced);
                    } else {
                        if graph.events.len() + 2 > MOST_EVENTS {
                            return Err(Outcome::Steps);
                        }
                        if !self.cut
                            && let Some(iteration) = repeated(graph, thread, begun[thread], local)
                        {
                            let last = graph.threads[thread][graph.threads[thread].len() - 1];
                            graph.events[usize::from(last)].blocks = iteration;
                            let waits = self.copy(graph);
                            self.stack.push(waits);
                            return Err(Outcome::Held);
                        }
                        let first = graph.threads[thread].len();
                        let alternatives = self.stack.len();
                        if matches!(action.kind, AccessKind::Free | AccessKind::Reuse) {
                            self.recall.note_free();
                        }
                        let node = self.node(graph, thread as u8);
                        match part {
                            // It has no step of its own.
                            true => self.recall.hide(node),
                            false => self.recall.learn(node, Next::Step(step, local)),
                        }
                        let written = self.add(graph, thread as u8, &step, action.kind)?;
                        if self.late() {
                            // Whoever goes on asks the limits first.
                            return Err(Outcome::Again);
                        }
                        if written.is_some_and(|value| value != step.new) {
                            return Err(Outcome::Differs("what is written".into()));
                        }
                        // Beyond the plan every read sees the last write. Where it does not, code that nothing is seen of has
                        // written, and what the graph says would be about another program.
                        let read = graph.event(graph.threads[thread][first]);
                        if step.reads && !read.fixed && read.value != step.old {
                            return Err(Outcome::Differs("a value that nothing was seen to write".into()));
                        }
                        if hidden {
                            self.recall.hide(self.node(graph, thread as u8));
                        }
                        if let Some(before) = &mut before {
                            let new = before.renew(graph);
                            execution.race = self.race(graph, before, new);
                            if execution.race.is_some() {
                                self.stack.truncate(alternatives);
                                return Err(Outcome::Raced);
                            }
                        }
                        note_part(graph, thread, first, part);
                        self.note_new(graph, thread, first, alternatives, local);
                        next[thread] = graph.threads[thread].len();
                    }
                }
                Record::Fence(thread, order) if thread > 0 && before.is_some() => {
                    let thread = thread - 1;
                    let stopped = graph.last(thread as u8).is_some_and(|id| graph.event(id).blocks > 0);
                    if next[thread] == planned[thread] && stopped {
                        // It goes on up to its next access, which it does not make.
                        continue;
                    }
                    if next[thread] < planned[thread] {
                        let event = graph.event(graph.threads[thread][next[thread]]);
                        if event.loc != NOWHERE || event.order != order {
                            return Err(Outcome::Differs("a fence".into()));
                        }
                    } else {
                        let node = self.node(graph, thread as u8);
                        self.recall.learn(node, Next::Fence(order));
                        self.add_fence(graph, thread as u8, order);
                        before.as_mut().map(|b| b.renew(graph));
                    }
                    next[thread] += 1;
                }
                Record::Touched(pairs) => {
                    let shared = if self.remembers { self.recall.touch(pairs) } else { Vec::new() };
                    if !shared.is_empty() {
                        return Err(self.memory.want(&shared).map_or_else(changed, |()| Outcome::Again));
                    }
                }
                Record::Call(0, _) | Record::Fence(..) | Record::Allocate(..) | Record::Frames(..) => {}
                Record::Return(0, _, values, _) => execution.alone.push(values.to_vec()),
                Record::Call(thread, _) => begun[thread - 1] = next[thread - 1] as u16,
                Record::Return(thread, index, values, kept) => {
                    let node = match next[thread - 1].checked_sub(1) {
                        Some(at) => graph.event(graph.threads[thread - 1][at]).after,
                        None => self.recall.root(thread as u8 - 1),
                    };
                    let at = &mut returns[thread - 1];
                    *at = if at.0 == node { (node, at.1 + 1) } else { (node, 0) };
                    self.recall.learn_return(node, at.1, begun[thread - 1], values, kept);
                    if self.calls.as_ref().is_some_and(|calls| calls[thread - 1] == index + 1) {
                        self.recall.learn(self.node(graph, thread as u8 - 1), Next::Ended);
                    }
                    if let Some(before) = last[thread - 1].take() {
                        self.retries.follow(before, returned(values, kept));
                    }
                    let span = (begun[thread - 1], next[thread - 1] as u16);
                    execution.operations[thread - 1].push((span, values.to_vec()));
                }
                Record::Block(thread, accesses, local) => {
                    if let Some(before) = last[thread - 1].take() {
                        self.retries.follow(before, local);
                    }
                    if self.cut {
                        let node = self.node(graph, thread as u8 - 1);
                        self.recall.learn(node, Next::Blocked(accesses, local));
                    }
                    self.block(graph, thread - 1, accesses, local);
                }
                Record::Pending(thread, lock, place) => self.wait(graph, thread as u8 - 1, lock, place),
            }
        }
        if raced {
            return Err(Outcome::Raced);
        }
        match self.reaches_others(graph) {
            Some(thread) => {
                let first = graph.iteration(thread as u8).first().copied();
                self.retries.refuse(first.map_or(0, |id| graph.event(id).local));
                Err(Outcome::Again)
            }
            _ => Ok(()),
        }
    }

    /// A thread that is left out of although another has touched what it wrote.
    pub(super) fn reaches_others(&self, graph: &Graph) -> Option<usize> {
        (0..self.threads).find(|t| self.cut && known_to_others(graph, *t))
    }

    /// Keeps the local state before the events that were just added to a thread from this index on, here and in the
    /// alternatives.
    pub(super) fn note_new(
        &mut self,
        graph: &mut Graph,
        thread: usize,
        first: usize,
        alternatives: usize,
        local: u64,
    ) {
        note_local(graph, thread, first, local);
        for other in &mut self.stack[alternatives..] {
            note_local(other, thread, first, local);
        }
    }

    /// A thread goes round in a loop of so many accesses, and is in this local state.
    pub(super) fn block(&mut self, graph: &mut Graph, thread: usize, accesses: usize, local: u64) {
        let ids = &graph.threads[thread];
        let mut left = accesses;
        let whole = |graph: &Graph, id: Id| {
            let event = graph.event(id);
            !(event.write && event.exclusive) && event.loc != NOWHERE
        };
        let first = ids.iter().enumerate().rev().find(|(_, id)| {
            left -= usize::from(whole(graph, **id)).min(left);
            left == 0
        });
        let first = first.map_or(0, |(i, _)| i);
        let Some(&last) = ids.last() else { return };
        graph.events[usize::from(last)].blocks = (ids.len() - first).max(1) as u16;
        let ids = &graph.threads[thread];
        let before = graph.event(ids[first]).local;
        if !self.cut || before == local {
            return;
        }
        let mut dirty: Vec<u32> =
            ids[first..].iter().map(|id| graph.event(*id)).filter(|e| e.write).map(|e| e.loc).collect();
        dirty.sort_unstable();
        dirty.dedup();
        let values = || {
            let read = ids.iter().filter(|id| whole(graph, **id)).map(|id| graph.event(*id));
            read.map(|e| (!e.write).then_some((e.loc, e.value))).collect()
        };
        self.retries.claim(thread + 1, before, local, dirty, values);
    }

    /// How many events an access is that a plan has, when a look at it shows that it is as planned.
    fn again(
        &self,
        graph: &Graph,
        thread: usize,
        at: usize,
        action: &Action,
        old: &[u64],
        new: &[u64],
    ) -> Option<usize> {
        let event = graph.event(graph.threads[thread][at]);
        let written = match (event.write, event.exclusive) {
            (true, _) => Some(event.value),
            (false, true) => Some(graph.event(graph.threads[thread][at + 1]).value),
            (false, false) => None,
        };
        let read = (!event.write).then_some(event.value);
        let plain = event.loc != NOWHERE && !event.fixed && !self.memory.is_mixed(event.loc);
        (plain && self.memory.same(event.action, action, (read, old), (written, new)) == Some(true))
            .then_some(1 + usize::from(!event.write && event.exclusive))
    }

    /// Whether a planned event is what was played; answers how many events it is.
    fn compare(&self, graph: &Graph, thread: usize, at: usize, step: &MemoryStep) -> Result<usize, Outcome> {
        let differs = |what: &str| Err(Outcome::Differs(what.into()));
        let event = graph.event(graph.threads[thread][at]);
        if event.loc != step.loc || event.action != step.action {
            return differs("an access");
        }
        if event.write {
            return if event.value == step.new { Ok(1) } else { differs("what is written") };
        }
        if !event.fixed && event.value != step.old {
            return differs("what is read");
        }
        match event.exclusive {
            false => Ok(1),
            true if graph.event(graph.threads[thread][at + 1]).value == step.new => Ok(2),
            true => differs("what is written"),
        }
    }

    fn judge(&self, graph: &Graph, run: &Run) -> Outcome {
        if let Some(found) = run.found() {
            return Outcome::Found(found);
        }
        match run.end {
            End::Complete => Outcome::Complete,
            End::Steps => Outcome::Steps,
            _ => self.blocked(graph),
        }
    }

    /// What comes of an execution in which nobody can go on.
    pub(super) fn blocked(&self, graph: &Graph) -> Outcome {
        let mut spinning = false;
        for thread in 0..graph.threads.len() as u8 {
            let ids = graph.iteration(thread);
            let last = ids.iter().rev().map(|id| graph.event(*id)).find(|e| e.loc != NOWHERE);
            let Some(last) = last else { continue };
            let latest = |e: &Event| e.rf == graph.writes(e.loc).last().copied().unwrap_or(INIT);
            if !ids.iter().all(|id| graph.event(*id).write || latest(graph.event(*id))) {
                return Outcome::Cut;
            }
            spinning |= self.memory.actions.get(last.action).kind != AccessKind::Lock;
        }
        Outcome::Stuck { spinning }
    }
}

/// The length of an iteration when a thread that is about to make a step in this local state has just made the same
/// reads of the same writes twice, from this state to this state: it would read them for ever. Whatever it can do after
/// reading something else it can do after the first time. Three calls that do the same are no loop: only what was done since
/// the current one began counts.
fn repeated(graph: &Graph, thread: usize, begun: u16, local: u64) -> Option<u16> {
    let ids = graph.threads[thread].get(usize::from(begun)..)?;
    if local == 0 {
        return None;
    }
    let mut starts = (0..ids.len()).rev().filter(|i| graph.event(ids[*i]).local == local);
    let (second, first) = (starts.next()?, starts.next()?);
    let same = |(a, b): (&Id, &Id)| {
        let (a, b) = (graph.event(*a), graph.event(*b));
        !a.write && !b.write && a.loc == b.loc && a.rf == b.rf && a.action == b.action
    };
    let length = ids.len() - second;
    (second - first == length && ids[first..second].iter().zip(&ids[second..]).all(same))
        .then_some(length as u16)
}

/// Whether another thread has touched what a thread wrote in the iteration that is left out.
fn known_to_others(graph: &Graph, thread: usize) -> bool {
    graph
        .iteration(thread as u8)
        .iter()
        .map(|id| graph.event(*id))
        .filter(|e| e.write)
        .any(|written| graph.events.iter().any(|e| e.loc == written.loc && usize::from(e.thread) != thread))
}

/// Says of an event that was added whether it belongs to the step of the one before it.
fn note_part(graph: &mut Graph, thread: usize, index: usize, part: bool) {
    if let Some(id) = graph.threads[thread].get(index).filter(|_| part) {
        graph.events[usize::from(*id)].part = true;
    }
}

/// Keeps the local state before the event that was added to a thread at this index, if it is still there.
fn note_local(graph: &mut Graph, thread: usize, index: usize, local: u64) {
    if let Some(id) = graph.threads[thread].get(index) {
        graph.events[usize::from(*id)].local = local;
    }
}

fn changed(change: Change) -> Outcome {
    match change {
        Change::Again => Outcome::Again,
        Change::TooLarge(address, bytes) => Outcome::Unsupported(format!(
            "an access to {bytes} bytes of shared memory at once (at {address:#x}) is larger than the explorer's units"
        )),
        Change::Overlap => Outcome::Unsupported(
            "atomic accesses of different sizes, or a plain access to a part of an atomic object, have no meaning in the \
             memory model of C11"
                .into(),
        ),
    }
}
