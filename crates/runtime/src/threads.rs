//! Threads that the program itself starts, and other OS threads.

use std::ffi::{c_int, c_void};

use crate::access::{caller, on_hook_stack, plain};
use crate::fiber;
use crate::local;
use crate::log::Kind;
use crate::program;
use crate::schedule::unsupported;
use crate::state::{concurrent, ready, running, state};
use crate::sys;
use crate::tls;

type Start = extern "C" fn(*mut c_void) -> *mut c_void;
type Create = extern "C" fn(*mut u64, *const c_void, Start, *mut c_void) -> c_int;

/// Starts a real thread.
pub fn start_os_thread(main: Start) -> c_int {
    // SAFETY: the symbol is pthread_create of the C library.
    let create: Create = unsafe { std::mem::transmute(sys::next_symbol(c"pthread_create")) };
    let mut id = 0;
    create(&mut id, std::ptr::null(), main, std::ptr::null_mut())
}

extern "C" fn own_pthread_create(id: *mut u64, _: *const c_void, main: Start, with: *mut c_void) -> c_int {
    if concurrent() && state().main {
        // As the C library does, before the thread runs.
        let place = caller();
        write(id, FIRST + program::next() as u64, place);
        program::start(main as usize, with, place);
        return 0;
    }
    if running() {
        unsupported("the code starts threads of its own; operations of a harness must not");
    }
    // Nobody would control it during the runs.
    sys::before_runs("starts a thread", caller())
}

extern "C" fn own_pthread_join(id: u64, answer: *mut u64) -> c_int {
    let place = caller();
    let value = program::join(id.wrapping_sub(FIRST) as usize);
    if !answer.is_null() {
        write(answer, value, place);
    }
    0
}

/// Writes what the program wants at a pointer: a plain access of its own, for others may share that memory.
fn write(to: *mut u64, value: u64, place: usize) {
    local::enter(place);
    plain(Kind::Write, to as usize, 8, place, None);
    // SAFETY: the program passes a valid pointer.
    unsafe { *to = value };
}

#[unsafe(no_mangle)]
extern "C" fn pthread_detach(id: u64) -> c_int {
    if running() {
        return 0;
    }
    // SAFETY: the symbol is pthread_detach of the C library.
    let real: extern "C" fn(u64) -> c_int =
        unsafe { std::mem::transmute(sys::next_symbol(c"pthread_detach")) };
    real(id)
}

#[unsafe(no_mangle)]
extern "C" fn pthread_exit(_: *mut c_void) -> ! {
    if running() {
        unsupported("the code calls pthread_exit, which the player does not have");
    }
    sys::leave(0)
}

/// The C library would take the number of a thread for an address.
#[unsafe(no_mangle)]
extern "C" fn pthread_getattr_np(id: u64, to: *mut c_void) -> c_int {
    if !running() {
        // SAFETY: the symbol is pthread_getattr_np of the C library.
        let real: extern "C" fn(u64, *mut c_void) -> c_int =
            unsafe { std::mem::transmute(sys::next_symbol(c"pthread_getattr_np")) };
        return real(id, to);
    }
    if id != pthread_self() {
        unsupported("the code asks for the attributes of another thread");
    }
    // SAFETY: the symbol is pthread_attr_init of the C library.
    let init: extern "C" fn(*mut c_void) -> c_int =
        unsafe { std::mem::transmute(sys::next_symbol(c"pthread_attr_init")) };
    // SAFETY: the symbol is pthread_attr_setstack of the C library.
    let set: extern "C" fn(*mut c_void, usize, usize) -> c_int =
        unsafe { std::mem::transmute(sys::next_symbol(c"pthread_attr_setstack")) };
    init(to);
    let (low, high) = fiber::stack(state().current);
    set(to, low, high - low)
}

/// What has a meaning for the system alone: names, and where and when threads run.
macro_rules! for_the_system {
    ($($name:ident)*) => { $(
        #[unsafe(no_mangle)]
        extern "C" fn $name() -> c_int { 0 }
    )* };
}
for_the_system! { pthread_setname_np pthread_setaffinity_np pthread_setschedparam pthread_setschedprio }

/// Further ways to ask of a thread.
macro_rules! not_there {
    ($($name:ident)*) => { $(
        #[unsafe(no_mangle)]
        extern "C" fn $name() -> c_int {
            unsupported(concat!("the code calls ", stringify!($name), ", which the player does not have"))
        }
    )* };
}
not_there! {
    pthread_cancel pthread_tryjoin_np pthread_timedjoin_np pthread_clockjoin_np pthread_getcpuclockid
    pthread_getname_np pthread_getaffinity_np pthread_getschedparam
}

on_hook_stack! { pthread_create own_pthread_create; pthread_join own_pthread_join; }

/// Numbers of the program's threads, as it sees them.
const FIRST: u64 = 0x7100_0000;

/// The number of the running thread.
#[unsafe(no_mangle)]
pub extern "C" fn pthread_self() -> u64 {
    if running() {
        return FIRST + state().current as u64;
    }
    // SAFETY: the symbol is pthread_self of the C library.
    let real: extern "C" fn() -> u64 = unsafe { std::mem::transmute(sys::next_symbol(c"pthread_self")) };
    real()
}

/// Ends loudly when another OS thread than the player's enters a hook: then threads are real ones, and nothing that
/// the tool says would be true.
pub fn same_os_thread() {
    // The bases of fibers are those of parked threads, which never run code: whoever has another is no fiber.
    if ready() && tls::own_base() != fiber::running_base() {
        sys::complain(
            "trueline player: an OS thread that the player does not control runs instrumented code",
        );
        sys::leave(86);
    }
}
