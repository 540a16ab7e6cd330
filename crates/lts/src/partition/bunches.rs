//! Branching and strong bisimulation in O(m log n) expected time, whatever the out-degrees.
//!
//! Jansen, Groote, Keiren and Wijs, TACAS 2020. Non-inert edges are grouped into bunches; a bunch
//! is a set of slices, a slice holds the edges with one label into one block. Invariant: blocks
//! are stable under every bunch: if some node of a block has an edge in a bunch, every node
//! without inert steps (a bottom node) of that block has one. A bunch of several slices is
//! unstable in spirit and loses a slice of at most half its size at a time; a block falls apart
//! into the nodes that reach the slice by inert steps and those that do not, found by two searches
//! in lockstep so that the smaller part pays. Steps that stop being inert form a bunch of their own;
//! nodes that become bottom nodes by it are checked against every bunch once.
//! Differs from the paper: sets of edges are hashed by what they have in common, and divergence is
//! an edge to nowhere. Claim: exact. Oracle: `naive::bisimulation`; `refine` gives up in its favour.

use super::graph::ContractedGraph;
use super::split::{BlockPart, Searches};
use crate::watch::StageWatch;
use rustc_hash::FxHashMap;
use trueline_base::{Meter, Observer, Stop};

/// The target of the edge that stands for divergence.
const NOWHERE: u32 = u32::MAX;

/// Edges with a common label and target block, within one bunch.
struct Slice {
    edges: Vec<u32>,
    bunch: u32,
    key: (u32, u32),
}

/// Edges of one bunch out of one block.
pub(super) struct Exits {
    pub(super) edges: Vec<u32>,
    pub(super) bunch: u32,
    block: u32,
    /// Its block has bottom nodes that may have no edge here.
    suspect: bool,
}

/// The nodes of a block.
#[derive(Default)]
pub(super) struct Block {
    pub(super) bottom: Vec<u32>,
    inner: Vec<u32>,
    exits: Vec<u32>,
}

pub(super) struct Bunches<'g> {
    pub(super) graph: &'g ContractedGraph,
    pub(super) source: Vec<u32>,
    loops: Vec<Option<u32>>,
    back_offsets: Vec<u32>,
    back: Vec<u32>,
    pub(super) blocks: Vec<Block>,
    pub(super) block_of: Vec<u32>,
    place: Vec<u32>,
    pub(super) inert_out: Vec<u32>,
    slices: Vec<Slice>,
    slice_of: Vec<u32>,
    slice_place: Vec<u32>,
    slice_ids: FxHashMap<(u32, u32, u32), u32>,
    bunches: Vec<Vec<u32>>,
    pub(super) exits: Vec<Exits>,
    exits_of: Vec<u32>,
    exits_place: Vec<u32>,
    exits_ids: FxHashMap<(u32, u32), u32>,
    pub(super) edges_in: FxHashMap<(u32, u32), u32>,
    work: Vec<u32>,
    suspects: Vec<u32>,
    done: u64,
}

