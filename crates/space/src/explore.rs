//! The one exploration loop: breadth first, in layers, with visitors.
//!
//! States are numbered in the order in which they are found, and that is the order in which they are expanded, so no
//! queue is kept. No parents are kept either: the way to a state is found by going back through the layers. A layer is
//! expanded in rounds, by several workers where they are allowed; nothing depends on how many. Invariant: every state
//! below `next` is expanded; states of a layer are as many moves from a beginning. Cost: one look-up per transition.

use crate::model::{Letter, Model};
use crate::monitor::Monitor;
use crate::record::Unloaded;
use crate::space::{Edge, End, Node, Reached, Space, Standing};
use crate::states::States;
use crate::wire;
use crate::workers::Workers;
use std::io::{self, Read, Write};
use trueline_base::{Event, Limits, Meter, Observer, Stop};

/// States expanded together: many where most is known, fewer where much is to be learnt, since what one state teaches
/// the next one needs not ask.
const ROUND: usize = 1 << 14;
const LEARNING: usize = 512;

/// Fewer states than this are expanded by one worker.
const ALONE: usize = 1024;

/// The last word of what is kept.
const END: u64 = 0x656e_642e_656e_642e;

/// Things computed between two looks at the limits.
const LEARNT: usize = 256;

/// What is done with states and transitions as they are found. Every method may be left out.
pub trait Visit {
    /// A state, for those who want its parts, and whether its threads can move.
    fn state(&mut self, _id: u32, _node: &dyn Fn() -> Node, _standing: Standing) {}

    /// Whether it wants to see transitions.
    fn edges(&self) -> bool {
        true
    }

    /// A transition between states.
    fn edge(&mut self, _from: u32, _edge: &Edge, _to: u32) {}

    /// Whether it has seen enough; asked now and then, between two states.
    fn enough(&mut self) -> bool {
        false
    }

    /// Memory that it uses.
    fn bytes(&self) -> u64 {
        0
    }

    /// Writes what it has noted, for a search that is to go on later.
    fn save(&self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Reads what was written.
    fn load(&mut self, _input: &mut dyn Read) -> io::Result<()> {
        Ok(())
    }

    /// An execution ends; `from` is none at the beginning. True ends the search.
    fn end(&mut self, found: Found) -> bool {
        let _ = found;
        false
    }
}

impl Visit for () {}

/// Where an execution ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The state before the last move; none when there was no move.
    pub from: Option<u32>,
    /// Who made it.
    pub thread: u8,
    /// What is seen of it.
    pub letter: Letter,
    /// What ends it.
    pub end: End,
}

/// How an exploration ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer<H> {
    /// Everything was visited.
    Complete,
    /// The visitor had seen enough.
    Enough,
    /// A limit was reached.
    Stopped(Stop),
    /// The monitor cannot go on.
    Halted(H),
}

/// What was explored.
pub struct Search {
    /// The states.
    pub states: States,
    /// Who moves.
    threads: u32,
    /// Where each layer begins.
    layers: Vec<usize>,
    next: usize,
    /// Those below it were shown to the visitor.
    shown: usize,
    /// How many states to expand together.
    round: usize,
    /// Moves executed, those that end executions included.
    pub transitions: u64,
}

/// A search with its answer.
pub struct Explored<H> {
    /// What was explored.
    pub search: Search,
    /// How it ended.
    pub answer: Answer<H>,
}

/// Visits every state.
pub fn explore<M: Model, B: Monitor>(
    space: &mut Space<M, B>,
    meter: &Meter,
    observer: &mut dyn Observer,
    visit: &mut dyn Visit,
) -> Explored<B::Halt> {
    let all = ((1u64 << space.model.threads()) - 1) as u32;
    explore_with(space, all, meter, observer, visit)
}

/// Visits every state that can be reached when nobody but these threads (a set of bits) moves.
pub fn explore_with<M: Model, B: Monitor>(
    space: &mut Space<M, B>,
    members: u32,
    meter: &Meter,
    observer: &mut dyn Observer,
    visit: &mut dyn Visit,
) -> Explored<B::Halt> {
    let mut search = Search::new(space, members);
    let answer = search.go_on(space, meter, observer, visit);
    Explored { search, answer }
}

