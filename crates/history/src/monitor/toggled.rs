//! One element of a set that is added and removed again and again.
//!
//! What changes the element only turns it from absent to present and back, so that the state after some operations is
//! known from how many they are, and operations of a kind are alike but for their returns. Reading the history from left
//! to right, an operation takes effect only when a return waits: then the one of its kind that returns first. Waiting
//! longer loses nothing: with an addition and a removal both open, the two can still take effect one right after the
//! other, which leaves everything as if they had done so before; and of two additions that are open the one that
//! returns later can do all that the other can. Who only looks goes as soon as what it saw is so. So no choice is
//! ever taken back. Cost: O(n log n), and the order falls out. Differs from fptlin (Lee and Mathur), whose search over
//! frontiers is exponential in the number of clients. Claim: exact where all answers of operations that returned are known.
//! Oracle: `naive::linearizable`.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::MonitorAnswer;
use super::set::{Said, said};
use crate::history::NEVER;
use crate::search::Interval;
use crate::spec::SetOp;

/// How an element stands while its history is read.
struct Element {
    inside: bool,
    /// Removals and additions that are open and not in the order, the first to return first.
    turns: [BinaryHeap<Reverse<(u32, usize)>>; 2],
    /// Who looks for it to be absent, or present.
    looks: [Vec<usize>; 2],
    done: Vec<bool>,
    /// Kept for whoever wants it.
    order: Option<Vec<usize>>,
}

impl Element {
    fn put(&mut self, i: usize) {
        self.done[i] = true;
        if let Some(order) = &mut self.order {
            order.push(i);
        }
    }

    /// Makes it absent or present by what is open; false when nothing is.
    fn turn(&mut self, inside: bool) -> bool {
        let Some(Reverse((_, i))) = self.turns[usize::from(inside)].pop() else { return false };
        self.put(i);
        self.inside = inside;
        while let Some(look) = self.looks[usize::from(inside)].pop() {
            self.put(look);
        }
        true
    }

    fn call(&mut self, i: usize, what: Said, span: &Interval) {
        match what {
            Said::Added => self.turns[1].push(Reverse((span.ret, i))),
            Said::Removed => self.turns[0].push(Reverse((span.ret, i))),
            _ if span.ret == NEVER => {}
            Said::Nothing => self.put(i),
            Said::Saw | Said::Missed if (what == Said::Saw) == self.inside => self.put(i),
            Said::Saw => self.looks[1].push(i),
            Said::Missed => self.looks[0].push(i),
        }
    }

    /// An operation returns; false when it cannot have taken effect.
    fn ret(&mut self, i: usize, what: Said) -> bool {
        match what {
            _ if self.done[i] => true,
            Said::Saw => self.turn(true),
            Said::Missed => self.turn(false),
            // It is the first of its kind to return.
            Said::Added => (!self.inside || self.turn(false)) && self.turn(true),
            Said::Removed => (self.inside || self.turn(true)) && self.turn(false),
            Said::Nothing => true,
        }
    }
}

/// Checks the operations of one element.
pub fn run(ops: &[SetOp], spans: &[Interval], wanted: bool) -> MonitorAnswer {
    // Calls are mostly in order already, and few operations wait for their return at a time.
    let mut calls: Vec<usize> = (0..ops.len()).collect();
    if !spans.is_sorted_by_key(|span| span.call) {
        calls.sort_unstable_by_key(|i| spans[*i].call);
    }
    let (turns, looks) = (Default::default(), Default::default());
    let order = wanted.then(|| Vec::with_capacity(ops.len()));
    let mut element = Element { inside: false, turns, looks, done: vec![false; ops.len()], order };
    let mut waiting: BinaryHeap<Reverse<(u32, usize)>> = BinaryHeap::new();
    let mut said_by = Vec::with_capacity(ops.len());
    for (op, span) in ops.iter().zip(spans) {
        let Some(what) = said(op, span) else { return MonitorAnswer::Unsuited };
        said_by.push(what);
    }
    let ends = calls.iter().map(|i| (spans[*i].call, Some(*i))).chain([(NEVER, None)]);
    for (position, called) in ends {
        while let Some(&Reverse((ret, i))) = waiting.peek()
            && ret < position
        {
            waiting.pop();
            if !element.ret(i, said_by[i]) {
                return MonitorAnswer::Fails((0..ops.len()).filter(|j| spans[*j].call < ret).collect());
            }
        }
        let Some(i) = called else { break };
        element.call(i, said_by[i], &spans[i]);
        if !element.done[i] && spans[i].ret != NEVER {
            waiting.push(Reverse((spans[i].ret, i)));
        }
    }
    MonitorAnswer::Holds(element.order)
}
