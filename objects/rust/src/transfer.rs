//! Two accounts with a lock each, taken in the order of the transfer: two transfers against each other wait for ever.

use std::sync::Mutex;

/// Two accounts.
#[derive(Default)]
pub struct Accounts {
    accounts: [Mutex<i64>; 2],
}

impl Accounts {
    /// Moves an amount from the first to the second, or the other way round.
    pub fn transfer(&self, back: bool) {
        let (from, to) = if back { (1, 0) } else { (0, 1) };
        let mut from = self.accounts[from].lock().unwrap();
        let mut to = self.accounts[to].lock().unwrap();
        *from -= 1;
        *to += 1;
    }
}
