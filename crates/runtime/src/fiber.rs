//! Fibers: each thread of the program has a stack and thread-local storage of its own, and they take turns.

use std::arch::naked_asm;
use std::ffi::c_void;

use crate::state::{MAX_THREADS, state};
use crate::sys;
use crate::tls;

/// Bytes of a stack.
pub const STACK: usize = 256 * 1024;
/// Where the stacks are: the same in every process, so that addresses in logs are.
const STACKS: usize = 0x6100_0000_0000;
/// The context that reads plans and sends logs.
pub const CONTROLLER: usize = MAX_THREADS;

struct Fibers {
    /// Stack pointers of those that do not run.
    pointers: [usize; MAX_THREADS + 1],
    /// Bases of thread-local storage.
    bases: [u64; MAX_THREADS + 1],
}

static mut FIBERS: Fibers = Fibers { pointers: [0; MAX_THREADS + 1], bases: [0; MAX_THREADS + 1] };

fn fibers() -> &'static mut Fibers {
    // SAFETY: one OS thread, and nobody keeps the reference across a switch.
    unsafe { &mut *(&raw mut FIBERS) }
}

/// The base of a fiber's thread-local storage.
pub fn base(thread: usize) -> u64 {
    fibers().bases[thread]
}

/// The lowest and highest address of a fiber's stack.
pub fn stack(thread: usize) -> (usize, usize) {
    let low = STACKS + thread * (STACK + 8192) + 8192;
    (low, low + STACK)
}

/// Makes the stacks and the thread-local storage.
pub fn create() {
    let all = MAX_THREADS * (STACK + 8192);
    // SAFETY: fresh pages at an address that nothing else uses; otherwise the call fails.
    let at = unsafe {
        let flags = sys::MAP_ANON | sys::MAP_FIXED_NOREPLACE;
        sys::mmap(STACKS as *mut c_void, all, sys::PROT_READ_WRITE, flags, -1, 0)
    };
    if at as usize != STACKS {
        sys::complain("trueline player: the stacks cannot be placed");
        sys::leave(86);
    }
    fibers().bases[CONTROLLER] = tls::own_base();
    for thread in 0..MAX_THREADS {
        // SAFETY: the pages below the stack are ours; touching them is to be a crash.
        unsafe { sys::mprotect((stack(thread).0 - 8192) as *mut c_void, 8192, sys::PROT_NONE) };
        fibers().bases[thread] = tls::donor();
    }
}

/// Prepares a fiber to begin with [`crate::play::thread_main`].
pub fn prepare(thread: usize) {
    let top = stack(thread).1;
    // What `switch_context` pops: r15, r14, r13, r12, rbx, rbp, and where to go on.
    let words = [0, 0, 0, thread, 0, 0, enter as *const () as usize];
    // Sixteen bytes aligned at the call.
    let at = top - 72;
    for (i, word) in words.into_iter().enumerate() {
        // SAFETY: the stack is ours and nobody runs on it.
        unsafe { *((at + i * 8) as *mut usize) = word };
    }
    fibers().pointers[thread] = at;
}

/// Goes on with another fiber; returns when somebody goes on with this one.
pub fn switch(from: usize, to: usize) {
    let fibers = fibers();
    let (save, pointer, base) = (&raw mut fibers.pointers[from], fibers.pointers[to], fibers.bases[to]);
    // SAFETY: `to` was prepared or has left by this function, so that its stack holds what is popped.
    unsafe { switch_context(save, pointer, base) }
}

/// Saves what a function must preserve, changes the stack and the base of thread-local storage, and restores.
#[unsafe(naked)]
unsafe extern "C" fn switch_context(_save: *mut usize, _to: usize, _base: u64) {
    naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "mov [rdi], rsp",
        "mov rsp, rsi",
        "wrfsbase rdx",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret"
    )
}

/// The first function of a fiber. Its caller is undefined, so that unwinding stops here.
#[unsafe(naked)]
unsafe extern "C" fn enter() {
    naked_asm!(
        ".cfi_startproc", ".cfi_undefined rip", "mov rdi, r12", "xor ebp, ebp", "call {main}", "ud2",
        ".cfi_endproc", main = sym crate::play::thread_main)
}

/// Whether an address is on the stack of the running fiber.
pub fn on_own_stack(address: usize) -> bool {
    let (low, high) = stack(state().current);
    (low..high).contains(&address)
}
