//! Whole transition systems: of an implementation, and of a specification under the same client.

use crate::canonical::liveness::Liveness;
use crate::canonical::{Encoder, decode};
use crate::label::Label;
use crate::machine::Explorer;
use crate::machine::state::State;
use crate::monitor::Halt;
use crate::spec::client;
use crate::walk::{Walk, walk};
use std::rc::Rc;
use trueline_base::verdict::Finding;
use trueline_base::{Limits, Meter, Observer, Stop};
use trueline_lang::ir::{Machine, Module, OpId};
use trueline_lts::{LabelId, Labels, Lts, StateId};
use trueline_space::{MAX_THREADS, Parts};

/// Why there is no transition system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoSystem {
    /// A limit was reached.
    Stopped(Stop),
    /// An execution ends in a finding; check `Safe` first.
    Finding {
        /// What was found.
        finding: Finding,
        /// In which thread.
        thread: u8,
    },
    /// The specification ends in a finding.
    SpecificationFinding {
        /// Its operation; none for `init`.
        op: Option<OpId>,
        /// What was found.
        finding: Finding,
    },
    /// Whether this operation may be called depends on `local` variables that a specification does not have.
    Requires(OpId),
    /// There are more threads than [`MAX_THREADS`].
    TooManyThreads,
}

impl From<Stop> for NoSystem {
    fn from(stop: Stop) -> NoSystem {
        NoSystem::Stopped(stop)
    }
}

impl From<Halt> for NoSystem {
    fn from(halt: Halt) -> NoSystem {
        match halt {
            Halt::Stop(stop) => NoSystem::Stopped(stop),
            Halt::Specification { op, finding } => NoSystem::SpecificationFinding { op, finding },
        }
    }
}

/// Takes transitions: from, label, to.
pub type Sink<'a> = dyn FnMut(u32, Label<'_>, u32) + 'a;

/// Explores the implementation alone and hands every transition to `sink`; gives the number of states. State 0 is the
/// initial one; where there are several, it has a silent transition to each.
pub fn generate(
    machine: &Machine,
    limits: &Limits,
    observer: &mut dyn Observer,
    sink: &mut Sink<'_>,
) -> Result<u32, NoSystem> {
    if machine.threads.len() <= MAX_THREADS {
        return crate::fast::generate(machine, limits, observer, sink);
    }
    let mut finding = None;
    let states = walk_plainly(machine, limits, observer, sink, &mut |thread, found| {
        finding = finding.or(Some(NoSystem::Finding { finding: found, thread }));
    })?;
    finding.map_or(Ok(states), Err)
}

/// States and transitions of the implementation alone, heaps canonical, dead locals cleared. Executions end in findings.
pub fn count_states(machine: &Machine, limits: &Limits) -> Result<(u64, u64), Stop> {
    let mut transitions = 0;
    let observer = &mut trueline_base::Silent;
    let states = walk_plainly(machine, limits, observer, &mut |_, _, _| transitions += 1, &mut |_, _| {})?;
    Ok((states as u64, transitions))
}

/// Explores a specification as an atomic object under the machine's client: a call, one silent step in which the
/// operation takes effect, a return. Labels carry the machine's operations.
pub fn generate_spec(
    machine: &Machine,
    spec: &Module,
    limits: &Limits,
    observer: &mut dyn Observer,
    sink: &mut Sink<'_>,
) -> Result<u32, NoSystem> {
    client::generate(machine, spec, limits, observer, sink)
}

/// The transition system of the implementation, or of a specification under the same client, with the texts of the
/// labels.
pub fn system(
    machine: &Machine,
    spec: Option<&Module>,
    limits: &Limits,
    observer: &mut dyn Observer,
) -> Result<Lts, NoSystem> {
    let mut collected = Collected::of(&machine.object);
    let mut sink = |from: u32, label: Label<'_>, to: u32| collected.add(from, label, to);
    let states = match spec {
        None => generate(machine, limits, observer, &mut sink),
        Some(spec) => generate_spec(machine, spec, limits, observer, &mut sink),
    }?;
    Ok(collected.system(states))
}

/// Transitions in memory, with the texts of their labels.
pub(crate) struct Collected<'m> {
    object: &'m Module,
    labels: Labels,
    transitions: Vec<(StateId, LabelId, StateId)>,
}

