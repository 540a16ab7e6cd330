//! The hooks before plain reads and writes.

use std::arch::naked_asm;

use crate::fiber::HOOK_STACK;
use crate::heap;
use crate::local;
use crate::log::{Access, Kind, Op};
use crate::memory::{Touch, contents, note_alone, note_own};
use crate::schedule::{self, REGISTERS};
use crate::state::{Pending, concurrent, running, state};
use crate::told;

/// Saves what the program expects to find again, for the local state.
macro_rules! save {
    () => {
        "lea rax, [rip + {r}]\nmov [rax], rbx\nmov [rax+8], rbp\nmov [rax+16], r12\nmov [rax+24], r13\nmov [rax+32], r14\nmov [rax+40], r15\nmov [rax+48], rsp"
    };
}
pub(crate) use save;

/// Goes on with a function of the player, on the stack for hooks unless it is on it already.
macro_rules! go {
    () => {
        "mov rax, [rip + {top}]\ntest rax, rax\njz {f}\nmov r10, rax\nsub r10, rsp\ncmp r10, 65536\njb {f}\nmov r10, rsp\nmov rsp, rax\npush r10\nsub rsp, 8\ncall {f}\nadd rsp, 8\npop rsp\nret"
    };
}
pub(crate) use go;

/// Symbols that run a function of the player on the stack for hooks; where they are called is in the registers.
macro_rules! on_hook_stack {
    ($($name:ident $function:path;)*) => { $(
        #[unsafe(no_mangle)] #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            std::arch::naked_asm!($crate::access::save!(), $crate::access::go!(), f = sym $function,
                r = sym $crate::schedule::REGISTERS, top = sym $crate::fiber::HOOK_STACK)
        }
    )* };
}
pub(crate) use on_hook_stack;

/// Where the current hook was called.
pub fn caller() -> usize {
    return_address(&registers())
}

/// What the last hook saved.
pub fn registers() -> [u64; 7] {
    // SAFETY: one OS thread; the hook that runs wrote it.
    // Read as something that the compiler cannot see being written: only the assembly of hooks does.
    unsafe {
        let r = std::ptr::read_volatile(&raw const REGISTERS);
        [r.saved[0], r.saved[1], r.saved[2], r.saved[3], r.saved[4], r.saved[5], r.stack]
    }
}

/// The address that a hook returns to.
pub fn return_address(registers: &[u64; 7]) -> usize {
    // SAFETY: at the call of a hook the stack pointer points to the return address.
    unsafe { *(registers[6] as *const usize) }
}

/// Makes a plain access, or one of our own on behalf of the program.
pub fn plain(kind: Kind, address: usize, size: usize, place: usize, registers: Option<&[u64; 7]>) {
    let state = state();
    state.place = place;
    if !concurrent() {
        heap::check(address, size, if kind == Kind::Read { "reads" } else { "writes" });
        note_alone();
        return;
    }
    let stack = crate::fiber::on_own_stack(address);
    if stack && state.granules.unit(address >> 3).is_none() {
        return;
    }
    if state.weak {
        // Nothing may race with a plain access, so that it may as well be several that come together.
        let mut first = true;
        for (address, size) in state.granules.parts(address, size) {
            part(kind, address, size, place, registers, &mut first);
        }
    } else {
        part(kind, address, size, place, registers, &mut true);
    }
}

