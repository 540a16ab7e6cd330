//! Quiescent consistency as linearizability of longer intervals.
//!
//! Between two moments in which nothing is open, operations may take effect in any order. So every operation
//! is stretched to its block: from the last such moment before its call to the first after its return. A
//! pending operation leaves no such moment after it. Cost: O(n log n). Claim: exact. Oracle: `naive::quiescent`.

use crate::history::NEVER;
use crate::search::Interval;

/// The spans stretched to their blocks, as positions of their own.
pub fn quiescent_spans(spans: &[Interval]) -> Vec<Interval> {
    let mut ends: Vec<(u32, bool, usize)> = Vec::with_capacity(spans.len() * 2);
    for (i, s) in spans.iter().enumerate() {
        ends.push((s.call, false, i));
        if s.ret != NEVER {
            ends.push((s.ret, true, i));
        }
    }
    ends.sort_unstable();
    // All calls of a block come first, then all its returns.
    let mut out = vec![Interval { call: 0, ret: NEVER }; spans.len()];
    let mut block: Vec<usize> = Vec::new();
    let (mut open, mut position) = (0usize, 0u32);
    let mut close = |block: &mut Vec<usize>, last: bool| {
        for &i in block.iter() {
            out[i].call = position;
            position += 1;
        }
        for &i in block.iter().filter(|i| !last || spans[**i].ret != NEVER) {
            out[i].ret = position;
            position += 1;
        }
        block.clear();
    };
    for (_, ret, i) in ends {
        if ret {
            open -= 1;
        } else {
            open += 1;
            block.push(i);
        }
        if open == 0 {
            close(&mut block, false);
        }
    }
    close(&mut block, true);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive::across_quiet_moments;
    use crate::naive::small::shapes;

    /// Of every small shape the stretched spans order what quiet moments separate, and nothing else.
    #[test]
    fn quiet_moments_are_kept() {
        for shape in (0..=5).flat_map(shapes) {
            let stretched = quiescent_spans(&shape);
            for (a, row) in across_quiet_moments(&shape).into_iter().enumerate() {
                for (b, before) in row.into_iter().enumerate() {
                    assert_eq!(stretched[a].ret < stretched[b].call, before, "{shape:?}");
                }
                assert_eq!(stretched[a].ret == NEVER, shape[a].ret == NEVER, "{shape:?}");
            }
        }
    }
}
