//! What `object!` expands to: functions in sections that the tool looks for, and the object that they share.

use std::any::TypeId;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Says which operations an object has.
///
/// ```
/// use std::collections::VecDeque;
/// use std::sync::Mutex;
///
/// trueline::object! {
///     // A ready-made specification; without it the object itself, run sequentially, is the specification.
///     spec: "queue",
///     // Makes the object, before every execution. Its type must be known from this expression.
///     new: Mutex::new(VecDeque::<i64>::new()),
///     // Answers at the end of every execution whether all is well (optional).
///     check: |queue| queue.lock().unwrap().len() < 100,
///     // Operations. Arguments are integers and `bool`; so are results, and `Option` of them.
///     fn enq(queue, value: i64) { queue.lock().unwrap().push_back(value) }
///     fn deq(queue) -> Option<i64> { queue.lock().unwrap().pop_front() }
/// }
/// ```
#[macro_export]
macro_rules! object {
    ($(spec: $spec:literal,)? new: $new:expr, check: |$object:ident| $check:expr, fn $($operations:tt)+) => {
        $crate::__object! { [$($spec)?] [$new] [$object $check] fn $($operations)+ }
    };
    ($(spec: $spec:literal,)? new: $new:expr, fn $($operations:tt)+) => {
        $crate::__object! { [$($spec)?] [$new] [] fn $($operations)+ }
    };
}

/// [`object!`] with its parts in order.
#[doc(hidden)]
#[macro_export]
macro_rules! __object {
    ([$($spec:literal)?] [$new:expr] [$($object:ident $check:expr)?] $($operations:tt)+) => {
        const _: () = {
            static OBJECT: $crate::Slot = $crate::Slot::new();

            #[unsafe(link_section = "tl_init")]
            #[inline(never)]
            extern "C" fn init() {
                OBJECT.fill(|| $new);
            }
            #[used]
            static INIT: extern "C" fn() = init;

            #[unsafe(link_section = "tl_done")]
            #[inline(never)]
            extern "C" fn done() {
                OBJECT.empty(|| $new);
            }
            #[used]
            static DONE: extern "C" fn() = done;

            $(
                #[used]
                #[unsafe(link_section = "tl_spec")]
                static SPEC: [u8; $spec.len() + 1] = $crate::bytes($spec);
            )?

            $(
                #[unsafe(link_section = "tl_check")]
                #[inline(never)]
                extern "C" fn check() -> bool {
                    $crate::operation(|| {
                        let $object = OBJECT.get(|| $new);
                        $check
                    })
                }
                #[used]
                static CHECK: extern "C" fn() -> bool = check;
            )?

            $crate::__operations! { [OBJECT $new] $($operations)+ }
        };
    };
}

/// The operations of [`object!`], one after the other.
#[doc(hidden)]
#[macro_export]
macro_rules! __operations {
    ([$slot:ident $new:expr]) => {};
    ([$slot:ident $new:expr]
        fn $name:ident($object:ident $(, $argument:ident: $type:ty)* $(,)?) -> Option<$out:ty> $body:block
        $($rest:tt)*) => {
        const _: () = {
            #[unsafe(link_section = "tl_op")]
            #[inline(never)]
            extern "C" fn $name($($argument: $type,)* out: &mut $out) -> bool {
                let answer: Option<$out> = $crate::operation(|| {
                    let $object = $slot.get(|| $new);
                    $body
                });
                match answer {
                    Some(value) => {
                        *out = value;
                        true
                    }
                    None => false,
                }
            }
            #[used]
            static OPERATION: extern "C" fn($($type,)* &mut $out) -> bool = $name;
        };
        $crate::__operations! { [$slot $new] $($rest)* }
    };
    ([$slot:ident $new:expr]
        fn $name:ident($object:ident $(, $argument:ident: $type:ty)* $(,)?) -> $out:ty $body:block
        $($rest:tt)*) => {
        const _: () = {
            #[unsafe(link_section = "tl_op")]
            #[inline(never)]
            extern "C" fn $name($($argument: $type,)*) -> $out {
                $crate::operation(|| {
                    let $object = $slot.get(|| $new);
                    $body
                })
            }
            #[used]
            static OPERATION: extern "C" fn($($type,)*) -> $out = $name;
        };
        $crate::__operations! { [$slot $new] $($rest)* }
    };
    ([$slot:ident $new:expr]
        fn $name:ident($object:ident $(, $argument:ident: $type:ty)* $(,)?) $body:block
        $($rest:tt)*) => {
        $crate::__operations! { [$slot $new] fn $name($object $(, $argument: $type)*) -> () $body $($rest)* }
    };
}

/// A text with a zero at its end.
#[doc(hidden)]
pub const fn bytes<const N: usize>(text: &str) -> [u8; N] {
    let (from, mut to, mut at) = (text.as_bytes(), [0; N], 0);
    while at < from.len() {
        to[at] = from[at];
        at += 1;
    }
    to
}

#[repr(C)]
struct Held<T> {
    kind: TypeId,
    object: T,
}

/// Where the object is. Its type is that of the expression that makes it, which all operations repeat without
/// evaluating it.
#[doc(hidden)]
pub struct Slot(AtomicPtr<Held<()>>);

impl Slot {
    /// Empty.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Slot {
        Slot(AtomicPtr::new(null_mut()))
    }

    /// Makes the object.
    pub fn fill<T: Send + Sync + 'static>(&self, new: impl FnOnce() -> T) {
        begin();
        let object = operation(new);
        let held = Box::into_raw(Box::new(Held { kind: TypeId::of::<T>(), object }));
        self.0.store(held.cast(), Ordering::Relaxed);
    }

    /// The object.
    pub fn get<T: Send + Sync + 'static>(&self, _: impl FnOnce() -> T) -> &T {
        let held = self.0.load(Ordering::Relaxed).cast::<Held<T>>();
        assert!(!held.is_null(), "there is no object");
        // SAFETY: `fill` put it there, and it stays until `empty`, after all operations. The number of its type comes
        // first whatever the type is, and is compared before the rest is looked at.
        unsafe {
            assert!(
                (&raw const (*held).kind).read() == TypeId::of::<T>(),
                "the object's type is not determined"
            );
            &(*held).object
        }
    }

    /// Destroys the object.
    pub fn empty<T: Send + Sync + 'static>(&self, new: impl FnOnce() -> T) {
        self.get(new);
        let held = self.0.swap(null_mut(), Ordering::Relaxed).cast::<Held<T>>();
        // SAFETY: it is from `fill`, of this type as `get` has made sure, and no operation runs any more.
        operation(|| drop(unsafe { Box::from_raw(held) }));
    }
}

/// Before every execution: a panic is told by the tool, not by a message in between.
fn begin() {
    #[cfg(trueline)]
    {
        std::panic::set_hook(Box::new(|_| {}));
        crate::player::keep_reachable();
        crate::std_sync::keep();
    }
}

/// Runs a call of the tool; a panic that nobody catches is a finding.
#[doc(hidden)]
pub fn operation<R>(body: impl FnOnce() -> R) -> R {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(answer) => answer,
        Err(what) => {
            let text = match (what.downcast_ref::<&str>(), what.downcast_ref::<String>()) {
                (Some(text), _) => text,
                (None, Some(text)) => text.as_str(),
                _ => "",
            };
            panicked(text)
        }
    }
}

#[cfg(trueline)]
use crate::player::panicked;

#[cfg(not(trueline))]
fn panicked(text: &str) -> ! {
    panic!("{text}")
}
