//! One move of the product of an implementation and what runs beside it, judged by the property.

use crate::canonical::liveness::Liveness;
use crate::canonical::{Encoder, decode};
use crate::growth::Growth;
use crate::label::Label;
use crate::machine::run::Context;
use crate::machine::state::State;
use crate::machine::{Edge, Enabled, Explorer};
use crate::minimise::{Minimisable, MoveKind, Successor};
use crate::monitor::{Halt, LabelMonitor, MonitorInput, Reaction, SetId, TrueMonitor};
use crate::outcome::DeadEnds;
use crate::refine::RefinementMonitor;
use crate::spec::SpecMonitor;
use std::rc::Rc;
use trueline_base::verdict::Finding;
use trueline_base::{Limits, Meter, Violation};
use trueline_lang::ir::{Machine, Memory, OpId, Pc};
use trueline_lang::question::Question;
use trueline_space::Parts;

/// A state of the implementation, by the order in which they were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ImplState(pub u32);

/// An implementation state and the state of what runs beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Pair {
    pub state: ImplState,
    pub set: SetId,
}

/// Where a move leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProductTarget {
    Pair(Pair),
    /// The property is violated.
    Violation(Violation),
    /// The execution ends in a finding that the property does not ask about.
    Finding {
        thread: u8,
        finding: Finding,
    },
}

/// A move of the implementation, whatever runs beside it.
#[derive(Clone, Copy)]
struct Step {
    letter: MonitorInput,
    thread: u8,
    kind: MoveKind,
    to: To,
}

#[derive(Clone, Copy)]
enum To {
    State(ImplState),
    Finding(Finding),
    Leak,
}

/// A machine, a question, and all states found so far.
pub(crate) struct Product<'q> {
    pub explorer: Explorer<'q>,
    pub judge: ProductJudge<'q>,
    scratch: State,
    /// Moves of implementation states, executed once each where a state can occur in several pairs.
    steps: Vec<Step>,
    /// Where the moves of each state are in `steps`.
    ranges: Vec<(u32, u32)>,
    remembers: bool,
    /// Dead ends among the states whose moves were executed for the search.
    pub dead_ends: DeadEnds,
    /// Whether dead ends are counted.
    pub searching: bool,
    /// Where threads wait in the state at hand.
    waits: Vec<(OpId, Pc)>,
}

/// The moves of this state have not been executed.
const NOT_YET: (u32, u32) = (u32::MAX, u32::MAX);

/// Everything but the execution of moves.
pub(crate) struct ProductJudge<'q> {
    machine: &'q Machine,
    monitor: Box<dyn LabelMonitor + 'q>,
    question: &'q Question,
    pub store: Parts,
    encoder: Encoder,
    live: Rc<Liveness>,
    /// Implementation states in which the invariant is false.
    bad: Vec<ImplState>,
    pub growth: Growth,
    /// The layer that is being built, for `growth`.
    pub layer: u64,
    pub meter: Meter,
    pub transitions: u64,
}

impl<'q> Product<'q> {
    /// Nothing is explored yet.
    pub fn new(machine: &'q Machine, question: &'q Question, limits: &Limits) -> Product<'q> {
        let monitor: Box<dyn LabelMonitor + 'q> = match question {
            Question::Linearizable { spec, points } => Box::new(SpecMonitor::new(spec, machine, *points)),
            Question::Refines { other } => Box::new(RefinementMonitor::new(other, machine)),
            Question::Safe
            | Question::Invariant { .. }
            | Question::LeakFree
            | Question::Progress { .. }
            | Question::Equivalent { .. }
            | Question::Unavailable => Box::new(TrueMonitor),
        };
        let mut explorer = match question {
            Question::LeakFree => Explorer::for_leaks(machine),
            _ => Explorer::new(machine, question.relies_on_points()),
        };
        let meter = Meter::start(limits.clone());
        explorer.limit(&meter);
        let judge = ProductJudge {
            machine,
            monitor,
            question,
            store: Parts::default(),
            encoder: Encoder::default(),
            live: explorer.live.clone(),
            bad: Vec::new(),
            growth: Growth::new(&machine.object),
            layer: 0,
            meter,
            transitions: 0,
        };
        let remembers = matches!(question, Question::Linearizable { .. } | Question::Refines { .. });
        let (steps, ranges) = (Vec::new(), Vec::new());
        let (scratch, dead_ends, waits) = (State::default(), DeadEnds::default(), Vec::new());
        Product { explorer, judge, scratch, steps, ranges, remembers, dead_ends, searching: true, waits }
    }

    /// Every move of the given threads from a pair: who moves, how, where it leads.
    pub fn moves(
        &mut self,
        pair: Pair,
        threads: &[usize],
        visit: &mut dyn FnMut(u8, MoveKind, ProductTarget),
    ) -> Result<(), Halt> {
        let (from, to) = self.steps(pair.state, threads);
        self.explorer.goes_on()?;
        for step in &self.steps[from as usize..to as usize] {
            if threads.contains(&(step.thread as usize)) {
                visit(step.thread, step.kind, self.judge.beside(step, pair.set)?);
            }
        }
        Ok(())
    }

    /// Where in `steps` the moves of an implementation state are; of these threads at least.
    fn steps(&mut self, state: ImplState, threads: &[usize]) -> (u32, u32) {
        let at = state.0 as usize;
        if self.remembers {
            if self.ranges.len() <= at {
                self.ranges.resize(at + 1, NOT_YET);
            }
            if self.ranges[at] != NOT_YET {
                return self.ranges[at];
            }
        } else {
            self.steps.clear();
        }
        let (explorer, judge, steps) = (&mut self.explorer, &mut self.judge, &mut self.steps);
        decode(judge.store.get(state.0), judge.machine, &judge.live, &mut self.scratch);
        let from = steps.len() as u32;
        let mut ends = self.searching;
        self.waits.clear();
        for t in 0..judge.machine.threads.len() {
            if self.remembers || threads.contains(&t) {
                match explorer.moves(&self.scratch, t, &mut |edge| steps.push(judge.step(&edge))) {
                    Enabled::Yes | Enabled::Discarded => ends = false,
                    Enabled::Blocked(op, pc) => self.waits.push((op, pc)),
                    Enabled::Done => {}
                }
            }
        }
        self.dead_ends.finished |= ends && self.waits.is_empty() && explorer.goes_on().is_ok();
        if ends && !self.waits.is_empty() && explorer.goes_on().is_ok() {
            self.dead_ends.states += 1;
            self.dead_ends.places.extend(self.waits.drain(..));
        }
        let range = (from, u32::try_from(steps.len()).expect("fewer than 2^32 moves"));
        if self.remembers {
            self.ranges[at] = range;
        }
        range
    }

    /// Memory in use.
    pub fn bytes(&self) -> u64 {
        let steps = self.steps.capacity() * std::mem::size_of::<Step>();
        (steps + 8 * self.ranges.capacity()) as u64 + self.judge.bytes()
    }
}