impl<'m> Collected<'m> {
    /// None yet; labels carry operations of this object.
    pub fn of(object: &'m Module) -> Collected<'m> {
        Collected { object, labels: Labels::new(), transitions: Vec::new() }
    }

    /// One more.
    pub fn add(&mut self, from: u32, label: Label<'_>, to: u32) {
        let label = label.text(self.object).map_or(LabelId::TAU, |text| self.labels.intern(&text));
        self.transitions.push((StateId(from), label, StateId(to)));
    }

    /// The system with so many states, of which the first is the initial one.
    pub fn system(self, states: u32) -> Lts {
        Lts::from_transitions(states, StateId(0), self.labels, self.transitions)
    }
}

/// States numbered in the order in which they are found, for [`number`].
pub(crate) trait Numbered {
    /// Why it cannot go on.
    type Halt: From<Stop>;
    /// How many were found.
    fn len(&self) -> usize;
    /// Memory in use.
    fn bytes(&self) -> u64;
    /// Gives every transition of a state.
    fn expand(&mut self, id: u32, give: &mut dyn FnMut(Label<'_>, u32)) -> Result<(), Self::Halt>;
}

/// Expands states in the order in which they are found, those that are there as the beginnings, and hands every
/// transition to `sink`; gives the number of states.
pub(crate) fn number<S: Numbered>(
    space: &mut S,
    meter: &Meter,
    observer: &mut dyn Observer,
    sink: &mut Sink<'_>,
) -> Result<u32, S::Halt> {
    // With several beginnings, state 0 stands before them all.
    let shift = (space.len() > 1) as u32;
    if shift == 1 {
        (0..space.len()).for_each(|id| sink(0, Label::Tau, id as u32 + 1));
    }
    walk(&mut Told { space, sink, shift }, meter, observer)?;
    Ok(space.len() as u32 + shift)
}

/// States whose transitions are handed on.
struct Told<'s, 'k, 'a, S> {
    space: &'s mut S,
    sink: &'k mut Sink<'a>,
    shift: u32,
}

impl<S: Numbered> Walk for Told<'_, '_, '_, S> {
    type Halt = S::Halt;

    fn found(&self) -> usize {
        self.space.len()
    }

    fn bytes(&self) -> u64 {
        self.space.bytes()
    }

    fn expand(&mut self, id: u32) -> Result<(), S::Halt> {
        let Told { space, sink, shift } = self;
        space.expand(id, &mut |label, to| sink(id + *shift, label, to + *shift))
    }
}

/// Canonical states of the implementation alone, as the plain engine stores them.
struct Implementation<'m, 'f> {
    machine: &'m Machine,
    explorer: Explorer<'m>,
    live: Rc<Liveness>,
    store: Parts,
    encoder: Encoder,
    state: State,
    /// Takes what ends executions.
    found: &'f mut dyn FnMut(u8, Finding),
}

impl Numbered for Implementation<'_, '_> {
    type Halt = Stop;

    fn len(&self) -> usize {
        self.store.len()
    }

    fn bytes(&self) -> u64 {
        self.store.bytes()
    }

    fn expand(&mut self, id: u32, give: &mut dyn FnMut(Label<'_>, u32)) -> Result<(), Stop> {
        let Implementation { machine, explorer, live, store, encoder, state, found } = self;
        decode(store.get(id), machine, live, state);
        for t in 0..machine.threads.len() {
            explorer.moves(state, t, &mut |edge| match edge.target {
                Ok(target) => {
                    encoder.encode(target, live, &machine.object);
                    give(edge.label, store.intern(&encoder.bytes).0);
                }
                Err(finding) => found(edge.thread, finding),
            });
        }
        explorer.goes_on()
    }
}

fn walk_plainly(
    machine: &Machine,
    limits: &Limits,
    observer: &mut dyn Observer,
    sink: &mut Sink<'_>,
    found: &mut dyn FnMut(u8, Finding),
) -> Result<u32, Stop> {
    let meter = Meter::start(limits.clone());
    let mut explorer = Explorer::new(machine, false);
    explorer.limit(&meter);
    let live = explorer.live.clone();
    let (mut store, mut encoder) = (Parts::default(), Encoder::default());
    let starts = explorer.starts();
    explorer.goes_on()?;
    for start in starts {
        match &start.state {
            Ok(state) => {
                encoder.encode(state, &live, &machine.object);
                store.intern(&encoder.bytes);
            }
            Err((thread, finding)) => found(*thread, *finding),
        }
    }
    let state = State::default();
    let mut states = Implementation { machine, explorer, live, store, encoder, state, found };
    number(&mut states, &meter, observer, sink)
}
