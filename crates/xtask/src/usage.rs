//! What processes have used: processor time as the kernel's scheduler counts it, and memory.

use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeValLike;

/// CPU seconds of this process.
pub fn own_seconds() -> f64 {
    seconds(UsageWho::RUSAGE_SELF)
}

/// CPU seconds of the thread that asks.
pub fn thread_seconds() -> f64 {
    seconds(UsageWho::RUSAGE_THREAD)
}

/// CPU seconds of the processes that this one has waited for.
pub fn children_seconds() -> f64 {
    seconds(UsageWho::RUSAGE_CHILDREN)
}

fn seconds(who: UsageWho) -> f64 {
    let spent = |usage: Usage| (usage.user_time() + usage.system_time()).num_microseconds() as f64 / 1e6;
    getrusage(who).map_or(0.0, spent)
}

/// Peak resident memory of this process, in bytes.
pub fn peak_bytes() -> u64 {
    getrusage(UsageWho::RUSAGE_SELF).map_or(0, |usage| usage.max_rss() as u64 * 1024)
}
