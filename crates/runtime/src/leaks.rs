//! Blocks that are left at the end of a run.

use crate::schedule::finding;
use crate::state::state;
use crate::{heap, snapshot, specific, tls};

/// Ends the run with a block that was not freed. What threads keep for themselves is not left: they have not ended. Where the
/// program asks for it, neither is what globals refer to, or these addresses.
pub fn check(more: &[(usize, usize)]) {
    let left = heap::left();
    if left.is_empty() {
        return;
    }
    let mut roots = tls::ranges();
    roots.extend(specific::ranges());
    if state().keep_reachable {
        roots.extend(snapshot::ranges());
        roots.push(heap::of_constructors());
        roots.extend(more);
    }
    let reachable = reachable(roots);
    if let Some((_, size, place)) = left.iter().find(|block| !reachable.contains(&block.0)).copied() {
        state().place = place;
        finding("leak", &format!("leaves a block of {size} bytes allocated"));
    }
}

/// The blocks that memory refers to, also by other blocks, wherever it points into them, and whatever the sixteen bits above the
/// address are used for.
fn reachable(mut ranges: Vec<(usize, usize)>) -> Vec<usize> {
    let left = heap::left();
    let mut found = Vec::new();
    while let Some((from, to)) = ranges.pop() {
        for at in (from.next_multiple_of(8)..to.saturating_sub(7)).step_by(8) {
            // SAFETY: the ranges are the program's globals, its thread-local variables and blocks in use.
            let word = unsafe { std::ptr::read_volatile(at as *const usize) } << 16 >> 16;
            if heap::inside(word)
                && let Some(block) = left.iter().find(|b| (b.0..b.0 + b.1.max(1)).contains(&word))
                && !found.contains(&block.0)
            {
                found.push(block.0);
                ranges.push((block.0, block.0 + block.1));
            }
        }
    }
    found
}
