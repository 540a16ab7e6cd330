//! Which operations of an execution come before which, where no clock is common to all threads.
//!
//! Under a weak memory model the definition is by clients: a client may make the end of A happen before the beginning of B,
//! by means of its own, as long as the graph stays consistent. Each maximal set of such edges is an order that some client
//! sees, and operations must have a linearization that respects it. Golovin, Kokologiannakis and Vafeiadis check libraries
//! so ("Relinche", POPL 2025). Under sequential consistency these orders are those of `boundary`.
//!
//! First the orders are computed that only edges which are impossible by themselves restrict, once for each set of such
//! edges; where a graph allows all of them, they are its orders. Otherwise sets of edges are tried one after the other.
//! Cost: exponential in the number of pairs of operations in the worst case, with a bound. Oracle: every set of edges
//! (tests).

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::explore::Execution;
use crate::rc11::{Edge, consistent_with};

/// For each operation a bit per operation that comes before it.
pub type Order = Vec<u64>;
/// The orders of an execution.
pub type Orders = Rc<Vec<Order>>;

/// Sets of edges that are tried for one execution at most.
const MOST: usize = 50_000;

/// The operations of an execution by number: thread, and where its events are.
#[derive(Clone, Debug)]
struct Operations {
    all: Vec<(u8, (u16, u16))>,
}

impl Operations {
    fn of(execution: &Execution) -> Operations {
        let mut all = Vec::new();
        for (thread, operations) in execution.operations.iter().enumerate() {
            all.extend(operations.iter().map(|(span, _)| (thread as u8, *span)));
        }
        Operations { all }
    }

    /// Without a client: the order of each thread.
    fn threads(&self) -> Order {
        let before =
            |b: usize| (0..b).filter(|a| self.all[*a].0 == self.all[b].0).fold(0, |bits, a| bits | 1 << a);
        (0..self.all.len()).map(before).collect()
    }

    fn edges(&self, order: &Order) -> Vec<Edge> {
        let mut edges = Vec::new();
        for (b, before) in order.iter().enumerate() {
            let (to, (begin, _)) = self.all[b];
            for (a, (from, (_, end))) in self.all.iter().enumerate() {
                if before >> a & 1 == 1 && *from != to {
                    edges.push(Edge { from: (*from, *end), to: (to, begin) });
                }
            }
        }
        edges
    }
}

/// An order with one more pair, closed; nothing when that is a cycle.
fn with(order: &Order, first: usize, second: usize) -> Option<Order> {
    if first == second || order[first] >> second & 1 == 1 {
        return None;
    }
    let mut new = order.clone();
    let earlier = order[first] | 1 << first;
    for (at, before) in new.iter_mut().enumerate() {
        if at == second || order[at] >> second & 1 == 1 {
            *before |= earlier;
        }
    }
    Some(new)
}

/// The maximal orders that contain an order and are allowed; nothing when there are too many to look at.
fn maximal(start: &Order, allowed: &mut dyn FnMut(&Order) -> bool) -> Option<Vec<Order>> {
    let count = start.len();
    let mut seen: FxHashSet<Order> = FxHashSet::default();
    let mut work = vec![start.clone()];
    let mut found: Vec<Order> = Vec::new();
    while let Some(order) = work.pop() {
        let mut last = true;
        for first in 0..count {
            for second in 0..count {
                if order[second] >> first & 1 == 1 {
                    continue;
                }
                let Some(more) = with(&order, first, second) else { continue };
                if seen.contains(&more) {
                    last = false;
                } else if allowed(&more) {
                    last = false;
                    seen.insert(more.clone());
                    work.push(more);
                }
            }
        }
        if last {
            found.push(order);
        }
        if seen.len() > MOST {
            return None;
        }
    }
    Some(found)
}

/// Computes the orders of executions, and remembers what several of them share.
#[derive(Debug, Default)]
pub struct Clients {
    /// By the operations of each thread and the pairs that are possible.
    known: FxHashMap<(Order, Vec<u64>), Option<Orders>>,
}

impl Clients {
    /// The maximal orders of an execution; nothing when there are too many to look at.
    pub fn orders(&mut self, execution: &Execution) -> Option<Orders> {
        let operations = Operations::of(execution);
        let start = operations.threads();
        let count = start.len();
        let graph = &execution.graph;
        let mut consistent = |order: &Order| consistent_with(graph, &operations.edges(order));
        let mut possible = start.clone();
        for first in 0..count {
            for second in 0..count {
                if start[second] >> first & 1 == 0
                    && let Some(order) = with(&start, first, second)
                    && consistent(&order)
                {
                    possible[second] |= 1 << first;
                }
            }
        }
        let pairs = possible.clone();
        let by_pairs = self.known.entry((start.clone(), possible)).or_insert_with(|| {
            let inside = |order: &Order| order.iter().zip(&pairs).all(|(o, p)| o & !p == 0);
            maximal(&start, &mut |order| inside(order)).map(Rc::new)
        });
        match by_pairs {
            Some(orders) if orders.iter().all(&mut consistent) => Some(orders.clone()),
            _ => maximal(&start, &mut consistent).map(Rc::new),
        }
    }
}

/// Interval orders that contain an order: each linear order that contains it contains one of these. In a history with one
/// line of time, of two pairs of operations that follow one another the first of one precedes the second of the other.
pub fn intervals(order: &Order) -> Vec<Order> {
    let count = order.len();
    let before = |order: &Order, a: usize, b: usize| order[b] >> a & 1 == 1;
    let mut work = vec![order.clone()];
    let mut found: Vec<Order> = Vec::new();
    'orders: while let Some(order) = work.pop() {
        for b in 0..count {
            for a in (0..count).filter(|a| before(&order, *a, b)) {
                for d in 0..count {
                    for c in (0..count).filter(|c| before(&order, *c, d)) {
                        if !before(&order, a, d) && !before(&order, c, b) {
                            work.extend(with(&order, a, d));
                            work.extend(with(&order, c, b));
                            continue 'orders;
                        }
                    }
                }
            }
        }
        if !found.contains(&order) {
            found.push(order);
        }
    }
    found
}
