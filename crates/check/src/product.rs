//! One move of the product of an implementation and what runs beside it, judged by the property.

use crate::canonical::liveness::Liveness;
use crate::canonical::{Encoder, decode};
use crate::growth::Growth;
use crate::label::Label;
use crate::machine::run::{Context, End, Extent, Log};
use crate::machine::state::State;
use crate::machine::ways::Ways;
use crate::machine::{Edge, Explorer};
use crate::monitor::{Anything, Halt, Monitor};
use crate::question::{Failure, Question};
use crate::refine::Other;
use crate::spec::Sets;
use crate::store::Store;
use std::rc::Rc;
use trueline_base::Value;
use trueline_base::verdict::Finding;
use trueline_base::{Limits, Meter};
use trueline_lang::ir::{Machine, Routine};

/// An implementation state and the state of what runs beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Pair {
    pub state: u32,
    pub set: u32,
}

/// Where a move leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Pair(Pair),
    /// The property is violated.
    Violation(Failure),
    /// The execution ends in a finding that the property does not ask about.
    Finding {
        thread: u8,
        finding: Finding,
    },
}

/// The property apart from traces.
enum Property<'q> {
    Safe,
    Traces,
    Invariant(&'q Routine),
    LeakFree,
}

/// A machine, a question, and all states found so far.
pub(crate) struct Product<'q> {
    pub explorer: Explorer<'q>,
    pub judge: Judge<'q>,
    scratch: State,
}

/// Everything but the execution of moves.
pub(crate) struct Judge<'q> {
    machine: &'q Machine,
    monitor: Box<dyn Monitor + 'q>,
    property: Property<'q>,
    pub store: Store,
    encoder: Encoder,
    live: Rc<Liveness>,
    /// Implementation states in which the invariant is false.
    bad: Vec<u32>,
    pub growth: Growth,
    /// The layer that is being built, for `growth`.
    pub layer: u64,
    pub meter: Meter,
    pub transitions: u64,
    ways: Ways,
    log: Log,
}

impl<'q> Product<'q> {
    /// Nothing is explored yet.
    pub fn new(machine: &'q Machine, question: Question<'q>, limits: &Limits) -> Product<'q> {
        let mut points = false;
        let mut monitor: Box<dyn Monitor + 'q> = Box::new(Anything);
        let property = match question {
            Question::Safe => Property::Safe,
            Question::Linearizable { spec, points: with } => {
                points = with;
                monitor = Box::new(Sets::new(spec, machine, points));
                Property::Traces
            }
            Question::Refines(other) => {
                monitor = Box::new(Other::new(other, machine));
                Property::Traces
            }
            Question::Invariant(routine) => Property::Invariant(routine),
            Question::LeakFree => Property::LeakFree,
        };
        let explorer = match property {
            // A reference in a dead slot still keeps its struct from being lost.
            Property::LeakFree => Explorer::literal(machine),
            _ => Explorer::new(machine, points),
        };
        let judge = Judge {
            machine,
            monitor,
            property,
            store: Store::default(),
            encoder: Encoder::default(),
            live: explorer.live.clone(),
            bad: Vec::new(),
            growth: Growth::new(&machine.object),
            layer: 0,
            meter: Meter::start(limits.clone()),
            transitions: 0,
            ways: Ways::default(),
            log: Log::default(),
        };
        Product { explorer, judge, scratch: State::default() }
    }

    /// Every move of the given threads from a pair.
    pub fn moves(
        &mut self,
        pair: Pair,
        threads: impl Iterator<Item = usize>,
        visit: &mut dyn FnMut(u8, bool, Target),
    ) -> Result<(), Halt> {
        let explorer = &mut self.explorer;
        let judge = &mut self.judge;
        let keeps = explorer.keeps_frames;
        decode(judge.store.get(pair.state), judge.machine, &judge.live, keeps, &mut self.scratch);
        let mut halted = None;
        for t in threads {
            explorer.moves(&self.scratch, t, &mut |edge| match judge.judge(&edge, pair.set) {
                Ok(target) => visit(edge.thread, matches!(edge.label, Label::Call { .. }), target),
                Err(halt) => halted = halted.or(Some(halt)),
            });
        }
        halted.map_or(Ok(()), Err)
    }
}

impl Judge<'_> {
    /// What a state at the beginning is worth.
    pub fn begin(&mut self, state: &Result<State, (u8, Finding)>) -> Result<Target, Halt> {
        let set = self.monitor.initial(&self.meter)?;
        Ok(match state {
            Ok(state) => self.place(state, set),
            Err((thread, finding)) => self.finding(*thread, *finding),
        })
    }

    /// What a move is worth, made beside this set.
    pub fn judge(&mut self, edge: &Edge<'_>, set: u32) -> Result<Target, Halt> {
        self.transitions += 1;
        let state = match edge.target {
            Ok(state) => state,
            Err(finding) => return Ok(self.finding(edge.thread, finding)),
        };
        match self.monitor.next(set, edge.label, edge.thread, edge.points, &self.meter)? {
            Ok(set) => Ok(self.place(state, set)),
            Err(failure) => Ok(Target::Violation(failure)),
        }
    }

    fn finding(&self, thread: u8, finding: Finding) -> Target {
        match self.property {
            Property::Safe => Target::Violation(Failure::Finding { thread, finding }),
            _ => Target::Finding { thread, finding },
        }
    }

    fn place(&mut self, state: &State, set: u32) -> Target {
        self.encoder.encode(state, &self.live, self.machine.object.persistent.len());
        let manual = self.machine.object.memory != trueline_lang::ir::Memory::Gc;
        if matches!(self.property, Property::LeakFree) && manual && self.encoder.leaked {
            return Target::Violation(Failure::Leak);
        }
        let (id, new) = self.store.intern(&self.encoder.bytes);
        if new {
            self.growth.look(state, self.layer);
            if let Property::Invariant(routine) = self.property {
                if !self.holds(routine, state) {
                    self.bad.push(id);
                }
            }
        }
        if self.bad.contains(&id) {
            return Target::Violation(Failure::Invariant);
        }
        Target::Pair(Pair { state: id, set })
    }

    fn holds(&mut self, routine: &Routine, state: &State) -> bool {
        let context = Context { module: &self.machine.object, me: 0 };
        self.ways.begin();
        loop {
            let mut copy = State::default();
            copy.copy_from(state);
            let mut frame = vec![Value::Unit; routine.slots.len()];
            let whole = Extent::Whole;
            let end = context.run(routine, whole, 0, &mut copy, &mut frame, &mut self.ways, &mut self.log);
            match end {
                End::Returned(Value::Bool(true)) | End::Gone => {}
                End::Returned(Value::Bool(false)) | End::Finding(_) | End::Endless => return false,
                other => panic!("an invariant ends in {other:?}"),
            }
            if !self.ways.advance() {
                return true;
            }
        }
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
