//! The graph that refinement works on: components as nodes, rows sorted and free of duplicates,
//! predecessors with the silent ones first.
//!
//! Invariant: when components are those of the tau steps, a silent edge always leads to a smaller
//! node, so ascending order is a topological one. Cost: O(m log d) for out-degree d.

use super::components::Components;
use crate::fetch::{BATCH, fetch};
use crate::system::{Lts, Move, StateId};
use crate::watch::StageWatch;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use trueline_base::{Meter, Observer, Stop};

/// A contracted system with predecessors.
pub(crate) struct ContractedGraph {
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

impl ContractedGraph {
    /// Contracts `components`; tau inside a component disappears when `silent`.
    pub(crate) fn new(
        lts: &Lts,
        components: &Components,
        silent: bool,
        meter: &Meter,
        observer: &mut dyn Observer,
    ) -> Result<ContractedGraph, Stop> {
        let (n, m) = (components.count as usize, lts.transitions());
        let jobs = meter.jobs().min(MOST_JOBS).min(n / BATCH + 1);
        let twice = if jobs > 1 { m * 8 + (jobs - 1) * n * 8 } else { 0 };
        let bytes = lts.bytes() + (m * 12 + n * 24 + twice) as u64;
        let mut watch = StageWatch::new(meter, observer, "sorting", Some(m as u64), bytes)?;
        let contraction = Contraction { lts, components, silent };
        let ranges: Vec<Range<usize>> = (0..jobs).map(|i| n * i / jobs..n * (i + 1) / jobs).collect();
        let (first, others) = (ranges[0].clone(), &ranges[1..]);
        let (rows, others) = std::thread::scope(|scope| {
            let spawned: Vec<_> = others
                .iter()
                .map(|range| {
                    let contraction = &contraction;
                    let mut tick = |_| meter.check(bytes, 0);
                    scope.spawn(move || contraction.rows(range.clone(), m / jobs, &mut tick))
                })
                .collect();
            let rows = contraction.rows(first, m, &mut |moves| watch.work(moves, || bytes));
            (rows, spawned.into_iter().map(joined).collect::<Vec<_>>())
        });
        let mut rows = rows?;
        for other in others {
            rows.append(other?);
        }
        rows.moves.shrink_to_fit();
        let Rows { offsets, moves, diverges } = rows;
        let mut graph =
            ContractedGraph { offsets, moves, back_offsets: Vec::new(), back: Vec::new(), diverges, silent };
        graph.invert(&ranges);
        Ok(graph)
    }

    /// Finds the predecessors of all nodes, ascending; each thread for its range of sources.
    fn invert(&mut self, ranges: &[Range<usize>]) {
        let slots = 2 * self.nodes();
        let graph = &*self;
        let count = |range: &Range<usize>| {
            let mut count = vec![0u32; slots];
            for m in &graph.moves[graph.offsets[range.start] as usize..graph.offsets[range.end] as usize] {
                count[graph.slot(*m)] += 1;
            }
            count
        };
        let mut next = in_threads(ranges, count);
        let mut offsets = Vec::with_capacity(slots + 1);
        let mut sum = 0;
        for slot in 0..slots {
            offsets.push(sum);
            for thread in &mut next {
                sum += std::mem::replace(&mut thread[slot], sum);
            }
        }
        offsets.push(sum);
        // Threads write to different places; the type only says so to the compiler.
        let back: Vec<AtomicU32> =
            std::iter::repeat_with(AtomicU32::default).take(self.moves.len()).collect();
        let work: Vec<_> = ranges.iter().cloned().zip(next.into_iter().map(Mutex::new)).collect();
        in_threads(&work, |(range, next)| {
            let mut next = next.lock().unwrap_or_else(PoisonError::into_inner);
            for node in range.clone() {
                for m in graph.row(node as u32) {
                    let slot = &mut next[graph.slot(*m)];
                    back[*slot as usize].store(node as u32, Ordering::Relaxed);
                    *slot += 1;
                }
            }
        });
        self.back = back.into_iter().map(AtomicU32::into_inner).collect();
        self.back_offsets = offsets;
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

/// Every thread counts predecessors in a table of its own, so more than this do not help.
const MOST_JOBS: usize = 4;

/// Does some pieces of work, the first one here and each other in a thread of its own.
fn in_threads<W: Sync, T: Send>(work: &[W], run: impl Fn(&W) -> T + Sync) -> Vec<T> {
    let Some((first, others)) = work.split_first() else { return Vec::new() };
    std::thread::scope(|scope| {
        let run = &run;
        let spawned: Vec<_> = others.iter().map(|work| scope.spawn(move || run(work))).collect();
        std::iter::once(run(first)).chain(spawned.into_iter().map(joined)).collect()
    })
}

fn joined<T>(thread: std::thread::ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// What is contracted.
struct Contraction<'a> {
    lts: &'a Lts,
    components: &'a Components,
    silent: bool,
}

/// The rows of some consecutive nodes.
struct Rows {
    offsets: Vec<u32>,
    moves: Vec<Move>,
    diverges: Vec<bool>,
}

impl Contraction<'_> {
    /// The rows of a range of nodes; `tick` hears of every 2^16 moves or so.
    fn rows(
        &self,
        range: Range<usize>,
        expected: usize,
        tick: &mut dyn FnMut(u64) -> Result<(), Stop>,
    ) -> Result<Rows, Stop> {
        let Contraction { lts, components, silent } = *self;
        let members = &components.members;
        let mut rows = Rows {
            offsets: Vec::with_capacity(range.len() + 1),
            moves: Vec::with_capacity(expected),
            diverges: vec![false; if silent { range.len() } else { 0 }],
        };
        rows.offsets.push(0);
        let mut told = 0;
        for node in range.clone() {
            if (node - range.start).is_multiple_of(BATCH) {
                let some = members.between(node, (node + BATCH).min(range.end));
                fetch(some.iter().map(|&s| lts.moves(StateId(s)).first().map_or(0, |m| m.target().0)));
                let steps = some.iter().flat_map(|&s| lts.moves(StateId(s)));
                fetch(steps.map(|m| components.of[m.target().index()]));
            }
            let from = rows.moves.len();
            for &s in members.of(node) {
                for step in lts.moves(StateId(s)) {
                    let target = components.of[step.target().index()];
                    if silent && step.is_tau() && target as usize == node {
                        rows.diverges[node - range.start] = true;
                    } else {
                        rows.moves.push(Move::new(step.label(), StateId(target)));
                    }
                }
            }
            let read = rows.moves.len() - told;
            sort_row(&mut rows.moves, from);
            rows.offsets.push(rows.moves.len() as u32);
            if read >= 1 << 16 {
                told = rows.moves.len();
                tick(read as u64)?;
            }
        }
        Ok(rows)
    }
}

impl Rows {
    /// Puts the rows of the nodes that follow behind these.
    fn append(&mut self, mut other: Rows) {
        let shift = self.moves.len() as u32;
        self.moves.append(&mut other.moves);
        self.offsets.extend(other.offsets[1..].iter().map(|offset| offset + shift));
        self.diverges.append(&mut other.diverges);
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
