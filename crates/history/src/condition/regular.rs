//! Regular registers.
//!
//! Lamport, "On interprocess communication", Distributed Computing 1986: a read that overlaps no write answers
//! the last value written before it; one that overlaps writes answers that value or one of theirs. With several
//! writers whose writes overlap, "last" is read as for the weak multi-writer register of Shao, Welch, Pierce,
//! Lee (SIAM J. Comput. 2011): for each read on its own, some order of all writes and that read respects real
//! time and is legal. A read may then answer w unless another write lies wholly between w and the read.
//!
//! Cost: O(n log n). Claim: exact. Oracle: `naive::regular`.

use std::collections::HashMap;

use crate::datum::Datum;
use crate::history::NEVER;
use crate::search::Interval;
use crate::spec::RegisterOp;

/// A read that no write explains, with the operations that show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Irregular {
    /// The read.
    pub read: usize,
    /// The writes of the value that it answered, and the one that lies between.
    pub writes: Vec<usize>,
}

/// The first read, in the order of the returns, that no write explains.
pub fn check(initial: &Datum, ops: &[(RegisterOp, Interval)]) -> Option<Irregular> {
    // Writes of each value in the order of their calls, with the latest return among them so far.
    let mut by_value: HashMap<&Datum, Vec<(u32, u32)>> = HashMap::new();
    let mut writes: Vec<(u32, u32, usize)> = Vec::new();
    let mut reads: Vec<usize> = Vec::new();
    for (i, (op, span)) in ops.iter().enumerate() {
        match op {
            RegisterOp::Write(v) => {
                by_value.entry(v).or_default().push((span.call, span.ret));
                writes.push((span.ret, span.call, i));
            }
            RegisterOp::Read(_) if span.ret != NEVER => reads.push(i),
            _ => {}
        }
    }
    for list in by_value.values_mut() {
        list.sort_unstable();
        let mut latest = 0;
        for (_, ret) in list.iter_mut() {
            latest = latest.max(*ret);
            *ret = latest;
        }
    }
    writes.sort_unstable();
    let mut youngest: Vec<(u32, usize)> = Vec::with_capacity(writes.len());
    for (_, call, i) in &writes {
        let best = youngest.last().copied().unwrap_or((0, usize::MAX));
        youngest.push(if best.1 == usize::MAX || *call > best.0 { (*call, *i) } else { best });
    }
    reads.sort_by_key(|i| ops[*i].1.ret);
    for read in reads {
        let (RegisterOp::Read(value), span) = &ops[read] else { continue };
        // The write called last among those that returned before the read.
        let count = writes.partition_point(|(ret, ..)| *ret < span.call);
        let last = count.checked_sub(1).map(|i| youngest[i]);
        let fits = |ret: u32| last.is_none_or(|(call, _)| ret > call);
        let written = by_value.get(value).is_some_and(|list| {
            let before = list.partition_point(|(call, _)| *call < span.ret);
            before > 0 && fits(list[before - 1].1)
        });
        if written || (value == initial && last.is_none()) {
            continue;
        }
        let mut shown: Vec<usize> = (0..ops.len())
            .filter(|i| matches!(&ops[*i].0, RegisterOp::Write(v) if v == value))
            .chain(last.map(|(_, i)| i))
            .collect();
        shown.sort_unstable();
        shown.dedup();
        return Some(Irregular { read, writes: shown });
    }
    None
}
