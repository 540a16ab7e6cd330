//! What the player does for this crate; every program that the tool builds is linked with it.

unsafe extern "C" {
    fn trueline_panicked(text: *const u8, length: usize) -> !;
    fn trueline_unsupported(text: *const u8, length: usize) -> !;
    fn trueline_keep_reachable();
    fn trueline_waiting(begins: bool);
    fn trueline_condition_wait(condition: *mut u8);
    fn trueline_condition_sleep(condition: *mut u8);
    fn trueline_condition_notify(condition: *mut u8, all: bool);
    fn trueline_thread_id() -> u64;
    fn trueline_library(from: u64, to: u64, number: u64);
}

/// Ends the run: nobody caught a panic.
pub fn panicked(text: &str) -> ! {
    // SAFETY: the text has this length, and is only read.
    unsafe { trueline_panicked(text.as_ptr(), text.len()) }
}

/// Ends the run: the code needs something that is not available.
pub fn unsupported(text: &str) -> ! {
    // SAFETY: the text has this length, and is only read.
    unsafe { trueline_unsupported(text.as_ptr(), text.len()) }
}

/// Memory that statics and thread-local variables still refer to at the end is no leak.
pub fn keep_reachable() {
    // SAFETY: sets a flag of the player.
    unsafe { trueline_keep_reachable() }
}

/// While it lives the thread waits for something of std: when that never comes, it is a deadlock.
pub struct Waiting(());

impl Waiting {
    /// Begins to wait.
    pub fn begin() -> Waiting {
        // SAFETY: sets a flag of the player.
        unsafe { trueline_waiting(true) };
        Waiting(())
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        // SAFETY: sets a flag of the player.
        unsafe { trueline_waiting(false) };
    }
}

/// The thread will wait for a signal; its lock is still held.
pub fn condition_wait(condition: *mut u8) {
    // SAFETY: the address is a name, and is not used as memory.
    unsafe { trueline_condition_wait(condition) }
}

/// Waits for the signal.
pub fn condition_sleep(condition: *mut u8) {
    // SAFETY: as above.
    unsafe { trueline_condition_sleep(condition) }
}

/// Sends a signal to one or all that wait.
pub fn condition_notify(condition: *mut u8, all: bool) {
    // SAFETY: as above.
    unsafe { trueline_condition_notify(condition, all) }
}

/// Tells what was found out of std's own code.
pub fn library([from, to, number]: [u64; 3]) {
    // SAFETY: numbers that the player compares addresses with.
    unsafe { trueline_library(from, to, number) }
}

/// A number for a new thread that does not depend on what other threads do.
pub fn thread_id() -> u64 {
    // SAFETY: counts in the player.
    unsafe { trueline_thread_id() }
}
