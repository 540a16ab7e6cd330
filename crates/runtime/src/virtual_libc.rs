//! Time, random numbers, and the ways out of a process: the same in every run.

use std::ffi::{c_int, c_long, c_void};

use crate::locks::place;
use crate::schedule::{finding, unsupported};
use crate::state::{ready, running, state};
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

/// Random bytes of the kernel.
#[unsafe(no_mangle)]
extern "C" fn getrandom(to: *mut u8, length: usize, flags: u32) -> isize {
    if !running() {
        return sys::raw_syscall(318, [to as usize, length, flags as usize, 0, 0, 0]) as isize;
    }
    for i in 0..length {
        // SAFETY: the program passes a buffer of this length.
        unsafe { *to.add(i) = random_number() as u8 };
    }
    length as isize
}

/// System calls by number: those that wait or are random are the player's, the others are made.
#[unsafe(no_mangle)]
extern "C" fn syscall(number: c_long, a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> c_long {
    const FUTEX: c_long = 202;
    const GETRANDOM: c_long = 318;
    match number {
        // Waking up is of no use where nobody can wait.
        FUTEX if running() && matches!(b & 0x7f, 1 | 10) => 0,
        FUTEX if running() => unsupported("the code waits by a futex, which the player does not have"),
        _ if running() && NEW_PROCESS.contains(&number) => unsupported("the code starts another process"),
        _ if running() && SIGNALS.contains(&number) => unsupported("the code sends signals by system calls"),
        GETRANDOM => getrandom(a as *mut u8, b, c as u32) as c_long,
        _ => match sys::raw_syscall(number, [a, b, c, d, e, f]) {
            error @ -4095..=-1 => {
                // SAFETY: the place of the C library's error number for this thread.
                unsafe { *sys::__errno_location() = -error as c_int };
                -1
            }
            result => result,
        },
    }
}

macro_rules! ways_out {
    ($($name:ident)*) => { $(
        #[unsafe(no_mangle)]
        extern "C" fn $name(code: c_int) -> ! {
            if running() && state().main && state().current == 1 {
                crate::program::quit(code);
            }
            if running() {
                state().place = place!();
                finding("exit", concat!("calls ", stringify!($name)));
            }
            if !ready() {
                sys::before_runs(concat!("calls ", stringify!($name)), place!());
            }
            sys::leave(code)
        }
    )* };
}
ways_out! { exit _exit quick_exit _Exit }

/// System calls that make another process: `clone`, `fork`, `vfork`, `clone3`.
const NEW_PROCESS: [c_long; 4] = [56, 57, 58, 435];
/// System calls that send signals: `kill`, `tkill`, `tgkill`.
const SIGNALS: [c_long; 3] = [62, 200, 234];

#[unsafe(no_mangle)]
extern "C" fn fork() -> c_int {
    if running() {
        unsupported("the code calls fork");
    }
    sys::before_runs("calls fork", place!())
}

#[unsafe(no_mangle)]
extern "C" fn vfork() -> c_int {
    fork()
}

/// What is done outside of the program: other programs would outlive the player, what they do is not the same in every run,
/// and neither is when a signal comes that a thread has not raised for itself.
macro_rules! outside {
    ($($name:ident)*) => { $(
        #[unsafe(no_mangle)]
        extern "C" fn $name() -> *mut c_void {
            if running() {
                unsupported(concat!("the code calls ", stringify!($name)));
            }
            sys::before_runs(concat!("calls ", stringify!($name)), place!())
        }
    )* };
}
outside! { system popen posix_spawn posix_spawnp }
outside! { kill killpg sigqueue pthread_sigqueue alarm setitimer timer_create }
outside! { pause sigpause sigsuspend sigwait sigwaitinfo sigtimedwait signalfd }
