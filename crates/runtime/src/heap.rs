//! The program's heap: an arena per thread, so that addresses depend on what the thread did and on nothing else.
//!
//! A byte per sixteen says whether they are in use, freed, or belong to no block. `free` is a write of all shared units
//! of a block; a thread's own freed blocks are used again, the last first, which exposes ABA.

use std::arch::naked_asm;
use std::ffi::{c_int, c_void};

use crate::access::go;
use crate::fiber::HOOK_STACK;
use crate::local::{self, mix};
use crate::log::{Access, Kind, Op};
use crate::memory::contents;
use crate::schedule;
use crate::state::{MAX_THREADS, Pending, Phase, concurrent, off, ready, running, state, trap};
use crate::sys;
use crate::told;

const BASE: usize = 0x6000_0000_0000;
/// Bytes of an arena.
const ARENA: usize = 1 << 24;
/// The arena of blocks from static constructors.
const STATIC: usize = MAX_THREADS;
const ALL: usize = ARENA * (MAX_THREADS + 1);
/// Blocks of so many sixteens are used again.
const CLASSES: usize = 64;
/// What stands before and behind every block: what code without instrumentation writes over it is noticed there.
const FENCE: u64 = 0xFE4C_EFE4_CEFE_4CEF;
/// What a freed block is filled with.
const POISON: u64 = 0xDDDD_DDDD_DDDD_DDDD;

const NOTHING: u8 = 0;
const USED: u8 = 1;
const FREED: u8 = 2;
/// Of the last sixteen bytes of a block, so many more than this are its own.
const PART: u8 = 16;

struct Heap {
    shadow: *mut u8,
    next: [usize; MAX_THREADS + 1],
    /// Where the arenas ended when the current operations began.
    operation: [usize; MAX_THREADS + 1],
    /// Freed blocks by thread and size, the last at the end.
    free: Vec<Vec<Vec<usize>>>,
    /// For each thread a bit per size of which it has freed blocks in this run: most have none.
    freed: [u64; MAX_THREADS],
    /// Blocks in use: address and size, in the order of allocation.
    blocks: Vec<(usize, usize, usize)>,
    /// The static arena after the constructors.
    kept: (Vec<u8>, Vec<u8>),
    /// Text of the C library and the loader, whose own allocations must survive.
    system: Vec<(usize, usize)>,
    begun: bool,
}

static mut HEAP: *mut Heap = std::ptr::null_mut();

fn heap() -> &'static mut Heap {
    // SAFETY: made before its first use; one OS thread, and nobody keeps the reference across a switch.
    unsafe { &mut *HEAP }
}

/// Makes the arenas before the first static constructor of the program.
pub fn begin_program() {
    // SAFETY: constructors run on one OS thread; the pages are fresh, at an address that nothing else uses.
    unsafe {
        if !HEAP.is_null() {
            heap().begun = true;
            return;
        }
        let flags = sys::MAP_ANON | sys::MAP_FIXED_NOREPLACE;
        let at = sys::mmap(BASE as *mut c_void, ALL, sys::PROT_READ_WRITE, flags, -1, 0);
        if at as usize != BASE {
            sys::complain("trueline player: the heap cannot be placed");
            sys::leave(86);
        }
        let shadow = sys::mmap(std::ptr::null_mut(), ALL / 16, sys::PROT_READ_WRITE, sys::MAP_ANON, -1, 0);
        let new = Heap {
            shadow: shadow.cast(),
            next: [0; MAX_THREADS + 1],
            operation: [0; MAX_THREADS + 1],
            free: vec![vec![Vec::new(); CLASSES]; MAX_THREADS],
            freed: [0; MAX_THREADS],
            blocks: Vec::new(),
            kept: (Vec::new(), Vec::new()),
            system: Vec::new(),
            begun: true,
        };
        HEAP = Box::into_raw(Box::new(new));
        sys::dl_iterate_phdr(find_system, std::ptr::null_mut());
    }
}

