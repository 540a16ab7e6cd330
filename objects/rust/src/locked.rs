//! A queue with a mutex, whose consumers wait for values.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex};

/// A queue.
#[derive(Default)]
pub struct Queue {
    values: Mutex<VecDeque<i64>>,
    more: Condvar,
}

impl Queue {
    /// Puts a value at the end.
    pub fn enq(&self, value: i64) {
        self.values.lock().unwrap().push_back(value);
        self.more.notify_one();
    }

    /// Takes the first value, if there is one.
    pub fn try_deq(&self) -> Option<i64> {
        self.values.lock().unwrap().pop_front()
    }

    /// Takes the first value, and waits for one.
    pub fn deq(&self) -> i64 {
        let mut values = self.values.lock().unwrap();
        loop {
            match values.pop_front() {
                Some(value) => return value,
                None => values = self.more.wait(values).unwrap(),
            }
        }
    }
}
