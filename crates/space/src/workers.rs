//! Who works on a search: this thread alone, or several beside it.
//!
//! What workers change is theirs alone while they do (`&mut`), and what they share they only read: there is no lock, no
//! atomic variable and no order between them that a result could depend on.

use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The workers of a search.
pub(crate) struct Workers {
    pool: Option<ThreadPool>,
}

impl Workers {
    /// As many as these, or one where more cannot be had.
    pub fn new(jobs: usize) -> Workers {
        let pool = (jobs > 1).then(|| ThreadPoolBuilder::new().num_threads(jobs).build().ok());
        Workers { pool: pool.flatten() }
    }

    /// Nobody but this thread.
    pub const ALONE: Workers = Workers { pool: None };

    /// Whether there are several.
    pub fn several(&self) -> bool {
        self.pool.is_some()
    }

    /// Does something with every item. A worker's panic is a panic here.
    pub fn each<T: Send>(&self, items: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
        match &self.pool {
            Some(pool) if items.len() > 1 => {
                let each = items.par_iter_mut().enumerate().with_max_len(1);
                pool.install(|| each.for_each(|(at, item)| work(at, item)));
            }
            _ => items.iter_mut().enumerate().for_each(|(at, item)| work(at, item)),
        }
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
