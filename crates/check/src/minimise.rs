//! The smallest counterexample: fewest threads that take part, then calls, context switches, moves; among equally
//! small ones, the one that interrupts fewest operations, which is the easiest to read.
//!
//! For growing sets of threads, a shortest-path search (Dijkstra 1959) over pairs and the thread that moved last,
//! with costs compared in the order above. A violation within k threads is looked for only after all smaller sets
//! have been searched in vain, so the first size with a violation is the least; among the sets of that size the
//! least cost wins. Invariant: nodes are settled in the order of their cost. Cost: at most pairs x threads nodes per
//! set of threads, bounded by the limits and by who asks. Claim: minimal when it answers. Oracle: an enumeration of all
//! executions in the tests.

use crate::monitor::Halt;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use trueline_base::{Stop, Violation, ids};

/// No thread has moved yet.
const NOBODY: u8 = u8::MAX;

/// Calls, context switches, moves and interruptions, most significant first, 32 bits each.
type Cost = u128;

/// A context switch away from a thread that is inside an operation.
const INTERRUPTION: Cost = 1;
const MOVE: Cost = 1 << 32;
const SWITCH: Cost = 1 << 64;
const CALL: Cost = 1 << 96;

/// What is seen of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MoveKind {
    Call,
    Step,
    Return,
}

/// What is searched: states and the moves of some threads between them.
pub(crate) trait Minimisable {
    type State: Copy + Eq + std::hash::Hash;

    /// How many threads there are.
    fn threads(&self) -> usize;

    /// Where executions begin.
    fn starts(&mut self) -> Result<Vec<Self::State>, Halt>;

    /// Every move of these threads: who makes it, of which kind it is, and where it leads.
    fn moves(
        &mut self,
        from: Self::State,
        members: &[usize],
        visit: &mut dyn FnMut(u8, MoveKind, Successor<Self::State>),
    ) -> Result<(), Halt>;

    /// Whether the search may go on, given what it holds itself.
    fn within_limits(&self, bytes: u64, nodes: u64) -> Result<(), Halt>;
}

/// Where a move leads.
pub(crate) enum Successor<N> {
    State(N),
    Violation(Violation),
    /// The execution ends, but that is not what is looked for.
    Finding,
}

/// A violation: the way there, and what is wrong after one more move.
pub(crate) struct Smallest<N> {
    pub way: Vec<N>,
    /// Who makes each move, the last one included.
    pub movers: Vec<u8>,
    pub violation: Violation,
    cost: Cost,
}

/// What the search for a smallest violation came to.
pub(crate) struct Sought<N> {
    /// The smallest that was found.
    pub found: Option<Smallest<N>>,
    /// What is known where the search was cut; none where what was found is the smallest.
    pub cut: Option<Cut>,
}

/// Where the search for a smallest violation was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// There is none with fewer threads.
    pub threads: u32,
    /// Nodes that were settled.
    pub settled: u64,
    /// What ended it.
    pub stop: Option<Stop>,
}

/// Looks for the smallest violation; at most `most` nodes are settled, over all sets of threads: beyond that a reader
/// is better served by what is known.
pub(crate) fn minimise<W: Minimisable>(walk: &mut W, most: u64) -> Sought<W::State> {
    let threads = walk.threads();
    let mut left = most;
    for size in 1..=threads {
        let mut found = None;
        for members in subsets(threads, size) {
            if let Err(halt) = search(walk, &members, &mut found, &mut left) {
                let stop = match halt {
                    // The bound is none of the user's limits.
                    Halt::Stop(_) if left == 0 => None,
                    Halt::Stop(stop) => Some(stop),
                    Halt::Specification { .. } => None,
                };
                return Sought { found, cut: Some(Cut { threads: size as u32, settled: most - left, stop }) };
            }
        }
        if found.is_some() {
            return Sought { found, cut: None };
        }
    }
    Sought { found: None, cut: Some(Cut { threads: threads as u32, settled: most - left, stop: None }) }
}

ids! {
    /// A node, by the order in which they are reached.
    struct TentativeId;
}

/// No node: at the beginning.
const NOWHERE: TentativeId = TentativeId(u32::MAX);

struct Tentative<N> {
    at: N,
    last: u8,
    /// Whether the thread that moved last is inside an operation; `at` and `last` decide it.
    inside: bool,
    cost: Cost,
    parent: TentativeId,
    settled: bool,
}

