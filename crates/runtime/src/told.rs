//! Weak memory models: what a step of the plan reads, where that is not what was written last.
//!
//! Memory holds, of the writes made so far, the last in the order of the location's writes. A step of a plan says which
//! write it reads, and whether memory keeps what it writes. Beyond the plan every read sees memory and every write is
//! the last: the same rule as without such a plan.

use crate::log::HEAD;
use crate::memory::contents;
use crate::schedule::put;
use crate::state::state;

/// Memory as it is.
const MEMORY: u32 = 0;
/// What was there before all threads; greater numbers are steps of the plan.
const INITIAL: u32 = 1;
/// Memory does not keep what the step writes.
const DROPPED: u32 = 1 << 31;

fn source() -> u32 {
    let state = state();
    state.sources.get(state.now).copied().unwrap_or(MEMORY)
}

/// Keeps what a unit contains before its first access.
pub fn note_initial(start: usize, count: usize) {
    let state = state();
    if state.weak && state.initial.iter().all(|i| i.0 != start) {
        state.initial.push((start, contents(start, count)));
    }
}

/// Keeps where the record of the step is that is being made.
pub fn note_record(at: usize) {
    let state = state();
    if state.weak && state.now != usize::MAX {
        state.made.push((state.now, at));
    }
}

/// Where the record is of what a step of the plan wrote to an address.
fn record(step: usize, address: usize) -> Option<usize> {
    let state = state();
    state.made.iter().find(|(s, at)| *s == step && state.log.unit(*at).0 == address).map(|(_, at)| *at)
}

/// Puts what the step is to read where it will read it. Answers what was there, if memory must have it again.
pub fn give(start: usize, count: usize, address: usize, size: usize) -> Option<[u64; 8]> {
    let told = source();
    if told == MEMORY {
        return None;
    }
    let before = contents(start, count);
    match told & !DROPPED {
        MEMORY => {}
        INITIAL => {
            let state = state();
            if let Some((_, words)) = state.initial.iter().find(|i| i.0 == start) {
                put(words, start, address, address + size);
            }
        }
        step => match record(step as usize - 2, address) {
            Some(at) => {
                let from = at + HEAD + count;
                let words: Vec<u64> = state().log.words[from..from + count].to_vec();
                put(&words, start, address, address + size);
            }
            None => depart(),
        },
    }
    (told & DROPPED != 0).then_some(before)
}

/// Whether a lock is free for the step that tries to take it, if the plan says so.
pub fn lock_is_free(lock: usize) -> Option<bool> {
    match source() & !DROPPED {
        MEMORY => None,
        INITIAL => Some(!state().held_first.contains(&lock)),
        step => match record(step as usize - 2, lock) {
            Some(at) => Some(state().log.words[at + HEAD + 1] == 0),
            None => depart(),
        },
    }
}

fn depart() -> ! {
    let text = format!("step {} reads what no step has written", state().now + 1);
    crate::schedule::end(crate::state::End::Departed, &text)
}
