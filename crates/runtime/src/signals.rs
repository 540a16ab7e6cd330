//! Signals that the program raises itself: their handlers run as calls on the thread that raises them.
//!
//! The kernel knows of one thread only. It would keep a signal from all fibers while one of them is in its handler, and go on
//! to do so after a run that ends there. So the player keeps what is to be done on a signal, and which signals are blocked.
//! What is done is the same for all threads, and changing it is no step: threads that run beside others must not.

use std::arch::naked_asm;
use std::ffi::c_int;

use crate::access::{on_hook_stack, registers};
use crate::schedule::{finding, unsupported};
use crate::state::{concurrent, running, state};
use crate::sys::{self, CRASHES, Sigaction};
use crate::threads;

const SIGNALS: usize = 65;
const BY_DEFAULT: usize = 0;
const IGNORED: usize = 1;
const WITH_DETAILS: c_int = 4;
const ONCE: c_int = 0x8000_0000_u32 as c_int;
const ALSO_INSIDE: c_int = 0x4000_0000;
const AGAIN: c_int = 0x1000_0000;
const INVALID: c_int = 22;

const NOTHING: Sigaction = Sigaction { handler: BY_DEFAULT, mask: [0; 16], flags: 0, restorer: 0 };

/// What is done on each signal, now and before every run.
static mut DONE: [[Sigaction; SIGNALS]; 2] = [[NOTHING; SIGNALS]; 2];
/// Whether a run has changed that: most do not, and copying it takes a part of the time of a short one.
static mut CHANGED: bool = false;
/// What static constructors have blocked.
static mut BLOCKED: u64 = 0;

fn done() -> &'static mut [[Sigaction; SIGNALS]; 2] {
    // SAFETY: one OS thread, and nobody keeps the reference across a switch.
    unsafe {
        let at = &raw mut DONE;
        &mut *at
    }
}

/// Keeps what static constructors have said.
pub fn take() {
    let [now, kept] = done();
    *kept = *now;
}

/// What was kept, for a run. Answers which signals threads block.
pub fn restore() -> u64 {
    // SAFETY: one OS thread.
    unsafe {
        if CHANGED {
            let [now, kept] = done();
            *now = *kept;
            CHANGED = false;
        }
        BLOCKED
    }
}

/// Whether the program wants to do something on a signal itself.
pub fn handled(signal: c_int) -> bool {
    done()[0][signal as usize].handler > IGNORED
}

fn name(signal: c_int) -> String {
    const NAMES: [&str; 16] = [
        "", "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2",
        "PIPE", "ALRM", "TERM",
    ];
    NAMES.get(signal as usize).map_or_else(|| format!("signal {signal}"), |name| format!("SIG{name}"))
}

fn fail(error: c_int) -> c_int {
    // SAFETY: the place of the C library's error number for this thread.
    unsafe { *sys::__errno_location() = error };
    -1
}

#[unsafe(no_mangle)]
extern "C" fn sigaction(signal: c_int, new: *const Sigaction, old: *mut Sigaction) -> c_int {
    const KILL: c_int = 9;
    const STOP: c_int = 19;
    if !(1..SIGNALS as c_int).contains(&signal) || (!new.is_null() && matches!(signal, KILL | STOP)) {
        return fail(INVALID);
    }
    let now = &mut done()[0][signal as usize];
    let before = *now;
    // SAFETY: the program passes valid pointers, or none.
    unsafe {
        if !new.is_null() {
            let new = *new;
            let same = |a: &Sigaction, b: &Sigaction| {
                (a.handler, a.mask[0], a.flags) == (b.handler, b.mask[0], b.flags)
            };
            let alone = !concurrent() || (state().main && state().count == 1);
            if !alone && !same(&new, &before) {
                unsupported("the code changes what is done on a signal while other threads run");
            }
            *now = new;
            CHANGED = true;
        }
        if !old.is_null() {
            *old = before;
        }
    }
    0
}

#[unsafe(no_mangle)]
extern "C" fn signal(signal: c_int, handler: usize) -> usize {
    let new = Sigaction { handler, flags: AGAIN, ..NOTHING };
    let mut old = NOTHING;
    match sigaction(signal, &new, &mut old) {
        0 => old.handler,
        _ => usize::MAX,
    }
}

