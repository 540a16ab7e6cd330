//! A schedule for a story: the steps of an execution, with its calls and returns, in an order with few switches.

use crate::explore::Execution;
use crate::graph::Id;
use crate::memory::Memory;
use crate::weak::is_step;

/// What a thread does next.
#[derive(Clone, Copy, Debug)]
enum Item {
    /// The call of an operation, counted over all threads.
    Call(usize),
    /// An event, and how many of its thread are done with it.
    Event { id: u16, done: u16 },
    /// The return of an operation.
    Return(usize),
}

/// Who makes a step, from 1, and which event it is; none for calls and returns.
pub type Step = (u8, Option<Id>);

/// Who makes each step, calls and returns among them, and what it is. `before` says who must return before whom is called.
pub fn arrange(memory: &Memory, execution: &Execution, calls: &[usize], before: &[u64]) -> Vec<Step> {
    let threads = lists(memory, execution, calls);
    let mut best: Option<(usize, Vec<Step>)> = None;
    for first in 0..threads.len() {
        for backwards in [false, true] {
            let mut priority: Vec<usize> = (0..threads.len()).map(|i| (first + i) % threads.len()).collect();
            if backwards {
                priority[1..].reverse();
            }
            let Some(steps) = greedy(execution, &threads, &priority, before, memory.weak) else { continue };
            let switches = steps.windows(2).filter(|w| w[0].0 != w[1].0).count();
            if best.as_ref().is_none_or(|(least, _)| switches < *least) {
                best = Some((switches, steps));
            }
        }
    }
    best.map(|(_, steps)| steps).unwrap_or_default()
}

fn lists(memory: &Memory, execution: &Execution, calls: &[usize]) -> Vec<Vec<Item>> {
    let graph = &execution.graph;
    let mut all = Vec::new();
    let mut first = 0;
    for (thread, ids) in graph.threads.iter().enumerate() {
        let mut items = Vec::new();
        let mut at = 0;
        let add = |items: &mut Vec<Item>, from: usize, to: usize| {
            for (index, id) in ids.iter().enumerate().take(to).skip(from) {
                let event = graph.event(*id);
                if is_step(memory, event) {
                    items.push(Item::Event { id: *id, done: index as u16 + 1 });
                }
            }
        };
        for (index, ((from, to), _)) in execution.operations[thread].iter().enumerate() {
            items.push(Item::Call(first + index));
            add(&mut items, usize::from(*from), usize::from(*to));
            items.push(Item::Return(first + index));
            at = usize::from(*to);
        }
        let returned = execution.operations[thread].len();
        if returned < calls[thread] {
            items.push(Item::Call(first + returned));
            add(&mut items, at, ids.len());
        }
        first += calls[thread];
        all.push(items);
    }
    all
}

/// Lets a thread go on as far as it can, then the first by priority that can.
fn greedy(
    execution: &Execution,
    threads: &[Vec<Item>],
    priority: &[usize],
    before: &[u64],
    weak: bool,
) -> Option<Vec<Step>> {
    let mut next = vec![0usize; threads.len()];
    let mut done = vec![0u16; threads.len()];
    let mut returned = 0u64;
    let mut steps = Vec::new();
    let all: usize = threads.iter().map(Vec::len).sum();
    while steps.len() < all {
        let so_far = steps.len();
        for &thread in priority {
            while let Some(item) = threads[thread].get(next[thread]) {
                match item {
                    Item::Call(operation) => {
                        if before.get(*operation).is_some_and(|b| b & !returned != 0) {
                            break;
                        }
                    }
                    Item::Event { id, done: mine } => {
                        let event = execution.graph.event(*id);
                        let past = if weak { event.causes.0 } else { event.past.0 };
                        if (0..threads.len()).any(|t| t != thread && past[t] > done[t]) {
                            break;
                        }
                        done[thread] = *mine;
                    }
                    Item::Return(operation) => returned |= 1 << operation,
                }
                next[thread] += 1;
                let id = if let Item::Event { id, .. } = item { Some(*id) } else { None };
                steps.push((thread as u8 + 1, id));
            }
            if steps.len() > so_far {
                break;
            }
        }
        if steps.len() == so_far {
            return None;
        }
    }
    Some(steps)
}
