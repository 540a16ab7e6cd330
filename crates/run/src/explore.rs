//! Every execution of a scenario, by execution graphs.
//!
//! Kokologiannakis, Marmanis, Gladstein and Vafeiadis, "Truly stateless, optimal dynamic partial order reduction" (POPL
//! 2022). The next event comes from the log of a run. A read is tried with every consistent write, a write at every
//! consistent place; and a write that comes late is given to earlier reads, if what is thereby deleted was added
//! maximally, so that each consistent graph is reached once. Differs from the paper: reads and writes of a
//! read-modify-write are computed here from the operands in the log, a thread that waits for a lock is no event until it
//! gets it or nobody can go on, and a loop that changes nothing blocks its thread. Claim: exact, under sequential
//! consistency and under C11 (`rc11`, `weak`). Oracles: `naive`, `axioms`.

use crate::clock::Clock;
use crate::graph::{Event, Graph, INIT, Id, MOST_EVENTS, NOWHERE};
use crate::log::{Action, End, Found, Kind, Op, Record, Run};
use crate::memory::{Change, Location, Memory, Step};
use crate::order::{Model, PLAIN, order_of};
use crate::player::{Plan, Player};
use crate::race::{Race, race};
use crate::rc11::{self, Before};
use crate::retry::{Retries, returned};
use crate::search::trap;
use crate::weak::{is_step, sources};

/// What came of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A complete execution.
    Complete,
    /// An execution in which a thread waits for something that another execution has.
    Cut,
    /// Nobody can ever go on; whether a loop is among them.
    Stuck {
        /// Whether some thread goes round in a loop.
        spinning: bool,
    },
    /// Something is wrong.
    Found(Found),
    /// A data race, where reads may see old writes: what comes after it means nothing.
    Raced,
    /// The bound on steps.
    Steps,
    /// The code needs what the player does not have.
    Unsupported(String),
    /// The units have changed: everything from the start.
    Again,
    /// Two runs of the same plan differ.
    Differs(String),
    /// A thread goes round in a loop: the graph waits again, with the thread held.
    Held,
}

/// Where in its thread an operation has its events: from, to.
pub type Span = (u16, u16);

/// An execution, with what the operations answered.
#[derive(Clone, Debug)]
pub struct Execution {
    /// The graph.
    pub graph: Graph,
    /// The plan that was played.
    pub plan: Plan,
    /// For each thread of the scenario and each of its operations that returned: events, and what it answered.
    pub operations: Vec<Vec<(Span, Vec<u64>)>>,
    /// What the operations before and after the threads answered.
    pub alone: Vec<Vec<u64>>,
    /// Who ran last; 0 before and after the threads.
    pub ran: usize,
    /// What came of it.
    pub outcome: Outcome,
    /// A data race in it.
    pub race: Option<Race>,
}

/// The work that is left, and what is known of memory.
#[derive(Debug, Default)]
pub struct Explorer {
    /// Memory.
    pub memory: Memory,
    /// Iterations that are left out.
    pub retries: Retries,
    /// Whether iterations are left out.
    pub cut: bool,
    /// The memory model.
    pub model: Model,
    /// Remedies that tests switch off.
    pub off: u32,
    stack: Vec<Graph>,
    threads: usize,
    /// The part of all executions that was seen, as far as one can know before the end: Knuth, "Estimating the efficiency of
    /// backtrack programs" (Mathematics of Computation, 1975).
    pub done: f64,
}

impl Explorer {
    /// For a memory model.
    pub fn of(model: Model) -> Explorer {
        let mut explorer = Explorer { model, ..Explorer::default() };
        explorer.memory.weak = model != Model::Sc;
        explorer
    }

    fn weak(&self) -> bool {
        self.model != Model::Sc
    }

    /// Whether a graph is consistent.
    fn consistent(&self, graph: &mut Graph) -> bool {
        match self.model {
            Model::Sc => graph.order().is_some(),
            Model::C11 => rc11::consistent(graph),
        }
    }

    /// An order in which the events of a consistent graph can be played.
    fn playable(&self, graph: &mut Graph) -> Vec<Id> {
        match self.model {
            Model::Sc => graph.order().expect("only consistent graphs wait"),
            Model::C11 => graph.causal_order(),
        }
    }

