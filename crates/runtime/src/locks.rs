//! Mutexes, spin locks and condition variables of the program. Their state is the player's; their memory is not used.

use std::ffi::{c_int, c_void};

use crate::access::{caller, on_hook_stack};
use crate::local;
use crate::log::{Access, Kind, Op};
use crate::schedule::{self, finding, stop, unsupported, waits_alone};
use crate::state::{Pending, concurrent, off, running, state, trap};
use crate::told;

const EBUSY: c_int = 16;
const EPERM: c_int = 1;
const EDEADLK: c_int = 35;
/// No address of the program is lower: the locks of threads themselves are.
pub const LEAST: usize = 4096;

/// Records a step on a lock or condition variable: a number before it and one after it.
pub fn record(kind: Kind, address: usize, place: usize, old: u64, new: u64) -> usize {
    record_with(kind, address, place, old, new, 0)
}

/// The same with an operand, which says more of it.
fn record_with(kind: Kind, address: usize, place: usize, old: u64, new: u64, a: u128) -> usize {
    let state = state();
    let me = state.current;
    let local = local::mix(local::inside(), address as u64 ^ kind as u64);
    let access = Access { kind, op: Op::None, order: 5, address, size: 8, place, a, b: 0, local };
    let at = state.log.access(me, &access, &[old]);
    state.log.finish(at, &[new]);
    told::note_record(at);
    state.threads[me].accesses += 1;
    local::effect();
    at
}

fn held(lock: usize) -> bool {
    state().locks.iter().any(|l| l.0 == lock)
}

/// Takes a lock. `again` says whether its owner may take it again. Answers where the record of it is.
pub fn lock(address: usize, place: usize, again: bool) -> Option<usize> {
    local::enter(place);
    acquire(address, place, again)
}

/// Takes a lock inside of something longer.
pub fn acquire(address: usize, place: usize, again: bool) -> Option<usize> {
    let me = state().current;
    state().place = place;
    if again && let Some(mine) = state().locks.iter_mut().find(|l| l.0 == address && l.1 == me) {
        mine.2 += 1;
        return None;
    }
    let mut at = None;
    if concurrent() {
        state().threads[me].address = address;
        stop(Pending::Lock(address));
        at = Some(record(Kind::Lock, address, place, 0, 1));
    } else if held(address) {
        // Nobody else runs any more, or yet: whatever the object is, this is no waiting that ends.
        finding("deadlock", "waits for a lock that nobody will release");
    }
    state().locks.push((address, me, 1));
    at
}

/// Takes a lock if it is free.
fn try_lock(address: usize, place: usize) -> bool {
    local::enter(place);
    try_acquire(address, place)
}

/// Takes a lock if it is free, inside of something longer.
fn try_acquire(address: usize, place: usize) -> bool {
    state().place = place;
    if concurrent() {
        stop(Pending::Step);
    }
    let told = if concurrent() { told::lock_is_free(address) } else { None };
    let free = schedule::scripted_lock().or(told).unwrap_or_else(|| !held(address));
    if concurrent() {
        record(Kind::TryLock, address, place, u64::from(!free), 1);
    }
    let me = state().current;
    if free {
        state().locks.push((address, me, 1));
    }
    free
}

/// Releases a lock.
pub fn unlock(address: usize, place: usize) {
    local::enter(place);
    release(address, place);
}

/// Releases a lock inside of something longer.
pub fn release(address: usize, place: usize) {
    state().place = place;
    let me = state().current;
    let Some(mine) = state().locks.iter_mut().find(|l| l.0 == address && l.1 == me) else {
        finding("bad_unlock", "unlocks a lock that it does not hold");
    };
    if mine.2 > 1 {
        mine.2 -= 1;
        return;
    }
    if concurrent() {
        stop(Pending::Step);
        record(Kind::Unlock, address, place, 1, 0);
    }
    state().locks.retain(|l| l.0 != address);
}

