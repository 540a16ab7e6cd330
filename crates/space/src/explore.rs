//! The one exploration loop: breadth first, in layers, with visitors.
//!
//! States are numbered in the order in which they are found, and that is the order in which they are expanded, so no
//! queue is kept. No parents are kept either: the way to a state is found by going back through the layers. Invariant:
//! every state below `next` is expanded; states of a layer are as many moves from a beginning. Cost: one look-up per
//! transition.

use crate::model::{Letter, Model};
use crate::monitor::Monitor;
use crate::space::{Edge, End, Node, Space, Standing};
use crate::states::States;
use trueline_base::{Event, Meter, Observer, Stop};

/// States expanded before their successors are looked up together.
const CHUNK: usize = 64;

/// States expanded between two looks at the clock.
const ROUND: usize = 1024;

/// What is done with states and transitions as they are found. Every method may be left out.
pub trait Visit {
    /// A state and whether its threads can move.
    fn state(&mut self, _id: u32, _node: &Node, _standing: Standing) {}

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
    threads: u32,
    meter: &Meter,
    observer: &mut dyn Observer,
    visit: &mut dyn Visit,
) -> Explored<B::Halt> {
    let states = States::new(space.model.threads());
    let mut search = Search { states, threads, layers: vec![0], next: 0, transitions: 0 };
    let answer = search.run(space, meter, observer, visit).unwrap_or_else(|answer| answer);
    Explored { search, answer }
}

impl Search {
    fn run<M: Model, B: Monitor>(
        &mut self,
        space: &mut Space<M, B>,
        meter: &Meter,
        observer: &mut dyn Observer,
        visit: &mut dyn Visit,
    ) -> Result<Answer<B::Halt>, Answer<B::Halt>> {
        let mut ids = Vec::new();
        let starts = space.starts().map_err(Answer::Halted)?;
        Self::goes_on(space)?;
        for start in starts {
            match start {
                Ok(node) => {
                    self.reserve(space);
                    self.states.insert([node].iter(), &mut ids);
                }
                Err(end) => {
                    if visit.end(Found { from: None, thread: 0, letter: 0, end }) {
                        return Ok(Answer::Enough);
                    }
                }
            }
        }
        self.layers.push(self.states.len());
        let mut edges: Vec<Edge> = Vec::new();
        let mut ends: Vec<usize> = Vec::new();
        while self.next < self.states.len() {
            if visit.enough() {
                return Ok(Answer::Enough);
            }
            self.within_limits(space, visit.bytes(), meter, observer).map_err(Answer::Stopped)?;
            let layer = self.layers[self.layers.len() - 1];
            if self.next == layer {
                self.layers.push(self.states.len());
                continue;
            }
            let to = (self.next + CHUNK).min(layer);
            edges.clear();
            ends.clear();
            for id in self.next..to {
                let node = self.states.get(id);
                let standing = space.moves(&node, self.threads, &mut edges).map_err(Answer::Halted)?;
                visit.state(id as u32, &node, standing);
                ends.push(edges.len());
            }
            Self::goes_on(space)?;
            self.transitions += edges.len() as u64;
            self.reserve(space);
            self.states.insert(edges.iter().filter_map(|edge| edge.to.as_ref().ok()), &mut ids);
            let (mut targets, mut edge) = (ids.iter(), 0);
            for (from, end) in (self.next..to).zip(&ends) {
                for made in &edges[edge..*end] {
                    match made.to {
                        Ok(_) => {
                            visit.edge(from as u32, made, *targets.next().expect("every state has a number"));
                        }
                        Err(end) => {
                            let found = Found {
                                from: Some(from as u32),
                                thread: made.thread,
                                letter: made.letter,
                                end,
                            };
                            if visit.end(found) {
                                self.next = from;
                                return Ok(Answer::Enough);
                            }
                        }
                    }
                }
                edge = *end;
            }
            self.next = to;
        }
        Ok(Answer::Complete)
    }

    fn goes_on<M: Model, B: Monitor>(space: &Space<M, B>) -> Result<(), Answer<B::Halt>> {
        space.model.stopped().map_or(Ok(()), |stop| Err(Answer::Stopped(stop)))
    }

    fn reserve<M: Model, B: Monitor>(&mut self, space: &Space<M, B>) {
        let (globals, locals, sets) = space.sizes();
        self.states.reserve(globals, locals, sets);
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
        if self.next % ROUND < CHUNK {
            let bytes = self.states.bytes() + self.states.growth() + space.bytes() + visitor;
            meter.check(bytes, states)?;
            let frontier = states - self.next as u64;
            observer.event(&Event::Search { depth: self.depth(), states, frontier, bytes });
        }
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
                if edges.iter().any(|edge| edge.to == Ok(target)) {
                    found = Some(node);
                    break;
                }
            }
            way.push(found.expect("every state beyond the first layer has one before it"));
            layer -= 1;
        }
        way.reverse();
        Ok(way)
    }
}
