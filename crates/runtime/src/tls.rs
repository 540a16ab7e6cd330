//! Thread-local storage of fibers: each borrows that of a parked OS thread.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::fiber;
use crate::state::MAX_THREADS;
use crate::sys;

/// The executable's template: address, bytes with values, bytes in all.
static mut TEMPLATE: (usize, usize, usize) = (0, 0, 0);
/// Where the executable's variables are, from the base.
static mut OFFSET: isize = 0;
/// Where the C++ library keeps the exceptions in flight, from the base; 0 without it.
static mut EXCEPTIONS: isize = 0;
static GIVEN: AtomicU64 = AtomicU64::new(0);

/// The base of the running OS thread or fiber.
pub fn own_base() -> u64 {
    let base: u64;
    // SAFETY: on x86-64 Linux the first word of thread-local storage is its own address.
    unsafe { std::arch::asm!("mov {}, fs:0", out(reg) base, options(nostack, readonly)) };
    base
}

extern "C" fn park(_: *mut c_void) -> *mut c_void {
    GIVEN.store(own_base(), Ordering::Release);
    loop {
        // Waits for a signal that never comes: system call `pause`.
        sys::raw_syscall(34, [0; 6]);
    }
}

/// Starts an OS thread that only lends its storage.
pub fn donor() -> u64 {
    GIVEN.store(0, Ordering::Release);
    if crate::threads::start_os_thread(park) != 0 {
        sys::complain("trueline player: no OS thread for thread-local storage");
        sys::leave(86);
    }
    loop {
        match GIVEN.load(Ordering::Acquire) {
            0 => drop(sys::raw_syscall(24, [0; 6])),
            base => return base,
        }
    }
}

/// Finds the executable's variables.
pub fn locate() {
    unsafe extern "C" fn first(info: *mut sys::DlInfo, _: usize, _: *mut c_void) -> c_int {
        // SAFETY: the loader passes a valid description of the executable, with `phnum` headers.
        let (info, headers) = unsafe {
            let info = &*info;
            (info, std::slice::from_raw_parts(info.phdr, usize::from(info.phnum)))
        };
        for header in headers.iter().filter(|h| h.kind == sys::PT_TLS) {
            let at = (info.addr + header.vaddr) as usize;
            // SAFETY: one OS thread; the block is that of the calling thread.
            unsafe {
                TEMPLATE = (at, header.filesz as usize, header.memsz as usize);
                OFFSET = info.tls_data as isize - own_base() as isize;
            }
        }
        1
    }
    // SAFETY: the callback keeps the contract; the symbol, when there, is a function without arguments.
    unsafe {
        sys::dl_iterate_phdr(first, std::ptr::null_mut());
        let globals = sys::dlsym(sys::RTLD_DEFAULT, c"__cxa_get_globals".as_ptr());
        if !globals.is_null() {
            let globals: extern "C" fn() -> isize = std::mem::transmute(globals);
            EXCEPTIONS = globals() - own_base() as isize;
        }
    }
}

/// Where the variables of the fibers are.
pub fn ranges() -> Vec<(usize, usize)> {
    // SAFETY: set once at the start.
    let (all, offset) = unsafe { (TEMPLATE.2, OFFSET) };
    let of = |thread: usize| (fiber::base(thread) as isize + offset) as usize;
    (0..MAX_THREADS).map(|thread| (of(thread), of(thread) + all)).collect()
}

/// Gives every fiber fresh variables.
pub fn reset() {
    for thread in 0..MAX_THREADS {
        let base = fiber::base(thread) as isize;
        // SAFETY: the parked thread's storage has room for the template at the offset, as every thread's has.
        unsafe {
            let (from, filled, all) = TEMPLATE;
            if all > 0 {
                let to = (base + OFFSET) as *mut u8;
                std::ptr::copy_nonoverlapping(from as *const u8, to, filled);
                std::ptr::write_bytes(to.add(filled), 0, all - filled);
            }
            let number = crate::rust::number_offset();
            if number != 0 && number + 8 <= all {
                // Threads of Rust are numbered by who comes first, otherwise.
                *((base + OFFSET) as *mut u8).add(number).cast::<u64>() = thread as u64 + 2;
            }
            if EXCEPTIONS != 0 {
                *((base + EXCEPTIONS) as *mut [u64; 2]) = [0; 2];
            }
        }
    }
}
