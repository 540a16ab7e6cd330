//! Compiled steps as a model of parts.

use super::canon::{Canon, GONE, HELD, Holder};
use super::decode;
use super::footprint::Footprints;
use super::letters::{Letters, Seen};
use super::moves::{Made, Together, moves};
use super::naming::{Naming, Refusal, places};
use super::occurring::Order;
use super::reduce::{Reduction, Reductions};
use super::renaming::Renamings;
use super::unshare::{self, Passage, SHARED_AGAIN};
use super::values;
use crate::coverage::Coverage;
use crate::growth::Growth;
use crate::machine::Explorer;
use crate::machine::run::{Context, End, Extent, Log};
use crate::machine::start::Start as Beginning;
use crate::machine::state::{Cell, Head, Heap, Phase, SHARED, State, Thread};
use crate::machine::touched::Touched;
use crate::machine::ways::Ways;
use std::io::{self, Read, Write};
use trueline_base::verdict::Finding;
use trueline_base::{Stop, Value};
use trueline_lang::ir::{InstrKind, Machine, Memory, Module, OpId, Pc, Routine};
use trueline_space::{
    Accesses, Enabled, Held, MAX_THREADS, Model, Move, Next, Part, Parts, Perm, Rename, Start, Symmetry, To,
    View, Whole, WholeMove, permutations, wire,
};

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

