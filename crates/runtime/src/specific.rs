//! What a thread keeps by keys (`pthread_setspecific`), and what is called when it ends.
//!
//! The C library would keep it in the thread whose storage a fiber borrows, from run to run. Keys are numbered by the thread
//! that makes them, so that they depend on what it did and on nothing else.

use std::ffi::{c_int, c_void};

use crate::access::{caller, on_hook_stack, plain};
use crate::fiber;
use crate::local::{self, mix};
use crate::log::Kind;
use crate::state::{MAX_THREADS, Thread, off, running, state, trap};
use crate::sys;

/// Keys that one thread can make.
const MOST: usize = 1024;
/// How often destructors of values that destructors have set are called.
const ROUNDS: usize = 4;
const AGAIN: c_int = 11;
const INVALID: c_int = 22;

/// A key: the destructor of its values, or 0.
#[derive(Clone, Copy)]
struct Key {
    number: u32,
    destructor: usize,
}

/// The keys there are and how many each thread has made; what static constructors have set.
struct Keys {
    all: Vec<Key>,
    made: [usize; MAX_THREADS + 1],
    set: Vec<(u32, usize)>,
}

static mut KEYS: [Keys; 2] =
    [const { Keys { all: Vec::new(), made: [0; MAX_THREADS + 1], set: Vec::new() } }; 2];

/// As they are, and as they were before the first run.
fn keys() -> &'static mut [Keys; 2] {
    // SAFETY: one OS thread, and nobody keeps the reference across a switch.
    unsafe {
        let at = &raw mut KEYS;
        &mut *at
    }
}

/// Keeps what static constructors have made.
pub fn take() {
    let [now, kept] = keys();
    (kept.all, kept.made) = (now.all.clone(), now.made);
}

/// As it was kept, for a run: what static constructors have set is kept by who comes first.
pub fn restore() {
    let [now, kept] = keys();
    now.all.clone_from(&kept.all);
    now.made = kept.made;
    let state = state();
    for (number, thread) in state.threads.iter_mut().enumerate() {
        thread.exits.clear();
        if off(trap::KEYS) {
            continue;
        }
        thread.specific.clear();
        if number == usize::from(state.main) {
            thread.specific.extend(&now.set);
        }
    }
}

/// Where the values are that threads keep.
pub fn ranges() -> impl Iterator<Item = (usize, usize)> {
    state().threads.iter().map(|thread| {
        let from = thread.specific.as_ptr() as usize;
        (from, from + size_of_val(&thread.specific[..]))
    })
}

/// Mixes in what a thread keeps.
pub fn own(thread: &Thread, hash: u64) -> u64 {
    thread.specific.iter().fold(hash, |hash, (key, value)| mix(mix(hash, u64::from(*key)), *value as u64))
}

/// What the running thread keeps; outside of runs, what static constructors do.
fn kept() -> &'static mut Vec<(u32, usize)> {
    match running() {
        true => &mut state().threads[state().current].specific,
        false => &mut keys()[0].set,
    }
}

extern "C" fn create(to: *mut u32, destructor: usize) -> c_int {
    let who = if running() { state().current } else { MAX_THREADS };
    let [now, _] = keys();
    let number = (who * MOST + now.made[who]) as u32;
    if now.made[who] == MOST {
        return AGAIN;
    }
    now.made[who] += 1;
    now.all.push(Key { number, destructor });
    if running() {
        let place = caller();
        local::enter(place);
        plain(Kind::Write, to as usize, 4, place, None);
    }
    // SAFETY: the program passes a valid pointer.
    unsafe { *to = number };
    0
}

extern "C" fn delete(key: u32) -> c_int {
    let all = &mut keys()[0].all;
    let before = all.len();
    all.retain(|k| k.number != key);
    if all.len() == before { INVALID } else { 0 }
}

extern "C" fn set(key: u32, value: usize) -> c_int {
    if keys()[0].all.iter().all(|k| k.number != key) {
        return INVALID;
    }
    let kept = kept();
    kept.retain(|(k, _)| *k != key);
    if value != 0 {
        kept.push((key, value));
    }
    0
}

extern "C" fn get(key: u32) -> usize {
    kept().iter().find(|(k, _)| *k == key).map_or(0, |(_, value)| *value)
}

on_hook_stack! {
    pthread_key_create create; pthread_key_delete delete; pthread_setspecific set; pthread_getspecific get;
}

/// Destructors of thread-local variables: called where threads end, which those of a scenario do not.
#[unsafe(no_mangle)]
extern "C" fn __cxa_thread_atexit(function: usize, argument: usize, object: *mut c_void) -> c_int {
    if running() {
        state().threads[state().current].exits.push((function, argument));
        return 0;
    }
    // SAFETY: the symbol is that of the C library, called as the program calls it.
    let real: extern "C" fn(usize, usize, *mut c_void) -> c_int =
        unsafe { std::mem::transmute(sys::next_symbol(c"__cxa_thread_atexit_impl")) };
    real(function, argument, object)
}

/// The same for what calls the C library directly, as Rust does.
#[unsafe(no_mangle)]
extern "C" fn __cxa_thread_atexit_impl(function: usize, argument: usize, object: *mut c_void) -> c_int {
    __cxa_thread_atexit(function, argument, object)
}

/// A thread of the program ends: its thread-local variables first, the last first, then what it keeps by keys.
pub fn end(me: usize) {
    let call = |function: usize, argument: usize| {
        let base = &raw mut state().threads[me].base;
        // SAFETY: what the program has given as a destructor, with what it has given for it.
        unsafe { fiber::call(function, &[argument as u64, 0, 0, 0, 0, 0], base) };
    };
    while let Some((function, argument)) = state().threads[me].exits.pop() {
        call(function, argument);
    }
    for _ in 0..ROUNDS {
        let left: Vec<(u32, usize)> = std::mem::take(&mut state().threads[me].specific);
        for (key, value) in left {
            let destructor = keys()[0].all.iter().find(|k| k.number == key).map_or(0, |k| k.destructor);
            if destructor != 0 {
                call(destructor, value);
            }
        }
    }
}