unsafe extern "C" fn find_system(info: *mut sys::DlInfo, _: usize, _: *mut c_void) -> c_int {
    // SAFETY: the loader passes a valid description, a name that ends with zero, and `phnum` headers.
    let (base, name, headers) = unsafe {
        let info = &*info;
        let headers = std::slice::from_raw_parts(info.phdr, usize::from(info.phnum));
        (info.addr as usize, std::ffi::CStr::from_ptr(info.name).to_bytes(), headers)
    };
    if [&b"libc.so."[..], b"ld-linux"].iter().any(|n| name.windows(8).any(|w| w == *n)) {
        for header in headers.iter().filter(|h| h.kind == sys::PT_LOAD && h.flags & 1 != 0) {
            let at = base + header.vaddr as usize;
            heap().system.push((at, at + header.memsz as usize));
        }
    }
    0
}

fn shadow(address: usize) -> &'static mut u8 {
    // SAFETY: the caller has checked that the address is in the arenas; the shadow has a byte per sixteen.
    unsafe { &mut *heap().shadow.add((address - BASE) / 16) }
}

/// Whether an address is in the arenas.
pub fn inside(address: usize) -> bool {
    address.wrapping_sub(BASE) < ALL
}

/// Keeps the blocks of static constructors.
pub fn take() {
    begin_program();
    let heap = heap();
    let (from, used) = (BASE + STATIC * ARENA, heap.next[STATIC]);
    // SAFETY: the arena and its shadow are mapped.
    unsafe {
        heap.kept.0 = std::slice::from_raw_parts(from as *const u8, used).to_vec();
        let marks = heap.shadow.add((from - BASE) / 16);
        heap.kept.1 = std::slice::from_raw_parts(marks, used / 16 + 1).to_vec();
    }
}

/// The places of the bits of a word.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(next)
    })
}

/// Empties the arenas of a run.
pub fn reset() {
    let heap = heap();
    // SAFETY: arenas and shadow are mapped, and the lengths are what was used of them.
    unsafe {
        let to = (BASE + STATIC * ARENA) as *mut u8;
        if !off(trap::STATIC_HEAP) {
            std::ptr::copy_nonoverlapping(heap.kept.0.as_ptr(), to, heap.kept.0.len());
        }
        let marks = heap.shadow.add(STATIC * ARENA / 16);
        std::ptr::copy_nonoverlapping(heap.kept.1.as_ptr(), marks, heap.kept.1.len());
        heap.next[STATIC] = heap.kept.0.len();
        for thread in 0..MAX_THREADS {
            let used = heap.next[thread];
            if used > 0 {
                std::ptr::write_bytes(heap.shadow.add(thread * ARENA / 16), NOTHING, used / 16 + 2);
            }
            heap.next[thread] = 0;
            bits(std::mem::take(&mut heap.freed[thread])).for_each(|class| heap.free[thread][class].clear());
        }
    }
    heap.blocks.clear();
}

/// Whether an access is to a block in use; otherwise that is a finding.
pub fn check(address: usize, size: usize, verb: &str) {
    // Alone and by a script a thread uses blocks of others, who have not made them.
    if !inside(address) || (ready() && state().script.is_some()) || off(trap::SHADOW) {
        return;
    }
    let mut at = address & !15;
    while at < address + size {
        match *shadow(at) {
            USED => {}
            part @ PART.. if address + size <= at + usize::from(part - PART) => {}
            FREED => schedule::finding("use_after_free", &format!("{verb} memory that was freed")),
            _ => schedule::finding("out_of_bounds", &format!("{verb} memory outside of every block")),
        }
        at += 16;
    }
}

/// Where the blocks of static constructors are.
pub fn of_constructors() -> (usize, usize) {
    let from = BASE + STATIC * ARENA;
    (from, from + heap().next[STATIC])
}

/// The blocks that the run has not freed: address, size, place.
pub fn left() -> &'static [(usize, usize, usize)] {
    &heap().blocks
}

