//! Time, random numbers, and the ways out of a process: the same in every run.

use std::ffi::{c_int, c_long, c_void};

use crate::locks::place;
use crate::schedule::{finding, unsupported};
use crate::state::{running, state};
use crate::sys;

/// Nanoseconds that pass with every look at the clock.
const TICK: u64 = 1000;

fn now() -> u64 {
    let state = state();
    let clock = &mut state.threads[state.current].clock;
    *clock += TICK;
    1_700_000_000_000_000_000 + *clock
}

#[unsafe(no_mangle)]
extern "C" fn clock_gettime(clock: c_int, to: *mut [i64; 2]) -> c_int {
    if !running() {
        return sys::raw_syscall(228, [clock as usize, to as usize, 0, 0, 0, 0]) as c_int;
    }
    let now = now();
    // SAFETY: the program passes a valid pointer.
    unsafe { *to = [(now / 1_000_000_000) as i64, (now % 1_000_000_000) as i64] };
    0
}

#[unsafe(no_mangle)]
extern "C" fn gettimeofday(to: *mut [i64; 2], _: *mut c_void) -> c_int {
    if !running() {
        return sys::raw_syscall(96, [to as usize, 0, 0, 0, 0, 0]) as c_int;
    }
    let now = now();
    // SAFETY: the program passes a valid pointer.
    unsafe { *to = [(now / 1_000_000_000) as i64, (now / 1000 % 1_000_000) as i64] };
    0
}

#[unsafe(no_mangle)]
extern "C" fn time(to: *mut i64) -> i64 {
    let seconds = match running() {
        true => (now() / 1_000_000_000) as i64,
        false => sys::raw_syscall(201, [0; 6]),
    };
    if !to.is_null() {
        // SAFETY: the program passes a valid pointer.
        unsafe { *to = seconds };
    }
    seconds
}

fn random_number() -> u64 {
    let state = state();
    let random = &mut state.threads[state.current].random;
    *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *random >> 33
}

#[unsafe(no_mangle)]
extern "C" fn rand() -> c_int {
    random_number() as c_int & 0x7fff_ffff
}

#[unsafe(no_mangle)]
extern "C" fn random() -> c_long {
    random_number() as c_long & 0x7fff_ffff
}

#[unsafe(no_mangle)]
extern "C" fn srand(seed: u32) {
    state().threads[state().current].random = u64::from(seed);
}

#[unsafe(no_mangle)]
extern "C" fn srandom(seed: u32) {
    state().threads[state().current].random = u64::from(seed);
}

/// A pause takes no time: whoever may run, runs anyway.
#[unsafe(no_mangle)]
extern "C" fn sched_yield() -> c_int {
    0
}

#[unsafe(no_mangle)]
extern "C" fn usleep(_: u32) -> c_int {
    0
}

#[unsafe(no_mangle)]
extern "C" fn sleep(_: u32) -> u32 {
    0
}

#[unsafe(no_mangle)]
extern "C" fn nanosleep(_: *const c_void, _: *mut c_void) -> c_int {
    0
}

#[unsafe(no_mangle)]
extern "C" fn clock_nanosleep(_: c_int, _: c_int, _: *const c_void, _: *mut c_void) -> c_int {
    0
}

macro_rules! ways_out {
    ($($name:ident)*) => { $(
        #[unsafe(no_mangle)]
        extern "C" fn $name(code: c_int) -> ! {
            if running() {
                state().place = place!();
                finding("exit", concat!("calls ", stringify!($name)));
            }
            sys::leave(code)
        }
    )* };
}
ways_out! { exit _exit quick_exit _Exit }

#[unsafe(no_mangle)]
extern "C" fn fork() -> c_int {
    if running() {
        unsupported("the code calls fork");
    }
    sys::raw_syscall(57, [0; 6]) as c_int
}

#[unsafe(no_mangle)]
extern "C" fn vfork() -> c_int {
    fork()
}
