//! Compiled steps as a model of parts.

mod after;
mod execute;
mod model;

use super::canon::{Canon, GONE, HELD, Holder};
use super::decode;
use super::footprint::Footprints;
use super::letters::Letters;
use super::moves::{Made, Together, moves};
use super::naming::{Naming, Refusal, places};
use super::recall::Recall;
use super::reduce::{Reduction, Reductions};
use super::renaming::Renamings;
use super::unshare::{self, Passage};
use super::values;
use crate::growth::Growth;
use crate::machine::Explorer;
use crate::machine::run::Context;
use crate::machine::start::Start as Beginning;
use crate::machine::state::{Heap, Phase, State};
use trueline_base::verdict::Finding;
use trueline_lang::ir::{InstrKind, Machine, Memory, Module, OpId, Pc, Routine};
use trueline_space::{Accesses, MAX_THREADS, Part, Parts, Perm, View, permutations};

/// The end of an execution whose state breaks the invariant.
pub(super) const BROKEN: u32 = 0;

/// The end of an execution in which a struct is lost.
pub(super) const LOST: u32 = u32::MAX;

/// An exchange, and the parts of a state after it.
type Image = (Perm, (Part, Vec<Part>));

/// Images of one state that are looked at, at most: those of eight threads.
const IMAGES: usize = 40_320;

/// The number of an end: a finding and a thread of the class that it is in.
pub(super) fn end(thread: usize, finding: Finding) -> u32 {
    let at = Finding::ALL.iter().position(|f| *f == finding).expect("all findings are listed");
    1 + (thread * Finding::ALL.len() + at) as u32
}

/// The finding of an end other than [`BROKEN`], [`LOST`] and [`SHARED_AGAIN`](unshare::SHARED_AGAIN), and where no move was made, its thread.
pub(super) fn finding(end: u32) -> (u8, Finding) {
    let number = end as usize - 1;
    ((number / Finding::ALL.len()) as u8, Finding::ALL[number % Finding::ALL.len()])
}

/// A move whose outcome depends on who holds what.
#[derive(Default)]
struct Raw {
    /// The state after it, in which the other threads hold nothing.
    state: State,
    /// Who moved; another thread of its class may make the same move.
    thread: usize,
    /// How many global structs there were before it.
    before: usize,
}

/// A machine as a model.
pub(super) struct Steps<'m> {
    pub explorer: Explorer<'m>,
    pub letters: Letters,
    machine: &'m Machine,
    invariant: Option<&'m Routine>,
    together: Together,
    canon: Canon<'m>,
    /// Whether an execution ends where a struct is lost.
    leaks: bool,
    /// Moves whose outcome depends on who holds what.
    raws: Vec<Raw>,
    raw_bytes: u64,
    renamings: Renamings,
    naming: Option<Naming>,
    /// Threads with the same script.
    classes: Vec<usize>,
    /// Those of them that are exchanged.
    roles: Vec<usize>,
    /// Classes of values that are exchanged.
    symbols: Vec<usize>,
    named: bool,
    refusal: Option<Refusal>,
    scratch: State,
    /// States to be used again: copying into them allocates little.
    spare: Vec<State>,
    /// What was executed before, where moves depend on little else than what they read.
    recall: Option<Recall<'m>>,
    /// Of how many pairs of parts the moves were executed, since they could not be recalled.
    pub executed: u64,
    /// What threads can ever touch, where orders of steps are left out.
    footprints: Option<Footprints>,
    /// What the moves that were asked for last touch.
    accesses: Accesses,
    /// What they do to global structs besides.
    passage: Passage,
}

