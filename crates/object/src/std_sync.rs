//! What takes the place of the parts of std that wait.
//!
//! std comes compiled: where a lock is contended it changes its word and asks the kernel to wait, and nothing can be seen
//! of that. The tool overwrites these functions in the programs that it builds with jumps to the ones here, which are
//! instrumented and wait by looking again. They rely on how the words of std look, as far as that cannot be found out.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Once, OnceState};
use std::thread::Thread;

use crate::player::{self, Waiting};

/// Keeps the functions in the program: nothing calls them but what is overwritten.
pub fn keep() {
    let all = [
        trueline_std_mutex_lock as *const (),
        trueline_std_condvar_wait as *const (),
        trueline_std_condvar_notify_one as *const (),
        trueline_std_condvar_notify_all as *const (),
        trueline_std_rwlock_read as *const (),
        trueline_std_rwlock_write as *const (),
        trueline_std_park as *const (),
        trueline_std_thread_park as *const (),
        trueline_std_once_call as *const (),
        trueline_std_once_wait as *const (),
        trueline_std_thread_id as *const (),
        trueline_std_timeout as *const (),
        trueline_std_barrier as *const (),
        trueline_std_channel as *const (),
    ];
    std::hint::black_box(all);
}

/// `sys::Mutex::lock_contended`: 0 is free, 1 is locked. That others wait is never noted, so nobody is woken.
#[unsafe(no_mangle)]
fn trueline_std_mutex_lock(word: &AtomicU32) {
    let _waiting = Waiting::begin();
    while word.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_err() {}
}

/// `sys::Condvar::wait`
#[unsafe(no_mangle)]
fn trueline_std_condvar_wait(condition: &AtomicU32, mutex: &AtomicU32) {
    let at = condition.as_ptr().cast();
    player::condition_wait(at);
    mutex.store(0, Ordering::Release);
    player::condition_sleep(at);
    trueline_std_mutex_lock(mutex);
}

/// `Condvar::notify_one`
#[unsafe(no_mangle)]
fn trueline_std_condvar_notify_one(condition: &AtomicU32) {
    player::condition_notify(condition.as_ptr().cast(), false);
}

/// `Condvar::notify_all`
#[unsafe(no_mangle)]
fn trueline_std_condvar_notify_all(condition: &AtomicU32) {
    player::condition_notify(condition.as_ptr().cast(), true);
}

/// Readers are counted; this many is a writer.
const WRITER: u32 = (1 << 30) - 1;

/// `sys::RwLock::read_contended`
#[unsafe(no_mangle)]
fn trueline_std_rwlock_read(word: &AtomicU32) {
    let _waiting = Waiting::begin();
    loop {
        let now = word.load(Ordering::Relaxed);
        if now < WRITER - 1
            && word.compare_exchange(now, now + 1, Ordering::Acquire, Ordering::Relaxed).is_ok()
        {
            return;
        }
    }
}

/// `sys::RwLock::write_contended`
#[unsafe(no_mangle)]
fn trueline_std_rwlock_write(word: &AtomicU32) {
    let _waiting = Waiting::begin();
    while word.compare_exchange(0, WRITER, Ordering::Acquire, Ordering::Relaxed).is_err() {}
}

/// Which word of what is known of a thread says whether it may go on; one more than its number.
static PARKER: AtomicU32 = AtomicU32::new(0);

/// Of std's own code: where it makes what it knows of a thread, from and to, and where in thread-local storage the thread's
/// number is. The tool writes it into the program.
#[used]
#[unsafe(no_mangle)]
static TRUELINE_LIBRARY: [u64; 3] = [1; 3];

/// Finds out before anything else runs: it is the word that `unpark` changes to 1.
extern "C" fn find_parker() {
    // SAFETY: read as what may have changed since it was compiled.
    player::library(unsafe { std::ptr::read_volatile(&raw const TRUELINE_LIBRARY) });
    const WORDS: usize = 16;
    let thread = std::thread::current();
    let words = words(&thread);
    let all = || -> [u32; WORDS] {
        // SAFETY: there is more memory behind it, and nobody else uses it yet.
        std::array::from_fn(|i| unsafe { std::ptr::read_volatile(words.add(i).cast::<u32>()) })
    };
    let before = all();
    thread.unpark();
    let after = all();
    let at = (0..WORDS).find(|i| before[*i] != 1 && after[*i] == 1);
    PARKER.store(at.map_or(0, |at| at as u32 + 1), Ordering::Relaxed);
}

