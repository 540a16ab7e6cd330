//! Threads that the program itself starts, and other OS threads.

use std::ffi::{c_int, c_void};

use crate::schedule::unsupported;
use crate::state::{ready, running, state};
use crate::sys;

type Start = extern "C" fn(*mut c_void) -> *mut c_void;
type Create = extern "C" fn(*mut u64, *const c_void, Start, *mut c_void) -> c_int;

/// Starts a real thread.
pub fn start_os_thread(main: Start) -> c_int {
    // SAFETY: the symbol is pthread_create of the C library.
    let create: Create = unsafe { std::mem::transmute(sys::next_symbol(c"pthread_create")) };
    let mut id = 0;
    create(&mut id, std::ptr::null(), main, std::ptr::null_mut())
}

#[unsafe(no_mangle)]
extern "C" fn pthread_create(
    id: *mut u64,
    attributes: *const c_void,
    main: Start,
    with: *mut c_void,
) -> c_int {
    if running() {
        unsupported("the code starts threads of its own; operations of a harness must not");
    }
    // SAFETY: the symbol is pthread_create of the C library, called as the program calls it.
    let create: Create = unsafe { std::mem::transmute(sys::next_symbol(c"pthread_create")) };
    create(id, attributes, main, with)
}

/// Numbers of the program's threads, as it sees them.
const FIRST: u64 = 0x7100_0000;

#[unsafe(no_mangle)]
extern "C" fn pthread_self() -> u64 {
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
    // The bases of fibers are those of parked threads, which never run code: the kernel's number tells.
    if ready() && state().steps & 0xff == 0 && sys::raw_syscall(186, [0; 6]) != state().owner {
        sys::complain(
            "trueline player: an OS thread that the player does not control runs instrumented code",
        );
        sys::leave(86);
    }
}
