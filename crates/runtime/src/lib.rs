//! The player: a shared object that stands in for the runtime of `-fsanitize=thread`.
//!
//! The compilers insert a call before every access to memory that may be shared. Here these calls are scheduling
//! points: the threads of the program under test are fibers on one OS thread, and the player *plays a plan* (which
//! thread makes the next step), goes on by a fixed rule to the end, and returns a log. It decides nothing.
//!
//! It is built without dependencies by the build script of `trueline-run` and linked first into the program under
//! test. This is the only crate of the workspace with unsafe code.

mod access;
mod atomics;
mod crash;
mod cxx;
mod fiber;
mod heap;
mod leaks;
mod local;
mod locks;
mod log;
mod memory;
mod play;
mod policy;
mod program;
mod rust;
mod schedule;
mod signals;
mod snapshot;
mod specific;
mod state;
mod sys;
mod threads;
mod tls;
mod told;
mod virtual_libc;

/// The player's own allocations, which must not go through the `malloc` that it defines for the program.
struct Own;

// SAFETY: the functions of the C library behind malloc keep malloc's contract.
unsafe impl std::alloc::GlobalAlloc for Own {
    unsafe fn alloc(&self, layout: std::alloc::Layout) -> *mut u8 {
        // SAFETY: any size and a power of two as alignment are allowed.
        unsafe { sys::__libc_memalign(layout.align().max(16), layout.size()) }
    }
    unsafe fn dealloc(&self, block: *mut u8, _: std::alloc::Layout) {
        // SAFETY: the block is from `alloc`.
        unsafe { sys::__libc_free(block) }
    }
}

#[global_allocator]
static ALLOCATOR: Own = Own;