impl ProductJudge<'_> {
    /// What a state at the beginning is worth.
    pub fn begin(&mut self, state: &Result<State, (u8, Finding)>) -> Result<ProductTarget, Halt> {
        let set = self.monitor.initial(&self.meter)?;
        Ok(match state {
            Ok(state) => {
                let to = self.place(state);
                self.reached(to, 0, set)
            }
            Err((thread, finding)) => self.reached(To::Finding(*finding), *thread, set),
        })
    }

    /// What a move is worth, made beside this set.
    pub fn judge(&mut self, edge: &Edge<'_>, set: SetId) -> Result<ProductTarget, Halt> {
        let step = self.step(edge);
        self.beside(&step, set)
    }

    fn step(&mut self, edge: &Edge<'_>) -> Step {
        let letter = self.monitor.letter(edge.label, edge.thread, edge.points);
        let to = match &edge.target {
            Ok(state) => self.place(state),
            Err(finding) => To::Finding(*finding),
        };
        let kind = match edge.label {
            Label::Call { .. } => MoveKind::Call,
            Label::Return { .. } => MoveKind::Return,
            Label::Tau => MoveKind::Step,
        };
        Step { letter, thread: edge.thread, kind, to }
    }

    fn beside(&mut self, step: &Step, set: SetId) -> Result<ProductTarget, Halt> {
        self.transitions += 1;
        if let To::Finding(_) = step.to {
            return Ok(self.reached(step.to, step.thread, set));
        }
        Ok(match self.monitor.next(set, step.letter, &self.meter)? {
            Reaction::At(set) => self.reached(step.to, step.thread, set),
            Reaction::Violation(violation) => ProductTarget::Violation(violation),
        })
    }

    fn reached(&self, to: To, thread: u8, set: SetId) -> ProductTarget {
        match (to, self.question) {
            (To::Finding(finding), Question::Safe) => {
                ProductTarget::Violation(Violation::Finding { thread, finding })
            }
            (To::Finding(finding), _) => ProductTarget::Finding { thread, finding },
            (To::Leak, _) => ProductTarget::Violation(Violation::Leak),
            (To::State(state), _) if self.bad.contains(&state) => {
                ProductTarget::Violation(Violation::Invariant)
            }
            (To::State(state), _) => ProductTarget::Pair(Pair { state, set }),
        }
    }

    /// Finds a state's number.
    fn place(&mut self, state: &State) -> To {
        self.encoder.encode(state, &self.live, &self.machine.object);
        let manual = self.machine.object.memory != Memory::Gc;
        if matches!(self.question, Question::LeakFree) && manual && self.encoder.leaked {
            return To::Leak;
        }
        let (id, new) = self.store.intern(&self.encoder.bytes);
        let id = ImplState(id);
        if new {
            self.growth.look(state, self.layer);
            if let Question::Invariant { routine, .. } = self.question
                && !(Context { module: &self.machine.object, me: 0 }).holds(routine, state)
            {
                self.bad.push(id);
            }
        }
        To::State(id)
    }

    /// How many states what runs beside has.
    pub fn sets(&self) -> u64 {
        self.monitor.len()
    }

    /// Memory in use.
    pub fn bytes(&self) -> u64 {
        self.store.bytes() + self.monitor.bytes()
    }
}

impl Minimisable for Product<'_> {
    type State = Pair;

    fn threads(&self) -> usize {
        self.explorer.machine.threads.len()
    }

    fn starts(&mut self) -> Result<Vec<Pair>, Halt> {
        let mut found = Vec::new();
        let starts = self.explorer.starts();
        self.explorer.goes_on()?;
        for start in starts {
            if let ProductTarget::Pair(pair) = self.judge.begin(&start.state)? {
                found.push(pair);
            }
        }
        Ok(found)
    }

    fn moves(
        &mut self,
        from: Pair,
        members: &[usize],
        visit: &mut dyn FnMut(u8, MoveKind, Successor<Pair>),
    ) -> Result<(), Halt> {
        Product::moves(self, from, members, &mut |thread, kind, target| {
            let reached = match target {
                ProductTarget::Pair(pair) => Successor::State(pair),
                ProductTarget::Violation(violation) => Successor::Violation(violation),
                ProductTarget::Finding { .. } => Successor::Finding,
            };
            visit(thread, kind, reached);
        })
    }

    fn within_limits(&self, bytes: u64, nodes: u64) -> Result<(), Halt> {
        Ok(self.judge.meter.check(bytes + self.bytes(), nodes)?)
    }
}
