//! Treiber's stack with a `pop` that frees the node at once: another thread may still look at it.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering::SeqCst};

struct Node {
    value: i64,
    next: *mut Node,
}

/// A stack.
pub struct Stack {
    top: AtomicPtr<Node>,
}

impl Default for Stack {
    fn default() -> Stack {
        Stack { top: AtomicPtr::new(null_mut()) }
    }
}

impl Stack {
    /// Puts a value on top.
    pub fn push(&self, value: i64) {
        let node = Box::into_raw(Box::new(Node { value, next: null_mut() }));
        loop {
            let top = self.top.load(SeqCst);
            // SAFETY: nobody else knows the node yet.
            unsafe { (*node).next = top };
            if self.top.compare_exchange(top, node, SeqCst, SeqCst).is_ok() {
                return;
            }
        }
    }

    /// Takes the value on top.
    pub fn pop(&self) -> Option<i64> {
        loop {
            let top = self.top.load(SeqCst);
            if top.is_null() {
                return None;
            }
            // Wrong: the node may have been freed since.
            let next = unsafe { (*top).next };
            if self.top.compare_exchange(top, next, SeqCst, SeqCst).is_ok() {
                return Some(unsafe { Box::from_raw(top) }.value);
            }
        }
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        while self.pop().is_some() {}
    }
}
