//! Signature refinement with dirty nodes, for strong, branching and divergence-preserving
//! branching bisimulation.
//!
//! Papers: Blom and Orzan, STTT 7(1), 2005 (signatures); Blom and van de Pol, PDMC 2009 (inductive
//! signatures); Groote, Jansen, Keiren and Wijs, TOCL 18(2), 2017 (the largest part keeps its name).
//! Invariant: clean nodes of one block have equal signatures; a dirty signature contains the id of
//! a block made since, so a dirty node never stays with a clean one.
//! Cost: O(sum over edges of the source's out-degree, times log n); expensive blocks wait until
//! nothing cheap is left, the cheapest first, which keeps hubs and large blocks from being looked
//! at again and again. When that does not help, a budget ends it and `bunches` takes over, so that O(m log n) bounds the whole.
//! Claim: exact. Oracle: `naive::bisimulation`.

use super::blocks::{BlockSplit, Blocks};
use super::graph::ContractedGraph;
use super::keys::SignatureKeys;
use super::ledger::{Ledger, Work};
use crate::fetch::{BATCH, fetch};
use crate::system::Move;
use crate::watch::StageWatch;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use trueline_base::{Meter, Observer, Stop};

/// An inert step to a dirty node, by the key of that node.
const INERT: u64 = (u32::MAX as u64) << 32;
/// The node has a silent cycle inside and that matters.
const DIVERGES: u64 = ((u32::MAX - 1) as u64) << 32;
/// A block whose dirty nodes have more moves than this waits.
const HEAVY: u64 = 256;

/// How refinement ended.
pub(crate) enum Refined {
    /// The block of each node.
    Done(Vec<u32>, Work),
    /// The budget of moves was used up.
    OverBudget(Work),
}

/// So many moves may be read before bunches are expected to be faster: they take about
/// m log n steps, each dearer than reading a move.
pub(crate) fn budget(graph: &ContractedGraph) -> u64 {
    let log = u64::from(u64::BITS - (graph.nodes() as u64).leading_zeros());
    16 * graph.moves.len() as u64 * log + 100_000
}

struct Partitioned<'g> {
    graph: &'g ContractedGraph,
    divergence: bool,
    blocks: Blocks,
    work: VecDeque<u32>,
    /// Blocks that wait, by the moves of their dirty nodes.
    heavy: BinaryHeap<Reverse<(u64, u32)>>,
    key: Vec<u32>,
    keys: SignatureKeys,
    drafts: Drafts,
    ledger: Ledger,
}

/// Signatures of some nodes one after the other, before they are sorted. An inert step to a dirty
/// node names that node, whose key may not be known yet.
#[derive(Default)]
struct Drafts {
    words: Vec<u64>,
    ends: Vec<usize>,
}