fn allocate(size: usize, align: usize, place: usize) -> *mut u8 {
    let heap = heap();
    let in_run = running();
    let thread = match in_run {
        true if off(trap::ARENAS) => 0,
        true => state().current,
        false => STATIC,
    };
    let sixteens = size.max(1).div_ceil(16);
    if in_run {
        state().place = place;
    }
    if in_run
        && state().reuse
        && align <= 16
        && sixteens < CLASSES
        && let Some(block) = heap.free[thread][sixteens].pop()
    {
        write_units(Kind::Reuse, block, sixteens * 16, place);
        mark_used(block, size);
        // SAFETY: the word before a block is ours.
        unsafe { *((block - 16) as *mut usize) = size };
        heap.blocks.push((block, size, place));
        note_allocation(block, size, place);
        return block as *mut u8;
    }
    let start = (heap.next[thread] + 16).next_multiple_of(align.max(16));
    let end = start + sixteens * 16;
    if end + 32 > ARENA {
        match in_run {
            true => schedule::unsupported("more memory in one execution than the player's arenas have"),
            false => {
                sys::complain("trueline player: static constructors need too much memory");
                sys::leave(86);
            }
        }
    }
    heap.next[thread] = end;
    let block = BASE + thread * ARENA + start;
    // SAFETY: the arena is mapped; the sixteen bytes before a block belong to no other.
    unsafe {
        *((block - 16) as *mut usize) = size;
        *((block - 8) as *mut u64) = FENCE;
        *((block + sixteens * 16 + 8) as *mut u64) = FENCE;
        // What was never written is the same in every run.
        std::ptr::write_bytes(block as *mut u8, 0xA5, sixteens * 16);
    }
    mark_used(block, size);
    if in_run {
        heap.blocks.push((block, size, place));
        note_allocation(block, size, place);
        crate::rust::allocated(block, place);
    }
    block as *mut u8
}

/// Stories name blocks by what allocated them.
fn note_allocation(block: usize, size: usize, place: usize) {
    let state = state();
    if state.boundaries {
        let me = state.current;
        // The innermost calls come first; allocators of libraries are no names for a block.
        let calls = state.threads[me].frames.iter().rev().take(16).map(|f| *f as u64);
        let words: Vec<u64> = [size as u64, place as u64].into_iter().chain(calls).collect();
        state.log.note(Kind::Allocate, me, block as u64, &words);
    }
}

/// Marks a block as used, to the byte: the next one begins at a multiple of sixteen.
fn mark_used(block: usize, size: usize) {
    let size = size.max(1);
    mark(block, size.div_ceil(16), USED);
    if !size.is_multiple_of(16) {
        *shadow(block + size / 16 * 16) = PART + (size % 16) as u8;
    }
}

fn mark(block: usize, sixteens: usize, what: u8) {
    for i in 0..sixteens {
        *shadow(block + i * 16) = what;
    }
}

/// Writes all shared units of a block, a step each.
fn write_units(kind: Kind, block: usize, size: usize, place: usize) {
    let (a, b) = (block as u128, size as u128);
    if !concurrent() {
        return;
    }
    let me = state().current;
    let mut parts: Vec<(usize, usize, usize, usize)> = Vec::new();
    for (start, count) in state().granules.overlapping(block, size) {
        let whole = vec![(start << 3, count * 8)];
        let ranges = if state().weak { state().granules.parts(start << 3, count * 8) } else { whole };
        parts.extend(ranges.into_iter().map(|(address, size)| (start, count, address, size)));
    }
    for (start, count, address, bytes) in parts {
        let local = mix(mix(place as u64, local::memory()), address as u64);
        schedule::stop(Pending::Step);
        state().place = place;
        if kind == Kind::Free {
            check_free(block);
        }
        told::note_initial(start, count);
        let access = Access { kind, op: Op::None, order: 0, address, size: bytes, place, a, b, local };
        let old = contents(start, count);
        let at = state().log.access(me, &access, &old[..count]);
        told::note_record(at);
        schedule::put(&[POISON; 8], start, address, address + bytes);
        let new = contents(start, count);
        state().log.finish(at, &new[..count]);
        if kind == Kind::Free {
            // From the first step on the block is gone.
            mark(block, size.max(1).div_ceil(16), FREED);
        }
        state().threads[me].accesses += 1;
        local::effect();
    }
}

