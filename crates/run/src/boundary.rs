//! The histories of an execution: in which orders its calls and returns can come.
//!
//! Calls and returns are no events of a graph. An operation is called before its first event and returns after its last.
//! So the call of B comes before the return of A when the first event of B is in the past of A's last (the *boundary
//! order*); otherwise A may return before B is called. Each linear order of the calls and returns that respects this and
//! the threads is a history of the execution; those with the most operations one after the other are the hardest to
//! explain.

use crate::explore::Execution;

/// What decides which histories an execution has: its operations by thread, and for each pair whether the call of the
/// first must come before the return of the second.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Boundaries {
    /// Operations of each thread.
    pub counts: Vec<u8>,
    /// For each operation a bit per operation that must be called before it returns.
    pub called: Vec<u64>,
}

/// One end of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Point {
    /// The call of an operation.
    Call(u8),
    /// Its return.
    Return(u8),
}

impl Boundaries {
    /// Of an execution in which every operation returned.
    pub fn of(execution: &Execution) -> Boundaries {
        let graph = &execution.graph;
        let mut all = Vec::new();
        for (thread, operations) in execution.operations.iter().enumerate() {
            for (span, _) in operations {
                all.push((thread, *span));
            }
        }
        let called = all
            .iter()
            .map(|&(thread, (from, to))| {
                if from == to {
                    return 0;
                }
                let past = graph.event(graph.threads[thread][usize::from(to) - 1]).past;
                let mut bits = 0;
                for (other, &(t, (first, end))) in all.iter().enumerate() {
                    if first < end && t != thread && past.has(t as u8, first) {
                        bits |= 1 << other;
                    }
                }
                bits
            })
            .collect();
        Boundaries { counts: execution.operations.iter().map(|o| o.len() as u8).collect(), called }
    }

    /// For each operation a bit per operation that returned before it was called, in every history; `all` says whether
    /// those are wanted that another makes harder.
    pub fn histories(&self, all: bool) -> Vec<Vec<u64>> {
        let operations = self.called.len();
        let mut starts = Vec::new();
        let mut at = 0;
        for count in &self.counts {
            starts.push(at);
            at += usize::from(*count);
        }
        let mut found: rustc_hash::FxHashSet<Vec<u64>> = Default::default();
        let mut seen: rustc_hash::FxHashSet<(Vec<u8>, Vec<u64>)> = Default::default();
        let mut work = vec![(vec![0u8; self.counts.len()], 0u64, 0u64, vec![0u64; operations])];
        while let Some((next, called, returned, before)) = work.pop() {
            let mut ended = true;
            // A return that is possible is made at once when only the hardest are wanted: it can only help.
            let mut moves: Vec<usize> = Vec::new();
            for thread in 0..self.counts.len() {
                let at = usize::from(next[thread]);
                if at >= 2 * usize::from(self.counts[thread]) {
                    continue;
                }
                ended = false;
                let operation = starts[thread] + at / 2;
                if at % 2 == 1 && self.called[operation] & !called != 0 {
                    continue;
                }
                if at % 2 == 1 && !all {
                    moves = vec![thread];
                    break;
                }
                moves.push(thread);
            }
            for thread in moves {
                let at = usize::from(next[thread]);
                let operation = starts[thread] + at / 2;
                let (mut next, mut called, mut returned, mut before) =
                    (next.clone(), called, returned, before.clone());
                next[thread] += 1;
                if at % 2 == 0 {
                    called |= 1 << operation;
                    before[operation] = returned;
                } else {
                    returned |= 1 << operation;
                }
                if seen.insert((next.clone(), before.clone())) {
                    work.push((next, called, returned, before));
                }
            }
            if ended {
                found.insert(before);
            }
        }
        let mut found: Vec<Vec<u64>> = found.into_iter().collect();
        if !all {
            let harder = |a: &[u64], b: &[u64]| a != b && a.iter().zip(b).all(|(a, b)| a & b == *a);
            let every = found.clone();
            found.retain(|h| !every.iter().any(|other| harder(h, other)));
        }
        found.sort();
        found
    }

    /// Calls and returns in an order that has exactly these operations one after the other.
    pub fn line(before: &[u64]) -> Vec<Point> {
        let count = before.len();
        // In an interval order what comes before operations are sets that contain one another: operations are called by
        // growing sets, and each returns just before the first call that it comes before.
        let mut calls: Vec<usize> = (0..count).collect();
        calls.sort_by_key(|o| (before[*o].count_ones(), *o));
        let mut line = Vec::with_capacity(2 * count);
        let mut returned = 0u64;
        for operation in calls {
            for other in 0..count {
                if before[operation] >> other & 1 == 1 && returned >> other & 1 == 0 {
                    returned |= 1 << other;
                    line.push(Point::Return(other as u8));
                }
            }
            line.push(Point::Call(operation as u8));
        }
        for other in 0..count {
            if returned >> other & 1 == 0 {
                line.push(Point::Return(other as u8));
            }
        }
        line
    }
}