/// The caller of the function that uses it. Frames of the player have no frame pointer, so the unwinder is not asked.
macro_rules! place {
    () => {{
        let place: usize;
        // SAFETY: reads the word above the frame pointer, which `-C force-frame-pointers` keeps for the player.
        unsafe { std::arch::asm!("mov {}, [rbp + 8]", out(reg) place, options(nostack, readonly)) };
        place
    }};
}
pub(crate) use place;

/// The kinds of mutexes whose owner may ask for them again: it gets them, or is told that it has them.
const RECURSIVE: i32 = 1;
const CHECKING: i32 = 2;

/// The kind of a mutex is where the C library keeps it.
fn kind(mutex: *const c_void) -> i32 {
    // SAFETY: the program passes a pointer to a mutex.
    unsafe { *mutex.cast::<i32>().add(4) & 3 }
}

/// Whether the running thread holds a lock.
fn mine(lock: usize) -> bool {
    let me = state().current;
    state().locks.iter().any(|l| l.0 == lock && l.1 == me)
}

extern "C" fn own_pthread_mutex_lock(mutex: *mut c_void) -> c_int {
    if running() {
        if kind(mutex) == CHECKING && mine(mutex as usize) {
            return EDEADLK;
        }
        lock(mutex as usize, caller(), kind(mutex) == RECURSIVE);
    }
    0
}

extern "C" fn own_pthread_mutex_trylock(mutex: *mut c_void) -> c_int {
    if !running() {
        return 0;
    }
    if kind(mutex) == RECURSIVE && mine(mutex as usize) {
        lock(mutex as usize, caller(), true);
        return 0;
    }
    if try_lock(mutex as usize, caller()) { 0 } else { EBUSY }
}

extern "C" fn own_pthread_mutex_unlock(mutex: *mut c_void) -> c_int {
    if running() {
        if kind(mutex) == CHECKING && !mine(mutex as usize) {
            return EPERM;
        }
        unlock(mutex as usize, caller());
    }
    0
}

extern "C" fn own_pthread_mutex_destroy(mutex: *mut c_void) -> c_int {
    if running() && held(mutex as usize) { EBUSY } else { 0 }
}

extern "C" fn own_pthread_spin_init(_: *mut c_void, _: c_int) -> c_int {
    0
}

extern "C" fn own_pthread_spin_lock(spin: *mut c_void) -> c_int {
    if running() {
        lock(spin as usize, caller(), false);
    }
    0
}

extern "C" fn own_pthread_spin_trylock(spin: *mut c_void) -> c_int {
    if !running() || try_lock(spin as usize, caller()) { 0 } else { EBUSY }
}

extern "C" fn own_pthread_spin_unlock(spin: *mut c_void) -> c_int {
    if running() {
        unlock(spin as usize, caller());
    }
    0
}

/// A number that grows with every use of a condition variable: its uses are totally ordered.
fn use_condition(kind: Kind, condition: usize, place: usize) -> u64 {
    let signals = &mut state().signals;
    let before = match signals.iter_mut().find(|s| s.0 == condition) {
        Some(uses) => {
            uses.1 += 1;
            uses.1 - 1
        }
        None => {
            signals.push((condition, 1));
            0
        }
    };
    record(kind, condition, place, before, before + 1);
    before + 1
}

extern "C" fn own_pthread_cond_wait(condition: *mut c_void, mutex: *mut c_void) -> c_int {
    if !running() {
        return EPERM;
    }
    if off(trap::INSIDE) {
        // As if the library had called somebody else.
        return 0;
    }
    let (condition, place) = (condition as usize, caller());
    wait_at(condition, place);
    release(mutex as usize, place);
    sleep_at(condition, place);
    acquire(mutex as usize, place, false);
    0
}