fn check_free(block: usize) {
    match *shadow(block) {
        USED | PART.. => {}
        FREED if heap().blocks.iter().any(|b| b.0 == block) => {}
        FREED => schedule::finding("double_free", "frees memory that was freed already"),
        _ => schedule::finding("bad_free", "frees memory that is no block"),
    }
}

fn release(block: usize, place: usize) {
    state().place = place;
    check_free(block);
    let known = heap().blocks.iter().find(|b| b.0 == block).copied();
    if known.is_some_and(|b| damaged(b.0, b.1)) {
        schedule::finding("out_of_bounds", "frees a block that was written behind or before");
    }
    // SAFETY: the block is in an arena, and the word before it is ours.
    let size = unsafe { *((block - 16) as *const usize) };
    if size > ARENA || (known.is_none() && block < BASE + STATIC * ARENA) {
        schedule::finding("bad_free", "frees memory that is no block");
    }
    if concurrent() {
        // A second thread that frees it must come after the first, or before: both orders are to be seen.
        // The same holds for whoever has accessed any part of it.
        let me = state().current;
        for granule in block >> 3..(block + size.max(1)).div_ceil(8) {
            state().granules.touch(me, granule << 3, 8, true);
        }
    }
    // With what is behind it up to the next block: a larger one may have been here, or may come.
    let sixteens = size.max(1).div_ceil(16);
    write_units(Kind::Free, block, sixteens * 16, place);
    let heap = heap();
    heap.blocks.retain(|b| b.0 != block);
    mark(block, sixteens, FREED);
    for i in 0..sixteens * 2 {
        // SAFETY: the block is ours now.
        unsafe { *((block + i * 8) as *mut u64) = POISON };
    }
    if sixteens < CLASSES {
        heap.free[state().current][sixteens].push(block);
        heap.freed[state().current] |= 1 << sixteens;
    }
}

/// Makes sure that nobody has written around the blocks in use.
pub fn check_fences() {
    if let Some((_, size, place)) = heap().blocks.iter().copied().find(|b| damaged(b.0, b.1)) {
        state().place = place;
        let text =
            format!("has written behind or before a block of {size} bytes, where nothing is seen of it");
        schedule::finding("out_of_bounds", &text);
    }
}

fn damaged(block: usize, size: usize) -> bool {
    let end = block + size.max(1).div_ceil(16) * 16;
    // SAFETY: the words around a block belong to no other.
    unsafe {
        let (before, behind) = (*((block - 8) as *const u64), *((end + 8) as *const u64));
        *((block - 16) as *const usize) != size || before != FENCE || behind != FENCE
    }
}

/// Whether an address is in the arena of a thread.
pub fn in_arena(thread: usize, address: usize) -> bool {
    address.wrapping_sub(BASE + thread * ARENA) < ARENA
}

/// Whether an address is in a block that a thread's current operation made, of memory that was never used before.
pub fn of_operation(thread: usize, address: usize) -> bool {
    in_arena(thread, address) && address >= BASE + thread * ARENA + heap().operation[thread]
}

/// An operation of a thread begins.
pub fn begin_operation(thread: usize) {
    heap().operation[thread] = heap().next[thread];
}

/// Mixes in what a thread has allocated: where the next block comes from, its blocks, and their contents that nobody
/// shares.
pub fn own(thread: usize, mut hash: u64) -> u64 {
    let heap = heap();
    hash = mix(hash, heap.next[thread] as u64);
    for class in bits(heap.freed[thread]) {
        let list = &heap.free[thread][class];
        hash = if list.is_empty() { hash } else { mix(hash, class as u64) };
        for block in list {
            hash = mix(hash, *block as u64);
        }
    }
    for (block, size, _) in heap.blocks.iter().filter(|b| in_arena(thread, b.0)) {
        hash = mix(mix(hash, *block as u64), *size as u64);
        for granule in block >> 3..(block + size).div_ceil(8) {
            if state().granules.unit(granule).is_none() {
                hash = mix(hash, contents(granule, 1)[0]);
            }
        }
    }
    hash
}

