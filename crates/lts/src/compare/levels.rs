//! Refinement level by level: the first level that separates two states is the number of
//! observations that it takes to tell them apart.
//!
//! After Korver, CAV 1991, and Martens and Groote, CONCUR 2024 (smallest depth). Level 0 puts all
//! states together; level j+1 splits by signatures over the blocks of level j. The blocks form a
//! tree; a block that a level does not split stays the same tree node.
//! Invariant: equal true signatures, equal blocks, at every level. Runs on a quotient, whose tau
//! cycles are self-loops. Cost: that of signature refinement. Oracle: evaluating what comes of it.

use crate::partition::blocks::{BlockSplit, Blocks};
use crate::partition::components::Components;
use crate::partition::graph::ContractedGraph;
use crate::partition::keys::SignatureKeys;
use crate::system::{LabelId, Lts, Move, StateId};
use crate::watch::StageWatch;
use trueline_base::{Meter, Observer, Stop};

/// A block of some level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct BlockId(pub(crate) u32);

/// What a state of a block can do, as the signature of a level says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Ability {
    /// Silent steps inside the block, then this label into that block.
    Step(LabelId, BlockId),
    /// Infinitely many silent steps inside the block.
    Diverge,
}

struct TreeNode {
    parent: BlockId,
    /// An ancestor far up, for logarithmic climbing (Myers, 1983).
    jump: BlockId,
    depth: u32,
    level: u32,
    /// Some node of the graph inside.
    sample: u32,
}

/// The tree of blocks.
pub(crate) struct Levels {
    components: Components,
    graph: ContractedGraph,
    divergence: bool,
    tree: Vec<TreeNode>,
    leaf: Vec<BlockId>,
    /// The states by leaf, so that the states of every block stand together.
    order: Vec<StateId>,
    range: Vec<(u32, u32)>,
}

const DIVERGES: u64 = u64::MAX;

impl Levels {
    /// Refines `lts` to the end. With `silent`, signatures are those of branching bisimulation.
    pub(crate) fn new(
        lts: &Lts,
        silent: bool,
        divergence: bool,
        meter: &Meter,
        observer: &mut dyn Observer,
    ) -> Result<Levels, Stop> {
        let components =
            if silent { Components::silent(lts, meter, observer)? } else { Components::trivial(lts) };
        let graph = ContractedGraph::new(lts, &components, silent, meter, observer)?;
        let n = graph.nodes() as u32;
        let root = TreeNode { parent: BlockId(0), jump: BlockId(0), depth: 0, level: 0, sample: 0 };
        let mut levels = Levels {
            components,
            graph,
            divergence,
            tree: vec![root],
            leaf: vec![BlockId(0); n as usize],
            order: Vec::new(),
            range: Vec::new(),
        };
        let mut watch = StageWatch::new(meter, observer, "explaining", None, levels.graph.bytes())?;
        let mut blocks = Blocks::new(n);
        let mut name = vec![BlockId(0)];
        let mut key = vec![0u32; n as usize];
        let mut keys = SignatureKeys::default();
        let mut work = vec![0u32];
        for level in 1.. {
            if work.is_empty() {
                break;
            }
            let mut cuts = Vec::new();
            for &block in &work {
                let graph = &levels.graph;
                blocks.close_backwards(block, |s| graph.silent_back(s));
                let mut dirty = blocks.dirty(block).to_vec();
                dirty.sort_unstable();
                keys.clear();
                for &s in &dirty {
                    let signature = levels.signature_now(s, block, &blocks, &key, &keys);
                    watch.work(signature.len() as u64 + 1, || levels.graph.bytes())?;
                    key[s as usize] = keys.key(&signature);
                    keys.count(key[s as usize]);
                }
                cuts.push((block, dirty, keys.sizes().to_vec()));
            }
            let mut changed: Vec<u32> = Vec::new();
            for (block, dirty, sizes) in &cuts {
                if sizes.len() == 1 && blocks.clean_count(*block) == 0 {
                    blocks.clean_all(*block);
                    continue;
                }
                let first_new = blocks.cut(*block, BlockSplit { nodes: dirty, key: &key, sizes });
                let parent = name[*block as usize];
                name[*block as usize] = levels.grow(parent, level, blocks.nodes(*block)[0]);
                for new in first_new..blocks.count() {
                    name.push(levels.grow(parent, level, blocks.nodes(new)[0]));
                    changed.extend_from_slice(blocks.nodes(new));
                }
            }
            work.clear();
            for &s in &changed {
                let graph = &levels.graph;
                let own = if silent { Some(s) } else { None };
                let before = graph.silent_back(s).iter().chain(graph.visible_back(s));
                for p in before.copied().chain(own) {
                    if blocks.mark(p) {
                        work.push(blocks.of(p));
                    }
                }
            }
            work.sort_unstable();
        }
        for s in 0..n {
            levels.leaf[s as usize] = name[blocks.of(s) as usize];
        }
        levels.arrange(lts);
        Ok(levels)
    }

    /// Lays the states out so that each block is a range.
    fn arrange(&mut self, lts: &Lts) {
        let mut size = vec![0u32; self.tree.len()];
        for s in lts.state_ids() {
            size[self.leaf(s).0 as usize] += 1;
        }
        for block in (1..self.tree.len()).rev() {
            size[self.tree[block].parent.0 as usize] += size[block];
        }
        // Parents come before children; each child takes the next piece of its parent's range.
        let mut next = vec![0u32; self.tree.len()];
        self.range = vec![(0, 0); self.tree.len()];
        for block in 0..self.tree.len() {
            let parent = self.tree[block].parent.0 as usize;
            let start = if block == 0 { 0 } else { next[parent] };
            next[parent] = start + size[block];
            next[block] = start;
            self.range[block] = (start, start + size[block]);
        }
        self.order = vec![StateId(0); lts.states()];
        for s in lts.state_ids() {
            let at = &mut next[self.leaf(s).0 as usize];
            self.order[*at as usize] = s;
            *at += 1;
        }
    }

