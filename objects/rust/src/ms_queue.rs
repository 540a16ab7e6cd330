//! The queue of Michael and Scott (PODC 1996). Nodes stay linked behind the head and are freed with the queue.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering::SeqCst};

struct Node {
    value: i64,
    next: AtomicPtr<Node>,
}

/// A queue.
pub struct Queue {
    head: AtomicPtr<Node>,
    tail: AtomicPtr<Node>,
    /// The first node that there ever was.
    first: *mut Node,
}

// SAFETY: nodes are reached through atomics, and freed only by `drop`.
unsafe impl Send for Queue {}
// SAFETY: as above.
unsafe impl Sync for Queue {}

fn node(value: i64) -> *mut Node {
    Box::into_raw(Box::new(Node { value, next: AtomicPtr::new(null_mut()) }))
}

impl Default for Queue {
    fn default() -> Queue {
        let first = node(0);
        Queue { head: AtomicPtr::new(first), tail: AtomicPtr::new(first), first }
    }
}

impl Queue {
    /// Puts a value at the end.
    pub fn enq(&self, value: i64) {
        let new = node(value);
        loop {
            let tail = self.tail.load(SeqCst);
            // SAFETY: nodes live as long as the queue.
            let after = unsafe { &(*tail).next };
            let next = after.load(SeqCst);
            if tail != self.tail.load(SeqCst) {
                continue;
            }
            if !next.is_null() {
                let _ = self.tail.compare_exchange(tail, next, SeqCst, SeqCst);
            } else if after.compare_exchange(null_mut(), new, SeqCst, SeqCst).is_ok() {
                let _ = self.tail.compare_exchange(tail, new, SeqCst, SeqCst);
                return;
            }
        }
    }

    /// Takes the first value.
    pub fn deq(&self) -> Option<i64> {
        loop {
            let head = self.head.load(SeqCst);
            let tail = self.tail.load(SeqCst);
            // SAFETY: nodes live as long as the queue.
            let next = unsafe { (*head).next.load(SeqCst) };
            if head != self.head.load(SeqCst) {
                continue;
            }
            if next.is_null() {
                return None;
            }
            if head == tail {
                let _ = self.tail.compare_exchange(tail, next, SeqCst, SeqCst);
                continue;
            }
            // SAFETY: as above; the value is not changed once the node is in the queue.
            let value = unsafe { (*next).value };
            if self.head.compare_exchange(head, next, SeqCst, SeqCst).is_ok() {
                return Some(value);
            }
        }
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        let mut node = self.first;
        while !node.is_null() {
            // SAFETY: nobody else has the queue any more, and all nodes are behind the first.
            node = *unsafe { Box::from_raw(node) }.next.get_mut();
        }
    }
}