/// With the static constructors, on a thread whose words nobody else has.
#[used]
#[unsafe(link_section = ".init_array")]
static FIND_PARKER: extern "C" fn() = find_parker;

/// A `Thread` is a pointer to what is known of it.
fn words(thread: &Thread) -> *const AtomicU32 {
    // SAFETY: it has the size of a pointer.
    unsafe { *(&raw const *thread).cast::<*const AtomicU32>() }
}

/// The word of a thread that says whether it may go on: 1 after `unpark`.
fn parker(thread: &Thread) -> &AtomicU32 {
    match PARKER.load(Ordering::Relaxed) {
        0 => player::unsupported("the code parks, and it is not known how this std keeps threads"),
        // SAFETY: the word was found there in another thread, and all are alike.
        at => unsafe { &*words(thread).add(at as usize - 1) },
    }
}

/// `Thread::park`
#[unsafe(no_mangle)]
fn trueline_std_thread_park(thread: &Thread) {
    let word = parker(thread);
    let _waiting = Waiting::begin();
    while word.compare_exchange(1, 0, Ordering::Acquire, Ordering::Relaxed).is_err() {}
}

/// `std::thread::park`
#[unsafe(no_mangle)]
fn trueline_std_park() {
    trueline_std_thread_park(&std::thread::current());
}

/// The word of a `Once` in which nothing was done yet.
fn incomplete() -> u32 {
    let fresh = Once::new();
    // SAFETY: a `Once` is one such word.
    unsafe { (*(&raw const fresh).cast::<AtomicU32>()).load(Ordering::Relaxed) }
}

/// The word of a `Once` in which everything was done.
fn complete() -> u32 {
    let done = |word: &u32| {
        let once = Once::new();
        // SAFETY: a `Once` is one such word.
        unsafe { (*(&raw const once).cast::<AtomicU32>()).store(*word, Ordering::Relaxed) };
        once.is_completed()
    };
    (0..8).find(done).unwrap_or_else(|| player::unsupported("Once: it is not known how std keeps it"))
}

/// A word that std does not use: somebody is at it.
const RUNNING: u32 = 0x1000;

/// `sys::Once::call`
#[unsafe(no_mangle)]
fn trueline_std_once_call(word: &AtomicU32, _: bool, initialise: &mut dyn FnMut(&OnceState)) {
    let (incomplete, complete) = (incomplete(), complete());
    let waiting = Waiting::begin();
    loop {
        match word.compare_exchange(incomplete, RUNNING, Ordering::Acquire, Ordering::Acquire) {
            Ok(_) => break,
            Err(now) if now == complete => return,
            Err(_) => {}
        }
    }
    drop(waiting);
    let state = [0u64; 4];
    // SAFETY: what is passed on says that nothing was poisoned; it is smaller than this, and zeros are allowed.
    initialise(unsafe { &*(&raw const state).cast::<OnceState>() });
    word.store(complete, Ordering::Release);
}

/// `sys::Once::wait`
#[unsafe(no_mangle)]
fn trueline_std_once_wait(word: &AtomicU32, _: bool) {
    let complete = complete();
    let _waiting = Waiting::begin();
    while word.load(Ordering::Acquire) != complete {}
}

/// `ThreadId::new`
#[unsafe(no_mangle)]
fn trueline_std_thread_id() -> u64 {
    player::thread_id()
}

/// Waits with a time-out.
#[unsafe(no_mangle)]
fn trueline_std_timeout() -> ! {
    player::unsupported("the code waits with a time-out")
}

/// `Barrier::wait`
#[unsafe(no_mangle)]
fn trueline_std_barrier() -> ! {
    player::unsupported("the code uses std::sync::Barrier, whose inside cannot be seen")
}

/// Threads that wait at channels.
#[unsafe(no_mangle)]
fn trueline_std_channel() -> ! {
    player::unsupported("the code waits at a channel of std, whose inside cannot be seen; crossbeam's can")
}
