//! The transitions of a search, kept for questions about cycles; strongly connected components of a part of them.
//!
//! Paper: Tarjan, SIAM Journal on Computing 1972, without recursion. Cost: linear in states and transitions; a
//! transition takes 5 bytes.

use crate::space::{Edge, MAX_THREADS};
use crate::wire;
use std::io::{self, Read, Write};

/// Something that was seen of a transition: the thread that moved, and what the collector wants to know of its letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag(u8);

/// Kinds of letters that a tag can tell apart.
pub const KINDS: u8 = 4;

impl Tag {
    /// A move of a thread whose letter is of this kind.
    pub fn new(thread: u8, kind: u8) -> Tag {
        debug_assert!(kind < KINDS && (thread as usize) < MAX_THREADS);
        Tag(thread << 2 | kind)
    }

    /// Who moves.
    pub fn thread(self) -> u8 {
        self.0 >> 2
    }

    /// The kind of its letter.
    pub fn kind(self) -> u8 {
        self.0 & 3
    }
}

/// Transitions by the state that they leave, in the order in which states are numbered.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Where the transitions of each state end; those of the next begin there.
    ends: Vec<u64>,
    to: Vec<u32>,
    tags: Vec<Tag>,
}

/// No component.
pub const NONE: u32 = u32::MAX;

impl Graph {
    /// Adds a transition; states come in ascending order.
    pub fn add(&mut self, from: u32, edge: &Edge, kind: u8, to: u32) {
        self.reach(from as usize);
        self.to.push(to);
        self.tags.push(Tag::new(edge.thread, kind));
    }

    /// All transitions of states below this one are there.
    pub fn reach(&mut self, state: usize) {
        if self.ends.len() < state {
            self.ends.resize(state, self.to.len() as u64);
        }
    }

    /// The transitions of a state; none of one that was not expanded.
    pub fn leaving(&self, state: u32) -> impl Iterator<Item = (Tag, u32)> + '_ {
        let end = |at: usize| self.ends.get(at).map_or(self.to.len(), |end| *end as usize);
        let from = if state == 0 { 0 } else { end(state as usize - 1) };
        (from..end(state as usize)).map(|at| (self.tags[at], self.to[at]))
    }

    /// Writes it.
    pub fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        wire::put_list(out, self.ends.iter(), |out, end| wire::put(out, *end))?;
        wire::put_list(out, self.to.iter().zip(&self.tags), |out, (to, tag)| {
            wire::put(out, (tag.0 as u64) << 32 | *to as u64)
        })
    }

    /// Reads what was written.
    pub fn load(input: &mut dyn Read) -> io::Result<Graph> {
        let ends = wire::get_list(input, wire::get)?;
        let edges = wire::get_list(input, wire::get)?;
        let to = edges.iter().map(|edge| *edge as u32).collect();
        let tags = edges.iter().map(|edge| Tag((edge >> 32) as u8)).collect();
        Ok(Graph { ends, to, tags })
    }

    /// Memory in use.
    pub fn bytes(&self) -> u64 {
        (8 * self.ends.capacity() + 5 * self.to.capacity()) as u64
    }

    /// For each of the first `states` states the number of its strongly connected component in the part of the graph
    /// whose transitions are taken; [`NONE`] for a component of one state without a transition to itself. `goes_on`
    /// is asked now and then; none when it says no.
    pub fn components(
        &self,
        states: usize,
        taken: &dyn Fn(u32, Tag) -> bool,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Option<Vec<u32>> {
        let mut search = Tarjan {
            graph: self,
            states: states as u32,
            taken,
            order: vec![0; states],
            low: vec![0; states],
            component: vec![NONE; states],
            stack: Vec::new(),
            calls: Vec::new(),
            next: 0,
            components: 0,
            steps: 0,
        };
        for state in 0..states as u32 {
            if search.order[state as usize] == 0 {
                search.run(state, goes_on)?;
            }
        }
        Some(search.component)
    }
}

struct Tarjan<'g> {
    graph: &'g Graph,
    states: u32,
    taken: &'g dyn Fn(u32, Tag) -> bool,
    /// When a state was met, from 1; `u32::MAX` once its component is known.
    order: Vec<u32>,
    low: Vec<u32>,
    component: Vec<u32>,
    stack: Vec<u32>,
    /// States at hand, with how many of their transitions are done.
    calls: Vec<(u32, u32)>,
    next: u32,
    components: u32,
    /// Steps of the search, which is asked now and then whether to go on.
    steps: u64,
}

