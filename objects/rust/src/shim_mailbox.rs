//! A mailbox for one letter over the types of the shim, for `trueline test objects/rust --cargo shim_mailbox --shim`.

use trueline_shim::cell::UnsafeCell;
use trueline_shim::sync::atomic::{AtomicU32, Ordering};

const EMPTY: u32 = 0;
const BUSY: u32 = 1;
const FULL: u32 = 2;

/// A mailbox.
#[derive(Default)]
pub struct Mailbox {
    state: AtomicU32,
    letter: UnsafeCell<i64>,
}

// SAFETY: who has made the state busy is alone with the letter.
unsafe impl Sync for Mailbox {}

impl Mailbox {
    fn begin(&self, from: u32) -> bool {
        self.state.compare_exchange(from, BUSY, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Puts a letter in, if there is none and nobody is at it.
    pub fn put(&self, letter: i64) -> bool {
        if !self.begin(EMPTY) {
            return false;
        }
        // SAFETY: nobody else has the letter.
        self.letter.with_mut(|at| unsafe { *at = letter });
        self.state.store(FULL, Ordering::Release);
        true
    }

    /// Takes the letter, if there is one and nobody is at it.
    pub fn take(&self) -> Option<i64> {
        if !self.begin(FULL) {
            return None;
        }
        // SAFETY: nobody else has the letter.
        let letter = self.letter.with(|at| unsafe { *at });
        self.state.store(EMPTY, Ordering::Release);
        Some(letter)
    }

    /// Whether a letter is there, looked up without care: the letter is read while another may write it.
    pub fn peek_carelessly(&self) -> i64 {
        // SAFETY: none; this is the error that is to be found.
        self.letter.with(|at| unsafe { *at })
    }
}