/// Improves on `best` with executions of these threads only.
fn search<W: Minimisable>(
    walk: &mut W,
    members: &[usize],
    best: &mut Option<Smallest<W::State>>,
    left: &mut u64,
) -> Result<(), Halt> {
    let mut nodes: Vec<Tentative<W::State>> = Vec::new();
    let mut index: HashMap<(W::State, u8), TentativeId, FixedState> = HashMap::default();
    let mut queue = BinaryHeap::new();
    for start in walk.starts()? {
        reach(&mut nodes, &mut index, &mut queue, (start, NOBODY, false), 0, NOWHERE);
    }
    while let Some(Reverse((cost, id))) = queue.pop() {
        if best.as_ref().is_some_and(|best| best.cost <= cost) {
            return Ok(());
        }
        let node = &mut nodes[id.0 as usize];
        if std::mem::replace(&mut node.settled, true) {
            continue;
        }
        let (at, last, inside) = (node.at, node.last, node.inside);
        within_limits(walk, nodes.len(), left)?;
        let mut violation: Option<(Cost, u8, Violation)> = None;
        walk.moves(at, members, &mut |thread, kind, reached| {
            let switches = last != NOBODY && last != thread;
            let mut cost = cost + MOVE;
            cost += if switches { SWITCH } else { 0 };
            cost += if switches && inside { INTERRUPTION } else { 0 };
            cost += if kind == MoveKind::Call { CALL } else { 0 };
            match reached {
                Successor::State(to) => {
                    let to = (to, thread, kind != MoveKind::Return);
                    reach(&mut nodes, &mut index, &mut queue, to, cost, id);
                }
                Successor::Violation(found) if violation.is_none_or(|known| cost < known.0) => {
                    violation = Some((cost, thread, found));
                }
                Successor::Violation(_) | Successor::Finding => {}
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

type Queue = BinaryHeap<Reverse<(Cost, TentativeId)>>;

fn reach<N: Copy + Eq + std::hash::Hash>(
    nodes: &mut Vec<Tentative<N>>,
    index: &mut HashMap<(N, u8), TentativeId, FixedState>,
    queue: &mut Queue,
    (at, last, inside): (N, u8, bool),
    cost: Cost,
    parent: TentativeId,
) {
    let next = TentativeId(nodes.len() as u32);
    let id = *index.entry((at, last)).or_insert(next);
    if id == next {
        nodes.push(Tentative { at, last, inside, cost, parent, settled: false });
    } else if cost < nodes[id.0 as usize].cost {
        let node = &mut nodes[id.0 as usize];
        (node.cost, node.parent) = (cost, parent);
    } else {
        return;
    }
    queue.push(Reverse((cost, id)));
}

fn within_limits<W: Minimisable>(walk: &W, nodes: usize, left: &mut u64) -> Result<(), Halt> {
    *left = left.checked_sub(1).ok_or(Halt::Stop(Stop::States))?;
    if (*left).is_multiple_of(64) {
        let each =
            std::mem::size_of::<Tentative<W::State>>() + 2 * std::mem::size_of::<(W::State, u8, u32)>();
        walk.within_limits((nodes * each) as u64, nodes as u64)?;
    }
    Ok(())
}

/// The nodes from the beginning to one, and who moved between them.
fn way<N: Copy>(nodes: &[Tentative<N>], mut id: TentativeId) -> (Vec<N>, Vec<u8>) {
    let (mut way, mut movers) = (Vec::new(), Vec::new());
    while id != NOWHERE {
        let node = &nodes[id.0 as usize];
        way.push(node.at);
        if node.parent != NOWHERE {
            movers.push(node.last);
        }
        id = node.parent;
    }
    way.reverse();
    movers.reverse();
    (way, movers)
}

/// Every set of `size` numbers below `n`, in lexicographic order.
pub(crate) fn subsets(n: usize, size: usize) -> Vec<Vec<usize>> {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Two counters below ten, one per thread; both at their end are a violation.
    struct Counters {
        /// Nodes that memory has room for.
        room: u64,
    }

    impl Minimisable for Counters {
        type State = (u8, u8);

        fn threads(&self) -> usize {
            2
        }

        fn starts(&mut self) -> Result<Vec<(u8, u8)>, Halt> {
            Ok(vec![(0, 0)])
        }

        fn moves(
            &mut self,
            (a, b): (u8, u8),
            members: &[usize],
            visit: &mut dyn FnMut(u8, MoveKind, Successor<(u8, u8)>),
        ) -> Result<(), Halt> {
            for thread in members {
                let to = if *thread == 0 { (a + 1, b) } else { (a, b + 1) };
                match to {
                    (10, _) | (_, 10) => {}
                    (9, 9) => {
                        visit(*thread as u8, MoveKind::Step, Successor::Violation(Violation::Invariant))
                    }
                    to => visit(*thread as u8, MoveKind::Step, Successor::State(to)),
                }
            }
            Ok(())
        }

        fn within_limits(&self, _: u64, nodes: u64) -> Result<(), Halt> {
            if nodes > self.room { Err(Halt::Stop(Stop::Memory)) } else { Ok(()) }
        }
    }

    #[test]
    fn a_search_that_is_cut_says_how_far_it_came() {
        let cut = |room, most| minimise(&mut Counters { room }, most).cut;
        assert_eq!(cut(1000, 1000), None);
        let short = cut(20, 1000).expect("there is no room");
        assert_eq!((short.threads, short.stop), (2, Some(Stop::Memory)));
        // Each thread alone has ten nodes.
        assert_eq!(cut(1000, 5), Some(Cut { threads: 1, settled: 5, stop: None }));
        assert_eq!(cut(1000, 25), Some(Cut { threads: 2, settled: 25, stop: None }));
        let whole = minimise(&mut Counters { room: 1000 }, 1000).found.expect("both can come to their ends");
        assert_eq!((whole.way.len(), whole.movers.len()), (18, 18));
    }
}
