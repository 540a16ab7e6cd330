//! The few functions and constants of the C library and the kernel that the player uses, on Linux for x86-64.

use std::ffi::{c_char, c_int, c_void};

/// Readable and writable pages.
pub const PROT_READ_WRITE: c_int = 3;
/// Pages that nobody may touch.
pub const PROT_NONE: c_int = 0;
/// Private anonymous pages that need no swap.
pub const MAP_ANON: c_int = 0x4022;
/// At this address or not at all.
pub const MAP_FIXED_NOREPLACE: c_int = 0x10_0000;
/// A descriptor that other programs do not get.
pub const CLOEXEC: c_int = 0x8_0000;
/// `dlsym` of the next object that defines a symbol.
pub const RTLD_NEXT: *mut c_void = -1isize as *mut c_void;
/// `dlsym` of the first object that defines a symbol.
pub const RTLD_DEFAULT: *mut c_void = std::ptr::null_mut();
/// Without address randomisation.
pub const ADDR_NO_RANDOMIZE: u64 = 0x004_0000;
/// Signals that end a program.
pub const CRASHES: [c_int; 4] = [4, 7, 8, 11];
/// A signal with its place, on a stack of its own.
pub const SA_SIGINFO_ONSTACK: c_int = 0x0800_0004;
/// A loadable segment.
pub const PT_LOAD: u32 = 1;
/// The template of thread-local storage.
pub const PT_TLS: u32 = 7;
/// What is read-only after relocation.
pub const PT_GNU_RELRO: u32 = 0x6474_e552;

/// `stack_t`
#[repr(C)]
pub struct StackT {
    pub sp: *mut c_void,
    pub flags: c_int,
    pub size: usize,
}

/// `struct sigaction`
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Sigaction {
    pub handler: usize,
    pub mask: [u64; 16],
    pub flags: c_int,
    pub restorer: usize,
}

/// A program header.
#[repr(C)]
pub struct Phdr {
    pub kind: u32,
    pub flags: u32,
    pub offset: u64,
    pub vaddr: u64,
    pub paddr: u64,
    pub filesz: u64,
    pub memsz: u64,
    pub align: u64,
}

/// `struct dl_phdr_info`
#[repr(C)]
pub struct DlInfo {
    pub addr: u64,
    pub name: *const c_char,
    pub phdr: *const Phdr,
    pub phnum: u16,
    pub adds: u64,
    pub subs: u64,
    pub tls_modid: usize,
    pub tls_data: *mut c_void,
}

/// What `dl_iterate_phdr` calls for each object; the executable comes first.
pub type DlCallback = unsafe extern "C" fn(*mut DlInfo, usize, *mut c_void) -> c_int;

unsafe extern "C" {
    pub fn __libc_malloc(size: usize) -> *mut u8;
    pub fn __libc_calloc(count: usize, size: usize) -> *mut u8;
    pub fn __libc_realloc(block: *mut u8, size: usize) -> *mut u8;
    pub fn __libc_memalign(align: usize, size: usize) -> *mut u8;
    pub fn __libc_free(block: *mut u8);
    pub fn mmap(
        at: *mut c_void,
        len: usize,
        prot: c_int,
        flags: c_int,
        fd: c_int,
        offset: i64,
    ) -> *mut c_void;
    pub fn mprotect(at: *mut c_void, len: usize, prot: c_int) -> c_int;
    pub fn dlsym(object: *mut c_void, name: *const c_char) -> *mut c_void;
    pub fn dl_iterate_phdr(callback: DlCallback, data: *mut c_void) -> c_int;
    pub fn personality(persona: u64) -> c_int;
    pub fn execv(path: *const c_char, argv: *const *const c_char) -> c_int;
    pub fn read(fd: c_int, to: *mut c_void, len: usize) -> isize;
    pub fn write(fd: c_int, from: *const c_void, len: usize) -> isize;
    pub fn dup2(from: c_int, to: c_int) -> c_int;
    pub fn dup3(from: c_int, to: c_int, flags: c_int) -> c_int;
    pub fn open(path: *const c_char, flags: c_int, ...) -> c_int;
    pub fn __errno_location() -> *mut c_int;
}

/// A system call, past the functions of the C library that the player defines itself.
pub fn raw_syscall(number: i64, arguments: [usize; 6]) -> i64 {
    let result: i64;
    // SAFETY: the kernel checks the arguments; rcx and r11 are what the instruction destroys.
    unsafe {
        std::arch::asm!("syscall", inlateout("rax") number => result,
            in("rdi") arguments[0], in("rsi") arguments[1], in("rdx") arguments[2],
            in("r10") arguments[3], in("r8") arguments[4], in("r9") arguments[5],
            lateout("rcx") _, lateout("r11") _);
    }
    result
}

/// Ends the process at once, without destructors, which would run over restored memory.
pub fn leave(code: i32) -> ! {
    loop {
        raw_syscall(231, [code as usize, 0, 0, 0, 0, 0]);
    }
}

/// Says something on the standard error that the process was started with.
pub fn complain(message: &str) {
    // In one go: who listens keeps what comes last.
    let (mut line, length) = ([b'\n'; 512], message.len().min(511));
    line[..length].copy_from_slice(&message.as_bytes()[..length]);
    // SAFETY: the bytes are there for the length given.
    unsafe { write(2, line.as_ptr().cast(), length + 1) };
}

/// Ends the process before any run: what static constructors do, and where in the code. The explorer reads this.
pub fn before_runs(sentence: &str, place: usize) -> ! {
    complain(&format!("{sentence}\n{place}"));
    leave(87);
}

/// The next definition of a symbol, the one that the player's own replaces.
pub fn next_symbol(name: &std::ffi::CStr) -> *mut c_void {
    // SAFETY: the name ends with a zero.
    let found = unsafe { dlsym(RTLD_NEXT, name.as_ptr()) };
    if found.is_null() {
        complain("trueline player: a symbol of the C library is missing");
        leave(86);
    }
    found
}