/// Blocks signals, or no longer.
fn block(how: c_int, new: *const u64, old: *mut u64) -> c_int {
    // SAFETY: outside of runs there is one thread, whose mask all others get.
    let blocked: &mut u64 = unsafe {
        match running() {
            true => &mut state().threads[state().current].blocked,
            false => {
                let at = &raw mut BLOCKED;
                &mut *at
            }
        }
    };
    let before = *blocked;
    // SAFETY: the program passes valid pointers, or none.
    unsafe {
        if !new.is_null() {
            *blocked = match how {
                0 => before | *new,
                1 => before & !*new,
                2 => *new,
                _ => return INVALID,
            };
        }
        if !old.is_null() {
            *old = before;
        }
    }
    0
}

#[unsafe(no_mangle)]
extern "C" fn pthread_sigmask(how: c_int, new: *const u64, old: *mut u64) -> c_int {
    block(how, new, old)
}

#[unsafe(no_mangle)]
extern "C" fn sigprocmask(how: c_int, new: *const u64, old: *mut u64) -> c_int {
    match block(how, new, old) {
        0 => 0,
        error => fail(error),
    }
}

/// A handler that is to be called, and what was blocked before: in two registers.
#[repr(C)]
struct Call {
    handler: usize,
    blocked: u64,
}

/// A signal is raised. No handler where nothing is to be done.
extern "C" fn begins(signal: c_int) -> Call {
    const NO_CALL: Call = Call { handler: 0, blocked: 0 };
    if !(1..SIGNALS as c_int).contains(&signal) {
        return NO_CALL;
    }
    // What `raise` keeps on the stack is between the address that this returns to and its own.
    // SAFETY: the stack of the caller.
    let place = unsafe { *((registers()[6] + 32) as *const usize) };
    if !running() {
        sys::before_runs(&format!("raises {}", name(signal)), place);
    }
    state().place = place;
    let me = state().current;
    let (what, blocked) = (done()[0][signal as usize], state().threads[me].blocked);
    if blocked >> (signal - 1) & 1 == 1 {
        unsupported("the code raises a signal that it blocks");
    }
    match what.handler {
        IGNORED => return NO_CALL,
        BY_DEFAULT => by_default(signal),
        _ => {}
    }
    if what.handler == BY_DEFAULT {
        return NO_CALL;
    }
    if what.flags & (ONCE | WITH_DETAILS) != 0 {
        unsupported("the code raises a signal whose handler asks for details, or is called once");
    }
    let itself = if what.flags & ALSO_INSIDE == 0 { 1 << (signal - 1) } else { 0 };
    state().threads[me].blocked |= what.mask[0] | itself;
    Call { handler: what.handler, blocked }
}

/// What is done on a signal of which nothing was said; returns where that is nothing.
fn by_default(signal: c_int) {
    let sentence = || format!("raises {}, which ends the program", name(signal));
    match signal {
        // Of children, urgent data and windows.
        17 | 18 | 23 | 28 => {}
        19..=22 => unsupported("the code stops its process"),
        6 => finding("abort", &sentence()),
        _ if CRASHES.contains(&signal) => finding("crash", &sentence()),
        _ => finding("exit", &sentence()),
    }
}

/// Its handler has returned.
extern "C" fn ends(blocked: u64) {
    state().threads[state().current].blocked = blocked;
}

on_hook_stack! { trueline_signal_begins begins; trueline_signal_ends ends; }

/// The handler is the program's, and runs on the stack of its caller.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn raise(_signal: c_int) -> c_int {
    naked_asm!(
        ".cfi_startproc\npush rbx\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset rbx, 0",
        "push r12\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset r12, 0",
        "sub rsp, 8\n.cfi_adjust_cfa_offset 8",
        "mov ebx, edi\ncall {begins}\ntest rax, rax\njz 2f",
        "mov r12, rdx\nmov edi, ebx\ncall rax",
        "mov rdi, r12\ncall {ends}",
        "2:\nxor eax, eax",
        "add rsp, 8\n.cfi_adjust_cfa_offset -8",
        "pop r12\n.cfi_adjust_cfa_offset -8\npop rbx\n.cfi_adjust_cfa_offset -8\nret",
        ".cfi_endproc",
        begins = sym trueline_signal_begins, ends = sym trueline_signal_ends,
    )
}

/// The running thread is meant, or the run ends.
extern "C" fn for_itself(thread: u64) {
    if running() && thread != threads::pthread_self() {
        unsupported("the code sends a signal to another thread");
    }
}

#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn pthread_kill(_thread: u64, _signal: c_int) -> c_int {
    naked_asm!("push rsi", "call {itself}", "pop rdi", "jmp {raise}", itself = sym for_itself, raise = sym raise)
}
