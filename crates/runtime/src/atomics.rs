//! The hooks in place of atomic operations: they make them.

use std::arch::naked_asm;

use crate::access::{go, on_hook_stack, plain, registers, return_address, save};
use crate::fiber::HOOK_STACK;
use crate::heap;
use crate::local;
use crate::log::{Access, Kind, Op};
use crate::memory::{Touch, contents, note_alone, note_own};
use crate::schedule::{self, REGISTERS};
use crate::state::{Pending, concurrent, running, state};
use crate::told;

/// An operation on a word of the program.
trait Word: Copy + PartialEq {
    fn wide(self) -> u128;
    fn narrow(wide: u128) -> Self;
}

macro_rules! words {
    ($($t:ty)*) => { $( impl Word for $t {
        fn wide(self) -> u128 { self as u128 }
        fn narrow(wide: u128) -> Self { wide as $t }
    } )* };
}
words! { u8 u16 u32 u64 u128 }

/// What an operation stores, if it does.
pub fn computed(op: Op, old: u128, a: u128, b: u128) -> Option<u128> {
    match op {
        Op::None => None,
        Op::Exchange => Some(a),
        Op::Add => Some(old.wrapping_add(a)),
        Op::Sub => Some(old.wrapping_sub(a)),
        Op::And => Some(old & a),
        Op::Or => Some(old | a),
        Op::Xor => Some(old ^ a),
        Op::Nand => Some(!(old & a)),
        Op::Compare => (old == a).then_some(b),
    }
}

/// Makes an atomic operation; answers what was there before.
fn atomic<T: Word>(at: *mut T, kind: Kind, op: Op, order: i32, a: T, b: T, registers: &[u64; 7]) -> T {
    let size = std::mem::size_of::<T>();
    let address = at as usize;
    let place = return_address(registers);
    let (mut record, mut before) = (None, None);
    let (mut noted, mut what) = (0, 0);
    crate::threads::same_os_thread();
    if running() {
        state().place = place;
        let verb = if kind == Kind::Load { "reads" } else { "writes" };
        if address == 0 {
            schedule::finding("crash", "follows a null pointer");
        }
        if state().unseen.contains(&address) {
            heap::check(address, size, verb);
        } else if concurrent() {
            let me = state().current;
            match state().granules.touch(me, address, size, kind != Kind::Load) {
                Touch::Own => {
                    heap::check(address, size, verb);
                    note_own(me, address, size);
                }
                Touch::Shared(start, count) => {
                    what = local::what(place, address, kind as u8, a.wide(), b.wide());
                    let local = local::mix(local::local_state(place, registers), what);
                    if kind != Kind::Store {
                        local::before_read(what, local);
                    }
                    state().threads[me].address = start;
                    schedule::stop(Pending::Step);
                    state().place = place;
                    heap::check(address, size, verb);
                    schedule::put_scripted(start, address, size);
                    told::note_initial(start, count);
                    before = told::give(start, count, address, size);
                    let order = order as u8;
                    let access =
                        Access { kind, op, order, address, size, place, a: a.wide(), b: b.wide(), local };
                    let old = contents(start, count);
                    let at = state().log.access(me, &access, &old[..count]);
                    told::note_record(at);
                    state().threads[me].accesses += 1;
                    record = Some((at, start, count));
                    noted = local;
                }
            }
        } else {
            heap::check(address, size, verb);
            note_alone();
        }
    }
    // SAFETY: the program asked for it; a bad address is its fault and is reported as such. No other thread runs.
    let old = unsafe { at.read_unaligned() };
    let new = match kind {
        Kind::Store => Some(a),
        _ => computed(op, old.wide(), a.wide(), b.wide()).map(T::narrow),
    };
    if let Some(new) = new {
        // SAFETY: as above.
        unsafe { at.write_unaligned(new) };
    }
    if let Some((at, start, count)) = record {
        // What changes nothing is as good as a read for a loop that waits, unless it matters who reads from it.
        match new {
            Some(new) if kind == Kind::Store || new != old || state().weak => {
                let words = contents(start, count);
                state().log.finish(at, &words[..count]);
                local::wrote(start, count);
            }
            _ => local::after_read(what, noted, at),
        }
        if let Some(words) = before {
            schedule::put(&words, start, address, address + size);
        }
    }
    old
}

/// The memory orders of a comparison: when it stores, and when it does not.
fn both(order: i32, failure: i32) -> i32 {
    order & 15 | (failure & 15) << 4
}

