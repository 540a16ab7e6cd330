//! Every execution of a scenario, by execution graphs.
//!
//! Kokologiannakis, Marmanis, Gladstein and Vafeiadis, "Truly stateless, optimal dynamic partial order reduction" (POPL
//! 2022). The next event comes from the log of a run. A read is tried with every consistent write, a write at every
//! consistent place; and a write that comes late is given to earlier reads, if what is thereby deleted was added
//! maximally, so that each consistent graph is reached once. Differs from the paper: reads and writes of a
//! read-modify-write are computed here from the operands in the log, a thread that waits for a lock is no event until it
//! gets it or nobody can go on, and a loop that changes nothing blocks its thread. Claim: exact, under sequential
//! consistency and under C11 (`rc11`, `weak`). Oracles: `naive`, `axioms`.

mod add;
mod after;
mod ahead;
mod take;

use self::ahead::Way;
use rustc_hash::FxHashSet;
use trueline_base::Watch;

use crate::graph::{Graph, Id};
use crate::kind::Kind;
use crate::log::Found;
use crate::machine::Machine;
use crate::memory::Memory;
use crate::order::{Model, PLAIN, order_of};
use crate::player::{Plan, Player};
use crate::race::{Lists, Race};
use crate::rc11::{self, Before};
use crate::recall::{After, Node, Recall};
use crate::retry::Retries;
use crate::search::trap;
use crate::weak::{is_step, sources};

/// Graphs whose memory is kept.
const MOST_UNUSED: usize = 1024;

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

/// For each thread its operations that returned: events, and what it answered.
pub type Operations = Vec<Vec<(Span, Vec<u64>)>>;

/// An execution, with what the operations answered.
#[derive(Clone, Debug)]
pub struct Execution {
    /// The graph.
    pub graph: Graph,
    /// The plan that was played.
    pub plan: Plan,
    /// What the threads of the scenario did.
    pub operations: Operations,
    /// What the operations before and after the threads answered.
    pub alone: Vec<Vec<u64>>,
    /// Who ran last; 0 before and after the threads.
    pub ran: usize,
    /// Of a complete one in which a call after the threads waits: how.
    pub waits: Option<Kind>,
    /// What came of it.
    pub outcome: Outcome,
    /// A data race in it.
    pub race: Option<Race>,
}

/// What comes next in an exploration.
#[derive(Debug)]
#[allow(clippy::large_enum_variant)] // lives for a moment, and most are the larger one
pub enum Ahead {
    /// A graph to be played, with its plan.
    Play(Graph, Plan),
    /// An execution that needs no run.
    Ends(Execution),
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
    /// Whether runs are left out when what they would do is known, and what is.
    pub remembers: bool,
    recall: Recall,
    /// Graphs that ended without a run, or would have.
    recalled: u64,
    /// Steps that an execution may have.
    pub most_steps: usize,
    /// Whether nothing is done after the threads, and then what comes of complete executions.
    pub ends: bool,
    before: Option<After>,
    /// Operations of each thread; nothing where threads do more than these.
    pub calls: Option<Vec<usize>>,
    stack: Vec<Graph>,
    /// Graphs that wait for what a run that was begun will tell, and the places that it will tell of.
    later: Vec<Graph>,
    asked: FxHashSet<Node>,
    /// Graphs whose memory can be used again, and lists of revisits.
    unused: Vec<Graph>,
    /// Lists of operations whose memory can be used again.
    spare: Vec<Operations>,
    renumbering: (Vec<bool>, Vec<Id>),
    machine: Machine,
    lists: Lists,
    threads: usize,
    /// The limits: one run of a loop that writes for ever may have more alternatives than there is time to look at.
    pub watch: Watch,
    /// Events of the longest graph that was played.
    pub longest: usize,
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

    /// Whether a limit is reached. What is added from then on is not complete, and must not be used.
    fn late(&mut self) -> bool {
        !self.watch.goes_on(|| 0)
    }

    /// Whether a graph is consistent.
    fn consistent(&mut self, graph: &mut Graph) -> bool {
        match self.model {
            Model::Sc => self.machine.execute(graph),
            Model::C11 => rc11::consistent(graph, &mut self.machine),
        }
    }

    /// Finds an order in which the events of a consistent graph can be played.
    fn arrange(&mut self, graph: &mut Graph) {
        match self.model {
            Model::Sc if graph.order.len() == graph.events.len() => {}
            Model::Sc => assert!(self.machine.execute(graph), "only consistent graphs wait"),
            Model::C11 => graph.order = graph.causal_order(),
        }
    }

    /// A copy of a graph.
    fn copy(&mut self, graph: &Graph) -> Graph {
        let mut new = self.unused.pop().unwrap_or_default();
        new.clone_from(graph);
        new
    }

    /// An execution is no longer needed.
    pub fn discard_execution(&mut self, execution: Execution) {
        self.discard(execution.graph);
        if !execution.operations.is_empty() && self.spare.len() < MOST_UNUSED {
            self.spare.push(execution.operations);
        }
    }