/// The coarsest stable partition, unless it takes more than `budget` moves read.
pub(crate) fn refine(
    graph: &ContractedGraph,
    divergence: bool,
    budget: u64,
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Refined, Stop> {
    let n = graph.nodes();
    let bytes = graph.bytes() + n as u64 * 28;
    let mut watch = StageWatch::new(meter, observer, "refining", None, bytes)?;
    let mut r = Partitioned {
        graph,
        divergence,
        blocks: Blocks::new(n as u32),
        work: [0].into(),
        heavy: BinaryHeap::new(),
        key: vec![0; n],
        keys: SignatureKeys::default(),
        drafts: Drafts::default(),
        ledger: Ledger::new(n, graph.moves.len()),
    };
    let mut dirty = Vec::new();
    while let Some(block) = r.next_block() {
        let before = r.ledger.work.moves + r.ledger.work.backward;
        r.visit(block, &mut dirty);
        let after = r.ledger.work.moves + r.ledger.work.backward;
        watch.work(after - before + 1, || bytes + r.keys.bytes())?;
        if r.ledger.work.moves > budget {
            return Ok(Refined::OverBudget(r.ledger.close()));
        }
    }
    Ok(Refined::Done(r.blocks.into_block_of(), r.ledger.close()))
}

impl Partitioned<'_> {
    /// The next block to look at; an expensive one only when there is no other.
    fn next_block(&mut self) -> Option<u32> {
        while let Some(block) = self.work.pop_front() {
            if self.work.is_empty() && self.heavy.is_empty() {
                return Some(block);
            }
            match self.dirty_moves(block) {
                moves if moves > HEAVY => self.heavy.push(Reverse((moves, block))),
                _ => return Some(block),
            }
        }
        loop {
            let Reverse((then, block)) = self.heavy.pop()?;
            let now = self.dirty_moves(block);
            // Waiting again only after doubling, so that counting stays cheaper than visiting.
            if self.heavy.is_empty() || now < 2 * then {
                return Some(block);
            }
            self.heavy.push(Reverse((now, block)));
        }
    }

    /// How many moves the dirty nodes of a block have.
    fn dirty_moves(&self, block: u32) -> u64 {
        self.blocks.dirty(block).iter().map(|&s| u64::from(self.graph.degree(s))).sum()
    }

    fn visit(&mut self, block: u32, dirty: &mut Vec<u32>) {
        self.ledger.work.visits += 1;
        if self.blocks.is_single(block) {
            self.blocks.clean_all(block);
            return;
        }
        let graph = self.graph;
        if graph.silent {
            self.blocks.close_backwards(block, |s| graph.silent_back(s));
        }
        dirty.clear();
        dirty.extend_from_slice(self.blocks.dirty(block));
        if graph.silent {
            dirty.sort_unstable();
        }
        self.keys.clear();
        let mut drafts = std::mem::take(&mut self.drafts);
        for some in dirty.chunks(BATCH) {
            self.draft(some, block, &mut drafts);
            let mut from = 0;
            for (&s, &end) in some.iter().zip(&drafts.ends) {
                let signature = self.finish(&mut drafts.words[from..end]);
                let key = self.inert_key(signature).unwrap_or_else(|| self.keys.key(signature));
                self.key[s as usize] = key;
                self.keys.count(key);
                from = end;
            }
        }
        self.drafts = drafts;
        if self.keys.sizes().len() == 1 && self.blocks.clean_count(block) == 0 {
            self.blocks.clean_all(block);
            return;
        }
        let cut = BlockSplit { nodes: dirty, key: &self.key, sizes: self.keys.sizes() };
        let first_new = self.blocks.cut(block, cut);
        self.spread(block, first_new, dirty);
    }

    /// Drafts the signatures of some dirty nodes of a block. Nothing here depends on what was read just
    /// now, so the processor waits for many rows and blocks at once.
    fn draft(&mut self, nodes: &[u32], block: u32, drafts: &mut Drafts) {
        let graph = self.graph;
        drafts.words.clear();
        drafts.ends.clear();
        // In the beginning all nodes are dirty and in one block, so there is nothing to look up.
        let whole = self.blocks.count() == 1;
        if !whole {
            graph.fetch_rows(nodes);
        }
        let seats = self.blocks.seats(block);
        let step = |m: &Move, to: u32, dirty: bool| {
            let inert = graph.silent && m.is_tau() && to == block && dirty;
            if inert { INERT | u64::from(m.target().0) } else { word(*m, to) }
        };
        for &s in nodes {
            let row = graph.row(s).iter();
            if whole {
                drafts.words.extend(row.map(|m| step(m, block, true)));
            } else {
                drafts.words.extend(row.map(|m| {
                    let (to, dirty) = seats.of(m.target().0);
                    step(m, to, dirty)
                }));
            }
            if self.divergence && graph.diverges[s as usize] {
                drafts.words.push(DIVERGES);
            }
            drafts.ends.push(drafts.words.len());
        }
        self.ledger.work.signatures += nodes.len() as u64;
        self.ledger.work.moves += drafts.words.len() as u64;
    }

    /// Makes a signature of a draft; inert targets that are dirty have their keys by now.
    fn finish<'w>(&self, words: &'w mut [u64]) -> &'w [u64] {
        for word in words.iter_mut().filter(|w| **w >= INERT) {
            *word = INERT | u64::from(self.key[*word as u32 as usize]);
        }
        words.sort_unstable();
        let mut kept = words.len().min(1);
        for at in 1..words.len() {
            if words[at] != words[kept - 1] {
                words[kept] = words[at];
                kept += 1;
            }
        }
        &words[..kept]
    }

    /// The key of an inert successor that can do all that the node can do.
    fn inert_key(&self, signature: &[u64]) -> Option<u32> {
        let inert = signature.iter().rev().take_while(|&&w| w >= INERT);
        inert
            .map(|&w| (w, w as u32))
            .find(|&(w, k)| covers(self.keys.signature(k), signature, w))
            .map(|p| p.1)
    }

    /// Marks those whose signature mentions a node with a new id. Inert predecessors that were in
    /// the block just now have the step in their signature already.
    fn spread(&mut self, block: u32, first_new: u32, nodes: &mut Vec<u32>) {
        let graph = self.graph;
        for new in first_new..self.blocks.count() {
            nodes.clear();
            nodes.extend_from_slice(self.blocks.nodes(new));
            for some in nodes.chunks(BATCH) {
                graph.fetch_back(some);
                fetch(some.iter().flat_map(|&s| graph.back(s)).map(|&p| self.blocks.of(p)));
                self.spread_from(some, block, first_new);
            }
        }
    }

    fn spread_from(&mut self, nodes: &[u32], block: u32, first_new: u32) {
        let graph = self.graph;
        for &s in nodes {
            let (silent, visible) = (graph.silent_back(s), graph.visible_back(s));
            self.ledger.changed(s, silent.len() + visible.len());
            for &p in silent {
                let from = self.blocks.of(p);
                if from != block && from < first_new {
                    self.mark(p);
                }
            }
            for &p in visible {
                self.mark(p);
            }
        }
    }

    #[inline]
    fn mark(&mut self, node: u32) {
        if self.blocks.mark(node) {
            self.work.push_back(self.blocks.of(node));
        }
    }
}

fn word(m: Move, block: u32) -> u64 {
    u64::from(m.label().0) << 32 | u64::from(block)
}

/// Whether `signature` without `skip` is a subset of `larger`; both are sorted. Many small nodes may
/// ask about the same hub, so a signature that is much longer is not read as a whole.
fn covers(larger: &[u64], signature: &[u64], skip: u64) -> bool {
    let jump = larger.len() / 8 > signature.len();
    let mut rest = larger;
    signature.iter().filter(|&&w| w != skip).all(|w| {
        let at = if jump {
            rest.partition_point(|x| x < w)
        } else {
            rest.iter().position(|x| x >= w).unwrap_or(rest.len())
        };
        let found = rest.get(at) == Some(w);
        rest = rest.get(at + 1..).unwrap_or(&[]);
        found
    })
}
