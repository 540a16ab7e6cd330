//! Atomics: those of std, or in a build of the tool words of the same size that the player accesses.

pub use std::sync::atomic::Ordering;
#[cfg(not(trueline))]
pub use std::sync::atomic::{
    AtomicBool, AtomicI32, AtomicI64, AtomicIsize, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, fence,
};

#[cfg(trueline)]
pub use seen::*;

#[cfg(trueline)]
mod seen {
    use std::cell::UnsafeCell;

    use super::Ordering;
    use crate::player::{self, of8, of32, of64};

    /// Orders accesses before and after it.
    #[inline(always)]
    pub fn fence(order: Ordering) {
        player::fence(order);
    }

    /// What all atomics have. `$to` and `$from` turn values into words and back.
    macro_rules! atomic {
        ([$($generic:tt)*] $name:ty, $t:ty, $word:ty, $module:ident, $to:expr, $from:expr) => {
            // SAFETY: every access goes through the player, which runs one thread at a time.
            unsafe impl $($generic)* Sync for $name {}
            // SAFETY: as above.
            unsafe impl $($generic)* Send for $name {}

            impl $($generic)* $name {
                fn at(&self) -> *mut $word {
                    self.0.get().cast()
                }

                /// With a value.
                pub const fn new(value: $t) -> Self {
                    Self(UnsafeCell::new(value))
                }

                /// Reads it.
                #[inline(always)]
                pub fn load(&self, order: Ordering) -> $t {
                    $from($module::load(self.at(), order))
                }

                /// Writes it.
                #[inline(always)]
                pub fn store(&self, value: $t, order: Ordering) {
                    $module::store(self.at(), $to(value), order);
                }

                /// Writes it, and answers what was there.
                #[inline(always)]
                pub fn swap(&self, value: $t, order: Ordering) -> $t {
                    $from($module::swap(self.at(), $to(value), order))
                }

                /// Writes it if it is as expected.
                #[inline(always)]
                pub fn compare_exchange(
                    &self,
                    expected: $t,
                    new: $t,
                    success: Ordering,
                    failure: Ordering,
                ) -> Result<$t, $t> {
                    let old = $from($module::compare(self.at(), $to(expected), $to(new), success, failure));
                    if old == expected { Ok(old) } else { Err(old) }
                }

                /// The same: the player fails no comparison without a reason.
                #[inline(always)]
                pub fn compare_exchange_weak(
                    &self,
                    expected: $t,
                    new: $t,
                    success: Ordering,
                    failure: Ordering,
                ) -> Result<$t, $t> {
                    self.compare_exchange(expected, new, success, failure)
                }

                /// The value, of which nobody else knows.
                pub fn get_mut(&mut self) -> &mut $t {
                    self.0.get_mut()
                }

                /// The value.
                pub fn into_inner(self) -> $t {
                    self.0.into_inner()
                }
            }
        };
    }

    /// A read-modify-write.
    macro_rules! updates {
        ($module:ident $t:ty, $word:ty: $($operation:ident)*) => { $(
            /// As that of std: answers what was there.
            #[inline(always)]
            pub fn $operation(&self, value: $t, order: Ordering) -> $t {
                $module::$operation(self.at(), value as $word, order) as $t
            }
        )* };
    }

    macro_rules! integers {
        ($($name:ident $t:ty, $word:ty, $module:ident;)*) => { $(
            /// As that of std.
            #[derive(Debug, Default)]
            #[repr(transparent)]
            pub struct $name(UnsafeCell<$t>);
            atomic!([] $name, $t, $word, $module, |v: $t| v as $word, |w: $word| w as $t);
            impl $name {
                updates!($module $t, $word: fetch_add fetch_sub fetch_and fetch_or fetch_xor);
            }
        )* };
    }
    integers! {
        AtomicI32 i32, u32, of32; AtomicU32 u32, u32, of32;
        AtomicI64 i64, u64, of64; AtomicU64 u64, u64, of64;
        AtomicIsize isize, u64, of64; AtomicUsize usize, u64, of64;
    }

    /// As that of std.
    #[derive(Debug, Default)]
    #[repr(transparent)]
    pub struct AtomicBool(UnsafeCell<bool>);
    atomic!([] AtomicBool, bool, u8, of8, u8::from, |w: u8| w != 0);

    /// As that of std.
    #[derive(Debug)]
    #[repr(transparent)]
    pub struct AtomicPtr<T>(UnsafeCell<*mut T>);
    atomic!([<T>] AtomicPtr<T>, *mut T, u64, of64, |v: *mut T| v as u64, |w: u64| w as *mut T);
}