impl Search {
    /// Nothing is explored yet. Nobody but these threads (a set of bits) will move.
    pub fn new<M: Model, B: Monitor>(space: &Space<M, B>, members: u32) -> Search {
        let threads = space.model.threads();
        let states = if space.antichain { States::least(threads) } else { States::new(threads) };
        let layers = Vec::new();
        Search { states, threads: members, layers, next: 0, shown: 0, round: LEARNING, transitions: 0 }
    }

    /// Explores until everything is visited, or something ends it: then it can go on later, where that was a limit or
    /// the visitor had seen enough for now.
    pub fn go_on<M: Model, B: Monitor>(
        &mut self,
        space: &mut Space<M, B>,
        meter: &Meter,
        observer: &mut dyn Observer,
        visit: &mut dyn Visit,
    ) -> Answer<B::Halt> {
        self.run(space, meter, observer, visit).unwrap_or_else(|answer| answer)
    }

    /// Writes a search that is to go on later, with all that its space and its visitor know.
    pub fn save<M: Model, B: Monitor>(
        &self,
        space: &Space<M, B>,
        visit: &dyn Visit,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        space.save(out)?;
        self.states.save(out)?;
        wire::put_list(out, self.layers.iter(), |out, layer| wire::put(out, *layer as u64))?;
        for number in [self.threads as u64, self.next as u64, self.shown as u64, self.round as u64] {
            wire::put(out, number)?;
        }
        wire::put(out, self.transitions)?;
        visit.save(out)?;
        wire::put(out, END)
    }

    /// Reads a search into a space and a visitor that are new, and like those of before.
    pub fn load<M: Model, B: Monitor>(
        space: &mut Space<M, B>,
        visit: &mut dyn Visit,
        input: &mut dyn Read,
    ) -> Result<Search, Unloaded<B::Halt>> {
        space.load(input)?;
        let states = States::load(input)?;
        let layers = wire::get_list(input, wire::get_small)?;
        let threads = wire::get_small(input)?;
        let (next, shown, round) =
            (wire::get_small(input)?, wire::get_small(input)?, wire::get_small(input)?);
        let search = Search { states, threads, layers, next, shown, round, transitions: wire::get(input)? };
        visit.load(input)?;
        match wire::get(input)? == END && search.fits(space) {
            true => Ok(search),
            false => Err(wire::damaged("it does not fit together").into()),
        }
    }

    fn fits<M: Model, B: Monitor>(&self, space: &Space<M, B>) -> bool {
        let ascending = self.layers.is_sorted() && self.layers.last().is_none_or(|l| *l <= self.states.len());
        ascending && self.next <= self.states.len() && space.memo.threads == self.states.threads()
    }

    fn run<M: Model, B: Monitor>(
        &mut self,
        space: &mut Space<M, B>,
        meter: &Meter,
        observer: &mut dyn Observer,
        visit: &mut dyn Visit,
    ) -> Result<Answer<B::Halt>, Answer<B::Halt>> {
        if self.layers.is_empty() && self.begin(space, visit)? {
            return Ok(Answer::Enough);
        }
        let edges = visit.edges() && !space.antichain;
        let all = Workers::new(meter.jobs());
        while self.next < self.states.len() {
            if visit.enough() {
                return Ok(Answer::Enough);
            }
            self.make_room(space, visit.bytes(), meter);
            self.within_limits(space, visit.bytes(), meter, observer).map_err(Answer::Stopped)?;
            let layer = self.layers[self.layers.len() - 1];
            if self.next == layer {
                self.end_layer();
                continue;
            }
            let mut to = (self.next + self.round(meter)).min(layer);
            let workers = if to - self.next < ALONE { &Workers::ALONE } else { &all };
            to = self.expand(space, to, edges, workers, meter)?;
            let transitions = self.states.transitions();
            // Numbers of targets are known only once they are stored; without them a visitor need not wait.
            if edges {
                self.store(space, edges, workers)?;
            }
            if let Some(enough) = self.states.show(visit, edges, self.shown) {
                self.next = enough;
                self.transitions += transitions;
                return Ok(Answer::Enough);
            }
            // What is stored in part is expanded again, and not shown again.
            self.shown = to;
            if !edges {
                self.store(space, edges, workers)?;
            }
            self.transitions += transitions;
            self.next = to;
        }
        Ok(Answer::Complete)
    }

