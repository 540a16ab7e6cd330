//! Who works on a search: this thread alone, or others beside it.
//!
//! What workers change is theirs alone while they do (`&mut`), and what they share they only read: items are handed out
//! under a lock, and no result depends on who gets which, or when. The thread that asks works too: a round takes some
//! hundred microseconds, and to wake another thread takes tens of them. It takes items from the front, others from the
//! back, so that most items stay in the cache of the same core from round to round.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Mutex, PoisonError};

/// The workers of a search.
pub(crate) struct Workers {
    others: Option<ThreadPool>,
}

impl Workers {
    /// As many as these, this thread among them, or it alone where more cannot be had.
    pub fn new(jobs: usize) -> Workers {
        let pool = (jobs > 1).then(|| ThreadPoolBuilder::new().num_threads(jobs - 1).build().ok());
        Workers { others: pool.flatten() }
    }

    /// Nobody but this thread.
    pub const ALONE: Workers = Workers { others: None };

    /// Whether there are several.
    pub fn several(&self) -> bool {
        self.others.is_some()
    }

    /// Does something with every item. A worker's panic is a panic here.
    pub fn each<T: Send>(&self, items: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
        let left = items.iter_mut().enumerate();
        let Some(others) = self.others.as_ref().filter(|_| left.len() > 1) else {
            return left.for_each(|(at, item)| work(at, item));
        };
        let helping = others.current_num_threads().min(left.len() - 1);
        let left = Mutex::new(left);
        // The lock is free before the work begins, and a panic leaves it as it is.
        let left = || left.lock().unwrap_or_else(PoisonError::into_inner);
        let work = &work;
        others.in_place_scope(|scope| {
            for _ in 0..helping {
                scope.spawn(|_| work_off(|| left().next_back(), work));
            }
            work_off(|| left().next(), work);
        });
    }
}

/// Works on what is handed out until nothing is left.
pub(crate) fn work_off<T>(next: impl Fn() -> Option<(usize, T)>, work: impl Fn(usize, T)) {
    while let Some((at, item)) = next() {
        work(at, item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "one of them")]
    fn a_panic_of_a_worker_is_one_of_all() {
        Workers::new(3).each(&mut [0; 20], |at, _| assert_ne!(at, 13, "one of them"));
    }

    #[test]
    fn every_item_has_its_turn() {
        for workers in [Workers::ALONE, Workers::new(1), Workers::new(4)] {
            let mut items = [0; 1000];
            workers.each(&mut items, |at, item| *item += at);
            assert!(items.iter().enumerate().all(|(at, item)| *item == at));
        }
    }
}
