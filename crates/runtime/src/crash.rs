//! Signals that would end the program: each is a finding with its schedule, and the player goes on.

use std::ffi::{c_int, c_void};

use crate::access::caller;
use crate::fiber;
use crate::schedule::{finding, unsupported};
use crate::signals;
use crate::state::{off, ready, running, state, trap};
use crate::sys;

static mut SEEN: (c_int, usize) = (0, 0);

/// Takes over the signals, on a stack of their own: the program's may be what is broken.
pub fn install() {
    const SIZE: usize = 1 << 16;
    // SAFETY: fresh pages; the structures have the kernel's layout.
    unsafe {
        let flags = sys::MAP_ANON;
        let pages = sys::mmap(std::ptr::null_mut(), SIZE, sys::PROT_READ_WRITE, flags, -1, 0);
        let stack = sys::StackT { sp: pages, flags: 0, size: SIZE };
        sys::raw_syscall(131, [&raw const stack as usize, 0, 0, 0, 0, 0]);
        let action = sys::Sigaction {
            handler: caught as *const () as usize,
            mask: [0; 16],
            flags: sys::SA_SIGINFO_ONSTACK,
            restorer: 0,
        };
        set(&action);
    }
}

/// The player stands for `sigaction` itself, for what the program asks.
fn set(action: &sys::Sigaction) {
    type Set = extern "C" fn(c_int, *const sys::Sigaction, *mut sys::Sigaction) -> c_int;
    // SAFETY: the symbol is sigaction of the C library.
    let set: Set = unsafe { std::mem::transmute(sys::next_symbol(c"sigaction")) };
    for signal in sys::CRASHES {
        set(signal, action, std::ptr::null_mut());
    }
}

/// Gives the signals back.
pub fn uninstall() {
    set(&sys::Sigaction { handler: 0, mask: [0; 16], flags: 0, restorer: 0 });
}

/// The program must not replace the stack of our handler.
#[unsafe(no_mangle)]
extern "C" fn sigaltstack(new: *const c_void, old: *mut c_void) -> c_int {
    match off(trap::SIGNAL_STACK) {
        true => sys::raw_syscall(131, [new as usize, old as usize, 0, 0, 0, 0]) as c_int,
        false => 0,
    }
}

/// Returns into [`land`] on a clean part of the fiber's own stack, so that the signal is over when the run ends.
unsafe extern "C" fn caught(signal: c_int, info: *const u8, context: *mut u8) {
    if !ready() {
        // SAFETY: as below. Hooks of static constructors have noted where they are called.
        let (address, place) =
            unsafe { (*(info.add(16).cast::<usize>()), *context.add(40).cast::<u64>().add(16) as usize) };
        let place = if inside_player(place) { caller() } else { place + 1 };
        sys::before_runs(&sentence(signal, address, 0), place);
    }
    if !running() {
        sys::complain("trueline player: a crash outside of the program under test");
        sys::leave(86);
    }
    // SAFETY: the kernel passes a siginfo, whose address is at 16, and a ucontext, whose registers begin at 40: the
    // stack pointer is the 16th, the instruction pointer the 17th.
    unsafe {
        SEEN = (signal, *(info.add(16).cast::<usize>()));
        let registers = context.add(40).cast::<u64>();
        let place = *registers.add(16) as usize;
        if !inside_player(place) {
            state().place = place + 1;
        }
        let (_, high) = fiber::stack(state().current);
        *registers.add(15) = (((high - 16384) & !15) - 8) as u64;
        *registers.add(16) = land as *const () as u64;
    }
}

/// Whether an address is code of the player, which then works for a hook whose place is known.
fn inside_player(place: usize) -> bool {
    // The executable is not position-independent: it is below, shared objects are above.
    place > 0x1_0000_0000
}

unsafe extern "C" fn land() -> ! {
    // SAFETY: written by the handler on this OS thread.
    let (signal, address) = unsafe { SEEN };
    if signals::handled(signal) {
        unsupported("the code handles crashes itself");
    }
    let (low, _) = fiber::stack(state().current);
    finding("crash", &sentence(signal, address, low))
}

/// What a signal says, where the stack ends at an address.
fn sentence(signal: c_int, address: usize, stack: usize) -> String {
    match signal {
        4 => "executes an illegal instruction".into(),
        8 => "divides by zero".into(),
        _ if (stack.saturating_sub(8192)..stack).contains(&address) => "overflows its stack".into(),
        _ if address < 65536 => "follows a null pointer".into(),
        _ => format!("accesses memory that does not exist ({address:#x})"),
    }
}
