//! A number that is made once and read by many: `OnceLock` and `RwLock` of std.

use std::sync::{OnceLock, RwLock};

/// A register whose first value is made by whoever comes first.
#[derive(Default)]
pub struct Register {
    value: OnceLock<RwLock<i64>>,
}

impl Register {
    fn value(&self) -> &RwLock<i64> {
        self.value.get_or_init(|| RwLock::new(0))
    }

    /// Writes it.
    pub fn write(&self, value: i64) {
        *self.value().write().unwrap() = value;
    }

    /// Reads it.
    pub fn read(&self) -> i64 {
        *self.value().read().unwrap()
    }
}
