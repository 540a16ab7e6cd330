//! The local state of a thread, and loops that return to it.
//!
//! What a thread does next depends on its local state and on what it reads. The state is where it is in the code, the registers
//! that calls preserve, its stack, and all memory that it alone has touched. Two states with the same number are taken for
//! equal.

use crate::fiber;
use crate::heap;
use crate::memory::contents;
use crate::schedule;
use crate::specific;
use crate::state::{Glance, concurrent, off, state, trap};

/// Mixes a word into a number.
pub fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95).rotate_left(23)
}

/// Mixes the words from one address to before another into a number: four at a time, which do not wait for each other.
///
/// # Safety
/// The words can be read.
pub unsafe fn mix_words(hash: u64, from: usize, to: usize) -> u64 {
    // SAFETY: as the caller guarantees. What is there changes without the compiler's knowledge.
    let word = |at: usize| unsafe { std::ptr::read_volatile(at as *const u64) };
    let (mut lanes, mut at) = ([hash, 1, 2, 3], from);
    while at + 32 <= to {
        for (i, lane) in lanes.iter_mut().enumerate() {
            *lane = mix(*lane, word(at + 8 * i));
        }
        at += 32;
    }
    while at < to {
        lanes[0] = mix(lanes[0], word(at));
        at += 8;
    }
    let [first, rest @ ..] = lanes;
    rest.iter().fold(first, |hash, lane| mix(hash, *lane))
}

/// A number for what is about to be done: place and calls, address, operands.
pub fn what(place: usize, address: usize, kind: u8, a: u128, b: u128) -> u64 {
    let state = state();
    let mut hash = mix(place as u64, kind as u64);
    for frame in &state.threads[state.current].frames {
        hash = mix(hash, *frame as u64);
    }
    for word in [address as u64, a as u64, (a >> 64) as u64, b as u64, (b >> 64) as u64] {
        hash = mix(hash, word);
    }
    hash
}

/// A number for the local state of the running thread.
pub fn local_state(place: usize, registers: &[u64; 7]) -> u64 {
    let state = state();
    let me = state.current;
    let mut hash = mix(place as u64, memory());
    for word in registers {
        hash = mix(hash, *word);
    }
    let (low, high) = fiber::stack(me);
    fiber::clean(me, registers[6] as usize);
    let to = state.threads[me].base.clamp(low, high);
    let from = (registers[6] as usize + 8).clamp(low, high).next_multiple_of(8);
    // SAFETY: between the stack pointer and the beginning of the fiber's stack.
    unsafe { mix_words(hash, from, to) }
}

/// The running thread calls something that the player does for it in several steps, such as copying memory.
pub fn enter(place: usize) {
    if concurrent() {
        let local = local_state(place, &crate::access::registers());
        state().threads[state().current].inside = local;
    }
}

/// A number for the local state inside of such a thing, whose steps no state of the program tells apart.
pub fn inside() -> u64 {
    let thread = &state().threads[state().current];
    mix(mix(thread.inside, thread.accesses), memory())
}

/// A number for the memory of the running thread alone, and what it gets from its surroundings.
pub fn memory() -> u64 {
    let state = state();
    let me = state.current;
    let thread = &state.threads[me];
    let hash = mix(mix(thread.clock, thread.random), thread.blocked);
    let mut hash = heap::own(me, specific::own(thread, hash));
    for granule in &thread.written {
        if state.granules.unit(*granule).is_none() {
            hash = mix(mix(hash, *granule as u64), contents(*granule, 1)[0]);
        }
    }
    for (start, count) in &thread.fresh {
        for word in &contents(*start, *count)[..*count] {
            hash = mix(hash, *word);
        }
    }
    hash
}

/// A read is about to be made in a local state. Ends the thread when it goes round in a loop that changes nothing.
///
/// When executions are explored, that is when it is about to do the same in the same local state as before, and has written
/// nothing since that others may know of; or in a state that is not yet known to differ from it in anything that matters:
/// the explorer makes sure of that. Otherwise also all that it read since must still be there: it would read the same for
/// ever.
pub fn before_read(what: u64, local: u64) {
    let state = state();
    let me = state.current;
    let thread = &state.threads[me];
    if thread.planned > 0 || state.script.is_some() || off(trap::LOOPS) {
        // The plan knows of a write to come.
        return;
    }
    let glances = &thread.glances;
    if state.cut {
        let same = glances.iter().rposition(|g| g.local == local && g.what == what);
        let alike = || {
            let near = glances.iter().rposition(|g| g.what == what)?;
            let first = glances[near].local;
            let differ = |pair: u64| state.differ.binary_search(&pair).is_ok();
            (!differ(first) && !differ(mix(first, local))).then_some(near)
        };
        if let Some(from) = same.or_else(alike) {
            schedule::block(thread.accesses - glances[from].accesses, local);
        }
        return;
    }
    let Some(from) = glances.iter().rposition(|g| g.local == local) else { return };
    let unchanged = glances[from..].iter().all(|glance| {
        let (address, count) = state.log.unit(glance.at);
        let start = state.granules.unit(address >> 3).map_or(address >> 3, |u| u.0);
        contents(start, count)[..count] == *state.log.old(glance.at, count)
    });
    let accesses = thread.accesses - glances[from].accesses;
    if unchanged {
        schedule::block(accesses, local);
    }
    crate::state::state().threads[me].glances.clear();
}

/// Remembers a read that was made as the thread's newest access.
pub fn after_read(what: u64, local: u64, at: usize) {
    let state = state();
    let thread = &mut state.threads[state.current];
    if thread.glances.len() >= 256 {
        thread.glances.drain(..128);
    }
    let accesses = thread.accesses - 1;
    thread.glances.push(Glance { what, local, at, accesses });
}

/// The running thread did something that others may see.
pub fn effect() {
    let state = state();
    let thread = &mut state.threads[state.current];
    thread.glances.clear();
    thread.fresh.clear();
    schedule::wake_loops();
}

/// The running thread wrote a shared unit: others may see it, unless the block is of its current operation and was not yet
/// used before.
pub fn wrote(start: usize, count: usize) {
    let state = state();
    if !state.cut || !heap::of_operation(state.current, start << 3) {
        return effect();
    }
    let fresh = &mut state.threads[state.current].fresh;
    if !fresh.contains(&(start, count)) {
        fresh.push((start, count));
    }
}