    /// A graph is no longer needed.
    fn discard(&mut self, graph: Graph) {
        if self.unused.len() < MOST_UNUSED {
            self.unused.push(graph);
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
        self.recall.start(threads);
        self.recalled = 0;
        self.before = None;
        self.later.clear();
        self.asked.clear();
        self.retries.forget();
        self.done = 0.0;
        self.stack = vec![Graph::new(threads)];
    }

    /// Compares what is claimed of retries with what was seen; `last` says whether all was. Answers whether all of it holds.
    pub fn compare_retries(
        &mut self,
        players: &mut [&mut Player],
        explored: u64,
        last: bool,
    ) -> Result<bool, String> {
        if self.off >> trap::RETRIES & 1 == 1 {
            return Ok(true);
        }
        self.retries.check(&mut self.memory, players, explored, last)
    }

    /// From now on what is known is shared with the explorers that [`Explorer::fork`] makes.
    pub fn share(&mut self) {
        self.memory.share();
        self.recall.share();
    }

    /// An explorer for another worker, without graphs.
    pub fn fork(&self) -> Explorer {
        Explorer {
            memory: self.memory.clone(),
            retries: self.retries.fork(),
            recall: self.recall.clone(),
            before: self.before.clone(),
            calls: self.calls.clone(),
            // Another worker may leave out runs that this one contradicts.
            recalled: self.recalled.max(u64::from(!self.recall.contradicted)),
            cut: self.cut,
            model: self.model,
            off: self.off,
            remembers: self.remembers,
            most_steps: self.most_steps,
            ends: self.ends,
            watch: self.watch.clone(),
            longest: self.longest,
            threads: self.threads,
            ..Explorer::default()
        }
    }

    /// Takes in what other workers know.
    pub fn catch_up(&mut self) {
        self.recall.catch_up();
        self.memory.catch_up();
        self.recall.news = false;
    }

    /// Graphs for another worker: every second one that waits, since the oldest have the most work in them.
    pub fn give(&mut self) -> Vec<Graph> {
        let (mut given, mut kept) = (Vec::new(), Vec::with_capacity(self.stack.len()));
        for (at, graph) in std::mem::take(&mut self.stack).into_iter().enumerate() {
            if at % 2 == 0 { given.push(graph) } else { kept.push(graph) }
        }
        self.stack = kept;
        given
    }

    /// All graphs, for other workers.
    pub fn give_all(&mut self) -> Vec<Graph> {
        self.wake();
        std::mem::take(&mut self.stack)
    }

    /// Takes graphs of other workers.
    pub fn receive(&mut self, graphs: Vec<Graph>) {
        self.catch_up();
        self.stack.extend(graphs);
    }

    /// Graphs that wait.
    pub fn waiting(&self) -> usize {
        self.stack.len() + self.later.len()
    }

    /// Graphs that waited for what runs tell go on.
    pub fn wake(&mut self) {
        self.asked.clear();
        self.stack.append(&mut self.later);
    }

    /// The next graph, as far as what is known of the threads leads.
    pub fn take_next(&mut self) -> Option<Ahead> {
        while let Some(mut graph) = self.stack.pop() {
            let (waiting, weight) = (self.stack.len(), graph.weight);
            self.arrange(&mut graph);
            let mut placed = true;
            if let Some(thread) = graph.first.take() {
                let read = graph.last(thread).expect("the read that was changed");
                let event = *graph.event(read);
                if event.exclusive {
                    let value = self.memory.computed(event.action, event.value).expect("it writes");
                    placed = self.add_write(&mut graph, thread, event.loc, event.action, value, true);
                    if placed {
                        self.arrange(&mut graph);
                    }
                }
            }
            let ends = if placed { self.go_on(&mut graph) } else { Way::Nowhere };
            let share = weight / (self.stack.len() - waiting + 1) as f64;
            self.stack[waiting..].iter_mut().for_each(|other| other.weight = share);
            graph.weight = share;
            match ends {
                Way::Nowhere => {
                    self.done += share;
                    self.discard(graph);
                }
                Way::Later => self.later.push(graph),
                Way::Ends(outcome, after) => {
                    self.done += share;
                    return Some(Ahead::Ends(self.recalled(graph, outcome, after)));
                }
                Way::Play => {
                    let plan = self.plan(&graph);
                    return Some(Ahead::Play(graph, plan));
                }
            }
        }
        None
    }

    /// Where a thread is in what is remembered.
    fn node(&self, graph: &Graph, thread: u8) -> Node {
        graph.last(thread).map_or_else(|| self.recall.root(thread), |id| graph.event(id).after)
    }

    fn plan(&self, graph: &Graph) -> Plan {
        let steps: Vec<Id> =
            graph.order.iter().copied().filter(|id| is_step(&self.memory, graph.event(*id))).collect();
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
}
