//! Fibers: each thread of the program has a stack and thread-local storage of its own, and they take turns.

use std::arch::naked_asm;
use std::ffi::c_void;

use crate::state::{MAX_THREADS, off, state, trap};
use crate::sys;
use crate::tls;

/// Bytes of a stack.
pub const STACK: usize = 256 * 1024;
/// Where the stacks are: the same in every process, so that addresses in logs are.
const STACKS: usize = 0x6100_0000_0000;
/// Bytes of the stack on which hooks run.
const HOOKS: usize = 64 * 1024;
/// Where these stacks are.
const HOOK_STACKS: usize = 0x6200_0000_0000;
/// The context that reads plans and sends logs.
pub const CONTROLLER: usize = MAX_THREADS;

struct Fibers {
    /// Stack pointers of those that do not run.
    pointers: [usize; MAX_THREADS + 1],
    /// Bases of thread-local storage.
    bases: [u64; MAX_THREADS + 1],
}

/// The top of the stack for hooks of the running fiber; 0 outside of runs.
///
/// Hooks run on a stack of their own: what they leave behind would show in variables that the program has not set yet, and
/// two local states that are the same would differ.
#[used]
pub static mut HOOK_STACK: usize = 0;
/// The lowest stack pointer that a hook saw since the stack below was cleared, by thread.
static mut LOWEST: [usize; MAX_THREADS] = [usize::MAX; MAX_THREADS];
/// What functions without a hook may use below the lowest that was seen.
const UNSEEN: usize = 4096;
/// What functions that call no hook are taken to use, between two steps.
const LEAVES: usize = 512;

static mut RUNNING_BASE: u64 = 0;
static mut FIBERS: Fibers = Fibers { pointers: [0; MAX_THREADS + 1], bases: [0; MAX_THREADS + 1] };

fn fibers() -> &'static mut Fibers {
    // SAFETY: one OS thread, and nobody keeps the reference across a switch.
    unsafe {
        let at = &raw mut FIBERS;
        &mut *at
    }
}

/// The base of a fiber's thread-local storage.
pub fn base(thread: usize) -> u64 {
    fibers().bases[thread]
}

/// That of what runs now.
pub fn running_base() -> u64 {
    // SAFETY: one OS thread writes it; another that reads it finds a base that is not its own.
    unsafe { RUNNING_BASE }
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
    // SAFETY: as above.
    let hooks = unsafe {
        let flags = sys::MAP_ANON | sys::MAP_FIXED_NOREPLACE;
        sys::mmap(HOOK_STACKS as *mut c_void, MAX_THREADS * HOOKS, sys::PROT_READ_WRITE, flags, -1, 0)
    };
    if at as usize != STACKS || hooks as usize != HOOK_STACKS {
        sys::complain("trueline player: the stacks cannot be placed");
        sys::leave(86);
    }
    fibers().bases[CONTROLLER] = tls::own_base();
    // SAFETY: before any run.
    unsafe { RUNNING_BASE = tls::own_base() };
    for thread in 0..MAX_THREADS {
        // SAFETY: the pages below the stack are ours; touching them is to be a crash.
        unsafe { sys::mprotect((stack(thread).0 - 8192) as *mut c_void, 8192, sys::PROT_NONE) };
        fibers().bases[thread] = tls::donor();
    }
}

/// Prepares a fiber to begin with [`crate::play::thread_main`].
pub fn prepare(thread: usize) {
    let (low, top) = stack(thread);
    // What an earlier run left there must not show in variables that are not set.
    // SAFETY: the stack is ours and nobody runs on it.
    unsafe {
        let from = LOWEST[thread].saturating_sub(UNSEEN).clamp(low, top);
        std::ptr::write_bytes(from as *mut u8, 0, top - from);
        LOWEST[thread] = usize::MAX;
    }
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
    let lender = if off(trap::TLS) && to != CONTROLLER { 0 } else { to };
    let (save, pointer, base) = (&raw mut fibers.pointers[from], fibers.pointers[to], fibers.bases[lender]);
    // SAFETY: one OS thread. Only the assembly of hooks reads it, which the compiler cannot see.
    unsafe {
        let top = if to == CONTROLLER { 0 } else { HOOK_STACKS + (to + 1) * HOOKS };
        std::ptr::write_volatile(&raw mut HOOK_STACK, top);
        RUNNING_BASE = base;
    }
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

/// Clears what calls that have returned left below the stack pointer of a thread: it would show in variables of the next
/// that are not set yet, and no number for the local state would know of it.
pub fn clean(thread: usize, pointer: usize) {
    let (low, high) = stack(thread);
    // SAFETY: one OS thread; hooks run on another stack, and the program keeps nothing below its stack pointer at a call.
    unsafe {
        let from = LOWEST[thread].saturating_sub(LEAVES).clamp(low, high);
        if (from..high).contains(&pointer) {
            std::ptr::write_bytes(from as *mut u8, 0, pointer - from);
        }
        LOWEST[thread] = pointer;
    }
}

/// Remembers how far down a stack was used.
pub fn note_depth(thread: usize, pointer: usize) {
    // SAFETY: one OS thread.
    unsafe { LOWEST[thread] = LOWEST[thread].min(pointer) };
}

/// Calls a function of the program with six arguments, with all registers that it must preserve empty, and with
/// nothing on the stack below: the player's own values are to be no part of its local state. Says where its stack begins.
#[unsafe(naked)]
pub unsafe extern "C" fn call(_function: usize, _arguments: *const [u64; 6], _base: *mut usize) -> u64 {
    naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "sub rsp, 8",
        "mov r11, rdi",
        "mov r10, rsi",
        "mov [rdx], rsp",
        "lea rdi, [rsp-4096]",
        "mov ecx, 512",
        "xor eax, eax",
        "rep stosq",
        "mov rdi, [r10]",
        "mov rsi, [r10+8]",
        "mov rdx, [r10+16]",
        "mov rcx, [r10+24]",
        "mov r8, [r10+32]",
        "mov r9, [r10+40]",
        "xor ebx, ebx",
        "xor ebp, ebp",
        "xor r12d, r12d",
        "xor r13d, r13d",
        "xor r14d, r14d",
        "xor r15d, r15d",
        "call r11",
        "add rsp, 8",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret"
    )
}

/// Whether an address is on the stack of the running fiber.
pub fn on_own_stack(address: usize) -> bool {
    let (low, high) = stack(state().current);
    (low..high).contains(&address)
}