    /// The memory order of an access.
    fn order(&self, action: u32, stores: bool) -> u8 {
        order_of(self.memory.actions.get(action), stores)
    }

    /// The first position in co that a new event of a thread can be at or read. Nothing races with a plain access, which
    /// therefore comes after all that is there.
    fn known(&self, graph: &Graph, thread: u8, loc: u32, action: u32) -> usize {
        match self.model {
            Model::Sc => graph.known(loc, &graph.before(thread).1),
            Model::C11 if self.order(action, true) == PLAIN => graph.writes(loc).len(),
            Model::C11 => 0,
        }
    }

    /// A race of one of some events.
    fn race(&self, graph: &Graph, before: &Before, of: std::ops::Range<usize>) -> Option<Race> {
        let access = |id: Id| {
            let event = graph.event(id);
            (usize::from(event.thread) + 1, *self.memory.actions.get(event.action))
        };
        of.map(|id| id as Id).filter(|id| !graph.is_fence(*id)).find_map(|id| {
            before.race(graph, id).map(|other| Race { first: access(other), second: access(id) })
        })
    }

    /// Begins with no event.
    pub fn start(&mut self, threads: usize) {
        self.threads = threads;
        self.retries.forget();
        self.done = 0.0;
        self.stack = vec![Graph::new(threads)];
    }

    /// Compares what is claimed of retries with what was seen; `last` says whether all was. Answers whether all of it holds.
    pub fn compare_retries(
        &mut self,
        player: &mut Player,
        explored: u64,
        last: bool,
    ) -> Result<bool, String> {
        if self.off >> trap::RETRIES & 1 == 1 {
            return Ok(true);
        }
        self.retries.check(&mut self.memory, player, explored, last)
    }

    /// Graphs that wait.
    pub fn waiting(&self) -> usize {
        self.stack.len()
    }

    /// The next graph with its plan.
    pub fn take_next(&mut self) -> Option<(Graph, Plan)> {
        while let Some(mut graph) = self.stack.pop() {
            let mut order = self.playable(&mut graph);
            if let Some(thread) = graph.first.take() {
                let read = graph.last(thread).expect("the read that was changed");
                let event = *graph.event(read);
                if event.exclusive {
                    let value = self.memory.computed(event.action, event.value).expect("it writes");
                    let (waiting, weight) = (self.stack.len(), graph.weight);
                    let placed = self.add_write(&mut graph, thread, event.loc, event.action, value, true);
                    let share = weight / (self.stack.len() - waiting + 1) as f64;
                    self.stack[waiting..].iter_mut().for_each(|other| other.weight = share);
                    graph.weight = share;
                    if !placed {
                        self.done += share;
                        continue;
                    }
                    order = self.playable(&mut graph);
                }
            }
            let plan = self.plan(&graph, &order);
            return Some((graph, plan));
        }
        None
    }

    fn plan(&self, graph: &Graph, order: &[Id]) -> Plan {
        let steps: Vec<Id> =
            order.iter().copied().filter(|id| is_step(&self.memory, graph.event(*id))).collect();
        let mut plan =
            Plan { steps: steps.iter().map(|id| graph.event(*id).thread + 1).collect(), ..Plan::default() };
        if self.weak() {
            plan.sources = sources(graph, &self.memory, &steps.into_iter().map(Some).collect::<Vec<_>>());
        }
        for thread in 0..graph.threads.len() as u8 {
            if graph.last(thread).is_some_and(|id| graph.event(id).blocks > 0) {
                plan.held |= 2 << thread;
            }
        }
        plan
    }

