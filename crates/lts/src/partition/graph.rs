//! The graph that refinement works on: components as nodes, rows sorted and free of duplicates,
//! predecessors with the silent ones first.
//!
//! Invariant: when components are those of the tau steps, a silent edge always leads to a smaller
//! node, so ascending order is a topological one. Cost: O(m log d) for out-degree d.

use super::components::Components;
use crate::fetch::{BATCH, fetch};
use crate::system::{Lts, Move, StateId};
use crate::watch::Watch;
use trueline_base::{Meter, Observer, Stop};

/// A contracted system with predecessors.
pub(crate) struct Graph {
    /// Moves between nodes, rows as in [`Lts`]. Without silent steps inside a node.
    pub(crate) offsets: Vec<u32>,
    pub(crate) moves: Vec<Move>,
    /// For node `t`, entries `2t..2t+1` bound its silent predecessors, `2t+1..2t+2` the others.
    back_offsets: Vec<u32>,
    back: Vec<u32>,
    /// Nodes with a silent cycle inside; empty when silence does not matter.
    pub(crate) diverges: Vec<bool>,
    /// Whether tau is silent here, or a label like any other.
    pub(crate) silent: bool,
}

impl Graph {
    /// Contracts `components`; tau inside a component disappears when `silent`.
    pub(crate) fn new(
        lts: &Lts,
        components: &Components,
        silent: bool,
        meter: &Meter,
        observer: &mut dyn Observer,
    ) -> Result<Graph, Stop> {
        let n = components.count as usize;
        let m = lts.transitions();
        let bytes = lts.bytes() + (m * 12 + n * 24) as u64;
        let mut watch = Watch::new(meter, observer, "sorting", Some(m as u64), bytes)?;
        let members = Members::new(components);
        let mut diverges = vec![false; if silent { n } else { 0 }];
        let mut offsets = Vec::with_capacity(n + 1);
        offsets.push(0);
        let mut moves: Vec<Move> = Vec::with_capacity(m);
        for node in 0..n as u32 {
            if node as usize % BATCH == 0 {
                let some = members.between(node as usize, (node as usize + BATCH).min(n));
                fetch(some.iter().map(|&s| lts.moves(StateId(s)).first().map_or(0, |m| m.target().0)));
                let steps = some.iter().flat_map(|&s| lts.moves(StateId(s)));
                fetch(steps.map(|m| components.of[m.target().index()]));
            }
            let from = moves.len();
            for &s in members.of(node as usize) {
                for step in lts.moves(StateId(s)) {
                    let target = components.of[step.target().index()];
                    if silent && step.is_tau() && target == node {
                        diverges[node as usize] = true;
                    } else {
                        moves.push(Move::new(step.label(), StateId(target)));
                    }
                }
            }
            watch.work((moves.len() - from) as u64, || bytes)?;
            sort_row(&mut moves, from);
            offsets.push(moves.len() as u32);
        }
        moves.shrink_to_fit();
        let mut graph =
            Graph { offsets, moves, back_offsets: Vec::new(), back: Vec::new(), diverges, silent };
        graph.invert();
        Ok(graph)
    }

    fn invert(&mut self) {
        let n = self.nodes();
        let mut offsets = vec![0u32; 2 * n + 1];
        for m in &self.moves {
            offsets[self.slot(*m) + 1] += 1;
        }
        for slot in 0..2 * n {
            offsets[slot + 1] += offsets[slot];
        }
        let mut next = offsets.clone();
        let mut back = vec![0u32; self.moves.len()];
        for node in 0..n {
            for m in self.row(node as u32) {
                let slot = &mut next[self.slot(*m)];
                back[*slot as usize] = node as u32;
                *slot += 1;
            }
        }
        self.back_offsets = offsets;
        self.back = back;
    }

    fn slot(&self, m: Move) -> usize {
        2 * m.target().index() + usize::from(!(self.silent && m.is_tau()))
    }

    pub(crate) fn nodes(&self) -> usize {
        self.offsets.len() - 1
    }

    pub(crate) fn row(&self, node: u32) -> &[Move] {
        &self.moves[self.offsets[node as usize] as usize..self.offsets[node as usize + 1] as usize]
    }

    pub(crate) fn degree(&self, node: u32) -> u32 {
        self.offsets[node as usize + 1] - self.offsets[node as usize]
    }

    /// Nodes with a silent step to `node`.
    pub(crate) fn silent_back(&self, node: u32) -> &[u32] {
        let at = 2 * node as usize;
        &self.back[self.back_offsets[at] as usize..self.back_offsets[at + 1] as usize]
    }

    /// Nodes with any other step to `node`.
    pub(crate) fn visible_back(&self, node: u32) -> &[u32] {
        let at = 2 * node as usize + 1;
        &self.back[self.back_offsets[at] as usize..self.back_offsets[at + 1] as usize]
    }

    /// All nodes with a step to `node`.
    pub(crate) fn back(&self, node: u32) -> &[u32] {
        let at = 2 * node as usize;
        &self.back[self.back_offsets[at] as usize..self.back_offsets[at + 2] as usize]
    }

    /// Reads the rows of some nodes ahead.
    pub(crate) fn fetch_rows(&self, nodes: &[u32]) {
        fetch(nodes.iter().map(|&s| self.offsets[s as usize]));
        fetch(nodes.iter().map(|&s| self.row(s).first().map_or(0, |m| m.target().0)));
    }

    /// Reads the predecessors of some nodes ahead.
    pub(crate) fn fetch_back(&self, nodes: &[u32]) {
        fetch(nodes.iter().map(|&s| self.back_offsets[2 * s as usize]));
        fetch(nodes.iter().map(|&s| self.back(s).first().copied().unwrap_or(0)));
    }

    pub(crate) fn bytes(&self) -> u64 {
        (self.moves.len() * 12 + self.nodes() * 13) as u64
    }
}

/// Sorts the row that starts at `from` and drops duplicates.
fn sort_row(moves: &mut Vec<Move>, from: usize) {
    if moves[from..].windows(2).all(|w| w[0] < w[1]) {
        return;
    }
    moves[from..].sort_unstable();
    let mut kept = from + 1;
    for at in from + 1..moves.len() {
        if moves[at] != moves[kept - 1] {
            moves[kept] = moves[at];
            kept += 1;
        }
    }
    moves.truncate(kept);
}

/// The states of each component.
struct Members {
    offsets: Vec<u32>,
    states: Vec<u32>,
}

impl Members {
    fn new(components: &Components) -> Members {
        let n = components.count as usize;
        let mut offsets = vec![0u32; n + 1];
        for &c in &components.of {
            offsets[c as usize + 1] += 1;
        }
        for c in 0..n {
            offsets[c + 1] += offsets[c];
        }
        let mut next = offsets.clone();
        let mut states = vec![0u32; components.of.len()];
        for (s, &c) in components.of.iter().enumerate() {
            states[next[c as usize] as usize] = s as u32;
            next[c as usize] += 1;
        }
        Members { offsets, states }
    }

    fn of(&self, component: usize) -> &[u32] {
        self.between(component, component + 1)
    }

    /// The states of the components from `first` up to `end`.
    fn between(&self, first: usize, end: usize) -> &[u32] {
        &self.states[self.offsets[first] as usize..self.offsets[end] as usize]
    }
}
