//! What the C++ library asks of its surroundings: static variables of functions, destructors, exceptions.

use std::arch::naked_asm;
use std::ffi::{CStr, c_char, c_int, c_void};

use crate::access::{caller, on_hook_stack};
use crate::locks::{lock, place, release, unlock};
use crate::schedule::finding;
use crate::state::{off, running, state, trap};
use crate::sys;

/// The first byte of a guard says whether the variable is initialised.
extern "C" fn guard_acquire(guard: *mut u8) -> c_int {
    let place = caller();
    // SAFETY: the compiler passes the variable's guard.
    let done = |g: *mut u8| unsafe { std::ptr::read_volatile(g) } != 0;
    if !running() || off(trap::GUARDS) {
        return c_int::from(!done(guard));
    }
    if let Some(at) = lock(guard as usize, place, false) {
        // What the guard says is no event, and the thread goes on by it.
        state().log.mark_hidden(at);
    }
    if done(guard) {
        release(guard as usize, place);
        return 0;
    }
    1
}

extern "C" fn guard_release(guard: *mut u8) {
    // SAFETY: the compiler passes the variable's guard.
    unsafe { std::ptr::write_volatile(guard, 1) };
    if running() && !off(trap::GUARDS) {
        unlock(guard as usize, caller());
    }
}

extern "C" fn guard_abort(guard: *mut u8) {
    if running() {
        unlock(guard as usize, caller());
    }
}

on_hook_stack! {
    __cxa_guard_acquire guard_acquire; __cxa_guard_release guard_release; __cxa_guard_abort guard_abort;
}

/// What is to be done once, such as `std::call_once`: as a static variable's initialisation. The routine is the program's, and
/// runs on the stack of its caller. An exception that leaves it is not caught here: nobody does it again.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn pthread_once(_control: *mut u8, _routine: extern "C" fn()) -> c_int {
    naked_asm!(
        ".cfi_startproc\npush rbx\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset rbx, 0",
        "push r12\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset r12, 0",
        "sub rsp, 8\n.cfi_adjust_cfa_offset 8",
        "mov rbx, rdi\nmov r12, rsi",
        "call {begin}\ntest eax, eax\njz 2f",
        "call r12\nmov rdi, rbx\ncall {end}",
        "2:\nxor eax, eax",
        "add rsp, 8\n.cfi_adjust_cfa_offset -8",
        "pop r12\n.cfi_adjust_cfa_offset -8\npop rbx\n.cfi_adjust_cfa_offset -8\nret",
        ".cfi_endproc",
        begin = sym __cxa_guard_acquire, end = sym __cxa_guard_release,
    )
}

type Exit = extern "C" fn(*mut c_void, *mut c_void, *mut c_void) -> c_int;

/// Destructors of statics that a run makes are never called: the run's memory is restored instead.
#[unsafe(no_mangle)]
extern "C" fn __cxa_atexit(function: *mut c_void, argument: *mut c_void, object: *mut c_void) -> c_int {
    if running() && !off(trap::EXITS) {
        return 0;
    }
    // SAFETY: the symbol is that of the C library, called as the program calls it.
    let real: Exit = unsafe { std::mem::transmute(sys::next_symbol(c"__cxa_atexit")) };
    real(function, argument, object)
}

#[unsafe(no_mangle)]
extern "C" fn __assert_fail(what: *const c_char, file: *const c_char, line: u32, _: *const c_char) -> ! {
    // SAFETY: the C library's macro passes texts that end with zero.
    let (what, file) = unsafe { (CStr::from_ptr(what), CStr::from_ptr(file)) };
    let text = format!(
        "breaks the assertion `{}` ({}:{line})",
        what.to_string_lossy(),
        file.to_string_lossy().rsplit('/').next().unwrap_or_default()
    );
    if running() {
        state().place = place!();
        finding("assertion", &text);
    }
    sys::before_runs(&text, place!())
}

/// The name of the exception in flight, as the C++ library knows it.
fn exception() -> Option<String> {
    // SAFETY: the symbol, when there, is a function that answers a pointer to a `std::type_info`, whose second word is
    // its name.
    unsafe {
        let current = sys::dlsym(sys::RTLD_DEFAULT, c"__cxa_current_exception_type".as_ptr());
        if current.is_null() {
            return None;
        }
        let current: extern "C" fn() -> *const [usize; 2] = std::mem::transmute(current);
        let info = current();
        if info.is_null() {
            return None;
        }
        Some(CStr::from_ptr((*info)[1] as *const c_char).to_string_lossy().into_owned())
    }
}

#[unsafe(no_mangle)]
extern "C" fn abort() -> ! {
    let (word, text) = match exception() {
        Some(name) => ("exception", format!("throws an exception that nobody catches ({name})")),
        None => ("abort", "calls abort".into()),
    };
    if running() {
        state().place = place!();
        finding(word, &text);
    }
    sys::before_runs(&text, place!())
}
