//! A stack whose `pop` is wrong: it asks whether there is something, and takes it in a second step.

use std::sync::Mutex;

/// A stack.
#[derive(Default)]
pub struct Stack {
    values: Mutex<Vec<i64>>,
}

impl Stack {
    /// Puts a value on top.
    pub fn push(&self, value: i64) {
        self.values.lock().unwrap().push(value);
    }

    /// Takes the value on top.
    pub fn pop(&self) -> Option<i64> {
        if self.values.lock().unwrap().is_empty() {
            return None;
        }
        // Another thread may have taken it in the meantime.
        let value = self.values.lock().unwrap().pop().expect("it is not empty");
        Some(value)
    }
}