/// The finding of an end other than [`BROKEN`], [`LOST`] and [`SHARED_AGAIN`], and where no move was made, its thread.
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
        (thread.phase, OpId(thread.op), thread.pc)
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
        self.raw_bytes + self.renamings.bytes() + self.letters.bytes()
    }

    /// The parts of a whole state; none where a struct is lost and executions end there.
    pub fn parts(&mut self, state: &State) -> Option<(Part, Vec<Part>)> {
        let holders: Vec<Holder<'_>> = state.threads.iter().map(Holder::Thread).collect();
        self.canon.name(state, &holders, 0..0);
        if self.leaks && self.canon.lost {
            return None;
        }
        let persistent = self.machine.object.persistent.len();
        let live = &self.explorer.live;
        let canon = &mut self.canon;
        let locals =
            state.threads.iter().map(|thread| canon.local(state, thread, live, persistent)).collect();
        Some((canon.global(state), locals))
    }

    /// The same without copies of what has left shared memory.
    pub fn shared_parts(&mut self, state: &State) -> Option<(Part, Vec<Part>)> {
        let unshare = std::mem::take(&mut self.canon.unshare);
        let parts = self.parts(state);
        self.canon.unshare = unshare;
        parts
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

    /// The parts after a move on a whole state, or why the execution ends there.
    fn parts_after(
        &mut self,
        state: &mut State,
        was_global: &dyn Fn(u32) -> bool,
    ) -> Result<(Part, Vec<Part>), u32> {
        if self.canon.unshare {
            self.canon.name(state, &[], 0..0);
            if self.canon.published(state) {
                return Err(SHARED_AGAIN);
            }
            unshare::leave(&self.canon, state, was_global);
        }
        self.parts(state).ok_or(LOST)
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

    /// The threads hold what they hold; the global structs come first.
    fn decode(&mut self, global: &[u8], locals: &[(usize, &[u8])]) -> (State, u32, u32) {
        let mut state = std::mem::take(&mut self.scratch);
        let (reached, all) = decode::global(global, self.machine, &mut state);
        for (t, local) in locals {
            let base = state.heap.heads.len() as u32;
            let module = &self.machine.object;
            let State { heap, threads, .. } = &mut state;
            decode::local_into(local, module, &self.explorer.live, base, heap, &mut threads[*t]);
        }
        (state, reached, all)
    }

    /// The global part, and the part of the thread that moved.
    fn encode(&mut self, state: &State, thread: usize) -> (Part, Part) {
        let persistent = self.machine.object.persistent.len();
        let global = self.canon.global(state);
        let thread = &state.threads[thread];
        (global, self.canon.local(state, thread, &self.explorer.live, persistent))
    }

    /// Names the structs after a move, given what the other threads hold.
    fn name(&mut self, state: &State, thread: usize, holders: &[u64]) {
        let held = |t: usize| match t == thread {
            true => Holder::Thread(&state.threads[t]),
            false => Holder::Structs(holders.get(t).copied().unwrap_or(0)),
        };
        let holders: Vec<Holder<'_>> = (0..self.machine.threads.len()).map(held).collect();
        self.canon.name(state, &holders, 0..0);
    }

    fn reached(&mut self, mut state: State, thread: usize, before: usize, was: &[u8]) -> To {
        if self.canon.unshare {
            self.canon.name(&state, &[], 0..0);
            if self.canon.published(&state) {
                return To::End(SHARED_AGAIN);
            }
            let left = unshare::leave(&self.canon, &mut state, &|a| a < before as u32);
            let (global, local) = self.encode(&state, thread);
            let rename = self.renamings.leaving(&self.canon.map, before, &left, &state.heap);
            self.passage.leaving.extend(left.into_iter().filter(|a| *a < before as u32));
            self.spare.push(state);
            return To::Parts { global: (global != was).then_some(global), local, rename };
        }
        self.name(&state, thread, &[]);
        if self.canon.fresh {
            let (global, local) = self.encode(&state, thread);
            self.spare.push(state);
            return To::Parts { global: (global != was).then_some(global), local, rename: 0 };
        }
        let shared = self.canon.globals().0 as u32;
        let doubtful = |a: &usize| self.canon.map[*a] >= shared && !state.heap.heads[*a].forgotten;
        let mut things = 0;
        for a in (0..before).filter(doubtful) {
            if a >= 64 {
                return To::Whole;
            }
            things |= 1 << a;
        }
        if things != 0 {
            self.raw_bytes += (40 * state.heap.cells.len() + 200 + 80 * state.threads.len()) as u64;
            self.raws.push(Raw { state, thread, before });
            return To::Held(Held { raw: self.raws.len() as u32 - 1, things });
        }
        if self.leaks && self.canon.lost {
            return To::End(LOST);
        }
        if self.canon.tied {
            return To::Whole;
        }
        let (global, local) = self.encode(&state, thread);
        let rename = self.renamings.number(&self.canon.map, before, &|_| false, &state.heap);
        self.spare.push(state);
        To::Parts { global: (global != was).then_some(global), local, rename }
    }

    /// A thread's part, decoded where its own structs stand behind those of a renaming, with the names in `canon`.
    fn renamed(&mut self, local: &[u8], rename: Rename) -> (State, Thread) {
        let renaming = self.renamings.get(rename);
        let mut state = std::mem::take(&mut self.scratch);
        state.heap.heads.clear();
        state.heap.cells.clear();
        let map = &mut self.canon.map;
        map.clear();
        map.extend_from_slice(&renaming.map);
        match &renaming.heap {
            Some(heap) => {
                state.heap.heads.extend_from_slice(&heap.heads);
                state.heap.cells.extend_from_slice(&heap.cells);
            }
            None => {
                let names = decode::names(local, &self.machine.object, &self.explorer.live);
                let structs = map.len().max(names as usize);
                map.extend(map.len() as u32..structs as u32);
                state.heap.heads.resize(structs, Head::default());
            }
        }
        let base = state.heap.heads.len() as u32;
        let thread = decode::local(local, &self.machine.object, &self.explorer.live, base, &mut state.heap);
        self.canon.map.resize(state.heap.heads.len(), HELD);
        (state, thread)
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

    /// What moves touch, as others can tell: cells of structs from `before` on are the thread's own.
    fn note_accesses(&mut self, state: &State, thread: usize, before: u32, touched: &Touched, seen: &[Seen]) {
        let Some(footprints) = &self.footprints else { return };
        let number = |cell: &Cell| match cell.address {
            SHARED => Some(cell.index),
            address if address < before => {
                let start = state.heap.heads[address as usize].start;
                Some(state.shared.len() as u32 + start + cell.index)
            }
            _ => None,
        };
        let bits = |cells: &[Cell]| {
            let numbers = cells.iter().filter_map(number);
            numbers.fold(0, |bits, cell| bits | Accesses::bit(cell as usize))
        };
        let cells = |a: &u32| {
            let Head { start, len, .. } = state.heap.heads[*a as usize];
            let first = state.shared.len() + start as usize;
            (first..first + len as usize).fold(0, |bits, cell| bits | Accesses::bit(cell))
        };
        let whole = |structs: &[u32]| structs.iter().map(cells).fold(0, |all, bits| all | bits);
        let Passage { leaving, kept } = &self.passage;
        self.accesses = Accesses {
            reads: bits(&touched.reads) | whole(kept),
            writes: bits(&touched.writes) | whole(leaving),
            alone: leaving.is_empty() && kept.is_empty() && footprints.alone(thread, touched, state, before),
            returns: matches!(seen, [Seen::Return { .. }]),
        };
    }

    fn holds(&mut self, state: &State) -> bool {
        let Some(routine) = self.invariant else { return true };
        let module = &self.machine.object;
        let context = Context { module, me: 0 };
        let (mut ways, mut log) = (Ways::default(), Log::default());
        ways.begin();
        loop {
            let mut copy = State::copied(state);
            let mut frame = vec![Value::Unit; routine.slots.len().max(module.persistent.len())];
            match context.run(routine, Extent::Whole, 0, &mut copy, &mut frame, &mut ways, &mut log) {
                End::Returned(Value::Bool(true)) | End::Blocked | End::Discarded => {}
                End::Returned(Value::Bool(false)) | End::Finding(_) | End::Endless => return false,
                other => panic!("an invariant ends in {other:?}"),
            }
            if !ways.advance() {
                return true;
            }
        }
    }
}

impl Model for Steps<'_> {
    fn threads(&self) -> usize {
        self.machine.threads.len()
    }

    fn class(&self, thread: usize) -> usize {
        if self.named { thread } else { self.classes[thread] }
    }

    fn role(&self, thread: usize) -> usize {
        self.roles[thread]
    }

    fn starts(&mut self) -> Vec<Start> {
        let mut found = Vec::new();
        for start in self.beginnings() {
            found.push(match start.state {
                Ok(state) => match self.parts(&state) {
                    Some((global, locals)) => Start::At { global, locals },
                    None => Start::End(LOST),
                },
                Err((thread, found)) => Start::End(end(thread as usize, found)),
            });
        }
        found
    }

    fn moves(&mut self, at: View<'_>, thread: usize, out: &mut Vec<Move>) -> Enabled {
        let (mut state, reached, before) = self.decode(at.global, &[(thread, at.local)]);
        if !self.holds(&state) {
            out.push(Move { letter: 0, to: To::End(BROKEN) });
            return Enabled::Yes;
        }
        if self.machine.object.memory != Memory::Gc && self.machine.threads.len() > 1 {
            // Somebody else may hold what no shared cell reaches: `new` may offer it.
            let other = (thread + 1) % self.machine.threads.len();
            let held = (reached..before).filter(|a| !state.heap.heads[*a as usize].forgotten);
            state.threads[other].script = held.map(Value::Ref).collect();
        }
        let global = |a: u32| a < before;
        let made = moves(&mut self.explorer, self.together, &state, thread, &global, &mut self.spare);
        if made.rewrites {
            self.scratch = state;
            out.push(Move { letter: 0, to: To::End(SHARED_AGAIN) });
            return Enabled::Yes;
        }
        let seen = match &made.made[..] {
            [one] => one.seen.clone(),
            _ => Vec::new(),
        };
        self.passage.clear();
        let follow = self.canon.unshare && self.footprints.is_some();
        for one in made.made {
            let letter = self.letters.number(&one.seen);
            if let (true, Ok(to)) = (follow, &one.to) {
                self.passage.keep(to, &made.touched.writes, before);
            }
            let to = match one.to {
                Ok(state) => self.reached(state, thread, before as usize, at.global),
                Err(found) => To::End(end(thread, found)),
            };
            out.push(Move { letter, to });
        }
        self.note_accesses(&state, thread, before, &made.touched, &seen);
        self.scratch = state;
        match out.is_empty() {
            false if !made.waits.is_empty() => Enabled::Maybe,
            false => Enabled::Yes,
            true if made.done => Enabled::Done,
            true if made.waits.is_empty() => Enabled::Discarded,
            true => Enabled::Blocked,
        }
    }

    fn accesses(&self) -> Accesses {
        self.accesses
    }

    fn exact(&self) -> bool {
        !self.together.merge
    }

    fn stopped(&self) -> Option<Stop> {
        self.explorer.goes_on().err()
    }

    fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        let Explorer { coverage, assumed, .. } = &self.explorer;
        let known = (self.letters.all(), coverage, assumed);
        wire::put_bytes(out, &serde_json::to_vec(&known)?)
    }

    fn load(&mut self, input: &mut dyn Read) -> io::Result<()> {
        let (letters, coverage, assumed): (Vec<Vec<Seen>>, Coverage, bool) =
            serde_json::from_slice(&wire::get_bytes(input)?)?;
        for (number, seen) in letters.iter().enumerate() {
            if self.letters.number(seen) as usize != number {
                return Err(wire::damaged("a letter has another number"));
            }
        }
        (self.explorer.coverage, self.explorer.assumed) = (coverage, assumed);
        Ok(())
    }

    fn settle(&mut self, raw: u32, thread: usize, holders: &[u64]) -> Next {
        let raw = raw as usize;
        let Raw { state, thread: mover, before } = std::mem::take(&mut self.raws[raw]);
        let mut holders = holders.to_vec();
        holders.swap(mover, thread);
        self.name(&state, mover, &holders);
        let next = if self.canon.tied || self.leaks && self.canon.lost {
            Next::Whole
        } else {
            let (global, local) = self.encode(&state, mover);
            let mine = self.canon.held_by(mover);
            let rename = self.renamings.number(&self.canon.map, before, &|a| !mine[a], &state.heap);
            Next::Parts { global, local, rename }
        };
        self.raws[raw] = Raw { state, thread: mover, before };
        next
    }

    fn whole(&mut self, at: Whole<'_>, thread: usize) -> Vec<WholeMove> {
        let locals: Vec<(usize, &[u8])> = at.locals.iter().copied().enumerate().collect();
        let (state, _, before) = self.decode(at.global, &locals);
        let global = |a: u32| a < before;
        let made = moves(&mut self.explorer, self.together, &state, thread, &global, &mut self.spare);
        self.scratch = state;
        if made.rewrites {
            return vec![WholeMove { letter: 0, to: Err(SHARED_AGAIN) }];
        }
        let mut all = Vec::new();
        for one in made.made {
            let letter = self.letters.number(&one.seen);
            let to = match one.to {
                Ok(mut state) => self.parts_after(&mut state, &global),
                Err(found) => Err(end(thread, found)),
            };
            all.push(WholeMove { letter, to });
        }
        all
    }

    fn references(&self, local: &[u8]) -> Option<u64> {
        decode::held(local, &self.machine.object, &self.explorer.live)
    }

    fn changes(&self, rename: Rename) -> (u64, bool) {
        self.renamings.changes(rename)
    }

    fn rename(&mut self, local: &[u8], rename: Rename) -> Part {
        let (state, thread) = self.renamed(local, rename);
        let persistent = self.machine.object.persistent.len();
        let part = self.canon.local(&state, &thread, &self.explorer.live, persistent);
        self.scratch = state;
        part
    }

    fn symmetry(&self) -> Symmetry {
        match self.exchanges() {
            _ if self.exchanges_values() => Symmetry::Permuting,
            true if self.named => Symmetry::Permuting,
            true => Symmetry::Sorting,
            false => Symmetry::Off,
        }
    }

    fn permute_global(&mut self, global: &[u8], by: &[u8]) -> Option<(Part, Rename)> {
        let (mut state, reached, all) = self.decode(global, &[]);
        let naming = self.naming.as_ref().expect("threads are exchanged");
        naming.state(&mut state, &places(by));
        self.canon.name(&state, &[], reached..all);
        let permuted = (!self.canon.tied).then(|| {
            let global = self.canon.global(&state);
            let rename = self.renamings.number(&self.canon.map, all as usize, &|_| false, &state.heap);
            (global, rename)
        });
        self.scratch = state;
        permuted
    }

    fn permute_local(&mut self, local: &[u8], by: &[u8], rename: Rename) -> Part {
        let (mut state, mut thread) = self.renamed(local, rename);
        let naming = self.naming.as_ref().expect("threads are exchanged");
        let to = places(by);
        naming.structs(&mut state.heap, &to);
        let values = thread.script.iter_mut().chain(&mut thread.frame).chain(&mut thread.result);
        values.for_each(|value| naming.value(value, &to));
        let persistent = self.machine.object.persistent.len();
        let part = self.canon.local(&state, &thread, &self.explorer.live, persistent);
        self.scratch = state;
        part
    }

    fn symbols(&self) -> Vec<usize> {
        self.symbols.clone()
    }

    fn occurring(&mut self, part: &[u8], local: bool) -> Vec<u16> {
        let naming = self.naming.as_ref().expect("values are exchanged");
        let (ordered, symbols) = (!naming.unordered, naming.symbols.clone());
        if local {
            let mut heap = Heap::default();
            let thread = decode::local(part, &self.machine.object, &self.explorer.live, 0, &mut heap);
            return Order::of_local(&thread, &heap.cells, ordered, &symbols).groups;
        }
        let (state, reached, _) = self.decode(part, &[]);
        let order = Order::of_global(&state, if ordered { reached } else { 0 }, &symbols);
        self.scratch = state;
        order.groups
    }

    fn key(&mut self, at: View<'_>, thread: usize) -> Part {
        if !self.exchanges() {
            return Part::new();
        }
        // The thread itself becomes 0, all others 1: what remains does not depend on how the others are placed. Values
        // are known by where they occur.
        let threads = self.machine.threads.len();
        let to: Vec<u8> = (0..threads).map(|t| (t != thread) as u8).collect();
        let mut tokens = Vec::new();
        if self.exchanges_values() {
            let (first, own) = (self.occurring(at.global, false), self.occurring(at.local, true));
            let place = |groups: &[u16], at: usize| groups.iter().position(|group| group >> at & 1 == 1);
            let token = |at: usize| match (place(&first, at), place(&own, at)) {
                (Some(place), _) => place as u32,
                (None, Some(place)) => 32 + place as u32,
                (None, None) => 64,
            };
            tokens = (0..self.symbols.len()).map(token).collect();
        }
        let (state, _, all) = self.decode(at.global, &[(thread, at.local)]);
        let naming = self.naming.as_ref().expect("threads are exchanged");
        let key = naming.key(&state, thread, all, &to, &tokens);
        self.scratch = state;
        key
    }
}