/// The block of each node in the coarsest stable partition.
pub(crate) fn refine(
    graph: &ContractedGraph,
    divergence: bool,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Vec<u32>, Stop> {
    let bytes = graph.bytes() + graph.nodes() as u64 * 40 + graph.moves.len() as u64 * 48;
    let mut watch = StageWatch::new(meter, observer, "refining by bunches", None, bytes)?;
    let mut b = Bunches::new(graph, divergence);
    let mut searches = Searches::new(graph.nodes());
    loop {
        b.check_suspects(&mut searches);
        let Some(bunch) = b.work.pop() else { return Ok(b.block_of) };
        b.take_slice(bunch, &mut searches);
        let done = std::mem::take(&mut b.done);
        watch.work(done + 1, || bytes)?;
    }
}

/// Takes an edge out of a set; the last one takes its place.
fn take_out(edges: &mut Vec<u32>, places: &mut [u32], e: u32) {
    let at = places[e as usize];
    edges.swap_remove(at as usize);
    if let Some(&moved) = edges.get(at as usize) {
        places[moved as usize] = at;
    }
}

impl<'g> Bunches<'g> {
    fn new(graph: &'g ContractedGraph, divergence: bool) -> Bunches<'g> {
        let n = graph.nodes();
        let mut source = Vec::with_capacity(graph.moves.len());
        let mut inert_out = vec![0u32; n];
        let mut back_offsets = vec![0u32; n + 1];
        for s in 0..n as u32 {
            for m in graph.row(s) {
                source.push(s);
                inert_out[s as usize] += u32::from(graph.silent && m.is_tau());
                back_offsets[m.target().index() + 1] += 1;
            }
        }
        for s in 0..n {
            back_offsets[s + 1] += back_offsets[s];
        }
        let mut next = back_offsets.clone();
        let mut back = vec![0u32; source.len()];
        for (e, m) in graph.moves.iter().enumerate() {
            back[next[m.target().index()] as usize] = e as u32;
            next[m.target().index()] += 1;
        }
        let mut loops = vec![None; n];
        if divergence {
            for (s, slot) in loops.iter_mut().enumerate().filter(|(s, _)| graph.diverges[*s]) {
                *slot = Some(source.len() as u32);
                source.push(s as u32);
            }
        }
        let edges = source.len();
        let mut b = Bunches {
            graph,
            source,
            loops,
            back_offsets,
            back,
            blocks: vec![Block::default()],
            block_of: vec![0; n],
            place: vec![0; n],
            inert_out,
            slices: Vec::new(),
            slice_of: vec![0; edges],
            slice_place: vec![0; edges],
            slice_ids: FxHashMap::default(),
            bunches: vec![Vec::new(), Vec::new()],
            exits: Vec::new(),
            exits_of: vec![0; edges],
            exits_place: vec![0; edges],
            exits_ids: FxHashMap::default(),
            edges_in: FxHashMap::default(),
            work: Vec::new(),
            suspects: Vec::new(),
            done: 0,
        };
        for s in 0..n as u32 {
            b.enter(s, 0);
        }
        for e in 0..edges as u32 {
            if !b.may_be_inert(e) {
                b.join(e, u32::from(b.is_loop(e)));
            }
        }
        for exits in 0..b.exits.len() as u32 {
            b.suspect(exits);
        }
        b
    }

    fn is_loop(&self, e: u32) -> bool {
        e as usize >= self.graph.moves.len()
    }

    /// Whether an edge is silent and stays in its block.
    fn may_be_inert(&self, e: u32) -> bool {
        !self.is_loop(e) && self.graph.silent && self.graph.moves[e as usize].is_tau() && {
            let target = self.graph.moves[e as usize].target();
            self.block_of[self.source[e as usize] as usize] == self.block_of[target.index()]
        }
    }

    fn enter(&mut self, s: u32, block: u32) {
        self.block_of[s as usize] = block;
        let b = &mut self.blocks[block as usize];
        let list = if self.inert_out[s as usize] == 0 { &mut b.bottom } else { &mut b.inner };
        self.place[s as usize] = list.len() as u32;
        list.push(s);
    }

    /// Takes a node out of its block; `bottom` says in which list it stands.
    fn leave(&mut self, s: u32, bottom: bool) {
        let b = &mut self.blocks[self.block_of[s as usize] as usize];
        let list = if bottom { &mut b.bottom } else { &mut b.inner };
        let at = self.place[s as usize];
        list.swap_remove(at as usize);
        if let Some(&moved) = list.get(at as usize) {
            self.place[moved as usize] = at;
        }
    }

    /// Puts a non-inert edge into a bunch, by its label and the blocks of its ends.
    fn join(&mut self, e: u32, bunch: u32) {
        *self.edges_in.entry((self.source[e as usize], bunch)).or_insert(0) += 1;
        self.join_exits(e, bunch);
        self.join_slice(e, bunch);
    }

    fn join_exits(&mut self, e: u32, bunch: u32) -> u32 {
        let block = self.block_of[self.source[e as usize] as usize];
        let id = *self.exits_ids.entry((block, bunch)).or_insert_with(|| {
            let id = self.exits.len() as u32;
            self.exits.push(Exits { edges: Vec::new(), bunch, block, suspect: false });
            self.blocks[block as usize].exits.push(id);
            id
        });
        let edges = &mut self.exits[id as usize].edges;
        (self.exits_of[e as usize], self.exits_place[e as usize]) = (id, edges.len() as u32);
        edges.push(e);
        id
    }

    fn leave_exits(&mut self, e: u32) -> u32 {
        let id = self.exits_of[e as usize];
        take_out(&mut self.exits[id as usize].edges, &mut self.exits_place, e);
        if self.exits[id as usize].edges.is_empty() {
            let (block, bunch) = (self.exits[id as usize].block, self.exits[id as usize].bunch);
            self.exits_ids.remove(&(block, bunch));
            // An empty set may be in use again only under a new number.
            self.exits[id as usize].suspect = false;
        }
        id
    }

    fn join_slice(&mut self, e: u32, bunch: u32) {
        let key = match self.graph.moves.get(e as usize) {
            Some(m) => (m.label().0, self.block_of[m.target().index()]),
            None => (NOWHERE, NOWHERE),
        };
        let id = *self.slice_ids.entry((bunch, key.0, key.1)).or_insert_with(|| {
            let id = self.slices.len() as u32;
            self.slices.push(Slice { edges: Vec::new(), bunch, key });
            self.bunches[bunch as usize].push(id);
            if self.bunches[bunch as usize].len() > 1 {
                self.work.push(bunch);
            }
            id
        });
        let edges = &mut self.slices[id as usize].edges;
        (self.slice_of[e as usize], self.slice_place[e as usize]) = (id, edges.len() as u32);
        edges.push(e);
    }

    fn leave_slice(&mut self, e: u32) {
        let id = self.slice_of[e as usize];
        take_out(&mut self.slices[id as usize].edges, &mut self.slice_place, e);
        if self.slices[id as usize].edges.is_empty() {
            let Slice { bunch, key, .. } = self.slices[id as usize];
            self.slice_ids.remove(&(bunch, key.0, key.1));
        }
    }

    /// Splits the smaller of two slices off a bunch and makes the blocks stable under both parts.
    fn take_slice(&mut self, bunch: u32, searches: &mut Searches) {
        let alive = |this: &Self, id: &u32| {
            let slice = &this.slices[*id as usize];
            !slice.edges.is_empty() && slice.bunch == bunch
        };
        let mut two = Vec::new();
        while let Some(id) = self.bunches[bunch as usize].pop() {
            if alive(self, &id) {
                two.push(id);
                if two.len() == 2 {
                    break;
                }
            }
        }
        let [a, b] = two[..] else {
            self.bunches[bunch as usize].extend(two);
            return;
        };
        let size = |id: u32| self.slices[id as usize].edges.len();
        let (small, large) = if size(a) <= size(b) { (a, b) } else { (b, a) };
        self.bunches[bunch as usize].push(large);
        if self.bunches[bunch as usize].len() > 1 {
            self.work.push(bunch);
        }
        let new = self.bunches.len() as u32;
        self.bunches.push(vec![small]);
        let key = self.slices[small as usize].key;
        self.slice_ids.remove(&(bunch, key.0, key.1));
        self.slice_ids.insert((new, key.0, key.1), small);
        self.slices[small as usize].bunch = new;
        let edges = self.slices[small as usize].edges.clone();
        self.done += edges.len() as u64;
        let mut touched = Vec::new();
        for &e in &edges {
            let s = self.source[e as usize];
            if let Some(count) = self.edges_in.get_mut(&(s, bunch)) {
                *count -= 1;
                if *count == 0 {
                    self.edges_in.remove(&(s, bunch));
                }
            }
            *self.edges_in.entry((s, new)).or_insert(0) += 1;
            self.leave_exits(e);
            let exits = self.join_exits(e, new);
            if self.exits[exits as usize].edges.len() == 1 {
                touched.push(self.block_of[s as usize]);
            }
        }
        for block in touched {
            // Who lacks the slice has the rest, as before; who has it may lack the rest.
            let with = self.stabilise(block, new, new, searches);
            self.stabilise(with, bunch, new, searches);
            self.check_suspects(searches);
        }
    }

    /// Makes a block stable under a bunch. All its bottom nodes with an edge in `bunch` have one
    /// in `known`, too. Returns the part that has edges in the bunch and no new bottom nodes.
    fn stabilise(&mut self, block: u32, bunch: u32, known: u32, searches: &mut Searches) -> u32 {
        let Some(&exits) = self.exits_ids.get(&(block, known)) else { return block };
        if !self.exits_ids.contains_key(&(block, bunch)) {
            return block;
        }
        let mut with = 0;
        searches.begin();
        for &e in &self.exits[exits as usize].edges {
            let s = self.source[e as usize];
            if self.inert_out[s as usize] == 0 && searches.first_time(s) && self.has(s, bunch) {
                with += 1;
            }
        }
        self.done += self.exits[exits as usize].edges.len() as u64;
        if with == self.blocks[block as usize].bottom.len() {
            return block;
        }
        self.split_and_settle(block, bunch, searches)
    }

    pub(super) fn size(&self, block: u32) -> usize {
        let b = &self.blocks[block as usize];
        b.bottom.len() + b.inner.len()
    }

    pub(super) fn has(&self, s: u32, bunch: u32) -> bool {
        self.edges_in.contains_key(&(s, bunch))
    }

    fn suspect(&mut self, exits: u32) {
        let e = &mut self.exits[exits as usize];
        if !e.suspect && !e.edges.is_empty() {
            e.suspect = true;
            self.suspects.push(exits);
        }
    }

    /// Splits until every suspect set of exits is had by all bottom nodes of its block.
    fn check_suspects(&mut self, searches: &mut Searches) {
        while let Some(exits) = self.suspects.pop() {
            if !std::mem::take(&mut self.exits[exits as usize].suspect) {
                continue;
            }
            let Exits { block, bunch, .. } = self.exits[exits as usize];
            let bottom = &self.blocks[block as usize].bottom;
            self.done += bottom.len() as u64;
            if !bottom.iter().all(|&s| self.has(s, bunch)) {
                self.split_and_settle(block, bunch, searches);
            }
        }
    }

    /// Splits a block by a bunch, then the part that reaches the bunch by the steps that this made
    /// visible; what has new bottom nodes is put under suspicion. Returns the rest of that part, or
    /// the part itself when no step became visible.
    fn split_and_settle(&mut self, block: u32, bunch: u32, searches: &mut Searches) -> u32 {
        let (with, visible) = self.split(block, bunch, searches);
        let Some(visible) = visible else { return with };
        let bottom = &self.blocks[with as usize].bottom;
        let (fresh, rest) = if bottom.iter().all(|&s| self.has(s, visible)) {
            (with, with)
        } else {
            let (fresh, _) = self.split(with, visible, searches);
            (fresh, if fresh == with { self.blocks.len() as u32 - 1 } else { with })
        };
        let exits = std::mem::take(&mut self.blocks[fresh as usize].exits);
        for &id in &exits {
            if self.exits[id as usize].block == fresh {
                self.suspect(id);
            }
        }
        self.blocks[fresh as usize].exits =
            exits.into_iter().filter(|&id| !self.exits[id as usize].edges.is_empty()).collect();
        rest
    }

    /// Splits a block into the nodes that reach an edge of the bunch by inert steps and the others.
    /// Returns the block of the former, and the bunch of the steps between the two, if any.
    fn split(&mut self, block: u32, bunch: u32, searches: &mut Searches) -> (u32, Option<u32>) {
        let exits = self.exits_ids[&(block, bunch)];
        let (part, nodes) = searches.smaller_part(self, block, exits);
        self.done += searches.steps();
        let new = self.blocks.len() as u32;
        self.blocks.push(Block::default());
        for &s in &nodes {
            self.leave(s, self.inert_out[s as usize] == 0);
            self.enter(s, new);
        }
        let (with, without) = if part == BlockPart::With { (new, block) } else { (block, new) };
        let mut visible = Vec::new();
        for &s in &nodes {
            let row = self.graph.offsets[s as usize]..self.graph.offsets[s as usize + 1];
            for e in row.chain(self.loops[s as usize]) {
                self.move_exit(e, block, new, &mut visible);
            }
            for at in self.back_offsets[s as usize]..self.back_offsets[s as usize + 1] {
                self.move_entry(self.back[at as usize], block, new, &mut visible);
            }
        }
        if visible.is_empty() {
            return (with, None);
        }
        let fresh = self.bunches.len() as u32;
        self.bunches.push(Vec::new());
        for e in visible {
            let s = self.source[e as usize];
            debug_assert_eq!(self.block_of[s as usize], with, "steps lead from {with} to {without}");
            self.inert_out[s as usize] -= 1;
            if self.inert_out[s as usize] == 0 {
                self.leave(s, false);
                self.enter(s, with);
            }
            self.join(e, fresh);
        }
        (with, Some(fresh))
    }

    /// An edge out of a node that moved from `old` to `new`.
    fn move_exit(&mut self, e: u32, old: u32, new: u32, visible: &mut Vec<u32>) {
        if !self.is_loop(e) && self.graph.silent && self.graph.moves[e as usize].is_tau() {
            let to = self.block_of[self.graph.moves[e as usize].target().index()];
            if to == new {
                return;
            }
            if to == old {
                visible.push(e);
                return;
            }
        }
        let from = self.exits_of[e as usize];
        let (bunch, suspect) = (self.exits[from as usize].bunch, self.exits[from as usize].suspect);
        self.leave_exits(e);
        let to = self.join_exits(e, bunch);
        if suspect {
            self.suspect(to);
        }
    }

    /// An edge into a node that moved from `old` to `new`.
    fn move_entry(&mut self, e: u32, old: u32, new: u32, visible: &mut Vec<u32>) {
        if self.graph.silent && self.graph.moves[e as usize].is_tau() {
            let from = self.block_of[self.source[e as usize] as usize];
            if from == new {
                return;
            }
            if from == old {
                visible.push(e);
                return;
            }
        }
        let bunch = self.slices[self.slice_of[e as usize] as usize].bunch;
        self.leave_slice(e);
        self.join_slice(e, bunch);
    }
}