/// Makes a plain access, or a part of one that is not the first when it comes without a step of its own.
fn part(
    kind: Kind,
    address: usize,
    size: usize,
    place: usize,
    registers: Option<&[u64; 7]>,
    first: &mut bool,
) {
    let state = state();
    let me = state.current;
    let verb = if kind == Kind::Read { "reads" } else { "writes" };
    match state.granules.touch(me, address, size, kind != Kind::Read) {
        Touch::Own => {
            heap::check(address, size, verb);
            note_own(me, address, size);
        }
        Touch::Shared(start, count) => {
            // What is about to be done is part of the state: the registers that say so are not preserved.
            let what = local::what(place, address, kind as u8, 0, 0);
            let local = registers.map_or_else(local::inside, |r| local::local_state(place, r));
            let local = local::mix(local, what);
            if *first {
                if kind == Kind::Read && registers.is_some() {
                    local::before_read(what, local);
                }
                state.threads[me].address = start;
                schedule::stop(Pending::Step);
            } else {
                schedule::follow_script();
            }
            let state = crate::state::state();
            state.place = place;
            heap::check(address, size, verb);
            schedule::put_scripted(start, address, size);
            told::note_initial(start, count);
            let access = Access { kind, op: Op::None, order: 0, address, size, place, a: 0, b: 0, local };
            let old = contents(start, count);
            let at = state.log.access(me, &access, &old[..count]);
            if !*first {
                state.log.mark_part(at);
            }
            told::note_record(at);
            state.threads[me].accesses += 1;
            if kind == Kind::Read {
                if registers.is_some() && *first {
                    local::after_read(what, local, at);
                }
            } else {
                local::wrote(start, count);
                state.threads[me].unfinished.push(at);
            }
            *first = false;
        }
    }
}

extern "C" fn before_plain_read(address: usize, size: usize) {
    hook(Kind::Read, address, size);
}

extern "C" fn before_plain_write(address: usize, size: usize) {
    hook(Kind::Write, address, size);
}

fn hook(kind: Kind, address: usize, size: usize) {
    crate::threads::same_os_thread();
    if !running() || size == 0 {
        return;
    }
    let registers = registers();
    plain(kind, address, size, return_address(&registers), Some(&registers));
}

/// Copies on behalf of the program, piece by piece: a copy is not atomic.
fn copy(to: usize, from: usize, size: usize, place: usize) {
    let backwards = to > from && to < from + size;
    for (offset, length) in pieces(to, size, backwards) {
        let mut piece = [0u8; 8];
        if running() {
            plain(Kind::Read, from + offset, length, place, None);
        }
        // SAFETY: the program asked for this copy; a bad address is its fault and is reported as such.
        unsafe {
            std::ptr::copy_nonoverlapping((from + offset) as *const u8, piece.as_mut_ptr(), length);
        }
        if running() {
            plain(Kind::Write, to + offset, length, place, None);
        }
        // SAFETY: as above.
        unsafe {
            std::ptr::copy_nonoverlapping(piece.as_ptr(), (to + offset) as *mut u8, length);
        }
    }
}

/// Pieces that no border of a granule cuts, in the order in which overlapping memory must be copied.
fn pieces(address: usize, size: usize, backwards: bool) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    let mut at = 0;
    while at < size {
        let length = (8 - ((address + at) & 7)).min(size - at);
        all.push((at, length));
        at += length;
    }
    if backwards {
        all.reverse();
    }
    all
}

/// Above this a copy is made in one go unless somebody shares the memory.
const SMALL: usize = 4096;

fn shares(address: usize, size: usize) -> bool {
    !state().granules.overlapping(address, size).is_empty()
}

extern "C" fn copy_memory(to: *mut u8, from: *const u8, size: usize) -> *mut u8 {
    let place = caller();
    local::enter(place);
    if !running() || (size > SMALL && !shares(to as usize, size) && !shares(from as usize, size)) {
        if running() {
            state().place = place;
            heap::check(from as usize, size, "reads");
            heap::check(to as usize, size, "writes");
        }
        // SAFETY: the program asked for this copy.
        unsafe { raw_copy(to, from, size) };
    } else {
        copy(to as usize, from as usize, size, place);
    }
    to
}

/// Copies without calling the C library, whose functions may be these.
unsafe fn raw_copy(to: *mut u8, from: *const u8, size: usize) {
    // SAFETY: as the caller guarantees; overlapping memory is copied from the safe end.
    unsafe {
        if (to as usize).wrapping_sub(from as usize) >= size {
            std::arch::asm!("rep movsb", inout("rcx") size => _, inout("rdi") to => _, inout("rsi") from => _);
        } else {
            std::arch::asm!("std", "rep movsb", "cld", inout("rcx") size => _,
                inout("rdi") to.add(size - 1) => _, inout("rsi") from.add(size - 1) => _);
        }
    }
}

