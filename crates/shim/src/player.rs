//! What the player does for the shim: the functions that instrumented code calls.

use std::ffi::{c_int, c_void};
use std::sync::atomic::Ordering;

/// The functions for words of one size.
macro_rules! words {
    ($($name:ident $t:ty, $load:ident $store:ident $swap:ident $add:ident $sub:ident $and:ident $or:ident $xor:ident
        $compare:ident;)*) => {
        unsafe extern "C" { $(
            fn $load(at: *mut $t, order: c_int) -> $t;
            fn $store(at: *mut $t, value: $t, order: c_int);
            fn $swap(at: *mut $t, value: $t, order: c_int) -> $t;
            fn $add(at: *mut $t, value: $t, order: c_int) -> $t;
            fn $sub(at: *mut $t, value: $t, order: c_int) -> $t;
            fn $and(at: *mut $t, value: $t, order: c_int) -> $t;
            fn $or(at: *mut $t, value: $t, order: c_int) -> $t;
            fn $xor(at: *mut $t, value: $t, order: c_int) -> $t;
            fn $compare(at: *mut $t, expected: $t, new: $t, order: c_int, failure: c_int) -> $t;
        )* }
        $(
            /// Atomic accesses to such a word.
            #[allow(dead_code)] // not every size has every operation
            pub mod $name {
                use super::*;

                #[inline(always)]
                pub fn load(at: *mut $t, order: Ordering) -> $t {
                    // SAFETY: the word is in an atomic of the shim, which lives.
                    unsafe { super::$load(at, number(order)) }
                }
                #[inline(always)]
                pub fn store(at: *mut $t, value: $t, order: Ordering) {
                    // SAFETY: as above.
                    unsafe { super::$store(at, value, number(order)) }
                }
                #[inline(always)]
                pub fn swap(at: *mut $t, value: $t, order: Ordering) -> $t {
                    // SAFETY: as above.
                    unsafe { super::$swap(at, value, number(order)) }
                }
                #[inline(always)]
                pub fn fetch_add(at: *mut $t, value: $t, order: Ordering) -> $t {
                    // SAFETY: as above.
                    unsafe { super::$add(at, value, number(order)) }
                }
                #[inline(always)]
                pub fn fetch_sub(at: *mut $t, value: $t, order: Ordering) -> $t {
                    // SAFETY: as above.
                    unsafe { super::$sub(at, value, number(order)) }
                }
                #[inline(always)]
                pub fn fetch_and(at: *mut $t, value: $t, order: Ordering) -> $t {
                    // SAFETY: as above.
                    unsafe { super::$and(at, value, number(order)) }
                }
                #[inline(always)]
                pub fn fetch_or(at: *mut $t, value: $t, order: Ordering) -> $t {
                    // SAFETY: as above.
                    unsafe { super::$or(at, value, number(order)) }
                }
                #[inline(always)]
                pub fn fetch_xor(at: *mut $t, value: $t, order: Ordering) -> $t {
                    // SAFETY: as above.
                    unsafe { super::$xor(at, value, number(order)) }
                }
                #[inline(always)]
                pub fn compare(at: *mut $t, old: $t, new: $t, order: Ordering, failure: Ordering) -> $t {
                    // SAFETY: as above.
                    unsafe { super::$compare(at, old, new, number(order), number(failure)) }
                }
            }
        )*
    };
}