    /// Adds the beginnings; says whether the end of one was enough for the visitor.
    fn begin<M: Model, B: Monitor>(
        &mut self,
        space: &mut Space<M, B>,
        visit: &mut dyn Visit,
    ) -> Result<bool, Answer<B::Halt>> {
        let starts = space.starts().map_err(Answer::Halted)?;
        Self::goes_on(space)?;
        for start in starts {
            match start {
                Reached::At(node) => {
                    self.reserve(space);
                    let below = &mut |a, b| space.below(a, b);
                    self.states.add(&node, below).map_err(Answer::Halted)?;
                }
                Reached::End(end) => {
                    if visit.end(Found { from: None, thread: 0, letter: Letter::SILENT, end }) {
                        self.layers.push(0);
                        return Ok(true);
                    }
                }
            }
        }
        self.layers.push(0);
        self.end_layer();
        Ok(false)
    }

    /// How many states to expand together: few where the limit on states is near, so that it is kept.
    fn round(&self, meter: &Meter) -> usize {
        let near = |limit: u64| (limit.saturating_sub(self.states.len() as u64) / 16) as usize;
        meter.limits().states.map_or(self.round, |limit| near(limit).clamp(64, self.round))
    }

    /// Expands the states up to one, or fewer where they have very many moves, learning what is not known; gives the
    /// end of those.
    fn expand<M: Model, B: Monitor>(
        &mut self,
        space: &mut Space<M, B>,
        to: usize,
        labels: bool,
        workers: &Workers,
        meter: &Meter,
    ) -> Result<usize, Answer<B::Halt>> {
        space.forget();
        self.states.begin(self.next..to);
        let mut misses = Vec::new();
        let mut learnt = 0;
        loop {
            self.states.expand(&space.memo, self.threads, labels, workers, &mut misses);
            if misses.is_empty() {
                break;
            }
            learnt += misses.len();
            for (at, miss) in misses.drain(..).enumerate() {
                space.learn(miss).map_err(Answer::Halted)?;
                if at % LEARNT == LEARNT - 1 {
                    meter.check(self.bytes(space), self.states.len() as u64).map_err(Answer::Stopped)?;
                }
            }
            Self::goes_on(space)?;
            if self.reserve(space) {
                self.states.begin(self.next..to);
            }
        }
        let planned = to;
        let to = self.states.cut();
        self.round = match to < planned || learnt * 16 > to - self.next {
            true => (self.round / 2).max(LEARNING),
            false => (self.round * 2).min(ROUND),
        };
        if space.checked {
            self.check(space, to).map_err(Answer::Halted)?;
        }
        Ok(to)
    }

    /// Compares the targets of a round with the moves of whole states.
    fn check<M: Model, B: Monitor>(&mut self, space: &mut Space<M, B>, to: usize) -> Result<(), B::Halt> {
        for id in self.next..to {
            let mut edges = Vec::new();
            space.moves(&self.states.get(id), self.threads, &mut edges)?;
            let wanted: Vec<Node> = edges.iter().filter_map(|edge| edge.to.state()).collect();
            assert_eq!(self.states.targets(id), wanted, "moves of words are moves of states");
        }
        Ok(())
    }

    fn store<M: Model, B: Monitor>(
        &mut self,
        space: &mut Space<M, B>,
        numbers: bool,
        workers: &Workers,
    ) -> Result<(), Answer<B::Halt>> {
        self.states.store(numbers, workers, &mut |a, b| space.below(a, b)).map_err(Answer::Halted)
    }

    /// What was found since the last layer ended is a layer.
    fn end_layer(&mut self) {
        self.states.settle();
        self.layers.push(self.states.len());
    }