extern "C" fn fill_memory(to: *mut u8, byte: i32, size: usize) -> *mut u8 {
    let place = caller();
    local::enter(place);
    let whole = !running() || (size > SMALL && !shares(to as usize, size));
    if whole && running() {
        state().place = place;
        heap::check(to as usize, size, "writes");
    }
    for (offset, length) in if whole { vec![(0, size)] } else { pieces(to as usize, size, false) } {
        if !whole {
            plain(Kind::Write, to as usize + offset, length, place, None);
        }
        // SAFETY: the program asked for it.
        unsafe { std::ptr::write_bytes(to.add(offset), byte as u8, length) };
    }
    to
}

macro_rules! hooks {
    ($($name:ident $function:ident $size:literal;)*) => { $(
        #[unsafe(no_mangle)] #[unsafe(naked)]
        unsafe extern "C" fn $name(_address: usize) {
            naked_asm!(save!(), concat!("mov esi, ", $size), go!(), f = sym $function, r = sym REGISTERS,
                top = sym HOOK_STACK)
        }
    )* };
}
hooks! {
    __tsan_read1 before_plain_read 1; __tsan_read2 before_plain_read 2; __tsan_read4 before_plain_read 4;
    __tsan_read8 before_plain_read 8; __tsan_read16 before_plain_read 16;
    __tsan_write1 before_plain_write 1; __tsan_write2 before_plain_write 2; __tsan_write4 before_plain_write 4;
    __tsan_write8 before_plain_write 8; __tsan_write16 before_plain_write 16;
    __tsan_unaligned_read2 before_plain_read 2; __tsan_unaligned_read4 before_plain_read 4;
    __tsan_unaligned_read8 before_plain_read 8; __tsan_unaligned_read16 before_plain_read 16;
    __tsan_unaligned_write2 before_plain_write 2; __tsan_unaligned_write4 before_plain_write 4;
    __tsan_unaligned_write8 before_plain_write 8; __tsan_unaligned_write16 before_plain_write 16;
    __tsan_volatile_read1 before_plain_read 1; __tsan_volatile_read2 before_plain_read 2;
    __tsan_volatile_read4 before_plain_read 4; __tsan_volatile_read8 before_plain_read 8;
    __tsan_volatile_read16 before_plain_read 16;
    __tsan_volatile_write1 before_plain_write 1; __tsan_volatile_write2 before_plain_write 2;
    __tsan_volatile_write4 before_plain_write 4; __tsan_volatile_write8 before_plain_write 8;
    __tsan_volatile_write16 before_plain_write 16;
    __tsan_vptr_read before_plain_read 8; __tsan_vptr_update before_plain_write 8;
}

on_hook_stack! {
    __tsan_read_range before_plain_read; __tsan_write_range before_plain_write;
    __tsan_memcpy copy_memory; __tsan_memmove copy_memory; __tsan_memset fill_memory;
    __wrap_memcpy copy_memory; __wrap_memmove copy_memory; __wrap_memset fill_memory;
    __tsan_func_entry enter_function; __tsan_func_exit leave_function;
}

/// Keeps the calls that a thread is in, for places in headers.
extern "C" fn enter_function(caller: usize) {
    if running() {
        let state = state();
        state.threads[state.current].frames.push(caller);
        // Also outside of the threads: what is left there shows between the fields of what is made by copying.
        crate::fiber::note_depth(state.current, registers()[6] as usize);
    }
}

extern "C" fn leave_function() {
    if running() {
        let state = state();
        state.threads[state.current].frames.pop();
    }
}
/// Called by the constructors of instrumented objects, before those of the program.
#[unsafe(no_mangle)]
extern "C" fn __tsan_init() {
    heap::begin_program();
}