/// Steps between two looks at the limits.
const ROUND: u64 = 1 << 16;

const SETTLED: u32 = u32::MAX;

impl Tarjan<'_> {
    /// None when it is not to go on.
    fn run(&mut self, root: u32, goes_on: &mut dyn FnMut() -> bool) -> Option<()> {
        self.enter(root);
        while let Some((state, done)) = self.calls.pop() {
            self.steps += 1;
            if self.steps.is_multiple_of(ROUND) && !goes_on() {
                return None;
            }
            let mut leaving = self.graph.leaving(state).enumerate().skip(done as usize);
            let next = leaving.find(|(_, (tag, to))| {
                *to < self.states && self.order[*to as usize] != SETTLED && (self.taken)(state, *tag)
            });
            let Some((at, (_, to))) = next else {
                self.leave(state);
                continue;
            };
            self.calls.push((state, at as u32 + 1));
            match self.order[to as usize] {
                0 => self.enter(to),
                met => self.low[state as usize] = self.low[state as usize].min(met),
            }
        }
        Some(())
    }

    fn enter(&mut self, state: u32) {
        self.next += 1;
        self.order[state as usize] = self.next;
        self.low[state as usize] = self.next;
        self.stack.push(state);
        self.calls.push((state, 0));
    }

    fn leave(&mut self, state: u32) {
        let low = self.low[state as usize];
        if let Some((caller, _)) = self.calls.last() {
            self.low[*caller as usize] = self.low[*caller as usize].min(low);
        }
        if low != self.order[state as usize] {
            return;
        }
        let alone = self.stack.last() == Some(&state);
        let itself = |(tag, to): (Tag, u32)| to == state && (self.taken)(state, tag);
        let cyclic = !alone || self.graph.leaving(state).any(itself);
        loop {
            let member = self.stack.pop().expect("the state itself is there");
            self.order[member as usize] = SETTLED;
            if cyclic {
                self.component[member as usize] = self.components;
            }
            if member == state {
                break;
            }
        }
        self.components += cyclic as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::{End, Reached};

    fn graph(states: u32, edges: &[(u32, u8, u32)]) -> Graph {
        let mut graph = Graph::default();
        let mut edges = edges.to_vec();
        edges.sort_unstable();
        for (from, kind, to) in edges {
            graph.add(
                from,
                &Edge { thread: 1, letter: crate::model::Letter::SILENT, to: Reached::End(End::Model(0)) },
                kind,
                to,
            );
        }
        graph.reach(states as usize);
        graph
    }

    /// Two states are in one component when each can be reached from the other in at least one step.
    #[test]
    fn components_are_those_of_the_definition() {
        let mut source = trueline_base::random::Random::new(7);
        let mut random = |below: u64| source.below(below);
        for _ in 0..2000 {
            let n = 1 + random(8) as u32;
            let count = random(2 * n as u64 + 2);
            let edges: Vec<(u32, u8, u32)> = (0..count)
                .map(|_| (random(n as u64) as u32, random(3) as u8, random(n as u64) as u32))
                .collect();
            let graph = graph(n, &edges);
            let components = graph.components(n as usize, &|_, tag| tag.kind() != 2, &mut || true).unwrap();
            let mut reach = vec![vec![false; n as usize]; n as usize];
            for (from, kind, to) in &edges {
                reach[*from as usize][*to as usize] |= *kind != 2;
            }
            for k in 0..n as usize {
                for i in 0..n as usize {
                    for j in 0..n as usize {
                        reach[i][j] |= reach[i][k] && reach[k][j];
                    }
                }
            }
            for i in 0..n as usize {
                assert_eq!(components[i] != NONE, reach[i][i], "{edges:?}");
                for j in 0..n as usize {
                    let same = components[i] != NONE && components[i] == components[j];
                    assert_eq!(same, reach[i][j] && reach[j][i], "{edges:?}");
                }
            }
        }
    }

    #[test]
    fn transitions_are_found_by_the_state_that_they_leave() {
        let graph = graph(5, &[(1, 0, 3), (1, 2, 0), (3, 1, 3)]);
        let of = |state| graph.leaving(state).map(|(tag, to)| (tag.kind(), to)).collect::<Vec<_>>();
        assert_eq!(
            [of(0), of(1), of(2), of(3), of(4)],
            [vec![], vec![(0, 3), (2, 0)], vec![], vec![(1, 3)], vec![]]
        );
        assert_eq!(graph.leaving(1).next().map(|(tag, _)| tag.thread()), Some(1));
    }
}