impl<'m> Steps<'m> {
    /// With these reductions, and a specification beside it.
    pub fn new(
        machine: &'m Machine,
        spec: Option<&Module>,
        points: bool,
        steps: bool,
        invariant: Option<&'m Routine>,
        reductions: Reductions,
    ) -> Steps<'m> {
        let threads = &machine.threads;
        let same = |t: usize| threads.iter().position(|o| *o == threads[t]).expect("it equals itself");
        let naming = Naming::of(machine, spec);
        let named = naming.as_ref().map_or(true, |naming| naming.named);
        let links = |op: &trueline_lang::ir::Op| {
            op.routine.code.iter().any(|i| matches!(i.kind, InstrKind::LoadLinked { .. }))
        };
        let links = machine.object.ops.iter().any(links);
        let classes: Vec<usize> = (0..threads.len()).map(same).collect();
        let wanted = reductions.has(Reduction::Symmetry);
        let refusal = naming.as_ref().err().copied().filter(|_| wanted);
        let mut naming = naming.ok().filter(|_| wanted);
        let roles = if naming.is_some() { classes.clone() } else { (0..threads.len()).collect() };
        let mut canon = Canon::new(&machine.object, links, !reductions.has(Reduction::Heap));
        canon.unshare = reductions.has(Reduction::Unshare)
            && machine.object.memory == Memory::Gc
            && !machine.object.structs.is_empty()
            && !links;
        let simple = machine.object.memory == Memory::Gc && !links && invariant.is_none();
        let recall = simple.then(|| Recall::new(&machine.object));
        let mut symbols = Vec::new();
        if reductions.has(Reduction::Values) {
            let values = values::interchangeable(machine, spec);
            let all: Vec<u32> = values.concat();
            if !all.is_empty() && threads.len() + all.len() <= MAX_THREADS {
                let class = |(at, class): (usize, &Vec<u32>)| vec![at; class.len()];
                symbols = values.iter().enumerate().flat_map(class).collect();
                naming.get_or_insert_with(|| Naming::of_values(machine)).symbols = all;
            }
        }
        Steps {
            explorer: Explorer::new(machine, points),
            letters: Letters::default(),
            machine,
            invariant,
            together: Together {
                merge: reductions.has(Reduction::Merge) && machine.object.memory == Memory::Gc && !links,
                tight: reductions.has(Reduction::Tight),
                steps,
            },
            canon,
            raws: Vec::new(),
            raw_bytes: 0,
            renamings: Renamings::default(),
            naming,
            classes,
            roles,
            symbols,
            named: named || links,
            refusal,
            scratch: State::default(),
            spare: Vec::new(),
            recall,
            executed: 0,
            leaks: false,
            footprints: reductions.has(Reduction::Por).then(|| Footprints::of(machine)),
            accesses: Accesses::ALL,
            passage: Passage::default(),
        }
    }

    /// Ends executions where a struct is lost. Under `gc` none is.
    pub fn watch_leaks(&mut self) {
        self.leaks = self.machine.object.memory != Memory::Gc;
        self.explorer = Explorer::for_leaks(self.machine);
    }

    /// Why threads are not exchanged although that was wanted.
    pub fn refusal(&self) -> Option<Refusal> {
        self.refusal
    }

    /// Never exchanges this thread, the first of its role, for another.
    pub fn set_apart(&mut self, thread: usize) {
        self.roles[thread] = self.roles.len();
    }

    /// Whether the thread of a local part is inside an operation, which, and where it stands there.
    pub fn stands(&self, local: &[u8]) -> (Phase, OpId, Pc) {
        let mut heap = Heap::default();
        let thread = decode::local(local, &self.machine.object, &self.explorer.live, 0, &mut heap);
        (thread.phase, thread.op, thread.pc)
    }

    /// Whether threads are exchanged.
    pub fn exchanges(&self) -> bool {
        self.naming.is_some() && self.roles.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// Those of the reductions that change something here.
    pub fn in_force(&self, mut reductions: Reductions) -> Reductions {
        if !self.canon.unshare {
            reductions = reductions.without(Reduction::Unshare);
        }
        if !self.exchanges() {
            reductions = reductions.without(Reduction::Symmetry);
        }
        if !self.exchanges_values() {
            reductions = reductions.without(Reduction::Values);
        }
        reductions
    }

    /// Whether values are exchanged.
    pub fn exchanges_values(&self) -> bool {
        !self.symbols.is_empty()
    }

    /// Threads and values that are exchanged, the threads first.
    pub fn names(&self) -> usize {
        self.roles.len() + self.symbols.len()
    }

    /// How threads and values are named, where they are exchanged.
    pub fn naming(&self) -> Option<Naming> {
        self.naming.clone()
    }

    /// Memory that is not in the space's own tables.
    pub fn bytes(&self) -> u64 {
        self.raw_bytes
            + self.renamings.bytes()
            + self.letters.bytes()
            + self.recall.as_ref().map_or(0, Recall::bytes)
    }

    /// Every beginning of the machine.
    pub fn beginnings(&mut self) -> Vec<Beginning> {
        let mut starts = self.explorer.starts();
        if self.canon.unshare {
            let states = starts.iter_mut().filter_map(|start| start.state.as_mut().ok());
            states.for_each(|state| unshare::begin(&mut self.canon, state));
        }
        starts
    }

    /// The images of a whole state under exchanges of threads of a role and of values, each with the exchange; none where they are
    /// too many.
    pub fn images(&mut self, state: &State) -> Vec<Image> {
        let Some(naming) = self.naming.clone() else { return Vec::new() };
        let mut groups: Vec<(usize, usize)> = Vec::new();
        let classes = self.symbols.iter().map(|class| usize::MAX - class);
        let classes: Vec<usize> = self.roles.iter().copied().chain(classes).collect();
        for t in 0..classes.len() {
            match groups.last_mut() {
                Some((from, to)) if classes[*from] == classes[t] => *to = t + 1,
                _ => groups.push((t, t + 1)),
            }
        }
        let count = |(from, to): &(usize, usize)| (1..=to - from).product::<usize>();
        if groups.iter().map(count).fold(1, usize::saturating_mul) > IMAGES {
            return Vec::new();
        }
        let first: Perm = std::array::from_fn(|t| t as u8);
        let mut images = Vec::new();
        for by in permutations(&first, &groups) {
            let mut image = State::copied(state);
            naming.exchange(&mut image, &places(&by[..self.names()]));
            images.extend(self.parts(&image).map(|parts| (by, parts)));
        }
        images
    }

    /// Every move of a thread in a state whose addresses are never changed.
    pub fn moves_in(&mut self, state: &State, t: usize) -> Vec<Made> {
        let holders: Vec<Holder<'_>> = state.threads.iter().map(Holder::Thread).collect();
        self.canon.name(state, &holders, 0..0);
        let map = self.canon.map.clone();
        let global = |a: u32| map.get(a as usize).is_some_and(|name| *name != GONE && *name != HELD);
        let mut made = moves(&mut self.explorer, self.together, state, t, &global, &mut self.spare).made;
        if self.canon.unshare {
            for to in made.iter_mut().filter_map(|one| one.to.as_mut().ok()) {
                self.canon.name(to, &[], 0..0);
                unshare::leave(&self.canon, to, &global);
            }
        }
        made
    }

    /// Where a thread waits, or may come to.
    pub fn waits(&mut self, at: View<'_>, thread: usize) -> Vec<(OpId, Pc)> {
        let (state, _, before) = self.decode(at.global, &[(thread, at.local)]);
        let waits =
            moves(&mut self.explorer, self.together, &state, thread, &|a| a < before, &mut self.spare).waits;
        self.scratch = state;
        waits
    }

    /// The variables, or the heap, whose maximum was still growing, given the global parts in the order in which they
    /// were found. A sample of them tells as much.
    pub fn growing(&mut self, globals: &Parts) -> Vec<String> {
        const SAMPLE: usize = 10_000;
        const LAYERS: usize = 64;
        let mut growth = Growth::new(&self.machine.object);
        let mut state = State::default();
        for id in (0..globals.len()).step_by(globals.len() / SAMPLE + 1) {
            decode::global(globals.get(id as u32), self.machine, &mut state);
            growth.look(&state, (id * LAYERS / globals.len()) as u64 + 1);
        }
        growth.growing(LAYERS as u64)
    }

    fn holds(&self, state: &State) -> bool {
        let context = Context { module: &self.machine.object, me: 0 };
        self.invariant.is_none_or(|invariant| context.holds(invariant, state))
    }
}
