//! A program with its own `main`: `main` is the first thread, and the threads that it starts are fibers too.
//!
//! Starting a thread and waiting for its end are steps on locks that the player has made up: one that is held until the
//! thread is started, and one that is held until it has ended.

use std::ffi::{CStr, c_char, c_int, c_void};

use crate::access::{caller, on_hook_stack};
use crate::fiber::{self, switch};
use crate::heap;
use crate::local::{self, mix};
use crate::locks::{acquire, place, record};
use crate::log::Kind;
use crate::schedule::{self, stop, unsupported};
use crate::specific;
use crate::state::{MAX_THREADS, Pending, Status, state};

/// The `main` of the program and its arguments.
static mut MAIN: [u64; 4] = [0; 4];

/// Keeps it for runs.
pub fn keep_main(main: [u64; 4]) {
    // SAFETY: before any run, on one OS thread.
    unsafe { MAIN = main };
}

/// Names of the locks of a thread: started, ended. No address of the program is so low.
fn started(thread: usize) -> usize {
    16 + thread * 16
}

fn ended(thread: usize) -> usize {
    started(thread) + 8
}

/// What a thread was started with and what it answered.
#[derive(Clone, Copy, Default)]
struct Started {
    function: usize,
    argument: u64,
    answer: u64,
    /// Where it was started: its beginning and its end are told there.
    place: usize,
}

static mut STARTED: [Started; MAX_THREADS] =
    [Started { function: 0, argument: 0, answer: 0, place: 0 }; MAX_THREADS];

fn of(thread: usize) -> &'static mut Started {
    // SAFETY: one OS thread, and nobody keeps the reference across a switch.
    unsafe {
        let at = &raw mut STARTED;
        &mut (*at)[thread]
    }
}

/// Runs the program; returns when `main` and all threads have ended.
pub fn run() {
    let state = state();
    state.most_threads = state.count.max(1);
    state.count = 1;
    for thread in 2..MAX_THREADS {
        state.locks.push((started(thread), 0, 1));
        state.locks.push((ended(thread), 0, 1));
    }
    schedule::run_threads();
}

/// What a thread of the program does.
pub fn body(thread: usize) {
    let base = &raw mut state().threads[thread].base;
    heap::begin_operation(thread);
    if thread == 1 {
        // SAFETY: set before any run.
        let [main, count, arguments, environment] = unsafe { MAIN };
        // SAFETY: the address is that of the program's `main`.
        let code = unsafe { fiber::call(main as usize, &[count, arguments, environment, 0, 0, 0], base) };
        return leave(code as c_int);
    }
    let Started { function, argument, place, .. } = *of(thread);
    acquire(started(thread), place, false);
    // SAFETY: the address and the argument are those that the program passed.
    of(thread).answer = unsafe { fiber::call(function, &[argument, 0, 0, 0, 0, 0], base) };
    specific::end(thread);
    stop(Pending::Step);
    record(Kind::Unlock, ended(thread), place, 1, 0);
    state().locks.retain(|l| l.0 != ended(thread));
}

/// `main` has ended, and with it the program.
pub fn leave(code: c_int) {
    let state = state();
    if code != 0 {
        schedule::finding("exit", &format!("ends the program with the code {code}"));
    }
    if (2..=state.count).any(|t| state.threads[t].status != Status::Done) {
        unsupported("main ends before its threads; it must wait for them");
    }
}

/// The number of the next thread that is started.
pub fn next() -> usize {
    state().count + 1
}

/// Starts a thread, at a place in the code.
pub fn start(function: usize, argument: *mut c_void, place: usize) {
    let me = state().current;
    let thread = next();
    if me != 1 {
        unsupported("a thread other than main starts a thread");
    }
    if thread >= MAX_THREADS || thread > state().most_threads {
        unsupported("main starts more than seven threads, or not always equally many");
    }
    local::enter(place);
    state().place = place;
    stop(Pending::Step);
    record(Kind::Unlock, started(thread), place, 1, 0);
    let state = state();
    state.locks.retain(|l| l.0 != started(thread));
    *of(thread) = Started { function, argument: argument as u64, answer: 0, place };
    let calls = state.threads[me].frames.clone();
    state.threads[thread].frames = calls;
    state.threads[thread].blocked = state.threads[me].blocked;
    state.count = thread;
    (state.threads[thread].status, state.threads[thread].starter) = (Status::Live, Some(me));
    fiber::prepare(thread);
    state.current = thread;
    // It runs up to its first scheduling point.
    switch(me, thread);
}

/// Waits for the end of a thread; answers what it answered.
pub fn join(thread: usize) -> u64 {
    let place = caller();
    if !(2..=state().count).contains(&thread) {
        unsupported("the code waits for a thread that it has not started");
    }
    local::enter(place);
    acquire(ended(thread), place, false);
    of(thread).answer
}

/// A call begins: its name, as eight bytes in a word, and its arguments.
extern "C" fn begins(name: *const c_char, count: c_int, a: u64, b: u64, c: u64) {
    if !crate::state::concurrent() {
        return;
    }
    let me = state().current;
    // SAFETY: the macro passes a text that ends with zero.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    let mut words = vec![count.clamp(0, 3) as u64];
    words.extend(&[a, b, c][..count.clamp(0, 3) as usize]);
    for chunk in name.chunks(8).take(8) {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        words.push(u64::from_le_bytes(bytes));
    }
    crate::play::boundary(me);
    let index = state().threads[me].calls;
    state().threads[me].told = words.iter().fold(0, |hash, word| mix(hash, *word));
    state().log.note(Kind::Call, me, index, &words);
    local::effect();
}

/// The call ends: whether with a value, and a number for what was called.
extern "C" fn ends(count: c_int, value: u64) {
    if !crate::state::concurrent() {
        return;
    }
    let me = state().current;
    crate::play::boundary(me);
    let (index, told) = (state().threads[me].calls, state().threads[me].told);
    state().threads[me].calls += 1;
    let values = [u64::from(count > 0), value, told];
    state().log.returned(me, index, &values, local::memory());
    local::effect();
}

on_hook_stack! { trueline_call begins; trueline_return ends; }

/// The place of a call that ends the program.
pub fn quit(code: c_int) -> ! {
    state().place = place!();
    leave(code);
    // What is called when a program ends is not, and `main` has not returned.
    state().keep_reachable = true;
    crate::leaks::check(&[fiber::stack(state().current)]);
    schedule::end(crate::state::End::Complete, "")
}
