//! A smallest part for conditions that know no projection: operations are set free one after the other.
//!
//! A free operation may take effect at any time, once, or not at all. What cannot be explained with some operations
//! free cannot be explained with fewer, so that one pass over the operations gives a smallest part.

use super::MOST_REASONS;
use crate::search::SearchResult;

/// Operations that may be free at once; the attempts are exponential in their number.
const MOST_FREE: usize = 12;

/// A smaller part.
pub(crate) struct SmallerPart {
    /// What is kept, ascending.
    pub kept: Vec<usize>,
    /// What is left out and may take effect once.
    pub free: Vec<usize>,
    /// Whether nothing more can be left out.
    pub minimal: bool,
    /// For each operation that is kept an order that would do if it were free too.
    pub otherwise: Vec<(usize, Vec<usize>)>,
}

/// Shrinks items that cannot be explained. `attempt` looks for an order of the first list with the second free,
/// under a bound of its own; the order is in the items themselves.
pub(crate) fn smallest(
    items: Vec<usize>,
    reasons: bool,
    mut attempt: impl FnMut(&[usize], &[usize]) -> (SearchResult, Vec<usize>),
) -> SmallerPart {
    let mut part =
        SmallerPart { kept: items.clone(), free: Vec::new(), minimal: true, otherwise: Vec::new() };
    for item in items {
        if part.free.len() == MOST_FREE {
            part.minimal = false;
            break;
        }
        let rest: Vec<usize> = part.kept.iter().copied().filter(|i| *i != item).collect();
        let free: Vec<usize> = part.free.iter().copied().chain([item]).collect();
        match attempt(&rest, &free).0 {
            SearchResult::Impossible if !rest.is_empty() => (part.kept, part.free) = (rest, free),
            SearchResult::Stopped(_) => part.minimal = false,
            _ => {}
        }
    }
    if reasons && part.minimal && part.kept.len() <= MOST_REASONS {
        for &item in &part.kept {
            let rest: Vec<usize> = part.kept.iter().copied().filter(|i| *i != item).collect();
            let free: Vec<usize> = part.free.iter().copied().chain([item]).collect();
            if let (SearchResult::Order(_), order) = attempt(&rest, &free) {
                part.otherwise.push((item, order));
            }
        }
    }
    part
}