    /// Takes in the log of a run of a graph's plan: adds what is new, and keeps the alternatives.
    pub fn extend(&mut self, graph: Graph, plan: Plan, run: &Run) -> Execution {
        let mut execution = Execution {
            graph,
            plan,
            operations: vec![Vec::new(); self.threads],
            alone: Vec::new(),
            ran: run.thread,
            outcome: Outcome::Complete,
            race: None,
        };
        if !self.weak() {
            execution.race = race(run, self.threads);
        }
        let (waiting, weight) = (self.stack.len(), execution.graph.weight);
        execution.outcome = match self.take(&mut execution, run) {
            Ok(()) => self.judge(&execution.graph, run),
            Err(outcome) => outcome,
        };
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
                Record::Access { thread, action, local, old, new, part } => {
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
                            && let Some(iteration) = repeated(graph, thread, local)
                        {
                            let last = graph.threads[thread][graph.threads[thread].len() - 1];
                            graph.events[usize::from(last)].blocks = iteration;
                            self.stack.push(graph.clone());
                            return Err(Outcome::Held);
                        }
                        let first = graph.threads[thread].len();
                        let alternatives = self.stack.len();
                        self.add(graph, thread as u8, &step, action.kind)?;
                        if let Some(before) = &mut before {
                            let new = before.renew(graph);
                            execution.race = self.race(graph, before, new);
                            if execution.race.is_some() {
                                self.stack.truncate(alternatives);
                                return Err(Outcome::Raced);
                            }
                        }
                        note_part(graph, thread, first, part);
                        note_local(graph, thread, first, local);
                        for other in &mut self.stack[alternatives..] {
                            note_local(other, thread, first, local);
                        }
                        next[thread] = graph.threads[thread].len();
                    }
                }
                Record::Fence(thread, order) if thread > 0 && before.is_some() => {
                    let thread = thread - 1;
                    if next[thread] < planned[thread] {
                        let event = graph.event(graph.threads[thread][next[thread]]);
                        if event.loc != NOWHERE || event.order != order {
                            return Err(Outcome::Differs("a fence".into()));
                        }
                    } else {
                        let fence = read(thread as u8, NOWHERE, u32::from(order), INIT, 0);
                        graph.push(Event { fixed: true, order, ..fence });
                        before.as_mut().map(|b| b.renew(graph));
                    }
                    next[thread] += 1;
                }
                Record::Call(0, _) | Record::Fence(..) | Record::Allocate(..) | Record::Frames(..) => {}
                Record::Return(0, _, values, _) => execution.alone.push(values.to_vec()),
                Record::Call(thread, _) => begun[thread - 1] = next[thread - 1] as u16,
                Record::Return(thread, _, values, kept) => {
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
                    self.block(graph, thread - 1, accesses, local);
                }
                Record::Pending(thread, lock, place) => self.wait(graph, thread as u8 - 1, lock, place),
            }
        }
        if raced {
            return Err(Outcome::Raced);
        }
        match (0..self.threads).find(|t| known_to_others(graph, *t)) {
            Some(thread) if self.cut => {
                let first = graph.iteration(thread as u8).first().copied();
                self.retries.refuse(first.map_or(0, |id| graph.event(id).local));
                Err(Outcome::Again)
            }
            _ => Ok(()),
        }
    }

    /// A thread goes round in a loop of so many accesses, and is in this local state.
    fn block(&mut self, graph: &mut Graph, thread: usize, accesses: usize, local: u64) {
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
        let values = ids.iter().filter(|id| whole(graph, **id)).map(|id| graph.event(*id));
        let values = values.map(|e| (!e.write).then_some((e.loc, e.value))).collect();
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
    fn compare(&self, graph: &Graph, thread: usize, at: usize, step: &Step) -> Result<usize, Outcome> {
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

    /// Adds what a thread did next.
    fn add(&mut self, graph: &mut Graph, thread: u8, step: &Step, kind: Kind) -> Result<(), Outcome> {
        if !step.reads {
            self.add_write(graph, thread, step.loc, step.action, step.new, false);
            return Ok(());
        }
        if kind == Kind::Wake {
            // It reads from the signal that woke it, and from no other.
            let from = graph.writes(step.loc).iter().copied().find(|w| graph.event(*w).value == step.old);
            let Some(rf) = from else { return Err(Outcome::Differs("a signal".into())) };
            let order = self.order(step.action, false);
            let event = Event { fixed: true, order, ..read(thread, step.loc, step.action, rf, step.old) };
            let id = graph.push(event);
            graph.settle_last(id);
            return Ok(());
        }
        let written = self.add_read(graph, thread, step.loc, step.action)?;
        if let Some(value) = written {
            if value != step.new {
                return Err(Outcome::Differs("what is written".into()));
            }
            self.add_write(graph, thread, step.loc, step.action, value, true);
        }
        Ok(())
    }

    /// Adds a read of the last write, with the alternatives. Answers what it writes if it is a read-modify-write.
    fn add_read(
        &mut self,
        graph: &mut Graph,
        thread: u8,
        loc: u32,
        action: u32,
    ) -> Result<Option<u32>, Outcome> {
        let known = self.known(graph, thread, loc, action);
        let last = graph.writes(loc).len();
        for at in known..last {
            let mut other = graph.clone();
            let (event, _) = self.reading(&other, thread, loc, action, at)?;
            if event.exclusive {
                other.first = Some(thread);
            }
            other.push(event);
            if !self.weak() || self.consistent(&mut other) {
                self.stack.push(other);
            }
        }
        let (event, written) = self.reading(graph, thread, loc, action, last)?;
        let id = graph.push(event);
        graph.settle_last(id);
        Ok(written)
    }

    /// A read of the write at a position of co, counted from 1.
    fn reading(
        &mut self,
        graph: &Graph,
        thread: u8,
        loc: u32,
        action: u32,
        at: usize,
    ) -> Result<(Event, Option<u32>), Outcome> {
        let rf = at.checked_sub(1).map_or(INIT, |i| graph.writes(loc)[i]);
        let value = match rf {
            INIT => self.memory.initial(loc).ok_or_else(|| Outcome::Differs("memory".into()))?,
            w => graph.event(w).value,
        };
        let written = self.memory.computed(action, value);
        let waits = written.is_none() && self.memory.actions.get(action).kind == Kind::Lock;
        let event = Event {
            exclusive: written.is_some(),
            blocks: u16::from(waits),
            order: self.order(action, written.is_some()),
            ..read(thread, loc, action, rf, value)
        };
        Ok((event, written))
    }

    /// A thread waits for a lock and nobody can go on.
    fn wait(&mut self, graph: &mut Graph, thread: u8, lock: u64, place: u64) {
        let action =
            Action { kind: Kind::Lock, op: Op::Compare, order: 5, size: 8, address: lock, place, a: 0, b: 1 };
        let loc = self.memory.location(Location::Player(lock));
        if self.memory.initial(loc).is_none() {
            let held = self.memory.values.of([1].into());
            self.memory.learn(loc, held);
        }
        let action = self.memory.actions.of(action);
        let _ = self.add_read(graph, thread, loc, action);
    }

    /// Adds a write: gives it to earlier reads, and places it in co. Answers whether it could be placed.
    fn add_write(
        &mut self,
        graph: &mut Graph,
        thread: u8,
        loc: u32,
        action: u32,
        value: u32,
        exclusive: bool,
    ) -> bool {
        let known = self.known(graph, thread, loc, action);
        let order = self.order(action, true);
        let event = Event { write: true, exclusive, order, ..read(thread, loc, action, INIT, value) };
        let id = graph.push(event);
        self.revisit(graph, id);
        let last = graph.writes(loc).len();
        if exclusive {
            let from = graph.event(graph.read_of(id)).rf;
            let at = graph.writes(loc).iter().position(|w| *w == from).map_or(0, |i| i + 1);
            if graph.attached(loc, at) {
                return false;
            }
            graph.writes_mut(loc).insert(at, id);
            if at == last {
                graph.settle_last(id);
            }
            return true;
        }
        for at in known..last {
            if !graph.attached(loc, at) {
                let mut other = graph.clone();
                other.writes_mut(loc).insert(at, id);
                if !self.weak() || self.consistent(&mut other) {
                    self.stack.push(other);
                }
            }
        }
        graph.writes_mut(loc).push(id);
        graph.settle_last(id);
        true
    }

    /// Gives a new write, which is in no co yet, to the reads that could have waited for it.
    fn revisit(&mut self, graph: &Graph, write: Id) {
        let new = *graph.event(write);
        for read in 0..write {
            let event = graph.event(read);
            if event.write || event.fixed || event.loc != new.loc || new.causes.has(event.thread, event.index)
            {
                continue;
            }
            let mut deleted = vec![false; graph.events.len()];
            let mut maximal = added_maximally(graph, read, write, &new.causes);
            for later in read + 1..write {
                let other = graph.event(later);
                if !new.causes.has(other.thread, other.index) {
                    deleted[usize::from(later)] = true;
                    maximal = maximal && added_maximally(graph, later, write, &new.causes);
                }
            }
            if !maximal {
                continue;
            }
            let (mut other, numbers) = graph.without(&deleted);
            let (read, write) = (numbers[usize::from(read)], numbers[usize::from(write)]);
            let written = self.memory.computed(event.action, new.value);
            let waits = written.is_none() && self.memory.actions.get(event.action).kind == Kind::Lock;
            let changed = &mut other.events[usize::from(read)];
            (changed.rf, changed.value) = (write, new.value);
            (changed.exclusive, changed.blocks) = (written.is_some(), u16::from(waits));
            changed.order = self.order(event.action, written.is_some());
            other.first = written.is_some().then_some(changed.thread);
            other.renew_causes();
            for at in (0..=other.writes(new.loc).len()).rev() {
                let mut placed = other.clone();
                placed.writes_mut(new.loc).insert(at, write);
                if placed.atomic(new.loc) && self.consistent(&mut placed) {
                    self.stack.push(placed);
                }
            }
        }
    }

    fn judge(&self, graph: &Graph, run: &Run) -> Outcome {
        if let Some(found) = run.found() {
            return Outcome::Found(found);
        }
        match run.end {
            End::Complete => Outcome::Complete,
            End::Steps => Outcome::Steps,
            _ => {
                let mut spinning = false;
                for thread in 0..graph.threads.len() as u8 {
                    let ids = graph.iteration(thread);
                    let last = ids.iter().rev().map(|id| graph.event(*id)).find(|e| e.loc != NOWHERE);
                    let Some(last) = last else { continue };
                    let latest = |e: &Event| e.rf == graph.writes(e.loc).last().copied().unwrap_or(INIT);
                    if !ids.iter().all(|id| graph.event(*id).write || latest(graph.event(*id))) {
                        return Outcome::Cut;
                    }
                    spinning |= self.memory.actions.get(last.action).kind != Kind::Lock;
                }
                Outcome::Stuck { spinning }
            }
        }
    }
}

/// The length of an iteration when a thread that is about to make a step in this local state has just made the same
/// reads of the same writes twice, from this state to this state: it would read them for ever. Whatever it can do after
/// reading something else it can do after the first time.
fn repeated(graph: &Graph, thread: usize, local: u64) -> Option<u16> {
    let ids = &graph.threads[thread];
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
            "atomic accesses of different sizes, or a plain access to a part of an atomic object, have no meaning under \
             --memory c11"
                .into(),
        ),
    }
}