/// Reads what the program passes by a pointer: a plain access of its own, for the memory may be shared.
fn operand<T: Word>(from: *const T, registers: &[u64; 7]) -> T {
    if running() {
        local::enter(return_address(registers));
        plain(Kind::Read, from as usize, std::mem::size_of::<T>(), return_address(registers), None);
    }
    // SAFETY: the program passes a valid pointer; a bad one is its fault and is reported as such.
    unsafe { from.read_unaligned() }
}

/// Writes what the program wants at a pointer, likewise.
fn answer<T: Word>(to: *mut T, value: T, registers: &[u64; 7]) {
    if running() {
        plain(Kind::Write, to as usize, std::mem::size_of::<T>(), return_address(registers), None);
    }
    // SAFETY: as above.
    unsafe { to.write_unaligned(value) }
}

macro_rules! family {
    ($t:ty, $($name:ident $op:ident),*; $load:ident $store:ident $strong:ident $weak:ident $val:ident) => {
        pub extern "C" fn $load(at: *mut $t, order: i32) -> $t {
            atomic(at, Kind::Load, Op::None, order, 0, 0, &registers())
        }
        pub extern "C" fn $store(at: *mut $t, value: $t, order: i32) {
            atomic(at, Kind::Store, Op::None, order, value, 0, &registers());
        }
        $( pub extern "C" fn $name(at: *mut $t, value: $t, order: i32) -> $t {
            atomic(at, Kind::Update, Op::$op, order, value, 0, &registers())
        } )*
        pub extern "C" fn $val(at: *mut $t, expected: $t, new: $t, order: i32, failure: i32) -> $t {
            atomic(at, Kind::Update, Op::Compare, both(order, failure), expected, new, &registers())
        }
        pub extern "C" fn $strong(at: *mut $t, expected: *mut $t, new: $t, order: i32, failure: i32) -> i32 {
            let registers = registers();
            let wanted = operand(expected, &registers);
            let order = both(order, failure);
            let old = atomic(at, Kind::Update, Op::Compare, order, wanted, new, &registers);
            if old == wanted {
                return 1;
            }
            answer(expected, old, &registers);
            0
        }
        pub extern "C" fn $weak(at: *mut $t, expected: *mut $t, new: $t, order: i32, other: i32) -> i32 {
            $strong(at, expected, new, order, other)
        }
    };
}

macro_rules! symbols {
    ($($module:ident $t:ty, $($symbol:ident $name:ident),*;)*) => { $(
        mod $module {
            use super::*;
            family!($t, exchange Exchange, add Add, sub Sub, and And, or Or, xor Xor, nand Nand;
                load store strong weak val);
        }
        $(
            #[unsafe(no_mangle)] #[unsafe(naked)]
            unsafe extern "C" fn $symbol() {
                naked_asm!(save!(), go!(), f = sym $module::$name, r = sym REGISTERS, top = sym HOOK_STACK)
            }
        )*
    )* };
}
symbols! {
    of8 u8, __tsan_atomic8_load load, __tsan_atomic8_store store, __tsan_atomic8_exchange exchange,
        __tsan_atomic8_fetch_add add, __tsan_atomic8_fetch_sub sub, __tsan_atomic8_fetch_and and,
        __tsan_atomic8_fetch_or or, __tsan_atomic8_fetch_xor xor, __tsan_atomic8_fetch_nand nand,
        __tsan_atomic8_compare_exchange_strong strong, __tsan_atomic8_compare_exchange_weak weak,
        __tsan_atomic8_compare_exchange_val val;
    of16 u16, __tsan_atomic16_load load, __tsan_atomic16_store store, __tsan_atomic16_exchange exchange,
        __tsan_atomic16_fetch_add add, __tsan_atomic16_fetch_sub sub, __tsan_atomic16_fetch_and and,
        __tsan_atomic16_fetch_or or, __tsan_atomic16_fetch_xor xor, __tsan_atomic16_fetch_nand nand,
        __tsan_atomic16_compare_exchange_strong strong, __tsan_atomic16_compare_exchange_weak weak,
        __tsan_atomic16_compare_exchange_val val;
    of32 u32, __tsan_atomic32_load load, __tsan_atomic32_store store, __tsan_atomic32_exchange exchange,
        __tsan_atomic32_fetch_add add, __tsan_atomic32_fetch_sub sub, __tsan_atomic32_fetch_and and,
        __tsan_atomic32_fetch_or or, __tsan_atomic32_fetch_xor xor, __tsan_atomic32_fetch_nand nand,
        __tsan_atomic32_compare_exchange_strong strong, __tsan_atomic32_compare_exchange_weak weak,
        __tsan_atomic32_compare_exchange_val val;
    of64 u64, __tsan_atomic64_load load, __tsan_atomic64_store store, __tsan_atomic64_exchange exchange,
        __tsan_atomic64_fetch_add add, __tsan_atomic64_fetch_sub sub, __tsan_atomic64_fetch_and and,
        __tsan_atomic64_fetch_or or, __tsan_atomic64_fetch_xor xor, __tsan_atomic64_fetch_nand nand,
        __tsan_atomic64_compare_exchange_strong strong, __tsan_atomic64_compare_exchange_weak weak,
        __tsan_atomic64_compare_exchange_val val;
    of128 u128, __tsan_atomic128_load load, __tsan_atomic128_store store, __tsan_atomic128_exchange exchange,
        __tsan_atomic128_fetch_add add, __tsan_atomic128_fetch_sub sub, __tsan_atomic128_fetch_and and,
        __tsan_atomic128_fetch_or or, __tsan_atomic128_fetch_xor xor, __tsan_atomic128_fetch_nand nand,
        __tsan_atomic128_compare_exchange_strong strong, __tsan_atomic128_compare_exchange_weak weak,
        __tsan_atomic128_compare_exchange_val val;
}