    /// The states of a block.
    pub(crate) fn members(&self, block: BlockId) -> &[StateId] {
        let (from, to) = self.range[block.0 as usize];
        &self.order[from as usize..to as usize]
    }

    /// The true signature of a dirty node over the blocks of now; what its inert successors can do
    /// belongs to it.
    fn signature_now(
        &self,
        s: u32,
        block: u32,
        blocks: &Blocks,
        key: &[u32],
        keys: &SignatureKeys,
    ) -> Vec<u64> {
        let mut signature = Vec::new();
        self.own_signature(s, block, blocks, &mut signature);
        let mut clean = None;
        for m in self.inert(s, block, blocks) {
            let t = m.target().0;
            if blocks.is_dirty(t) {
                signature.extend_from_slice(keys.signature(key[t as usize]));
            } else {
                clean = Some(t);
            }
        }
        if let Some(mut t) = clean {
            // All clean nodes agree; one without inert steps says it all itself.
            while let Some(m) = self.inert(t, block, blocks).next() {
                t = m.target().0;
            }
            self.own_signature(t, block, blocks, &mut signature);
        }
        signature.sort_unstable();
        signature.dedup();
        signature
    }

    fn is_inert(&self, m: &Move, block: u32, blocks: &Blocks) -> bool {
        self.graph.silent && m.is_tau() && blocks.of(m.target().0) == block
    }

    fn inert<'a>(&'a self, s: u32, block: u32, blocks: &'a Blocks) -> impl Iterator<Item = &'a Move> {
        self.graph.row(s).iter().filter(move |m| self.is_inert(m, block, blocks))
    }

    fn own_signature(&self, s: u32, block: u32, blocks: &Blocks, signature: &mut Vec<u64>) {
        let outward = self.graph.row(s).iter().filter(|m| !self.is_inert(m, block, blocks));
        signature.extend(outward.map(|m| u64::from(m.label().0) << 32 | u64::from(blocks.of(m.target().0))));
        if self.divergence && self.graph.diverges[s as usize] {
            signature.push(DIVERGES);
        }
    }

    fn grow(&mut self, parent: BlockId, level: u32, sample: u32) -> BlockId {
        let p = self.node(parent);
        let j = self.node(p.jump);
        let jump = if p.depth - j.depth == j.depth - self.node(j.jump).depth { j.jump } else { parent };
        let depth = p.depth + 1;
        self.tree.push(TreeNode { parent, jump, depth, level, sample });
        BlockId(self.tree.len() as u32 - 1)
    }

    fn node(&self, block: BlockId) -> &TreeNode {
        &self.tree[block.0 as usize]
    }

    /// The last block of a state of the refined system.
    pub(crate) fn leaf(&self, state: StateId) -> BlockId {
        self.leaf[self.components.of[state.index()] as usize]
    }

    pub(crate) fn level(&self, block: BlockId) -> u32 {
        self.node(block).level
    }

    pub(crate) fn parent(&self, block: BlockId) -> BlockId {
        self.node(block).parent
    }

    /// The block at `level` that a block of a later level came from.
    pub(crate) fn at_level(&self, mut block: BlockId, level: u32) -> BlockId {
        while self.node(block).level > level {
            let jump = self.node(block).jump;
            block = if self.node(jump).level > level { jump } else { self.node(block).parent };
        }
        block
    }

    /// The two different blocks with a common parent that two different blocks came from.
    pub(crate) fn separation(&self, mut a: BlockId, mut b: BlockId) -> (BlockId, BlockId) {
        let lift = |mut x: BlockId, depth: u32| {
            while self.node(x).depth > depth {
                let jump = self.node(x).jump;
                x = if self.node(jump).depth >= depth { jump } else { self.node(x).parent };
            }
            x
        };
        let depth = self.node(a).depth.min(self.node(b).depth);
        (a, b) = (lift(a, depth), lift(b, depth));
        debug_assert_ne!(a, b, "neither block came from the other");
        while self.parent(a) != self.parent(b) {
            let (ja, jb) = (self.node(a).jump, self.node(b).jump);
            (a, b) = if ja == jb { (self.parent(a), self.parent(b)) } else { (ja, jb) };
        }
        (a, b)
    }

    /// The level that separates two different blocks.
    pub(crate) fn separation_level(&self, a: BlockId, b: BlockId) -> u32 {
        self.level(self.separation(a, b).0)
    }

    /// What the states of a block can do: the signature that made it, over the level before.
    pub(crate) fn abilities(&self, block: BlockId) -> Vec<Ability> {
        let (home, level) = (self.parent(block), self.level(block) - 1);
        let block_of = |t: StateId| self.at_level(self.leaf[t.index()], level);
        let mut seen = rustc_hash::FxHashSet::default();
        let mut open = vec![self.node(block).sample];
        seen.insert(open[0]);
        let mut found = Vec::new();
        while let Some(s) = open.pop() {
            if self.divergence && self.graph.diverges[s as usize] {
                found.push(Ability::Diverge);
            }
            for m in self.graph.row(s) {
                let to = block_of(m.target());
                if !(self.graph.silent && m.is_tau() && to == home) {
                    found.push(Ability::Step(m.label(), to));
                } else if seen.insert(m.target().0) {
                    open.push(m.target().0);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}
