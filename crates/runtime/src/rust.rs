//! What the harness of Rust programs asks of the player: panics, and waiting in place of std's own.

use std::arch::naked_asm;
use std::ffi::c_int;

use crate::access::{caller, on_hook_stack};
use crate::fiber;
use crate::local;
use crate::locks::{notify, sleep_at, wait_at};
use crate::schedule::{finding, unsupported};
use crate::state::{running, state};
use crate::sys;

/// A text of the program.
fn text(at: *const u8, length: usize) -> String {
    // SAFETY: the harness passes a text of this length.
    String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(at, length) }).into_owned()
}

/// Nobody caught a panic: told where it began.
extern "C" fn panicked(at: *const u8, length: usize) -> ! {
    let what = text(at, length).replace('\n', " ");
    let sentence = if what.is_empty() { "panics".into() } else { format!("panics: {what}") };
    if !running() {
        sys::before_runs(&sentence, caller());
    }
    let state = state();
    let thread = &mut state.threads[state.current];
    if let Some(place) = thread.raised.first().copied() {
        // The innermost comes last, as calls are kept.
        thread.frames = thread.raised.iter().rev().copied().collect();
        state.place = place;
    }
    finding("panic", &sentence)
}

extern "C" fn refused(at: *const u8, length: usize) -> ! {
    let what = text(at, length);
    if !running() {
        sys::before_runs(&what, caller());
    }
    unsupported(&what)
}

extern "C" fn condition_wait(condition: usize) {
    wait_at(condition, caller());
}

extern "C" fn condition_sleep(condition: usize) {
    local::enter(caller());
    sleep_at(condition, caller());
}

extern "C" fn condition_notify(condition: usize, all: bool) {
    if running() {
        notify(condition, caller(), all);
    }
}

on_hook_stack! {
    trueline_panicked panicked; trueline_unsupported refused;
    trueline_condition_wait condition_wait; trueline_condition_sleep condition_sleep;
    trueline_condition_notify condition_notify;
}

#[unsafe(no_mangle)]
extern "C" fn trueline_keep_reachable() {
    if running() {
        state().keep_reachable = true;
    }
}

#[unsafe(no_mangle)]
extern "C" fn trueline_waiting(begins: bool) {
    if running() {
        state().threads[state().current].waits = begins;
    }
}

/// A number that depends on the thread that asks and how often it has.
#[unsafe(no_mangle)]
extern "C" fn trueline_thread_id() -> u64 {
    if !running() {
        return 1;
    }
    let state = state();
    let thread = &mut state.threads[state.current];
    thread.named += 1;
    (state.current as u64 + 1) * 1000 + thread.named
}

/// Where Rust's library makes what it knows of a thread, from and to; and where in thread-local storage its number is.
static mut LIBRARY: [usize; 3] = [0; 3];

/// Told once by a static constructor of the harness.
#[unsafe(no_mangle)]
extern "C" fn trueline_library(from: usize, to: usize, number: usize) {
    // SAFETY: constructors run on one OS thread, before any run.
    unsafe { LIBRARY = [from, to, number] };
}

/// Where in the executable's thread-local storage the number of a thread is; 0 when it is not known.
pub fn number_offset() -> usize {
    // SAFETY: set before any run.
    unsafe { LIBRARY[2] }
}

/// The handles of a thread are counted, mostly by code that cannot be seen: the counter in front of the block is left out.
/// It never gets to zero, since the thread itself has a handle.
pub fn allocated(block: usize, place: usize) {
    // SAFETY: set before any run.
    let [from, to, _] = unsafe { LIBRARY };
    if (from..to).contains(&place) {
        state().unseen.push(block);
    }
}

/// Return addresses of the calls that a panic or exception came from, the innermost first, by frame pointers.
extern "C" fn raised(mut frame: usize, from: usize) -> usize {
    if running() {
        let me = state().current;
        let (low, high) = fiber::stack(me);
        let raised = &mut state().threads[me].raised;
        raised.clear();
        raised.push(from);
        while (low..high - 16).contains(&frame) && frame.is_multiple_of(8) && raised.len() < 24 {
            // SAFETY: inside of the fiber's stack; what is no frame gives a number that means nothing.
            let (next, back) = unsafe { (*(frame as *const usize), *((frame + 8) as *const usize)) };
            raised.push(back);
            if next <= frame {
                break;
            }
            frame = next;
        }
    }
    sys::next_symbol(c"_Unwind_RaiseException") as usize
}

/// Notes where it is called and goes on with the real one, which looks at the frame of its caller.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn _Unwind_RaiseException(_exception: usize) -> c_int {
    naked_asm!(
        "push rdi", "mov rdi, rbp", "mov rsi, [rsp+8]", "call {f}", "pop rdi", "jmp rax", f = sym raised
    )
}

type Main = extern "C" fn(c_int, *mut usize, *mut usize) -> c_int;
type Start = extern "C" fn(Main, c_int, *mut usize, usize, usize, usize, usize) -> c_int;

extern "C" fn play_instead(_: c_int, _: *mut usize, _: *mut usize) -> c_int {
    crate::play::trueline_play()
}

/// Whatever the `main` of the program is: it runs when it is asked for, and over and over again.
#[unsafe(no_mangle)]
extern "C" fn __libc_start_main(
    main: Main,
    count: c_int,
    arguments: *mut usize,
    init: usize,
    done: usize,
    loader: usize,
    stack: usize,
) -> c_int {
    // SAFETY: the first code of a program passes its arguments, which end with zero; its environment comes next.
    let environment = unsafe { arguments.add(count as usize + 1) };
    crate::program::keep_main([main as *const () as u64, count as u64, arguments as u64, environment as u64]);
    // SAFETY: the symbol is that of the C library, called as the program's first code calls it.
    let start: Start = unsafe { std::mem::transmute(sys::next_symbol(c"__libc_start_main")) };
    start(play_instead, count, arguments, init, done, loader, stack)
}
