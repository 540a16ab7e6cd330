//! A bounded queue over an array, whose `enq` publishes its place before its value.

use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering::SeqCst};

const SIZE: usize = 4;
const EMPTY: i64 = i64::MIN;

/// A queue for few values; places are never used again.
pub struct Queue {
    values: [AtomicI64; SIZE],
    head: AtomicUsize,
    tail: AtomicUsize,
}

impl Default for Queue {
    fn default() -> Queue {
        Queue {
            values: [const { AtomicI64::new(EMPTY) }; SIZE],
            head: AtomicUsize::new(0),
            tail: AtomicUsize::new(0),
        }
    }
}

impl Queue {
    /// Puts a value at the end; false when there is no room.
    pub fn enq(&self, value: i64) -> bool {
        let place = self.tail.fetch_add(1, SeqCst);
        match self.values.get(place) {
            Some(slot) => slot.store(value, SeqCst),
            None => return false,
        }
        true
    }

    /// Takes the first value.
    pub fn deq(&self) -> Option<i64> {
        loop {
            let head = self.head.load(SeqCst);
            if head >= self.tail.load(SeqCst).min(SIZE) {
                return None;
            }
            // Wrong: the place may be taken while its value is not there yet, and is given up then.
            let value = self.values[head].swap(EMPTY, SeqCst);
            if self.head.compare_exchange(head, head + 1, SeqCst, SeqCst).is_ok() && value != EMPTY {
                return Some(value);
            }
        }
    }
}