    fn goes_on<M: Model, B: Monitor>(space: &Space<M, B>) -> Result<(), Answer<B::Halt>> {
        space.model.stopped().map_or(Ok(()), |stop| Err(Answer::Stopped(stop)))
    }

    /// Makes room for the parts known so far; says whether states have another form now.
    fn reserve<M: Model, B: Monitor>(&mut self, space: &Space<M, B>) -> bool {
        let (globals, locals, sets) = space.sizes();
        self.states.reserve(globals, locals, sets)
    }

    /// Memory in use, and what the next growth of tables needs.
    fn bytes<M: Model, B: Monitor>(&self, space: &Space<M, B>) -> u64 {
        self.states.bytes() + self.states.growth() + space.bytes() + space.growth()
    }

    /// Moves expanded states out of memory where it gets short.
    fn make_room<M: Model, B: Monitor>(&mut self, space: &Space<M, B>, visitor: u64, meter: &Meter) {
        let Limits { memory: Some(memory), spill: Some(spill), .. } = meter.limits() else { return };
        if self.bytes(space) + visitor > memory / 4 * 3 {
            // Where there is no room elsewhere either, the limit ends the search.
            let _ = self.states.spill(self.next, spill);
        }
    }

    fn within_limits<M: Model, B: Monitor>(
        &self,
        space: &Space<M, B>,
        visitor: u64,
        meter: &Meter,
        observer: &mut dyn Observer,
    ) -> Result<(), Stop> {
        let states = self.states.len() as u64;
        if meter.limits().states.is_some_and(|limit| states > limit) {
            return Err(Stop::States);
        }
        let bytes = self.bytes(space) + visitor;
        meter.check(bytes, states)?;
        let frontier = states - self.next as u64;
        observer.event(&Event::Search { depth: self.depth(), states, frontier, bytes });
        Ok(())
    }

    /// Every state that can be reached in so many moves is stored.
    pub fn depth(&self) -> u64 {
        self.layers.len().saturating_sub(2) as u64
    }

    /// How many states are beginnings; they have the first numbers.
    pub fn beginnings(&self) -> usize {
        self.layers.get(1).copied().unwrap_or(0)
    }

    /// How many states were expanded; they have the first numbers.
    pub fn expanded(&self) -> usize {
        self.next
    }

    /// States stored whose moves were not executed.
    pub fn frontier(&self) -> u64 {
        (self.states.len() - self.next) as u64
    }

    /// The states from a beginning to this one, and the moves between them, found by going back through the layers.
    pub fn way<M: Model, B: Monitor>(&self, space: &mut Space<M, B>, to: u32) -> Result<Vec<Node>, B::Halt> {
        let mut way = vec![self.states.get(to as usize)];
        let mut layer = self.layers.partition_point(|first| *first <= to as usize) - 1;
        let mut edges = Vec::new();
        while layer > 0 {
            let target = *way.last().expect("it begins with one");
            let before = self.layers[layer - 1]..self.layers[layer];
            let mut found = None;
            for id in before {
                let node = self.states.get(id);
                edges.clear();
                space.moves(&node, self.threads, &mut edges)?;
                if let Some(edge) = edges.iter().find(|edge| edge.to == Reached::At(target)) {
                    found = Some((node, edge.thread as usize));
                    break;
                }
            }
            let (node, thread) = found.expect("every state beyond the first layer has one before it");
            way.extend(space.between(&node, self.threads, thread)?.into_iter().rev());
            way.push(node);
            layer -= 1;
        }
        way.reverse();
        Ok(way)
    }

    /// The states from a beginning to the last move of an execution that ends.
    pub fn way_to_end<M: Model, B: Monitor>(
        &self,
        space: &mut Space<M, B>,
        found: &Found,
    ) -> Result<Vec<Node>, B::Halt> {
        let Some(from) = found.from else { return Ok(Vec::new()) };
        let mut way = self.way(space, from)?;
        let last = self.states.get(from as usize);
        way.extend(space.between(&last, self.threads, found.thread as usize)?);
        Ok(way)
    }
}