/// The library functions for atomic objects whose alignment the compiler does not know: by size, with pointers.
mod by_size {
    use super::*;

    macro_rules! sized {
        ($size:expr, $t:ident, $body:expr) => {
            match $size {
                1 => {
                    type $t = u8;
                    $body
                }
                2 => {
                    type $t = u16;
                    $body
                }
                4 => {
                    type $t = u32;
                    $body
                }
                8 => {
                    type $t = u64;
                    $body
                }
                16 => {
                    type $t = u128;
                    $body
                }
                _ => schedule::unsupported("an atomic object of a size that is no power of two up to 16"),
            }
        };
    }

    pub extern "C" fn load(size: usize, at: *mut u8, to: *mut u8, order: i32) {
        let registers = registers();
        sized!(size, T, {
            let value = atomic(at.cast::<T>(), Kind::Load, Op::None, order, 0, 0, &registers);
            answer(to.cast::<T>(), value, &registers);
        })
    }

    pub extern "C" fn store(size: usize, at: *mut u8, from: *mut u8, order: i32) {
        let registers = registers();
        sized!(size, T, {
            let value = operand(from.cast::<T>(), &registers);
            atomic(at.cast::<T>(), Kind::Store, Op::None, order, value, 0, &registers);
        })
    }

    pub extern "C" fn exchange(size: usize, at: *mut u8, from: *mut u8, to: *mut u8, order: i32) {
        let registers = registers();
        sized!(size, T, {
            let new = operand(from.cast::<T>(), &registers);
            let old = atomic(at.cast::<T>(), Kind::Update, Op::Exchange, order, new, 0, &registers);
            answer(to.cast::<T>(), old, &registers);
        })
    }

    pub extern "C" fn compare(
        size: usize,
        at: *mut u8,
        expected: *mut u8,
        new: *mut u8,
        order: i32,
        failure: i32,
    ) -> bool {
        let registers = registers();
        sized!(size, T, {
            let wanted = operand(expected.cast::<T>(), &registers);
            let new = operand(new.cast::<T>(), &registers);
            let order = both(order, failure);
            let old = atomic(at.cast::<T>(), Kind::Update, Op::Compare, order, wanted, new, &registers);
            if old != wanted {
                answer(expected.cast::<T>(), old, &registers);
            }
            old == wanted
        })
    }
}

on_hook_stack! {
    __atomic_load by_size::load; __atomic_store by_size::store; __atomic_exchange by_size::exchange;
    __atomic_compare_exchange by_size::compare; __tsan_atomic_thread_fence fence;
}

#[unsafe(no_mangle)]
extern "C" fn __tsan_atomic_signal_fence(_: i32) {}

/// Under sequential consistency a fence orders nothing that is not ordered; the log has it for races.
extern "C" fn fence(order: i32) {
    if concurrent() {
        let me = state().current;
        state().log.note(Kind::Fence, me, order as u64, &[]);
    }
}
