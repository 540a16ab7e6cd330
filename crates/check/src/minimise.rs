//! The smallest counterexample: fewest threads that take part, then calls, context switches, moves.
//!
//! For growing sets of threads, a shortest-path search (Dijkstra 1959) over pairs and the thread that moved last,
//! with costs compared in the order above. A violation within k threads is looked for only after all smaller sets
//! have been searched in vain, so the first size with a violation is the least; among the sets of that size the
//! least cost wins. Invariant: nodes are settled in the order of their cost. Cost: at most pairs x threads nodes per
//! set of threads, bounded by the limits and [`BOUND`]. Claim: minimal when it answers. Oracle: an enumeration of all
//! executions in the tests.

use crate::monitor::Halt;
use crate::product::{Pair, Product, Target};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use trueline_base::Stop;
use trueline_base::Violation;

/// Nodes settled at most, over all sets of threads: this many, or so many for each node of the search that found a
/// violation. Beyond that a reader is better served by what is known.
const BOUND: u64 = 500_000;
const FACTOR: u64 = 8;

/// No thread has moved yet.
const NOBODY: u8 = u8::MAX;

/// Calls, context switches and moves, most significant first, 20 bits each.
type Cost = u64;

const MOVE: Cost = 1;
const SWITCH: Cost = 1 << 20;
const CALL: Cost = 1 << 40;

/// A violation: the way there, and what is wrong after one more move.
pub(crate) struct Smallest {
    pub way: Vec<Pair>,
    /// Who makes each move, the last one included.
    pub movers: Vec<u8>,
    pub violation: Violation,
    cost: Cost,
}

/// Looks for the smallest violation, knowing that a search of `nodes` nodes found one. None when a limit was reached
/// first.
pub(crate) fn minimise(product: &mut Product<'_>, nodes: u64) -> Option<Smallest> {
    let threads = product.explorer.machine.threads.len();
    let mut left = BOUND.max(FACTOR * nodes);
    for size in 1..=threads {
        let mut best = None;
        for members in subsets(threads, size) {
            search(product, &members, &mut best, &mut left).ok()?;
        }
        if best.is_some() {
            return best;
        }
    }
    None
}

struct Node {
    pair: Pair,
    last: u8,
    cost: Cost,
    parent: u32,
    settled: bool,
}

/// Improves on `best` with executions of these threads only.
fn search(
    product: &mut Product<'_>,
    members: &[usize],
    best: &mut Option<Smallest>,
    left: &mut u64,
) -> Result<(), Halt> {
    let mut nodes: Vec<Node> = Vec::new();
    let mut index: HashMap<(Pair, u8), u32, FixedState> = HashMap::default();
    let mut queue = BinaryHeap::new();
    for start in product.explorer.starts() {
        if let Target::Pair(pair) = product.judge.begin(&start.state)? {
            reach(&mut nodes, &mut index, &mut queue, pair, NOBODY, 0, u32::MAX);
        }
    }
    while let Some(Reverse((cost, id))) = queue.pop() {
        if best.as_ref().is_some_and(|best| best.cost <= cost) {
            return Ok(());
        }
        let node = &mut nodes[id as usize];
        if std::mem::replace(&mut node.settled, true) {
            continue;
        }
        let (pair, last) = (node.pair, node.last);
        within_limits(product, nodes.len(), left)?;
        let mut violation: Option<(Cost, u8, Violation)> = None;
        product.moves(pair, members, &mut |thread, is_call, target| {
            let switches = last != NOBODY && last != thread;
            let cost = cost + MOVE + if switches { SWITCH } else { 0 } + if is_call { CALL } else { 0 };
            match target {
                Target::Pair(pair) => reach(&mut nodes, &mut index, &mut queue, pair, thread, cost, id),
                Target::Violation(found) if violation.is_none_or(|known| cost < known.0) => {
                    violation = Some((cost, thread, found));
                }
                Target::Violation(_) | Target::Finding { .. } => {}
            }
        })?;
        if let Some((cost, thread, violation)) = violation
            && best.as_ref().is_none_or(|best| cost < best.cost)
        {
            let (way, mut movers) = way(&nodes, id);
            movers.push(thread);
            *best = Some(Smallest { way, movers, violation, cost });
        }
    }
    Ok(())
}

type Queue = BinaryHeap<Reverse<(Cost, u32)>>;

fn reach(
    nodes: &mut Vec<Node>,
    index: &mut HashMap<(Pair, u8), u32, FixedState>,
    queue: &mut Queue,
    pair: Pair,
    last: u8,
    cost: Cost,
    parent: u32,
) {
    let next = nodes.len() as u32;
    let id = *index.entry((pair, last)).or_insert(next);
    if id == next {
        nodes.push(Node { pair, last, cost, parent, settled: false });
    } else if cost < nodes[id as usize].cost {
        let node = &mut nodes[id as usize];
        (node.cost, node.parent) = (cost, parent);
    } else {
        return;
    }
    queue.push(Reverse((cost, id)));
}

fn within_limits(product: &Product<'_>, nodes: usize, left: &mut u64) -> Result<(), Halt> {
    *left = left.checked_sub(1).ok_or(Halt::Stop(Stop::States))?;
    if (*left).is_multiple_of(1024) {
        let here = nodes * (std::mem::size_of::<Node>() + 2 * std::mem::size_of::<(Pair, u8, u32)>());
        product.judge.meter.check(here as u64 + product.bytes(), nodes as u64)?;
    }
    Ok(())
}

/// The pairs from the beginning to a node, and who moved between them.
fn way(nodes: &[Node], mut id: u32) -> (Vec<Pair>, Vec<u8>) {
    let (mut way, mut movers) = (Vec::new(), Vec::new());
    while id != u32::MAX {
        let node = &nodes[id as usize];
        way.push(node.pair);
        if node.parent != u32::MAX {
            movers.push(node.last);
        }
        id = node.parent;
    }
    way.reverse();
    movers.reverse();
    (way, movers)
}

/// Every set of `size` numbers below `n`, in lexicographic order.
fn subsets(n: usize, size: usize) -> Vec<Vec<usize>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    (0..n)
        .flat_map(|last| {
            subsets(last, size - 1).into_iter().map(move |mut rest| {
                rest.push(last);
                rest
            })
        })
        .collect()
}