/// Whether an allocation is the program's: not from inside the C library, and not the player's own.
fn of_program(place: usize) -> bool {
    // SAFETY: reads a pointer that is set once.
    if unsafe { HEAP.is_null() } {
        return false;
    }
    let of_system =
        || !off(trap::LIBRARY) && heap().system.iter().any(|(low, high)| (*low..*high).contains(&place));
    heap().begun && (!ready() || state().phase != Phase::Idle) && !of_system()
}

extern "C" fn own_malloc(size: usize, _: usize, place: usize) -> *mut u8 {
    match of_program(place) {
        true => allocate(size, 16, place),
        // SAFETY: malloc's own contract.
        false => unsafe { sys::__libc_malloc(size) },
    }
}

extern "C" fn own_calloc(count: usize, size: usize, place: usize) -> *mut u8 {
    if !of_program(place) {
        // SAFETY: calloc's own contract.
        return unsafe { sys::__libc_calloc(count, size) };
    }
    let Some(size) = count.checked_mul(size) else { return std::ptr::null_mut() };
    let block = allocate(size, 16, place);
    // SAFETY: the block has this size.
    unsafe { std::ptr::write_bytes(block, 0, size) };
    block
}

extern "C" fn own_memalign(align: usize, size: usize, place: usize) -> *mut u8 {
    match of_program(place) {
        true => allocate(size, align, place),
        // SAFETY: memalign's own contract.
        false => unsafe { sys::__libc_memalign(align, size) },
    }
}

extern "C" fn own_realloc(block: *mut u8, size: usize, place: usize) -> *mut u8 {
    if inside(block as usize) {
        // SAFETY: the word before a block is its size.
        let old = unsafe { *((block as usize - 16) as *const usize) };
        let new = allocate(size, 16, place);
        // SAFETY: both blocks are at least so large.
        unsafe { std::ptr::copy_nonoverlapping(block, new, old.min(size)) };
        own_free(block, 0, place);
        new
    } else if block.is_null() {
        own_malloc(size, 0, place)
    } else {
        // SAFETY: realloc's own contract.
        unsafe { sys::__libc_realloc(block, size) }
    }
}

extern "C" fn own_free(block: *mut u8, _: usize, place: usize) {
    if inside(block as usize) {
        if running() {
            release(block as usize, place);
        }
    } else {
        // SAFETY: free's own contract.
        unsafe { sys::__libc_free(block) }
    }
}

macro_rules! functions {
    ($($name:ident $function:ident;)*) => { $(
        /// Passes the caller's address on as the third argument.
        #[unsafe(no_mangle)] #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            naked_asm!("mov rdx, [rsp]", go!(), f = sym $function, top = sym HOOK_STACK)
        }
    )* };
}
functions! {
    malloc own_malloc; calloc own_calloc; realloc own_realloc; free own_free;
    memalign own_memalign; aligned_alloc own_memalign;
    // The C++ library's own calls of malloc and free would hide where the program allocates.
    _Znwm own_malloc; _Znam own_malloc; _ZdlPv own_free; _ZdaPv own_free;
    _ZdlPvm own_delete_sized; _ZdaPvm own_delete_sized;
    _ZnwmSt11align_val_t own_new_aligned; _ZnamSt11align_val_t own_new_aligned;
    _ZdlPvSt11align_val_t own_delete_sized; _ZdaPvSt11align_val_t own_delete_sized;
}

extern "C" fn own_delete_sized(block: *mut u8, _: usize, place: usize) {
    own_free(block, 0, place);
}

extern "C" fn own_new_aligned(size: usize, align: usize, place: usize) -> *mut u8 {
    own_memalign(align, size, place)
}

#[unsafe(no_mangle)]
extern "C" fn posix_memalign(to: *mut *mut u8, align: usize, size: usize) -> c_int {
    // SAFETY: the program passes a valid pointer.
    unsafe { *to = own_memalign(align, size, 0) };
    0
}