/// From here on the running thread gets signals of a condition variable.
pub fn wait_at(condition: usize, place: usize) {
    local::enter(place);
    state().place = place;
    if !concurrent() {
        waits_alone("deadlock", "waits for a signal that nobody will send");
    }
    stop(Pending::Step);
    let number = use_condition(Kind::Wait, condition, place);
    let me = state().current;
    state().waiting.push((condition, me, number));
}

/// Waits for a signal. One that is for all wakes whoever waits when it is sent. One that is for one wakes any of these: each
/// that looks at it tries to take it, as if it were a lock that nobody releases, so that the explorer lets each be the first.
pub fn sleep_at(condition: usize, place: usize) {
    let me = state().current;
    loop {
        stop(Pending::Signal(condition));
        let (signal, all) = next_signal(condition, me).expect("one was sent");
        let waits = |w: &&mut (usize, usize, u64)| w.0 == condition && w.1 == me;
        if let Some(waiter) = state().waiting.iter_mut().find(waits) {
            waiter.2 = signal;
        }
        record_with(Kind::Wake, condition, place, signal, signal, u128::from(!all));
        if all || try_acquire(condition | (signal as usize) << SIGNAL_BITS, place) {
            break;
        }
    }
    state().waiting.retain(|w| w.0 != condition || w.1 != me);
}

/// Where the number of a signal is in the made-up address of the lock that who takes it gets: above those of the program.
const SIGNAL_BITS: u32 = 48;

/// The first signal since a thread waits that it has not yet looked at, and whether it is for all.
pub fn next_signal(condition: usize, thread: usize) -> Option<(u64, bool)> {
    let state = state();
    let waits = state.waiting.iter().find(|w| w.0 == condition && w.1 == thread)?;
    state.sent.iter().find(|s| s.0 == condition && s.1 > waits.2).map(|s| (s.1, s.2))
}

/// Sends a signal to one or all that wait.
pub fn notify(condition: usize, place: usize, all: bool) {
    state().place = place;
    if !concurrent() {
        return;
    }
    local::enter(place);
    stop(Pending::Step);
    let signal = use_condition(Kind::Notify, condition, place);
    state().sent.push((condition, signal, all));
}

extern "C" fn own_pthread_cond_signal(condition: *mut c_void) -> c_int {
    if running() {
        notify(condition as usize, caller(), false);
    }
    0
}

extern "C" fn own_pthread_cond_broadcast(condition: *mut c_void) -> c_int {
    if running() {
        notify(condition as usize, caller(), true);
    }
    0
}

extern "C" fn own_pthread_cond_destroy(_: *mut c_void) -> c_int {
    0
}

on_hook_stack! {
    pthread_mutex_lock own_pthread_mutex_lock;
    pthread_mutex_trylock own_pthread_mutex_trylock;
    pthread_mutex_unlock own_pthread_mutex_unlock;
    pthread_mutex_destroy own_pthread_mutex_destroy;
    pthread_spin_init own_pthread_spin_init;
    pthread_spin_lock own_pthread_spin_lock;
    pthread_spin_trylock own_pthread_spin_trylock;
    pthread_spin_unlock own_pthread_spin_unlock;
    pthread_cond_wait own_pthread_cond_wait;
    pthread_cond_signal own_pthread_cond_signal;
    pthread_cond_broadcast own_pthread_cond_broadcast;
    pthread_cond_destroy own_pthread_cond_destroy;
}

macro_rules! missing {
    ($($name:ident)*) => { $(
        #[unsafe(no_mangle)]
        extern "C" fn $name() -> c_int {
            if running() {
                unsupported(concat!("the code calls ", stringify!($name), ", which the player does not have"));
            }
            0
        }
    )* };
}
missing! {
    pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_rwlock_tryrdlock pthread_rwlock_trywrlock
    pthread_rwlock_unlock pthread_barrier_wait sem_wait sem_trywait sem_timedwait sem_post
    pthread_cond_timedwait pthread_cond_clockwait pthread_mutex_timedlock pthread_mutex_clocklock
}