words! {
    of8 u8, __tsan_atomic8_load __tsan_atomic8_store __tsan_atomic8_exchange __tsan_atomic8_fetch_add
        __tsan_atomic8_fetch_sub __tsan_atomic8_fetch_and __tsan_atomic8_fetch_or __tsan_atomic8_fetch_xor
        __tsan_atomic8_compare_exchange_val;
    of32 u32, __tsan_atomic32_load __tsan_atomic32_store __tsan_atomic32_exchange __tsan_atomic32_fetch_add
        __tsan_atomic32_fetch_sub __tsan_atomic32_fetch_and __tsan_atomic32_fetch_or __tsan_atomic32_fetch_xor
        __tsan_atomic32_compare_exchange_val;
    of64 u64, __tsan_atomic64_load __tsan_atomic64_store __tsan_atomic64_exchange __tsan_atomic64_fetch_add
        __tsan_atomic64_fetch_sub __tsan_atomic64_fetch_and __tsan_atomic64_fetch_or __tsan_atomic64_fetch_xor
        __tsan_atomic64_compare_exchange_val;
}

unsafe extern "C" {
    fn __tsan_read_range(at: *const c_void, size: usize);
    fn __tsan_write_range(at: *const c_void, size: usize);
    fn __tsan_atomic_thread_fence(order: c_int);
    fn pthread_mutex_lock(mutex: *mut c_void) -> c_int;
    fn pthread_mutex_trylock(mutex: *mut c_void) -> c_int;
    fn pthread_mutex_unlock(mutex: *mut c_void) -> c_int;
    fn pthread_cond_wait(condition: *mut c_void, mutex: *mut c_void) -> c_int;
    fn pthread_cond_signal(condition: *mut c_void) -> c_int;
    fn pthread_cond_broadcast(condition: *mut c_void) -> c_int;
}

/// As C numbers memory orders.
fn number(order: Ordering) -> c_int {
    match order {
        Ordering::Relaxed => 0,
        Ordering::Acquire => 2,
        Ordering::Release => 3,
        Ordering::AcqRel => 4,
        _ => 5,
    }
}

/// A plain read comes.
#[inline(always)]
pub fn read(at: *const c_void, size: usize) {
    // SAFETY: the player notes the access and looks at memory of the cell.
    unsafe { __tsan_read_range(at, size) }
}

/// A plain write comes.
#[inline(always)]
pub fn write(at: *const c_void, size: usize) {
    // SAFETY: as above.
    unsafe { __tsan_write_range(at, size) }
}

/// A fence.
#[inline(always)]
pub fn fence(order: Ordering) {
    // SAFETY: it has no other effect than that of a fence.
    unsafe { __tsan_atomic_thread_fence(number(order)) }
}

/// Room for a mutex or condition variable of the C library, all zero: its kind is an ordinary one. The player knows it by its
/// address.
#[derive(Debug)]
#[repr(align(16))]
pub struct Name(std::cell::UnsafeCell<[u64; 8]>);

// SAFETY: only the player looks at it, which runs one thread at a time.
unsafe impl Sync for Name {}
// SAFETY: as above.
unsafe impl Send for Name {}

impl Name {
    pub const fn new() -> Name {
        Name(std::cell::UnsafeCell::new([0; 8]))
    }

    fn at(&self) -> *mut c_void {
        self.0.get().cast()
    }

    #[inline(always)]
    pub fn lock(&self) {
        // SAFETY: the room is that of a mutex.
        unsafe { pthread_mutex_lock(self.at()) };
    }

    #[inline(always)]
    pub fn try_lock(&self) -> bool {
        // SAFETY: as above.
        unsafe { pthread_mutex_trylock(self.at()) == 0 }
    }

    #[inline(always)]
    pub fn unlock(&self) {
        // SAFETY: as above; its guard holds it.
        unsafe { pthread_mutex_unlock(self.at()) };
    }

    #[inline(always)]
    pub fn wait(&self, mutex: &Name) {
        // SAFETY: the rooms are those of a condition variable and of a mutex that is held.
        unsafe { pthread_cond_wait(self.at(), mutex.at()) };
    }

    #[inline(always)]
    pub fn notify(&self, all: bool) {
        // SAFETY: the room is that of a condition variable.
        unsafe {
            match all {
                true => pthread_cond_broadcast(self.at()),
                false => pthread_cond_signal(self.at()),
            };
        }
    }
}
