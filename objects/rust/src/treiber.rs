//! Treiber's stack (IBM research report RJ 5118, 1986), with nodes that are freed when the stack is.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

struct Node {
    value: i64,
    /// The next below, on the stack and in the list of those that were taken off.
    next: *mut Node,
    taken: *mut Node,
}

/// A stack. Nodes that were taken off are kept until the stack is dropped: others may still look at them.
pub struct Stack {
    top: AtomicPtr<Node>,
    taken: AtomicPtr<Node>,
}

// SAFETY: nodes are reached through atomics, and freed only by `drop`.
unsafe impl Send for Stack {}
// SAFETY: as above.
unsafe impl Sync for Stack {}

impl Default for Stack {
    fn default() -> Stack {
        Stack { top: AtomicPtr::new(null_mut()), taken: AtomicPtr::new(null_mut()) }
    }
}

impl Stack {
    /// Puts a value on top.
    pub fn push(&self, value: i64) {
        let node = Box::into_raw(Box::new(Node { value, next: null_mut(), taken: null_mut() }));
        loop {
            let top = self.top.load(Ordering::Acquire);
            // SAFETY: nobody else knows the node yet.
            unsafe { (*node).next = top };
            if self.top.compare_exchange(top, node, Ordering::AcqRel, Ordering::Acquire).is_ok() {
                return;
            }
        }
    }

    /// Takes the value on top.
    pub fn pop(&self) -> Option<i64> {
        loop {
            let top = self.top.load(Ordering::Acquire);
            if top.is_null() {
                return None;
            }
            // SAFETY: nodes live as long as the stack, and `next` is not changed once they are on it.
            let next = unsafe { (*top).next };
            if self.top.compare_exchange(top, next, Ordering::AcqRel, Ordering::Acquire).is_ok() {
                // SAFETY: the node is ours: it was taken off by us alone.
                let value = unsafe { (*top).value };
                self.keep(top);
                return Some(value);
            }
        }
    }

    fn keep(&self, node: *mut Node) {
        loop {
            let taken = self.taken.load(Ordering::Relaxed);
            // SAFETY: the node is ours until it is in the list; others read its `next` only.
            unsafe { (*node).taken = taken };
            if self.taken.compare_exchange(taken, node, Ordering::Release, Ordering::Relaxed).is_ok() {
                return;
            }
        }
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        let (mut top, mut taken) = (*self.top.get_mut(), *self.taken.get_mut());
        // SAFETY: nobody else has the stack any more, and each node is in one of the two lists.
        unsafe {
            while !top.is_null() {
                top = Box::from_raw(top).next;
            }
            while !taken.is_null() {
                taken = Box::from_raw(taken).taken;
            }
        }
    }
}