fn read(thread: u8, loc: u32, action: u32, rf: Id, value: u32) -> Event {
    Event {
        thread,
        write: false,
        exclusive: false,
        fixed: false,
        part: false,
        order: 0,
        index: 0,
        rf,
        blocks: 0,
        loc,
        local: 0,
        action,
        value,
        causes: Clock::default(),
        past: Clock::default(),
    }
}

/// Whether an event was added so that, of what was there before it or is in the past of the new write, it reads the last
/// write, or is the last write and nobody reads it.
fn added_maximally(graph: &Graph, id: Id, write: Id, causes: &Clock) -> bool {
    let event = graph.event(id);
    if event.fixed {
        return true;
    }
    let there = |other: Id| {
        other <= id || (other != write && causes.has(graph.event(other).thread, graph.event(other).index))
    };
    if event.write {
        let mut reads = graph.events.iter().enumerate().filter(|(_, e)| !e.write && e.rf == id);
        if reads.any(|(i, _)| there(i as Id)) {
            return false;
        }
    } else if event.rf != INIT && !there(event.rf) {
        return false;
    }
    let from = if event.write { id } else { event.rf };
    let writes = graph.writes(event.loc);
    let after = writes.iter().position(|w| *w == from).map_or(0, |i| i + 1);
    !writes[after..].iter().any(|w| there(*w))
}
